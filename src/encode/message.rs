//! The members of each kind of message, and the errors that are written.

use super::{Allowed, EncodeError, Ends, NewId, Output, Payload, Pieces, Value, object};
use crate::envelope::{Fault, Id, Kinds, Reply};
use crate::json::RawJson;
use crate::rule::{self, ErrorCode};
use crate::scan::Syntax;

/// Space for one message, up to its last brace.
///
/// The caller that provides the space writes the brace together with the text after the message. So an output
/// that takes each piece as a whole can never hold the message without its newline.
#[derive(Debug)]
pub struct Draft<'a, 'out> {
    pub(super) pieces: &'a mut Pieces<'out>,
}

impl<'out> Pieces<'out> {
    /// Begins the message.
    pub(crate) fn draft(&mut self) -> Draft<'_, 'out> {
        self.put(self.ends.before);
        Draft { pieces: self }
    }

    /// Requires the next piece to begin a value of one of these kinds.
    const fn expect(&mut self, allowed: Kinds, error: EncodeError) {
        self.first = Some((allowed, error));
    }
}

impl<'out> Draft<'_, 'out> {
    /// Writes a request.
    pub fn request(self, id: NewId<'_>, method: &str, params: Option<impl Payload>) {
        self.pieces.demand(self.pieces.allowed.id(id), EncodeError::IdNotAllowed);
        open(self.pieces, Some(id));
        self.call(method, params);
    }

    /// Writes a notification.
    pub fn notification(self, method: &str, params: Option<impl Payload>) {
        open(self.pieces, None);
        self.call(method, params);
    }

    fn call(self, method: &str, params: Option<impl Payload>) {
        self.pieces.put(b"\"method\":");
        self.pieces.string(method);
        if let Some(params) = params {
            self.pieces.put(b",\"params\":");
            self.pieces.expect(self.pieces.allowed.params, EncodeError::ParamsType);
            let _ = params.write(Value::new(self.pieces));
        }
    }

    /// Writes the answer to a request that succeeded.
    pub fn result(mut self, id: NewId<'_>, result: impl Payload) {
        self.begin_result(id);
        let _ = result.write(Value::new(self.pieces));
    }

    /// Writes everything before the result. This is compiled once, not once for each type of result.
    #[inline(never)]
    pub(crate) fn begin_result(&mut self, id: NewId<'_>) {
        self.pieces.demand(self.pieces.allowed.id(id), EncodeError::IdNotAllowed);
        open(self.pieces, Some(id));
        self.pieces.put(b"\"result\":");
        self.pieces.expect(self.pieces.allowed.results, EncodeError::ResultType);
    }

    /// Writes the answer to a request that failed.
    pub fn error(mut self, id: NewId<'_>, error: NewError<'_, impl Payload>) {
        self.begin_error(id, error.code, error.message);
        self.end_error(error.data);
    }

    /// Writes an error without data.
    pub(crate) fn plain_error(mut self, id: NewId<'_>, code: ErrorCode, message: &str) {
        self.begin_error(id, code, message);
        self.pieces.byte(b'}');
    }

    /// Writes everything before the data of an error. This is compiled once, not once for each type of data.
    #[inline(never)]
    fn begin_error(&mut self, id: NewId<'_>, code: ErrorCode, message: &str) {
        self.pieces.demand(self.pieces.allowed.error_id(id), EncodeError::IdNotAllowed);
        open_error(self.pieces, Some(id), code, message);
    }

    fn end_error(self, data: Option<impl Payload>) {
        if let Some(data) = data {
            self.pieces.put(b",\"data\":");
            let _ = data.write(Value::new(self.pieces));
        }
        self.pieces.byte(b'}');
    }

    /// Writes an error without an id, as the answer to a message that could not be read.
    pub fn error_without_id(self, error: NewError<'_, impl Payload>) {
        let allowed = self.pieces.allowed.error_ids.contains(Kinds::ABSENT);
        self.pieces.demand(allowed, EncodeError::IdNotAllowed);
        open_error(self.pieces, None, error.code, error.message);
        self.end_error(error.data);
    }

    /// Fails the message.
    #[cfg(feature = "alloc")]
    pub(crate) const fn refuse(self, error: EncodeError) {
        self.pieces.fail(error);
    }

    /// Writes the error reply to a faulty frame.
    pub(crate) fn reply(self, reply: &Reply<'_>) {
        open_reply(self.pieces, reply);
        self.pieces.byte(b'}');
    }

    /// Writes the error reply to a faulty frame, with the rule, the offset and the meaning as its data.
    pub(crate) fn explained_reply(self, reply: &Reply<'_>, fault: &Fault<'_>) {
        open_reply(self.pieces, reply);
        self.end_error(Some(object(|data| {
            data.member("rule", rule::name(fault.rule()));
            data.member("offset", fault.offset());
            data.member("summary", fault.message());
        })));
    }
}

/// The length of the longest data of an explained reply, with the name of its member.
pub(crate) const LONGEST_EXPLANATION: usize = {
    const FIXED: &[u8] = br#","data":{"rule":"","offset":4294967295,"summary":""}"#;
    let (mut name, mut summary) = (0, 0);
    let mut rules = rule::ALL;
    while let [rule, others @ ..] = rules {
        name = max(name, rule::name(*rule).len());
        summary = max(summary, written_len(rule::summary(*rule)));
        rules = others;
    }
    let mut descriptions = Syntax::DESCRIPTIONS;
    while let [description, others @ ..] = descriptions {
        summary = max(summary, written_len(description));
        descriptions = others;
    }
    FIXED.len().saturating_add(name).saturating_add(summary)
};

/// Returns the length of a text without control characters when it is written, without its quotes.
const fn written_len(text: &str) -> usize {
    let (mut length, mut rest) = (text.len(), text.as_bytes());
    while let [byte, others @ ..] = rest {
        if matches!(byte, b'"' | b'\\') {
            length = length.saturating_add(1);
        }
        rest = others;
    }
    length
}

const fn max(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

impl Pieces<'_> {
    /// Writes an id.
    pub(super) fn id(&mut self, id: NewId<'_>) {
        match id {
            NewId::Read(Id::String(text)) => self.quoted(text.escaped_bytes()),
            NewId::Read(Id::Number(number)) => self.put(number.as_bytes()),
            NewId::Read(Id::Null) => self.put(b"null"),
            NewId::Text(text) => self.string(text),
            NewId::Signed(value) => self.signed(value),
            NewId::Unsigned(value) => self.integer(false, value),
        }
    }
}

/// Writes the start of a message, up to its next member.
#[inline(never)]
fn open(pieces: &mut Pieces<'_>, id: Option<NewId<'_>>) {
    pieces.put(b"{\"jsonrpc\":\"2.0\",");
    if let Some(id) = id {
        pieces.put(b"\"id\":");
        pieces.id(id);
        pieces.byte(b',');
    }
}

/// Writes the start of the reply to a faulty frame, up to its data.
fn open_reply(pieces: &mut Pieces<'_>, reply: &Reply<'_>) {
    let message = match reply.code() {
        ErrorCode::PARSE_ERROR => "Parse error",
        _ => "Invalid Request",
    };
    open_error(pieces, reply.id().map(NewId::Read), reply.code(), message);
}

/// Writes the start of an error.
#[inline(never)]
fn open_error(pieces: &mut Pieces<'_>, id: Option<NewId<'_>>, code: ErrorCode, message: &str) {
    open(pieces, id);
    pieces.put(b"\"error\":{\"code\":");
    pieces.signed(code.value());
    pieces.put(b",\"message\":");
    pieces.string(message);
}

/// An error object to be written (JSON-RPC 2.0, section 5.1).
///
/// ```
/// use tautline::ErrorCode;
/// use tautline::encode::{Encoder, NewError, Slice};
///
/// let mut room = [0; 128];
/// let mut encoder = Encoder::new(Slice::new(&mut room));
/// let error = NewError::new(ErrorCode::INVALID_PARAMS, "no such file").with_data("a.txt");
/// encoder.error(7, error)?;
/// let line = br#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no such file","data":"a.txt"}}"#;
/// assert_eq!(encoder.output().written().trim_ascii(), line);
/// # Ok::<(), tautline::encode::EncodeError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NewError<'a, D = RawJson<'static>> {
    code: ErrorCode,
    message: &'a str,
    data: Option<D>,
}

impl<D> NewError<'_, D> {
    pub(crate) const fn code(&self) -> ErrorCode {
        self.code
    }
}

impl<'a> NewError<'a> {
    /// Creates an error with this code and a short description for people.
    #[must_use]
    pub const fn new(code: ErrorCode, message: &'a str) -> Self {
        Self { code, message, data: None }
    }

    /// Adds data to the error.
    #[must_use]
    pub fn with_data<D: Payload>(self, data: D) -> NewError<'a, D> {
        self.with_optional_data(Some(data))
    }

    /// Adds data to the error, if there is any.
    #[must_use]
    pub fn with_optional_data<D: Payload>(self, data: Option<D>) -> NewError<'a, D> {
        NewError { code: self.code, message: self.message, data }
    }
}

/// Writes a line with one message, for the C library. Unlike the methods of an encoder, it is compiled once.
#[doc(hidden)]
pub fn line(
    out: &mut dyn Output,
    profile: &crate::Profile,
    write: &mut dyn FnMut(Draft<'_, '_>),
) -> Result<usize, EncodeError> {
    let allowed = Allowed::by(profile);
    let mut pieces = Pieces::new(out, &allowed, &Ends::LINE);
    write(pieces.draft());
    pieces.finish()
}
