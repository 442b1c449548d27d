//! What more than one stage needs to know of single bytes.

use core::cell::Cell;

/// Whether the byte is whitespace to JSON (RFC 8259, section 2): space, tab, LF or CR.
pub(crate) const fn is_whitespace(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The position of the first such byte.
///
/// A microcontroller without vector units gets a plain loop, unless it asks for what is fast: what
/// `memchr` has for such machines is several times as large, and saves little beside the scanner.
pub(crate) fn find(byte: u8, bytes: &[u8]) -> Option<usize> {
    #[cfg(any(feature = "fast", not(target_os = "none")))]
    return memchr::memchr(byte, bytes);
    #[cfg(not(any(feature = "fast", not(target_os = "none"))))]
    bytes.iter().position(|&other| other == byte)
}

/// Whether there is nothing but whitespace.
pub(crate) fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| is_whitespace(byte))
}

/// Copies what fits; callers make room for all of it first.
///
/// `copy_from_slice` says the same with a panic for slices of different lengths.
pub(crate) fn copy(from: &[u8], to: &mut [u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

/// Moves what stands behind so many bytes to the front.
///
/// `copy_within` says the same, with a panic for a range outside of the slice.
pub(crate) fn move_to_front(bytes: &mut [u8], from: usize) {
    let cells = Cell::from_mut(bytes).as_slice_of_cells();
    for (to, from) in cells.iter().zip(cells.get(from..).unwrap_or_default()) {
        to.set(from.get());
    }
}

/// How many bytes of the whole come before a part that was borrowed from it; 0 for any other slice.
pub(crate) fn offset_in(whole: &[u8], part: &[u8]) -> u32 {
    let before = part.as_ptr().addr().checked_sub(whole.as_ptr().addr());
    before.filter(|&before| before <= whole.len()).map_or(0, crate::cast::u32_from)
}
