//! Forwarding of messages as received.

use super::{EncodeError, Encoder, Ends, NewId, Output};
use crate::bytes::is_whitespace;
use crate::cast::u32_from;
use crate::envelope::{Envelope, Fault, Id, Message};
use crate::json::{Kind, RawJson};
use crate::scan::Span;

/// A received message that is to be forwarded, with other ids if need be. Everything else is borrowed and
/// written as it came.
///
/// It forms one line. If the message spans several lines, as the body of an HTTP request may, the newlines
/// between its tokens are left out.
///
/// ```
/// use tautline::encode::{Encoder, Forward};
/// use tautline::{Message, Profile};
///
/// let frame = br#"{"jsonrpc":"2.0", "id":"a-1", "method":"sum"}"#;
/// let message = Message::parse(frame, &Profile::JSON_RPC).unwrap();
/// let forward = Forward::new(&message).unwrap();
/// assert_eq!(forward.parts().collect::<Vec<_>>().concat(), [frame, &b"\n"[..]].concat());
///
/// // A gateway with ids of its own replaces the sender's id.
/// let mut line = Vec::new();
/// Encoder::new(&mut line).forward(&forward.with_id(77).unwrap())?;
/// assert_eq!(line, b"{\"jsonrpc\":\"2.0\", \"id\":77, \"method\":\"sum\"}\n");
/// # Ok::<(), tautline::encode::EncodeError>(())
/// ```
///
/// # Gateways with ids of their own
///
/// Some messages refer to a request by its id, as `$/cancelRequest` of LSP does. A gateway that replaces the ids of
/// requests replaces these too. For MCP, `tautline_mcp::references` returns them.
///
/// ```
/// use tautline::encode::{Encoder, Forward};
/// use tautline::{Message, Profile};
///
/// let frame = br#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"a-1"}}"#;
/// let message = Message::parse(frame, &Profile::LSP).unwrap();
/// let Message::Notification(note) = &message else { panic!() };
/// let id = note.params().and_then(|params| params.member("id")).unwrap();
///
/// let mut line = Vec::new();
/// let forward = Forward::new(&message).unwrap().with_reference(id, 77).unwrap();
/// Encoder::new(&mut line).forward(&forward)?;
/// assert!(line.ends_with(b"\"params\":{\"id\":77}}\n"));
/// # Ok::<(), tautline::encode::EncodeError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Forward<'buf> {
    message: Message<'buf>,
    /// The place of the message in its frame.
    span: Span,
    /// The replacements, in the order of their places.
    replaced: [Option<Replaced<'buf>>; MOST_REPLACED],
}

/// An id, and references to other requests.
const MOST_REPLACED: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Replaced<'buf> {
    at: Span,
    new: NewId<'buf>,
    /// The text of an integer.
    digits: Digits,
}

impl<'buf> Forward<'buf> {
    /// Prepares a message for forwarding.
    ///
    /// Returns `None` for an element of a batch, whose message does not know its place in the frame: use
    /// [`of_envelope`](Self::of_envelope) for those.
    #[must_use]
    pub fn new(message: &Message<'buf>) -> Option<Self> {
        let frame = message.frame();
        let before = frame.iter().take_while(|&&byte| is_whitespace(byte)).count();
        let text = frame.get(before..)?.trim_ascii_end();
        if text.first() == Some(&b'[') && !matches!(message, Message::Batch(_)) {
            return None;
        }
        let start = u32_from(before);
        let span = Span::between(start, start.saturating_add(u32_from(text.len())));
        Some(Self { message: *message, span, replaced: [None; MOST_REPLACED] })
    }

    /// Prepares the message of an envelope, such as an [element](crate::envelope::Batch::iter) of a batch.
    ///
    /// # Errors
    ///
    /// Returns the first fault of the frame if it is not a message. Faulty frames are not forwarded.
    pub fn of_envelope(envelope: &Envelope<'buf>) -> Result<Self, Fault<'buf>> {
        let message = envelope.message()?;
        Ok(Self { message, span: envelope.span(), replaced: [None; MOST_REPLACED] })
    }

    /// Replaces the id. Returns `None` if the message has no id to replace, or if the new id contains an
    /// unpaired surrogate, which no profile allows.
    ///
    /// A null id or a fraction is accepted, whatever the profile.
    #[must_use]
    pub fn with_id(self, id: impl Into<NewId<'buf>>) -> Option<Self> {
        self.replacing(self.message.id_span()?, id.into())
    }

    /// Replaces a string or a number of the message, wherever it is, for protocols whose messages refer to requests by
    /// id. Returns `None` if the value is another one or is not part of the message, if the new id contains an unpaired
    /// surrogate, or if four values are replaced already.
    #[must_use]
    pub fn with_reference(self, value: RawJson<'_>, id: impl Into<NewId<'buf>>) -> Option<Self> {
        if !matches!(value.kind(), Kind::String | Kind::Number) {
            return None;
        }
        let start = self.message.offset_of(value.as_bytes())?;
        let end = start.saturating_add(u32_from(value.as_bytes().len()));
        // The frame of an element of a batch has other messages, too.
        if start < self.span.start() || self.span.end() < end {
            return None;
        }
        self.replacing(Span::between(start, end), id.into())
    }

    fn replacing(mut self, at: Span, new: NewId<'buf>) -> Option<Self> {
        if let NewId::Read(Id::String(text)) = new
            && text.lone_surrogate().is_some()
        {
            return None;
        }
        let digits = match new {
            NewId::Signed(value) => Digits::of(value < 0, value.unsigned_abs()),
            NewId::Unsigned(value) => Digits::of(false, value),
            _ => Digits::NONE,
        };
        let mut next = Some(Replaced { at, new, digits });
        for place in &mut self.replaced {
            let before = place.as_ref().is_some_and(|old| old.at.start() < at.start());
            if before {
                continue;
            }
            let is_same = place.as_ref().is_some_and(|old| old.at.start() == at.start());
            next = core::mem::replace(place, next);
            if is_same || next.is_none() {
                return Some(self);
            }
        }
        None
    }

    /// Returns the parts of the line, to be written in order, the newline last. They are borrowed, not copied.
    pub fn parts(&self) -> impl Iterator<Item = &[u8]> {
        let frame = self.message.frame();
        let part = move |from, to| Span::between(from, to).of(frame).unwrap_or_default();
        let ends = self.replaced.iter().flatten().map(|replaced| replaced.at.start());
        let starts = self.replaced.iter().flatten().map(|replaced| replaced.at.end());
        let kept = [self.span.start()].into_iter().chain(starts).zip(ends.chain([self.span.end()]));
        let new = self.replaced.iter().flatten().map(Some).chain([None]);
        let parts = kept.zip(new).flat_map(move |((from, to), new)| {
            let lines = part(from, to).split(|byte| matches!(byte, b'\n' | b'\r'));
            lines.chain(new.into_iter().flat_map(Replaced::parts))
        });
        parts.filter(|part| !part.is_empty()).chain([&b"\n"[..]])
    }
}

/// An integer in decimal.
#[derive(Clone, Copy, Debug)]
struct Digits {
    bytes: [u8; Self::MOST],
    /// The digits begin here.
    start: usize,
}

impl Digits {
    /// The longest integer of 64 bits has 19 digits and a sign, or 20 digits.
    const MOST: usize = 20;
    const NONE: Self = Self { bytes: [0; Self::MOST], start: Self::MOST };

    fn of(is_negative: bool, magnitude: u64) -> Self {
        let (mut digits, mut left) = (Self::NONE, magnitude);
        loop {
            let [.., digit] = (left % 10).to_be_bytes();
            digits.push(b'0' + digit);
            left /= 10;
            if left == 0 {
                break;
            }
        }
        if is_negative {
            digits.push(b'-');
        }
        digits
    }

    /// Adds a byte before the others.
    fn push(&mut self, byte: u8) {
        self.start = self.start.saturating_sub(1);
        if let Some(place) = self.bytes.get_mut(self.start) {
            *place = byte;
        }
    }

    fn as_bytes(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }
}

/// Returns the escape of a character, if it is escaped in strings that an encoder writes.
fn escape_of(character: char) -> Option<&'static [u8]> {
    /// Those below U+0020, in the order of their values.
    const CONTROLS: &[[u8; 6]; 32] = &{
        let mut escapes = [*b"\\u0000"; 32];
        let mut rest: &mut [[u8; 6]] = &mut escapes;
        let mut value = 0_u8;
        while let [[.., high, low], others @ ..] = rest {
            *high = b'0' + value / 16;
            *low = if value % 16 < 10 { b'0' + value % 16 } else { b'a' - 10 + value % 16 };
            value = value.wrapping_add(1);
            rest = others;
        }
        escapes
    };
    Some(match character {
        '"' => b"\\\"",
        '\\' => b"\\\\",
        '\n' => b"\\n",
        '\r' => b"\\r",
        '\t' => b"\\t",
        '\u{85}' => b"\\u0085",
        '\u{2028}' => b"\\u2028",
        '\u{2029}' => b"\\u2029",
        other => CONTROLS.get(usize::try_from(u32::from(other)).ok()?)?,
    })
}

impl Replaced<'_> {
    /// Returns the new id as it is written.
    fn parts(&self) -> impl Iterator<Item = &[u8]> {
        let (quote, text, number): (&[u8], &str, &[u8]) = match &self.new {
            NewId::Read(Id::String(text)) => (b"\"", "", text.escaped_bytes()),
            NewId::Read(Id::Number(number)) => (b"", "", number.as_bytes()),
            NewId::Read(Id::Null) => (b"", "", b"null"),
            NewId::Text(text) => (b"\"", text, b""),
            NewId::Signed(_) | NewId::Unsigned(_) => (b"", "", self.digits.as_bytes()),
        };
        let escaped = text.split_inclusive(|character| escape_of(character).is_some());
        let escaped = escaped.flat_map(|run| {
            let last = run.chars().next_back().filter(|last| escape_of(*last).is_some());
            let plain = run.len().saturating_sub(last.map_or(0, char::len_utf8));
            [
                run.as_bytes().get(..plain).unwrap_or_default(),
                last.and_then(escape_of).unwrap_or_default(),
            ]
        });
        [quote, number].into_iter().chain(escaped).chain([quote])
    }
}

impl<O: Output> Encoder<O> {
    /// Writes a message that is forwarded, and returns its length in bytes. The profile of this encoder does not
    /// apply: the message was valid by the profile under which it was parsed.
    ///
    /// # Errors
    ///
    /// Returns an [`EncodeError`]. Nothing has been written, unless it is [`Output`](EncodeError::Output).
    pub fn forward(&mut self, forward: &Forward<'_>) -> Result<usize, EncodeError> {
        let ends = match forward.message {
            Message::Batch(_) => &Ends::ARRAY,
            _ => &Ends::LINE,
        };
        self.whole(ends, |draft| {
            let mut parts = forward.parts().peekable();
            while let Some(part) = parts.next() {
                match parts.peek() {
                    // The newline is written together with the last bracket.
                    Some(&b"\n") => {
                        let inside = part.len().saturating_sub(1);
                        draft.pieces.put(part.get(..inside).unwrap_or_default());
                    }
                    Some(_) => draft.pieces.put(part),
                    None => {}
                }
            }
        })
    }
}

/// Splits lines that were encoded elsewhere into pieces, with a space in place of each raw CR.
///
/// Some receivers split a line at a CR. In JSON a raw CR can only be whitespace, so a space is equivalent. It
/// is not simply removed, because that could turn invalid text into JSON.
#[cfg(any(feature = "std", feature = "embedded-io-v0_7"))]
pub(crate) fn without_carriage_returns(lines: &[u8]) -> impl Iterator<Item = &[u8]> {
    let parts = lines.split(|&byte| byte == b'\r').enumerate();
    parts.flat_map(|(number, part)| [if number == 0 { &b""[..] } else { b" " }, part])
}
