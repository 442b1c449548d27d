//! Concatenated JSON: however a stream is cut, every driver yields the events of the naive reference.

use tautline::frame::Concatenated;

use crate::support::framings::{Behind, Case, Taken};
use crate::support::reference::concatenated;

pub fn case(stream: &[u8], limit: u32, behind: Behind) -> Case<'_, Concatenated> {
    Case {
        framing: Concatenated::new(limit),
        stream,
        behind,
        expected: concatenated::split(stream, limit, behind),
    }
}

pub fn check(input: &[u8]) {
    let Taken { limit, behind, chunks, stream } = Taken::from(input);
    let case = case(stream, limit, behind);
    case.check_whole();
    case.check_cut(&chunks);
}
