//! The profiles: which messages are legal, and which replies are owed. A program links those that it names.

use core::ffi::c_char;

use tautline::Profile;
use tautline_mcp::Revision;

use crate::abi::tl_profile;

macro_rules! profiles {
    ($($constant:ident $name:literal $about:literal $profile:expr;)*) => {
        $(
            #[doc = $about]
            #[unsafe(no_mangle)]
            pub static $constant: tl_profile = tl_profile($profile);
        )*

        /// The name of each profile in C, its name for `tl_profile_named`, and what it is for.
        pub const PROFILES: &[(&str, &str, &str)] =
            &[$((stringify!($constant), $name, $about)),*];

        const ALL: &[(&str, &tl_profile)] = &[$(($name, &$constant)),*];
    };
}

profiles! {
    tl_json_rpc "json-rpc" "JSON-RPC 2.0." Profile::JSON_RPC;
    tl_json_rpc_request_body "json-rpc/request-body" "JSON-RPC 2.0, the body of an HTTP request."
        Profile::JSON_RPC.http_request_body();
    tl_json_rpc_response_body "json-rpc/response-body" "JSON-RPC 2.0, the body of an HTTP response, or an event in it."
        Profile::JSON_RPC.http_response_body();
    tl_lsp "lsp" "The Language Server Protocol." Profile::LSP;
    tl_mcp_2024_11_05 "2024-11-05" "MCP 2024-11-05, on stdio." Revision::V2024_11_05.profile();
    tl_mcp_2024_11_05_strict "2024-11-05/strict"
        "MCP 2024-11-05, on stdio, without anything that peers are known to read differently."
        Revision::V2024_11_05.strict_profile();
    tl_mcp_2025_03_26 "2025-03-26" "MCP 2025-03-26, on stdio." Revision::V2025_03_26.profile();
    tl_mcp_2025_03_26_strict "2025-03-26/strict"
        "MCP 2025-03-26, on stdio, without anything that peers are known to read differently."
        Revision::V2025_03_26.strict_profile();
    tl_mcp_2025_03_26_request_body "2025-03-26/request-body" "MCP 2025-03-26, the body of an HTTP request."
        Revision::V2025_03_26.profile().http_request_body();
    tl_mcp_2025_03_26_response_body "2025-03-26/response-body"
        "MCP 2025-03-26, the body of an HTTP response, or an event in it."
        Revision::V2025_03_26.profile().http_response_body();
    tl_mcp_2025_06_18 "2025-06-18" "MCP 2025-06-18, on stdio." Revision::V2025_06_18.profile();
    tl_mcp_2025_06_18_strict "2025-06-18/strict"
        "MCP 2025-06-18, on stdio, without anything that peers are known to read differently."
        Revision::V2025_06_18.strict_profile();
    tl_mcp_2025_06_18_request_body "2025-06-18/request-body" "MCP 2025-06-18, the body of an HTTP request."
        Revision::V2025_06_18.profile().http_request_body();
    tl_mcp_2025_06_18_response_body "2025-06-18/response-body"
        "MCP 2025-06-18, the body of an HTTP response, or an event in it."
        Revision::V2025_06_18.profile().http_response_body();
    tl_mcp_2025_11_25 "2025-11-25" "MCP 2025-11-25, on stdio." Revision::V2025_11_25.profile();
    tl_mcp_2025_11_25_strict "2025-11-25/strict"
        "MCP 2025-11-25, on stdio, without anything that peers are known to read differently."
        Revision::V2025_11_25.strict_profile();
    tl_mcp_2025_11_25_request_body "2025-11-25/request-body" "MCP 2025-11-25, the body of an HTTP request."
        Revision::V2025_11_25.profile().http_request_body();
    tl_mcp_2025_11_25_response_body "2025-11-25/response-body"
        "MCP 2025-11-25, the body of an HTTP response, or an event in it."
        Revision::V2025_11_25.profile().http_response_body();
    tl_mcp_2026_07_28 "2026-07-28" "MCP 2026-07-28, on stdio." Revision::V2026_07_28.profile();
    tl_mcp_2026_07_28_strict "2026-07-28/strict"
        "MCP 2026-07-28, on stdio, without anything that peers are known to read differently."
        Revision::V2026_07_28.strict_profile();
    tl_mcp_2026_07_28_request_body "2026-07-28/request-body" "MCP 2026-07-28, the body of an HTTP request."
        Revision::V2026_07_28.profile().http_request_body();
    tl_mcp_2026_07_28_response_body "2026-07-28/response-body"
        "MCP 2026-07-28, the body of an HTTP response, or an event in it."
        Revision::V2026_07_28.profile().http_response_body();
}

/// Returns the profile with this name, or NULL: `json-rpc`, `lsp`, or a revision of MCP such as `2025-11-25`, perhaps
/// followed by `/strict`, `/request-body` or `/response-body`. A NUL ends the name.
///
/// A program that calls this links all profiles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_profile_named(name: *const c_char) -> *const tl_profile {
    // SAFETY: the promises of the caller.
    unsafe { super::names::find(name, ALL) }
}
