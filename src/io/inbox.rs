//! The common part of all readers: everything except reading.

use super::{Inbox, Ready};
use crate::envelope::{Message, Profile};
use crate::frame::{FrameBuffer, FrameEvent, Framing, Storage, Until};
use crate::stream::{Fallback, FastPath, Received, Watch};

impl<S: Storage, F: Framing, W: Watch> Inbox<S, F, W> {
    pub(super) const fn new(buffer: FrameBuffer<S, F>, profile: Profile, watch: W) -> Self {
        Self { buffer, profile, watch, fast_path: FastPath::NEW, ended: false }
    }

    /// Finds a frame, without lending it yet.
    pub(super) fn find(&mut self) -> Option<Ready> {
        let mut fallback = Fallback::default();
        if let Some(input) = self.buffer.line() {
            let position = self.buffer.framing().position();
            match self.fast_path.line(input, position, &self.profile) {
                Ok((layout, newline)) => {
                    if let Some(found) = self.buffer.take_line(newline) {
                        return Some((found, Ok(layout)));
                    }
                }
                Err(left) => {
                    let ends_later = self.fast_path.ends_later(input, position);
                    if ends_later && !self.ended && self.buffer.leave_line() {
                        return None;
                    }
                    fallback = left;
                }
            }
        }
        let (watch, profile) = (&mut self.watch, &self.profile);
        // The end of the stream matters only once everything read has been scanned.
        let until = if self.ended { Until::End } else { Until::Read };
        let found = self.buffer.find(until, |piece| watch.show(piece, profile))?;
        Some((found, Err(fallback)))
    }

    /// Returns whether there is nothing more to read, after [`find`](Self::find) has found nothing: the
    /// stream has ended, or the framing waits for a resync.
    pub(super) fn is_over(&self) -> bool {
        self.ended || self.buffer.framing().is_lost()
    }

    /// Lends what was found last.
    pub(super) fn lend(&mut self, (found, known): Ready) -> Option<Received<'_>> {
        let (event, framing) = self.buffer.lend(found)?;
        if let FrameEvent::Frame(frame) = &event {
            self.fast_path.note_length(frame.bytes().len());
        }
        match (event, known) {
            (FrameEvent::Frame(frame), Ok(layout)) => {
                Some(Received::Message { frame, message: Message::new(frame.bytes(), layout) })
            }
            (event, known) => {
                let fallback = known.err().unwrap_or_default();
                Received::of(event, framing, &mut self.watch, &self.profile, fallback)
            }
        }
    }

    /// Returns room to read into, after [`find`](Self::find) has found nothing. Returns `None` if there is
    /// none, because a read into empty room looks like the end of the stream.
    pub(super) fn room(&mut self) -> Option<&mut [u8]> {
        let room = self.buffer.made_room();
        (!room.is_empty()).then_some(room)
    }

    /// Records that this many bytes were read. Zero means the end of the stream.
    pub(super) fn took(&mut self, read: usize) {
        self.buffer.commit(read);
        self.ended = read == 0;
    }
}
