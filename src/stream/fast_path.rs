//! The fast path of a stream of lines: it parses a line in the same pass that looks for its end.
//!
//! It accepts only common, valid messages, and leaves every other line to the fallback, which splits first
//! and then parses.

use crate::bytes::{find, rfind};
use crate::cast::{index_in_memory, u64_from};
use crate::envelope::fast::{self, Undecided};
use crate::envelope::{Fault, Layout, Message, Profile};
use crate::frame::Frame;

/// A line longer than this, in bytes, is long.
const LONG_LINE: usize = 2048;

/// At most this many unseen bytes are searched from the front. They were probably copied just now, and the processor may
/// still be writing the last ones to its cache.
const FRESH: usize = 8 * 1024;

/// Decides which lines of a stream to try. Its decisions affect the speed only.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FastPath {
    /// True if the last line was long. If the next line does not end in the input, scanning it would be
    /// wasted work, so its end is looked for first.
    after_long: bool,
    /// Every line that begins before this position of the stream ends in the last input.
    whole: u64,
    /// The position up to which a line was searched for its end, which was not found.
    searched: u64,
}

/// The layout of the message in a line, and the index of its newline in the input; or the fast path's
/// findings about a line left to the fallback.
pub(crate) type Attempt = Result<(Layout, usize), Fallback>;

/// The fast path's findings about a line that it leaves to the fallback.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fallback {
    /// The position of the line in the stream, and why it was not accepted.
    tried: Option<(u64, Undecided)>,
}

impl FastPath {
    pub(crate) const NEW: Self = Self { after_long: false, whole: 0, searched: 0 };

    /// Tries the first line of the input, at this position of the stream, if that is worthwhile.
    #[inline(always)]
    pub(crate) fn line(&mut self, input: &[u8], position: u64, profile: &Profile) -> Attempt {
        if !self.after_long || self.is_whole(input, position) {
            return Self::any_line(input, position, profile);
        }
        Err(Fallback::default())
    }

    /// Tries the first line of the input, at this position of the stream, unconditionally.
    #[inline(always)]
    pub(crate) fn any_line(input: &[u8], position: u64, profile: &Profile) -> Attempt {
        fast::line(input, profile)
            .map_err(|undecided| Fallback { tried: Some((position, undecided)) })
    }

    /// Returns whether the first line of the input, which was left to the fallback, is known not to end in it.
    /// The caller may show the line again with more bytes after it: no byte is searched twice.
    #[cfg(any(feature = "std", feature = "embedded-io-v0_7"))]
    pub(crate) fn ends_later(&self, input: &[u8], position: u64) -> bool {
        self.searched == position.saturating_add(u64_from(input.len()))
    }

    /// Records the length of a line, in bytes.
    #[inline(always)]
    pub(crate) const fn note_length(&mut self, length: usize) {
        self.after_long = length > LONG_LINE;
    }

    /// Returns whether the first line of the input ends in it.
    fn is_whole(&mut self, input: &[u8], position: u64) -> bool {
        if self.whole > position {
            return true;
        }
        let from = index_in_memory(self.searched.saturating_sub(position));
        // If the caller has dropped bytes that were searched, all are searched again.
        let unseen = input.get(from..).unwrap_or(input);
        let end = if unseen.len() <= FRESH { find(b'\n', unseen) } else { rfind(b'\n', unseen) };
        let Some(end) = end else {
            self.searched = position.saturating_add(u64_from(input.len()));
            return false;
        };
        let after = input.len().saturating_sub(unseen.len()).saturating_add(end).saturating_add(1);
        self.whole = position.saturating_add(u64_from(after));
        true
    }
}

impl Fallback {
    /// Parses the next frame of the stream, without repeating work of the fast path.
    #[inline]
    pub(crate) fn parse<'buf>(
        self,
        frame: &Frame<'buf>,
        profile: &Profile,
    ) -> Result<Message<'buf>, Fault<'buf>> {
        if let Some((position, undecided)) = self.tried
            // The end of a terminated line was in the input, so the fast path saw all of it.
            && frame.offset() == position
            && frame.is_terminated()
        {
            return Message::parse_undecided(frame.bytes(), frame.delimiter(), profile, undecided);
        }
        Message::parse_delimited(frame.bytes(), frame.delimiter(), profile)
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::{FRESH, FastPath};

    #[test]
    fn knows_whether_a_line_ends_in_an_input_of_any_size() {
        for length in [1, FRESH - 1, FRESH, FRESH + 1, 3 * FRESH] {
            let mut path = FastPath::NEW;
            let mut input = vec![b' '; length];
            assert!(!path.is_whole(&input, 100) && path.ends_later(&input, 100), "{length}");
            // The next input begins with the same line, and has two more.
            let ended = input.len();
            input.extend_from_slice(b"\n \n ");
            assert!(path.is_whole(&input, 100), "{length}");
            for (from, is_whole) in [(ended + 1, true), (ended + 3, false)] {
                let position = 100 + from as u64;
                assert_eq!(path.is_whole(&input[from..], position), is_whole, "{length}, {from}");
            }
        }
    }

    #[test]
    fn searches_no_byte_twice() {
        let mut path = FastPath::NEW;
        let mut input = vec![b' '; 2 * FRESH];
        assert!(!path.is_whole(&input, 0));
        // A newline among the bytes that were searched is not found.
        input[FRESH] = b'\n';
        input.push(b' ');
        assert!(!path.is_whole(&input, 0));
        input.push(b'\n');
        assert!(path.is_whole(&input, 0));
    }
}
