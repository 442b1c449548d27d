//! Numbers as doubles: exactly rounded, in little code and without tables.
//!
//! The parsers of `core` and of other crates need 12 to 20 KB, and contain panics. This one divides two long integers,
//! bit by bit. It is slower than they are, but a number of few digits has short integers.

use tautline::RawNumber;

/// The first digits of a number, and whether others follow, decide the rounding of every double.
const DIGITS: usize = 770;

/// A number whose first digit is further from the point than this is infinite or zero.
const FAR: i32 = 330;

/// The limbs of the longest integers: of 10 to the power of [`DIGITS`] + [`FAR`], and some more.
const LIMBS: usize = 128;

/// Returns the double that is nearest to a number, perhaps an infinite one. Of two, it is the even one.
pub(crate) fn nearest(number: RawNumber<'_>) -> f64 {
    let (digits, shift) = number.decimal();
    let farthest = if shift < 0 { i32::MIN } else { i32::MAX };
    let magnitude = magnitude(digits, i32::try_from(shift).unwrap_or(farthest));
    let double = f64::from_bits(magnitude);
    if number.is_negative() { -double } else { double }
}

/// Returns the shortest text that reads back as the same double, or none if it is infinite or no number.
pub(crate) fn shortest(double: f64, buffer: &mut zmij::Buffer) -> Option<&str> {
    double.is_finite().then(|| buffer.format_finite(double))
}

/// Returns the bits of a positive double.
fn magnitude(digits: impl Iterator<Item = u8> + Clone, shift: i32) -> u64 {
    let count = digits.clone().count();
    // One more digit stands for those that are cut off.
    let kept = count.min(DIGITS);
    let is_cut = count > kept;
    let number = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
    let place = shift.saturating_add(number(count));
    if count == 0 || place < -FAR {
        return 0;
    }
    if place > FAR {
        return f64::INFINITY.to_bits();
    }
    let exponent = place.saturating_sub(number(kept)).saturating_sub(is_cut.into());
    // Ten is less than 2 to the power of 27 / 8.
    let places = number(kept).saturating_add(1).saturating_add(exponent.max(0)).max(-exponent);
    let length = index((places * 27 / 8 + 128) / 32);
    let mut above = Long { limbs: [0; LIMBS], length };
    let mut below = Long { limbs: [0; LIMBS], length };
    below.multiply_add(0, 1);
    for digit in digits.take(kept).chain(is_cut.then_some(1)) {
        above.multiply_add(10, digit.into());
    }
    above.power(10, exponent);
    below.power(10, -exponent);
    // Shift the quotient until it is at least 1 and less than 2.
    let mut shifted = above.bits().wrapping_sub(below.bits());
    below.shift(shifted);
    above.shift(shifted.wrapping_neg());
    if above.is_less(&below) {
        above.shift(1);
        shifted = shifted.wrapping_sub(1);
    }
    if shifted > 1023 {
        return f64::INFINITY.to_bits();
    }
    // Doubles near zero have fewer bits.
    let bits = shifted.wrapping_add(1022 + 53).min(53);
    if bits < 0 {
        return 0;
    }
    let mut quotient = 0_u64;
    for _ in 0..bits {
        let bit = above.subtract(&below);
        quotient = quotient << 1 | u64::from(bit);
        above.shift(1);
    }
    let is_half = above.subtract(&below);
    let is_up = is_half && (quotient & 1 == 1 || !above.is_zero());
    // The highest bit of the quotient adds 1 to the exponent, if there are 53.
    let exponent = u64::from(shifted.wrapping_add(1022).max(0).unsigned_abs());
    (exponent << 52).wrapping_add(quotient).wrapping_add(is_up.into())
}

fn index(length: i32) -> usize {
    usize::try_from(length).unwrap_or_default()
}

/// A long integer, from its lowest limb to its highest.
struct Long {
    limbs: [u32; LIMBS],
    /// The limbs beyond these are 0, and stay 0.
    length: usize,
}

impl Long {
    fn limbs(&self) -> &[u32] {
        self.limbs.get(..self.length).unwrap_or(&self.limbs)
    }

    fn limbs_mut(&mut self) -> &mut [u32] {
        match self.limbs.get_mut(..self.length) {
            Some(limbs) => limbs,
            None => &mut [],
        }
    }

    #[inline(never)]
    fn multiply_add(&mut self, factor: u32, summand: u32) {
        let mut carry = u64::from(summand);
        for limb in self.limbs_mut() {
            carry = u64::from(*limb).wrapping_mul(factor.into()).wrapping_add(carry);
            *limb = low(carry);
            carry >>= u32::BITS;
        }
    }

    /// Multiplies by a power whose exponent is not negative.
    #[inline(never)]
    fn power(&mut self, factor: u32, exponent: i32) {
        for _ in 0..exponent {
            self.multiply_add(factor, 0);
        }
    }

    /// Shifts to the left by a number of bits that is not negative.
    fn shift(&mut self, bits: i32) {
        if bits > 0 {
            self.power(1 << 16, bits / 16);
            self.multiply_add(1 << (bits % 16), 0);
        }
    }

    fn is_less(&self, other: &Self) -> bool {
        self.limbs().iter().rev().lt(other.limbs().iter().rev())
    }

    /// Subtracts another one of the same length, and returns true, unless the difference is negative.
    #[inline(never)]
    fn subtract(&mut self, other: &Self) -> bool {
        if self.is_less(other) {
            return false;
        }
        let mut borrow = false;
        for (limb, other) in self.limbs_mut().iter_mut().zip(other.limbs()) {
            let (once, first) = limb.overflowing_sub(*other);
            let (twice, second) = once.overflowing_sub(borrow.into());
            *limb = twice;
            borrow = first | second;
        }
        true
    }

    fn is_zero(&self) -> bool {
        self.limbs().iter().all(|limb| *limb == 0)
    }

    /// Returns the number of bits.
    fn bits(&self) -> i32 {
        let (mut bits, mut below) = (0, 0_i32);
        for limb in self.limbs() {
            below = below.wrapping_add(32);
            if *limb != 0 {
                bits = below.wrapping_sub_unsigned(limb.leading_zeros());
            }
        }
        bits
    }
}

fn low(value: u64) -> u32 {
    let [a, b, c, d, ..] = value.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}
