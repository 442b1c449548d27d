//! Failures of calls.

use core::fmt;

use crate::cast::index;
use crate::encode::{Draft, Payload, object};
#[cfg(feature = "alloc")]
use crate::encode::{EncodeError, Encoder, NewError, NewId, Output, json_text};
use crate::envelope::Id;
#[cfg(feature = "alloc")]
use crate::json::RawJson;
use crate::json::{Expected, Mismatch, Path};
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
#[derive(Clone)]
pub struct Failure {
    code: Packed,
    /// The description. If there is a reason, the name of the parameter.
    message: &'static str,
    /// One pointer, so that a `Result` stays small.
    #[cfg(feature = "alloc")]
    owned: Option<alloc::boxed::Box<Owned>>,
}

/// An error code, or in place of the lowest codes the [reason](Failure::mismatch) why parameters do not fit. Every
/// handler returns space for a failure, so the reason must not make it larger.
#[derive(Clone, Copy)]
struct Packed(i64);

/// The first byte of each reason. The other seven are those of the mismatch.
const REASON: u8 = 0x80;

/// The lowest code. All below it are reasons.
const LOWEST_CODE: i64 = i64::from_be_bytes([REASON, 0, 0, 0, 0, 0, 0, 0]).saturating_add(1 << 56);

/// The description of -32602.
const INVALID_PARAMS: &str = "Invalid params";

const _: () = assert!(
    cfg!(feature = "alloc") || size_of::<Result<(), Failure>>() == 8 + size_of::<&str>(),
    "every handler returns a failure"
);

/// The parts of a failure that were built at run time.
#[cfg(feature = "alloc")]
#[derive(Clone, Default)]
struct Owned {
    message: Option<alloc::string::String>,
    /// The data as JSON, or the reason why it could not be written.
    data: Option<Result<alloc::vec::Vec<u8>, EncodeError>>,
    /// The text of the error of serde, if the parameters do not fit.
    reason: Option<alloc::string::String>,
}

impl Failure {
    /// -32602: the parameters do not fit the method.
    ///
    /// If they do not fit a type, [`Call::param`](crate::Call::param) and the functions beside it return this failure
    /// with the [reason](Self::mismatch).
    pub const INVALID_PARAMS: Self = Self::new(ErrorCode::INVALID_PARAMS, INVALID_PARAMS);

    /// -32603: the receiver failed.
    pub const INTERNAL: Self = Self::new(ErrorCode::INTERNAL_ERROR, "Internal error");

    /// -32601: the method does not exist. [`Methods`](super::Methods) return it.
    pub const METHOD_NOT_FOUND: Self = Self::new(ErrorCode::METHOD_NOT_FOUND, "Method not found");

    /// Creates a failure with this code and a short description for people. A code below -9,151,314,442,816,847,872 is
    /// replaced by this number.
    #[must_use]
    pub const fn new(code: ErrorCode, message: &'static str) -> Self {
        let code = if code.value() < LOWEST_CODE { LOWEST_CODE } else { code.value() };
        Self::packed(code, message)
    }

    /// Creates the failure of parameters that do not fit. The offset of the mismatch is in the frame.
    #[cold]
    #[inline(never)]
    pub(super) const fn of_params(mismatch: Mismatch) -> Self {
        let ([a, b, c, d, e, f, g], member) = mismatch.to_parts();
        Self::packed(i64::from_be_bytes([REASON, a, b, c, d, e, f, g]), member)
    }

    const fn packed(code: i64, message: &'static str) -> Self {
        Self {
            code: Packed(code),
            message,
            #[cfg(feature = "alloc")]
            owned: None,
        }
    }

    /// Adds the text of an error of serde.
    #[cfg(feature = "serde_json")]
    pub(super) fn with_reason(mut self, reason: alloc::string::String) -> Self {
        self.owned.get_or_insert_default().reason = Some(reason);
        self
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

    /// Writes the failure, which [has no reason](Self::forget_reason), as the answer to the request with this id.
    pub(super) fn write(&self, draft: Draft<'_, '_>, id: Id<'_>) {
        let code = self.plain_code();
        #[cfg(feature = "alloc")]
        match self.owned.as_ref().and_then(|owned| owned.data.as_ref()) {
            None => {}
            Some(Err(error)) => return draft.refuse(*error),
            Some(Ok(data)) => {
                let error = NewError::new(code, self.message()).with_data(json(data));
                return draft.error(id.into(), error);
            }
        }
        draft.plain_error(id.into(), code, self.own_message().unwrap_or(self.message));
    }

    /// Returns the code of a failure that [has no reason](Self::forget_reason).
    pub(super) const fn plain_code(&self) -> ErrorCode {
        ErrorCode::new(self.code.0)
    }

    /// Leaves the code and the description of parameters that do not fit. The endpoint does this after it has reported
    /// the reason, so that there is one place to look for it.
    pub(super) const fn forget_reason(&mut self) {
        self.code = Packed(ErrorCode::INVALID_PARAMS.value());
        self.message = INVALID_PARAMS;
    }

    /// Returns the [reason](Self::mismatch) as data, unless the failure has other data.
    pub(super) fn explanation(&self, frame: &[u8], start: u32) -> Option<impl Payload> {
        #[cfg(feature = "alloc")]
        if self.owned.as_ref().is_some_and(|owned| owned.data.is_some()) {
            return None;
        }
        let mismatch = self.mismatch()?;
        // Reading the path from the element on keeps the work for a batch linear.
        let call = frame.get(index(start)..).unwrap_or_default();
        let path = Path::at(call, mismatch.offset().wrapping_sub(start));
        Some(object(move |data| {
            if mismatch.expected() == Expected::PARAMS {
                // What is missing has no place of its own.
                data.member("path", "params");
            } else {
                data.member("path", format_args!("{path}"));
            }
            data.member("offset", mismatch.offset());
            data.member("summary", self.reason());
            if let Some(member) = mismatch.member() {
                data.member("member", member);
            }
            if let Some(index) = mismatch.index() {
                data.member("index", index);
            }
        }))
    }

    /// Returns the error code.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        if self.is_reason() { ErrorCode::INVALID_PARAMS } else { ErrorCode::new(self.code.0) }
    }

    /// Returns whether it is the failure of parameters that do not fit a type.
    pub(super) const fn is_reason(&self) -> bool {
        self.code.0 < LOWEST_CODE
    }

    /// Returns the description.
    #[must_use]
    pub fn message(&self) -> &str {
        let message = if self.is_reason() { INVALID_PARAMS } else { self.message };
        self.own_message().unwrap_or(message)
    }

    /// Returns the description that was built at run time, if there is one.
    #[cfg_attr(not(feature = "alloc"), expect(clippy::unused_self, reason = "there is none"))]
    fn own_message(&self) -> Option<&str> {
        #[cfg(feature = "alloc")]
        return self.owned.as_ref()?.message.as_deref();
        #[cfg(not(feature = "alloc"))]
        None
    }

    /// Returns the reason if the parameters of the call do not fit the type that the handler reads. Its offset is in
    /// the frame.
    ///
    /// An observer [receives it](super::Traffic::InvalidParams), and an endpoint that is
    /// [explaining](super::Endpoint::explaining) adds it to the error. The handler only returns the failure, for example
    /// with `?`.
    ///
    /// # Changes
    ///
    /// With feature `alloc`, a handler can change the failure before it returns it. Another description changes nothing
    /// about the reason. Other data replaces the reason in the error, but not for the observer.
    #[must_use]
    pub const fn mismatch(&self) -> Option<Mismatch> {
        if !self.is_reason() {
            return None;
        }
        let [_, a, b, c, d, e, f, g] = self.code.0.to_be_bytes();
        Some(Mismatch::from_parts([a, b, c, d, e, f, g], self.message))
    }

    /// Returns what is wrong with the parameters, in one line: the text of the error of serde, or what is
    /// [expected](crate::json::Expected::description).
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        let mismatch = self.mismatch()?;
        #[cfg(feature = "alloc")]
        if let Some(reason) = self.owned.as_ref().and_then(|owned| owned.reason.as_ref()) {
            return Some(reason);
        }
        Some(mismatch.expected().description())
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

#[cfg(feature = "alloc")]
impl<O: Output> Encoder<O> {
    /// Writes a failure as the error that answers the request with this id, with its description and its data, and
    /// returns its length in bytes. It is for answers that a handler gives [later](super::Responder::later); an endpoint
    /// writes the failures that handlers return.
    ///
    /// The failure of parameters that do not fit their type is written without its [reason](Failure::mismatch).
    ///
    /// ```
    /// use tautline::ErrorCode;
    /// use tautline::encode::Encoder;
    /// use tautline::endpoint::Failure;
    ///
    /// let busy = Failure::new(ErrorCode::new(17), "busy").with_data([30, 60]);
    /// let mut out = Vec::new();
    /// Encoder::new(&mut out).failure(7, &busy)?;
    /// let line = br#"{"jsonrpc":"2.0","id":7,"error":{"code":17,"message":"busy","data":[30,60]}}"#;
    /// assert_eq!(out.trim_ascii(), line);
    /// # Ok::<(), tautline::encode::EncodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an [`EncodeError`], also if it is the data of the failure that [could not be
    /// written](Failure::with_data): then send an error without it, such as [`Failure::INTERNAL`]. Nothing has been
    /// written, unless it is [`Output`](EncodeError::Output).
    #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
    pub fn failure<'id>(
        &mut self,
        id: impl Into<NewId<'id>>,
        failure: &Failure,
    ) -> Result<usize, EncodeError> {
        let data = failure.owned.as_ref().and_then(|owned| owned.data.as_ref());
        let data = data.map(|data| data.as_ref().map(|data| json(data)).map_err(|error| *error));
        let error = NewError::new(failure.code(), failure.message());
        self.error(id, error.with_optional_data(data.transpose()?))
    }
}

/// Returns a view of data that [`json_text`] has written.
#[cfg(feature = "alloc")]
fn json(data: &[u8]) -> RawJson<'_> {
    RawJson::at(data, Span::new(0, data.len()))
}

/// Two failures are equal if their codes, descriptions, data and reasons are equal.
impl PartialEq for Failure {
    fn eq(&self, other: &Self) -> bool {
        #[cfg(feature = "alloc")]
        let is_same = self.data() == other.data() && self.reason() == other.reason();
        #[cfg(not(feature = "alloc"))]
        let is_same = true;
        is_same
            && self.code() == other.code()
            && self.message() == other.message()
            && self.mismatch() == other.mismatch()
    }
}

impl Eq for Failure {}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("Failure");
        fields.field("code", &self.code()).field("message", &self.message());
        #[cfg(feature = "alloc")]
        fields.field("data", &self.data());
        fields.field("mismatch", &self.mismatch()).finish()
    }
}

/// Writes the description.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl core::error::Error for Failure {}
