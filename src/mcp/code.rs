//! Error codes, revision by revision.

use super::{Era, Revision};
use crate::rule::{Codes, ErrorCode};

/// Returns the codes that a revision adds to the codes of JSON-RPC.
pub(super) const fn codes(revision: Revision) -> Codes {
    match revision {
        Revision::V2024_11_05 | Revision::V2025_03_26 | Revision::V2025_06_18 => {
            Codes::McpUpTo2025_06_18
        }
        Revision::V2025_11_25 => Codes::Mcp2025_11_25,
        Revision::V2026_07_28 => Codes::McpSince2026_07_28,
    }
}

impl Revision {
    /// Returns whether an implementation of this revision must not send the code (2026-07-28, basic, error
    /// codes).
    pub(crate) const fn forbids(self, code: ErrorCode) -> bool {
        codes(self).forbid(code)
    }
}

impl ErrorCode {
    /// Returns whether the code shows that its sender is modern: one of the three that 2026-07-28 defines
    /// (basic, error codes).
    pub(crate) const fn is_of_modern_server(self) -> bool {
        matches!(self.value(), -32022..=-32020)
    }
}

impl Era {
    /// Returns the code for a request for a resource that does not exist. It is -32002 in the legacy era, and
    /// [`ErrorCode::INVALID_PARAMS`] in the modern one (both: server/resources, error handling).
    ///
    /// ```
    /// use tautline::mcp::Era;
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
    use super::Revision;
    use crate::rule::CodeClass::{
        Application, HttpStatus, Legacy, Protocol, Reserved, Retired, ServerDefined, Standard,
    };
    use crate::rule::{CodeClass, ErrorCode};

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
                let class = revision.rules().code_class(code);
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
                let class = revision.rules().code_class(ErrorCode::new(*code));
                assert_eq!(class, *expected, "{code} in {revision}");
            }
        }
    }
}
