//! A random generator that is the same in every run and on every machine: SplitMix64.

/// A generator whose sequence its seed determines.
pub struct Random(u64);

impl Random {
    /// Creates the generator of this seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 bits (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators").
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number from 0 (included) to 1 (excluded).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns true with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Returns a number from `least` to `most`, both included.
    pub fn between(&mut self, least: i64, most: i64) -> i64 {
        let span = most.abs_diff(least).wrapping_add(1);
        // The high half of the product is uniform enough for sample text.
        let drawn = (u128::from(self.bits()) * u128::from(span)) >> 64;
        least.wrapping_add(drawn as i64)
    }

    /// Returns a count from `least` to `most`, both included.
    pub fn count(&mut self, least: usize, most: usize) -> usize {
        self.between(least as i64, most as i64) as usize
    }

    /// Returns one of the choices.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.count(0, choices.len() - 1)]
    }

    /// Returns a number around `mean`: a sum of twelve, which is close enough to the normal distribution.
    pub fn around(&mut self, mean: f64, deviation: f64) -> f64 {
        let sum: f64 = (0..12).map(|_| self.unit()).sum();
        mean + (sum - 6.0) * deviation
    }

    /// Shuffles the items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.count(0, last));
        }
    }
}
