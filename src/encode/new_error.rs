//! Error objects to be written.

use super::Payload;
use crate::json::RawJson;
use crate::rule::ErrorCode;

/// An error object to be written (JSON-RPC 2.0, section 5.1).
///
/// ```
/// use tautline::ErrorCode;
/// use tautline::encode::{Encoder, NewError, Slice};
///
/// let mut room = [0; 128];
/// let mut encoder = Encoder::new(Slice::new(&mut room));
/// let error = NewError::new(ErrorCode::INVALID_PARAMS, "no such file").with_data("a.txt");
/// encoder.error(7, error)?;
/// let line = br#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no such file","data":"a.txt"}}"#;
/// assert_eq!(encoder.output().written().trim_ascii(), line);
/// # Ok::<(), tautline::encode::EncodeError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NewError<'a, D = RawJson<'static>> {
    pub(super) code: ErrorCode,
    pub(super) message: &'a str,
    pub(super) data: Option<D>,
}

impl<D> NewError<'_, D> {
    pub(crate) const fn code(&self) -> ErrorCode {
        self.code
    }
}

impl<'a> NewError<'a> {
    /// Creates an error with this code and a short description for people.
    #[must_use]
    pub const fn new(code: ErrorCode, message: &'a str) -> Self {
        Self { code, message, data: None }
    }

    /// Adds data to the error.
    #[must_use]
    pub fn with_data<D: Payload>(self, data: D) -> NewError<'a, D> {
        self.with_optional_data(Some(data))
    }

    /// Adds data to the error, if there is any.
    #[must_use]
    pub fn with_optional_data<D: Payload>(self, data: Option<D>) -> NewError<'a, D> {
        NewError { code: self.code, message: self.message, data }
    }
}
