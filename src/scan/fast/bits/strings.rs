//! The contents of strings.

/// Masks of the classes of bytes in a block of string contents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Text {
    pub(in super::super) quotes: u64,
    pub(in super::super) backslashes: u64,
    /// Control characters: below 0x20.
    pub(in super::super) controls: u64,
    /// Bytes of 0x80 and above.
    pub(in super::super) beyond_ascii: u64,
    /// The bytes that may follow a backslash, except `u`.
    pub(in super::super) simple: u64,
    /// `u`.
    pub(in super::super) unicode: u64,
}

/// The valid beginning of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Stretch {
    /// The number of valid bytes.
    pub(in super::super) length: u32,
    /// True if the kernel has to stop after them.
    pub(in super::super) is_last: bool,
}

impl Text {
    /// Returns how far the string continues in a block that begins outside an escape: up to its closing quote
    /// or the first invalid byte. The mask of hexadecimal digits is computed only if an escape needs it.
    #[inline(always)]
    pub(in super::super) fn stretch(&self, hex_digits: impl FnOnce() -> u64) -> Stretch {
        if self.backslashes == 0 {
            return Stretch::up_to(self.quotes | self.controls);
        }
        let escaped = escaped(self.backslashes);
        let unicode = self.unicode & escaped;
        let mut with_digits = 0;
        if unicode != 0 {
            let digits = hex_digits();
            with_digits = unicode & digits >> 1 & digits >> 2 & digits >> 3 & digits >> 4;
        }
        let bad_escapes = escaped & !self.simple & !with_digits;
        let stops = self.controls | bad_escapes | self.quotes & !escaped;
        let stretch = Stretch::up_to(stops);
        let first = stops & stops.wrapping_neg();
        if first & escaped != 0 {
            // The stretch ends before the backslash. The digits may continue in the next block.
            let is_cut = first & unicode != 0 && stretch.length >= 60;
            return Stretch { length: stretch.length.wrapping_sub(1), is_last: !is_cut };
        }
        let begins_escape = self.backslashes & !escaped;
        if stops == 0 && begins_escape >> 63 == 1 {
            return Stretch { length: 63, is_last: false };
        }
        stretch
    }

    /// Returns whether any of the first `length` bytes is beyond ASCII.
    #[cfg(feature = "simd")]
    #[inline(always)]
    pub(in super::super) const fn is_beyond_ascii(&self, length: u32) -> bool {
        match length {
            64.. => self.beyond_ascii != 0,
            _ => self.beyond_ascii & !(u64::MAX << length) != 0,
        }
    }
}

impl Stretch {
    /// Returns whether the whole block is valid.
    #[cfg(feature = "simd")]
    #[inline(always)]
    pub(in super::super) const fn is_whole(self) -> bool {
        self.length == 64 && !self.is_last
    }

    #[inline(always)]
    const fn up_to(stops: u64) -> Self {
        Self { length: stops.trailing_zeros(), is_last: stops != 0 }
    }
}

/// Masks of the delimiters in a block: quotes, brackets, and the backslashes that may escape a quote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Delimiters {
    pub(in super::super) quotes: u64,
    pub(in super::super) backslashes: u64,
    /// Opening brackets of one kind.
    pub(in super::super) opening: u64,
    /// Closing brackets of that kind.
    pub(in super::super) closing: u64,
}

impl Delimiters {
    /// Returns the masks without the first `before` bytes.
    pub(in super::super) const fn after(self, before: u32) -> Self {
        Self {
            quotes: self.quotes >> before,
            backslashes: self.backslashes >> before,
            opening: self.opening >> before,
            closing: self.closing >> before,
        }
    }
}

/// The strings of a text, from one block to the next.
#[derive(Debug, Default)]
pub(in super::super) struct Strings {
    /// All ones if the next block begins inside a string.
    inside: u64,
    /// One if the first byte of the next block is escaped.
    carry: u64,
}

impl Strings {
    /// Returns whether the next block begins inside a string, and not inside an escape.
    #[inline(always)]
    pub(in super::super) const fn is_plain(&self) -> bool {
        self.inside != 0 && self.carry == 0
    }

    /// Returns the quotes that begin or end a string, and the bytes of strings with their opening quotes.
    #[inline(always)]
    pub(in super::super) fn next(&mut self, block: &Delimiters) -> (u64, u64) {
        let mut is_escaped = self.carry;
        let backslashes = block.backslashes & !self.carry;
        self.carry = 0;
        if backslashes != 0 {
            let follow = escaped(backslashes);
            is_escaped |= follow;
            self.carry = (backslashes & !follow) >> 63;
        }
        let quotes = block.quotes & !is_escaped;
        // Each bit is the parity of the quotes up to it.
        let mut inside = quotes;
        for distance in [1, 2, 4, 8, 16, 32] {
            inside ^= inside << distance;
        }
        inside ^= self.inside;
        self.inside = 0_u64.wrapping_sub(inside >> 63);
        (quotes, inside)
    }
}

/// Marks the bytes that follow an unescaped backslash, in a block that begins outside an escape.
#[inline(always)]
const fn escaped(backslashes: u64) -> u64 {
    const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
    // Subtracting a run of backslashes from the bit after it borrows along the run and flips every second
    // bit. Which bits flip depends on where the run begins. The XOR with the odd positions cancels that.
    let alternating = (backslashes << 1 | ODD).wrapping_sub(backslashes) ^ ODD;
    alternating ^ backslashes
}

#[cfg(test)]
mod tests {
    use super::super::BLOCK;
    use super::super::one_by_one::{Random, hex_digits, text};
    use super::{Stretch, escaped};
    use std::vec::Vec;

    /// Computes the valid beginning of a block one byte at a time.
    fn text_one_by_one(block: &[u8; BLOCK]) -> Stretch {
        let mut at = 0;
        while at < BLOCK {
            let length = match &block[at..] {
                [b'"', ..] | [0..0x20, ..] => 0,
                [b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 2,
                [b'\\', b'u', digits @ ..] if digits.len() >= 4 => {
                    if digits[..4].iter().all(u8::is_ascii_hexdigit) { 6 } else { 0 }
                }
                [b'\\'] | [b'\\', b'u', ..] => {
                    return Stretch { length: at as u32, is_last: false };
                }
                [b'\\', ..] => 0,
                _ => 1,
            };
            if length == 0 {
                return Stretch { length: at as u32, is_last: true };
            }
            at += length;
        }
        Stretch { length: 64, is_last: false }
    }

    #[test]
    fn backslashes_escape_what_is_behind_them() {
        let mut random = Random(1);
        for _ in 0..100_000 {
            let dense = (random.next() as u64) << 33 ^ random.next() as u64;
            let backslashes = dense | dense << 1 & (random.next() as u64) << 20;
            let mut expected = 0_u64;
            let mut at = 0;
            while at < 63 {
                if backslashes >> at & 1 == 1 {
                    expected |= 1 << (at + 1);
                    at += 1;
                }
                at += 1;
            }
            assert_eq!(escaped(backslashes), expected, "{backslashes:b}");
        }
    }

    #[test]
    fn text_goes_as_far_as_it_does_byte_by_byte() {
        let pieces: &[&[u8]] = &[
            b"a",
            b"bcd",
            b"\\n",
            b"\\\\",
            b"\\\"",
            b"\\u00e9",
            b"\\uD8",
            b"\\x",
            b"\"",
            b"\x1f",
            b"\xC3\xA9",
            b"u1f",
            b"/",
        ];
        let mut random = Random(2);
        for round in 0..200_000 {
            // Stops are rare, so that some blocks have none.
            let kinds = if round % 2 == 0 { 6 } else { pieces.len() };
            let mut bytes = Vec::new();
            while bytes.len() < BLOCK {
                bytes.extend(pieces[random.next() % kinds]);
            }
            let block = bytes.first_chunk().unwrap();
            let stretch = text(block).stretch(|| hex_digits(block));
            assert_eq!(stretch, text_one_by_one(block), "{}", block.escape_ascii());
        }
    }
}
