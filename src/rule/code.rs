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

    /// Returns the name that JSON-RPC 2.0 gives the code, or the range of codes that contains it.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        Some(match self.0 {
            -32700 => "Parse error",
            -32600 => "Invalid Request",
            -32601 => "Method not found",
            -32602 => "Invalid params",
            -32603 => "Internal error",
            -32099..=-32000 => "Server error",
            -32768..=-32000 => "Reserved",
            _ => return None,
        })
    }

    /// Returns the class of the code in JSON-RPC 2.0. [`Profile::code_class`](crate::Profile::code_class)
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

/// Defines the codes of the Language Server Protocol 3.17, and the function that returns their names.
macro_rules! lsp_codes {
    ($($code:literal $constant:ident $name:literal $summary:literal)*) => {
        /// The codes that the Language Server Protocol 3.17 adds.
        impl ErrorCode {
            $(
                #[doc = concat!($code, ", `", $name, "` in LSP: ", $summary, ".")]
                pub const $constant: Self = Self($code);
            )*

            /// Returns the name that the Language Server Protocol 3.17 gives the code, or else [`name`](Self::name).
            #[must_use]
            pub const fn lsp_name(self) -> Option<&'static str> {
                Some(match self.0 {
                    $($code => $name,)*
                    -32899..=-32800 => "Reserved by LSP",
                    _ => return self.name(),
                })
            }
        }
    };
}

lsp_codes! {
    -32002 SERVER_NOT_INITIALIZED "ServerNotInitialized"
        "the request comes before the session began"
    -32001 UNKNOWN_ERROR_CODE "UnknownErrorCode"
        "the error has no code that is known"
    -32803 REQUEST_FAILED "RequestFailed"
        "the request is valid, and failed"
    -32802 SERVER_CANCELLED "ServerCancelled"
        "the server cancelled a request that allows it"
    -32801 CONTENT_MODIFIED "ContentModified"
        "the document changed, so the result is of no use"
    -32800 REQUEST_CANCELLED "RequestCancelled"
        "the client cancelled the request"
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

/// A range of codes of one class.
///
/// It has no name, because a [`Profile`](crate::Profile) points to its ranges: every program with this profile would link the
/// names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CodeRange {
    first: i32,
    last: i32,
    class: CodeClass,
}

impl CodeRange {
    /// The ranges of JSON-RPC 2.0. The narrower ones come first.
    pub(crate) const JSON_RPC: &'static [Self] = &[
        Self::one(-32700, CodeClass::Standard),
        Self::new(-32603, -32600, CodeClass::Standard),
        Self::new(-32099, -32000, CodeClass::ServerDefined),
        Self::new(-32768, -32000, CodeClass::Reserved),
    ];

    /// Returns the range of the codes from `first` to `last`, both included.
    #[must_use]
    pub const fn new(first: i32, last: i32, class: CodeClass) -> Self {
        Self { first, last, class }
    }

    /// Returns the range of one code.
    #[must_use]
    pub const fn one(code: i32, class: CodeClass) -> Self {
        Self::new(code, code, class)
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
}

/// The codes that the Language Server Protocol 3.17 adds.
pub(crate) const LSP: &[CodeRange] = &[
    CodeRange::new(-32002, -32001, CodeClass::Protocol),
    CodeRange::new(-32803, -32800, CodeClass::Protocol),
    CodeRange::new(-32899, -32800, CodeClass::Reserved),
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

    /// The constants of LSP are its names in another notation, and its profile knows each of them.
    #[test]
    fn codes_of_lsp() {
        for (code, value) in [
            (ErrorCode::SERVER_NOT_INITIALIZED, -32002),
            (ErrorCode::UNKNOWN_ERROR_CODE, -32001),
            (ErrorCode::REQUEST_FAILED, -32803),
            (ErrorCode::SERVER_CANCELLED, -32802),
            (ErrorCode::CONTENT_MODIFIED, -32801),
            (ErrorCode::REQUEST_CANCELLED, -32800),
        ] {
            assert_eq!(code.value(), value);
            assert_ne!(code.lsp_name(), code.name(), "{code}");
            assert_eq!(crate::Profile::LSP.code_class(code), CodeClass::Protocol, "{code}");
        }
    }

    #[test]
    fn names_of_codes_and_ranges() {
        for (code, name, lsp_name) in [
            (-32700, Some("Parse error"), Some("Parse error")),
            (-32601, Some("Method not found"), Some("Method not found")),
            (-32002, Some("Server error"), Some("ServerNotInitialized")),
            (-32099, Some("Server error"), Some("Server error")),
            (-32800, None, Some("RequestCancelled")),
            (-32899, None, Some("Reserved by LSP")),
            (-32900, None, None),
            (-32768, Some("Reserved"), Some("Reserved")),
            (-32769, None, None),
            (7, None, None),
        ] {
            let code = ErrorCode::new(code);
            assert_eq!((code.name(), code.lsp_name()), (name, lsp_name), "{code}");
        }
    }
}
