//! Messages written piece by piece.

use tautline::Profile;

use super::outputs::{Given, Room};
use super::{checked, constant, object, set, status};
use crate::abi::{tl_error, tl_out, tl_profile, tl_view, tl_writer};
use crate::double::shortest;
use crate::reply::{self, Kind};
use crate::writer::{self, ALIVE, Around, IS_ELEMENT, LONGEST_INTEGER, digits, place};

/// A kind of message that is written piece by piece.
struct Shape {
    kind: Kind,
    /// Returns the types that a profile allows for the outermost value.
    outermost: fn(&Profile) -> u8,
    around: Around,
}

/// Begins a message at the end of the buffer. A message that could not begin is one that can't end, so the writer keeps
/// the error.
///
/// # Safety
///
/// As for the functions below.
#[inline(never)]
unsafe fn begin(
    writer: *mut tl_writer,
    out: *mut tl_out,
    profile: *const tl_profile,
    shape: &Shape,
    given: Given,
) -> i32 {
    // SAFETY: the promises of the caller.
    let new = unsafe { head(out, profile, shape, given) };
    let new = new.unwrap_or_else(|error| {
        let mut failed = tl_writer::NONE;
        failed.fail(error);
        failed
    });
    let status = new.status();
    // SAFETY: the promises of the caller.
    super::status(unsafe { set(writer, new) }.map(|()| status))
}

/// Writes the head of a message.
///
/// # Safety
///
/// As for the functions below.
unsafe fn head(
    out: *mut tl_out,
    profile: *const tl_profile,
    shape: &Shape,
    given: Given,
) -> Result<tl_writer, tl_error> {
    // SAFETY: the promises of the caller.
    let (profile, room) = unsafe { (constant(profile)?, Room::of(out)?) };
    let outermost = (shape.outermost)(&profile.0);
    let given = Given { payload: tl_view::of(place(outermost)), ..given };
    // SAFETY: the promises of the caller.
    let parts = unsafe { room.parts(&given)? };
    let written = reply::write(room.free, &profile.0, shape.kind, &parts);
    let is_element = room.out.containers() > 0;
    let Room { out: &mut tl_out { turn, used, .. }, .. } = room;
    let mut new = tl_writer { out, turn, start: used, ..tl_writer::NONE };
    if checked::IS_ON {
        new.profile = profile;
    }
    new.begin(written, shape.around, outermost);
    if is_element {
        new.outermost |= IS_ELEMENT;
    }
    Ok(new)
}

/// Begins a request. One value follows, the parameters, then `tl_end`.
///
/// `out` must not move or be used for anything else until then: any other call that writes to it, or another
/// `out->used`, ends the message with `TL_ERROR_ORDER`. Of a message without `tl_end`, nothing counts as written, and
/// nothing is left to undo.
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
    const SHAPE: &Shape =
        &Shape { kind: reply::request, outermost: writer::params, around: Around::Message };
    // SAFETY: the promises of the caller.
    unsafe { begin(writer, out, profile, SHAPE, Given { id, text: method, ..Given::NOTHING }) }
}

/// Begins a notification. One value follows, the parameters, then `tl_end`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_begin_notification(
    writer: *mut tl_writer,
    out: *mut tl_out,
    profile: *const tl_profile,
    method: tl_view,
) -> i32 {
    const SHAPE: &Shape =
        &Shape { kind: reply::notification, outermost: writer::params, around: Around::Message };
    // SAFETY: the promises of the caller.
    unsafe { begin(writer, out, profile, SHAPE, Given { text: method, ..Given::NOTHING }) }
}

/// Begins the answer to a request that succeeded. One value follows, the result, then `tl_end`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_begin_result(
    writer: *mut tl_writer,
    out: *mut tl_out,
    profile: *const tl_profile,
    id: tl_view,
) -> i32 {
    const SHAPE: &Shape =
        &Shape { kind: reply::result, outermost: writer::results, around: Around::Message };
    // SAFETY: the promises of the caller.
    unsafe { begin(writer, out, profile, SHAPE, Given { id, ..Given::NOTHING }) }
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
    const SHAPE: &Shape =
        &Shape { kind: reply::error, outermost: writer::data, around: Around::Error };
    // SAFETY: the promises of the caller.
    unsafe {
        begin(writer, out, profile, SHAPE, Given { id, text: message, code, ..Given::NOTHING })
    }
}

/// A step of a writer.
enum Step {
    /// Writes bytes.
    Bytes(fn(&mut tl_writer, &mut [u8], &[u8])),
    /// Writes text.
    Text(fn(&mut tl_writer, &mut [u8], &str)),
    /// Ends the message.
    End,
}

/// Applies a step to a writer. Shared by all steps, for size.
///
/// # Safety
///
/// As for the functions below.
#[inline(never)]
unsafe fn step(writer: *mut tl_writer, input: tl_view, step: Step) -> i32 {
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
        if (out.used, out.turn) != (writer.start, writer.turn) {
            writer.fail(tl_error::Order);
            return Ok(writer.status());
        }
        if checked::IS_ON {
            // A copy of the writer keeps the old number.
            out.turn = out.turn.wrapping_add(1);
            writer.turn = out.turn;
        }
        // SAFETY: the promises of the caller.
        let room = unsafe { Room::again(out)? };
        // SAFETY: the promises of the caller.
        if let Err(error) = unsafe { apply(writer, room, input, step) } {
            writer.fail(error);
        }
        Ok(writer.status())
    }))
}

/// # Safety
///
/// As for the functions below.
unsafe fn apply(
    writer: &mut tl_writer,
    room: Room<'_>,
    input: tl_view,
    step: Step,
) -> Result<(), tl_error> {
    match step {
        // SAFETY: the promises of the caller.
        Step::Bytes(step) => step(writer, room.free, unsafe { room.bytes(input)? }),
        // SAFETY: the promises of the caller.
        Step::Text(step) => step(writer, room.free, unsafe { room.text(input)? }),
        Step::End => {
            let written = writer.end(room.free);
            // SAFETY: the profile is the one that the message was begun with, or NULL.
            let profile = unsafe { writer.profile.as_ref() };
            room.commit(profile, written)?;
        }
    }
    Ok(())
}

/// Begins an object. Objects and arrays begun in this way can have 64 levels: `TL_ERROR_DEPTH`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_open_object(writer: *mut tl_writer) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe { step(writer, tl_view::of(b"{"), Step::Bytes(tl_writer::open)) }
}

/// Begins an array, with the same limit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_open_array(writer: *mut tl_writer) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe { step(writer, tl_view::of(b"["), Step::Bytes(tl_writer::open)) }
}

/// Ends the object or array that was begun last.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_close(writer: *mut tl_writer) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe { step(writer, tl_view::of(b""), Step::Bytes(tl_writer::close)) }
}

/// Writes the name of a member, text in UTF-8. Its value comes next. No name may be repeated: only the checked build
/// looks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_key(writer: *mut tl_writer, name: tl_view) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe { step(writer, name, Step::Text(tl_writer::key)) }
}

/// Writes a string, from text in UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_put_text(writer: *mut tl_writer, text: tl_view) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe { step(writer, text, Step::Text(tl_writer::text)) }
}

/// Writes a value that is JSON already, such as a view of an event, on one line. The whole line can have 127 levels of
/// objects and arrays, its own included: `TL_ERROR_DEPTH`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_put_json(writer: *mut tl_writer, value: tl_view) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe { step(writer, value, Step::Bytes(tl_writer::json)) }
}

/// Writes an integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_put_int64(writer: *mut tl_writer, value: i64) -> i32 {
    let mut room = [0; LONGEST_INTEGER];
    let text = digits(&mut room, value).unwrap_or_default();
    // SAFETY: the promises of the caller.
    unsafe { step(writer, tl_view::of(text), Step::Bytes(tl_writer::scalar)) }
}

/// Writes an integer that is not negative.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_put_uint64(writer: *mut tl_writer, value: u64) -> i32 {
    let mut room = [0; LONGEST_INTEGER];
    let text = digits(&mut room, value).unwrap_or_default();
    // SAFETY: the promises of the caller.
    unsafe { step(writer, tl_view::of(text), Step::Bytes(tl_writer::scalar)) }
}

/// Writes a number with the fewest significant digits that read back as the same double, and always with a fraction or
/// an exponent: 1 is `1.0`. For an integer without one, call `tl_put_int64`. An infinite number and NaN have no form in
/// JSON: `TL_ERROR_RANGE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_put_double(writer: *mut tl_writer, value: f64) -> i32 {
    let mut buffer = zmij::Buffer::new();
    // No text is no number.
    let text = shortest(value, &mut buffer).unwrap_or_default();
    // SAFETY: the promises of the caller.
    unsafe { step(writer, tl_view::of(text.as_bytes()), Step::Bytes(tl_writer::scalar)) }
}

/// Writes `false` for 0, and `true` for any other number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_put_bool(writer: *mut tl_writer, value: i32) -> i32 {
    let text: &[u8] = if value == 0 { b"false" } else { b"true" };
    // SAFETY: the promises of the caller.
    unsafe { step(writer, tl_view::of(text), Step::Bytes(tl_writer::scalar)) }
}

/// Writes `null`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_put_null(writer: *mut tl_writer) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe { step(writer, tl_view::of(b"null"), Step::Bytes(tl_writer::scalar)) }
}

/// Ends the message. Only now it counts as written.
///
/// Returns 0, or the first error since the beginning, and then nothing is written. With `TL_ERROR_FULL`, `out->needed`
/// is the length of the message. `TL_ERROR_ORDER` means that something is missing or was in the wrong place, or that
/// `out` was used for something else. `TL_ERROR_PARAMS` and `TL_ERROR_RESULT` mean that the profile does not allow a
/// value of this type, and `TL_ERROR_STATE` that the writer was never begun.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_end(writer: *mut tl_writer) -> i32 {
    // SAFETY: the promises of the caller.
    unsafe { step(writer, tl_view::NONE, Step::End) }
}
