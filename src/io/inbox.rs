//! What all readers have in common: everything but the reading.

use crate::envelope::Rules;
#[cfg(any(feature = "embedded-io-v0_7", feature = "embedded-io-async-v0_7"))]
use crate::envelope::Skimmer;
use crate::frame::{FrameBuffer, ReadyInBuffer, Storage, Until};
use crate::stream::{Received, Watch};

/// Messages out of a buffer that somebody else reads into.
///
/// Lines are split off and then parsed, the plain way of the [stream door](crate::stream). Its faster one
/// lends a message before it is known that there is one, which can't be done from storage that is read
/// into; to keep the places of the members until then costs more than it gains.
#[derive(Clone, Debug)]
pub(super) struct Inbox<S, W> {
    pub(super) buffer: FrameBuffer<S>,
    pub(super) rules: Rules,
    watch: W,
    /// The reader has said that there is no more.
    ended: bool,
}

/// What to do next.
pub(super) enum Next {
    /// A line is ready, to be [lent](Inbox::lend).
    Line(ReadyInBuffer),
    /// There is none: read.
    Read,
    /// There is none, and there will be none.
    End,
}

impl<S: Storage, W: Watch> Inbox<S, W> {
    pub(super) const fn new(buffer: FrameBuffer<S>, rules: &Rules, watch: W) -> Self {
        Self { buffer, rules: *rules, watch, ended: false }
    }

    /// Finds a line, and lends nothing yet: a loop that may go on after it has lent something out does
    /// not pass the borrow checker.
    pub(super) fn find(&mut self) -> Next {
        let (watch, rules) = (&mut self.watch, &self.rules);
        // That the stream has ended is known when all that was read was looked at.
        let until = if self.ended { Until::End } else { Until::Read };
        match self.buffer.find_until(until, |piece| watch.show(piece, rules)) {
            Some(ready) => Next::Line(ready),
            None if self.ended => Next::End,
            None => Next::Read,
        }
    }

    /// The same with a skimmer that watches lines over the limit.
    #[cfg(any(feature = "embedded-io-v0_7", feature = "embedded-io-async-v0_7"))]
    pub(super) fn skimming(self) -> Inbox<S, Skimmer> {
        let watch = Skimmer::new(&self.rules);
        Inbox { buffer: self.buffer, rules: self.rules, watch, ended: self.ended }
    }

    /// The line that was found last.
    pub(super) fn lend(&mut self, ready: ReadyInBuffer) -> Received<'_> {
        Received::watched(self.buffer.lend(ready), &mut self.watch, &self.rules)
    }

    /// Room to read into, behind a [find](Self::find) that says to read; `None` if there is none, because
    /// reading into it would look like the end.
    pub(super) fn room(&mut self) -> Option<&mut [u8]> {
        let room = self.buffer.made_room();
        (!room.is_empty()).then_some(room)
    }

    /// So many bytes were read; if there were none, the stream has ended.
    pub(super) fn took(&mut self, read: usize) {
        self.buffer.commit(read);
        self.ended = read == 0;
    }
}

/// The methods that every reader has, to be put into its `impl`: they ask the reader below, or the inbox.
macro_rules! accessors {
    () => {
        /// The rules in force.
        #[must_use]
        pub const fn rules(&self) -> &$crate::envelope::Rules {
            &self.inbox.rules
        }

        /// Puts other rules in force for the frames to come, as after a handshake.
        pub const fn set_rules(&mut self, rules: &$crate::envelope::Rules) {
            self.inbox.rules = *rules;
        }

        /// The splitter, which knows the position in the stream.
        #[must_use]
        pub const fn splitter(&self) -> &$crate::frame::Splitter {
            self.inbox.buffer.splitter()
        }

        /// The reader.
        pub const fn reader(&self) -> &R {
            &self.reader
        }

        /// The reader. What is read from it behind the back of this one is missing here.
        pub const fn reader_mut(&mut self) -> &mut R {
            &mut self.reader
        }

        /// The reader, and the buffer with what was read and not given yet.
        #[must_use]
        pub fn into_parts(self) -> (R, $crate::frame::FrameBuffer<S>) {
            (self.reader, self.inbox.buffer)
        }
    };
}
pub(super) use accessors;
