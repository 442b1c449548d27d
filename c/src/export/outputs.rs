//! The buffer that messages are appended to, and batches of messages.

use super::{apart, buffer, bytes_if_any, checked, done, object, utf8};
use crate::abi::{tl_error, tl_out, tl_profile, tl_view};
use crate::reply::{self, Parts, Written};

/// A buffer, and the part of it where the next message goes.
pub(super) struct Room<'a> {
    pub(super) out: &'a mut tl_out,
    pub(super) free: &'a mut [u8],
}

/// The parts of a message, as C passes them.
pub(super) struct Given {
    pub(super) id: tl_view,
    pub(super) text: tl_view,
    pub(super) code: i64,
    pub(super) payload: tl_view,
    /// The number of objects of the message around the payload.
    pub(super) around: u8,
}

impl Given {
    /// A message without parts. The text is empty, because it can't be NULL.
    pub(super) const NOTHING: Self = Self {
        id: tl_view::NONE,
        text: tl_view::of(b""),
        code: 0,
        payload: tl_view::NONE,
        around: 1,
    };
}

impl<'a> Room<'a> {
    /// Begins a use of the buffer.
    ///
    /// # Safety
    ///
    /// The promises of the caller of the library about the buffer.
    #[inline(never)]
    pub(super) unsafe fn of(out: *mut tl_out) -> Result<Self, tl_error> {
        // SAFETY: the promises of the caller.
        let out = unsafe { object(out)? };
        out.begin_turn();
        // SAFETY: the promises of the caller.
        unsafe { Self::again(out) }
    }

    /// Continues with a use of the buffer.
    ///
    /// # Safety
    ///
    /// The promises of the caller of the library about the buffer.
    pub(super) unsafe fn again(out: &'a mut tl_out) -> Result<Self, tl_error> {
        // SAFETY: the promises of the caller.
        let all = unsafe { buffer(out.ptr, out.capacity)? };
        let free = out.free(all)?;
        Ok(Self { out, free })
    }

    /// Returns the bytes of an input, or `None` if it is NULL.
    ///
    /// # Safety
    ///
    /// The promises of the caller of the library about views.
    #[inline(never)]
    pub(super) unsafe fn bytes_if_any<'b>(
        &self,
        view: tl_view,
    ) -> Result<Option<&'b [u8]>, tl_error> {
        apart(self.free.as_ptr(), self.free.len(), view)?;
        // SAFETY: the promises of the caller. The bytes are not those that the library writes to.
        unsafe { bytes_if_any(view) }
    }

    /// Returns the bytes of an input that must not be NULL.
    ///
    /// # Safety
    ///
    /// The promises of the caller of the library about views.
    pub(super) unsafe fn bytes<'b>(&self, view: tl_view) -> Result<&'b [u8], tl_error> {
        // SAFETY: the caller has made the same promise.
        unsafe { self.bytes_if_any(view) }?.ok_or(tl_error::Null)
    }

    /// Returns an input that is text.
    ///
    /// # Safety
    ///
    /// The promises of the caller of the library about views.
    #[inline(never)]
    pub(super) unsafe fn text<'b>(&self, view: tl_view) -> Result<&'b str, tl_error> {
        // SAFETY: the caller has made the same promise.
        utf8(unsafe { self.bytes(view)? })
    }

    /// Returns the parts of a message.
    ///
    /// # Safety
    ///
    /// The promises of the caller of the library about views.
    #[inline(never)]
    pub(super) unsafe fn parts<'b>(&self, given: &Given) -> Result<Parts<'b>, tl_error> {
        let around = given.around.saturating_add(self.out.containers());
        // SAFETY: the caller has made the same promise.
        unsafe {
            Ok(Parts {
                id: reply::id(self.bytes_if_any(given.id)?)?,
                text: self.text(given.text)?,
                code: given.code,
                payload: reply::payload(self.bytes_if_any(given.payload)?, around)?,
            })
        }
    }

    /// Counts a message as written, if it was. The checked build looks whether the profile allows it, if there is one.
    pub(super) fn commit(
        self,
        profile: Option<&tl_profile>,
        written: Written,
    ) -> Result<(), tl_error> {
        if let (Some(profile), (length, Ok(()))) = (profile, written) {
            let line = self.free.get(..length).unwrap_or_default();
            checked::written(self.out, line, &profile.0)?;
        }
        self.out.commit(self.free, written)
    }
}

/// Begins a batch. Every message that is written until `tl_end_batch`, in one of the ways below, becomes an element of
/// one array, in one line. To answer a batch, answer each of its requests and write the reply to each of its faults.
///
/// Only `tl_end_batch` counts the batch as used. Until then, don't change `out->used`, `out->ptr` or `out->capacity`.
/// If a message does not fit, the batch fails, even if the message is written again: call `tl_end_batch`, enlarge the
/// buffer, begin the batch again, and write all of its messages again.
///
/// A batch should have either calls
/// or responses, which is not checked. Not every profile allows batches: only the checked build looks.
///
/// Returns 0, `TL_ERROR_ORDER` (a batch has begun already), `TL_ERROR_NULL`, `TL_ERROR_LENGTH` or `TL_ERROR_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_begin_batch(out: *mut tl_out) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { Room::of(out) }.and_then(|room| room.out.begin_batch()))
}

/// Ends the batch, and counts it as used. A batch without messages is nothing, and nothing is written.
///
/// Returns 0, `TL_ERROR_FULL` (a message did not fit, nothing was written, and `out->needed` is the length of the batch
/// with all messages, those that did not fit included), `TL_ERROR_ORDER` (no
/// batch has begun, or `out->used` was changed), `TL_ERROR_NULL`, `TL_ERROR_LENGTH` or `TL_ERROR_STATE`. The batch has
/// ended in any case. A message that failed with another error than `TL_ERROR_FULL` is not in the batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_end_batch(out: *mut tl_out) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { object(out) }.and_then(|out| {
        out.begin_turn();
        // SAFETY: the promises of the caller.
        let all = unsafe { buffer(out.ptr, out.capacity)? };
        out.end_batch(all)
    }))
}
