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

/// Sets the event of the next element. Its `frame` is that of the batch, to which offsets refer.
pub(crate) fn next<'buf>(
    elements: &mut BatchIter<'buf>,
    frame: &'buf [u8],
    event: &mut tl_event,
) -> i32 {
    *event = tl_event::NONE;
    if let Some(element) = elements.next() {
        event::of_verdict(event, frame, &element.message());
    }
    event.kind
}
