//! Validation of characters beyond ASCII.

/// Masks of the bytes in a block that encode characters beyond ASCII.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Units {
    pub(in super::super) continuations: u64,
    /// The lead bytes: 0xC0 and above.
    pub(in super::super) leads: u64,
    /// The lead bytes of characters of three bytes or more: 0xE0 and above.
    pub(in super::super) long_leads: u64,
    /// The lead bytes that no continuation byte, or only some, may follow. [`RareUnits`] tells them apart.
    pub(in super::super) rare: u64,
}

/// The masks needed in addition for a block with [rare](Units::rare) bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct RareUnits {
    /// The bytes that never occur in UTF-8: 0xC0, 0xC1, 0xF5 and above.
    pub(in super::super) never: u64,
    /// The lead bytes of characters of four bytes: 0xF0 and above.
    pub(in super::super) longest_leads: u64,
    pub(in super::super) e0: u64,
    pub(in super::super) ed: u64,
    pub(in super::super) f0: u64,
    pub(in super::super) f4: u64,
    /// The bytes of 0x90 and above.
    pub(in super::super) from_90: u64,
    /// The bytes of 0xA0 and above.
    pub(in super::super) from_a0: u64,
}

impl Units {
    /// Validates a block without rare bytes. `owed` marks the continuation bytes that the previous block
    /// still needs. Returns the ones that this block needs from the next, or `None` if it is not UTF-8.
    #[inline(always)]
    pub(in super::super) const fn follow(&self, owed: u64) -> Option<u64> {
        let places = owed | self.leads << 1 | self.long_leads << 2;
        if places != self.continuations {
            return None;
        }
        Some(self.leads >> 63 | self.long_leads >> 62)
    }

    /// Validates a block with rare bytes. Returns the length of the whole characters in it, or `None` if they
    /// are not UTF-8.
    #[inline(always)]
    pub(in super::super) const fn follow_rare(&self, rare: &RareUnits, owed: u64) -> Option<u32> {
        let longest = rare.longest_leads;
        let cut = self.leads & 1 << 63 | self.long_leads & 0b11 << 62 | longest & 0b111 << 61;
        let length = cut.trailing_zeros();
        let whole = if length < 64 { !(u64::MAX << length) } else { u64::MAX };
        let leads = self.leads & whole;
        let places = owed | leads << 1 | (self.long_leads & whole) << 2 | (longest & whole) << 3;
        // Overlong forms, surrogates, and code points above U+10FFFF.
        let bad = (rare.e0 << 1 & !rare.from_a0)
            | (rare.ed << 1 & rare.from_a0)
            | (rare.f0 << 1 & !rare.from_90)
            | (rare.f4 << 1 & rare.from_90)
            | rare.never;
        let is_well = places == self.continuations & whole && bad & whole == 0;
        if is_well { Some(length) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::super::BLOCK;
    use super::super::one_by_one::{Random, rare_units, units};
    use std::vec::Vec;

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
}
