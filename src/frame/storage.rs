//! Storage for the bytes that the drivers must keep, borrowed or owned.

#[cfg(feature = "alloc")]
use crate::memory::{Retention, USUAL};

/// Room for the CR and the LF after a frame that fills the rest of the storage.
pub(super) const LINE_END: usize = 2;

/// The first allocation for the beginning of a frame, in bytes: a short message fits.
#[cfg(feature = "alloc")]
const SMALL: usize = 128;

/// A place to store bytes: a slice, an array, a `heapless::Vec` (feature `heapless-v0_9`) or, with `alloc`, a
/// `HeapBuffer`.
///
/// The trait is sealed, because the drivers rely on correct implementations.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't store frames",
    label = "not a storage",
    note = "use an array `[u8; N]`, a `&mut [u8]` or a `HeapBuffer` (feature `alloc`)"
)]
pub trait Storage: sealed::Storage {}

mod sealed {
    #[expect(unnameable_types, reason = "that is what seals the trait above")]
    pub trait Storage {
        /// True if it allocates memory on demand. If not, every frame within the limit fits, and the code
        /// for running out of memory is not compiled.
        const GROWS: bool = false;

        /// Returns the bytes that can be used now.
        fn bytes(&self) -> &[u8];

        /// Returns the bytes that can be used now, for writing.
        fn bytes_mut(&mut self) -> &mut [u8];

        /// Returns the longest frame that fits together with `beside` other bytes.
        fn longest_frame(&self, beside: usize) -> usize;

        /// Makes this many bytes usable, and returns whether they are.
        fn reserve(&mut self, len: usize) -> bool;

        /// The same for bytes that nothing is read into, so that storage that grows may begin with a small block.
        fn reserve_piece(&mut self, len: usize) -> bool {
            self.reserve(len)
        }

        /// Records that a frame needed this many bytes of it.
        fn note_frame(&mut self, _needed: usize) {}

        /// Releases memory if there is much more of it than the first `len` bytes, which are kept, and it
        /// is not likely to be needed again soon.
        fn release(&mut self, len: usize);
    }
}

impl<const N: usize> Storage for [u8; N] {}

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

impl Storage for &mut [u8] {}

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

/// Storage on the heap that grows up to a limit, and releases memory after a large frame.
///
/// Its first allocation is at least 64 KiB, whatever the limit, so that readers can read that much at once. An
/// [`Assembler`](super::Assembler) does not read into it. There, the first allocation is 128 bytes, so that many
/// streams can wait for the rest of a frame. It quadruples up to 64 KiB. Larger storage doubles as a frame grows.
///
/// If a frame took more than 256 KiB, the storage shrinks to 64 KiB afterwards, or to what is still in use.
/// If another such frame is among the next eight, it keeps the memory until eight smaller ones have come in
/// a row.
///
/// ```
/// use tautline::Profile;
/// use tautline::frame::HeapBuffer;
/// use tautline::stream::MessageStream;
///
/// let mut stream = MessageStream::new(HeapBuffer::new(1024 * 1024), &Profile::JSON_RPC);
/// let mut chunk: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}\n";
/// assert!(stream.next(&mut chunk).is_some());
/// ```
#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
#[derive(Clone)]
pub struct HeapBuffer {
    /// As many bytes as were ever used at once. There may be capacity for more.
    bytes: alloc::vec::Vec<u8>,
    limit: usize,
    retention: Retention,
}

#[cfg(feature = "alloc")]
impl HeapBuffer {
    /// Creates storage for frames of at most this many bytes. It allocates memory on demand.
    #[must_use]
    pub const fn new(limit: u32) -> Self {
        let limit = crate::cast::index(limit);
        Self { bytes: alloc::vec::Vec::new(), limit, retention: Retention::NEW }
    }

    /// Makes this many bytes usable. The first allocation is of at least `least` bytes. Returns whether they are usable.
    fn grow(&mut self, len: usize, mut least: usize) -> bool {
        let (have, capacity) = (self.bytes.len(), self.bytes.capacity());
        if len <= have {
            return true;
        }
        // No driver has to hold more than a frame and its line end.
        let most = self.limit.saturating_add(LINE_END);
        if len > most {
            return false;
        }
        if len > capacity {
            // Quadrupling small blocks and doubling large ones keeps the copying linear.
            while least < len && least < USUAL {
                least = least.saturating_mul(4).min(USUAL);
            }
            let capacity = len.max(capacity.saturating_mul(2).min(self.limit)).max(least);
            if self.bytes.try_reserve_exact(capacity.saturating_sub(have)).is_err() {
                return false;
            }
        }
        // Memory not needed yet is not zeroed, and so causes no page faults.
        self.bytes.resize(len.saturating_add(USUAL).min(self.bytes.capacity()), 0);
        true
    }

    /// Sets another limit. Bytes that are in it already stay.
    #[cfg(feature = "std")]
    pub(crate) const fn set_limit(&mut self, limit: u32) {
        self.limit = crate::cast::index(limit);
    }
}

#[cfg(feature = "alloc")]
impl core::fmt::Debug for HeapBuffer {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("HeapBuffer")
            .field("limit", &self.limit)
            .field("memory", &self.bytes.capacity())
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "alloc")]
impl Default for HeapBuffer {
    /// Creates storage for frames of at most [`DEFAULT_LIMIT`](super::DEFAULT_LIMIT) bytes.
    fn default() -> Self {
        Self::new(super::DEFAULT_LIMIT)
    }
}

#[cfg(feature = "alloc")]
impl Storage for HeapBuffer {}

#[cfg(feature = "alloc")]
impl sealed::Storage for HeapBuffer {
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
        self.grow(len, USUAL)
    }

    fn reserve_piece(&mut self, len: usize) -> bool {
        self.grow(len, SMALL)
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

#[cfg(feature = "heapless-v0_9")]
#[cfg_attr(docsrs, doc(cfg(feature = "heapless-v0_9")))]
impl<const N: usize> Storage for heapless::Vec<u8, N> {}

/// Uses all of its capacity, whatever its length, and overwrites its elements.
#[cfg(feature = "heapless-v0_9")]
impl<const N: usize> sealed::Storage for heapless::Vec<u8, N> {
    fn bytes(&self) -> &[u8] {
        self
    }

    /// Makes the capacity usable first, which zeroes it once.
    fn bytes_mut(&mut self) -> &mut [u8] {
        // The capacity is always enough for itself.
        let _ = self.resize_default(N);
        self
    }

    fn longest_frame(&self, beside: usize) -> usize {
        N.saturating_sub(beside)
    }

    fn reserve(&mut self, len: usize) -> bool {
        self.bytes_mut().len() >= len
    }

    fn release(&mut self, _len: usize) {}
}
