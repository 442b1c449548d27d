//! Messages as places in their frame, for those who keep the frame and not its borrow.

use super::{Batch, ErrorObject, Id, Message, Notification, Outcome, Request, Response, Rules};
use crate::bytes::offset_in;
use crate::cast::index;
use crate::json::{RawJson, RawNumber, RawStr};
use crate::scan::Span;

/// A message without its frame: where the members are, so that it need not be parsed again.
///
/// It gives back what it was made of, if it is shown the frame that it was made with. Whoever keeps
/// one keeps that frame beside it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kept {
    Request { id: KeptId, call: KeptCall },
    Notification { call: KeptCall },
    Result { id: Option<KeptId>, result: Span, unknown: u32 },
    Error { id: Option<KeptId>, code: Span, message: Span, data: Option<Span>, unknown: u32 },
    Batch { span: Span, elements: u32, rules: Rules },
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum KeptId {
    String(Span),
    Number(Span),
    Null,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptCall {
    method: Span,
    params: Option<Span>,
    unknown: u32,
}

impl Kept {
    /// What is to be kept of a message that was parsed from this frame.
    pub(crate) fn of(message: &Message<'_>, frame: &[u8]) -> Self {
        match message {
            Message::Request(request) => Self::Request {
                id: KeptId::of(request.id, frame),
                call: KeptCall::of(request.method, request.params, request.unknown, frame),
            },
            Message::Notification(Notification { method, params, unknown }) => {
                Self::Notification { call: KeptCall::of(*method, *params, *unknown, frame) }
            }
            Message::Response(Response { id, outcome, unknown }) => {
                let id = id.map(|id| KeptId::of(id, frame));
                match outcome {
                    Outcome::Result(result) => {
                        Self::Result { id, result: value(*result, frame), unknown: *unknown }
                    }
                    Outcome::Error(error) => Self::Error {
                        id,
                        code: place(error.code.as_bytes(), frame),
                        message: quoted(error.message, frame),
                        data: error.data.map(|data| value(data, frame)),
                        unknown: *unknown,
                    },
                }
            }
            Message::Batch(Batch { span, elements, rules, .. }) => {
                Self::Batch { span: *span, elements: *elements, rules: *rules }
            }
        }
    }

    /// The message, in the frame that it was made with.
    pub(crate) fn message<'buf>(&self, frame: &'buf [u8]) -> Message<'buf> {
        match *self {
            Self::Request { id, call } => Message::Request(Request {
                id: id.id(frame),
                method: RawStr::at(frame, call.method),
                params: call.params(frame),
                unknown: call.unknown,
            }),
            Self::Notification { call } => Message::Notification(Notification {
                method: RawStr::at(frame, call.method),
                params: call.params(frame),
                unknown: call.unknown,
            }),
            Self::Result { id, result, unknown } => Message::Response(Response {
                id: id.map(|id| id.id(frame)),
                outcome: Outcome::Result(RawJson::at(frame, result)),
                unknown,
            }),
            Self::Error { id, code, message, data, unknown } => Message::Response(Response {
                id: id.map(|id| id.id(frame)),
                outcome: Outcome::Error(ErrorObject {
                    code: RawNumber::at(frame, code),
                    message: RawStr::at(frame, message),
                    data: data.map(|data| RawJson::at(frame, data)),
                }),
                unknown,
            }),
            Self::Batch { span, elements, rules } => {
                Message::Batch(Batch { frame, span, elements, rules })
            }
        }
    }
}

impl KeptId {
    fn of(id: Id<'_>, frame: &[u8]) -> Self {
        match id {
            Id::String(text) => Self::String(quoted(text, frame)),
            Id::Number(number) => Self::Number(place(number.as_bytes(), frame)),
            Id::Null => Self::Null,
        }
    }

    fn id(self, frame: &[u8]) -> Id<'_> {
        match self {
            Self::String(text) => Id::String(RawStr::at(frame, text)),
            Self::Number(number) => Id::Number(RawNumber::at(frame, number)),
            Self::Null => Id::Null,
        }
    }
}

impl KeptCall {
    fn of(method: RawStr<'_>, params: Option<RawJson<'_>>, unknown: u32, frame: &[u8]) -> Self {
        let params = params.map(|params| value(params, frame));
        Self { method: quoted(method, frame), params, unknown }
    }

    fn params<'buf>(&self, frame: &'buf [u8]) -> Option<RawJson<'buf>> {
        self.params.map(|params| RawJson::at(frame, params))
    }
}

fn value(value: RawJson<'_>, frame: &[u8]) -> Span {
    place(value.as_bytes(), frame)
}

/// A string with its quotes, which a view of it leaves out.
fn quoted(text: RawStr<'_>, frame: &[u8]) -> Span {
    let start = index(text.quote_in(frame));
    Span::new(start, start.saturating_add(text.as_bytes().len()).saturating_add(2))
}

fn place(part: &[u8], frame: &[u8]) -> Span {
    let start = index(offset_in(frame, part));
    Span::new(start, start.saturating_add(part.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_given_back() {
        for frame in [
            r#"{"jsonrpc":"2.0","id":1.0,"method":"a","params":{"b":[1,"c"]},"x":0}"#,
            r#" {"id":"","method":"","jsonrpc":"2.0"} "#,
            r#"{"jsonrpc":"2.0","method":"\u0061b","params":[]}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#,
            r#"{"jsonrpc":"2.0","id":"\u0061","result":"","y":1,"z":2}"#,
            r#"{"jsonrpc":"2.0","id":-0,"result":null}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":""}}"#,
            r#"{"jsonrpc":"2.0","id":7,"error":{"data":null,"code":1e2,"message":"\n"}}"#,
            r#" [ {"jsonrpc":"2.0","method":"a"} , 7 ]"#,
        ] {
            let message = Message::parse(frame.as_bytes(), &Rules::JSON_RPC).unwrap();
            let kept = Kept::of(&message, frame.as_bytes());
            let copy = frame.as_bytes().to_vec();
            let again = kept.message(&copy);
            assert_eq!(again, message, "{frame}");
            // Views are equal if they mean the same, so how they are spelled is looked at as well.
            assert_eq!(std::format!("{again:?}"), std::format!("{message:?}"));
        }
    }
}
