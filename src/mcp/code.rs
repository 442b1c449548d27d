//! Error codes, revision by revision.

use super::Revision;
use crate::envelope::{CodeClass, CodeRange};

/// What a revision looks up before the codes of JSON-RPC.
pub(super) const fn codes(revision: Revision) -> &'static [CodeRange] {
    match revision {
        Revision::V2024_11_05 | Revision::V2025_03_26 | Revision::V2025_06_18 => UP_TO_2025_06_18,
        Revision::V2025_11_25 => SINCE_2025_11_25,
        Revision::V2026_07_28 => SINCE_2026_07_28,
    }
}

/// Server, resources, error handling.
const UP_TO_2025_06_18: &[CodeRange] =
    &[CodeRange::one(-32002, CodeClass::Protocol, "Resource not found")];

/// And client, elicitation, URL mode.
const SINCE_2025_11_25: &[CodeRange] = &[
    CodeRange::one(-32002, CodeClass::Protocol, "Resource not found"),
    CodeRange::one(-32042, CodeClass::Protocol, "URL elicitation required"),
];

/// Basic, error codes: the range of JSON-RPC's server errors is cut in two.
const SINCE_2026_07_28: &[CodeRange] = &[
    CodeRange::one(-32020, CodeClass::Protocol, "HeaderMismatch"),
    CodeRange::one(-32021, CodeClass::Protocol, "MissingRequiredClientCapability"),
    CodeRange::one(-32022, CodeClass::Protocol, "UnsupportedProtocolVersion"),
    CodeRange::one(-32002, CodeClass::Retired, "Resource not found"),
    CodeRange::one(-32042, CodeClass::Retired, "URL elicitation required"),
    CodeRange::new(-32019, -32000, CodeClass::Legacy, "Implementation-defined, legacy"),
    CodeRange::new(-32099, -32020, CodeClass::Reserved, "Reserved for MCP"),
];

#[cfg(test)]
mod tests {
    use super::Revision;
    use crate::envelope::CodeClass::{
        Application, HttpStatus, Legacy, Protocol, Reserved, Retired, ServerDefined, Standard,
    };
    use crate::envelope::{CodeClass, ErrorCode};

    /// A code, and its class up to 2025-06-18, in 2025-11-25 and in 2026-07-28.
    const TABLE: &[(i64, [CodeClass; 3])] = &[
        (-32700, [Standard; 3]),
        (-32600, [Standard; 3]),
        (-32603, [Standard; 3]),
        (-32604, [Reserved; 3]),
        (-32100, [Reserved; 3]),
        (-32099, [ServerDefined, ServerDefined, Reserved]),
        (-32043, [ServerDefined, ServerDefined, Reserved]),
        (-32042, [ServerDefined, Protocol, Retired]),
        (-32023, [ServerDefined, ServerDefined, Reserved]),
        (-32022, [ServerDefined, ServerDefined, Protocol]),
        (-32021, [ServerDefined, ServerDefined, Protocol]),
        (-32020, [ServerDefined, ServerDefined, Protocol]),
        (-32019, [ServerDefined, ServerDefined, Legacy]),
        (-32003, [ServerDefined, ServerDefined, Legacy]),
        (-32002, [Protocol, Protocol, Retired]),
        (-32001, [ServerDefined, ServerDefined, Legacy]),
        (-32000, [ServerDefined, ServerDefined, Legacy]),
        (-31999, [Application; 3]),
        (0, [Application; 3]),
        (404, [HttpStatus; 3]),
    ];

    #[test]
    fn classes_revision_by_revision() {
        for (code, [early, middle, late]) in TABLE {
            for &revision in Revision::ALL {
                let expected = match revision {
                    Revision::V2026_07_28 => late,
                    Revision::V2025_11_25 => middle,
                    _ => early,
                };
                let class = revision.rules().code_class(ErrorCode::new(*code));
                assert_eq!(class, *expected, "{code} in {revision}");
            }
        }
    }
}
