//! How much memory is kept between giant frames or messages: one policy for all that takes it.

/// The size in bytes that memory comes back to.
pub(crate) const USUAL: usize = 64 * 1024;

/// How much memory may be kept for each byte in use.
const PER_BYTE: usize = 4;

/// How many bytes to keep of so much memory, of which so much is in use; `None` if all of it. Anything
/// less than four times the usual size is not worth growing again.
pub(crate) fn to_keep(memory: usize, in_use: usize) -> Option<usize> {
    let keep = in_use.max(USUAL);
    (memory > keep.saturating_mul(PER_BYTE)).then_some(keep)
}

/// Whether a part of this length is too small for keeping all of the memory that it lies in.
#[cfg(feature = "tokio-util-v0_7")]
pub(crate) fn pins_too_much(memory: usize, length: usize) -> bool {
    memory > length.saturating_mul(PER_BYTE).max(USUAL)
}
