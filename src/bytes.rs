//! Operations on bytes that several stages share, without panics.

use core::cell::Cell;

/// Returns whether the byte is JSON whitespace (RFC 8259, section 2): space, tab, LF or CR.
pub(crate) const fn is_whitespace(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The UTF-8 byte order mark (RFC 8259, section 8.1): parsers may ignore one at the start of a text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// True if speed matters more than code size.
///
/// This is false only on a microcontroller without the feature `fast`, where loops over bytes are plain and
/// compiled once.
pub(crate) const FAST: bool =
    cfg!(any(feature = "fast", not(any(target_os = "none", target_os = "unknown"))));

/// Returns the position of the first `byte`.
///
/// A microcontroller without the feature `fast` gets a plain loop: without vector units the code of `memchr`
/// is several times larger, and saves little next to the scanner.
pub(crate) fn find(byte: u8, bytes: &[u8]) -> Option<usize> {
    if FAST { long::first(byte, bytes) } else { bytes.iter().position(|&other| other == byte) }
}

/// Returns the position of the last `byte`.
#[cfg(feature = "fast")]
pub(crate) fn rfind(byte: u8, bytes: &[u8]) -> Option<usize> {
    long::last(byte, bytes)
}

#[cfg(all(feature = "simd", target_arch = "x86_64", target_feature = "sse2"))]
use crate::scan::find as long;
#[cfg(not(all(feature = "simd", target_arch = "x86_64", target_feature = "sse2")))]
use memchr_as_is as long;

#[cfg(not(all(feature = "simd", target_arch = "x86_64", target_feature = "sse2")))]
mod memchr_as_is {
    pub(super) use memchr::memchr as first;
    #[cfg(feature = "fast")]
    pub(super) use memchr::memrchr as last;
}

/// Splits text at each LF and each CR.
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    core::iter::from_fn(move || {
        let text = rest.take()?;
        let end = if FAST {
            memchr::memchr2(b'\n', b'\r', text)
        } else {
            text.iter().position(|byte| matches!(byte, b'\n' | b'\r'))
        };
        let Some((line, after)) = end.and_then(|end| text.split_at_checked(end)) else {
            return Some(text);
        };
        rest = after.get(1..);
        Some(line)
    })
}

/// Returns the number of bytes before the first one for which `is_such` does not hold.
///
/// A long run is skipped in blocks. Nothing ends the loop over a block early, so compilers vectorise it. A
/// microcontroller gets a plain loop.
#[doc(hidden)]
pub fn run_of(bytes: &[u8], is_such: impl Fn(u8) -> bool) -> usize {
    let mut start = 0;
    if FAST && bytes.iter().take(32).all(|&byte| is_such(byte)) {
        let are_such =
            |block: &&[u8; 64]| block.iter().fold(true, |all, &byte| all & is_such(byte));
        start = bytes.as_chunks().0.iter().take_while(are_such).count().saturating_mul(64);
    }
    let rest = bytes.get(start..).unwrap_or_default();
    let length = rest.iter().position(|&byte| !is_such(byte));
    start = start.saturating_add(length.unwrap_or(rest.len()));
    start
}

/// Returns the position and the length in bytes of the first U+0085, U+2028 or U+2029, where some readers end
/// a line.
pub(crate) fn find_line_separator(text: &[u8]) -> Option<(usize, usize)> {
    let mut from = 0_usize;
    loop {
        let rest = text.get(from..)?;
        let next = if FAST {
            memchr::memchr2(0xC2, 0xE2, rest)
        } else {
            rest.iter().position(|byte| matches!(byte, 0xC2 | 0xE2))
        };
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

/// Returns whether the bytes are all whitespace.
#[cfg_attr(
    all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
    inline(never)
)]
pub(crate) fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| is_whitespace(byte))
}

/// Copies as much as fits. Callers make room for all of it first.
///
/// `copy_from_slice` does the same, but panics if the lengths differ.
#[doc(hidden)]
pub fn copy(from: &[u8], to: &mut [u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

/// Moves everything after the first `from` bytes to the front.
///
/// `copy_within` does the same, but panics if the range is outside the slice.
pub(crate) fn move_to_front(bytes: &mut [u8], from: usize) {
    let cells = Cell::from_mut(bytes).as_slice_of_cells();
    for (to, from) in cells.iter().zip(cells.get(from..).unwrap_or_default()) {
        to.set(from.get());
    }
}

/// Returns the text of bytes that are known to be UTF-8. The impossible error becomes `None`, so that no code
/// for a panic is needed.
pub(crate) const fn as_str(bytes: &[u8]) -> Option<&str> {
    match core::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(_) => None,
    }
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

    /// Runs end before, inside and after blocks.
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
