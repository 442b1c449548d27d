//! UTF-8, two bytes at a time: tables of the faults that a pair of bytes can have.
//!
//! A pair has the faults that three lookups agree on: by the upper half of its first byte, by the lower half, and by
//! the upper half of its second byte. J. Keiser and D. Lemire describe the method in "Validating UTF-8 in less than one
//! instruction per byte". Only a continuation byte after another one needs more context.

/// A lead byte, and then no continuation byte.
const TOO_SHORT: u8 = 1;
/// An ASCII character, and then a continuation byte.
const TOO_LONG: u8 = 1 << 1;
/// Three bytes for a character that needs two: E0, and then less than A0.
const THREE_FOR_TWO: u8 = 1 << 2;
/// A character beyond the last one: F4, and then 90 or more, or more than F4.
const TOO_LARGE: u8 = 1 << 3;
/// Half of a surrogate pair: ED, and then A0 or more.
const SURROGATE: u8 = 1 << 4;
/// Two bytes for a character that needs one: C0 or C1.
const TWO_FOR_ONE: u8 = 1 << 5;
/// Four bytes for a character that needs three: F0, and then less than 90. With such a second byte, this also stands
/// for a lead byte above F4.
const FOUR_FOR_THREE: u8 = 1 << 6;
/// Two continuation bytes. This is valid if the second is the third or the fourth byte of a character, and only then.
pub(super) const CONTINUED: u8 = 1 << 7;

/// Returns the faults of a pair.
const fn faults(first: u8, second: u8) -> u8 {
    let goes_on = second & 0xC0 == 0x80;
    match first {
        0..0x80 if goes_on => TOO_LONG,
        0x80..0xC0 if goes_on => CONTINUED,
        0..0xC0 => 0,
        _ if !goes_on => TOO_SHORT,
        0xC0 | 0xC1 => TWO_FOR_ONE,
        0xE0 if second < 0xA0 => THREE_FOR_TWO,
        0xED if second >= 0xA0 => SURROGATE,
        0xF0 | 0xF5.. if second < 0x90 => FOUR_FOR_THREE,
        0xF4.. if second >= 0x90 => TOO_LARGE,
        _ => 0,
    }
}

/// The half of a byte that indexes a table.
enum By {
    Upper,
    Lower,
    Next,
}

/// Returns all faults of the pairs with this half of a byte.
const fn entry(by: By, half: u8) -> u8 {
    let mut all = 0;
    let mut other: u8 = 0;
    loop {
        let (one, another) = (other >> 4, other & 0xF);
        let (upper, lower, next) = match by {
            By::Upper => (half, one, another),
            By::Lower => (one, half, another),
            By::Next => (one, another, half),
        };
        all |= faults(upper << 4 | lower, next << 4);
        match other {
            u8::MAX => return all,
            _ => other = other.wrapping_add(1),
        }
    }
}

macro_rules! table {
    ($by:expr) => {
        [
            entry($by, 0),
            entry($by, 1),
            entry($by, 2),
            entry($by, 3),
            entry($by, 4),
            entry($by, 5),
            entry($by, 6),
            entry($by, 7),
            entry($by, 8),
            entry($by, 9),
            entry($by, 10),
            entry($by, 11),
            entry($by, 12),
            entry($by, 13),
            entry($by, 14),
            entry($by, 15),
        ]
    };
}

pub(super) const BY_UPPER_HALF: [u8; 16] = table!(By::Upper);
pub(super) const BY_LOWER_HALF: [u8; 16] = table!(By::Lower);
pub(super) const BY_NEXT_BYTE: [u8; 16] = table!(By::Next);

#[cfg(test)]
mod tests {
    use super::{BY_LOWER_HALF, BY_NEXT_BYTE, BY_UPPER_HALF, faults};

    #[test]
    fn three_lookups_agree_on_the_faults_of_every_pair() {
        for first in 0..=u8::MAX {
            for second in 0..=u8::MAX {
                let found = BY_UPPER_HALF[usize::from(first >> 4)]
                    & BY_LOWER_HALF[usize::from(first & 15)]
                    & BY_NEXT_BYTE[usize::from(second >> 4)];
                assert_eq!(found, faults(first, second), "{first:x} {second:x}");
            }
        }
    }
}
