//! The messages of a whole stream.

use super::Received;
#[cfg(feature = "fast")]
use super::tried::Tried;
use crate::envelope::Rules;
#[cfg(feature = "fast")]
use crate::envelope::healthy;
use crate::frame::Frames;

/// The messages of a slice that holds the whole stream.
///
/// ```
/// use tautline::Rules;
/// use tautline::stream::{Messages, Received};
///
/// let wire = b"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1}\n{}\n";
/// let mut messages = Messages::new(wire, 1024, &Rules::JSON_RPC);
/// assert!(matches!(messages.next(), Some(Received::Message { .. })));
/// let Some(Received::Fault { frame, fault }) = messages.next() else { panic!() };
/// assert_eq!((frame.line(), fault.rule().name()), (2, "missing-jsonrpc"));
/// ```
#[derive(Clone, Debug)]
pub struct Messages<'buf> {
    frames: Frames<'buf>,
    rules: Rules,
}

impl<'buf> Messages<'buf> {
    /// The messages of `stream`, in frames of at most `limit` bytes.
    #[must_use]
    pub const fn new(stream: &'buf [u8], limit: u32, rules: &Rules) -> Self {
        Self { frames: Frames::new(stream, limit), rules: *rules }
    }
}

impl<'buf> Iterator for Messages<'buf> {
    type Item = Received<'buf>;

    fn next(&mut self) -> Option<Self::Item> {
        // A line that is plainly healthy is gone over once: its end is found on the way.
        #[cfg(feature = "fast")]
        if let Some(bytes) = self.frames.line() {
            match healthy::line(bytes, &self.rules) {
                Ok((message, end)) => {
                    if let Some(frame) = self.frames.take_line(end) {
                        return Some(Received::Message { frame, message });
                    }
                }
                Err(unclear) => {
                    let tried = Tried { offset: self.frames.line_start(), unclear };
                    return self
                        .frames
                        .next()
                        .map(|event| tried.judge(event, || None, &self.rules));
                }
            }
        }
        self.frames.next().map(|event| Received::from_event(event, &self.rules))
    }
}

impl core::iter::FusedIterator for Messages<'_> {}
