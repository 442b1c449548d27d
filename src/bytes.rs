//! What more than one stage asks of bytes or does with them, without a panic.

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
#[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
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

/// The text, where the bytes are known to be UTF-8: `Option` is what is left of the error that can't be,
/// without a panic to say so.
pub(crate) const fn as_str(bytes: &[u8]) -> Option<&str> {
    match core::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(_) => None,
    }
}

/// How many bytes of the whole come before a part that was borrowed from it; 0 for any other slice.
pub(crate) fn offset_in(whole: &[u8], part: &[u8]) -> u32 {
    let before = part.as_ptr().addr().checked_sub(whole.as_ptr().addr());
    before.filter(|&before| before <= whole.len()).map_or(0, crate::cast::u32_from)
}
