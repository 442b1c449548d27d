//! Whole messages, written into a buffer.

use tautline::Profile;
use tautline::envelope::ErrorIds;

use super::outputs::{Given, Room};
use super::{constant, done, object};
use crate::abi::{tl_event, tl_out, tl_profile, tl_view};
use crate::reply::{self, Kind};

/// Writes a message of one kind. Shared by all kinds, for size.
///
/// # Safety
///
/// As for the functions below.
#[inline(never)]
unsafe fn write(out: *mut tl_out, profile: *const tl_profile, kind: Kind, given: &Given) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { Room::of(out) }.and_then(|room| {
        // SAFETY: the promises of the caller.
        let (profile, parts) = unsafe { (constant(profile)?, room.parts(given)?) };
        let written = reply::write(room.free, &profile.0, kind, &parts);
        room.commit(Some(profile), written)
    }))
}

/// Writes a request as a line: `id` and `params` are JSON, and `method` is text in UTF-8. `params` can be NULL.
///
/// Returns 0 or an error. After an error, nothing was written: `TL_ERROR_FULL` (`out->needed` is set), `TL_ERROR_ID`,
/// `TL_ERROR_PARAMS` or `TL_ERROR_RESULT` (not under this profile), `TL_ERROR_JSON` (what is given as JSON is none),
/// `TL_ERROR_DEPTH` (arrays and objects of the whole line, its own included, are nested deeper than 127, the limit of
/// the reader: `params` and `result` can have 126 levels, `data` 125, and one less in a batch),
/// `TL_ERROR_UTF8`, `TL_ERROR_OVERLAP`, `TL_ERROR_ORDER` (`out->used` was changed inside a batch), `TL_ERROR_NULL`,
/// `TL_ERROR_LENGTH` or `TL_ERROR_STATE`. The functions below return the same errors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_write_request(
    out: *mut tl_out,
    profile: *const tl_profile,
    id: tl_view,
    method: tl_view,
    params: tl_view,
) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe {
        write(
            out,
            profile,
            reply::request,
            &Given { id, text: method, payload: params, ..Given::NOTHING },
        )
    }
}

/// Writes a notification as a line. `params` can be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_write_notification(
    out: *mut tl_out,
    profile: *const tl_profile,
    method: tl_view,
    params: tl_view,
) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe {
        write(
            out,
            profile,
            reply::notification,
            &Given { text: method, payload: params, ..Given::NOTHING },
        )
    }
}

/// Writes the answer to a request that succeeded as a line. The id is that of the request, or a copy of it. It is
/// written byte for byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_write_result(
    out: *mut tl_out,
    profile: *const tl_profile,
    id: tl_view,
    result: tl_view,
) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe { write(out, profile, reply::result, &Given { id, payload: result, ..Given::NOTHING }) }
}

/// Writes the answer to a request that failed as a line. `message` is text in UTF-8. `data` can be NULL. If the
/// id is NULL, the error answers no request. Some profiles do not allow that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_write_error(
    out: *mut tl_out,
    profile: *const tl_profile,
    id: tl_view,
    code: i64,
    message: tl_view,
    data: tl_view,
) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe {
        write(
            out,
            profile,
            reply::error,
            &Given { id, text: message, code, payload: data, around: 2 },
        )
    }
}

/// Writes the reply to a fault as a line, or nothing if no reply is owed. Pass every event of kind `TL_KIND_FAULT` and
/// `TL_KIND_OVERSIZED`. Other events are owed nothing, so they may be passed too.
///
/// If a request of yours with the same id is pending, send nothing: the error would answer it.
///
/// Returns 0, `TL_ERROR_FULL`, `TL_ERROR_OVERLAP`, `TL_ERROR_ORDER`, `TL_ERROR_NULL`, `TL_ERROR_LENGTH` or
/// `TL_ERROR_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_write_reply(out: *mut tl_out, event: *const tl_event) -> i32 {
    // The profile under which the frame was read has chosen the id.
    static ANY_ID: tl_profile = tl_profile(Profile::JSON_RPC.with_error_ids(ErrorIds::OrNull));
    static NO_ID: tl_profile = tl_profile(Profile::JSON_RPC.with_error_ids(ErrorIds::OrAbsent));
    // SAFETY: the promises of the caller.
    let &mut tl_event { reply_code, reply_id: id, .. } = match unsafe { object(event.cast_mut()) } {
        Ok(event) => event,
        Err(error) => return done(Err(error)),
    };
    if reply_code == 0 {
        // SAFETY: the promises of the caller.
        return done(unsafe { Room::of(out) }.map(|_| ()));
    }
    let profile = if id.ptr.is_null() { &NO_ID } else { &ANY_ID };
    let text = tl_view::of(reply::owed(reply_code).as_bytes());
    let given = Given { id, text, code: reply_code.into(), ..Given::NOTHING };
    // SAFETY: the promises of the caller.
    unsafe { write(out, profile, reply::error, &given) }
}
