//! Blocks of sixty-four bytes on any machine with vectors: the operations that a machine has, and the masks that the
//! scanner computes with them.

use super::bits::{AHEAD, BLOCK, Delimiters};
use super::pairs::{BY_LOWER_HALF, BY_NEXT_BYTE, BY_UPPER_HALF, CONTINUED};

/// A machine with vectors.
///
/// A comparison yields a byte of ones where it holds, and of zeros where it does not.
pub(super) trait Lanes: Copy {
    /// The bytes of a block, in as many vectors as it takes.
    type Bytes: Copy;

    /// The machine that [`wider`](Self::wider) returns.
    type Wider: Lanes;

    /// The number of bytes of a container after which [windows](super::windows) take over: the value with the lowest
    /// cost, because shorter containers end before windows pay off. With the default they never do.
    const PATIENCE: usize = usize::MAX;

    /// Returns the proof that the machine has these vectors, if it does.
    fn detect() -> Option<Self>;

    /// Returns the machine with wider vectors that this one also is, for long stretches. Short messages do not gain by
    /// wider vectors.
    #[inline(always)]
    fn wider(self) -> Option<Self::Wider> {
        None
    }

    /// Returns the machine without wider vectors.
    #[cfg(all(feature = "std", any(test, fuzzing)))]
    fn narrow(self) -> Self {
        self
    }

    /// Runs the closure in a function of its own, which is compiled for this machine.
    fn apart<R>(self, work: impl FnOnce() -> R) -> R;

    /// Runs the closure in a function that is compiled for this machine. The token scanner inlines it where it is
    /// compiled for the machine, too. Elsewhere, each instruction outside of such a function would be a call.
    #[inline(always)]
    fn compiled<R>(self, work: impl FnOnce() -> R) -> R {
        work()
    }

    fn load(self, block: &[u8; BLOCK]) -> Self::Bytes;

    fn and(self, one: Self::Bytes, other: Self::Bytes) -> Self::Bytes;

    fn or(self, one: Self::Bytes, other: Self::Bytes) -> Self::Bytes;

    fn xor(self, one: Self::Bytes, other: Self::Bytes) -> Self::Bytes;

    fn same(self, one: Self::Bytes, other: Self::Bytes) -> Self::Bytes;

    fn splat(self, byte: u8) -> Self::Bytes;

    /// Subtracts from each byte, down to 0.
    fn less(self, bytes: Self::Bytes, byte: u8) -> Self::Bytes;

    /// Finds the bytes below this one, which is in ASCII, and the bytes beyond ASCII.
    fn below_or_beyond_ascii(self, bytes: Self::Bytes, byte: u8) -> Self::Bytes;

    /// Returns the upper half of each byte.
    fn upper(self, bytes: Self::Bytes) -> Self::Bytes;

    /// Looks up bytes by their lower halves. A byte beyond ASCII may yield 0.
    fn look_up(self, table: &[u8; 16], bytes: Self::Bytes) -> Self::Bytes;

    /// Returns one bit for each byte of the results of a comparison.
    fn mask(self, found: Self::Bytes) -> u64;

    /// Returns one of the bits of each byte.
    fn bit<const BIT: u32>(self, bytes: Self::Bytes) -> u64;

    fn are_zero(self, bytes: Self::Bytes) -> bool;

    /// Prefetches the bytes at an offset. Most machines prefetch sequential text by themselves.
    #[inline(always)]
    fn prefetch(self, bytes: &[u8], at: usize) {
        let _ = (bytes, at);
    }

    /// Prefetches four blocks for a loop that has reached `at` and scans four at once. Such loops wait for memory most,
    /// and fetch twice as far ahead as others.
    #[inline(always)]
    fn prefetch_four(self, bytes: &[u8], at: usize) {
        for ahead in [0, BLOCK, 2 * BLOCK, 3 * BLOCK] {
            self.prefetch(bytes, at.wrapping_add(2 * AHEAD).wrapping_add(ahead));
        }
    }

    /// Returns whether the machine gathers bits fast.
    #[inline(always)]
    fn gathers(self) -> bool {
        false
    }

    /// Moves the bits at these places together, to the lowest places, if the machine [gathers](Self::gathers) bits.
    #[inline(always)]
    fn gather(self, bits: u64, places: u64) -> u64 {
        let _ = (bits, places);
        0
    }

    /// Marks the places with an odd number of bits up to and including them.
    #[inline(always)]
    fn parity(self, bits: u64) -> u64 {
        [1, 2, 4, 8, 16, 32].into_iter().fold(bits, |bits, distance| bits ^ bits << distance)
    }

    #[inline(always)]
    fn is(self, bytes: Self::Bytes, byte: u8) -> Self::Bytes {
        self.same(bytes, self.splat(byte))
    }

    /// Finds digits. The table has each at its lower half.
    #[inline(always)]
    fn digit(self, bytes: Self::Bytes) -> Self::Bytes {
        self.same(self.look_up(b"0123456789\0\0\0\0\0\0", bytes), bytes)
    }

    /// Finds quotes and backslashes.
    #[inline(always)]
    fn delimiter(self, bytes: Self::Bytes) -> Self::Bytes {
        self.or(self.is(bytes, b'"'), self.is(bytes, b'\\'))
    }

    #[inline(always)]
    fn equal(self, block: &[u8; BLOCK], byte: u8) -> u64 {
        self.mask(self.is(self.load(block), byte))
    }

    #[inline(always)]
    fn quotes(self, block: &[u8; BLOCK]) -> u64 {
        self.equal(block, b'"')
    }

    #[inline(always)]
    fn beyond_ascii(self, block: &[u8; BLOCK]) -> u64 {
        self.bit::<7>(self.load(block))
    }

    /// Marks what is not plain in a string: backslashes, control characters and bytes beyond ASCII.
    #[inline(always)]
    fn uncommon(self, block: &[u8; BLOCK]) -> u64 {
        let bytes = self.load(block);
        self.mask(self.or(self.is(bytes, b'\\'), self.below_or_beyond_ascii(bytes, b' ')))
    }

    /// Returns whether the bytes are plain in a string, and in ASCII.
    #[inline(always)]
    fn is_plain(self, blocks: &[[u8; BLOCK]; 4]) -> bool {
        let mut others = self.splat(0);
        for block in blocks {
            let bytes = self.load(block);
            let other = self.or(self.delimiter(bytes), self.below_or_beyond_ascii(bytes, b' '));
            others = self.or(others, other);
        }
        self.are_zero(others)
    }

    #[inline(always)]
    fn has_control(self, block: &[u8; BLOCK]) -> bool {
        let bytes = self.load(block);
        !self.are_zero(self.same(self.less(bytes, 0x1F), self.splat(0)))
    }

    #[inline(always)]
    fn has_control_or_beyond_ascii(self, block: &[u8; BLOCK]) -> bool {
        !self.are_zero(self.below_or_beyond_ascii(self.load(block), b' '))
    }

    /// Marks the bytes that may follow a backslash, except `u`. Most are looked up by their lower halves.
    #[inline(always)]
    fn simple_escapes(self, block: &[u8; BLOCK]) -> u64 {
        // No byte with these lower halves is 0xFF.
        const NONE: u8 = 0xFF;
        let table = [
            NONE, NONE, b'b', NONE, b't', NONE, b'f', NONE, NONE, NONE, NONE, NONE, b'\\', NONE,
            b'n', b'/',
        ];
        let bytes = self.load(block);
        let found = self.same(self.look_up(&table, bytes), bytes);
        self.mask(self.or(found, self.or(self.is(bytes, b'"'), self.is(bytes, b'r'))))
    }

    #[inline(always)]
    fn hex_digits(self, block: &[u8; BLOCK]) -> u64 {
        let bytes = self.load(block);
        let lower = self.or(bytes, self.splat(b' '));
        let letters = self.same(self.look_up(b"\0abcdef\0\0\0\0\0\0\0\0\0", bytes), lower);
        self.mask(self.or(self.digit(bytes), letters))
    }

    /// Returns whether each character that ends in the block, or is cut off in it by another byte, is valid UTF-8. The
    /// second argument has the 64 bytes that begin one byte before the block, then two, then three.
    #[inline(always)]
    fn is_utf8(self, block: &[u8; BLOCK], before: [&[u8; BLOCK]; 3]) -> bool {
        // `map` would be a call.
        let [one, two, three] = before;
        let (one, two, three) = (self.load(one), self.load(two), self.load(three));
        let lower = self.and(one, self.splat(0xF));
        let by_first = self.and(
            self.look_up(&BY_UPPER_HALF, self.upper(one)),
            self.look_up(&BY_LOWER_HALF, lower),
        );
        let found = self.and(by_first, self.look_up(&BY_NEXT_BYTE, self.upper(self.load(block))));
        // Subtracting leaves the highest bit in the bytes that begin a character of at least three bytes, or of four.
        let third = self.less(two, 0xE0 - CONTINUED);
        let fourth = self.less(three, 0xF0 - CONTINUED);
        let continued = self.and(self.or(third, fourth), self.splat(CONTINUED));
        self.are_zero(self.xor(found, continued))
    }

    #[inline(always)]
    fn classes(self, block: &[u8; BLOCK]) -> Classes {
        // Each lower half of a byte looks up one operator. Square brackets differ from curly ones in one bit.
        let table = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, b':', b'{', b',', b'}', 0, 0];
        let bytes = self.load(block);
        let either = self.or(bytes, self.splat(0x20));
        let operators = self.and(self.same(self.look_up(&table, bytes), either), bytes);
        Classes {
            brackets: self.bit::<6>(operators),
            bit5: self.bit::<5>(operators),
            bit1: self.bit::<1>(operators),
            spaces: self.mask(self.is(bytes, b' ')),
        }
    }

    /// Finds colons, and brackets of one kind. The table has each at its lower half.
    #[inline(always)]
    fn mark(self, bytes: Self::Bytes, open: u8) -> Self::Bytes {
        // No byte with the lower half 0 is 0xFF, so NUL is not found.
        let table = [0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, b':', open, 0, open.wrapping_add(2), 0, 0];
        self.same(self.look_up(&table, bytes), bytes)
    }

    /// Finds quotes, backslashes, colons, and brackets of one kind.
    #[inline(always)]
    fn delimiters(self, block: &[u8; BLOCK], open: u8) -> Delimiters {
        let bytes = self.load(block);
        // Each closing bracket is two after the opening one.
        let (opening, closing) = (self.is(bytes, open), self.is(bytes, open.wrapping_add(2)));
        Delimiters {
            quotes: self.mask(self.is(bytes, b'"')),
            backslashes: self.mask(self.is(bytes, b'\\')),
            opening: self.mask(opening),
            closing: self.mask(closing),
            marks: self.mask(self.mark(bytes, open)),
        }
    }
}

/// The masks that tell tokens apart. The control characters 0C and 1A may be among them: they are faults anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Classes {
    pub(super) brackets: u64,
    /// Curly brackets, colons and commas: the operators that have bit 5.
    pub(super) bit5: u64,
    /// Opening brackets and colons: the operators that have bit 1.
    pub(super) bit1: u64,
    pub(super) spaces: u64,
}

#[cfg(test)]
mod tests {
    use super::super::bits::BLOCK;
    use super::super::bits::one_by_one::{self, Random, mask};
    use super::super::blocks::tests::check;
    use super::super::one_by_one::OneByOne;
    use super::{Classes, Lanes};

    fn check_all(lanes: impl Lanes, block: &[u8; BLOCK]) {
        check(lanes, block);
        assert_eq!(lanes.quotes(block), mask(block, |byte| byte == b'"'));
        assert_eq!(lanes.beyond_ascii(block), mask(block, |byte| byte >= 0x80));
        let uncommon = mask(block, |byte| matches!(byte, b'\\' | 0..0x20 | 0x80..));
        assert_eq!(lanes.uncommon(block), uncommon, "{block:?}");
        let is_plain = uncommon == 0 && !block.contains(&b'"');
        for place in 0..4 {
            let mut blocks = [[b'a'; BLOCK]; 4];
            blocks[place] = *block;
            assert_eq!(lanes.is_plain(&blocks), is_plain, "{block:?}");
        }
        assert_eq!(lanes.has_control(block), block.iter().any(|&byte| byte < 0x20), "{block:?}");
        let is_odd = |byte: &u8| matches!(byte, 0..0x20 | 0x80..);
        assert_eq!(lanes.has_control_or_beyond_ascii(block), block.iter().any(is_odd));
        let simple = mask(block, |byte| b"\"\\/bfnrt".contains(&byte));
        assert_eq!(lanes.simple_escapes(block), simple, "{block:?}");
        assert_eq!(lanes.hex_digits(block), mask(block, |byte| byte.is_ascii_hexdigit()));
        for open in [b'{', b'['] {
            assert_eq!(lanes.delimiters(block, open), one_by_one::delimiters(block, open));
        }
        let operators =
            |bit: u8| mask(block, |byte| b"{}[]:,\x0C\x1A".contains(&byte) && byte & 1 << bit != 0);
        let classes = Classes {
            brackets: operators(6),
            bit5: operators(5),
            bit1: operators(1),
            spaces: mask(block, |byte| byte == b' '),
        };
        assert_eq!(lanes.classes(block), classes, "{block:?}");
    }

    #[test]
    fn every_byte_in_every_place() {
        for block in one_by_one::blocks() {
            check_all(OneByOne { gathers: true }, &block);
            #[cfg(feature = "simd")]
            if let Some(machine) = super::super::simd::Machine::detect() {
                check_all(machine, &block);
                machine.wider().into_iter().for_each(|wider| check_all(wider, &block));
            }
        }
    }

    fn check_bits(lanes: impl Lanes, bits: u64) {
        let places = bits.rotate_left(7) & bits.wrapping_mul(5);
        if lanes.gathers() {
            let chosen = (0..64).filter(|place| places >> place & 1 == 1);
            let expected =
                chosen.enumerate().fold(0, |all, (to, place)| all | (bits >> place & 1) << to);
            assert_eq!(lanes.gather(bits, places), expected);
        }
        let expected = (0..64).fold(0, |all, place| {
            all | u64::from((bits << (63 - place)).count_ones() % 2 == 1) << place
        });
        assert_eq!(lanes.parity(bits), expected);
    }

    fn check_utf8(lanes: impl Lanes, bytes: &[u8], start: usize) {
        let chunk = |at: usize| bytes[at..].first_chunk().unwrap();
        let before = [chunk(start - 1), chunk(start - 2), chunk(start - 3)];
        let bytes = &bytes[start - 3..][..BLOCK + 3];
        // A character may have begun earlier, and may end later.
        let ends = |skipped: usize| {
            let result = core::str::from_utf8(&bytes[skipped..]);
            result.is_ok() || result.is_err_and(|error| error.error_len().is_none())
        };
        let continued = bytes.iter().take_while(|&&byte| byte & 0xC0 == 0x80).count();
        // The bytes before the block were checked with the block before, so continuation bytes may be skipped.
        let expected = (0..=continued.min(3)).any(ends);
        assert_eq!(lanes.is_utf8(chunk(start), before), expected, "{}", bytes.escape_ascii());
    }

    #[test]
    fn bits_are_counted_and_characters_are_checked() {
        let pieces: [&[u8]; 14] = [
            b"a",
            "é".as_bytes(),
            "€".as_bytes(),
            "🚀".as_bytes(),
            b"\x80",
            b"\xC1\x80",
            b"\xC3",
            b"\xE0\x9F\x80",
            b"\xED\xA0\x80",
            b"\xE2\x82",
            b"\xF0\x8F\x80\x80",
            b"\xF4\x90\x80\x80",
            b"\xF0\x9F\x9A",
            b"\xFF",
        ];
        let mut random = Random(3);
        for round in 0..30_000 {
            let bits = (random.next() as u64) << 33 ^ random.next() as u64;
            let kinds = if round % 3 == 0 { pieces.len() } else { 4 };
            let mut bytes = std::vec::Vec::new();
            while bytes.len() < 3 * BLOCK {
                bytes.extend(pieces[random.next() % kinds]);
            }
            // The bytes before the block begin with a character, so that it is clear how they continue.
            let mut start = BLOCK;
            while bytes[start - 3] & 0xC0 == 0x80 {
                start += 1;
            }
            let are_valid = core::str::from_utf8(&bytes[start - 3..start]);
            let is_clear = are_valid.is_ok_and(|_| true)
                || are_valid.is_err_and(|error| error.error_len().is_none());
            check_bits(OneByOne { gathers: true }, bits);
            if is_clear {
                check_utf8(OneByOne { gathers: true }, &bytes, start);
            }
            #[cfg(feature = "simd")]
            if let Some(machine) = super::super::simd::Machine::detect() {
                check_bits(machine, bits);
                if is_clear {
                    check_utf8(machine, &bytes, start);
                }
                if let Some(wider) = machine.wider() {
                    check_bits(wider, bits);
                    if is_clear {
                        check_utf8(wider, &bytes, start);
                    }
                }
            }
        }
    }
}
