//! The interface between the report of a frame and the judge of its messages.

use tautline::{ErrorCode, Fault, Message, Profile};
use tautline_mcp::ParamsView;

use super::FindingReport;

/// A judge of messages, one after the other.
pub trait Judge {
    /// Prepares for a frame, before its envelope is read.
    fn prepare(&mut self, _frame: &[u8]) {}

    /// Returns the profile for the envelope of the next frame.
    fn profile(&self) -> Profile;

    /// Judges a message beyond its envelope. It is called for each message of a batch, and never for the batch itself.
    /// `params` is the view of its params, if they are an object. If the message is a request that the receiver refuses,
    /// returns the code of the error.
    fn message(
        &mut self,
        message: &Message<'_>,
        params: Option<&ParamsView<'_>>,
        report: &mut dyn FnMut(FindingReport),
    ) -> Option<ErrorCode>;

    /// Records a frame, or an element of a batch, that is not a valid message. `text` is the frame or the element.
    fn fault(&mut self, _fault: &Fault<'_>, _text: &[u8], _report: &mut dyn FnMut(FindingReport)) {}
}

/// Returns the view of the params of a call, if they are an object. It is made once, because it visits every member.
pub(crate) fn params_of<'buf>(message: &Message<'buf>) -> Option<ParamsView<'buf>> {
    let params = match message {
        Message::Request(request) => request.params(),
        Message::Notification(note) => note.params(),
        _ => None,
    };
    params.and_then(ParamsView::of)
}
