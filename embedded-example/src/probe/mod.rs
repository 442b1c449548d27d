//! Calls to all of tautline, of which the compiler can leave out none.
//!
//! An optimiser that knows an input works the result out at build time, and drops a result that is
//! not used. What goes in is therefore [hidden](hide) from it, and all that comes out is
//! [shown](Show::show). The calls of one room stand in one file.

pub mod inputs;

mod frames;
mod json;
mod messages;
mod show;
mod streams;

use inputs::Verdict;

pub use show::{Show, hide};

/// How many bytes the drivers are lent. They lie beside the stack: they are no cost of the core.
pub const STORAGE: usize = 1024;

/// How often something came out that `stack` expects, or expects not, of an input.
#[derive(Clone, Copy, Default)]
pub struct Tally {
    pub frames: u32,
    pub oversized: u32,
    pub messages: u32,
    pub faults: u32,
}

impl Tally {
    /// Whether what came out bears the verdict out.
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
    // The storage of these two is too small for most lines, so what they say does not count.
    frames::pushed_watched(input, &mut Tally::default());
    frames::filled_watched(input, &mut Tally::default());
    tally
}
