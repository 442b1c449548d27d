//! The masks of blocks for 16-byte vectors, from the few operations that every such unit has.

use super::super::bits::{BLOCK, Decimals, Delimiters, Numbers, RareUnits, Text, Units};
use super::super::blocks::Blocks;
use super::super::structure::Delimited;
use super::vectors::Vectors;

/// A unit with vectors of 16 bytes.
///
/// A comparison yields a byte of ones where it holds, and of zeros where it does not.
pub(super) trait Lanes: Copy {
    type Vector: Copy;

    fn load(self, bytes: &[u8; 16]) -> Self::Vector;

    /// Returns a vector with `byte` in each position.
    fn splat(self, byte: u8) -> Self::Vector;

    fn and(self, one: Self::Vector, other: Self::Vector) -> Self::Vector;

    fn or(self, one: Self::Vector, other: Self::Vector) -> Self::Vector;

    fn subtract(self, from: Self::Vector, what: Self::Vector) -> Self::Vector;

    fn equal(self, one: Self::Vector, other: Self::Vector) -> Self::Vector;

    fn at_most(self, vector: Self::Vector, most: Self::Vector) -> Self::Vector;

    fn at_least(self, vector: Self::Vector, least: Self::Vector) -> Self::Vector;

    /// Looks up the table at these positions, which are all below 16.
    fn look_up(self, table: Self::Vector, places: Self::Vector) -> Self::Vector;

    /// Marks bytes beyond ASCII in the form that [`mask`](Self::mask) needs.
    fn beyond_ascii(self, vector: Self::Vector) -> Self::Vector;

    /// Returns whether any byte is all ones.
    fn any(self, found: Self::Vector) -> bool;

    /// Returns one bit for each byte of the comparison results.
    fn mask(self, found: [Self::Vector; 4]) -> u64;

    #[inline(always)]
    fn is(self, vector: Self::Vector, byte: u8) -> Self::Vector {
        self.equal(vector, self.splat(byte))
    }

    #[inline(always)]
    fn is_within(self, vector: Self::Vector, first: u8, last: u8) -> Self::Vector {
        let above = self.subtract(vector, self.splat(first));
        self.at_most(above, self.splat(last.wrapping_sub(first)))
    }

    #[inline(always)]
    fn either(self, vector: Self::Vector, one: u8, other: u8) -> Self::Vector {
        self.or(self.is(vector, one), self.is(vector, other))
    }

    /// Converts letters to lower case. Callers must allow for what it does to other bytes.
    #[inline(always)]
    fn lower(self, vector: Self::Vector) -> Self::Vector {
        self.or(vector, self.splat(0x20))
    }

    #[inline(always)]
    fn control(self, vector: Self::Vector) -> Self::Vector {
        self.at_most(vector, self.splat(0x1F))
    }

    #[inline(always)]
    fn digit(self, vector: Self::Vector) -> Self::Vector {
        self.is_within(vector, b'0', b'9')
    }

    /// Finds quotes, backslashes and control characters.
    #[inline(always)]
    fn stop(self, vector: Self::Vector) -> Self::Vector {
        self.or(self.either(vector, b'"', b'\\'), self.control(vector))
    }

    /// Finds the bytes that may follow a backslash, except `u`. Most are looked up by their lower four bits.
    #[inline(always)]
    fn simple(self, vector: Self::Vector) -> Self::Vector {
        // Byte 0xFF cannot match the entries of 0xFF: it is looked up as `/`.
        let table = [
            0xFF, 0xFF, b'b', 0xFF, b't', 0xFF, b'f', 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, b'\\', 0xFF,
            b'n', b'/',
        ];
        let found = self.look_up(self.load(&table), self.and(vector, self.splat(0x0F)));
        self.or(self.equal(found, vector), self.either(vector, b'"', b'r'))
    }

    #[inline(always)]
    fn hex_digit(self, vector: Self::Vector) -> Self::Vector {
        self.or(self.digit(vector), self.is_within(self.lower(vector), b'a', b'f'))
    }

    #[inline(always)]
    fn c0_or_c1(self, vector: Self::Vector) -> Self::Vector {
        self.is(self.and(vector, self.splat(0xFE)), 0xC0)
    }

    #[inline(always)]
    fn is_at_least(self, vector: Self::Vector, least: u8) -> Self::Vector {
        self.at_least(vector, self.splat(least))
    }

    #[inline(always)]
    fn quarters(self, block: &[u8; BLOCK]) -> [Self::Vector; 4] {
        let mut quarters = block.as_chunks::<16>().0.iter();
        [(); 4].map(|()| quarters.next().map_or(self.splat(0), |quarter| self.load(quarter)))
    }
}

impl<L: Lanes> Blocks for L {
    #[inline(always)]
    fn special(self, block: &[u8; BLOCK]) -> u64 {
        self.mask(self.quarters(block).map(|q| self.or(self.stop(q), self.beyond_ascii(q))))
    }

    #[inline(always)]
    fn numbers(self, block: &[u8; BLOCK]) -> Numbers {
        let quarters = self.quarters(block);
        Numbers {
            digits: self.mask(quarters.map(|q| self.digit(q))),
            zeros: self.mask(quarters.map(|q| self.is(q, b'0'))),
            commas: self.mask(quarters.map(|q| self.is(q, b','))),
            minuses: self.mask(quarters.map(|q| self.is(q, b'-'))),
        }
    }

    #[inline(always)]
    fn decimals(self, block: &[u8; BLOCK]) -> Decimals {
        let quarters = self.quarters(block);
        Decimals {
            pluses: self.mask(quarters.map(|q| self.is(q, b'+'))),
            points: self.mask(quarters.map(|q| self.is(q, b'.'))),
            exponents: self.mask(quarters.map(|q| self.is(self.lower(q), b'e'))),
        }
    }

    /// Does nothing: these machines prefetch sequential text by themselves, or have no instruction for it.
    #[inline(always)]
    fn prefetch(self, _: &[u8], _: usize) {}
}

impl<L: Lanes> Delimited for L {
    #[inline(always)]
    fn delimiters(self, block: &[u8; BLOCK], open: u8) -> Delimiters {
        let quarters = self.quarters(block);
        Delimiters {
            quotes: self.mask(quarters.map(|q| self.is(q, b'"'))),
            backslashes: self.mask(quarters.map(|q| self.is(q, b'\\'))),
            opening: self.mask(quarters.map(|q| self.is(q, open))),
            // Each closing bracket is two after the opening one.
            closing: self.mask(quarters.map(|q| self.is(q, open.wrapping_add(2)))),
        }
    }
}

impl<L: Lanes> Vectors for L {
    #[inline(always)]
    fn odd(self, block: &[u8; 2 * BLOCK]) -> (bool, bool) {
        let mut stops = self.splat(0);
        let mut all = stops;
        for vector in block.as_chunks::<16>().0 {
            let vector = self.load(vector);
            stops = self.or(stops, self.stop(vector));
            all = self.or(all, vector);
        }
        (self.any(stops), self.any(self.is_at_least(all, 0x80)))
    }

    #[inline(always)]
    fn text(self, block: &[u8; BLOCK]) -> Text {
        let quarters = self.quarters(block);
        let backslashes = self.mask(quarters.map(|q| self.is(q, b'\\')));
        let mut text = Text {
            quotes: self.mask(quarters.map(|q| self.is(q, b'"'))),
            backslashes,
            controls: self.mask(quarters.map(|q| self.control(q))),
            beyond_ascii: self.mask(quarters.map(|q| self.beyond_ascii(q))),
            ..Text::default()
        };
        if backslashes != 0 {
            text.simple = self.mask(quarters.map(|q| self.simple(q)));
            text.unicode = self.mask(quarters.map(|q| self.is(q, b'u')));
        }
        text
    }

    #[inline(always)]
    fn hex_digits(self, block: &[u8; BLOCK]) -> u64 {
        self.mask(self.quarters(block).map(|q| self.hex_digit(q)))
    }

    #[inline(always)]
    fn units(self, block: &[u8; BLOCK]) -> Units {
        let quarters = self.quarters(block);
        let beyond_ascii = self.mask(quarters.map(|q| self.beyond_ascii(q)));
        if beyond_ascii == 0 {
            return Units::default();
        }
        let continuations = self.mask(quarters.map(|q| self.is_within(q, 0x80, 0xBF)));
        Units {
            continuations,
            leads: beyond_ascii & !continuations,
            long_leads: self.mask(quarters.map(|q| self.is_at_least(q, 0xE0))),
            rare: self.mask(quarters.map(|q| {
                let never_or_longest = self.or(self.c0_or_c1(q), self.is_at_least(q, 0xF0));
                self.or(self.either(q, 0xE0, 0xED), never_or_longest)
            })),
        }
    }

    #[inline(always)]
    fn rare_units(self, block: &[u8; BLOCK]) -> RareUnits {
        let quarters = self.quarters(block);
        RareUnits {
            never: self
                .mask(quarters.map(|q| self.or(self.c0_or_c1(q), self.is_at_least(q, 0xF5)))),
            longest_leads: self.mask(quarters.map(|q| self.is_at_least(q, 0xF0))),
            e0: self.mask(quarters.map(|q| self.is(q, 0xE0))),
            ed: self.mask(quarters.map(|q| self.is(q, 0xED))),
            f0: self.mask(quarters.map(|q| self.is(q, 0xF0))),
            f4: self.mask(quarters.map(|q| self.is(q, 0xF4))),
            from_90: self.mask(quarters.map(|q| self.is_at_least(q, 0x90))),
            from_a0: self.mask(quarters.map(|q| self.is_at_least(q, 0xA0))),
        }
    }
}
