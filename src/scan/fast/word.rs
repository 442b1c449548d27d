//! Operations on eight bytes at a time, held in an integer.

use super::Span;

/// Returns a word with `byte` in all eight positions.
const fn repeat(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The highest bit of each byte.
const HIGH: u64 = repeat(0x80);

/// Returns the `N` bytes at `at`, if there are as many. Offsets have 32 bits, so one comparison is enough.
#[inline(always)]
pub(super) fn chunk<const N: usize>(text: &[u8], at: usize) -> Option<&[u8; N]> {
    let at = at & crate::cast::index(u32::MAX);
    text.get(at..at.wrapping_add(N))?.first_chunk()
}

/// Loads eight bytes, the first in the lowest bits. Bytes after the end of the text are NUL, which stops
/// every scan.
#[inline(always)]
pub(super) fn load(text: &[u8], at: usize) -> u64 {
    match chunk::<8>(text, at) {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => load_end(text, at),
    }
}

/// Loads four bytes, the first in the lowest bits.
pub(super) const fn quad(bytes: &[u8; 4]) -> u32 {
    u32::from_le_bytes(*bytes)
}

/// Returns the byte in the lowest bits.
#[inline(always)]
pub(super) const fn byte(word: u64) -> u8 {
    word.to_le_bytes()[0]
}

/// Loads fewer than eight bytes from the end of the text.
#[inline(never)]
fn load_end(text: &[u8], at: usize) -> u64 {
    let left = text.len().saturating_sub(at);
    match text.last_chunk::<8>() {
        // Take the last eight bytes and drop those before `at`.
        Some(last) if left > 0 => {
            let before = u32::try_from(8_usize.wrapping_sub(left)).unwrap_or(0);
            u64::from_le_bytes(*last) >> ((before & 7) << 3)
        }
        _ => {
            let mut bytes = [0; 8];
            crate::bytes::copy(text.get(at..).unwrap_or(b""), &mut bytes);
            u64::from_le_bytes(bytes)
        }
    }
}

/// Marks the highest bit of the first byte that ends a clean stretch of a string: a quote, a backslash or a
/// control character. Marks above the first one are not reliable.
#[inline(always)]
pub(super) const fn special(word: u64) -> u64 {
    // If a byte is smaller than what is subtracted from it, its highest bit becomes 1. Bytes of 0x80 and
    // above are masked out. The borrow never reaches a lower byte.
    let quote = word ^ repeat(b'"');
    let backslash = word ^ repeat(b'\\');
    ((quote.wrapping_sub(repeat(1)) & !quote)
        | (backslash.wrapping_sub(repeat(1)) & !backslash)
        | (word.wrapping_sub(repeat(0x20)) & !word))
        & HIGH
}

/// Like [`special`], but also marks bytes beyond ASCII.
#[inline(always)]
pub(super) const fn special_or_beyond_ascii(word: u64) -> u64 {
    let quote = (word ^ repeat(b'"')).wrapping_sub(repeat(1));
    let backslash = (word ^ repeat(b'\\')).wrapping_sub(repeat(1));
    // The bits that a byte beyond ASCII produces do not matter, since `word` marks it.
    (quote | backslash | word.wrapping_sub(repeat(0x20)) | word) & HIGH
}

/// Marks the highest bit of each byte that is not a digit.
#[inline(always)]
pub(super) const fn not_digit(word: u64) -> u64 {
    // Only digits become 0 to 9, and only those stay below 0x80 when 0x76 is added.
    let value = word ^ repeat(b'0');
    ((value & !HIGH).wrapping_add(repeat(0x76)) | value) & HIGH
}

/// Marks the highest bit of each byte that is not whitespace. With `LINES`, CR and LF are not whitespace.
#[inline(always)]
pub(super) const fn not_space<const LINES: bool>(word: u64) -> u64 {
    let others = differs(word, b' ') & differs(word, b'\t');
    if LINES { others } else { others & differs(word, b'\r') & differs(word, b'\n') }
}

/// Marks the highest bit of each byte that differs from `byte`.
#[inline(always)]
const fn differs(word: u64, byte: u8) -> u64 {
    let other = word ^ repeat(byte);
    ((other & !HIGH).wrapping_add(!HIGH) | other) & HIGH
}

/// Returns the number of bytes before the first mark.
#[inline(always)]
pub(super) const fn before(marks: u64) -> u32 {
    marks.trailing_zeros() >> 3
}

/// Returns whether any of the bytes is beyond ASCII.
#[inline(always)]
pub(super) const fn is_beyond_ascii(word: u64) -> bool {
    word & HIGH != 0
}

/// Returns the first `count` bytes, fewer than eight, with the others set to 0.
#[inline(always)]
pub(super) const fn first(word: u64, count: u32) -> u64 {
    word & !(u64::MAX << ((count & 7) << 3))
}

/// Returns whether a span of a text contains a backslash.
#[inline(always)]
pub(crate) fn has_backslash(text: &[u8], span: Span) -> bool {
    any(text, span, |word| {
        let backslash = word ^ repeat(b'\\');
        backslash.wrapping_sub(repeat(1)) & !backslash & HIGH
    })
}

/// Returns whether a span of a text contains only digits.
#[inline(always)]
pub(crate) fn is_digits(text: &[u8], span: Span) -> bool {
    !any(text, span, not_digit)
}

/// Returns whether any byte in a span of a text is marked.
#[inline(always)]
fn any(text: &[u8], span: Span, marks: impl Fn(u64) -> u64) -> bool {
    let (mut at, end) = (crate::cast::index(span.start()), crate::cast::index(span.end()));
    while at < end {
        let left = u32::try_from(end.wrapping_sub(at)).unwrap_or(u32::MAX);
        let marked = marks(load(text, at));
        if (if left < 8 { first(marked, left) } else { marked }) != 0 {
            return true;
        }
        at = at.wrapping_add(8);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{
        before, is_beyond_ascii, load, not_digit, not_space, special, special_or_beyond_ascii,
    };

    #[test]
    fn behind_the_end_are_nuls() {
        let text: [u8; 20] = core::array::from_fn(|at| at as u8 + 1);
        for length in 0..=text.len() {
            for at in 0..=length + 1 {
                let mut bytes = [0; 8];
                for (byte, there) in bytes.iter_mut().zip(text[..length].iter().skip(at)) {
                    *byte = *there;
                }
                assert_eq!(load(&text[..length], at), u64::from_le_bytes(bytes), "{length} {at}");
            }
        }
    }

    #[test]
    fn every_byte_in_every_place() {
        for byte in 0..=u8::MAX {
            for place in 0..8_u32 {
                let mut bytes = [b'5'; 8];
                bytes[place as usize] = byte;
                let word = u64::from_le_bytes(bytes);
                let is_special = byte < 0x20 || matches!(byte, b'"' | b'\\');
                assert_eq!(special(word) != 0, is_special, "{bytes:?}");
                let or_beyond = special_or_beyond_ascii(word);
                assert_eq!(or_beyond != 0, is_special || !byte.is_ascii(), "{bytes:?}");
                if or_beyond != 0 {
                    assert_eq!(before(or_beyond), place, "{bytes:?}");
                }
                assert_eq!(not_digit(word) != 0, !byte.is_ascii_digit(), "{bytes:?}");
                assert_eq!(is_beyond_ascii(word), !byte.is_ascii(), "{bytes:?}");
                let is_space = matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
                let spaces =
                    u64::from_le_bytes(bytes.map(|byte| if byte == b'5' { b' ' } else { byte }));
                let mark = 0x80 << (8 * place);
                if byte != b'5' {
                    assert_eq!(not_space::<false>(spaces), if is_space { 0 } else { mark });
                    let ends_line = !is_space || matches!(byte, b'\n' | b'\r');
                    assert_eq!(not_space::<true>(spaces), if ends_line { mark } else { 0 });
                }
                if is_special {
                    assert_eq!(before(special(word)), place, "{bytes:?}");
                }
                if !byte.is_ascii_digit() {
                    assert_eq!(not_digit(word), 0x80 << (8 * place), "{bytes:?}");
                }
            }
        }
    }

    #[test]
    fn the_first_special_byte_is_found_before_any_other() {
        for first in 0..8 {
            for second in first..8 {
                for odd in [0, 0x1F, b'"', b'\\'] {
                    let mut bytes = [0xFF; 8];
                    bytes[second] = 0x01;
                    bytes[first] = odd;
                    assert_eq!(before(special(u64::from_le_bytes(bytes))) as usize, first);
                }
            }
        }
    }
}
