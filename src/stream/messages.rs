//! The messages of a slice.

use super::Received;
use super::fast_path::{Fallback, FastPath};
use crate::envelope::{Message, Profile};
use crate::frame::Frames;

/// The messages of a slice that holds the whole stream.
///
/// ```
/// use tautline::Profile;
/// use tautline::stream::{Messages, Received};
///
/// let wire = b"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1}\n{}\n";
/// let mut messages = Messages::new(wire, 1024, &Profile::JSON_RPC);
/// assert!(matches!(messages.next(), Some(Received::Message { .. })));
/// let Some(Received::Fault { frame, fault, .. }) = messages.next() else { panic!() };
/// assert_eq!((frame.line(), fault.rule()), (2, tautline::Rule::MISSING_JSONRPC));
/// ```
#[derive(Clone, Debug)]
pub struct Messages<'buf> {
    frames: Frames<'buf>,
    profile: Profile,
}

impl<'buf> Messages<'buf> {
    /// Iterates over the messages of `stream`, in frames of at most `limit` bytes.
    ///
    /// Oversized frames are not skimmed, because an iterator can't lend what a skimmer keeps. Choose a limit that every
    /// frame is within, such as the length of the slice, to have them parsed.
    #[must_use]
    pub fn new(stream: &'buf [u8], limit: u32, profile: &Profile) -> Self {
        Self { frames: Frames::new(stream, limit), profile: *profile }
    }
}

impl<'buf> Iterator for Messages<'buf> {
    type Item = Received<'buf>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut fallback = Fallback::default();
        if let Some(line) = self.frames.line() {
            match FastPath::any_line(line, self.frames.line_start(), &self.profile) {
                Ok((layout, newline)) => {
                    if let Some(frame) = self.frames.take_line(newline) {
                        let message = Message::new(frame.bytes(), layout);
                        return Some(Received::Message { frame, message });
                    }
                }
                Err(left) => fallback = left,
            }
        }
        let event = self.frames.next()?;
        let profile = &self.profile;
        Some(Received::judged(event, || None, profile, |frame| fallback.parse(frame, profile)))
    }
}

impl core::iter::FusedIterator for Messages<'_> {}
