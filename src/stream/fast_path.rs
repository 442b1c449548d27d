//! The fast path of a stream of lines: a line is parsed in the pass that looks for its end.
//!
//! It accepts plain messages only, and leaves every other line to the fallback, which splits first and
//! parses second. Without the feature `fast` it accepts nothing, and the compiler removes it.

#[cfg(feature = "fast")]
use crate::cast::u64_from;
#[cfg(feature = "fast")]
use crate::envelope::healthy::{self, Unclear};
use crate::envelope::{Fault, Layout, Message, Rules};
use crate::frame::Frame;
#[cfg(feature = "fast")]
use crate::frame::find_last_newline;

/// A line longer than this, in bytes, is long.
#[cfg(feature = "fast")]
const LONG_LINE: usize = 2048;

/// Decides for a stream which lines to try. What it decides changes the speed and nothing else.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FastPath {
    /// The last line was long. If the next one does not end in the input, scanning it would be wasted work,
    /// so its end is looked for first.
    #[cfg(feature = "fast")]
    after_long: bool,
    /// Every line that begins before this position of the stream ends in the input that was looked at last.
    #[cfg(feature = "fast")]
    whole: u64,
}

/// The layout of the message that a line is, and where in the input its newline stands; or what was learnt of a line
/// that is left to the fallback.
pub(crate) type Attempt = Result<(Layout, usize), Fallback>;

/// What the fast path has learnt of a line that it leaves to the fallback.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fallback {
    /// Where in the stream the line begins, and why it was not accepted.
    #[cfg(feature = "fast")]
    tried: Option<(u64, Unclear)>,
}

impl FastPath {
    pub(crate) const NEW: Self = Self {
        #[cfg(feature = "fast")]
        after_long: false,
        #[cfg(feature = "fast")]
        whole: 0,
    };

    /// Tries the line that the input begins with, at this position of the stream, if that is worth it.
    #[inline(always)]
    pub(crate) fn line(&mut self, input: &[u8], position: u64, rules: &Rules) -> Attempt {
        #[cfg(feature = "fast")]
        if !self.after_long || self.is_whole(input, position) {
            return Self::any_line(input, position, rules);
        }
        let _ = (input, position, rules);
        Err(Fallback::default())
    }

    /// Tries the line that the input begins with, at this position of the stream, in any case.
    #[inline(always)]
    pub(crate) fn any_line(input: &[u8], position: u64, rules: &Rules) -> Attempt {
        #[cfg(feature = "fast")]
        return healthy::line(input, rules)
            .map_err(|unclear| Fallback { tried: Some((position, unclear)) });
        #[cfg(not(feature = "fast"))]
        {
            let _ = (input, position, rules);
            Err(Fallback::default())
        }
    }

    /// Takes note of the length of a line, in bytes.
    #[inline(always)]
    pub(crate) const fn note_length(&mut self, length: usize) {
        #[cfg(feature = "fast")]
        {
            self.after_long = length > LONG_LINE;
        }
        #[cfg(not(feature = "fast"))]
        let _ = length;
    }

    /// Returns whether the line that the input begins with ends in it.
    #[cfg(feature = "fast")]
    fn is_whole(&mut self, input: &[u8], position: u64) -> bool {
        if self.whole <= position
            && let Some(last) = find_last_newline(input)
        {
            self.whole = position.saturating_add(u64_from(last)).saturating_add(1);
        }
        self.whole > position
    }
}

impl Fallback {
    /// Parses the next frame of the stream, and tries nothing twice.
    #[inline]
    pub(crate) fn parse<'buf>(
        self,
        frame: &Frame<'buf>,
        rules: &Rules,
    ) -> Result<Message<'buf>, Fault> {
        #[cfg(feature = "fast")]
        if let Some((position, unclear)) = self.tried
            // The end of a terminated line was in the input, so all of it was tried.
            && frame.offset() == position
            && frame.is_terminated()
        {
            return Message::parse_unclear(frame.bytes(), frame.delimiter(), rules, unclear);
        }
        Message::parse_frame(frame, rules)
    }
}
