//! What all readers have in common: everything but the reading.

#[cfg(any(feature = "embedded-io-v0_7", feature = "embedded-io-async-v0_7"))]
use crate::envelope::Skimmer;
use crate::envelope::{Layout, Message, Rules};
use crate::frame::{FrameBuffer, FrameEvent, ReadyInBuffer, Storage, Until};
use crate::stream::{Fallback, FastPath, Received, Watch};

/// Messages out of a buffer that somebody else reads into.
///
/// It does not lend a message before it knows that there is one: a loop that reads on after it has lent
/// something does not pass the borrow checker. What it has found meanwhile is a layout.
#[derive(Clone, Debug)]
pub(super) struct Inbox<S, W> {
    pub(super) buffer: FrameBuffer<S>,
    pub(super) rules: Rules,
    watch: W,
    fast_path: FastPath,
    /// The reader has said that there is no more.
    ended: bool,
}

/// What to do next.
pub(super) enum Next {
    /// A line is ready, to be [lent](Inbox::lend).
    Line(Line),
    /// There is none: read.
    Read,
    /// There is none, and there will be none.
    End,
}

/// A line that was found, and what is known of it.
pub(super) struct Line {
    ready: ReadyInBuffer,
    known: Result<Layout, Fallback>,
}

impl<S: Storage, W: Watch> Inbox<S, W> {
    pub(super) const fn new(buffer: FrameBuffer<S>, rules: &Rules, watch: W) -> Self {
        Self { buffer, rules: *rules, watch, fast_path: FastPath::NEW, ended: false }
    }

    /// Finds a line, and lends nothing yet.
    pub(super) fn find(&mut self) -> Next {
        let mut fallback = Fallback::default();
        if let Some(input) = self.buffer.line() {
            let position = self.buffer.splitter().position();
            match self.fast_path.line(input, position, &self.rules) {
                Ok((layout, newline)) => {
                    if let Some(ready) = self.buffer.take_line(newline) {
                        return Next::Line(Line { ready, known: Ok(layout) });
                    }
                }
                Err(left) => fallback = left,
            }
        }
        let (watch, rules) = (&mut self.watch, &self.rules);
        // That the stream has ended is known when all that was read was looked at.
        let until = if self.ended { Until::End } else { Until::Read };
        match self.buffer.find_until(until, |piece| watch.show(piece, rules)) {
            Some(ready) => Next::Line(Line { ready, known: Err(fallback) }),
            None if self.ended => Next::End,
            None => Next::Read,
        }
    }

    /// The same with a skimmer that watches lines over the limit.
    #[cfg(any(feature = "embedded-io-v0_7", feature = "embedded-io-async-v0_7"))]
    pub(super) fn skimming(self) -> Inbox<S, Skimmer> {
        let watch = Skimmer::new(&self.rules);
        let Self { buffer, rules, fast_path, ended, .. } = self;
        Inbox { buffer, rules, watch, fast_path, ended }
    }

    /// The line that was found last.
    pub(super) fn lend(&mut self, line: Line) -> Received<'_> {
        let event = self.buffer.lend(line.ready);
        if let FrameEvent::Frame(frame) = &event {
            self.fast_path.note_length(frame.bytes().len());
        }
        match (event, line.known) {
            (FrameEvent::Frame(frame), Ok(layout)) => {
                Received::Message { frame, message: Message::new(frame.bytes(), layout) }
            }
            (event, known) => {
                let fallback = known.err().unwrap_or_default();
                Received::watched(event, &mut self.watch, &self.rules, fallback)
            }
        }
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
