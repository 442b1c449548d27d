//! Rows: messages and faults as numbers.

use tautline::envelope::Skimmed;
use tautline::frame::{Frame, FrameEvent, Oversized};
use tautline::scan::{Span, Syntax, offset_of};
use tautline::stream::Received;
use tautline::{Envelope, ErrorCode, Fault, Message, Response, Rule};

/// The kind of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[expect(clippy::exhaustive_enums, reason = "JavaScript knows them by their numbers")]
pub enum Kind {
    /// A request: `first` is the method, `second` the params.
    Request,
    /// A notification: `first` is the method, `second` the params.
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
    /// An event without a message. `third` is its length, its lower half first.
    NoMessage,
    /// The stream ended inside a frame. `third` is the length of the incomplete frame, its lower half first.
    Unfinished,
    /// The start of the next frame is unknown. `at` is the number of the rule.
    Desynchronised,
}

/// The frame ended before the stream did.
pub const TERMINATED: u8 = 1;
/// The bytes are not in the input, but are lent by the stream until the next call.
pub const LENT: u8 = 2;
/// The frame is a line, in which a raw carriage return is a finding.
pub const LINE: u8 = 4;
/// The position of the lowest of the three bits for the reply due.
pub const REPLY: u8 = 3;

/// A message or a fault: 64 bytes in memory. Numbers have the byte order of the machine, which is little-endian in
/// WebAssembly. Spans are a start and a length in the frame, in bytes. The spans of absent members are empty.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(8))]
#[expect(clippy::exhaustive_structs, reason = "JavaScript reads it by its layout")]
pub struct Row {
    /// A [`Kind`].
    pub kind: u8,
    /// [`TERMINATED`], [`LENT`], [`LINE`], and from bit [`REPLY`] on the reply due.
    pub flags: u8,
    /// The number of the broken rule in the table.
    pub rule: u8,
    /// The number of the syntax error plus one, or 0 if there is none.
    pub syntax: u8,
    /// The start of the frame in the input, or in the lent bytes.
    pub start: u32,
    /// The length of the frame, in bytes.
    pub len: u32,
    /// As the [`Kind`] says. In calls and responses, the number of members that JSON-RPC does not define.
    pub at: u32,
    /// The id, if it could be read.
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

/// Returns the number of a rule that a frame breaks.
pub(crate) fn rule_number(rule: Rule) -> u8 {
    u8::try_from(rule.number()).unwrap_or_default()
}

/// Returns the number of the syntax error plus one, or 0 if there is none.
pub(crate) fn syntax_number(syntax: Option<Syntax>) -> u8 {
    syntax.map_or(0, |syntax| syntax as u8 + 1)
}

fn numbers(span: Option<Span>) -> [u32; 2] {
    span.map_or([0; 2], |span| [span.start(), span.end() - span.start()])
}

/// Returns the halves of a length, the lower one first.
fn halves(length: u64) -> [u32; 2] {
    let [a, b, c, d, e, f, g, h] = length.to_le_bytes();
    [u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])]
}

/// Returns a position in a stream, exact up to 2^53.
fn position(value: u64) -> f64 {
    value as f64
}

fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

/// Returns the offset of `part` in `whole`, if it is a part of it.
fn place(whole: &[u8], part: &[u8]) -> Option<u32> {
    offset_of(part, whole).and_then(|start| u32::try_from(start).ok())
}

/// Returns the reply due, as three bits: 0 for none, 1 to 3 for -32700, and 5 to 7 for -32600. Within each range, the
/// reply has no id, null, or the id of the frame.
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
    /// A row that was not filled in. It is all zeros, so that it takes no space in the module.
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

    /// Fills in the row for an event of a stream that was passed this input. If the bytes are not in the input, returns
    /// the lent bytes. The text of an oversized frame's id and method is kept in `kept`.
    pub fn fill<'a>(
        &mut self,
        received: &Received<'a>,
        input: &[u8],
        kept: &'a mut Kept,
    ) -> Option<&'a [u8]> {
        *self = Self::EMPTY;
        match received {
            Received::Message { frame, message, .. } => {
                self.message(message);
                self.place(frame, input)
            }
            Received::Fault { frame, fault, .. } => {
                self.fault(fault);
                self.place(frame, input)
            }
            Received::Oversized { oversized, fault, skimmed, .. } => {
                Some(self.oversized(oversized, fault, skimmed.as_ref(), kept))
            }
            Received::Unfinished(unfinished) => {
                self.kind = Kind::Unfinished as u8;
                self.third = halves(unfinished.length());
                self.offset = position(unfinished.offset());
                None
            }
            Received::Desynchronised(lost) => {
                self.kind = Kind::Desynchronised as u8;
                self.at = u32::from(lost.rule().number());
                self.offset = position(lost.offset());
                None
            }
            Received::NoMessage(event) => {
                self.no_message(event);
                None
            }
            _ => {
                self.kind = Kind::NoMessage as u8;
                None
            }
        }
    }

    /// Fills in the row for a frame without a stream.
    pub fn fill_parsed(&mut self, frame: &[u8], parsed: Result<Message<'_>, Fault<'_>>) {
        *self = Self::EMPTY;
        self.parsed(parsed);
        self.len = length(frame);
        self.flags |= TERMINATED;
        self.line = 1.0;
    }

    /// Fills in the row for an element of a batch. Its spans are spans in the frame of the batch.
    pub fn fill_element(&mut self, element: &Envelope<'_>) {
        *self = Self::EMPTY;
        self.parsed(element.message());
        [self.start, self.len] = numbers(Some(element.span()));
    }

    fn parsed(&mut self, parsed: Result<Message<'_>, Fault<'_>>) {
        match parsed {
            Ok(message) => self.message(&message),
            Err(fault) => self.fault(&fault),
        }
    }

    fn message(&mut self, message: &Message<'_>) {
        let (kind, call) = match message {
            Message::Request(request) => (Kind::Request, request.call()),
            Message::Notification(notification) => (Kind::Notification, notification.call()),
            Message::Response(response) => return self.response(response),
            Message::Batch(batch) => {
                self.kind = Kind::Batch as u8;
                self.at = batch.len();
                return;
            }
        };
        self.kind = kind as u8;
        self.at = call.unknown_members();
        self.id = numbers(call.id_span());
        self.first = numbers(Some(call.method_span()));
        self.second = numbers(call.params_span());
    }

    fn response(&mut self, response: &Response<'_>) {
        self.at = response.unknown_members();
        self.id = numbers(response.id_span());
        match response.error() {
            None => {
                self.kind = Kind::Result as u8;
                self.second = numbers(response.result_span());
            }
            Some(error) => {
                self.kind = Kind::Error as u8;
                self.first = numbers(Some(error.code_span()));
                self.second = numbers(Some(error.message_span()));
                self.third = numbers(error.data_span());
            }
        }
    }

    fn fault(&mut self, fault: &Fault<'_>) {
        self.kind = Kind::Fault as u8;
        self.flags = reply(fault) << REPLY;
        self.rule = rule_number(fault.rule());
        self.syntax = syntax_number(fault.syntax());
        self.at = fault.offset();
        self.id = numbers(fault.id_span());
    }

    fn no_message(&mut self, event: &FrameEvent<'_>) {
        self.kind = Kind::NoMessage as u8;
        let (offset, line, length, is_terminated) = match event {
            FrameEvent::Frame(frame) => {
                (frame.offset(), frame.line(), frame.bytes().len() as u64, frame.is_terminated())
            }
            FrameEvent::Oversized(oversized) => (
                oversized.offset(),
                oversized.line(),
                oversized.length(),
                oversized.is_terminated(),
            ),
            _ => return,
        };
        self.flags |= if is_terminated { TERMINATED } else { 0 };
        self.third = halves(length);
        self.offset = position(offset);
        self.line = position(line);
    }

    fn oversized<'a>(
        &mut self,
        oversized: &Oversized,
        fault: &Fault<'_>,
        skimmed: Option<&Skimmed<'_>>,
        kept: &'a mut Kept,
    ) -> &'a [u8] {
        let id = skimmed.and_then(Skimmed::id).map_or(&b""[..], |id| id.as_bytes());
        let method =
            skimmed.and_then(Skimmed::method).map_or(&b""[..], |method| method.escaped_bytes());
        let quote = if method.is_empty() { &b""[..] } else { b"\"" };
        let kept = kept.keep(&[id, quote, method, quote]);
        self.fault(fault);
        self.kind = Kind::Oversized as u8;
        self.flags |= LENT | if oversized.is_terminated() { TERMINATED } else { 0 };
        self.len = length(kept);
        self.id = [0, length(id)];
        self.first = [length(id), length(kept) - length(id)];
        self.third = halves(oversized.length());
        self.offset = position(oversized.offset());
        self.line = position(oversized.line());
        kept
    }

    #[inline]
    fn place<'a>(&mut self, frame: &Frame<'a>, input: &[u8]) -> Option<&'a [u8]> {
        let bytes = frame.bytes();
        self.flags |= if frame.is_terminated() { TERMINATED } else { 0 };
        self.flags |= if frame.is_line() { LINE } else { 0 };
        self.len = length(bytes);
        self.offset = position(frame.offset());
        self.line = position(frame.line());
        match place(input, bytes) {
            Some(start) => {
                self.start = start;
                None
            }
            None => {
                self.flags |= LENT;
                Some(bytes)
            }
        }
    }
}

/// The text of the id and the method of an oversized frame.
#[derive(Debug)]
pub struct Kept([u8; KEPT]);

/// The maximum number of bytes that a skimmer keeps, plus two quotes.
const KEPT: usize =
    tautline::envelope::Skimmer::LONGEST_ID + tautline::envelope::Skimmer::LONGEST_METHOD + 2;

impl Kept {
    /// The initial state, in which nothing is kept.
    pub const EMPTY: Self = Self([0; KEPT]);

    fn keep(&mut self, parts: &[&[u8]]) -> &[u8] {
        let mut length = 0;
        for byte in parts.iter().copied().flatten() {
            if let Some(place) = self.0.get_mut(length) {
                *place = *byte;
                length += 1;
            }
        }
        self.0.get(..length).unwrap_or_default()
    }
}
