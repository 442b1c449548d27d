//! Whole messages, written into a buffer.

use super::profiles::tl_profile;
use super::{buffer, bytes, bytes_if_any, constant, done, object};
use crate::abi::{tl_error, tl_event, tl_out, tl_view};
use crate::reply::{self, Written};

impl tl_out {
    /// Returns the part of the buffer that is free.
    ///
    /// # Safety
    ///
    /// The promises of the caller of the library about the buffer.
    pub(super) unsafe fn free<'a>(&self) -> Result<&'a mut [u8], tl_error> {
        // SAFETY: the promises of the caller.
        let room = unsafe { buffer(self.ptr, self.capacity)? };
        room.get_mut(self.used..).ok_or(tl_error::Length)
    }
}

/// Returns the buffer, and the part of it that is free.
///
/// # Safety
///
/// As for the functions below.
#[inline(never)]
pub(super) unsafe fn room<'a>(
    out: *mut tl_out,
) -> Result<(&'a mut tl_out, &'a mut [u8]), tl_error> {
    // SAFETY: the promises of the caller.
    let out = unsafe { object(out)? };
    // SAFETY: the promises of the caller.
    let room = unsafe { out.free()? };
    Ok((out, room))
}

/// Counts a message as written, if it was.
#[inline(never)]
pub(super) fn commit(out: &mut tl_out, (length, result): Written) -> Result<(), tl_error> {
    out.needed = length;
    if result.is_ok() {
        out.used = out.used.saturating_add(length);
    }
    result
}

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
    done(unsafe { room(out) }.and_then(|(out, room)| {
        // SAFETY: the promises of the caller.
        let (profile, params) = unsafe { (constant(profile)?, bytes_if_any(params)?) };
        // SAFETY: the promises of the caller.
        let (id, method) = unsafe { (bytes(id)?, bytes(method)?) };
        commit(out, reply::request(room, &profile.0, id, method, params))
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
    done(unsafe { room(out) }.and_then(|(out, room)| {
        // SAFETY: the promises of the caller.
        let (profile, method) = unsafe { (constant(profile)?, bytes(method)?) };
        // SAFETY: the promises of the caller.
        let params = unsafe { bytes_if_any(params)? };
        commit(out, reply::notification(room, &profile.0, method, params))
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
    done(unsafe { room(out) }.and_then(|(out, room)| {
        // SAFETY: the promises of the caller.
        let (profile, id, result) = unsafe { (constant(profile)?, bytes(id)?, bytes(result)?) };
        commit(out, reply::result(room, &profile.0, id, result))
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
    done(unsafe { room(out) }.and_then(|(out, room)| {
        // SAFETY: the promises of the caller.
        let (profile, message) = unsafe { (constant(profile)?, bytes(message)?) };
        // SAFETY: the promises of the caller.
        let (id, data) = unsafe { (bytes_if_any(id)?, bytes_if_any(data)?) };
        commit(out, reply::error(room, &profile.0, id, code, message, data))
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
    done(unsafe { object(event.cast_mut()) }.and_then(|event| {
        if event.reply_code == 0 {
            return Ok(());
        }
        // SAFETY: the promises of the caller.
        let id = unsafe { bytes_if_any(event.reply_id)? };
        // SAFETY: the promises of the caller.
        let (out, room) = unsafe { room(out)? };
        commit(out, reply::owed(room, event.reply_code, id))
    }))
}
