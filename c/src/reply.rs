//! Whole messages, written into a buffer.

use tautline::encode::{EncodeError, NewError, NewId, Slice};
use tautline::internal::encode::{self, Draft};
use tautline::scan::{DEFAULT_MAX_DEPTH, Syntax};
use tautline::{ErrorCode, Id, Profile, RawJson};

use crate::abi::tl_error;

/// The length of a message, and whether it was written.
pub(crate) type Written = (usize, Result<(), tl_error>);

/// The parts of a message. Its kind determines which ones it needs.
pub(crate) struct Parts<'a> {
    pub(crate) id: Option<Id<'a>>,
    /// The method, or the message of an error.
    pub(crate) text: &'a str,
    /// The code of an error.
    pub(crate) code: i64,
    /// The parameters, the result, or the data of an error.
    pub(crate) payload: Option<RawJson<'a>>,
}

/// A kind of message. Each is a function of its own, so that a program links only those that it writes. It returns an
/// error if a part is missing.
pub(crate) type Kind = fn(Draft<'_, '_>, &Parts<'_>) -> Result<(), tl_error>;

/// Writes a message at the front of a buffer.
#[inline(never)]
pub(crate) fn write(room: &mut [u8], profile: &Profile, kind: Kind, parts: &Parts<'_>) -> Written {
    let mut is_whole = Ok(());
    let written = line(room, profile, &mut |draft| is_whole = kind(draft, parts));
    match is_whole {
        Ok(()) => written,
        Err(error) => (0, Err(error)),
    }
}

/// Writes a line at the front of a buffer.
pub(crate) fn line(
    room: &mut [u8],
    profile: &Profile,
    write: &mut dyn FnMut(Draft<'_, '_>),
) -> Written {
    of_encoded(encode::line(&mut Slice::new(room), profile, write))
}

pub(crate) fn request(draft: Draft<'_, '_>, parts: &Parts<'_>) -> Result<(), tl_error> {
    draft.request(NewId::Read(parts.id.ok_or(tl_error::Null)?), parts.text, parts.payload);
    Ok(())
}

pub(crate) fn notification(draft: Draft<'_, '_>, parts: &Parts<'_>) -> Result<(), tl_error> {
    draft.notification(parts.text, parts.payload);
    Ok(())
}

pub(crate) fn result(draft: Draft<'_, '_>, parts: &Parts<'_>) -> Result<(), tl_error> {
    let (id, result) = (parts.id.ok_or(tl_error::Null)?, parts.payload.ok_or(tl_error::Null)?);
    draft.result(NewId::Read(id), result);
    Ok(())
}

/// An error. Without an id, it answers no request.
pub(crate) fn error(draft: Draft<'_, '_>, parts: &Parts<'_>) -> Result<(), tl_error> {
    let code = ErrorCode::new(parts.code);
    let error = NewError::new(code, parts.text).with_optional_data(parts.payload);
    match parts.id {
        Some(id) => draft.error(NewId::Read(id), error),
        None => draft.error_without_id(error),
    }
    Ok(())
}

/// Returns the message of the error that a fault is owed.
pub(crate) fn owed(code: i32) -> &'static str {
    let is_parse_error = i64::from(code) == ErrorCode::PARSE_ERROR.value();
    if is_parse_error { "Parse error" } else { "Invalid Request" }
}

#[inline(never)]
pub(crate) fn of_encoded(encoded: Result<usize, EncodeError>) -> Written {
    let error = match encoded {
        Ok(length) => return (length, Ok(())),
        Err(error) => error,
    };
    match error {
        EncodeError::DoesNotFit { needed, .. } => (needed, Err(tl_error::Full)),
        EncodeError::ParamsType => (0, Err(tl_error::Params)),
        EncodeError::ResultType => (0, Err(tl_error::Result)),
        EncodeError::IdNotAllowed => (0, Err(tl_error::Id)),
        EncodeError::NotFinite => (0, Err(tl_error::Range)),
        _ => (0, Err(tl_error::Json)),
    }
}

/// Reads an id, which may be absent.
pub(crate) fn id(text: Option<&[u8]>) -> Result<Option<Id<'_>>, tl_error> {
    text.map(|text| Id::parse(text).ok_or(tl_error::Id)).transpose()
}

/// Reads a payload, which may be absent, to be written into so many containers.
pub(crate) fn payload(text: Option<&[u8]>, around: u8) -> Result<Option<RawJson<'_>>, tl_error> {
    text.map(|text| json(text, around)).transpose()
}

/// Reads a value, to be written into so many containers. Readers must accept the depth of the whole.
#[inline(never)]
pub(crate) fn json(text: &[u8], around: u8) -> Result<RawJson<'_>, tl_error> {
    RawJson::parse_within(text, DEFAULT_MAX_DEPTH.saturating_sub(around)).map_err(|error| {
        if error.kind() == Syntax::TooDeep { tl_error::Depth } else { tl_error::Json }
    })
}
