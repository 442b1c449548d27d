//! Batches.

use tautline::envelope::BatchIter;

use super::profiles::tl_profile;
use super::{bytes, constant, done, set, status};
use crate::abi::{tl_batch, tl_error, tl_event, tl_view};
use crate::batch;

/// The content of a `tl_batch`.
#[repr(C)]
struct State {
    magic: u32,
    frame: &'static [u8],
    elements: BatchIter<'static>,
}

const ALIVE: u32 = 0x6261_7463;

const _: () = assert!(size_of::<State>() <= size_of::<tl_batch>());
const _: () = assert!(align_of::<State>() <= align_of::<tl_batch>());

/// Begins with the messages of a batch: the `frame` of an event of kind `TL_KIND_BATCH`, and the profile that the frame
/// was judged by. The frame must stay as it is for as long as `batch` and its events are used.
///
/// Returns 0, `TL_ERROR_NULL`, `TL_ERROR_LENGTH`, `TL_ERROR_STATE` (misaligned), or `TL_ERROR_TYPE` (the frame is no
/// batch that the profile allows).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_batch_init(
    batch: *mut tl_batch,
    profile: *const tl_profile,
    frame: tl_view,
) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { begin(batch, profile, frame) })
}

/// # Safety
///
/// As for `tl_batch_init`.
unsafe fn begin(
    batch: *mut tl_batch,
    profile: *const tl_profile,
    frame: tl_view,
) -> Result<(), tl_error> {
    // SAFETY: the promises of the caller. The frame does not live forever, but longer than the batch is used.
    let (profile, frame): (_, &'static [u8]) = unsafe { (constant(profile)?, bytes(frame)?) };
    if batch.is_null() {
        return Err(tl_error::Null);
    }
    if !batch.is_aligned() {
        return Err(tl_error::State);
    }
    let elements = batch::begin(&profile.0, frame)?;
    // SAFETY: the promises of the caller. The state is no larger than a batch, and no more aligned.
    unsafe { set(batch.cast(), State { magic: ALIVE, frame, elements }) }
}

/// Sets `event` to the next message or fault of the batch. Offsets and `frame` are those of the frame of the batch.
///
/// The views of the event live as long as that frame.
///
/// Returns the kind of the event, 0 (`TL_KIND_NOTHING`) after the last one, `TL_ERROR_NULL`, or `TL_ERROR_STATE` (the
/// batch was not initialised).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_batch_next(batch: *mut tl_batch, event: *mut tl_event) -> i32 {
    // SAFETY: the promises of the caller.
    status(unsafe { next(batch, event) })
}

/// # Safety
///
/// As for `tl_batch_next`.
unsafe fn next(batch: *mut tl_batch, event: *mut tl_event) -> Result<i32, tl_error> {
    if batch.is_null() {
        return Err(tl_error::Null);
    }
    let state: *mut State = batch.cast();
    // SAFETY: the pointer is not NULL, and is read only if it is aligned. The number lies within the batch, which the
    // caller has initialised, if only with other values.
    if !batch.is_aligned() || unsafe { (&raw const (*state).magic).read() } != ALIVE {
        return Err(tl_error::State);
    }
    // SAFETY: the promises of the caller.
    unsafe { set(event, tl_event::NONE)? };
    // SAFETY: `tl_batch_init` has initialised the state. The event was just written to.
    let (state, event) = unsafe { (&mut *state, &mut *event) };
    Ok(batch::next(&mut state.elements, state.frame, event))
}
