//! Batches.

use tautline::envelope::BatchIter;

use super::{can_be_set, constant, done, empty, input, object, set, status};
use crate::abi::{tl_batch, tl_error, tl_event, tl_kind, tl_profile};
use crate::batch::{self, Place};

/// The content of a `tl_batch`.
#[repr(C)]
struct State {
    magic: u32,
    place: Place,
    frame: &'static [u8],
    elements: BatchIter<'static>,
}

const ALIVE: u32 = 0x6261_7463;

const _: () = assert!(size_of::<State>() <= size_of::<tl_batch>());
const _: () = assert!(align_of::<State>() <= align_of::<tl_batch>());

/// Begins with the messages of a batch: an event of kind `TL_KIND_BATCH`, and the profile that its frame was judged by.
/// The frame must stay as it is for as long as `batch` and its events are used: to keep the batch longer than the
/// event, copy the frame, and set `frame` of a copy of the event.
///
/// Returns 0, `TL_ERROR_NULL`, `TL_ERROR_LENGTH`, `TL_ERROR_STATE` (misaligned), or `TL_ERROR_TYPE` (the event is no
/// batch, or the profile does not allow it).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_batch_init(
    batch: *mut tl_batch,
    profile: *const tl_profile,
    event: *const tl_event,
) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { begin(batch, profile, event) })
}

/// # Safety
///
/// As for `tl_batch_init`.
unsafe fn begin(
    batch: *mut tl_batch,
    profile: *const tl_profile,
    event: *const tl_event,
) -> Result<(), tl_error> {
    can_be_set(batch)?;
    // SAFETY: the promises of the caller.
    let (profile, event) = unsafe { (constant(profile)?, object(event.cast_mut())?) };
    if event.kind != tl_kind::Batch.number() {
        return Err(tl_error::Type);
    }
    // SAFETY: the promises of the caller. The frame does not live forever, but longer than the batch is used.
    let frame: &'static [u8] = unsafe { input(event.frame)? };
    let elements = batch::begin(&profile.0, frame)?;
    let place = Place::of(event);
    // SAFETY: the promises of the caller. The state is no larger than a batch, and no more aligned.
    unsafe { set(batch.cast(), State { magic: ALIVE, place, frame, elements }) }
}

/// Sets `event` to the next message or fault of the batch. Its `frame`, `line` and `offset` are those of the batch.
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
    can_be_set(batch)?;
    let state: *mut State = batch.cast();
    // SAFETY: the pointer is neither NULL nor misaligned. The number lies within the batch, which the caller has
    // initialised, if only with other values.
    if unsafe { (&raw const (*state).magic).read() } != ALIVE {
        return Err(tl_error::State);
    }
    // SAFETY: the promises of the caller.
    let event = unsafe { empty(event)? };
    // SAFETY: `tl_batch_init` has initialised the state.
    let state = unsafe { &mut *state };
    Ok(batch::next(&mut state.elements, state.frame, &state.place, event))
}
