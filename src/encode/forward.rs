//! Forwarding of messages as received.

use crate::envelope::{Envelope, Fault, Id};
use crate::scan::Span;

/// A received message, as the parts to write in order to forward it. The parts are borrowed, not copied.
///
/// The parts form one line, including the newline. If the message spans several lines, as the body of an HTTP
/// request may, the newlines between its tokens are left out.
///
/// ```
/// use tautline::encode::Forward;
/// use tautline::{Envelope, Id, RawJson, Rules};
///
/// let frame = br#"{"jsonrpc":"2.0", "id":"a-1", "method":"ping"}"#;
/// let envelope = Envelope::read(frame, &Rules::JSON_RPC);
/// let forward = Forward::new(&envelope).unwrap();
/// assert_eq!(forward.parts().collect::<Vec<_>>().concat(), [frame, &b"\n"[..]].concat());
///
/// // A gateway with ids of its own replaces the sender's id.
/// let id = Id::of(RawJson::parse(b"77").unwrap()).unwrap();
/// let parts = forward.with_id(id).unwrap().parts().collect::<Vec<_>>();
/// assert_eq!(parts.concat(), b"{\"jsonrpc\":\"2.0\", \"id\":77, \"method\":\"ping\"}\n");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Forward<'buf> {
    /// The text before the id, or the whole text if there is no id.
    before: &'buf [u8],
    id: &'buf [u8],
    /// The quotes around a replacement id that is a string, whose text does not include them.
    quote: &'static [u8],
    behind: &'buf [u8],
}

impl<'buf> Forward<'buf> {
    /// Splits a message into its parts.
    ///
    /// # Errors
    ///
    /// Returns the first fault of the frame if it is not a message. Faulty frames are not forwarded.
    pub fn new(envelope: &Envelope<'buf>) -> Result<Self, Fault<'buf>> {
        envelope.message()?;
        let text = envelope.span().of(envelope.frame()).unwrap_or_default();
        let Some(id) = envelope.id_span() else {
            return Ok(Self { before: text, id: b"", quote: b"", behind: b"" });
        };
        let part = |from, to| Span::between(from, to).of(envelope.frame()).unwrap_or_default();
        Ok(Self {
            before: part(envelope.span().start(), id.start()),
            id: part(id.start(), id.end()),
            quote: b"",
            behind: part(id.end(), envelope.span().end()),
        })
    }

    /// Replaces the id. Returns `None` if the message has no id to replace, or if the new id contains an
    /// unpaired surrogate, which no rules allow.
    ///
    /// A null id or a fraction is accepted, whatever the rules.
    #[must_use]
    pub fn with_id(self, id: Id<'buf>) -> Option<Self> {
        let (id, quote): (&[u8], &[u8]) = match id {
            Id::String(text) if text.lone_surrogate().is_some() => return None,
            Id::String(text) => (text.as_bytes(), b"\""),
            Id::Number(number) => (number.as_bytes(), b""),
            Id::Null => (b"null", b""),
        };
        (!self.behind.is_empty()).then_some(Self { id, quote, ..self })
    }

    /// Returns the parts, to be written in order.
    pub fn parts(&self) -> impl Iterator<Item = &'buf [u8]> + use<'buf> {
        let newline = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let parts = [self.before, self.quote, self.id, self.quote, self.behind];
        let lines = parts.into_iter().flat_map(move |part| part.split(newline));
        lines.filter(|part| !part.is_empty()).chain([&b"\n"[..]])
    }
}

/// Splits lines that were encoded elsewhere into pieces, with a space in place of each raw CR.
///
/// Some receivers split a line at a CR. In JSON a raw CR can only be whitespace, so a space is equivalent. It
/// is not simply removed, because that could turn invalid text into JSON.
#[cfg(any(feature = "std", feature = "embedded-io-v0_7", feature = "embedded-io-async-v0_7",))]
pub(crate) fn without_carriage_returns(lines: &[u8]) -> impl Iterator<Item = &[u8]> {
    let parts = lines.split(|&byte| byte == b'\r').enumerate();
    parts.flat_map(|(number, part)| [if number == 0 { &b""[..] } else { b" " }, part])
}
