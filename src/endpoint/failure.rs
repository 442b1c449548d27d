//! Failures of calls.

use core::fmt;

use crate::encode::Draft;
use crate::envelope::Id;
use crate::rule::ErrorCode;

/// The error that answers a call, which a handler returns instead of an answer.
///
/// Its description is a constant. For data, or for a description built at run time, use
/// [`Answer::error`](super::Answer::error).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    pub(super) code: ErrorCode,
    pub(super) message: &'static str,
}

impl Failure {
    /// -32602: the parameters do not fit the method.
    pub const INVALID_PARAMS: Self = Self::new(ErrorCode::INVALID_PARAMS, "Invalid params");

    /// -32603: the receiver failed.
    pub const INTERNAL: Self = Self::new(ErrorCode::INTERNAL_ERROR, "Internal error");

    pub(super) const METHOD_NOT_FOUND: Self =
        Self::new(ErrorCode::METHOD_NOT_FOUND, "Method not found");

    /// Creates a failure with this code and a short description for people.
    #[must_use]
    pub const fn new(code: ErrorCode, message: &'static str) -> Self {
        Self { code, message }
    }

    /// Writes the failure as the answer to the request with this id.
    pub(super) fn write(&self, draft: Draft<'_, '_>, id: Id<'_>) {
        draft.plain_error(id.into(), self.code, self.message);
    }

    /// Returns the error code.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// Returns the description.
    #[must_use]
    pub const fn message(&self) -> &'static str {
        self.message
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message)
    }
}

impl core::error::Error for Failure {}
