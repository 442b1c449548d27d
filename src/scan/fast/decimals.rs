//! Runs of numbers without exponents: each byte is looked up together with the two before it.
//!
//! All rules for numbers except one concern adjacent bytes. Tables of faults, indexed by the lower half of a byte, show
//! whether a byte may follow another. The remaining rule, that a number has at most one point, takes two masks and a
//! subtraction.

use super::bits::{AHEAD, BLOCK};
use super::lanes::Lanes;
use super::word;

/// A comma or a point without a digit before it.
const NO_DIGIT: u8 = 1;
/// A minus that does not follow a comma.
const MINUS: u8 = 2;
/// A digit after a zero that begins a number.
const ZERO_LED: u8 = 4;

/// The faults that a byte may have. Numbers have these bytes: digits, `,`, `-` and `.`.
const BY_BYTE: [u8; 16] = by_lower_half(ZERO_LED, NO_DIGIT, MINUS, NO_DIGIT);

/// The faults that the byte after this one may have.
const BY_BYTE_BEFORE: [u8; 16] = {
    let mut faults = by_lower_half(MINUS, NO_DIGIT, NO_DIGIT | MINUS, NO_DIGIT | MINUS);
    faults[0] |= ZERO_LED;
    faults
};

/// The faults that the second byte after this one may have. Without exponents, every minus begins a number, so the
/// first digit follows a comma or a minus.
const BY_SECOND_BYTE_BEFORE: [u8; 16] = {
    let any = NO_DIGIT | MINUS;
    by_lower_half(any, any | ZERO_LED, any | ZERO_LED, any)
};

/// The only byte with this lower half that numbers have, or 0.
const EXPECTED: [u8; 16] = *b"0123456789\0\0,-.\0";

/// Makes a table, indexed by the lower half of a byte, with an entry for digits, commas, minuses and points.
const fn by_lower_half(digit: u8, comma: u8, minus: u8, point: u8) -> [u8; 16] {
    let mut table = [digit; 16];
    table[0xA] = 0;
    table[0xB] = 0;
    table[0xC] = comma;
    table[0xD] = minus;
    table[0xE] = point;
    table[0xF] = 0;
    table
}

/// Scans numbers that are separated by commas and have no exponents, from after a comma on. Returns the offset after a
/// comma up to which they are known to be valid.
#[inline(always)]
pub(super) fn plain(lanes: impl Lanes, bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    // The offset after the last comma.
    let mut whole = from;
    let mut has_point = false;
    // Two more bytes, as the faults of a byte depend on the two before it.
    while let Some(block) = word::chunk::<{ BLOCK + 2 }>(bytes, at.wrapping_sub(2)) {
        lanes.prefetch(bytes, at.wrapping_add(AHEAD));
        let [Some(second_before), Some(before), Some(now)] =
            [0, 1, 2].map(|from: usize| block.get(from..)?.first_chunk::<BLOCK>())
        else {
            break;
        };
        let [second_before, before, now] =
            [second_before, before, now].map(|block| lanes.load(block));
        let unexpected = lanes.xor(lanes.look_up(&EXPECTED, now), now);
        let both = lanes.and(lanes.look_up(&BY_BYTE, now), lanes.look_up(&BY_BYTE_BEFORE, before));
        let faults = lanes.and(both, lanes.look_up(&BY_SECOND_BYTE_BEFORE, second_before));
        let commas = lanes.mask(lanes.is(now, b','));
        let points = lanes.mask(lanes.is(now, b'.'));
        if !lanes.are_zero(lanes.or(unexpected, faults))
            || second_points(points, commas, &mut has_point) != 0
        {
            break;
        }
        at = at.wrapping_add(BLOCK);
        if commas != 0 {
            whole = at.wrapping_sub(crate::cast::index(commas.leading_zeros()));
        }
    }
    whole
}

/// Marks the points of a number after its first one. `has_point` is true if the number that continues from block to
/// block already has a point.
///
/// The bit of a point is lower than the bit of the comma that ends its number. Subtracting the point from the comma
/// sets the bits from the point up to the comma, so the bit of the point is set. Subtracting two points leaves the bit
/// of the second one clear.
#[inline(always)]
const fn second_points(points: u64, commas: u64, has_point: &mut bool) -> u64 {
    let (rest, borrowed) = commas.overflowing_sub(points);
    let (rest, borrowed_too) = rest.overflowing_sub(if *has_point { 1 } else { 0 });
    *has_point = borrowed | borrowed_too;
    points & !rest
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::super::bits::BLOCK;
    use super::super::bits::one_by_one::{Random, mask};
    use super::super::one_by_one::OneByOne;
    use super::{plain, second_points};

    fn is_plain(number: &[u8]) -> bool {
        let number = number.strip_suffix(b",").unwrap_or(b"");
        crate::scan::validate(number, 0).is_ok()
            && number.iter().all(|byte| b"0123456789-.".contains(byte))
    }

    /// Asserts that the scanned bytes are valid, and that at most a block and a number of the valid bytes are left.
    fn check(bytes: &[u8]) {
        let from = 1 + bytes.iter().position(|&byte| byte == b',').unwrap();
        let whole = plain(OneByOne { gathers: false }, bytes, from);
        let mut numbers = bytes[..whole].split_inclusive(|&byte| byte == b',');
        assert!(numbers.all(is_plain), "{whole} {}", bytes.escape_ascii());
        let numbers = bytes.split_inclusive(|&byte| byte == b',');
        let valid: usize = numbers.take_while(|number| is_plain(number)).map(<[u8]>::len).sum();
        assert!(whole + 2 * BLOCK > valid, "{whole} {}", bytes.escape_ascii());
    }

    #[test]
    fn every_three_bytes_in_numbers() {
        let bytes = b"01,-.9/:+eE] \n\xB1\xAC\xAE";
        let mut text: Vec<u8> = b"7,".repeat(2 * BLOCK);
        for [first, second, third] in bytes
            .iter()
            .flat_map(|&first| bytes.iter().map(move |&second| [first, second]))
            .flat_map(|[first, second]| bytes.iter().map(move |&third| [first, second, third]))
        {
            // The first block begins at the third byte.
            for at in [2, 3, 20, 2 + 31, BLOCK - 1, BLOCK, BLOCK + 1, BLOCK + 2] {
                let before = text.clone();
                text[at..at + 3].copy_from_slice(&[first, second, third]);
                check(&text);
                text = before;
            }
        }
    }

    #[test]
    fn numbers_go_as_far_as_they_are_plain() {
        let pieces: [&[u8]; 24] = [
            b"1,",
            b"-20,",
            b"0,",
            b"3.25,",
            b"-0.5,",
            b"1234567890123456789012,",
            b"0.1000000001,",
            b"00,",
            b"-,",
            b"1.,",
            b".5,",
            b"1.2.3,",
            b"1-1,",
            b"+1,",
            b",",
            b"]",
            b"-01,",
            b"--1,",
            b"1e5,",
            b"0.,",
            b"1.-2,",
            b"-.5,",
            b"12",
            b"1.5.,",
        ];
        let mut random = Random(3);
        for round in 0..50_000 {
            // Faults are rare, so that some runs span many blocks.
            let kinds = [pieces.len(), 7, 7][round % 3];
            let mut bytes = b"0,".to_vec();
            while bytes.len() < 5 * BLOCK {
                let rare = if random.next().is_multiple_of(16) { kinds } else { 7 };
                bytes.extend(pieces[random.next() % rare]);
            }
            check(&bytes);
        }
    }

    #[test]
    fn a_number_has_one_point() {
        let mut random = Random(5);
        let (mut has_point, mut has_one) = (false, false);
        for round in 0..100_000 {
            // Points and commas are rare in every other block, so that some numbers span blocks.
            let kinds = [7, 200][round % 2];
            let bytes: [u8; BLOCK] =
                core::array::from_fn(|_| *b".,".get(random.next() % kinds).unwrap_or(&b'1'));
            let mut second = 0;
            for (at, byte) in bytes.iter().enumerate() {
                second |= u64::from(*byte == b'.' && has_one) << at;
                has_one = *byte == b'.' || has_one && *byte != b',';
            }
            let points = mask(&bytes, |byte| byte == b'.');
            let commas = mask(&bytes, |byte| byte == b',');
            assert_eq!(second_points(points, commas, &mut has_point), second);
            assert_eq!(has_point, has_one);
        }
    }
}
