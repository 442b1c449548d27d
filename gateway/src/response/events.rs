//! The events of a stream: which bytes belong to which event, and what is passed on.

use tautline::frame::{Found, Frame, FrameEvent, Framing, ServerSentEvents};

/// The number of bytes that an event may have besides its data: the names of its fields, ids and comments.
const BESIDES: u64 = 64 * 1024;

/// A stream of events.
///
/// Lines are read one by one. Comments between two events pass at once. All other lines belong to an event, which is held
/// until it ends, if events are to be removed.
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
    /// True if the current event is too long, so that nothing of it is held.
    is_dropped: bool,
    /// True if the last line was removed and ended with CR. A following LF is part of that line end.
    removed_cr: bool,
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

/// What to do with a piece of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Pass it on as it is.
    Keep,
    /// Pass these bytes on in its place. They may be empty.
    Replace(Vec<u8>),
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
            is_dropped: false,
            removed_cr: false,
            ends_line: true,
        }
    }

    /// Returns whether a client can resume the stream, because an event had an id.
    pub(super) fn has_id(&self) -> bool {
        self.framing.last_event_id().map_or(true, |id| !id.is_empty())
    }

    /// Returns whether what was passed on ends between two lines.
    pub(super) const fn ends_line(&self) -> bool {
        self.ends_line
    }

    /// Reads the next piece of the stream, and asks about each event whether it is to be removed.
    pub(super) fn read(
        &mut self,
        piece: &[u8],
        is_removed: &mut dyn FnMut(Event<'_>) -> bool,
    ) -> Piece {
        let mut out = Out { piece, same: 0, other: None };
        // Where the bytes begin that are neither passed on nor removed.
        let mut from = 0;
        let mut at = 0_usize;
        while let Some(line) = first_line(piece.get(at..).unwrap_or_default()) {
            let (before, position) = (self.framing.event_start(), self.framing.position());
            let line_at = at;
            at = at.saturating_add(line.len());
            let ended = self.feed(line);
            let length = |start| self.framing.position().saturating_sub(start);
            let removed_cr = core::mem::take(&mut self.removed_cr);
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
                    self.is_dropped = true;
                    self.held = Vec::new();
                }
                if self.is_dropped {
                    from = at;
                }
                continue;
            }
            let is_long = self.is_dropped
                || ended == Some(Ended::Oversized)
                || before.is_some_and(|start| length(start) > self.longest);
            let data = core::mem::take(&mut self.data);
            let is_removed = if is_long {
                is_removed(Event::TooLong)
            } else if before.is_none() {
                removed_cr && line == b"\n"
            } else {
                let event = FrameEvent::Frame(Frame::from(&data));
                ended == Some(Ended::Data)
                    && self.framing.carries_message(&event)
                    && is_removed(Event::Message(&data))
            };
            let held = core::mem::take(&mut self.held);
            // Of an event that is too long, the beginning is gone.
            if is_removed || self.is_dropped {
                self.removed_cr = before.is_some() && line.ends_with(b"\r");
            } else {
                out.put(&held);
                out.pass(from, at);
            }
            self.is_dropped = false;
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

    /// Ends the stream. Returns whether it ended inside an event. What was held of that is dropped.
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

/// What is passed on of a piece. It is copied only once it differs.
struct Out<'a> {
    piece: &'a [u8],
    /// The number of bytes at the front that pass as they are.
    same: usize,
    /// What is passed on instead, once it differs.
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
