//! Error codes, revision by revision.

use tautline::ErrorCode;
use tautline::rule::{CodeClass, CodeRange};

use super::{Era, Revision};

/// Returns the codes that a revision adds to the codes of JSON-RPC. The narrower ranges come first.
pub(crate) const fn codes(revision: Revision) -> &'static [CodeRange] {
    match revision {
        // Server, resources, error handling.
        Revision::V2024_11_05 | Revision::V2025_03_26 | Revision::V2025_06_18 => {
            const { &[CodeRange::one(RESOURCE_NOT_FOUND, CodeClass::Protocol)] }
        }
        // The same, and client, elicitation, URL mode.
        Revision::V2025_11_25 => {
            const {
                &[
                    CodeRange::one(RESOURCE_NOT_FOUND, CodeClass::Protocol),
                    CodeRange::one(URL_ELICITATION, CodeClass::Protocol),
                ]
            }
        }
        // Basic, error codes. They split the range of JSON-RPC's server errors in two.
        Revision::V2026_07_28 => {
            const {
                &[
                    CodeRange::new(-32022, -32020, CodeClass::Protocol),
                    CodeRange::one(RESOURCE_NOT_FOUND, CodeClass::Retired),
                    CodeRange::one(URL_ELICITATION, CodeClass::Retired),
                    CodeRange::new(-32019, -32000, CodeClass::Legacy),
                    CodeRange::new(-32099, -32020, CodeClass::Reserved),
                ]
            }
        }
    }
}

const RESOURCE_NOT_FOUND: i32 = -32002;
const URL_ELICITATION: i32 = -32042;

impl Revision {
    /// Returns whether an implementation of this revision must not send the code (2026-07-28, basic, error codes).
    ///
    /// The table has the same information, but a session would then link the table.
    pub(crate) const fn forbids(self, code: ErrorCode) -> bool {
        matches!((self, code.value()), (Self::V2026_07_28, -32099..=-32023 | -32002))
    }

    /// Returns the name of the code in this revision, or else [the one that JSON-RPC 2.0 gives it](ErrorCode::name).
    #[must_use]
    pub const fn code_name(self, code: ErrorCode) -> Option<&'static str> {
        Some(match (code.value(), self) {
            (-32002, _) => "Resource not found",
            (-32042, Self::V2025_11_25 | Self::V2026_07_28) => "URL elicitation required",
            (-32020, Self::V2026_07_28) => "HeaderMismatch",
            (-32021, Self::V2026_07_28) => "MissingRequiredClientCapability",
            (-32022, Self::V2026_07_28) => "UnsupportedProtocolVersion",
            (-32019..=-32000, Self::V2026_07_28) => "Implementation-defined, legacy",
            (-32099..=-32020, Self::V2026_07_28) => "Reserved for MCP",
            _ => return code.name(),
        })
    }
}

/// Returns whether the code shows that its sender is modern: one of the three that 2026-07-28 defines (basic, error
/// codes). A client that gets one of them keeps to that era, whatever the method (basic/versioning).
#[must_use]
pub const fn is_of_modern_server(code: ErrorCode) -> bool {
    matches!(code.value(), -32022..=-32020)
}

impl Era {
    /// Returns the code for a request for a resource that does not exist. It is -32002 in the legacy era, and
    /// [`ErrorCode::INVALID_PARAMS`] in the modern one (both: server/resources, error handling).
    ///
    /// ```
    /// use tautline_mcp::Era;
    ///
    /// assert_eq!(Era::Legacy.resource_not_found().value(), -32002);
    /// assert_eq!(Era::Modern.resource_not_found().value(), -32602);
    /// ```
    #[must_use]
    pub const fn resource_not_found(self) -> ErrorCode {
        match self {
            Self::Legacy => ErrorCode::new(-32002),
            Self::Modern => ErrorCode::INVALID_PARAMS,
        }
    }
}

#[cfg(test)]
mod tests {
    use tautline::ErrorCode;
    use tautline::rule::CodeClass;
    use tautline::rule::CodeClass::{
        Application, HttpStatus, Legacy, Protocol, Reserved, Retired, ServerDefined, Standard,
    };

    use super::Revision;

    /// Each code, with its class up to 2025-06-18, in 2025-11-25 and in 2026-07-28.
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
    fn what_is_forbidden_is_what_the_table_reserves_or_retires() {
        for &revision in Revision::ALL {
            for code in (-33_000..=1000).map(ErrorCode::new) {
                let class = revision.profile().code_class(code);
                // No revision forbids codes in JSON-RPC's own range.
                let own = (-32_099..=-32_000).contains(&code.value());
                let expected = own && matches!(class, Reserved | Retired);
                assert_eq!(revision.forbids(code), expected, "{code} in {revision}");
            }
        }
    }

    #[test]
    fn classes_revision_by_revision() {
        for (code, [early, middle, late]) in TABLE {
            for &revision in Revision::ALL {
                let expected = match revision {
                    Revision::V2026_07_28 => late,
                    Revision::V2025_11_25 => middle,
                    _ => early,
                };
                let class = revision.profile().code_class(ErrorCode::new(*code));
                assert_eq!(class, *expected, "{code} in {revision}");
            }
        }
    }

    #[test]
    fn names_of_codes_and_ranges() {
        let name = |revision: Revision, code| revision.code_name(ErrorCode::new(code));
        for (code, early, middle, late) in [
            (-32601, "Method not found", "Method not found", "Method not found"),
            (-32002, "Resource not found", "Resource not found", "Resource not found"),
            (-32042, "Server error", "URL elicitation required", "URL elicitation required"),
            (-32020, "Server error", "Server error", "HeaderMismatch"),
            (-32019, "Server error", "Server error", "Implementation-defined, legacy"),
            (-32050, "Server error", "Server error", "Reserved for MCP"),
        ] {
            assert_eq!(name(Revision::V2025_06_18, code), Some(early), "{code}");
            assert_eq!(name(Revision::V2025_11_25, code), Some(middle), "{code}");
            assert_eq!(name(Revision::V2026_07_28, code), Some(late), "{code}");
        }
        assert_eq!(name(Revision::LATEST, 7), None);
    }
}
