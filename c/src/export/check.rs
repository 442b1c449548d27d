//! One verdict on one frame.

use core::mem::offset_of;

use tautline::Message;
use tautline::frame::Frame;
use tautline::internal::envelope::outline;

use super::profiles::tl_profile;
use super::{bytes, constant, set, status};
use crate::abi::{TL_ABI, tl_error, tl_event, tl_view};
use crate::event::{self, MEMBERS};

/// Returns the version of the interface that the library has: `TL_ABI` of its header.
#[unsafe(no_mangle)]
pub extern "C" fn tl_abi() -> u32 {
    TL_ABI
}

/// Judges a frame that is one message, such as the body of an HTTP request, and sets `event`. Whitespace around it and
/// line breaks in it are fine.
///
/// Returns the kind of the event, or an error: `TL_ERROR_NULL` or `TL_ERROR_LENGTH`. An empty frame is a fault.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_check(
    profile: *const tl_profile,
    frame: tl_view,
    event: *mut tl_event,
) -> i32 {
    // SAFETY: the promises of the caller.
    status(unsafe { judge(profile, frame, event, Frame::from) })
}

/// Judges a line without its newline, and sets `event`. A raw carriage return in it is a fault under most profiles.
///
/// Returns what `tl_check` does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_check_line(
    profile: *const tl_profile,
    line: tl_view,
    event: *mut tl_event,
) -> i32 {
    // SAFETY: the promises of the caller.
    status(unsafe { judge(profile, line, event, Frame::from_line) })
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
    let (profile, frame) = unsafe { (constant(profile)?, bytes(frame)?) };
    // SAFETY: the promises of the caller.
    unsafe { set(event, tl_event::NONE)? };
    // SAFETY: the pointer was written to, so it is neither NULL nor misaligned, and the event is initialised.
    let event = unsafe { &mut *event };
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
            event.kind = event::put_members(views, frame, outlined).number();
        }
    });
    Ok(event.kind)
}
