//! Eight bytes at a time, in the bits of an integer.

use super::Span;

/// The same byte eight times.
const fn repeat(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// The highest bit of each byte.
const HIGH: u64 = repeat(0x80);

/// So many bytes of the text, if there are. Offsets have 32 bits, which makes it one comparison.
#[inline(always)]
pub(super) fn chunk<const N: usize>(text: &[u8], at: usize) -> Option<&[u8; N]> {
    let at = at & crate::cast::index(u32::MAX);
    text.get(at..at.wrapping_add(N))?.first_chunk()
}

/// Eight bytes of the text, the first of them in the lowest bits. Behind its end are NULs, which stop
/// whatever is under way.
#[inline(always)]
pub(super) fn load(text: &[u8], at: usize) -> u64 {
    match chunk::<8>(text, at) {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => load_end(text, at),
    }
}

/// Four bytes, the first of them in the lowest bits.
pub(super) const fn quad(bytes: &[u8; 4]) -> u32 {
    u32::from_le_bytes(*bytes)
}

/// The byte in the lowest bits.
#[inline(always)]
pub(super) const fn byte(word: u64) -> u8 {
    word.to_le_bytes()[0]
}

/// Fewer than eight bytes are left.
#[inline(never)]
fn load_end(text: &[u8], at: usize) -> u64 {
    let left = text.len().saturating_sub(at);
    match text.last_chunk::<8>() {
        // The last eight bytes, without those that come before.
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

/// A mark in the highest bit of the first byte that ends what is clean in a string: a quote, a
/// backslash or a control character. Marks above the first one mean nothing.
#[inline(always)]
pub(super) const fn special(word: u64) -> u64 {
    // Where a byte is smaller than what is taken from it, its highest bit becomes 1; that of a byte of
    // 0x80 and above is masked. The borrow reaches no byte below.
    let quote = word ^ repeat(b'"');
    let backslash = word ^ repeat(b'\\');
    ((quote.wrapping_sub(repeat(1)) & !quote)
        | (backslash.wrapping_sub(repeat(1)) & !backslash)
        | (word.wrapping_sub(repeat(0x20)) & !word))
        & HIGH
}

/// The same, and bytes beyond ASCII end it too.
#[inline(always)]
pub(super) const fn special_or_beyond_ascii(word: u64) -> u64 {
    let quote = (word ^ repeat(b'"')).wrapping_sub(repeat(1));
    let backslash = (word ^ repeat(b'\\')).wrapping_sub(repeat(1));
    // What a byte beyond ASCII makes of its place does not matter, as it is marked by itself.
    (quote | backslash | word.wrapping_sub(repeat(0x20)) | word) & HIGH
}

/// A mark in the highest bit of each byte that is no digit.
#[inline(always)]
pub(super) const fn not_digit(word: u64) -> u64 {
    // Digits, and they alone, become 0 to 9, which stays below 0x80 with 0x76 more.
    let value = word ^ repeat(b'0');
    ((value & !HIGH).wrapping_add(repeat(0x76)) | value) & HIGH
}

/// A mark in the highest bit of each byte that is no whitespace, which LF is not in `LINES`.
#[inline(always)]
pub(super) const fn not_space<const LINES: bool>(word: u64) -> u64 {
    let others = differs(word, b' ') & differs(word, b'\t');
    if LINES { others } else { others & differs(word, b'\r') & differs(word, b'\n') }
}

/// A mark in the highest bit of each byte that is not this one.
#[inline(always)]
const fn differs(word: u64, byte: u8) -> u64 {
    let other = word ^ repeat(byte);
    ((other & !HIGH).wrapping_add(!HIGH) | other) & HIGH
}

/// How many bytes come before the first mark.
#[inline(always)]
pub(super) const fn before(marks: u64) -> u32 {
    marks.trailing_zeros() >> 3
}

/// Whether any of the bytes is beyond ASCII.
#[inline(always)]
pub(super) const fn is_beyond_ascii(word: u64) -> bool {
    word & HIGH != 0
}

/// The first so many bytes, fewer than eight; the others are 0.
#[inline(always)]
pub(super) const fn first(word: u64, count: u32) -> u64 {
    word & !(u64::MAX << ((count & 7) << 3))
}

/// Whether there is a backslash in a stretch of a text.
#[inline(always)]
pub(crate) fn has_backslash(text: &[u8], span: Span) -> bool {
    any(text, span, |word| {
        let backslash = word ^ repeat(b'\\');
        backslash.wrapping_sub(repeat(1)) & !backslash & HIGH
    })
}

/// Whether there is nothing but digits in a stretch of a text.
#[inline(always)]
pub(crate) fn is_digits(text: &[u8], span: Span) -> bool {
    !any(text, span, not_digit)
}

/// Whether any byte in a stretch of a text is marked.
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
