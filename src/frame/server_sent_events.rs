//! Server-sent events: the data of each event of an event stream, and the fields of an event.

use super::framing::sealed;
use super::head::Head;
use super::{Ended, Found, FrameEvent, Framing, Piece, Step};
use crate::bytes::{BYTE_ORDER_MARK as BOM, copy};
use crate::cast::u64_from;
use crate::excerpt::Excerpt;

/// Splits an event stream into the data of its events, as specified by the HTML standard (section 9.2,
/// server-sent events). MCP's HTTP transports send such a stream as the body of a `text/event-stream`
/// response.
///
/// ```text
/// : a comment, to keep the connection alive
/// event: message         LF, CR LF or CR ends a line
/// id: 7
/// data: {"id":1}         one space after the colon is not part of the value
///                        an empty line ends the event
/// ```
///
/// A frame is the data of an event: the values of its `data` lines, joined by LF. An event without a `data`
/// line yields no frame. An event with empty data yields an empty frame, which MCP sends at the start of
/// resumable streams. If the stream ends before the empty line of an event, the event is
/// [`Unfinished`](super::FrameEvent::Unfinished), and its id is ignored. Comments and unknown fields are
/// skipped, and so is one byte order mark at the start. Any bytes are a valid event stream, so this framing
/// never loses synchronisation.
///
/// The limit applies to the data of an event, including the LFs that join its lines. A single line of data
/// is borrowed if the input holds all of it and the end of the event. Other data has to be joined in
/// storage, so [`Frames`](super::Frames) does not support this framing. The framing itself stores the type
/// of the event and the last id, up to [`LONGEST_TYPE`](Self::LONGEST_TYPE) and
/// [`LONGEST_ID`](Self::LONGEST_ID) bytes.
///
/// Writers send the data of messages alone, and the type of such an event is `message`. To send a comment or an id,
/// flush the writer first, and write to the writer below.
///
/// ```
/// use tautline::frame::{Assembler, ServerSentEvents, FrameEvent};
///
/// let mut assembler = Assembler::with_framing([0; 64], ServerSentEvents::new(64));
/// let mut chunk: &[u8] = b"event: endpoint\ndata: /messages\n\nid: 7\ndata: {\"id\":\ndata: 1}\n\n";
/// let mut seen = Vec::new();
/// while let Some(FrameEvent::Frame(frame)) = assembler.next(&mut chunk) {
///     let data = frame.bytes().to_vec();
///     let events = assembler.framing();
///     let kind = events.event_type().unwrap().to_vec();
///     seen.push((kind, events.last_event_id().unwrap().to_vec(), data));
/// }
/// assert_eq!(seen[0], (b"endpoint".to_vec(), b"".to_vec(), b"/messages".to_vec()));
/// assert_eq!(seen[1], (b"message".to_vec(), b"7".to_vec(), b"{\"id\":\n1}".to_vec()));
/// ```
#[derive(Clone, Debug)]
pub struct ServerSentEvents {
    limit: u32,
    /// The number of bytes of the stream consumed so far.
    position: u64,
    /// The number of the current line, counted from 1.
    line: u64,
    at: At,
    /// True if the last line ended with CR. A following LF is part of that line end.
    after_cr: bool,
    /// The offset of the current event, if it has begun.
    start: Option<u64>,
    data: Option<Data>,
    /// True if the current data is oversized.
    discarding: bool,
    /// The values of the other fields.
    fields: Fields,
    /// The position of the last event's data.
    ended: Ended,
}

/// The data of the current event.
#[derive(Clone, Copy, Debug, Default)]
struct Data {
    /// The offset and the number of its first line.
    offset: u64,
    line: u64,
    /// The number of bytes seen so far, including the LFs that join lines.
    length: u64,
    /// True if an LF must be reported before the next piece.
    owes_lf: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// At the start of the stream, after this many bytes of a byte order mark.
    Bom(u8),
    LineStart,
    /// In the name of a field, with the bytes read so far and their number.
    Name([u8; 5], u8),
    /// After the colon, where one space is not part of the value.
    Colon(Field),
    Value(Field),
}

impl ServerSentEvents {
    /// The maximum length of an event type that is stored, in bytes.
    pub const LONGEST_TYPE: usize = Fields::LONGEST_TYPE;

    /// The maximum length of an id that is stored, in bytes.
    pub const LONGEST_ID: usize = Fields::LONGEST_ID;

    /// Creates the framing at the start of an event stream, for data of at most `limit` bytes.
    #[must_use]
    pub const fn new(limit: u32) -> Self {
        Self {
            limit,
            position: 0,
            line: 1,
            at: At::Bom(0),
            after_cr: false,
            start: None,
            data: None,
            discarding: false,
            fields: Fields::new(),
            ended: Ended::NONE,
        }
    }

    /// Returns the type of the last event: `message` if the stream does not specify one. Call this before
    /// more input is read, which may contain the type of the next event.
    ///
    /// # Errors
    ///
    /// [`TooLong`], if it is longer than [`LONGEST_TYPE`](Self::LONGEST_TYPE). It is then not `message`.
    pub fn event_type(&self) -> Result<&[u8], TooLong> {
        self.fields.event_type()
    }

    /// Returns the last event id that the stream has set, up to the last event. A client sends it as
    /// `Last-Event-ID` when it reconnects. It is empty if there was none, or if the stream has reset it.
    ///
    /// # Errors
    ///
    /// [`TooLong`], if it is longer than [`LONGEST_ID`](Self::LONGEST_ID).
    pub fn last_event_id(&self) -> Result<&[u8], TooLong> {
        self.fields.last_id()
    }

    /// Returns how many milliseconds the stream has asked to wait before reconnecting, if it has.
    #[must_use]
    pub const fn retry(&self) -> Option<u64> {
        self.fields.retry()
    }

    /// Returns the offset in the stream of the event that is being read: the beginning of its first field, whether it
    /// has data or not. `None` means that the last byte was between two events or in a comment there, so that nothing
    /// read so far belongs to a future event.
    ///
    /// A program that forwards a stream event by event holds the bytes from here on.
    ///
    /// ```
    /// use tautline::frame::{Framing, ServerSentEvents};
    ///
    /// let mut events = ServerSentEvents::new(64);
    /// let _ = events.step(b": a comment\n");
    /// assert_eq!(events.event_start(), None);
    /// let _ = events.step(b"id: 7\n");
    /// assert_eq!(events.event_start(), Some(12));
    /// let _ = events.step(b"\n");
    /// assert_eq!(events.event_start(), None);
    /// ```
    #[must_use]
    pub const fn event_start(&self) -> Option<u64> {
        match self.at {
            // It may be the beginning of an unknown field.
            At::Bom(1..) => Some(0),
            _ => self.start,
        }
    }

    /// Consumes this many bytes, and returns them.
    fn take<'input>(&mut self, input: &mut Input<'input>, count: usize) -> &'input [u8] {
        let rest = input.rest();
        let taken = rest.get(..count).unwrap_or(rest);
        input.at = input.at.saturating_add(taken.len());
        self.position += u64_from(taken.len());
        taken
    }

    /// Scans the beginning of a line, up to its value. At the end of an event, reports it.
    fn head(&mut self, byte: u8, input: &mut Input<'_>) -> Option<Found> {
        match (self.at, byte) {
            (At::Bom(seen), _) if BOM.get(usize::from(seen)) == Some(&byte) => {
                self.take(input, 1);
                self.at = At::Bom(seen + 1);
                if usize::from(seen) + 1 == BOM.len() {
                    self.at = At::LineStart;
                    return Some(Found::ByteOrderMark);
                }
            }
            (At::Bom(0), _) => self.at = At::LineStart,
            // An incomplete byte order mark is the beginning of an unknown field.
            (At::Bom(_), _) => {
                self.start = Some(0);
                self.at = At::Value(Field::Other);
            }
            (At::LineStart, b'\n') if self.after_cr => {
                self.take(input, 1);
                self.after_cr = false;
            }
            (At::LineStart, b'\r' | b'\n') => {
                self.end_line(byte, input);
                return self.end_event(input);
            }
            (At::LineStart, b':') => self.at = At::Colon(Field::Other),
            (At::LineStart, _) => {
                self.start.get_or_insert(self.position);
                self.at = At::Name([0; 5], 0);
            }
            (At::Name(name, length), b':' | b'\r' | b'\n') => {
                let field = Field::named(name.get(..usize::from(length)));
                if byte == b':' {
                    self.take(input, 1);
                    self.at = At::Colon(field);
                } else {
                    self.begin_value(field);
                }
            }
            (At::Name(mut name, length), _) => {
                self.take(input, 1);
                if let Some(place) = name.get_mut(usize::from(length)) {
                    *place = byte;
                    self.at = At::Name(name, length + 1);
                } else {
                    self.at = At::Value(Field::Other);
                }
            }
            (At::Colon(field), _) => {
                if byte == b' ' {
                    self.take(input, 1);
                }
                self.begin_value(field);
            }
            (At::Value(_), _) => {}
        }
        None
    }

    fn begin_value(&mut self, field: Field) {
        self.at = At::Value(field);
        if field != Field::Data {
            self.fields.begin(field);
        } else if let Some(data) = &mut self.data {
            data.owes_lf = true;
        } else {
            let (offset, line) = (self.position, self.line);
            self.data = Some(Data { offset, line, length: 0, owes_lf: false });
        }
    }

    /// Scans the rest of a line, or as much of it as is available.
    fn value(&mut self, field: Field, input: &mut Input<'_>) -> Option<Found> {
        if field == Field::Data {
            let found = self.data(input);
            if found.is_some() {
                return found;
            }
        } else {
            let count = line_end(input.rest()).unwrap_or(usize::MAX);
            let piece = self.take(input, count);
            self.fields.push(field, piece);
        }
        if let Some(&byte) = input.rest().first() {
            self.fields.end(field);
            self.end_line(byte, input);
            self.at = At::LineStart;
        }
        None
    }

    /// Reports the next piece of the data.
    fn data(&mut self, input: &mut Input<'_>) -> Option<Found> {
        let data = self.data?;
        if data.owes_lf {
            // There is another line, so the first one must be kept.
            if let Some(line) = input.line.take() {
                return Some(Found::Keep(line));
            }
            let found = self.count(Found::KeepHeld(b"\n"), 1);
            if let (Some(data), false) = (&mut self.data, found == Found::Overflow) {
                data.owes_lf = false;
            }
            return Some(found);
        }
        let rest = input.rest();
        let end = line_end(rest);
        let length = end.unwrap_or(rest.len());
        if length == 0 {
            return None;
        }
        let piece = Piece { start: input.at, end: input.at.saturating_add(length) };
        let found = self.count(Found::Keep(piece), length);
        if found != Found::Overflow {
            self.take(input, length);
        }
        // The event may end in this input, so nothing may have to be kept.
        if matches!(found, Found::Keep(_)) && data.length == 0 && end.is_some() {
            input.line = Some(piece);
            return None;
        }
        Some(found)
    }

    /// Counts a piece of the data, of this length. A piece that exceeds the limit is not counted yet: the
    /// next step reports it again, as discarded.
    fn count(&mut self, found: Found, length: usize) -> Found {
        let Some(data) = &mut self.data else { return Found::NeedMore };
        let length = data.length + u64_from(length);
        if !self.discarding && length > u64::from(self.limit) {
            self.discarding = true;
            return Found::Overflow;
        }
        data.length = length;
        match found {
            Found::Keep(piece) if self.discarding => Found::Discard(piece),
            Found::KeepHeld(held) if self.discarding => Found::DiscardHeld(held),
            found => found,
        }
    }

    /// Consumes a line end, which begins with this byte, and an LF after CR if it is already there.
    fn end_line(&mut self, byte: u8, input: &mut Input<'_>) {
        self.take(input, 1);
        self.line += 1;
        self.after_cr = byte == b'\r';
        if self.after_cr && input.rest().first() == Some(&b'\n') {
            self.take(input, 1);
            self.after_cr = false;
        }
    }

    /// Ends the current event. If its data was not reported, it lies in the input.
    fn end_event(&mut self, input: &Input<'_>) -> Option<Found> {
        self.fields.end_event();
        self.start = None;
        let Data { offset, line, length, .. } = self.data.take()?;
        self.ended = Ended { offset, length, line, terminated: true };
        Some(match core::mem::take(&mut self.discarding) {
            true => Found::Oversized,
            false => Found::Frame(input.line.unwrap_or(Piece::NONE)),
        })
    }
}

/// The input of a step, and how much of it was consumed.
struct Input<'input> {
    bytes: &'input [u8],
    at: usize,
    /// The first line of data, if it lies entirely in this input and was not reported yet.
    line: Option<Piece>,
}

impl<'input> Input<'input> {
    fn rest(&self) -> &'input [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }
}

/// Returns the position of the line end.
fn line_end(bytes: &[u8]) -> Option<usize> {
    memchr::memchr2(b'\r', b'\n', bytes)
}

impl Framing for ServerSentEvents {
    fn step(&mut self, input: &[u8]) -> Step {
        let mut input = Input { bytes: input, at: 0, line: None };
        let found = loop {
            let Some(&byte) = input.rest().first() else {
                // The event continues in the next input, so its line must be kept now.
                break input.line.map_or(Found::NeedMore, Found::Keep);
            };
            let found = match self.at {
                At::Value(field) => self.value(field, &mut input),
                _ => self.head(byte, &mut input),
            };
            if let Some(found) = found {
                break found;
            }
        };
        Step { consumed: input.at, found }
    }

    fn finish(&mut self) -> Found {
        let start = self.event_start();
        let line = self.data.map_or(self.line, |data| data.line);
        self.at = At::LineStart;
        self.start = None;
        self.data = None;
        self.discarding = false;
        self.fields.drop_event();
        let Some(offset) = start else { return Found::NeedMore };
        self.ended = Ended { offset, length: self.position - offset, line, terminated: false };
        Found::Unfinished
    }

    fn limit(&self) -> u32 {
        self.limit
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn ended(&self) -> Ended {
        self.ended
    }

    fn carries_message(&self, event: &FrameEvent<'_>) -> bool {
        let is_empty = matches!(event, FrameEvent::Frame(frame) if frame.bytes().is_empty());
        !is_empty && self.event_type() == Ok(b"message")
    }
}

impl sealed::Framing for ServerSentEvents {
    type Form = ();

    fn form(&self) {}

    #[inline(always)]
    fn writes_lines((): ()) -> bool {
        false
    }

    /// The default type of an event is `message`, so it need not be written.
    fn head((): (), _length: usize) -> Head {
        let mut head = Head::NONE;
        head.push_front(b"data: ");
        head
    }

    fn tail((): ()) -> &'static [u8] {
        b"\n\n"
    }

    #[inline(always)]
    fn is_contiguous(&self) -> bool {
        false
    }

    fn lower_limit(&mut self, limit: u32) {
        self.limit = self.limit.min(limit);
    }

    fn give_up(&mut self) {
        self.discarding = true;
    }

    fn current(&self) -> Ended {
        let Data { offset, line, length, .. } = self.data.unwrap_or_default();
        Ended { offset, length, line, terminated: false }
    }

    fn keeps_nothing(&self) -> bool {
        self.discarding || self.limit == 0 || self.data.is_none()
    }
}

/// The fields with a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Data,
    Event,
    Id,
    Retry,
    /// A comment, or an unknown field.
    Other,
}

/// A text is longer than [`ServerSentEvents`] can store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing else to say")]
pub struct TooLong;

/// The values of all fields but `data`.
#[derive(Clone, Debug)]
struct Fields {
    event_type: FieldValue<{ Self::LONGEST_TYPE }>,
    /// True if `event_type` is the type of the current event, and not of the previous one.
    is_typed: bool,
    /// The value of the current `id` line, which is ignored if it contains a NUL.
    id_line: FieldValue<{ Self::LONGEST_ID }>,
    /// The last id read, which takes effect at the end of the event.
    id: FieldValue<{ Self::LONGEST_ID }>,
    last_id: FieldValue<{ Self::LONGEST_ID }>,
    /// The value of the current `retry` line, which is ignored unless it consists of digits.
    retry_line: Digits,
    retry: Option<u64>,
}

/// A text of at most `N` bytes.
#[derive(Clone, Copy)]
struct FieldValue<const N: usize> {
    bytes: [u8; N],
    length: usize,
    is_too_long: bool,
    has_nul: bool,
}

/// A number being parsed.
#[derive(Clone, Copy, Debug)]
enum Digits {
    Empty,
    Number(u64),
    /// It contains something other than digits.
    Invalid,
}

impl Field {
    fn named(name: Option<&[u8]>) -> Self {
        match name {
            Some(b"data") => Self::Data,
            Some(b"event") => Self::Event,
            Some(b"id") => Self::Id,
            Some(b"retry") => Self::Retry,
            _ => Self::Other,
        }
    }
}

impl Fields {
    /// In bytes.
    const LONGEST_TYPE: usize = 32;
    /// In bytes.
    const LONGEST_ID: usize = 128;

    const fn new() -> Self {
        Self {
            event_type: FieldValue::EMPTY,
            is_typed: false,
            id_line: FieldValue::EMPTY,
            id: FieldValue::EMPTY,
            last_id: FieldValue::EMPTY,
            retry_line: Digits::Empty,
            retry: None,
        }
    }

    fn event_type(&self) -> Result<&[u8], TooLong> {
        match self.event_type.text()? {
            b"" => Ok(b"message"),
            kind => Ok(kind),
        }
    }

    fn last_id(&self) -> Result<&[u8], TooLong> {
        self.last_id.text()
    }

    const fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// Begins a value.
    fn begin(&mut self, field: Field) {
        match field {
            Field::Event => {
                self.event_type = FieldValue::EMPTY;
                self.is_typed = true;
            }
            Field::Id => self.id_line = FieldValue::EMPTY,
            Field::Retry => self.retry_line = Digits::Empty,
            Field::Data | Field::Other => {}
        }
    }

    /// Adds the next piece of the value.
    fn push(&mut self, field: Field, piece: &[u8]) {
        match field {
            Field::Event => self.event_type.push(piece),
            Field::Id => self.id_line.push(piece),
            Field::Retry => self.retry_line.push(piece),
            Field::Data | Field::Other => {}
        }
    }

    /// Ends the value, at the end of its line.
    fn end(&mut self, field: Field) {
        match (field, self.retry_line) {
            (Field::Id, _) if !self.id_line.has_nul => self.id = self.id_line,
            (Field::Retry, Digits::Number(milliseconds)) => self.retry = Some(milliseconds),
            _ => {}
        }
    }

    /// Ends the event, with data or without.
    fn end_event(&mut self) {
        self.last_id = self.id;
        if !core::mem::take(&mut self.is_typed) {
            self.event_type = FieldValue::EMPTY;
        }
    }

    /// Drops the current event, because the stream has ended inside it.
    fn drop_event(&mut self) {
        self.id = self.last_id;
        if core::mem::take(&mut self.is_typed) {
            self.event_type = FieldValue::EMPTY;
        }
    }
}

impl<const N: usize> core::fmt::Debug for FieldValue<N> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.is_too_long {
            false => Excerpt(self.bytes.get(..self.length).unwrap_or_default()).fmt(f),
            true => TooLong.fmt(f),
        }
    }
}

impl<const N: usize> FieldValue<N> {
    const EMPTY: Self = Self { bytes: [0; N], length: 0, is_too_long: false, has_nul: false };

    fn push(&mut self, piece: &[u8]) {
        self.has_nul |= memchr::memchr(0, piece).is_some();
        let end = self.length.saturating_add(piece.len());
        match self.bytes.get_mut(self.length..end) {
            Some(room) => {
                copy(piece, room);
                self.length = end;
            }
            None => self.is_too_long = true,
        }
    }

    fn text(&self) -> Result<&[u8], TooLong> {
        match self.is_too_long {
            true => Err(TooLong),
            false => Ok(self.bytes.get(..self.length).unwrap_or(b"")),
        }
    }
}

impl Digits {
    fn push(&mut self, piece: &[u8]) {
        for &byte in piece {
            let so_far = match self {
                Self::Empty => 0,
                Self::Number(number) => *number,
                Self::Invalid => return,
            };
            *self = match byte {
                b'0'..=b'9' => {
                    let digit = u64::from(byte - b'0');
                    Self::Number(so_far.saturating_mul(10).saturating_add(digit))
                }
                _ => Self::Invalid,
            };
        }
    }
}

impl core::fmt::Display for TooLong {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("the text is longer than what is kept of it")
    }
}

impl core::error::Error for TooLong {}
