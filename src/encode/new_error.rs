//! Error objects to be written.

use super::Payload;
use crate::json::RawJson;
use crate::rule::ErrorCode;

/// An error object to be written (JSON-RPC 2.0, section 5.1).
#[derive(Clone, Copy, Debug)]
pub struct NewError<'a, D = RawJson<'static>> {
    pub(super) code: ErrorCode,
    pub(super) message: &'a str,
    pub(super) data: Option<D>,
}

impl<'a> NewError<'a> {
    /// Creates an error with this code and a short description for people.
    #[must_use]
    pub const fn new(code: ErrorCode, message: &'a str) -> Self {
        Self { code, message, data: None }
    }

    /// Creates an error with optional data.
    pub(crate) const fn of<D>(
        code: ErrorCode,
        message: &'a str,
        data: Option<D>,
    ) -> NewError<'a, D> {
        NewError { code, message, data }
    }

    /// Adds data to the error.
    #[must_use]
    pub fn with_data<D: Payload>(self, data: D) -> NewError<'a, D> {
        NewError { code: self.code, message: self.message, data: Some(data) }
    }
}
