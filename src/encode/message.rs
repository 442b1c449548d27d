//! The shapes of a message, member by member, and what the rules allow in them.

use super::text::Pieces;
use super::{EncodeError, NewError, NewId, Payload, Value};
use crate::envelope::{
    Batches, ErrorCode, ErrorIds, Id, Ids, Params, Reply, ReplyId, Results, Rules,
};

/// What stands before a message, and behind it.
#[derive(Debug)]
pub(crate) struct Ends {
    pub(super) before: &'static [u8],
    pub(super) behind: &'static [u8],
}

impl Ends {
    /// A line of its own.
    pub(crate) const LINE: Self = Self { before: b"", behind: b"}\n" };
    /// Those of a batch, with nothing of its messages.
    pub(super) const BATCH: Self = Self { before: b"[", behind: b"]\n" };
    /// The first message of a batch.
    pub(crate) const FIRST: Self = Self { before: b"[", behind: b"}" };
    /// Each of the others.
    pub(crate) const NEXT: Self = Self { before: b",", behind: b"}" };
}

/// Room for one message, up to its last brace.
///
/// The brace is put by whoever lends the room, in one piece with what comes behind the message: an
/// output that takes all of a piece or nothing of it can't have the message without its newline.
#[derive(Debug)]
pub(crate) struct Draft<'a, 'out> {
    pub(super) pieces: &'a mut Pieces<'out>,
}

/// What the rules say of messages to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowed {
    pub(super) batches: Batches,
    /// What parameters may begin with.
    params: &'static [u8],
    results: Results,
    ids: Ids,
    error_ids: ErrorIds,
}

impl Allowed {
    pub(super) const fn by(rules: &Rules) -> Self {
        Self {
            batches: rules.batches(),
            params: match rules.params() {
                Params::Structured => b"{[",
                Params::StructuredOrNull => b"{[n",
                Params::Object => b"{",
            },
            results: rules.results(),
            ids: rules.ids(),
            error_ids: rules.error_ids(),
        }
    }

    /// Whether it may be the id of a request, or of a result.
    fn id(&self, id: NewId<'_>) -> bool {
        match id {
            NewId::Read(Id::String(text)) => text.lone_surrogate().is_none(),
            NewId::Read(Id::Number(number)) => self.ids == Ids::Any || number.is_integer(),
            NewId::Read(Id::Null) => self.ids == Ids::Any,
            NewId::Text(_) | NewId::Signed(_) | NewId::Unsigned(_) => true,
        }
    }

    /// Whether it may be the id of an error.
    fn error_id(&self, id: NewId<'_>) -> bool {
        self.id(id) || matches!(id, NewId::Read(Id::Null)) && self.error_ids == ErrorIds::OrNull
    }
}

impl<'out> Draft<'_, 'out> {
    pub(crate) fn request(self, id: NewId<'_>, method: &str, params: Option<impl Payload>) {
        self.pieces.demand(self.pieces.allowed.id(id), EncodeError::IdNotAllowed);
        open(self.pieces, Some(id));
        self.call(method, params);
    }

    pub(crate) fn notification(self, method: &str, params: Option<impl Payload>) {
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

    pub(crate) fn result(mut self, id: NewId<'_>, result: impl Payload) {
        self.begin_result(id);
        let _ = result.write(Value::new(self.pieces));
    }

    /// What stands before the result. This is compiled once, and not for every type of result.
    #[inline(never)]
    pub(crate) fn begin_result(&mut self, id: NewId<'_>) {
        self.pieces.demand(self.pieces.allowed.id(id), EncodeError::IdNotAllowed);
        open(self.pieces, Some(id));
        self.pieces.put(b"\"result\":");
        if self.pieces.allowed.results == Results::Object {
            self.pieces.expect(b"{", EncodeError::ResultType);
        }
    }

    pub(crate) fn error(mut self, id: NewId<'_>, error: NewError<'_, impl Payload>) {
        self.begin_error(id, error.code, error.message);
        self.end_error(error.data);
    }

    /// An error without data.
    pub(crate) fn plain_error(mut self, id: NewId<'_>, code: ErrorCode, message: &str) {
        self.begin_error(id, code, message);
        self.pieces.byte(b'}');
    }

    /// What stands before the data of an error. This is compiled once, and not for every type of data.
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

    /// An error that answers nothing that could be read.
    #[cfg(feature = "std")]
    pub(crate) fn error_without_id(self, error: NewError<'_, impl Payload>) {
        let allowed = self.pieces.allowed.error_ids == ErrorIds::OrAbsent;
        self.pieces.demand(allowed, EncodeError::IdNotAllowed);
        open_error(self.pieces, None, error.code, error.message);
        self.end_error(error.data);
    }

    /// There is no such message.
    #[cfg(feature = "std")]
    pub(crate) const fn refuse(self, error: EncodeError) {
        self.pieces.fail(error);
    }

    /// The error that a faulty frame is owed.
    pub(crate) fn reply(self, reply: &Reply, frame: &[u8]) {
        let message = match reply.code() {
            ErrorCode::PARSE_ERROR => "Parse error",
            _ => "Invalid Request",
        };
        let id = match reply.id() {
            ReplyId::Echo(span) => {
                // The frame may be another one than that of the fault: what is written is checked.
                let id = Id::parse(span.of(frame).unwrap_or_default());
                self.pieces.demand(id.is_some(), EncodeError::ForeignFrame);
                id
            }
            ReplyId::Null => Some(Id::Null),
            ReplyId::Omitted => None,
        };
        open_error(self.pieces, id.map(NewId::Read), reply.code(), message);
        self.pieces.byte(b'}');
    }
}

/// What every message begins with, up to its next member.
#[inline(never)]
fn open(pieces: &mut Pieces<'_>, id: Option<NewId<'_>>) {
    pieces.put(b"{\"jsonrpc\":\"2.0\",");
    if let Some(id) = id {
        pieces.put(b"\"id\":");
        id.write(pieces);
        pieces.byte(b',');
    }
}

/// What every error begins with.
#[inline(never)]
fn open_error(pieces: &mut Pieces<'_>, id: Option<NewId<'_>>, code: ErrorCode, message: &str) {
    open(pieces, id);
    pieces.put(b"\"error\":{\"code\":");
    pieces.signed(code.value());
    pieces.put(b",\"message\":");
    pieces.string(message);
}
