//! What all readers have in common: everything but the reading.

use crate::envelope::Rules;
use crate::frame::{FrameBuffer, ReadyInBuffer, Storage};
use crate::stream::Received;

/// Messages out of a buffer that somebody else reads into.
///
/// Lines are split off and then parsed, the plain way of the [stream door](crate::stream). Its faster one
/// lends a message before it is known that there is one, which can't be done from storage that is read
/// into; to keep the places of the members until then costs more than it gains.
#[derive(Clone, Debug)]
pub(super) struct Inbox<S> {
    pub(super) buffer: FrameBuffer<S>,
    pub(super) rules: Rules,
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

impl<S: Storage> Inbox<S> {
    pub(super) const fn new(buffer: FrameBuffer<S>, rules: &Rules) -> Self {
        Self { buffer, rules: *rules, ended: false }
    }

    /// Finds a line, and lends nothing yet: a loop that may go on after it has lent something out does
    /// not pass the borrow checker.
    pub(super) fn find(&mut self) -> Next {
        if let Some(ready) = self.buffer.find(|_| {}) {
            return Next::Line(ready);
        }
        if !self.ended {
            return Next::Read;
        }
        self.buffer.find_rest(|_| {}).map_or(Next::End, Next::Line)
    }

    /// The line that was found last.
    pub(super) fn lend(&self, ready: ReadyInBuffer) -> Received<'_> {
        Received::from_event(self.buffer.lend(ready), &self.rules)
    }

    /// Room to read into; `None` if there is none, because reading into it would look like the end.
    pub(super) fn room(&mut self) -> Option<&mut [u8]> {
        let room = self.buffer.spare();
        (!room.is_empty()).then_some(room)
    }

    /// So many bytes were read; if there were none, the stream has ended.
    pub(super) fn took(&mut self, read: usize) {
        self.buffer.commit(read);
        self.ended = read == 0;
    }
}
