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

/// How many bytes there are before the first that is not such a byte.
///
/// A long run is passed in blocks, which compilers make vectors of, because nothing ends the loop over one. A
/// microcontroller gets a plain loop.
pub(crate) fn run_of(bytes: &[u8], is_such: impl Fn(u8) -> bool) -> usize {
    let mut start = 0;
    #[cfg(any(feature = "fast", not(target_os = "none")))]
    if bytes.iter().take(32).all(|&byte| is_such(byte)) {
        let are_such =
            |block: &&[u8; 64]| block.iter().fold(true, |all, &byte| all & is_such(byte));
        start = bytes.as_chunks().0.iter().take_while(are_such).count().saturating_mul(64);
    }
    let rest = bytes.get(start..).unwrap_or_default();
    let length = rest.iter().position(|&byte| !is_such(byte));
    start = start.saturating_add(length.unwrap_or(rest.len()));
    start
}

/// The place of the first U+0085, U+2028 or U+2029, where some receivers end a line, and its length in bytes.
pub(crate) fn find_line_separator(text: &[u8]) -> Option<(usize, usize)> {
    let mut from = 0_usize;
    loop {
        let rest = text.get(from..)?;
        #[cfg(any(feature = "fast", not(target_os = "none")))]
        let next = memchr::memchr2(0xC2, 0xE2, rest);
        #[cfg(not(any(feature = "fast", not(target_os = "none"))))]
        let next = rest.iter().position(|byte| matches!(byte, 0xC2 | 0xE2));
        let at = from.saturating_add(next?);
        let length = match text.get(at..)? {
            [0xC2, 0x85, ..] => 2,
            [0xE2, 0x80, 0xA8 | 0xA9, ..] => 3,
            _ => 0,
        };
        if length > 0 {
            return Some((at, length));
        }
        from = at.saturating_add(1);
    }
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

#[cfg(test)]
mod tests {
    use super::{find_line_separator, run_of};

    #[test]
    fn the_first_line_separator_is_found_among_others_like_it() {
        for (text, found) in [
            ("", None),
            ("\u{84}\u{86}\u{C5}\u{2027}\u{202A}\u{20A8}\u{E2}", None),
            ("\u{85}", Some((0, 2))),
            ("\u{2027}a\u{2028}\u{85}", Some((4, 3))),
            ("\u{84}\u{2029}", Some((2, 3))),
        ] {
            assert_eq!(find_line_separator(text.as_bytes()), found, "{text:?}");
        }
        for cut in [&b"\xC2"[..], b"\xE2\x80", b"\xE2\xC2"] {
            assert_eq!(find_line_separator(cut), None);
        }
    }

    /// It ends before, in and behind blocks.
    #[test]
    fn a_run_ends_at_the_first_other_byte() {
        for length in 0..300 {
            let mut bytes = [b'1'; 300];
            assert_eq!(run_of(&bytes[..length], |byte| byte == b'1'), length);
            bytes[length..].fill(b'2');
            assert_eq!(run_of(&bytes, |byte| byte == b'1'), length);
            bytes[length + 1..].fill(b'1');
            assert_eq!(run_of(&bytes, |byte| byte == b'1'), length);
        }
    }
}
