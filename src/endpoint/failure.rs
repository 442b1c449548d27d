//! Failures of calls.

use core::fmt;

use crate::encode::Draft;
#[cfg(feature = "alloc")]
use crate::encode::{EncodeError, NewError, Payload, json_text};
use crate::envelope::Id;
#[cfg(feature = "alloc")]
use crate::json::RawJson;
use crate::rule::ErrorCode;
#[cfg(feature = "alloc")]
use crate::scan::Span;

/// The error that answers a call, which a handler returns instead of an answer.
///
/// [`new`](Self::new) makes a constant. With feature `alloc`, a failure can have a description built at run
/// time, and data.
///
#[cfg_attr(feature = "alloc", doc = "```")]
#[cfg_attr(not(feature = "alloc"), doc = "```ignore")]
/// use tautline::ErrorCode;
/// use tautline::encode::object;
/// use tautline::endpoint::Failure;
///
/// const BUSY: Failure = Failure::new(ErrorCode::new(17), "busy");
///
/// let busy = BUSY
///     .with_message(format!("{} jobs are waiting", 3))
///     .with_data(object(|data| data.member("retryAfter", 30)));
/// assert_eq!(busy.message(), "3 jobs are waiting");
/// assert_eq!(busy.code(), BUSY.code());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    code: ErrorCode,
    message: &'static str,
    /// One pointer, so that a `Result` stays small.
    #[cfg(feature = "alloc")]
    owned: Option<alloc::boxed::Box<Owned>>,
}

/// The parts of a failure that were built at run time.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Owned {
    message: Option<alloc::string::String>,
    /// The data as JSON, or the reason why it could not be written.
    data: Option<Result<alloc::vec::Vec<u8>, EncodeError>>,
}

impl Failure {
    /// -32602: the parameters do not fit the method.
    pub const INVALID_PARAMS: Self = Self::new(ErrorCode::INVALID_PARAMS, "Invalid params");

    /// -32603: the receiver failed.
    pub const INTERNAL: Self = Self::new(ErrorCode::INTERNAL_ERROR, "Internal error");

    /// -32601: the method does not exist. [`Methods`](super::Methods) return it.
    pub const METHOD_NOT_FOUND: Self = Self::new(ErrorCode::METHOD_NOT_FOUND, "Method not found");

    /// Creates a failure with this code and a short description for people.
    #[must_use]
    pub const fn new(code: ErrorCode, message: &'static str) -> Self {
        Self {
            code,
            message,
            #[cfg(feature = "alloc")]
            owned: None,
        }
    }

    /// Replaces the description.
    #[cfg(feature = "alloc")]
    #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
    #[must_use]
    pub fn with_message(mut self, message: impl Into<alloc::string::String>) -> Self {
        self.owned.get_or_insert_default().message = Some(message.into());
        self
    }

    /// Adds data to the error (JSON-RPC 2.0, section 5.1). The data is written at once, as JSON.
    ///
    /// If it cannot be written, the peer gets -32603, and the observer [receives the
    /// reason](super::Traffic::NotWritten).
    #[cfg(feature = "alloc")]
    #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
    #[must_use]
    pub fn with_data(mut self, data: impl Payload) -> Self {
        self.owned.get_or_insert_default().data = Some(json_text(data));
        self
    }

    /// Writes the failure as the answer to the request with this id.
    pub(super) fn write(&self, draft: Draft<'_, '_>, id: Id<'_>) {
        #[cfg(feature = "alloc")]
        match self.owned.as_ref().and_then(|owned| owned.data.as_ref()) {
            None => {}
            Some(Err(error)) => return draft.refuse(*error),
            Some(Ok(data)) => {
                let data = json(data);
                return draft
                    .error(id.into(), NewError::new(self.code, self.message()).with_data(data));
            }
        }
        draft.plain_error(id.into(), self.code, self.message());
    }

    /// Returns the error code.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// Returns the description.
    #[must_use]
    pub fn message(&self) -> &str {
        #[cfg(feature = "alloc")]
        if let Some(message) = self.owned.as_ref().and_then(|owned| owned.message.as_ref()) {
            return message;
        }
        self.message
    }

    /// Returns the data, if there is any and it could be written.
    #[cfg(feature = "alloc")]
    #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
    #[must_use]
    pub fn data(&self) -> Option<RawJson<'_>> {
        let data = self.owned.as_ref()?.data.as_ref()?.as_ref();
        data.ok().map(|data| json(data))
    }
}

/// Returns a view of data that [`json_text`] has written.
#[cfg(feature = "alloc")]
fn json(data: &[u8]) -> RawJson<'_> {
    RawJson::at(data, Span::new(0, data.len()))
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl core::error::Error for Failure {}
