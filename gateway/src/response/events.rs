//! The events of a stream, and the bytes that belong to each of them.

use tautline::frame::{Found, Frame, FrameEvent, Framing, ServerSentEvents};

use super::Piece;

/// The number of bytes that an event may have besides its data: the names of its fields, ids and comments.
const BESIDES: u64 = 64 * 1024;

/// A stream of events.
///
/// Lines are read one by one. Comments between two events pass at once. All other lines belong to an event, which is
/// held until it ends, if events are to be removed.
///
/// The empty line that ends an event always passes. Without it, the stream could begin with a byte order mark that was
/// not at its beginning, and a reader would find an event there that this one has not seen.
#[derive(Debug)]
pub(super) struct Events {
    framing: ServerSentEvents,
    /// The data of the current event.
    data: Vec<u8>,
    /// The bytes of the current event that came in earlier pieces.
    held: Vec<u8>,
    /// True if events may be removed.
    holds: bool,
    /// The maximum length of an event in bytes, with all its fields.
    longest: u64,
    /// True if what was passed on ends between two lines.
    ends_line: bool,
}

/// An event that is to be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event<'a> {
    /// The data of an event with a message.
    Message(&'a [u8]),
    /// An event that is too long, of any type.
    TooLong,
}

impl Events {
    /// Creates the events of a stream, with data of at most `limit` bytes.
    pub(super) const fn new(limit: u32, holds: bool) -> Self {
        #[expect(clippy::as_conversions, reason = "`From` is no function for constants yet")]
        let longest = (limit as u64).saturating_add(BESIDES);
        Self {
            framing: ServerSentEvents::new(limit),
            data: Vec::new(),
            held: Vec::new(),
            holds,
            longest,
            ends_line: true,
        }
    }

    /// Returns the number of bytes of memory that the current event takes.
    pub(super) fn kept(&self) -> usize {
        self.data.capacity().saturating_add(self.held.capacity())
    }

    /// Returns whether a client can resume the stream, because an event had an id.
    pub(super) fn has_id(&self) -> bool {
        self.framing.last_event_id().map_or(true, |id| !id.is_empty())
    }

    /// Returns whether what was passed on ends between two lines.
    pub(super) const fn ends_line(&self) -> bool {
        self.ends_line
    }

    /// Reads the next piece of the stream, and asks about each event whether it is to be removed. An event that is too
    /// long must be, if events are held: its beginning is gone.
    pub(super) fn read(
        &mut self,
        piece: &[u8],
        is_removed: &mut dyn FnMut(Event<'_>) -> bool,
    ) -> Piece {
        let mut out = Out { piece, same: 0, other: None };
        // The bytes from here to `at` are neither passed on nor removed.
        let mut from = 0;
        let mut at = 0_usize;
        while let Some(line) = first_line(piece.get(at..).unwrap_or_default()) {
            let (before, position) = (self.framing.event_start(), self.framing.position());
            let line_at = at;
            at = at.saturating_add(line.len());
            let ended = self.feed(line);
            let length = |start| self.framing.position().saturating_sub(start);
            let now = self.framing.event_start();
            if let Some(start) = now {
                if before != now {
                    // A byte order mark is before the first event.
                    let skipped = usize::try_from(start.saturating_sub(position));
                    let to = line_at.saturating_add(skipped.unwrap_or(usize::MAX));
                    out.put(&core::mem::take(&mut self.held));
                    out.pass(from, to);
                    from = to;
                }
                if length(start) > self.longest {
                    self.held = Vec::new();
                    from = at;
                }
                continue;
            }
            let is_long = ended == Some(Ended::Oversized)
                || before.is_some_and(|start| length(start) > self.longest);
            let data = core::mem::take(&mut self.data);
            let is_removed = if is_long {
                is_removed(Event::TooLong)
            } else {
                let event = FrameEvent::Frame(Frame::from(&data));
                ended == Some(Ended::Data)
                    && self.framing.carries_message(&event)
                    && is_removed(Event::Message(&data))
            };
            let held = core::mem::take(&mut self.held);
            if is_removed {
                from = line_at;
            } else {
                out.put(&held);
            }
            out.pass(from, at);
            from = at;
        }
        if !self.holds {
            return Piece::Keep;
        }
        self.held.extend_from_slice(piece.get(from..).unwrap_or_default());
        let (piece, last) = out.finish();
        if let Some(last) = last {
            self.ends_line = matches!(last, b'\n' | b'\r');
        }
        piece
    }

    /// Ends the stream, and drops what was held. Returns whether it ended inside an event.
    pub(super) fn finish(&mut self) -> bool {
        let mut is_unfinished = false;
        loop {
            match self.framing.finish() {
                Found::NeedMore => break,
                found => is_unfinished |= found == Found::Unfinished,
            }
        }
        (self.data, self.held) = (Vec::new(), Vec::new());
        is_unfinished
    }

    /// Shows a line to the framing, and keeps its data. Returns how an event with data ends.
    fn feed(&mut self, line: &[u8]) -> Option<Ended> {
        let (mut rest, mut ended) = (line, None);
        while !rest.is_empty() {
            let step = self.framing.step(rest);
            match step.found {
                Found::Keep(piece) => self.data.extend_from_slice(piece.bytes(rest)),
                Found::KeepHeld(held) => self.data.extend_from_slice(held),
                Found::Frame(piece) => {
                    self.data.extend_from_slice(piece.bytes(rest));
                    ended = Some(Ended::Data);
                }
                Found::Overflow => self.data = Vec::new(),
                Found::Oversized => ended = Some(Ended::Oversized),
                _ => {}
            }
            rest = rest.get(step.consumed..).unwrap_or_default();
        }
        ended
    }
}

/// How an event with data ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Data,
    Oversized,
}

/// Returns the first line with its end, or what there is of it. `None` means that there is nothing.
fn first_line(bytes: &[u8]) -> Option<&[u8]> {
    let line = match memchr::memchr2(b'\r', b'\n', bytes) {
        None => bytes,
        Some(at) => {
            let is_cr_lf = matches!(bytes.get(at..), Some([b'\r', b'\n', ..]));
            let end = at.saturating_add(if is_cr_lf { 2 } else { 1 });
            bytes.get(..end).unwrap_or(bytes)
        }
    };
    (!line.is_empty()).then_some(line)
}

/// The bytes that are passed on in place of a piece. They are copied only once they differ from it.
struct Out<'a> {
    piece: &'a [u8],
    /// The number of bytes at the front that pass as they are.
    same: usize,
    /// The bytes that are passed on, once they differ.
    other: Option<Vec<u8>>,
}

impl Out<'_> {
    /// Passes a part of the piece on.
    fn pass(&mut self, from: usize, to: usize) {
        if self.other.is_none() && from == self.same {
            self.same = to;
        } else {
            let piece = self.piece;
            self.put(piece.get(from..to).unwrap_or_default());
        }
    }

    /// Passes other bytes on.
    fn put(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            let same = || self.piece.get(..self.same).unwrap_or_default().to_vec();
            self.other.get_or_insert_with(same).extend_from_slice(bytes);
        }
    }

    /// Returns what to do with the piece, and the last byte that is passed on.
    fn finish(self) -> (Piece, Option<u8>) {
        let same = self.piece.get(..self.same).unwrap_or_default();
        match self.other {
            None if same.len() == self.piece.len() => (Piece::Keep, same.last().copied()),
            None => (Piece::Replace(same.to_vec()), same.last().copied()),
            Some(other) => {
                let last = other.last().copied();
                (Piece::Replace(other), last)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BESIDES, Events, Piece};

    #[test]
    fn little_is_kept_of_an_endless_event() {
        for line in ["data: x\n", "data: xxxxxxxx", "id: 7\r", ": x\r\n", "data: x\n: x\nid: 7\n"] {
            let line = line.repeat(1000);
            let mut events = Events::new(5000, true);
            let most = 5000 + usize::try_from(BESIDES).unwrap();
            assert_eq!(events.read(b"id: 1\n", &mut |_| true), Piece::Replace(Vec::new()));
            for _ in 0..100 {
                assert_eq!(events.read(line.as_bytes(), &mut |_| true), Piece::Replace(Vec::new()));
                assert!(events.held.len() <= most && events.data.len() <= 5000);
            }
            assert_eq!(events.held.capacity() + events.data.capacity(), 0, "it is given back");
            let end = events.read(b"\n\n", &mut |_| true);
            assert!(end == Piece::Keep || end == Piece::Replace(b"\n".to_vec()), "{end:?}");
        }
    }
}
