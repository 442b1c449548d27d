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

/// Writes one message at the end of the buffer, or nothing.
///
/// # Safety
///
/// As for the functions below.
unsafe fn write(
    out: *mut tl_out,
    put: impl FnOnce(&mut [u8]) -> Result<Written, tl_error>,
) -> Result<(), tl_error> {
    // SAFETY: the promises of the caller.
    let out = unsafe { object(out)? };
    // SAFETY: the promises of the caller.
    let room = unsafe { out.free()? };
    let (length, result) = put(room)?;
    out.needed = length;
    if result.is_ok() {
        out.used = out.used.saturating_add(length);
    }
    result
}

/// Writes a request as a line: `id` and `params` are JSON, and `method` is text in UTF-8. `params` can be NULL.
///
/// Returns 0, or an error, and then nothing is written: `TL_ERROR_FULL` (`out->needed` is set), `TL_ERROR_ID`,
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
    done(unsafe {
        write(out, |room| {
            let (profile, params) = (constant(profile)?, bytes_if_any(params)?);
            Ok(reply::request(room, &profile.0, bytes(id)?, bytes(method)?, params))
        })
    })
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
    done(unsafe {
        write(out, |room| {
            let (profile, params) = (constant(profile)?, bytes_if_any(params)?);
            Ok(reply::notification(room, &profile.0, bytes(method)?, params))
        })
    })
}

/// Writes the answer to a request that succeeded as a line. The id is that of the request, or a copy of it. It is written
/// byte for byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_write_result(
    out: *mut tl_out,
    profile: *const tl_profile,
    id: tl_view,
    result: tl_view,
) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe {
        write(out, |room| {
            Ok(reply::result(room, &constant(profile)?.0, bytes(id)?, bytes(result)?))
        })
    })
}

/// Writes the answer to a request that failed as a line. `message` is text in UTF-8. `data` can be NULL. With an id that is
/// NULL, the error answers no request, which some profiles do not allow.
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
    done(unsafe {
        write(out, |room| {
            let (profile, message) = (constant(profile)?, bytes(message)?);
            let (id, data) = (bytes_if_any(id)?, bytes_if_any(data)?);
            Ok(reply::error(room, &profile.0, id, code, message, data))
        })
    })
}

/// Writes the reply that a fault is owed as a line, or nothing if none is owed: pass every event of kind `TL_KIND_FAULT` and
/// `TL_KIND_OVERSIZED`.
///
/// If a request of yours with the same id is pending, send nothing: the error would answer it.
///
/// Returns 0, `TL_ERROR_FULL`, `TL_ERROR_NULL`, `TL_ERROR_LENGTH` or `TL_ERROR_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_write_reply(out: *mut tl_out, event: *const tl_event) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { constant(event) }.and_then(|event| {
        if event.reply_code == 0 {
            return Ok(());
        }
        // SAFETY: the promises of the caller.
        let id = unsafe { bytes_if_any(event.reply_id)? };
        // SAFETY: the promises of the caller.
        unsafe { write(out, |room| Ok(reply::owed(room, event.reply_code, id))) }
    }))
}
