//! Runs of numbers separated by commas.

/// Masks of the classes of bytes in a block of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Numbers {
    pub(in super::super) digits: u64,
    pub(in super::super) zeros: u64,
    pub(in super::super) commas: u64,
    pub(in super::super) minuses: u64,
}

/// The additional masks for numbers that are not integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Decimals {
    pub(in super::super) pluses: u64,
    pub(in super::super) points: u64,
    /// `e` or `E`.
    pub(in super::super) exponents: u64,
}

impl Decimals {
    #[inline(always)]
    const fn all(&self) -> u64 {
        self.pluses | self.points | self.exponents
    }
}

/// The state carried from one block of numbers to the next: a 1 for each class of byte that the block ended
/// with, and for each run of digits that continues.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Carry {
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
    /// The state after a comma.
    pub(in super::super) const START: Self = Self {
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

    /// Returns whether the current number has no point, exponent or exponent sign so far.
    #[inline(always)]
    const fn is_in_integer(&self) -> bool {
        self.point | self.exponent | self.power_sign | self.fraction | self.power == 0
    }
}

/// Marks the positions right after the marked bytes.
#[inline(always)]
const fn behind(marks: u64, carry: &mut u64) -> u64 {
    let behind = marks << 1 | *carry;
    *carry = marks >> 63;
    behind
}

impl Numbers {
    /// Returns whether the numbers that consist of `bytes` have no points and exponents, and need no [`Decimals`].
    #[inline(always)]
    pub(in super::super) const fn are_integers(&self, bytes: u64, carry: &Carry) -> bool {
        bytes & !(self.digits | self.minuses) == 0 && carry.is_in_integer()
    }

    /// Marks the bytes that are not part of numbers separated by commas. It is exact up to the first of them. Without
    /// decimals, all numbers must be [integers](Self::are_integers).
    #[inline(always)]
    pub(in super::super) fn stops(&self, decimals: Option<Decimals>, carry: &mut Carry) -> u64 {
        match decimals {
            None => self.stops_of_integers(carry),
            Some(decimals) => self.stops_of_decimals(&decimals, carry),
        }
    }

    #[inline(always)]
    fn stops_of_integers(&self, carry: &mut Carry) -> u64 {
        let behind_digit = behind(self.digits, &mut carry.digit);
        let behind_comma = behind(self.commas, &mut carry.comma);
        self.faults_of_integers(behind_comma, carry) | self.commas & !behind_digit
    }

    fn stops_of_decimals(&self, decimals: &Decimals, carry: &mut Carry) -> u64 {
        let behind_digit = behind(self.digits, &mut carry.digit);
        let behind_comma = behind(self.commas, &mut carry.comma);
        let known = self.digits | self.commas | self.minuses | decimals.all();
        let faults = self.faults_of_decimals(decimals, behind_comma, behind_digit, carry);
        !known | self.commas & !behind_digit | faults
    }

    /// Marks faults in numbers and directly after them, wherever the numbers are. The numbers consist of `bytes`, and
    /// begin at `first`. Without decimals, they must be [integers](Self::are_integers).
    #[cfg(any(test, feature = "simd"))]
    #[inline(always)]
    pub(in super::super) fn faults(
        self,
        bytes: u64,
        first: u64,
        decimals: Option<Decimals>,
        carry: &mut Carry,
    ) -> u64 {
        let Self { digits, zeros, minuses, .. } = self;
        let numbers =
            Self { digits: digits & bytes, zeros: zeros & bytes, minuses: minuses & bytes, ..self };
        let behind_digit = behind(numbers.digits, &mut carry.digit);
        let Some(decimals) = decimals else {
            return numbers.faults_of_integers(first, carry);
        };
        let others = bytes & !(numbers.digits | numbers.minuses);
        let decimals = Decimals {
            pluses: decimals.pluses & bytes,
            points: decimals.points & bytes,
            exponents: decimals.exponents & bytes,
        };
        let faults = numbers.faults_of_decimals(&decimals, first, behind_digit, carry);
        others & !decimals.all() | faults
    }

    /// Marks faults in integers, which begin at `first`.
    #[inline(always)]
    fn faults_of_integers(&self, first: u64, carry: &mut Carry) -> u64 {
        let Self { digits, zeros, minuses, .. } = *self;
        let behind_minus = behind(minuses, &mut carry.sign);
        // A minus either begins a number or is a fault.
        carry.first_minus = carry.sign;
        let zero_led = behind(zeros & (first | behind_minus), &mut carry.first_zero) & digits;
        minuses & !first | behind_minus & !digits | zero_led
    }

    /// Marks faults in numbers, which begin at `first`.
    #[inline(always)]
    fn faults_of_decimals(
        &self,
        decimals: &Decimals,
        first: u64,
        behind_digit: u64,
        carry: &mut Carry,
    ) -> u64 {
        let Self { digits, zeros, minuses, .. } = *self;
        let Decimals { pluses, points, exponents } = *decimals;
        let signs = minuses | pluses;
        let behind_sign = behind(signs, &mut carry.sign);
        let behind_point = behind(points, &mut carry.point);
        let behind_exponent = behind(exponents, &mut carry.exponent);
        let first_digits = first | behind(minuses & first, &mut carry.first_minus);
        let power_digits = behind_exponent | behind(signs & behind_exponent, &mut carry.power_sign);

        let lonely = (points | exponents) & !behind_digit;
        let misplaced = minuses & !(first | behind_exponent) | pluses & !behind_exponent;
        let cut = (behind_point | behind_sign) & !digits | behind_exponent & !(digits | signs);
        let zero_led = behind(zeros & first_digits, &mut carry.first_zero) & digits;
        let second_point = self.behind_run(behind_point, &mut carry.fraction) & points;
        let behind_power = self.behind_run(power_digits, &mut carry.power) & (points | exponents);
        lonely | misplaced | cut | zero_led | second_point | behind_power
    }

    /// Marks the positions right after the runs of digits that begin at `first`.
    #[inline(always)]
    const fn behind_run(&self, first: u64, carry: &mut u64) -> u64 {
        // Adding the first digit to a run of digits carries to the byte that ends the run.
        let (sum, over) = self.digits.overflowing_add(first & self.digits);
        let (sum, over_too) = sum.overflowing_add(*carry);
        *carry = if over | over_too { 1 } else { 0 };
        sum & !self.digits
    }

    /// Returns the number of bytes up to and including the last comma before the first stop, or 0 if there is
    /// none.
    #[inline(always)]
    pub(in super::super) const fn whole(&self, stops: u64) -> u32 {
        let whole = self.commas & (stops & stops.wrapping_neg()).wrapping_sub(1);
        64_u32.wrapping_sub(whole.leading_zeros())
    }
}

#[cfg(test)]
mod tests {
    use super::super::BLOCK;
    use super::super::one_by_one::{Random, decimals, numbers};
    use super::Carry;
    use std::vec::Vec;

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
            // Stops are rare, so that some runs span many blocks.
            let kinds = [pieces.len(), 7, 3, 7][round % 4];
            let mut bytes = Vec::new();
            while bytes.len() < 4 * BLOCK {
                bytes.extend(pieces[random.next() % kinds]);
            }
            let (mut carry, mut length, mut at) = (Carry::START, 0, 0);
            while let Some(block) = bytes[at..].first_chunk() {
                let numbers = numbers(block);
                let are_integers = numbers.are_integers(!numbers.commas, &carry);
                let decimals = decimals(block);
                let stops = numbers.stops((!are_integers).then_some(decimals), &mut carry);
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
            // It must also go as far as possible.
            let mut rest = bytes[length..at].split_inclusive(|&byte| byte == b',');
            assert!(
                !rest.next().is_some_and(valid_with_comma),
                "{length} {}",
                bytes.escape_ascii()
            );
        }
    }
}
