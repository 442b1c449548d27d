//! Whole messages, written into a buffer.

use tautline::encode::{EncodeError, Encoder, NewError, NewId, Slice};
use tautline::envelope::ErrorIds;
use tautline::{ErrorCode, Id, Profile, RawJson};

use crate::abi::tl_error;

/// The length of a message, and whether it was written.
pub(crate) type Written = (usize, Result<(), tl_error>);

/// Writes a message at the front of a buffer. Each kind of message is a function of its own, so that a program links
/// only those that it writes.
fn write(
    room: &mut [u8],
    profile: &Profile,
    put: impl FnOnce(&mut Encoder<Slice<'_>>) -> Result<usize, Failed>,
) -> Written {
    match put(&mut Encoder::with_profile(Slice::new(room), profile)) {
        Ok(length) => (length, Ok(())),
        Err(Failed::Encode(error)) => of_encode(error),
        Err(Failed::Input(error)) => (0, Err(error)),
    }
}

pub(crate) fn request(
    room: &mut [u8],
    profile: &Profile,
    id: &[u8],
    method: &str,
    params: Option<&[u8]>,
) -> Written {
    write(room, profile, |encoder| {
        Ok(encoder.request(id_of(id)?, method, payload_if_any(params)?)?)
    })
}

pub(crate) fn notification(
    room: &mut [u8],
    profile: &Profile,
    method: &str,
    params: Option<&[u8]>,
) -> Written {
    write(room, profile, |encoder| Ok(encoder.notification(method, payload_if_any(params)?)?))
}

pub(crate) fn result(room: &mut [u8], profile: &Profile, id: &[u8], result: &[u8]) -> Written {
    write(room, profile, |encoder| Ok(encoder.result(id_of(id)?, payload(result)?)?))
}

/// Writes an error. Without an id, it answers no request.
pub(crate) fn error(
    room: &mut [u8],
    profile: &Profile,
    id: Option<&[u8]>,
    code: i64,
    message: &str,
    data: Option<&[u8]>,
) -> Written {
    match payload_if_any(data) {
        Ok(data) => checked_error(room, profile, id, code, message, data),
        Err(error) => (0, Err(error)),
    }
}

#[inline(never)]
fn checked_error(
    room: &mut [u8],
    profile: &Profile,
    id: Option<&[u8]>,
    code: i64,
    message: &str,
    data: Option<RawJson<'_>>,
) -> Written {
    write(room, profile, |encoder| {
        let error = NewError::new(ErrorCode::new(code), message).with_optional_data(data);
        Ok(match id {
            Some(id) => encoder.error(id_of(id)?, error)?,
            None => encoder.error_without_id(error)?,
        })
    })
}

/// Writes the reply that a fault is owed.
pub(crate) fn owed(room: &mut [u8], code: i32, id: Option<&[u8]>) -> Written {
    // The profile under which the frame was read has chosen the id.
    const ANY_ID: Profile = Profile::JSON_RPC.with_error_ids(ErrorIds::OrNull);
    const NO_ID: Profile = Profile::JSON_RPC.with_error_ids(ErrorIds::OrAbsent);
    let profile = if id.is_some() { &ANY_ID } else { &NO_ID };
    let is_parse_error = i64::from(code) == ErrorCode::PARSE_ERROR.value();
    let message = if is_parse_error { "Parse error" } else { "Invalid Request" };
    checked_error(room, profile, id, code.into(), message, None)
}

enum Failed {
    Input(tl_error),
    Encode(EncodeError),
}

impl From<tl_error> for Failed {
    fn from(error: tl_error) -> Self {
        Self::Input(error)
    }
}

impl From<EncodeError> for Failed {
    fn from(error: EncodeError) -> Self {
        Self::Encode(error)
    }
}

pub(crate) fn of_encode(error: EncodeError) -> Written {
    match error {
        EncodeError::DoesNotFit { needed, .. } => (needed, Err(tl_error::Full)),
        EncodeError::ParamsType => (0, Err(tl_error::Params)),
        EncodeError::ResultType => (0, Err(tl_error::Result)),
        EncodeError::IdNotAllowed => (0, Err(tl_error::Id)),
        EncodeError::NotFinite => (0, Err(tl_error::Range)),
        _ => (0, Err(tl_error::Json)),
    }
}

fn id_of(text: &[u8]) -> Result<NewId<'_>, tl_error> {
    Id::parse(text).map(NewId::Read).ok_or(tl_error::Id)
}

pub(crate) fn payload(text: &[u8]) -> Result<RawJson<'_>, tl_error> {
    RawJson::parse(text).map_err(|_| tl_error::Json)
}

fn payload_if_any(text: Option<&[u8]>) -> Result<Option<RawJson<'_>>, tl_error> {
    text.map(payload).transpose()
}
