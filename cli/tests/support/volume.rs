//! How much the tests do: `TAUTLINE_TEST_VOLUME=N` multiplies each volume by N.

/// Returns a volume, times the factor in the environment.
pub fn volume(default: usize) -> usize {
    let factor = std::env::var("TAUTLINE_TEST_VOLUME").map_or(1.0, |factor| {
        let factor: Option<f64> = factor.parse().ok().filter(|factor| *factor > 0.0);
        factor.expect("TAUTLINE_TEST_VOLUME is no number above 0")
    });
    (default as f64 * factor).ceil() as usize
}
