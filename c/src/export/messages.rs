//! Whole messages, written into a buffer.

use super::outputs::Room;
use super::profiles::tl_profile;
use super::{constant, done, object};
use crate::abi::{tl_event, tl_out, tl_view};
use crate::reply;

/// Writes a request as a line: `id` and `params` are JSON, and `method` is text in UTF-8. `params` can be NULL.
///
/// Returns 0 or an error. After an error, nothing was written: `TL_ERROR_FULL` (`out->needed` is set), `TL_ERROR_ID`,
/// `TL_ERROR_PARAMS` or `TL_ERROR_RESULT` (not under this profile), `TL_ERROR_JSON` (what is given as JSON is none),
/// `TL_ERROR_UTF8`, `TL_ERROR_NULL`, `TL_ERROR_LENGTH` or `TL_ERROR_STATE`. So do the functions below.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_write_request(
    out: *mut tl_out,
    profile: *const tl_profile,
    id: tl_view,
    method: tl_view,
    params: tl_view,
) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { Room::of(out) }.and_then(|room| {
        // SAFETY: the promises of the caller.
        let (profile, params) = unsafe { (constant(profile)?, room.bytes_if_any(params)?) };
        // SAFETY: the promises of the caller.
        let (id, method) = unsafe { (room.bytes(id)?, room.text(method)?) };
        let written = reply::request(room.free, &profile.0, id, method, params);
        room.commit(written)
    }))
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
    done(unsafe { Room::of(out) }.and_then(|room| {
        // SAFETY: the promises of the caller.
        let (profile, method) = unsafe { (constant(profile)?, room.text(method)?) };
        // SAFETY: the promises of the caller.
        let params = unsafe { room.bytes_if_any(params)? };
        let written = reply::notification(room.free, &profile.0, method, params);
        room.commit(written)
    }))
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
    done(unsafe { Room::of(out) }.and_then(|room| {
        // SAFETY: the promises of the caller.
        let (profile, id, result) =
            unsafe { (constant(profile)?, room.bytes(id)?, room.bytes(result)?) };
        let written = reply::result(room.free, &profile.0, id, result);
        room.commit(written)
    }))
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
    done(unsafe { Room::of(out) }.and_then(|room| {
        // SAFETY: the promises of the caller.
        let (profile, message) = unsafe { (constant(profile)?, room.text(message)?) };
        // SAFETY: the promises of the caller.
        let (id, data) = unsafe { (room.bytes_if_any(id)?, room.bytes_if_any(data)?) };
        let written = reply::error(room.free, &profile.0, id, code, message, data);
        room.commit(written)
    }))
}

/// Writes the reply to a fault as a line, or nothing if no reply is owed. Pass every event of kind `TL_KIND_FAULT` and
/// `TL_KIND_OVERSIZED`. Other events are owed nothing, so they may be passed too.
///
/// If a request of yours with the same id is pending, send nothing: the error would answer it.
///
/// Returns 0, `TL_ERROR_FULL`, `TL_ERROR_NULL`, `TL_ERROR_LENGTH` or `TL_ERROR_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_write_reply(out: *mut tl_out, event: *const tl_event) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { Room::of(out) }.and_then(|room| {
        // SAFETY: the promises of the caller.
        let event = unsafe { object(event.cast_mut())? };
        if event.reply_code == 0 {
            return Ok(());
        }
        // SAFETY: the promises of the caller.
        let id = unsafe { room.bytes_if_any(event.reply_id)? };
        let written = reply::owed(room.free, event.reply_code, id);
        room.commit(written)
    }))
}
