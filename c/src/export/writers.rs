//! Messages written piece by piece.

use super::outputs::Room;
use super::profiles::tl_profile;
use super::{constant, object, set, status};
use crate::abi::{tl_error, tl_out, tl_type, tl_view, tl_writer};
use crate::reply::{self, Written};
use crate::writer::{self, ALIVE, Around, PLACE};

/// Begins a message at the end of the buffer.
///
/// # Safety
///
/// As for the functions below.
unsafe fn begin(
    writer: *mut tl_writer,
    out: *mut tl_out,
    around: Around,
    outermost: u8,
    head: impl FnOnce(&mut Room<'_>) -> Result<Written, tl_error>,
) -> Result<i32, tl_error> {
    // SAFETY: the promises of the caller.
    let mut room = unsafe { Room::of(out)? };
    let written = head(&mut room)?;
    let Room { out: &mut tl_out { turn, used, .. }, .. } = room;
    let mut new = tl_writer { out, turn, start: used, ..tl_writer::NONE };
    new.begin(written, around, outermost);
    let status = new.status();
    // SAFETY: the promises of the caller.
    unsafe { set(writer, new)? };
    Ok(status)
}

/// Returns the number for C. A message that could not begin is one that can't end, so the writer keeps the error.
fn begun(writer: *mut tl_writer, result: Result<i32, tl_error>) -> i32 {
    if let Err(error) = result {
        let mut failed = tl_writer::NONE;
        failed.fail(error);
        // SAFETY: the promises of the caller of the function that begins.
        let _ = unsafe { set(writer, failed) };
    }
    status(result)
}

/// Begins a request. One value follows, the parameters, then `tl_end`.
///
/// `out` must not move or be used for anything else until then. Of a message without `tl_end`, nothing counts as
/// written.
///
/// Returns 0 or the first error since here, as all functions of a writer do. It is enough to look at that of `tl_end`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_begin_request(
    writer: *mut tl_writer,
    out: *mut tl_out,
    profile: *const tl_profile,
    id: tl_view,
    method: tl_view,
) -> i32 {
    // SAFETY: the promises of the caller.
    begun(writer, unsafe {
        constant(profile).and_then(|profile| {
            let profile = &profile.0;
            begin(writer, out, Around::Message, writer::params(profile), |room| {
                Ok(reply::request(
                    room.free,
                    profile,
                    room.bytes(id)?,
                    room.text(method)?,
                    Some(PLACE),
                ))
            })
        })
    })
}

/// Begins a notification. One value follows, the parameters, then `tl_end`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_begin_notification(
    writer: *mut tl_writer,
    out: *mut tl_out,
    profile: *const tl_profile,
    method: tl_view,
) -> i32 {
    // SAFETY: the promises of the caller.
    begun(writer, unsafe {
        constant(profile).and_then(|profile| {
            let profile = &profile.0;
            begin(writer, out, Around::Message, writer::params(profile), |room| {
                Ok(reply::notification(room.free, profile, room.text(method)?, Some(PLACE)))
            })
        })
    })
}

/// Begins the answer to a request that succeeded. One value follows, the result, then `tl_end`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_begin_result(
    writer: *mut tl_writer,
    out: *mut tl_out,
    profile: *const tl_profile,
    id: tl_view,
) -> i32 {
    // SAFETY: the promises of the caller.
    begun(writer, unsafe {
        constant(profile).and_then(|profile| {
            let profile = &profile.0;
            begin(writer, out, Around::Message, writer::results(profile), |room| {
                Ok(reply::result(room.free, profile, room.bytes(id)?, PLACE))
            })
        })
    })
}

/// Begins the answer to a request that failed. One value follows, the data, then `tl_end`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_begin_error(
    writer: *mut tl_writer,
    out: *mut tl_out,
    profile: *const tl_profile,
    id: tl_view,
    code: i64,
    message: tl_view,
) -> i32 {
    // SAFETY: the promises of the caller.
    begun(writer, unsafe {
        constant(profile).and_then(|profile| {
            begin(writer, out, Around::Error, writer::DATA, |room| {
                let (id, message) = (room.bytes_if_any(id)?, room.text(message)?);
                Ok(reply::error(room.free, &profile.0, id, code, message, Some(PLACE)))
            })
        })
    })
}

/// Applies a step to a writer.
///
/// # Safety
///
/// As for the functions below.
#[inline(never)]
unsafe fn step(writer: *mut tl_writer, step: &mut dyn FnMut(&mut tl_writer, Room<'_>)) -> i32 {
    // SAFETY: the promises of the caller.
    status(unsafe { object(writer) }.and_then(|writer| {
        if writer.magic != ALIVE {
            return Err(tl_error::State);
        }
        if writer.has_not_begun() {
            return Ok(writer.status());
        }
        // SAFETY: the promises of the caller.
        let out = unsafe { object(writer.out)? };
        out.needed = 0;
        if (out.used, out.turn) == (writer.start, writer.turn) {
            // SAFETY: the promises of the caller.
            step(writer, unsafe { Room::again(out)? });
        } else {
            writer.fail(tl_error::Order);
        }
        Ok(writer.status())
    }))
}

/// Applies a step with a text.
///
/// # Safety
///
/// As for the functions below.
unsafe fn step_with(
    writer: *mut tl_writer,
    text: tl_view,
    with: fn(&mut tl_writer, &mut [u8], &str),
) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe {
        step(writer, &mut |writer, room| match room.text(text) {
            Ok(text) => with(writer, room.free, text),
            Err(error) => writer.fail(error),
        })
    }
}

/// Begins an object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_open_object(writer: *mut tl_writer) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe { step(writer, &mut |writer, room| writer.open(room.free, true)) }
}

/// Begins an array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_open_array(writer: *mut tl_writer) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe { step(writer, &mut |writer, room| writer.open(room.free, false)) }
}

/// Ends the object or array that was begun last.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_close(writer: *mut tl_writer) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe { step(writer, &mut |writer, room| writer.close(room.free)) }
}

/// Writes the name of a member, text in UTF-8. Its value comes next. No name may be repeated: that is not checked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_key(writer: *mut tl_writer, name: tl_view) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe { step_with(writer, name, tl_writer::key) }
}

/// Writes a string, from text in UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_put_text(writer: *mut tl_writer, text: tl_view) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe { step_with(writer, text, tl_writer::text) }
}

/// Writes a value that is JSON already, such as a view of an event, on one line.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_put_json(writer: *mut tl_writer, value: tl_view) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe {
        step(writer, &mut |writer, room| match room.bytes(value) {
            Ok(value) => writer.json(room.free, value),
            Err(error) => writer.fail(error),
        })
    }
}

/// Writes an integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_put_int64(writer: *mut tl_writer, value: i64) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe { step(writer, &mut |writer, room| writer.value(room.free, tl_type::Number, value)) }
}

/// Writes an integer that is not negative.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_put_uint64(writer: *mut tl_writer, value: u64) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe { step(writer, &mut |writer, room| writer.value(room.free, tl_type::Number, value)) }
}

/// Writes a number with the fewest digits that read back as the same double. An infinite number and NaN have no form in
/// JSON: `TL_ERROR_RANGE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_put_double(writer: *mut tl_writer, value: f64) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe { step(writer, &mut |writer, room| writer.double(room.free, value)) }
}

/// Writes `false` for 0, and `true` for any other number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_put_bool(writer: *mut tl_writer, value: i32) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe { step(writer, &mut |writer, room| writer.value(room.free, tl_type::Bool, value != 0)) }
}

/// Writes `null`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_put_null(writer: *mut tl_writer) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe { step(writer, &mut |writer, room| writer.value(room.free, tl_type::Null, ())) }
}

/// Ends the message. Only now it counts as written.
///
/// Returns 0, or the first error since the beginning, and then nothing is written. With `TL_ERROR_FULL`, `out->needed`
/// is the length of the message. `TL_ERROR_ORDER` means that something is missing or was in the wrong place,
/// `TL_ERROR_TYPE` that the profile does not allow a value of this type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_end(writer: *mut tl_writer) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe {
        step(writer, &mut |writer, room| {
            let written = writer.end(room.free);
            let _ = room.commit(written);
        })
    }
}
