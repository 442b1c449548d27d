//! Sixty-four bytes at a time, a bit for each: what kernels know of a block once some vector unit has
//! said where in it the bytes of each kind are.
//!
//! Blocks follow each other at a fixed distance wherever that can be had, so that the next one can be
//! loaded before this one is understood.

/// How many bytes are in a block.
pub(super) const BLOCK: usize = 64;

/// Where in a block of the inside of a string the bytes of each kind are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) quotes: u64,
    pub(super) backslashes: u64,
    /// Below 0x20.
    pub(super) controls: u64,
    /// 0x80 and above.
    pub(super) beyond_ascii: u64,
    /// What may follow a backslash, but for `u`.
    pub(super) simple: u64,
    /// `u`
    pub(super) unicode: u64,
}

/// How far a block goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    /// So many bytes are well.
    pub(super) length: u32,
    /// What comes then is not for a kernel.
    pub(super) is_last: bool,
}

impl Text {
    /// How far the string goes on in a block that begins outside of an escape: up to its closing
    /// quote, or to whatever is not well. Where the block has hexadecimal digits is asked only if there
    /// is an escape that needs some.
    #[inline(always)]
    pub(super) fn stretch(&self, hex_digits: impl FnOnce() -> u64) -> Stretch {
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
            // The stretch ends before the backslash. Digits may follow behind the end of the block.
            let is_cut = first & unicode != 0 && stretch.length >= 60;
            return Stretch { length: stretch.length.wrapping_sub(1), is_last: !is_cut };
        }
        let begins_escape = self.backslashes & !escaped;
        if stops == 0 && begins_escape >> 63 == 1 {
            return Stretch { length: 63, is_last: false };
        }
        stretch
    }

    /// Whether any of so many bytes is beyond ASCII.
    #[inline(always)]
    pub(super) const fn is_beyond_ascii(&self, length: u32) -> bool {
        match length {
            64.. => self.beyond_ascii != 0,
            _ => self.beyond_ascii & !(u64::MAX << length) != 0,
        }
    }
}

impl Stretch {
    /// All of the block is well.
    #[inline(always)]
    pub(super) const fn is_whole(self) -> bool {
        self.length == 64 && !self.is_last
    }

    #[inline(always)]
    const fn up_to(stops: u64) -> Self {
        Self { length: stops.trailing_zeros(), is_last: stops != 0 }
    }
}

/// The bytes that a backslash stands before which is not escaped itself, in a block that begins outside
/// of an escape.
#[inline(always)]
const fn escaped(backslashes: u64) -> u64 {
    const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
    // Taking a run of backslashes from what begins behind it borrows along the run, and changes each
    // second place of it. Which second places those are depends on where the run begins, and against
    // the odd places it comes out the same for all.
    let alternating = (backslashes << 1 | ODD).wrapping_sub(backslashes) ^ ODD;
    alternating ^ backslashes
}

/// Where in a block the bytes are that characters beyond ASCII are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Units {
    pub(super) continuations: u64,
    /// What begins a character: 0xC0 and above.
    pub(super) leads: u64,
    /// What begins one of three bytes or more: 0xE0 and above.
    pub(super) long_leads: u64,
    /// What not every continuation may follow, or none may: it takes [`RareUnits`] to say.
    pub(super) rare: u64,
}

/// The same, where there are [rare](Units::rare) ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RareUnits {
    /// What is in no text: 0xC0, 0xC1, 0xF5 and above.
    pub(super) never: u64,
    /// What begins a character of four bytes: 0xF0 and above.
    pub(super) longest_leads: u64,
    pub(super) e0: u64,
    pub(super) ed: u64,
    pub(super) f0: u64,
    pub(super) f4: u64,
    /// Bytes of 0x90 and above.
    pub(super) from_90: u64,
    /// Bytes of 0xA0 and above.
    pub(super) from_a0: u64,
}

impl Units {
    /// Whether the block is UTF-8, after one that left these places to continuations, and which places
    /// of the next block it leaves to them.
    #[inline(always)]
    pub(super) const fn follow(&self, owed: u64) -> Option<u64> {
        let places = owed | self.leads << 1 | self.long_leads << 2;
        if places != self.continuations {
            return None;
        }
        Some(self.leads >> 63 | self.long_leads >> 62)
    }

    /// The same for a block with rare ones, which goes as far as whole characters go.
    #[inline(always)]
    pub(super) const fn follow_rare(&self, rare: &RareUnits, owed: u64) -> Option<u32> {
        let longest = rare.longest_leads;
        let cut = self.leads & 1 << 63 | self.long_leads & 0b11 << 62 | longest & 0b111 << 61;
        let length = cut.trailing_zeros();
        let whole = if length < 64 { !(u64::MAX << length) } else { u64::MAX };
        let leads = self.leads & whole;
        let places = owed | leads << 1 | (self.long_leads & whole) << 2 | (longest & whole) << 3;
        // Shorter forms of what is shorter, surrogates, and what is beyond U+10FFFF.
        let bad = (rare.e0 << 1 & !rare.from_a0)
            | (rare.ed << 1 & rare.from_a0)
            | (rare.f0 << 1 & !rare.from_90)
            | (rare.f4 << 1 & rare.from_90)
            | rare.never;
        let is_well = places == self.continuations & whole && bad & whole == 0;
        if is_well { Some(length) } else { None }
    }
}

/// Where in a block of numbers the bytes of each kind are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) digits: u64,
    pub(super) zeros: u64,
    pub(super) commas: u64,
    pub(super) minuses: u64,
}

/// The same, for what there is in numbers that are not integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Decimals {
    pub(super) pluses: u64,
    pub(super) points: u64,
    /// `e` or `E`
    pub(super) exponents: u64,
}

/// What the end of a block of numbers says of the beginning of the next, a 1 for each kind of byte that
/// it ended with, and for each run of digits under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carry {
    digit: u64,
    comma: u64,
    sign: u64,
    point: u64,
    exponent: u64,
    first_minus: u64,
    power_sign: u64,
    first_zero: u64,
    fraction: u64,
    power: u64,
}

impl Carry {
    /// Behind a comma.
    pub(super) const START: Self = Self {
        digit: 0,
        comma: 1,
        sign: 0,
        point: 0,
        exponent: 0,
        first_minus: 0,
        power_sign: 0,
        first_zero: 0,
        fraction: 0,
        power: 0,
    };

    /// No point, exponent or sign of one is in the number under way.
    #[inline(always)]
    const fn is_in_integer(&self) -> bool {
        self.point | self.exponent | self.power_sign | self.fraction | self.power == 0
    }
}

/// What stands behind the marked bytes.
#[inline(always)]
const fn behind(marks: u64, carry: &mut u64) -> u64 {
    let behind = marks << 1 | *carry;
    *carry = marks >> 63;
    behind
}

impl Numbers {
    /// The bytes that are not part of numbers with commas between them, up to the first at least.
    #[inline(always)]
    pub(super) fn stops(&self, carry: &mut Carry, decimals: impl FnOnce() -> Decimals) -> u64 {
        let integers = self.digits | self.commas | self.minuses;
        if integers == u64::MAX && carry.is_in_integer() {
            self.stops_of_integers(carry)
        } else {
            self.stops_of_decimals(&decimals(), carry)
        }
    }

    #[inline(always)]
    fn stops_of_integers(&self, carry: &mut Carry) -> u64 {
        let Self { digits, zeros, commas, minuses } = *self;
        let behind_digit = behind(digits, &mut carry.digit);
        let behind_comma = behind(commas, &mut carry.comma);
        let behind_minus = behind(minuses, &mut carry.sign);
        // Each minus is a first one, or it stops what is under way.
        carry.first_minus = carry.sign;
        let zero_led =
            behind(zeros & (behind_comma | behind_minus), &mut carry.first_zero) & digits;
        commas & !behind_digit | minuses & !behind_comma | behind_minus & !digits | zero_led
    }

    fn stops_of_decimals(&self, decimals: &Decimals, carry: &mut Carry) -> u64 {
        let Self { digits, zeros, commas, minuses } = *self;
        let Decimals { pluses, points, exponents } = *decimals;
        let signs = minuses | pluses;
        let behind_digit = behind(digits, &mut carry.digit);
        let behind_comma = behind(commas, &mut carry.comma);
        let behind_sign = behind(signs, &mut carry.sign);
        let behind_point = behind(points, &mut carry.point);
        let behind_exponent = behind(exponents, &mut carry.exponent);
        let first_digits = behind_comma | behind(minuses & behind_comma, &mut carry.first_minus);
        let power_digits = behind_exponent | behind(signs & behind_exponent, &mut carry.power_sign);

        let known = digits | commas | signs | points | exponents;
        let lonely = (commas | points | exponents) & !behind_digit;
        let misplaced = minuses & !(behind_comma | behind_exponent) | pluses & !behind_exponent;
        let cut = (behind_point | behind_sign) & !digits | behind_exponent & !(digits | signs);
        let zero_led = behind(zeros & first_digits, &mut carry.first_zero) & digits;
        let second_point = self.behind_run(behind_point, &mut carry.fraction) & points;
        let behind_power = self.behind_run(power_digits, &mut carry.power) & (points | exponents);
        !known | lonely | misplaced | cut | zero_led | second_point | behind_power
    }

    /// What stands behind the runs of digits that begin with these.
    #[inline(always)]
    const fn behind_run(&self, first: u64, carry: &mut u64) -> u64 {
        // Adding its first digit to a run of digits carries to what ends the run.
        let (sum, over) = self.digits.overflowing_add(first & self.digits);
        let (sum, over_too) = sum.overflowing_add(*carry);
        *carry = if over | over_too { 1 } else { 0 };
        sum & !self.digits
    }

    /// How many bytes there are up to the last comma before these stops, with it; 0 if there is none.
    #[inline(always)]
    pub(super) const fn whole(&self, stops: u64) -> u32 {
        let whole = self.commas & (stops & stops.wrapping_neg()).wrapping_sub(1);
        64_u32.wrapping_sub(whole.leading_zeros())
    }
}

/// The same masks, taken one byte after another.
#[cfg(test)]
pub(super) mod one_by_one {
    use super::{BLOCK, Decimals, Numbers, RareUnits, Text, Units};

    pub(in super::super) fn mask(block: &[u8], is: impl Fn(u8) -> bool) -> u64 {
        block.iter().enumerate().map(|(at, &byte)| u64::from(is(byte)) << at).sum()
    }

    pub(in super::super) fn text(block: &[u8; BLOCK]) -> Text {
        Text {
            quotes: mask(block, |byte| byte == b'"'),
            backslashes: mask(block, |byte| byte == b'\\'),
            controls: mask(block, |byte| byte < 0x20),
            beyond_ascii: mask(block, |byte| byte >= 0x80),
            simple: mask(block, |byte| b"\"\\/bfnrt".contains(&byte)),
            unicode: mask(block, |byte| byte == b'u'),
        }
    }

    pub(in super::super) fn hex_digits(block: &[u8; BLOCK]) -> u64 {
        mask(block, |byte| byte.is_ascii_hexdigit())
    }

    pub(in super::super) fn numbers(block: &[u8; BLOCK]) -> Numbers {
        Numbers {
            digits: mask(block, |byte| byte.is_ascii_digit()),
            zeros: mask(block, |byte| byte == b'0'),
            commas: mask(block, |byte| byte == b','),
            minuses: mask(block, |byte| byte == b'-'),
        }
    }

    pub(in super::super) fn decimals(block: &[u8; BLOCK]) -> Decimals {
        Decimals {
            pluses: mask(block, |byte| byte == b'+'),
            points: mask(block, |byte| byte == b'.'),
            exponents: mask(block, |byte| byte | 0x20 == b'e'),
        }
    }

    pub(in super::super) fn units(block: &[u8; BLOCK]) -> Units {
        Units {
            continuations: mask(block, |byte| byte & 0xC0 == 0x80),
            leads: mask(block, |byte| byte >= 0xC0),
            long_leads: mask(block, |byte| byte >= 0xE0),
            rare: mask(block, |byte| matches!(byte, 0xC0 | 0xC1 | 0xE0 | 0xED | 0xF0..)),
        }
    }

    pub(in super::super) fn rare_units(block: &[u8; BLOCK]) -> RareUnits {
        RareUnits {
            never: mask(block, |byte| matches!(byte, 0xC0 | 0xC1 | 0xF5..)),
            longest_leads: mask(block, |byte| byte >= 0xF0),
            e0: mask(block, |byte| byte == 0xE0),
            ed: mask(block, |byte| byte == 0xED),
            f0: mask(block, |byte| byte == 0xF0),
            f4: mask(block, |byte| byte == 0xF4),
            from_90: mask(block, |byte| byte >= 0x90),
            from_a0: mask(block, |byte| byte >= 0xA0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::one_by_one::{decimals, hex_digits, numbers, rare_units, text, units};
    use super::{BLOCK, Carry, Stretch, escaped};
    use std::vec::Vec;

    /// What a block has up to the first thing that is not well, one byte after another.
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
    fn characters_are_followed_as_they_are_byte_by_byte() {
        let good: &[&[u8]] = &[
            b"a",
            b"bcdefg",
            b"\xC2\x80",
            "\u{7FF}".as_bytes(),
            "\u{800}".as_bytes(),
            "\u{4E2D}".as_bytes(),
        ];
        let rare: &[&str] =
            &["\u{FFF}", "\u{D7FF}", "\u{E000}", "\u{10000}", "\u{FFFFF}", "\u{10FFFF}"];
        let bad: &[&[u8]] = &[
            b"\x80",
            b"\xC3",
            b"\xE4\xB8",
            b"\xE4",
            b"\xC0\x80",
            b"\xC1\xBF",
            b"\xE0\x9F\xBF",
            b"\xED\xA0\x80",
            b"\xF0\x8F\xBF\xBF",
            b"\xF4\x90\x80\x80",
            b"\xF5\x80\x80\x80",
            b"\xFF",
            b"\xF0\x9F\x98",
        ];
        let pieces: Vec<&[u8]> = good
            .iter()
            .copied()
            .chain(rare.iter().map(|piece| piece.as_bytes()))
            .chain(bad.iter().copied())
            .collect();
        let mut random = Random(4);
        for round in 0..200_000 {
            let kinds = [good.len(), good.len() + rare.len()][round % 2];
            let mut bytes = Vec::new();
            while bytes.len() < 3 * BLOCK {
                let is_bad = round % 3 == 0 && random.next().is_multiple_of(100);
                bytes.extend(pieces[random.next() % if is_bad { pieces.len() } else { kinds }]);
            }
            let (mut at, mut owed, mut is_well) = (0, 0, true);
            while let Some(block) = bytes[at..].first_chunk() {
                let (units, rare) = (units(block), rare_units(block));
                let length = if units.rare == 0 {
                    units.follow(owed).map(|next| (64, next))
                } else {
                    units.follow_rare(&rare, owed).map(|length| (length, 0))
                };
                let Some((length, next)) = length else {
                    is_well = false;
                    break;
                };
                at += length as usize;
                owed = next;
            }
            let expected =
                match core::str::from_utf8(&bytes[..at + if is_well { 0 } else { BLOCK }]) {
                    Ok(_) => true,
                    Err(error) => error.error_len().is_none(),
                };
            assert_eq!(is_well, expected, "{} {}", at, bytes.escape_ascii());
            if is_well {
                assert_eq!(owed != 0, core::str::from_utf8(&bytes[..at]).is_err());
            }
        }
    }

    struct Random(u64);

    impl Random {
        fn next(&mut self) -> usize {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize
        }
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
            // Rarely a stop, so that some blocks have none.
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

    #[test]
    fn numbers_go_as_far_as_whole_ones_do() {
        let pieces: &[&[u8]] = &[
            b"1,",
            b"-20,",
            b"0,",
            b"3.25,",
            b"-0.5e-7,",
            b"6E+12,",
            b"1234567890123456789012,",
            b"00,",
            b"-,",
            b"1.,",
            b".5,",
            b"1e,",
            b"1e5e5,",
            b"1.2.3,",
            b"1-1,",
            b"+1,",
            b",",
            b"] ",
            b"1e+-1,",
            b"-01,",
            b"1e5.0,",
            b"12",
            b"--1,",
            b"1e+,",
            b"1.e5,",
        ];
        let valid = |number: &[u8]| crate::scan::validate(number, 0).is_ok();
        let mut random = Random(3);
        for round in 0..100_000 {
            // Rarely a stop, so that some go on over many blocks.
            let kinds = [pieces.len(), 7, 3, 7][round % 4];
            let mut bytes = Vec::new();
            while bytes.len() < 4 * BLOCK {
                bytes.extend(pieces[random.next() % kinds]);
            }
            let (mut carry, mut length, mut at) = (Carry::START, 0, 0);
            while let Some(block) = bytes[at..].first_chunk() {
                let numbers = numbers(block);
                let stops = numbers.stops(&mut carry, || decimals(block));
                let whole = numbers.whole(stops) as usize;
                length = if whole > 0 { at + whole } else { length };
                at += BLOCK;
                if stops != 0 {
                    break;
                }
            }
            let valid_with_comma = |number: &[u8]| number.strip_suffix(b",").is_some_and(valid);
            let mut whole = bytes[..length].split_inclusive(|&byte| byte == b',');
            assert!(whole.all(valid_with_comma), "{}", bytes.escape_ascii());
            // And it goes as far as it can, which is what it is for.
            let mut rest = bytes[length..at].split_inclusive(|&byte| byte == b',');
            assert!(
                !rest.next().is_some_and(valid_with_comma),
                "{length} {}",
                bytes.escape_ascii()
            );
        }
    }
}
