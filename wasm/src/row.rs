//! Rows: messages and faults as numbers.

use tautline::envelope::{Batch, Envelope, Fault, Response, Skimmed};
use tautline::frame::{Frame, Oversized};
use tautline::rule::ErrorCode;
use tautline::scan::{Span, Syntax};
use tautline::stream::Received;
use tautline::{Message, Rules};

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[expect(clippy::exhaustive_enums, reason = "JavaScript knows them by their numbers")]
pub enum Kind {
    /// A request: `first` is the method, `second` the params.
    Request,
    /// A notification: likewise.
    Notification,
    /// A response with a result, which is `second`.
    Result,
    /// A response with an error: `first` is its code, `second` its message, `third` its data.
    Error,
    /// A batch of `at` elements.
    Batch,
    /// A frame that is not a message, with the fault at `at`.
    Fault,
    /// An oversized frame. Its bytes are lent: the id, and the method as `first`. `third` is the frame's length, its
    /// lower half first.
    Oversized,
    /// An event without a message.
    NoMessage,
    /// The stream ended inside a frame. `third` is the length of what is there, its lower half first.
    Unfinished,
    /// The start of the next frame is unknown. `at` is the number of the reason.
    Desynchronised,
}

/// The frame ended before the stream did.
pub const TERMINATED: u8 = 1;
/// The bytes are not in the input, but lent by the stream until the next call.
pub const LENT: u8 = 2;
/// The frame is a line, in which a raw carriage return is a finding.
pub const LINE: u8 = 4;
/// The lowest bit of the reply that is owed, which has three.
pub const REPLY: u8 = 3;

/// A message or a fault: 64 bytes in memory. Numbers have the byte order of the machine, which is little-endian in
/// WebAssembly. Spans are a start and a length in the frame, in bytes; those of absent members are empty.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(8))]
#[expect(clippy::exhaustive_structs, reason = "JavaScript reads it by its layout")]
pub struct Row {
    /// A [`Kind`].
    pub kind: u8,
    /// [`TERMINATED`], [`LENT`], [`LINE`], and from [`REPLY`] on the reply that is owed.
    pub flags: u8,
    /// The number of the broken rule in the table.
    pub rule: u8,
    /// One more than the number of the syntax error; 0 if there is none.
    pub syntax: u8,
    /// Where the frame begins in the input, or in what is lent.
    pub start: u32,
    /// The length of the frame, in bytes.
    pub len: u32,
    /// As the [`Kind`] says. In calls and responses, the number of members that JSON-RPC does not define.
    pub at: u32,
    /// The id, as far as one could be read.
    pub id: [u32; 2],
    /// As the [`Kind`] says.
    pub first: [u32; 2],
    /// As the [`Kind`] says.
    pub second: [u32; 2],
    /// As the [`Kind`] says.
    pub third: [u32; 2],
    /// The number of bytes of the stream before the frame.
    pub offset: f64,
    /// The number of the line, counted from 1.
    pub line: f64,
}

/// One more than the number of the syntax error, or 0.
pub(crate) fn syntax_number(syntax: Option<Syntax>) -> u8 {
    syntax.map_or(0, |syntax| syntax as u8 + 1)
}

fn numbers(span: Option<Span>) -> [u32; 2] {
    span.map_or([0; 2], |span| [span.start(), span.end() - span.start()])
}

/// The halves of a length, the lower one first.
fn halves(length: u64) -> [u32; 2] {
    let [a, b, c, d, e, f, g, h] = length.to_le_bytes();
    [u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])]
}

/// A position in a stream, exact up to 2^53.
fn position(value: u64) -> f64 {
    value as f64
}

fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

/// Returns where the part begins in the whole, if it is one of it.
fn place(whole: &[u8], part: &[u8]) -> Option<u32> {
    let start = part.as_ptr().addr().checked_sub(whole.as_ptr().addr())?;
    let end = start.checked_add(part.len())?;
    if end > whole.len() { None } else { u32::try_from(start).ok() }
}

/// The reply that is owed, as three bits: 0 for silence; otherwise 1 to 3 for -32700, 5 to 7 for -32600, with no id,
/// with null, and with the id of the frame.
fn reply(fault: &Fault<'_>) -> u8 {
    let Some(reply) = fault.reply() else { return 0 };
    let id = match (reply.raw_id(), fault.id_span()) {
        (None, _) => 1,
        (Some(id), Some(_)) if place(fault.frame(), id.as_bytes()).is_some() => 3,
        (Some(_), _) => 2,
    };
    if reply.code() == ErrorCode::PARSE_ERROR { id } else { id + 4 }
}

impl Row {
    /// A row that was not filled in. All of it is zero, so that the module need not contain it.
    pub const EMPTY: Self = Self {
        kind: Kind::Request as u8,
        flags: 0,
        rule: 0,
        syntax: 0,
        start: 0,
        len: 0,
        at: 0,
        id: [0; 2],
        first: [0; 2],
        second: [0; 2],
        third: [0; 2],
        offset: 0.0,
        line: 0.0,
    };

    const fn of_kind(kind: Kind) -> Self {
        Self { kind: kind as u8, ..Self::EMPTY }
    }

    /// Returns the row for an event of a stream that was shown this input, and the bytes that are lent, if they
    /// are not in the input. The text of an oversized frame's id and method is kept in `kept`.
    pub fn of_received<'a>(
        received: &Received<'a>,
        input: &[u8],
        kept: &'a mut Kept,
        is_line: bool,
    ) -> (Self, Option<&'a [u8]>) {
        match received {
            Received::Message { frame, message } => {
                Self::of_message(message).at_frame(frame, input, is_line)
            }
            Received::Fault { frame, fault } => {
                Self::of_fault(fault).at_frame(frame, input, is_line)
            }
            Received::Oversized { oversized, fault, skimmed } => {
                Self::of_oversized(oversized, fault, skimmed.as_ref(), kept)
            }
            Received::Unfinished(unfinished) => {
                let row = Self::of_kind(Kind::Unfinished);
                let third = halves(unfinished.length());
                (Self { third, offset: position(unfinished.offset()), ..row }, None)
            }
            Received::Desynchronised(lost) => {
                let row = Self::of_kind(Kind::Desynchronised);
                let at = lost.cause() as u32;
                (Self { at, offset: position(lost.offset()), ..row }, None)
            }
            _ => (Self::of_kind(Kind::NoMessage), None),
        }
    }

    /// Returns the row for a frame without a stream.
    #[must_use]
    pub fn of_frame(frame: &[u8], parsed: Result<Message<'_>, Fault<'_>>) -> Self {
        let row = match &parsed {
            Ok(message) => Self::of_message(message),
            Err(fault) => Self::of_fault(fault),
        };
        Self { len: length(frame), flags: row.flags | TERMINATED, line: 1.0, ..row }
    }

    /// Returns the row for an element of a batch. Its spans are spans in the frame of the batch.
    #[must_use]
    pub fn of_element(element: &Envelope<'_>) -> Self {
        let row = match &element.message() {
            Ok(message) => Self::of_message(message),
            Err(fault) => Self::of_fault(fault),
        };
        let [start, len] = numbers(Some(element.span()));
        Self { start, len, ..row }
    }

    #[inline]
    fn of_message(message: &Message<'_>) -> Self {
        let (kind, call) = match message {
            Message::Request(request) => (Kind::Request, request.call()),
            Message::Notification(notification) => (Kind::Notification, notification.call()),
            Message::Response(response) => return Self::of_response(response),
            Message::Batch(batch) => return Self::of_batch(batch),
        };
        Self {
            at: call.unknown_members(),
            id: numbers(call.id_span()),
            first: numbers(Some(call.method_span())),
            second: numbers(call.params_span()),
            ..Self::of_kind(kind)
        }
    }

    fn of_response(response: &Response<'_>) -> Self {
        let row = match response.error() {
            None => {
                let row = Self::of_kind(Kind::Result);
                Self { second: numbers(response.result_span()), ..row }
            }
            Some(error) => Self {
                first: numbers(Some(error.code_span())),
                second: numbers(Some(error.message_span())),
                third: numbers(error.data_span()),
                ..Self::of_kind(Kind::Error)
            },
        };
        Self { at: response.unknown_members(), id: numbers(response.id_span()), ..row }
    }

    fn of_batch(batch: &Batch<'_>) -> Self {
        Self { at: batch.len(), ..Self::of_kind(Kind::Batch) }
    }

    fn of_fault(fault: &Fault<'_>) -> Self {
        Self {
            flags: reply(fault) << REPLY,
            rule: fault.rule() as u8,
            syntax: syntax_number(fault.syntax()),
            at: fault.offset(),
            id: numbers(fault.id_span()),
            ..Self::of_kind(Kind::Fault)
        }
    }

    fn of_oversized<'a>(
        oversized: &Oversized,
        fault: &Fault<'_>,
        skimmed: Option<&Skimmed<'_>>,
        kept: &'a mut Kept,
    ) -> (Self, Option<&'a [u8]>) {
        let id = skimmed.and_then(Skimmed::id).map_or(&b""[..], |id| id.as_bytes());
        let method = skimmed.and_then(Skimmed::method).map_or(&b""[..], |method| method.as_bytes());
        let kept = kept.keep(id, method);
        let row = Self::of_fault(fault);
        let row = Self {
            kind: Kind::Oversized as u8,
            flags: row.flags | LENT | if oversized.is_terminated() { TERMINATED } else { 0 },
            len: length(kept),
            id: [0, length(id)],
            first: [length(id), length(method)],
            third: halves(oversized.length()),
            offset: position(oversized.offset()),
            line: position(oversized.line()),
            ..row
        };
        (row, Some(kept))
    }

    #[inline]
    fn at_frame<'a>(
        self,
        frame: &Frame<'a>,
        input: &[u8],
        is_line: bool,
    ) -> (Self, Option<&'a [u8]>) {
        let bytes = frame.bytes();
        let start = place(input, bytes);
        let mut flags = self.flags;
        if frame.is_terminated() {
            flags |= TERMINATED;
        }
        if is_line {
            flags |= LINE;
        }
        if start.is_none() {
            flags |= LENT;
        }
        let row = Self {
            flags,
            start: start.unwrap_or(0),
            len: length(bytes),
            offset: position(frame.offset()),
            line: position(frame.line()),
            ..self
        };
        (row, if start.is_none() { Some(bytes) } else { None })
    }
}

/// The text of the id and the method of an oversized frame.
#[derive(Debug)]
pub struct Kept([u8; KEPT]);

/// The most that a skimmer keeps.
const KEPT: usize =
    tautline::envelope::Skimmer::LONGEST_ID + tautline::envelope::Skimmer::LONGEST_METHOD;

impl Kept {
    /// Nothing yet.
    pub const EMPTY: Self = Self([0; KEPT]);

    fn keep(&mut self, id: &[u8], method: &[u8]) -> &[u8] {
        let text = id.iter().chain(method);
        for (place, byte) in self.0.iter_mut().zip(text) {
            *place = *byte;
        }
        self.0.get(..id.len() + method.len()).unwrap_or_default()
    }
}

/// Parses a frame that is not part of a stream.
#[must_use]
pub fn parse(frame: &[u8], rules: &Rules) -> Row {
    Row::of_frame(frame, Message::parse(frame, rules))
}
