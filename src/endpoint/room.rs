//! The room for the replies to one frame: a slice, or an output that grows.

use crate::encode::{EncodeError, Ends, Slice};
#[cfg(feature = "alloc")]
use crate::encode::{GrowableOutput, Output, Refused};

/// The end of the reply to a batch.
pub(super) const CLOSE: &[u8] = Ends::BATCH.behind;

/// Without a heap there are only slices, so firmware links nothing more.
#[cfg(not(feature = "alloc"))]
pub(super) type Room<'out> = Slice<'out>;

/// The room for the replies to one frame.
#[cfg(feature = "alloc")]
#[derive(Debug)]
pub(super) enum Room<'out> {
    Fixed(Slice<'out>),
    Growing(Growing<'out>),
}

/// The end of an output that grows. Unless the reply is complete, it is taken back, even if a handler panics.
#[cfg(feature = "alloc")]
pub(super) struct Growing<'out> {
    /// Taken once the reply is complete.
    output: Option<&'out mut dyn GrowableOutput>,
    /// The mark of the output before the reply.
    start: usize,
}

#[cfg(feature = "alloc")]
impl<'out> Growing<'out> {
    /// Completes the reply, and returns it.
    fn complete(mut self) -> Result<&'out [u8], EncodeError> {
        let output = self.output.take().ok_or(EncodeError::Output)?;
        let length = output.mark().saturating_sub(self.start);
        if length > 0
            && let Err(refused) = output.commit()
        {
            output.rewind(self.start);
            return Err(refused.error(length));
        }
        let output: &'out dyn GrowableOutput = output;
        Ok(output.put_since(self.start))
    }
}

#[cfg(feature = "alloc")]
impl Drop for Growing<'_> {
    fn drop(&mut self) {
        if let Some(output) = self.output.take() {
            output.rewind(self.start);
        }
    }
}

#[cfg(feature = "alloc")]
impl core::fmt::Debug for Growing<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Growing").field("start", &self.start).finish_non_exhaustive()
    }
}

#[cfg(feature = "alloc")]
impl<'out> Room<'out> {
    /// Returns the end of an output as room.
    pub(super) fn growing(output: &'out mut dyn GrowableOutput) -> Self {
        let start = output.mark();
        Self::Growing(Growing { output: Some(output), start })
    }

    /// Returns the total size in bytes.
    pub(super) const fn capacity(&self) -> usize {
        match self {
            Self::Fixed(slice) => slice.capacity(),
            Self::Growing(_) => usize::MAX,
        }
    }

    /// Returns the number of bytes at the end that are kept free.
    pub(super) const fn reserved(&self) -> usize {
        match self {
            Self::Fixed(slice) => slice.reserved(),
            Self::Growing(_) => 0,
        }
    }

    /// Keeps this many bytes at the end free. An output that grows has room for everything.
    pub(super) const fn reserve(&mut self, reserved: usize) {
        if let Self::Fixed(slice) = self {
            slice.reserve(reserved);
        }
    }
}

/// The replies are put piece by piece, and committed as a whole.
#[cfg(feature = "alloc")]
impl Output for Room<'_> {
    /// Counted from the start of the reply.
    fn mark(&self) -> usize {
        match self {
            Self::Fixed(slice) => slice.mark(),
            Self::Growing(Growing { output, start }) => {
                output.as_ref().map_or(0, |output| output.mark().saturating_sub(*start))
            }
        }
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        match self {
            Self::Fixed(slice) => slice.put(bytes),
            Self::Growing(Growing { output, .. }) => {
                output.as_mut().map_or(Err(Refused::Failed), |output| output.put(bytes))
            }
        }
    }

    fn rewind(&mut self, mark: usize) {
        match self {
            Self::Fixed(slice) => slice.rewind(mark),
            Self::Growing(Growing { output, start }) => {
                if let Some(output) = output {
                    output.rewind(start.saturating_add(mark));
                }
            }
        }
    }
}

/// Returns a slice as room.
pub(super) const fn fixed(room: &mut [u8]) -> Room<'_> {
    let room = Slice::new(room);
    #[cfg(feature = "alloc")]
    let room = Room::Fixed(room);
    room
}

/// Completes the replies, and returns them.
pub(super) fn complete(room: Room<'_>) -> Result<&[u8], EncodeError> {
    #[cfg(feature = "alloc")]
    let room = match room {
        Room::Fixed(slice) => slice,
        Room::Growing(growing) => {
            return growing.complete();
        }
    };
    Ok(room.into_written())
}
