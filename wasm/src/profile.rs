//! A profile, encoded in one number.
//!
//! The lowest byte is the preset. The third byte is the limit on depth, or zero for the default. The byte between them
//! has flags.

use tautline::Profile;
use tautline_mcp::Revision;

/// The strict variant, for gateways.
#[cfg(feature = "full")]
const STRICT: u32 = 1 << 8;
/// The variant for bodies of HTTP requests.
const HTTP_REQUEST: u32 = 1 << 9;
/// The variant for bodies of HTTP responses.
const HTTP_RESPONSE: u32 = 1 << 10;
/// The presets, in the order of their numbers.
static PRESETS: [Profile; 7] = [
    Profile::JSON_RPC,
    Profile::LSP,
    Revision::V2024_11_05.profile(),
    Revision::V2025_03_26.profile(),
    Revision::V2025_06_18.profile(),
    Revision::V2025_11_25.profile(),
    Revision::V2026_07_28.profile(),
];

/// Returns the profile that this number encodes. An unknown preset stands for JSON-RPC 2.0.
#[must_use]
pub fn decode(choice: u32) -> Profile {
    let [preset, _, depth, _] = choice.to_le_bytes();
    let mut profile = *PRESETS.get(usize::from(preset)).unwrap_or(&PRESETS[0]);
    if choice & HTTP_REQUEST != 0 {
        profile = profile.http_request_body();
    }
    if choice & HTTP_RESPONSE != 0 {
        profile = profile.http_response_body();
    }
    #[cfg(feature = "full")]
    if choice & STRICT != 0 {
        profile = profile.strict(&tautline_mcp::GUARDED_NAMES);
    }
    if depth == 0 { profile } else { profile.with_max_depth(depth) }
}
