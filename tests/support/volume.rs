//! The volume of the tests: `TAUTLINE_TEST_VOLUME=N` multiplies each volume by N, such as 100 or 0.25.

/// Returns a volume, times the factor in the environment.
pub fn volume(default: u32) -> u32 {
    let factor = std::env::var("TAUTLINE_TEST_VOLUME").map_or(1.0, |factor| {
        let factor: Option<f64> = factor.parse().ok().filter(|factor| *factor > 0.0);
        factor.expect("TAUTLINE_TEST_VOLUME is no number above 0")
    });
    (f64::from(default) * factor).ceil() as u32
}
