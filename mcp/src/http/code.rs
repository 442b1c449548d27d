//! The error codes that 2026-07-28 adds for its headers and metadata (basic, error codes).

use tautline::ErrorCode;

/// -32020: the headers differ from the body, or one is missing or malformed.
pub const HEADER_MISMATCH: ErrorCode = ErrorCode::new(-32020);
/// -32021: the request needs capabilities that the client has not declared.
pub const MISSING_CAPABILITY: ErrorCode = ErrorCode::new(-32021);
/// -32022: the server does not support the version. The data lists those that it does, in `supported`.
pub const UNSUPPORTED_VERSION: ErrorCode = ErrorCode::new(-32022);
