//! Server-sent events: the data of each event of an event stream.

use super::framing::sealed;
use super::sse_fields::{Field, Fields, TooLong};
use super::{Delimiter, Ended, Found, Frame, FrameEvent, Framing, Oversized, Step, Unfinished};
use crate::cast::u64_from;

/// The UTF-8 byte order mark.
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Cuts an event stream into the data of its events, as the HTML standard has it (section 9.2, server-sent
/// events). This is the body of a response with `text/event-stream` that MCP's HTTP transports send.
///
/// ```text
/// : a comment, to keep the connection alive
/// event: message         LF, CR LF or CR ends a line
/// id: 7
/// data: {"id":1}         one space behind the colon is not part of the value
///                        an empty line ends the event
/// ```
///
/// The frame is the event's data: the values of its `data` lines, joined by LF. An event that has no such
/// line is none; one whose data is empty is, and MCP begins resumable streams with it. An event that the
/// empty line is missing of at the end of the stream is [`Unfinished`](super::FrameEvent::Unfinished), and its
/// id does not count. Comments and fields of other names are skipped, and so is one byte order mark at the
/// start. There are no bytes that are not an event stream, so it never loses its place.
///
/// The limit is that on an event's data, with the LFs that join it. One line of data that lies whole in
/// the input with the end of its event is borrowed; other data has to be put together in storage, and so
/// [`Frames`](super::Frames) does not take an event stream. The type of an event and the last id are kept
/// here, up to [`LONGEST_TYPE`](Self::LONGEST_TYPE) and [`LONGEST_ID`](Self::LONGEST_ID) bytes.
///
/// ```
/// use tautline::frame::{Assembler, EventStream, FrameEvent};
///
/// let mut assembler = Assembler::with_framing([0; 64], EventStream::new(64));
/// let mut chunk: &[u8] = b"event: endpoint\ndata: /messages\n\nid: 7\ndata: {\"id\":\ndata: 1}\n\n";
/// let mut seen = Vec::new();
/// while let Some((event, stream)) = assembler.next_with_framing(&mut chunk) {
///     let FrameEvent::Frame(frame) = event else { panic!() };
///     let kind = stream.event_type().unwrap().to_vec();
///     seen.push((kind, stream.last_event_id().unwrap().to_vec(), frame.bytes().to_vec()));
/// }
/// assert_eq!(seen[0], (b"endpoint".to_vec(), b"".to_vec(), b"/messages".to_vec()));
/// assert_eq!(seen[1], (b"message".to_vec(), b"7".to_vec(), b"{\"id\":\n1}".to_vec()));
/// ```
#[derive(Clone, Debug)]
pub struct EventStream {
    limit: u32,
    /// How many bytes of the stream were consumed.
    position: u64,
    /// The number of the line under way, counted from 1.
    line: u64,
    at: At,
    /// A CR has ended the last line; LF is part of that end.
    after_cr: bool,
    /// Where the event under way begins, if it has.
    start: Option<u64>,
    data: Option<Data>,
    /// The data under way is over the limit.
    discarding: bool,
    /// What the stream says beside the data.
    fields: Fields,
}

/// The data of the event under way.
#[derive(Clone, Copy, Debug)]
struct Data {
    /// Where its first line has it.
    offset: u64,
    line: u64,
    /// How much of it was seen, with the LFs that join it.
    length: u64,
    /// An LF is to be said before what comes.
    owes_lf: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// At the start of the stream, behind so many bytes of a byte order mark.
    Bom(u8),
    LineStart,
    /// In the name of a field, behind so many bytes of this.
    Name([u8; 5], u8),
    /// Behind the colon, where a space is no part of the value.
    Colon(Field),
    Value(Field),
}

impl EventStream {
    /// The longest type of an event, in bytes, that is kept.
    pub const LONGEST_TYPE: usize = Fields::LONGEST_TYPE;

    /// The longest id, in bytes, that is kept.
    pub const LONGEST_ID: usize = Fields::LONGEST_ID;

    /// The start of an event stream, for data of at most `limit` bytes.
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
        }
    }

    /// The type of the event that was given last: `message` where the stream does not say. To be asked
    /// before more is read, which may say the type of the next.
    ///
    /// # Errors
    ///
    /// [`TooLong`], if it is longer than [`LONGEST_TYPE`](Self::LONGEST_TYPE). It is then not `message`.
    pub fn event_type(&self) -> Result<&[u8], TooLong> {
        self.fields.event_type()
    }

    /// The last id that the stream has given to an event, up to the event that was given last: what a
    /// client sends as `Last-Event-ID` when it connects again. Empty if there was none, or if the
    /// stream has reset it.
    ///
    /// # Errors
    ///
    /// [`TooLong`], if it is longer than [`LONGEST_ID`](Self::LONGEST_ID).
    pub fn last_event_id(&self) -> Result<&[u8], TooLong> {
        self.fields.last_id()
    }

    /// How many milliseconds the stream has asked to wait before connecting again, if it has.
    #[must_use]
    pub const fn retry(&self) -> Option<u64> {
        self.fields.retry()
    }

    /// Consumes so many bytes.
    fn take<'input>(&mut self, rest: &mut &'input [u8], count: usize) -> &'input [u8] {
        let (taken, left) = rest.split_at_checked(count).unwrap_or((rest, b""));
        *rest = left;
        self.position += u64_from(taken.len());
        taken
    }

    /// The beginning of a line, up to its value. At the end of an event, what that makes of it.
    fn head<'input>(
        &mut self,
        byte: u8,
        rest: &mut &'input [u8],
        whole: Option<&'input [u8]>,
    ) -> Option<Found<'input>> {
        match (self.at, byte) {
            (At::Bom(seen), _) if BOM.get(usize::from(seen)) == Some(&byte) => {
                self.take(rest, 1);
                self.at = At::Bom(seen + 1);
                if usize::from(seen) + 1 == BOM.len() {
                    self.at = At::LineStart;
                    return Some(Found::ByteOrderMark);
                }
            }
            (At::Bom(0), _) => self.at = At::LineStart,
            // What only began like one is the beginning of a field that means nothing.
            (At::Bom(_), _) => {
                self.start = Some(0);
                self.at = At::Value(Field::Other);
            }
            (At::LineStart, b'\n') if self.after_cr => {
                self.take(rest, 1);
                self.after_cr = false;
            }
            (At::LineStart, b'\r' | b'\n') => {
                self.end_line(byte, rest);
                return self.end_event(whole);
            }
            (At::LineStart, b':') => self.at = At::Colon(Field::Other),
            (At::LineStart, _) => {
                self.start.get_or_insert(self.position);
                self.at = At::Name([0; 5], 0);
            }
            (At::Name(name, length), b':' | b'\r' | b'\n') => {
                let field = Field::named(name.get(..usize::from(length)));
                if byte == b':' {
                    self.take(rest, 1);
                    self.at = At::Colon(field);
                } else {
                    self.begin_value(field);
                }
            }
            (At::Name(mut name, length), _) => {
                self.take(rest, 1);
                if let Some(place) = name.get_mut(usize::from(length)) {
                    *place = byte;
                    self.at = At::Name(name, length + 1);
                } else {
                    self.at = At::Value(Field::Other);
                }
            }
            (At::Colon(field), _) => {
                if byte == b' ' {
                    self.take(rest, 1);
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

    /// The rest of a line, or as much of it as there is.
    fn value<'input>(
        &mut self,
        field: Field,
        rest: &mut &'input [u8],
        whole: &mut Option<&'input [u8]>,
    ) -> Option<Found<'input>> {
        if field == Field::Data {
            let found = self.data(rest, whole);
            if found.is_some() {
                return found;
            }
        } else {
            let piece = self.take(rest, line_end(rest).unwrap_or(rest.len()));
            self.fields.push(field, piece);
        }
        if let Some(&byte) = rest.first() {
            self.fields.end(field);
            self.end_line(byte, rest);
            self.at = At::LineStart;
        }
        None
    }

    /// The next piece of the data.
    fn data<'input>(
        &mut self,
        rest: &mut &'input [u8],
        whole: &mut Option<&'input [u8]>,
    ) -> Option<Found<'input>> {
        let data = self.data?;
        if data.owes_lf {
            // There is one more line, so what there is of the first has to be kept after all.
            if let Some(said @ [_, ..]) = whole.take() {
                return Some(Found::Keep(said));
            }
            let found = self.count(b"\n");
            if let (Some(data), false) = (&mut self.data, found == Found::Overflow) {
                data.owes_lf = false;
            }
            return Some(found);
        }
        let end = line_end(rest);
        let piece = rest.get(..end.unwrap_or(rest.len())).unwrap_or(b"");
        if piece.is_empty() && end.is_none() {
            return None;
        }
        let found = self.count(piece);
        if found != Found::Overflow {
            self.take(rest, piece.len());
        }
        match found {
            // The event may end in this input, and then nothing has to be kept.
            Found::Keep(piece) if data.length == 0 && end.is_some() => {
                *whole = Some(piece);
                None
            }
            Found::Keep([]) | Found::Discard([]) => None,
            found => Some(found),
        }
    }

    /// Counts a piece of the data. Of one that does not fit nothing is counted, and it is to be counted
    /// again, as discarded.
    fn count<'input>(&mut self, piece: &'input [u8]) -> Found<'input> {
        let Some(data) = &mut self.data else { return Found::NeedMore };
        let length = data.length + u64_from(piece.len());
        if self.discarding {
            data.length = length;
            Found::Discard(piece)
        } else if length > u64::from(self.limit) {
            self.discarding = true;
            Found::Overflow
        } else {
            data.length = length;
            Found::Keep(piece)
        }
    }

    /// Takes the end of a line, which is this byte; and LF behind CR, if it is there already.
    fn end_line(&mut self, byte: u8, rest: &mut &[u8]) {
        self.take(rest, 1);
        self.line += 1;
        self.after_cr = byte == b'\r';
        if self.after_cr && rest.first() == Some(&b'\n') {
            self.take(rest, 1);
            self.after_cr = false;
        }
    }

    /// Ends the event under way, whose data is this, or else was said.
    fn end_event<'input>(&mut self, whole: Option<&'input [u8]>) -> Option<Found<'input>> {
        self.fields.end_event();
        self.start = None;
        let Data { offset, line, length, .. } = self.data.take()?;
        let ended = Ended { offset, length, line, terminated: true };
        Some(match whole {
            _ if core::mem::take(&mut self.discarding) => {
                Found::Oversized(Oversized { ended, limit: self.limit })
            }
            Some(data) => Found::Frame(Frame::new(data, ended, Delimiter::Other)),
            None => Found::Carried { tail: b"", ended },
        })
    }
}

/// Where the line ends.
fn line_end(bytes: &[u8]) -> Option<usize> {
    memchr::memchr2(b'\r', b'\n', bytes)
}

impl Framing for EventStream {
    fn step<'input>(&mut self, input: &'input [u8]) -> Step<'input> {
        let mut rest = input;
        let mut whole: Option<&[u8]> = None;
        let found = loop {
            let Some(&byte) = rest.first() else {
                break match whole {
                    // The event goes on in the next input, and this one will be gone.
                    Some(said @ [_, ..]) => Found::Keep(said),
                    _ => Found::NeedMore,
                };
            };
            let found = match self.at {
                At::Value(field) => self.value(field, &mut rest, &mut whole),
                _ => self.head(byte, &mut rest, whole),
            };
            if let Some(found) = found {
                break found;
            }
        };
        Step { consumed: input.len().saturating_sub(rest.len()), found }
    }

    fn finish(&mut self) -> Found<'static> {
        let start = match self.at {
            At::Bom(1..) => Some(0),
            _ => self.start,
        };
        self.at = At::LineStart;
        self.start = None;
        self.data = None;
        self.discarding = false;
        self.fields.drop_event();
        match start {
            Some(start) => Found::Unfinished(Unfinished::new(start, self.position - start)),
            None => Found::NeedMore,
        }
    }

    fn limit(&self) -> u32 {
        self.limit
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn carries_message(&self, event: &FrameEvent<'_>) -> bool {
        let is_empty = matches!(event, FrameEvent::Frame(frame) if frame.bytes().is_empty());
        !is_empty && self.event_type() == Ok(b"message")
    }
}

impl sealed::Framing for EventStream {
    fn lower_limit(&mut self, limit: u32) {
        self.limit = self.limit.min(limit);
    }

    fn give_up(&mut self) {
        self.discarding = true;
    }
}
