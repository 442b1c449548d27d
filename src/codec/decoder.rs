//! Frames from a buffer that tokio fills.

use core::ops::Range;
use std::io;

use bytes::{Buf, Bytes, BytesMut};
use tokio_util::codec::Decoder;

use super::received::Other;
use super::{MessageCodec, ReceivedBuf};
use crate::cast::index;
use crate::envelope::{FaultBuf, MessageBuf};
use crate::frame::{Found, FrameEvent, Framing, Until};
use crate::memory::{self, pins_too_much};
use crate::stream::sealed::Watch as _;
use crate::stream::{Fallback, Received};

/// The size in bytes to which a buffer shrinks after a large frame.
const AFTER_LARGE: usize = 8 * 1024;

/// The part of a large frame that is little: a frame of which so much was read gets memory of its own, if that of the last
/// one has not come back.
const LITTLE: usize = 8;

/// The buffer begins with the current frame. Discarded bytes do not stay in it.
impl<F: Framing> Decoder for MessageCodec<F> {
    type Item = ReceivedBuf;
    /// The codec has only one error of its own: if decoding continues without a
    /// [resync](MessageCodec::resync), it returns an error of kind
    /// [`InvalidData`](io::ErrorKind::InvalidData).
    type Error = io::Error;

    fn decode(&mut self, buffer: &mut BytesMut) -> io::Result<Option<ReceivedBuf>> {
        self.next_item(buffer, Until::Read)
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> io::Result<Option<ReceivedBuf>> {
        self.next_item(buffer, Until::End)
    }
}

impl<F: Framing> MessageCodec<F> {
    fn next_item(
        &mut self,
        buffer: &mut BytesMut,
        until: Until,
    ) -> io::Result<Option<ReceivedBuf>> {
        // Without an error, the buffer would grow without bound.
        if self.framing.is_lost() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the framing has lost its place, and was not told to resynchronise",
            ));
        }
        self.fullest = self.fullest.max(buffer.len());
        self.offered = self.offered.max(buffer.len());
        // A larger capacity comes from a new allocation, or from reusing the front of the buffer.
        if buffer.capacity() > self.left {
            self.memory = buffer.capacity();
        }
        let item = match self.take_message(buffer) {
            Ok(message) => Some(message),
            // A line that ends later is parsed in one pass then, which also finds its end.
            Err(_) if until == Until::Read && self.may_leave_line(buffer) => {
                self.prepare(buffer);
                None
            }
            Err(fallback) => self.take_next(fallback, buffer, until),
        };
        self.left = buffer.capacity();
        Ok(item)
    }

    /// Returns whether the buffer has nothing but the beginning of a line, unscanned, which is known not to end
    /// in it, and is within the limit so far.
    fn may_leave_line(&self, buffer: &[u8]) -> bool {
        self.window.scanned == 0
            && self.framing.is_at_line_start()
            && self.fast_path.ends_later(buffer, self.framing.position())
            && buffer.len() <= index(self.framing.limit())
    }

    /// Takes the next frame or other event, without the fast path.
    fn take_next(
        &mut self,
        fallback: Fallback,
        buffer: &mut BytesMut,
        until: Until,
    ) -> Option<ReceivedBuf> {
        let Some(found) = self.find(buffer, until) else {
            self.prepare(buffer);
            return None;
        };
        self.take(found, fallback, buffer)
    }

    /// Finds the next frame or other event.
    fn find(&mut self, buffer: &mut BytesMut, until: Until) -> Option<Found> {
        // The caller may have removed bytes from the buffer.
        self.window.scanned = self.window.scanned.min(buffer.len());
        let (skimmer, profile) = (&mut self.skimmer, &self.profile);
        let found = self
            .window
            .find(&mut self.framing, buffer, until, &mut |piece| skimmer.show(piece, profile));
        if found.is_none() {
            buffer.truncate(self.window.close_gap(&self.framing));
            self.drop_done(buffer);
        }
        found
    }

    /// Takes the first line of the buffer, if the fast path accepts it as a message.
    fn take_message(&mut self, buffer: &mut BytesMut) -> Result<ReceivedBuf, Fallback> {
        if self.window.scanned > 0 || !self.framing.is_at_line_start() {
            return Err(Fallback::default());
        }
        let position = self.framing.position();
        let (layout, newline) = self.fast_path.line(buffer, position, &self.profile)?;
        let mut input = &buffer[..];
        let frame = self.framing.take_line(&mut input, newline).ok_or_else(Fallback::default)?;
        let (length, place) = (frame.bytes().len(), frame.place());
        let ended = newline.saturating_add(1);
        self.window.passed(ended);
        let bytes = self.split_off(buffer, 0..length, ended);
        Ok(ReceivedBuf::of_message(MessageBuf::new(bytes, place, layout)))
    }

    /// Removes what was found from the buffer.
    fn take(
        &mut self,
        found: Found,
        fallback: Fallback,
        buffer: &mut BytesMut,
    ) -> Option<ReceivedBuf> {
        let frame = self.window.place(found, &self.framing);
        let bytes = match found {
            Found::Frame(_) => {
                let scanned = self.window.scanned.min(buffer.len());
                self.window.removed(scanned);
                self.split_off(buffer, frame.start..frame.end, scanned)
            }
            _ => {
                self.drop_done(buffer);
                Bytes::new()
            }
        };
        let event = found.event(&self.framing, &bytes)?;
        let received =
            Received::of(event, &self.framing, &mut self.skimmer, &self.profile, fallback)?;
        Some(match received {
            Received::Message { frame, message } => {
                let (place, layout) = (frame.place(), message.layout());
                ReceivedBuf::of_message(MessageBuf::new(bytes, place, layout))
            }
            Received::Fault { frame, fault } => {
                let (place, layout) = (frame.place(), fault.layout());
                ReceivedBuf::of_fault(FaultBuf::new(bytes, place, layout))
            }
            Received::Oversized { oversized, fault, skimmed } => {
                ReceivedBuf::oversized(oversized, &fault, skimmed)
            }
            Received::NoMessage(event) => {
                let other = Other::of(&event);
                ReceivedBuf::other(bytes, other)
            }
            Received::Unfinished(event) => {
                ReceivedBuf::other(bytes, Other::of(&FrameEvent::Unfinished(event)))
            }
            Received::Desynchronised(event) => {
                ReceivedBuf::other(bytes, Other::of(&FrameEvent::Desynchronised(event)))
            }
        })
    }

    /// Removes the frame in this range from the buffer, with everything before `scanned`. A small frame is
    /// copied out of a large buffer, so that keeping the frame does not keep the buffer.
    #[inline(always)]
    fn split_off(&mut self, buffer: &mut BytesMut, frame: Range<usize>, scanned: usize) -> Bytes {
        self.fast_path.note_length(frame.len());
        self.incoming.note(frame.len());
        if pins_too_much(self.memory, frame.len()) {
            let bytes = Bytes::copy_from_slice(buffer.get(frame).unwrap_or_default());
            buffer.advance(scanned);
            return bytes;
        }
        let mut bytes = buffer.split_to(scanned);
        bytes.truncate(frame.end);
        bytes.advance(frame.start.min(bytes.len()));
        bytes.freeze()
    }

    /// Removes bytes that are no longer needed from the front of the buffer.
    fn drop_done(&mut self, buffer: &mut BytesMut) {
        let done = self.window.done(&self.framing).min(buffer.len());
        self.window.removed(done);
        buffer.advance(done);
    }

    /// Prepares the buffer for the next read.
    ///
    /// It releases the memory of a large frame that has left the buffer. Otherwise the buffer would reclaim
    /// all of it as soon as the frame is dropped.
    ///
    /// In a run of large frames, it makes room for one that is as large as the last, while little of it is in the buffer. The
    /// buffer itself would do so when it is full, and then move half of a frame.
    ///
    /// It also keeps the memory at a size that all items may share, if reads and frames fit into that. The
    /// buffer itself would double its memory if a read does not fit after the beginning of a frame, and then
    /// every item would be copied.
    fn prepare(&mut self, buffer: &mut BytesMut) {
        let rest = buffer.len();
        let offered = core::mem::take(&mut self.offered);
        self.consumed = self.consumed.saturating_add(offered.saturating_sub(rest));
        if self.incoming.to_keep(self.fullest, rest).is_some() {
            self.fullest = rest;
            self.replace(buffer, rest.max(AFTER_LARGE));
            return;
        }
        let taken = offered.saturating_sub(rest);
        if taken > memory::SHARED {
            // A read may bring what follows the frame.
            self.expected = taken.min(index(self.framing.limit())).saturating_add(memory::USUAL);
        }
        let expected = self.expected;
        if self.incoming.is_in_run() && buffer.capacity() < expected {
            // While the last frame is kept, its memory may still come back.
            let has_room = rest > expected / 2 || buffer.try_reclaim(expected.saturating_sub(rest));
            let is_full = buffer.capacity().saturating_sub(rest) < memory::USUAL;
            if !has_room && (is_full || rest > expected / LITTLE) {
                // The next frame may be a little larger.
                self.replace(buffer, expected.saturating_add(expected / LITTLE));
            }
        } else if self.memory > memory::USUAL
            && offered <= memory::SHARED
            && rest <= memory::SHARED.saturating_sub(memory::USUAL)
            && self.consumed >= memory::USUAL
            && !self.incoming.is_in_run()
        {
            let has_room = buffer.capacity().saturating_sub(rest) >= memory::USUAL
                || buffer.try_reclaim(memory::USUAL);
            if self.memory > memory::SHARED || !has_room {
                self.replace(buffer, memory::SHARED);
            }
        }
    }

    /// Gives the buffer new memory of this size. The rest of the buffer is copied. It is small compared to the
    /// bytes already consumed, so the copying is linear, whatever the caller reserves.
    fn replace(&mut self, buffer: &mut BytesMut, size: usize) {
        let mut other = BytesMut::with_capacity(size);
        other.extend_from_slice(buffer);
        *buffer = other;
        self.memory = buffer.capacity();
        self.consumed = 0;
    }
}
