//! Calls, the methods that answer them, and how a method fails.

use core::fmt;

use super::{Answer, Answered};
use crate::encode::Draft;
use crate::envelope::{ErrorCode, Id};
use crate::json::{RawJson, RawStr};

/// A call that is valid: a request, or a notification.
#[derive(Clone, Copy, Debug)]
pub struct Call<'buf> {
    pub(super) id: Option<Id<'buf>>,
    pub(super) method: RawStr<'buf>,
    pub(super) params: Option<RawJson<'buf>>,
}

impl<'buf> Call<'buf> {
    /// The id to answer to; `None` for a notification, which is not answered.
    #[must_use]
    pub const fn id(&self) -> Option<Id<'buf>> {
        self.id
    }

    /// The method that is called.
    #[must_use]
    pub const fn method(&self) -> RawStr<'buf> {
        self.method
    }

    /// The parameters, if there are any.
    #[must_use]
    pub const fn params(&self) -> Option<RawJson<'buf>> {
        self.params
    }

    /// The parameter of this name or, if parameters were passed by position, at this one, counted
    /// from 0 (JSON-RPC 2.0, section 4.2).
    ///
    /// # Errors
    ///
    /// [`Failure::INVALID_PARAMS`], if it is not there, or if there are two of this name: peers differ
    /// in which of them they believe.
    pub fn param(&self, position: usize, name: &str) -> Result<RawJson<'buf>, Failure> {
        let params = self.params.ok_or(Failure::INVALID_PARAMS)?;
        let param = match params.elements() {
            Some(mut elements) => elements.nth(position),
            None => only_member(params, name),
        };
        param.ok_or(Failure::INVALID_PARAMS)
    }

    /// The parameters, deserialized. If there are none, it is `null` that is deserialized, so that an
    /// `Option` is `None`, and `()` says that there must be none.
    ///
    /// If an object repeats a name, its first member counts, as [`RawJson::deserialize`] has it.
    ///
    /// A `&str` can only be borrowed from text without escapes, so a type with one in it refuses
    /// parameters that are right: `"a\nb"`, or `"/"` from a peer that writes it as `"\/"`. Take a
    /// `String`, or a `Cow<str>` with `#[serde(borrow)]`.
    ///
    /// # Errors
    ///
    /// [`Failure::INVALID_PARAMS`], if they do not fit the type.
    #[cfg(feature = "std")]
    #[cfg_attr(docsrs, doc(cfg(feature = "std")))]
    pub fn params_as<T: serde::Deserialize<'buf>>(&self) -> Result<T, Failure> {
        let Some(params) = self.params else {
            return serde_json::from_str("null").map_err(|_| Failure::INVALID_PARAMS);
        };
        params.deserialize().map_err(|_| Failure::INVALID_PARAMS)
    }
}

/// The value of the member of this name, if there is exactly one.
fn only_member<'buf>(object: RawJson<'buf>, name: &str) -> Option<RawJson<'buf>> {
    let mut members = object.members()?;
    let only = members.next_named(name)?;
    members.next_named(name).is_none().then_some(only)
}

/// What answers the calls of one method: a function of the caller's context and the call.
pub type Handler<C> = fn(&mut C, &Call<'_>, Answer<'_, '_>) -> Result<Answered, Failure>;

/// A method, by its name. Of two with the same name the first is called.
#[derive(Debug)]
pub struct Method<C> {
    pub(super) name: &'static str,
    pub(super) handler: Handler<C>,
    pub(super) is_callable: bool,
}

impl<C> Method<C> {
    /// The method of this name. One that begins with `rpc.` is never called: those names are reserved
    /// (JSON-RPC 2.0, section 4).
    #[must_use]
    pub const fn new(name: &'static str, handler: Handler<C>) -> Self {
        let is_callable = !matches!(name.as_bytes(), [b'r', b'p', b'c', b'.', ..]);
        Self { name, handler, is_callable }
    }

    /// A method of an extension of JSON-RPC, whose name may begin with `rpc.`.
    #[must_use]
    pub const fn extension(name: &'static str, handler: Handler<C>) -> Self {
        Self { name, handler, is_callable: true }
    }

    /// The name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

/// Why a call is answered with an error: what a handler returns instead of an answer.
///
/// Its description is a constant. One that is put together for the occasion, or data, takes
/// [`Answer::error`].
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

    /// A failure of this code, with a short description for people.
    #[must_use]
    pub const fn new(code: ErrorCode, message: &'static str) -> Self {
        Self { code, message }
    }

    /// Writes it as the answer to the request of this id.
    pub(super) fn write(&self, draft: Draft<'_, '_>, id: Id<'_>) {
        draft.plain_error(id.into(), self.code, self.message);
    }

    /// The error code.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// The description.
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
