//! The competitors: every way to parse the lines of an input as messages.

mod frameworks;
mod jiter;
mod limits;
mod serde;
mod simd;
mod tautline;

use std::hint::black_box;

use benches::corpora::{Counts, Kind};

/// One way to parse an input.
pub struct Competitor {
    /// The unique name.
    pub name: &'static str,
    /// The context for its numbers: the work it does beyond the others, and the work it leaves out.
    pub about: &'static str,
    /// The way to validate its answer.
    pub answer: Answer,
    /// Parses the input once and returns the counts.
    pub pass: Pass,
}

/// A pass over the input, with the memory that it keeps between passes.
pub type Pass = Box<dyn FnMut(&[u8]) -> Counts>;

/// The scope of a competitor's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Every message, with its kind.
    Messages,
    /// The same, except that it refuses messages its types have no place for.
    SomeMessages,
    /// Lines only: an upper limit of speed.
    Limit,
}

/// The name of the baseline that everything is measured against.
pub const BASELINE: &str = "serde_json RawValue envelope";

/// The names of the two whose times together are what reading in pieces is measured against.
pub const SLICE: &str = "tautline stream";
pub const COPY: &str = "memcpy, 16 KiB at a time";

/// Returns all competitors, this crate's first.
pub fn all() -> Vec<Competitor> {
    let mut all = tautline::competitors();
    all.extend(serde::competitors());
    all.extend(simd::competitors());
    all.extend(jiter::competitors());
    all.extend(frameworks::competitors());
    all.extend(limits::competitors());
    all
}

/// Splits the input with memchr and parses line by line, for competitors without line framing.
fn line_by_line<'wire>(
    wire: &'wire [u8],
    mut judge: impl FnMut(&'wire [u8]) -> Option<Kind>,
) -> Counts {
    let mut counts = Counts::default();
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', wire).chain([wire.len()]) {
        let line = wire.get(start..end).unwrap_or_default();
        if !line.is_empty() {
            counts.add(judge(line));
        }
        start = end + 1;
    }
    counts
}

/// Returns the kind of a message by its members, if they match exactly one kind.
const fn kind(method: bool, id: bool, result: bool, error: bool) -> Option<Kind> {
    match (method, id, result, error) {
        (true, true, false, false) => Some(Kind::Request),
        (true, false, false, false) => Some(Kind::Notification),
        (false, true, true, false) => Some(Kind::Result),
        (false, true, false, true) => Some(Kind::Error),
        _ => None,
    }
}

/// Passes a message to its user, so that no part of constructing it can be optimised away.
fn hand_over<M>(message: M) {
    black_box(&message);
}
