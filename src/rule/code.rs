//! Error codes and the classes they fall into (JSON-RPC 2.0, section 5.1).

use core::fmt;

/// The code of an error object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ErrorCode(i64);

impl ErrorCode {
    /// -32700: the bytes are not JSON.
    pub const PARSE_ERROR: Self = Self(-32700);
    /// -32600: the JSON is not a valid request.
    pub const INVALID_REQUEST: Self = Self(-32600);
    /// -32601: there is no such method.
    pub const METHOD_NOT_FOUND: Self = Self(-32601);
    /// -32602: the params do not fit the method.
    pub const INVALID_PARAMS: Self = Self(-32602);
    /// -32603: the receiver failed.
    pub const INTERNAL_ERROR: Self = Self(-32603);

    /// Returns a code of any value.
    #[must_use]
    pub const fn new(code: i64) -> Self {
        Self(code)
    }

    /// Returns the value.
    #[must_use]
    pub const fn value(self) -> i64 {
        self.0
    }

    /// Returns the class of the code in JSON-RPC 2.0. [`Rules::code_class`](crate::Rules::code_class)
    /// returns its class in a protocol on top of JSON-RPC.
    #[must_use]
    pub fn class(self) -> CodeClass {
        self.class_among(CodeRange::JSON_RPC)
    }

    /// Returns the class of the first range that contains the code.
    pub(crate) fn class_among(self, ranges: &[CodeRange]) -> CodeClass {
        match self.range_among(ranges) {
            Some(range) => range.class,
            None if (100..=599).contains(&self.0) => CodeClass::HttpStatus,
            None => CodeClass::Application,
        }
    }

    /// Returns the first range that contains the code.
    pub(crate) fn range_among(self, ranges: &[CodeRange]) -> Option<&CodeRange> {
        ranges
            .iter()
            .find(|range| i64::from(range.first) <= self.0 && self.0 <= i64::from(range.last))
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// The class of an error code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum CodeClass {
    /// One of the five that JSON-RPC defines: -32700 and -32600 to -32603.
    Standard,
    /// -32000 to -32099, for implementations to define.
    ServerDefined,
    /// Defined by the protocol on top of JSON-RPC.
    Protocol,
    /// Once in use: receivers still accept it, but senders must no longer send it.
    Retired,
    /// Without a defined meaning: older implementations used the range as they liked.
    Legacy,
    /// Reserved, and not defined.
    Reserved,
    /// For the application to define.
    Application,
    /// For the application to define, but from 100 to 599, so that it looks like the status of an HTTP response.
    HttpStatus,
}

/// A range of codes with one meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CodeRange {
    first: i32,
    last: i32,
    class: CodeClass,
    name: &'static str,
}

impl CodeRange {
    /// The ranges of JSON-RPC 2.0. The narrower ones come first.
    pub(crate) const JSON_RPC: &'static [Self] = &[
        Self::one(-32700, CodeClass::Standard, "Parse error"),
        Self::one(-32600, CodeClass::Standard, "Invalid Request"),
        Self::one(-32601, CodeClass::Standard, "Method not found"),
        Self::one(-32602, CodeClass::Standard, "Invalid params"),
        Self::one(-32603, CodeClass::Standard, "Internal error"),
        Self::new(-32099, -32000, CodeClass::ServerDefined, "Server error"),
        Self::new(-32768, -32000, CodeClass::Reserved, "Reserved"),
    ];

    /// Returns the range of the codes from `first` to `last`, both included.
    #[must_use]
    pub const fn new(first: i32, last: i32, class: CodeClass, name: &'static str) -> Self {
        Self { first, last, class, name }
    }

    /// Returns the range of one code.
    #[must_use]
    pub const fn one(code: i32, class: CodeClass, name: &'static str) -> Self {
        Self::new(code, code, class, name)
    }

    /// Returns the lowest code of the range.
    #[must_use]
    pub const fn first(&self) -> i32 {
        self.first
    }

    /// Returns the highest code of the range.
    #[must_use]
    pub const fn last(&self) -> i32 {
        self.last
    }

    /// Returns the class of the codes.
    #[must_use]
    pub const fn class(&self) -> CodeClass {
        self.class
    }

    /// Returns the name that the specification gives them.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

/// The codes that are looked up before the codes of JSON-RPC.
///
/// Codes that this crate knows are named by a variant, so that a program that never looks up a code links none of the
/// tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Codes {
    /// The codes that the caller lists.
    Own,
    Lsp,
    McpUpTo2025_06_18,
    Mcp2025_11_25,
    McpSince2026_07_28,
}

impl Codes {
    /// Returns the ranges, if this crate knows them. The narrower ones come first.
    pub(crate) const fn known(self) -> Option<&'static [CodeRange]> {
        Some(match self {
            Self::Own => return None,
            Self::Lsp => LSP,
            Self::McpUpTo2025_06_18 => MCP_UP_TO_2025_06_18,
            Self::Mcp2025_11_25 => MCP_2025_11_25,
            Self::McpSince2026_07_28 => MCP_SINCE_2026_07_28,
        })
    }

    /// Returns whether the protocol forbids implementations to send the code (MCP 2026-07-28, basic, error codes).
    ///
    /// The table has the same information, but a session would then link the table.
    pub(crate) const fn forbid(self, code: ErrorCode) -> bool {
        matches!((self, code.0), (Self::McpSince2026_07_28, -32099..=-32023 | -32002))
    }
}

/// The codes that the Language Server Protocol 3.17 adds.
const LSP: &[CodeRange] = &[
    CodeRange::one(-32002, CodeClass::Protocol, "ServerNotInitialized"),
    CodeRange::one(-32001, CodeClass::Protocol, "UnknownErrorCode"),
    CodeRange::one(-32803, CodeClass::Protocol, "RequestFailed"),
    CodeRange::one(-32802, CodeClass::Protocol, "ServerCancelled"),
    CodeRange::one(-32801, CodeClass::Protocol, "ContentModified"),
    CodeRange::one(-32800, CodeClass::Protocol, "RequestCancelled"),
    CodeRange::new(-32899, -32800, CodeClass::Reserved, "Reserved by LSP"),
];

/// The codes that MCP adds: server, resources, error handling.
const MCP_UP_TO_2025_06_18: &[CodeRange] =
    &[CodeRange::one(-32002, CodeClass::Protocol, "Resource not found")];

/// The codes that MCP adds: server, resources, error handling; and client, elicitation, URL mode.
const MCP_2025_11_25: &[CodeRange] = &[
    CodeRange::one(-32002, CodeClass::Protocol, "Resource not found"),
    CodeRange::one(-32042, CodeClass::Protocol, "URL elicitation required"),
];

/// The codes that MCP adds: basic, error codes. They split the range of JSON-RPC's server errors in two.
const MCP_SINCE_2026_07_28: &[CodeRange] = &[
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
    use super::{CodeClass, ErrorCode};

    #[test]
    fn json_rpc_classes_at_every_edge() {
        use CodeClass::{Application, HttpStatus, Reserved, ServerDefined, Standard};
        for (code, class) in [
            (-32769, Application),
            (-32768, Reserved),
            (-32701, Reserved),
            (-32700, Standard),
            (-32699, Reserved),
            (-32604, Reserved),
            (-32603, Standard),
            (-32602, Standard),
            (-32601, Standard),
            (-32600, Standard),
            (-32599, Reserved),
            (-32100, Reserved),
            (-32099, ServerDefined),
            (-32000, ServerDefined),
            (-31999, Application),
            (0, Application),
            (99, Application),
            (100, HttpStatus),
            (404, HttpStatus),
            (599, HttpStatus),
            (600, Application),
            (i64::MIN, Application),
            (i64::MAX, Application),
        ] {
            assert_eq!(ErrorCode::new(code).class(), class, "{code}");
        }
    }
}
