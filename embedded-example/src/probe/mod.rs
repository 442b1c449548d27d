//! Calls to all of tautline, none of which the compiler can leave out.
//!
//! An optimiser that knows an input computes the result at build time, and drops an unused result. Every input is
//! therefore [hidden](hide) from it, and every output is [shown](Show::show). Each module's calls are in one file.

pub mod inputs;

mod frames;
mod json;
mod messages;
mod show;
mod streams;

use inputs::Verdict;

pub use show::{Show, hide};

/// The number of bytes lent to the drivers. They are static and no cost of the core.
pub const STORAGE: usize = 1024;

/// Counts of the outcomes that `stack` expects, or rules out, for an input.
#[derive(Clone, Copy, Default)]
pub struct Tally {
    pub frames: u32,
    pub oversized: u32,
    pub messages: u32,
    pub faults: u32,
}

impl Tally {
    /// Returns whether the counts match the verdict.
    pub fn is(self, verdict: Verdict) -> bool {
        let refused = self.faults + self.oversized;
        match verdict {
            Verdict::Healthy => self.messages > 0 && refused == 0,
            Verdict::Hostile => self.messages == 0 && refused > 0,
        }
    }
}

/// Runs all of the core over the input.
#[inline(never)]
pub fn everything(input: &[u8], storage: &mut [u8]) -> Tally {
    let mut tally = Tally::default();
    frames::slice(input, &mut tally);
    frames::pushed(input, storage, &mut tally);
    frames::filled(input, storage, &mut tally);
    frames::split(input, &mut tally);
    messages::all_presets(input, &mut tally);
    messages::tables(input);
    streams::slice(input, &mut tally);
    streams::pushed(input, storage, &mut tally);
    // The storage of these two is too small for most lines, so their outcomes do not count.
    frames::pushed_inside(input, &mut Tally::default());
    frames::filled_inside(input, &mut Tally::default());
    tally
}
