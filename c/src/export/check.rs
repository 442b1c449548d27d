//! One verdict on one frame.

use core::mem::offset_of;

use tautline::Message;
use tautline::frame::Frame;
use tautline::internal::envelope::outline;

use super::{constant, empty, input, status};
use crate::abi::{TL_ABI, tl_error, tl_event, tl_profile, tl_view};
use crate::event::{self, MEMBERS};

/// Returns the version of the interface that the library has: `TL_ABI` of its header.
#[unsafe(no_mangle)]
pub extern "C" fn tl_abi() -> u32 {
    TL_ABI
}

/// Judges a frame that is one message, such as the body of an HTTP request, and sets `event`. Whitespace around it and
/// line breaks in it are fine.
///
/// Returns the kind of the event, or an error: `TL_ERROR_NULL`, `TL_ERROR_LENGTH` or `TL_ERROR_STATE` (`event` is
/// misaligned). An empty frame is a fault, and so
/// is one of 4 GiB or more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_check(
    profile: *const tl_profile,
    frame: tl_view,
    event: *mut tl_event,
) -> i32 {
    // SAFETY: the promises of the caller.
    status(unsafe { judge(profile, frame, event, Frame::from) })
}

/// Judges a line without its newline, and sets `event`, as a stream of lines does, except that a stream skips blank
/// lines. A raw carriage return in it is a fault under most profiles.
///
/// Returns what `tl_check` does, or `TL_ERROR_LINE`: a text with a newline is no line, but several.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_check_line(
    profile: *const tl_profile,
    line: tl_view,
    event: *mut tl_event,
) -> i32 {
    // SAFETY: the promises of the caller.
    status(unsafe { input(line) }.and_then(|bytes| {
        if bytes.contains(&b'\n') {
            return Err(tl_error::Line);
        }
        // SAFETY: the promises of the caller.
        unsafe { judge(profile, line, event, Frame::from_line) }
    }))
}

/// Returns the views of members in an event, which follow one another.
///
/// # Safety
///
/// The pointer is that of an event that nothing else uses.
unsafe fn members<'a>(event: *mut tl_event) -> &'a mut [tl_view; MEMBERS] {
    const {
        assert!(
            offset_of!(tl_event, id) + (MEMBERS - 1) * size_of::<tl_view>()
                == offset_of!(tl_event, error_data)
        );
    }
    // SAFETY: a struct that is `repr(C)` has its fields in their order, and the ones from `id` to `error_data` are
    // `MEMBERS` views without a gap.
    unsafe { &mut *event.byte_add(offset_of!(tl_event, id)).cast() }
}

/// # Safety
///
/// As for the functions above.
#[inline(always)]
unsafe fn judge<'a>(
    profile: *const tl_profile,
    frame: tl_view,
    event: *mut tl_event,
    framed: impl FnOnce(&'a [u8]) -> Frame<'a>,
) -> Result<i32, tl_error> {
    // SAFETY: the promises of the caller.
    let (profile, frame) = unsafe { (constant(profile)?, input(frame)?) };
    // SAFETY: the promises of the caller.
    let event = unsafe { empty(event)? };
    #[cfg(feature = "negative-control")]
    #[expect(clippy::indexing_slicing, reason = "to be found")]
    core::hint::black_box(frame[core::hint::black_box(0)]);
    let framed = framed(frame);
    if cfg!(feature = "fast") {
        event::of_verdict(event, frame, &Message::parse(framed, &profile.0));
        return Ok(event.kind);
    }
    // The same, in less code.
    outline(&framed, &profile.0, |outlined| {
        if event::of_outlined(event, frame, outlined) {
            // SAFETY: the pointer is that of the event, of which nothing else is in use here.
            let views = unsafe { members(event) };
            event.kind = event::put_members(views, frame, outlined);
        }
    });
    Ok(event.kind)
}
