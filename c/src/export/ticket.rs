//! A number that the checked build keeps in the room of a stream. It shows whether another copy of the stream was used.

use super::apart;
use crate::abi::{tl_error, tl_event, tl_view};

/// The last use of a stream, as the stream knows it, and as it stands in its room. A copy of the stream knows another
/// one.
pub(super) struct Ticket {
    room: *mut u8,
    room_size: usize,
    number: u32,
    is_in_room: bool,
}

impl Ticket {
    const SIZE: usize = size_of::<u32>();

    pub(super) fn new(room: &mut [u8]) -> Self {
        Self { room: room.as_mut_ptr(), room_size: room.len(), number: 0, is_in_room: false }
    }

    fn place(&self) -> *mut u32 {
        self.room.wrapping_add(self.room_size.saturating_sub(Self::SIZE)).cast()
    }

    /// Returns an error if another copy of the stream was used since.
    ///
    /// # Safety
    ///
    /// The room is still there, as the caller of the library has promised.
    pub(super) unsafe fn check(&self) -> Result<(), tl_error> {
        // SAFETY: the room is there, and nothing else uses it now.
        let is_last = !self.is_in_room || unsafe { self.place().read_unaligned() } == self.number;
        if is_last { Ok(()) } else { Err(tl_error::State) }
    }

    /// Returns an error if the input lies in the room.
    pub(super) fn check_input(&self, input: tl_view) -> Result<(), tl_error> {
        apart(self.room, self.room_size, input)
    }

    /// Notes a use of the stream, after which so many bytes of the room are kept, besides those of the event.
    ///
    /// # Safety
    ///
    /// The room is still there, as the caller of the library has promised.
    pub(super) unsafe fn note(&mut self, kept: usize, event: &tl_event) {
        let end = if self.check_input(event.frame).is_err() { event.frame.len } else { kept };
        self.number = self.number.wrapping_add(1);
        self.is_in_room = end.saturating_add(Self::SIZE) <= self.room_size;
        if self.is_in_room {
            // SAFETY: the room is there, and neither the stream nor the event uses its last bytes.
            unsafe { self.place().write_unaligned(self.number) };
        }
    }
}
