//! Content-Length: however a stream is cut, every driver yields the events of the naive reference.

use tautline::frame::ContentLength;

use crate::support::framings::{Behind, Case, Taken};
use crate::support::reference::content_length;

/// Low enough for a short stream to exceed it.
pub const HEADER_LIMIT: u32 = 80;

pub fn case(stream: &[u8], limit: u32, behind: Behind) -> Case<'_, ContentLength> {
    Case {
        framing: ContentLength::new(limit).with_header_limit(HEADER_LIMIT),
        stream,
        behind,
        expected: content_length::split(stream, limit, HEADER_LIMIT as usize, behind),
    }
}

pub fn check(input: &[u8]) {
    let Taken { limit, behind, chunks, stream } = Taken::from(input);
    let case = case(stream, limit, behind);
    case.check_whole();
    case.check_cut(&chunks);
}
