//! What more than one stage needs to know of single bytes.

/// Whether the byte is whitespace to JSON (RFC 8259, section 2): space, tab, LF or CR.
pub(crate) const fn is_whitespace(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
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

/// How many bytes of the whole come before a part that was borrowed from it; 0 for any other slice.
pub(crate) fn offset_in(whole: &[u8], part: &[u8]) -> u32 {
    let before = part.as_ptr().addr().checked_sub(whole.as_ptr().addr());
    before.filter(|&before| before <= whole.len()).map_or(0, crate::cast::u32_from)
}
