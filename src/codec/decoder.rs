//! Lines out of a buffer that tokio fills.

use std::io;

use bytes::{Buf, Bytes, BytesMut};
use tokio_util::codec::Decoder;

use super::{MessageCodec, ReceivedBuf};
use crate::cast::index_u64;
use crate::envelope::{Fault, Rules, Skimmer};
use crate::frame::{Ended, Found, Frame, Oversized, Splitter};
use crate::memory::pins_too_much;
use crate::stream::Fallback;
use crate::stream::sealed::Watch as _;

/// The size in bytes that a buffer comes back to.
const USUAL: usize = 8 * 1024;

/// The buffer begins where the line under way does. Of what is discarded nothing stays in it.
impl Decoder for MessageCodec {
    type Item = ReceivedBuf;
    /// There is none of its own: only the reader has errors.
    type Error = io::Error;

    fn decode(&mut self, buffer: &mut BytesMut) -> io::Result<Option<ReceivedBuf>> {
        self.fullest = self.fullest.max(buffer.len());
        // Room comes from memory that was taken, or from the front of what the buffer had already.
        if buffer.capacity() > self.left {
            self.memory = buffer.capacity();
        }
        let item = self.next_item(buffer);
        self.left = buffer.capacity();
        Ok(item)
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> io::Result<Option<ReceivedBuf>> {
        if let Some(line) = self.decode(buffer)? {
            return Ok(Some(line));
        }
        loop {
            let found = self.splitter.finish();
            watch(&mut self.skimmer, &self.rules, &self.splitter, &found, buffer);
            if found == Found::NeedMore {
                self.drop_scanned(buffer);
                return Ok(None);
            }
            if let Some(line) = self.take(Line::of(&found), Fallback::default(), buffer) {
                return Ok(Some(line));
            }
        }
    }
}

/// What a step found, without the borrow of the buffer, where all of it lies.
enum Line {
    Frame(Ended),
    Oversized(Oversized),
    /// What was scanned is no part of a frame.
    Drop,
    Keep,
}

impl Line {
    const fn of(found: &Found<'_>) -> Self {
        match found {
            Found::Frame(frame) => Self::Frame(frame.ended()),
            Found::Carried { ended, .. } => Self::Frame(*ended),
            Found::Oversized(oversized) => Self::Oversized(*oversized),
            Found::Blank | Found::ByteOrderMark | Found::Overflow | Found::Discard(_) => Self::Drop,
            // The last two are not found in lines.
            Found::Keep(_) | Found::NeedMore | Found::Unfinished(_) | Found::Desynchronised(_) => {
                Self::Keep
            }
        }
    }
}

/// Shows the skimmer what is about to be dropped of a line over the limit: what was said of it before it
/// passed the limit, with which the buffer begins, and then piece by piece.
fn watch(
    skimmer: &mut Skimmer,
    rules: &Rules,
    splitter: &Splitter,
    found: &Found<'_>,
    buffer: &[u8],
) {
    let piece = match found {
        Found::Overflow => buffer.get(..index_u64(splitter.said().length)).unwrap_or_default(),
        Found::Discard(piece) => piece,
        _ => return,
    };
    skimmer.show(piece, rules);
}

impl MessageCodec {
    /// Takes the next line that is complete, if there is one.
    fn next_item(&mut self, buffer: &mut BytesMut) -> Option<ReceivedBuf> {
        let fallback = match self.take_message(buffer) {
            Ok(item) => return Some(item),
            Err(fallback) => fallback,
        };
        loop {
            // The caller might have taken bytes out of the buffer.
            self.scanned = self.scanned.min(buffer.len());
            let step = self.splitter.step(buffer.get(self.scanned..).unwrap_or_default());
            self.scanned = self.scanned.saturating_add(step.consumed);
            watch(&mut self.skimmer, &self.rules, &self.splitter, &step.found, buffer);
            if step.found == Found::NeedMore {
                if self.splitter.is_discarding() {
                    self.drop_scanned(buffer);
                }
                self.give_back(buffer);
                return None;
            }
            if let Some(line) = self.take(Line::of(&step.found), fallback, buffer) {
                return Some(line);
            }
        }
    }

    /// Takes the line that the buffer begins with, if it is plainly a message.
    fn take_message(&mut self, buffer: &mut BytesMut) -> Result<ReceivedBuf, Fallback> {
        if self.scanned > 0 || !self.splitter.is_at_line_start() {
            return Err(Fallback::default());
        }
        let position = self.splitter.position();
        let (layout, newline) = self.fast_path.line(buffer, position, &self.rules)?;
        let mut input = &buffer[..];
        let frame = self.splitter.take_line(&mut input, newline);
        let ended = frame.ok_or_else(Fallback::default)?.ended();
        self.scanned = buffer.len().saturating_sub(input.len());
        let bytes = self.split_off(buffer, ended);
        Ok(ReceivedBuf::of_message(bytes, ended, layout))
    }

    fn take(
        &mut self,
        line: Line,
        fallback: Fallback,
        buffer: &mut BytesMut,
    ) -> Option<ReceivedBuf> {
        match line {
            Line::Frame(ended) => {
                let bytes = self.split_off(buffer, ended);
                let frame = Frame::line_of(&bytes, ended);
                Some(match fallback.parse(&frame, &self.rules) {
                    Ok(message) => {
                        let layout = message.layout();
                        ReceivedBuf::of_message(bytes, ended, layout)
                    }
                    Err(fault) => ReceivedBuf::of_fault(bytes, ended, fault),
                })
            }
            Line::Oversized(oversized) => {
                self.drop_scanned(buffer);
                let skimmed = self.skimmer.finish();
                let fault = Fault::of_skimmed(&oversized, &skimmed, &self.rules);
                Some(ReceivedBuf::of_oversized(oversized, fault, &skimmed))
            }
            Line::Drop => {
                self.drop_scanned(buffer);
                None
            }
            Line::Keep => None,
        }
    }

    /// Takes the frame off the front of the buffer, with the end of its line. A small one is copied out of
    /// a giant buffer, so that whoever keeps it does not keep that.
    fn split_off(&mut self, buffer: &mut BytesMut, ended: Ended) -> Bytes {
        let length = index_u64(ended.length);
        self.fast_path.note_length(length);
        self.incoming.note(length);
        if pins_too_much(self.memory, length) {
            let bytes = Bytes::copy_from_slice(buffer.get(..length).unwrap_or_default());
            self.drop_scanned(buffer);
            return bytes;
        }
        let scanned = core::mem::take(&mut self.scanned).min(buffer.len());
        let mut bytes = buffer.split_to(scanned);
        bytes.truncate(length);
        bytes.freeze()
    }

    fn drop_scanned(&mut self, buffer: &mut BytesMut) {
        let scanned = core::mem::take(&mut self.scanned).min(buffer.len());
        buffer.advance(scanned);
    }

    /// Gives back the memory of a giant that is not in the buffer any more. Left to itself, the buffer
    /// would take all of it again as soon as the frame is dropped.
    ///
    /// What is left is copied, and is little beside what has gone by, so that the copying is linear.
    fn give_back(&mut self, buffer: &mut BytesMut) {
        if self.incoming.to_keep(self.fullest, buffer.len()).is_some() {
            self.fullest = buffer.len();
            let mut small = BytesMut::with_capacity(buffer.len().max(USUAL));
            small.extend_from_slice(buffer);
            *buffer = small;
            self.memory = buffer.capacity();
        }
    }
}
