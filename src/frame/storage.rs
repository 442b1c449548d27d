//! Storage: where the drivers keep the bytes that must be kept, which the caller lends or gives.

#[cfg(feature = "std")]
use crate::memory::{Retention, USUAL};

/// A place to keep bytes in: a slice, an array or, with `std`, `Growing` memory.
///
/// The trait is sealed: the drivers rely on storage that behaves.
pub trait Storage: sealed::Storage {}

impl<S: sealed::Storage> Storage for S {}

pub(super) mod sealed {
    #[expect(unnameable_types, reason = "that is what seals the trait above")]
    pub trait Storage {
        /// Whether it takes memory when it needs some. Where it doesn't, every frame within the limit has
        /// its room, and what would be done for want of it is not compiled.
        const GROWS: bool = false;

        /// The bytes that can be used now.
        fn bytes(&self) -> &[u8];

        /// The bytes that can be used now, to write to.
        fn bytes_mut(&mut self) -> &mut [u8];

        /// The longest frame it can hold with so many bytes `beside` it.
        fn longest_frame(&self, beside: usize) -> usize;

        /// Makes so many bytes usable, and says whether they are.
        fn reserve(&mut self, len: usize) -> bool;

        /// Takes note of a frame that needed so much of it, in bytes.
        fn note_frame(&mut self, _needed: usize) {}

        /// Gives back memory if there is much more of it than the first so many bytes, which are kept, and it
        /// is not likely to be needed again soon.
        fn release(&mut self, len: usize);
    }
}

impl<const N: usize> sealed::Storage for [u8; N] {
    fn bytes(&self) -> &[u8] {
        self
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        self
    }

    fn longest_frame(&self, beside: usize) -> usize {
        N.saturating_sub(beside)
    }

    fn reserve(&mut self, len: usize) -> bool {
        len <= N
    }

    fn release(&mut self, _len: usize) {}
}

impl sealed::Storage for &mut [u8] {
    fn bytes(&self) -> &[u8] {
        self
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        self
    }

    fn longest_frame(&self, beside: usize) -> usize {
        self.len().saturating_sub(beside)
    }

    fn reserve(&mut self, len: usize) -> bool {
        len <= self.len()
    }

    fn release(&mut self, _len: usize) {}
}

/// Storage on the heap that grows up to a limit, and gives memory back after a giant frame.
///
/// It begins with 64 KiB, whatever the limit, so that readers can read that much at once. If it took more than
/// 256 KiB for a frame, it shrinks to 64 KiB afterwards, or to what is still in use. If another such frame is
/// among the eight that follow, it keeps the memory for more of them until eight others have come in a row.
#[cfg(feature = "std")]
#[cfg_attr(docsrs, doc(cfg(feature = "std")))]
#[derive(Clone, Debug)]
pub struct Growing {
    /// As many as were ever used at once. There may be capacity for more.
    bytes: std::vec::Vec<u8>,
    limit: usize,
    retention: Retention,
}

#[cfg(feature = "std")]
impl Growing {
    /// Storage for frames of at most so many bytes; it takes memory when it needs some.
    #[must_use]
    pub const fn new(limit: u32) -> Self {
        let limit = crate::cast::index(limit);
        Self { bytes: std::vec::Vec::new(), limit, retention: Retention::NEW }
    }
}

#[cfg(feature = "std")]
impl Default for Growing {
    /// Storage for frames of at most [`DEFAULT_LIMIT`](super::DEFAULT_LIMIT) bytes.
    fn default() -> Self {
        Self::new(super::DEFAULT_LIMIT)
    }
}

#[cfg(feature = "std")]
impl sealed::Storage for Growing {
    const GROWS: bool = true;

    fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    fn longest_frame(&self, _beside: usize) -> usize {
        self.limit
    }

    fn reserve(&mut self, len: usize) -> bool {
        let (have, capacity) = (self.bytes.len(), self.bytes.capacity());
        if len <= have {
            return true;
        }
        // A frame and its line end are all that anybody has to hold.
        let most = self.limit.saturating_add(super::buffer::LINE_END);
        if len > most {
            return false;
        }
        if len > capacity {
            // Twice the size each time keeps the copying linear.
            let capacity = len.max(capacity.saturating_mul(2).min(self.limit)).max(USUAL);
            if self.bytes.try_reserve_exact(capacity.saturating_sub(have)).is_err() {
                return false;
            }
        }
        // What is not needed yet is not filled with zeros, and so costs no page faults either.
        self.bytes.resize(len.saturating_add(USUAL).min(self.bytes.capacity()), 0);
        true
    }

    fn note_frame(&mut self, needed: usize) {
        self.retention.note(needed);
    }

    fn release(&mut self, len: usize) {
        if let Some(keep) = self.retention.to_keep(self.bytes.capacity(), len) {
            self.bytes.truncate(keep);
            self.bytes.shrink_to_fit();
        }
    }
}
