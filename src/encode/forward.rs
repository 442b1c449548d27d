//! Messages that are passed on as they came.

use crate::envelope::{Envelope, Fault, Id};
use crate::scan::Span;

/// A message that was read, as the parts to write in turn to pass it on: borrowed, not copied.
///
/// The parts make one line, with its newline. Where the message came on several lines, as the body of
/// an HTTP request may, the newlines between its tokens are left out.
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
/// // A gateway that has ids of its own puts one in the place of the sender's.
/// let id = Id::of(RawJson::parse(b"77").unwrap()).unwrap();
/// let parts = forward.with_id(id).unwrap().parts().collect::<Vec<_>>();
/// assert_eq!(parts.concat(), b"{\"jsonrpc\":\"2.0\", \"id\":77, \"method\":\"ping\"}\n");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Forward<'buf> {
    /// What stands before the id; if there is none, all of it.
    before: &'buf [u8],
    id: &'buf [u8],
    /// Another id is put there, and it is a string: its quotes are not part of its text.
    quote: &'static [u8],
    behind: &'buf [u8],
}

impl<'buf> Forward<'buf> {
    /// The parts of a message.
    ///
    /// # Errors
    ///
    /// The first fault of the frame, if it is no message: what is faulty is not passed on.
    pub fn new(envelope: &Envelope<'buf>) -> Result<Self, Fault> {
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

    /// The same message with another id; `None`, if it has no id that could be replaced, or if the
    /// other one has half a character in it, which no rules allow.
    ///
    /// A null id or a fraction is taken, whatever the rules say of them.
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

    /// The parts, to be written in turn.
    pub fn parts(&self) -> impl Iterator<Item = &'buf [u8]> + use<'buf> {
        let newline = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let parts = [self.before, self.quote, self.id, self.quote, self.behind];
        let lines = parts.into_iter().flat_map(move |part| part.split(newline));
        lines.filter(|part| !part.is_empty()).chain([&b"\n"[..]])
    }
}

/// The pieces of lines that were encoded elsewhere, with a space in the place of each raw CR.
///
/// Some receivers split a line at a CR. In JSON it can only be whitespace, which a space is as well. It is not
/// left out, because text that is not JSON must not become JSON by that.
#[cfg(any(feature = "std", feature = "embedded-io-v0_7", feature = "embedded-io-async-v0_7",))]
pub(crate) fn without_carriage_returns(lines: &[u8]) -> impl Iterator<Item = &[u8]> {
    let parts = lines.split(|&byte| byte == b'\r').enumerate();
    parts.flat_map(|(number, part)| [if number == 0 { &b""[..] } else { b" " }, part])
}
