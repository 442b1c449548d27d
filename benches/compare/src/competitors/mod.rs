//! Who is compared: every way to take a wire of lines for the messages that it is.

mod frameworks;
mod jiter;
mod limits;
mod serde;
mod simd;
mod tautline;

use std::hint::black_box;

use crate::corpora::{Counts, Kind};

/// One way over a wire.
pub struct Competitor {
    /// What it is called, and no two the same.
    pub name: &'static str,
    /// What one has to know of it to read its numbers: what it does more, and what less.
    pub about: &'static str,
    /// How its answer is to be judged.
    pub answer: Answer,
    /// Goes over the wire once and says what it has found.
    pub pass: Pass,
}

/// A pass over the wire, with the memory that it keeps between passes.
pub type Pass = Box<dyn FnMut(&[u8]) -> Counts>;

/// What can be asked of a competitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Every message, as what it is.
    Messages,
    /// The same, but for messages that its types have no place for, which it refuses.
    SomeMessages,
    /// Lines and nothing about them: how fast anybody could be.
    Limit,
}

/// The name of what everything is measured against.
pub const BASELINE: &str = "serde_json RawValue envelope";

/// All of them, those first that the crate is about.
pub fn all() -> Vec<Competitor> {
    let mut all = tautline::competitors();
    all.extend(serde::competitors());
    all.extend(simd::competitors());
    all.extend(jiter::competitors());
    all.extend(frameworks::competitors());
    all.extend(limits::competitors());
    all
}

/// Cuts the wire with memchr and judges line by line, for those who know no lines.
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

/// What kind a message is by the members that it has, if it has those of exactly one kind.
const fn kind(method: bool, id: bool, result: bool, error: bool) -> Option<Kind> {
    match (method, id, result, error) {
        (true, true, false, false) => Some(Kind::Request),
        (true, false, false, false) => Some(Kind::Notification),
        (false, true, true, false) => Some(Kind::Result),
        (false, true, false, true) => Some(Kind::Error),
        _ => None,
    }
}

/// Hands a message to its user, so that no part of making it can be left out.
fn hand_over<M>(message: M) {
    black_box(&message);
}
