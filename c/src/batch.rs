//! The messages of a batch.

use tautline::envelope::BatchIter;
use tautline::frame::Frame;
use tautline::{Message, Profile};

use crate::abi::{tl_error, tl_event};
use crate::event;

/// Reads a frame that is a batch.
pub(crate) fn begin<'buf>(
    profile: &Profile,
    frame: &'buf [u8],
) -> Result<BatchIter<'buf>, tl_error> {
    match Message::parse(Frame::from(frame), profile) {
        Ok(Message::Batch(batch)) => Ok(batch.iter()),
        _ => Err(tl_error::Type),
    }
}

/// The place of a batch in its stream.
pub(crate) struct Place {
    line: u64,
    offset: u64,
    terminated: u8,
}

impl Place {
    pub(crate) const fn of(event: &tl_event) -> Self {
        let &tl_event { line, offset, terminated, .. } = event;
        Self { line, offset, terminated }
    }
}

/// Sets the event of the next element. Its `frame` is that of the batch, to which `place` refers.
pub(crate) fn next<'buf>(
    elements: &mut BatchIter<'buf>,
    frame: &'buf [u8],
    place: &Place,
    event: &mut tl_event,
) -> i32 {
    if let Some(element) = elements.next() {
        let &Place { line, offset, terminated } = place;
        *event = tl_event { line, offset, terminated, ..tl_event::NONE };
        event::of_verdict(event, frame, &element.message());
    }
    event.kind
}
