//! The shapes of a message, member by member.

use super::text::Pieces;
use super::{EncodeError, Error, NewId, Payload, Value};
use crate::envelope::{ErrorCode, Id, Params, Reply, ReplyId, Results};
use crate::json::RawJson;

/// Room for one message, without its newline.
#[derive(Debug)]
pub(crate) struct Message<'a, 'out> {
    pub(super) pieces: &'a mut Pieces<'out>,
    pub(super) params: Params,
    pub(super) results: Results,
}

impl Message<'_, '_> {
    pub(crate) fn request(self, id: NewId<'_>, method: &str, params: Option<impl Payload>) {
        self.pieces.put(b"{\"jsonrpc\":\"2.0\",\"id\":");
        id.write(self.pieces);
        self.pieces.put(b",\"method\":");
        self.call(method, params);
    }

    pub(crate) fn notification(self, method: &str, params: Option<impl Payload>) {
        self.pieces.put(b"{\"jsonrpc\":\"2.0\",\"method\":");
        self.call(method, params);
    }

    fn call(self, method: &str, params: Option<impl Payload>) {
        self.pieces.string(method);
        if let Some(params) = params {
            self.pieces.put(b",\"params\":");
            let first: &[u8] = match self.params {
                Params::Structured => b"{[",
                Params::StructuredOrNull => b"{[n",
                Params::Object => b"{",
            };
            self.pieces.expect(first, EncodeError::ParamsType);
            let _ = params.write(Value::new(self.pieces));
        }
        self.pieces.put(b"}");
    }

    pub(crate) fn result(self, id: NewId<'_>, result: impl Payload) {
        self.pieces.put(b"{\"jsonrpc\":\"2.0\",\"id\":");
        id.write(self.pieces);
        self.pieces.put(b",\"result\":");
        if self.results == Results::Object {
            self.pieces.expect(b"{", EncodeError::ResultType);
        }
        let _ = result.write(Value::new(self.pieces));
        self.pieces.put(b"}");
    }

    pub(crate) fn error(self, id: Option<NewId<'_>>, error: Error<'_, impl Payload>) {
        self.pieces.put(b"{\"jsonrpc\":\"2.0\",");
        if let Some(id) = id {
            self.pieces.put(b"\"id\":");
            id.write(self.pieces);
            self.pieces.put(b",");
        }
        let code = error.code.value();
        self.pieces.put(b"\"error\":{\"code\":");
        self.pieces.integer(code < 0, code.unsigned_abs());
        self.pieces.put(b",\"message\":");
        self.pieces.string(error.message);
        if let Some(data) = error.data {
            self.pieces.put(b",\"data\":");
            let _ = data.write(Value::new(self.pieces));
        }
        self.pieces.put(b"}}");
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
                let text = span.of(frame).unwrap_or_default();
                let id = RawJson::parse(text).ok().and_then(Id::of);
                if id.is_none() {
                    self.pieces.fail(EncodeError::ForeignFrame);
                }
                id
            }
            ReplyId::Null => Some(Id::Null),
            ReplyId::Omitted => None,
        };
        self.error(id.map(NewId::Read), Error::new(reply.code(), message));
    }
}
