//! A line that a peer has written: responses, another message, or neither.
//!
//! This module reads JSON with `serde_json` and not with the core: a probe of a server that is built on the core must
//! not share its mistakes.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::id::Id;

/// A line of a peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A response.
    Single(Response),
    /// Responses in an array.
    Batch(Vec<Response>),
    /// Requests and notifications, which are not examined.
    Other,
    /// Not a legal message.
    Broken(Broken),
}

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    pub id: Id,
    pub body: Body,
    /// The text of the whole response, unless it is large.
    text: Box<str>,
}

/// The length of the longest response whose text is kept.
const KEPT: usize = 64 * 1024;

impl Response {
    /// Returns the result, unless it is large.
    pub fn result(&self) -> Option<serde_json::Value> {
        let mut response: serde_json::Value = serde_json::from_str(&self.text).ok()?;
        Some(response.get_mut("result")?.take())
    }

    /// Returns whether a JSON pointer leads to a value.
    pub fn has(&self, pointer: &str) -> bool {
        serde_json::from_str(&self.text)
            .is_ok_and(|response: serde_json::Value| response.pointer(pointer).is_some())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    Result,
    /// The code of the error.
    Error(i64),
}

/// The reason why a line is not a legal message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// It is not JSON, and not intended as a message.
    Garbage(String),
    /// It is JSON, but not a legal message.
    Illegal(String),
}

impl Broken {
    pub fn reason(&self) -> &str {
        match self {
            Self::Garbage(reason) | Self::Illegal(reason) => reason,
        }
    }
}

/// The members of a message. A member that appears twice is an error.
#[derive(Deserialize)]
struct Members<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ErrorObject<'a> {
    code: i64,
    #[serde(borrow)]
    message: &'a RawValue,
}

/// Reads a member that may be null, so that null differs from an absent member.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl Line {
    /// Reads a line, without its line feed. Returns `None` for a blank line.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return None;
        }
        Some(Self::classify(bytes).unwrap_or_else(Self::Broken))
    }

    fn classify(bytes: &[u8]) -> Result<Self, Broken> {
        let garbage = |reason: &str| Broken::Garbage(reason.to_owned());
        let text = str::from_utf8(bytes).map_err(|_| garbage("the line is not UTF-8"))?;
        match text.trim_start_matches([' ', '\t', '\r', '\n']).chars().next() {
            Some('{') => Ok(match message(text)? {
                Some(response) => Self::Single(response),
                None => Self::Other,
            }),
            Some('[') => batch(text),
            _ => Err(garbage("the line is no JSON object")),
        }
    }
}

fn batch(text: &str) -> Result<Line, Broken> {
    let elements: Vec<&RawValue> = serde_json::from_str(text)
        .map_err(|error| Broken::Garbage(format!("the line is not JSON: {error}")))?;
    let illegal = |reason: &str| Broken::Illegal(reason.to_owned());
    let messages: Vec<Option<Response>> =
        elements.iter().map(|element| message(element.get())).collect::<Result<_, _>>()?;
    let responses: Vec<Response> = messages.iter().flatten().cloned().collect();
    match (messages.len(), responses.len()) {
        (0, _) => Err(illegal("the batch is empty")),
        (_, 0) => Ok(Line::Other),
        (all, some) if all == some => Ok(Line::Batch(responses)),
        _ => Err(illegal("the batch has both responses and other messages")),
    }
}

/// Reads a message. Returns `None` for a request or a notification.
fn message(text: &str) -> Result<Option<Response>, Broken> {
    let illegal = |reason: &str| Broken::Illegal(reason.to_owned());
    let members: Members<'_> =
        serde_json::from_str(text).map_err(|error| match error.classify() {
            serde_json::error::Category::Data => {
                Broken::Illegal(format!("the line is no message: {error}"))
            }
            _ => Broken::Garbage(format!("the line is not JSON: {error}")),
        })?;
    if members.jsonrpc.is_none_or(|version| Id::of_json(version.get()) != Id::of_json("\"2.0\"")) {
        return Err(illegal("`jsonrpc` is not \"2.0\""));
    }
    let id = match members.id.map(|id| (id.get().chars().next(), id)) {
        None => Id::Absent,
        Some((Some('"' | 'n' | '-' | '0'..='9'), id)) => Id::of_json(id.get()),
        Some(_) => return Err(illegal("the id is neither a string nor a number")),
    };
    if let Some(method) = members.method {
        if !method.get().starts_with('"') {
            return Err(illegal("the method is not a string"));
        }
        return match (members.result, members.error) {
            (None, None) => Ok(None),
            _ => Err(illegal("the line is both a request and a response")),
        };
    }
    let body = match (members.result, members.error) {
        // Only an error may belong to a request whose id could not be read.
        (Some(_), None) if id == Id::Absent || id == Id::expected("null") => {
            return Err(illegal("the result has no id of a request"));
        }
        (Some(result), None) if result.get().starts_with('{') => Body::Result,
        (Some(_), None) => return Err(illegal("the result is not an object")),
        (None, Some(error)) => Body::Error(code(error.get())?),
        (Some(_), Some(_)) => return Err(illegal("the response has both a result and an error")),
        (None, None) => return Err(illegal("the line has no method, no result and no error")),
    };
    let text = if text.len() <= KEPT { text } else { "" };
    Ok(Some(Response { id, body, text: text.into() }))
}

/// Returns the code of an error object.
fn code(error: &str) -> Result<i64, Broken> {
    match serde_json::from_str::<ErrorObject<'_>>(error) {
        Ok(error) if error.message.get().starts_with('"') => Ok(error.code),
        _ => Err(Broken::Illegal(
            "the error is no object with an integer `code` and a string `message`".to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::{Body, Broken, Id, Line, Response};

    fn single(id: &str, body: Body, text: &str) -> Line {
        Line::Single(Response { id: Id::expected(id), body, text: text.into() })
    }

    #[test]
    fn lines_are_what_they_are() {
        for (text, id, body) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, "7", Body::Result),
            ("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\r", "7", Body::Result),
            (
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"\ud800"}}"#,
                "null",
                Body::Error(-1),
            ),
            (
                r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"","data":{}}}"#,
                "none",
                Body::Error(-32600),
            ),
            (r#"{"jsonrpc":"2.0","\u0069d":"a","result":{"a":[1e999]}}"#, "\"a\"", Body::Result),
        ] {
            assert_eq!(Line::read(text.as_bytes()), Some(single(id, body, text)), "{text}");
        }
        for text in [
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"ping"}"#,
            r#"[{"jsonrpc":"2.0","id":0,"method":"ping"}]"#,
        ] {
            assert_eq!(Line::read(text.as_bytes()), Some(Line::Other), "{text}");
        }
        assert_eq!(Line::read(b" \t\r"), None);
        let text = r#"[{"jsonrpc":"2.0","id":7,"result":{}}]"#;
        assert!(
            matches!(Line::read(text.as_bytes()), Some(Line::Batch(batch)) if batch.len() == 1)
        );
    }

    #[test]
    fn what_is_no_message_is_garbage_or_illegal() {
        for text in ["INFO: started", "7", "{\"jsonrpc\":", "{} {}", "[1,", "\u{FEFF}{}"] {
            let line = Line::read(text.as_bytes());
            assert!(matches!(line, Some(Line::Broken(Broken::Garbage(_)))), "{text}: {line:?}");
        }
        assert!(matches!(Line::read(b"\xFF"), Some(Line::Broken(Broken::Garbage(_)))));
        for text in [
            "{}",
            "[]",
            r#"{"jsonrpc":"2.0","id":7}"#,
            r#"{"id":7,"result":{}}"#,
            r#"{"jsonrpc":"1.0","id":7,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":null}"#,
            r#"{"jsonrpc":"2.0","id":null,"result":{}}"#,
            r#"{"jsonrpc":"2.0","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":{},"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":true,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":7,"id":7,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{},"error":null}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":"a","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":1}"#,
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":"-1","message":""}}"#,
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-1.5,"message":""}}"#,
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-1}}"#,
            r#"{"jsonrpc":"2.0","id":7,"error":"failed"}"#,
            r#"[{"jsonrpc":"2.0","id":7,"result":{}},{"jsonrpc":"2.0","method":"a"}]"#,
            r#"[7]"#,
        ] {
            let line = Line::read(text.as_bytes());
            assert!(matches!(line, Some(Line::Broken(Broken::Illegal(_)))), "{text}: {line:?}");
        }
    }

    #[test]
    fn depth_is_no_reason_to_reject_a_line() {
        let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
        let text = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"a":{open}{close}}}}}"#);
        assert_eq!(Line::read(text.as_bytes()), Some(single("7", Body::Result, "")));
    }

    #[test]
    fn pointers_lead_into_responses() {
        let text = r#"{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"","data":{"a":[0]}}}"#;
        let Some(Line::Single(response)) = Line::read(text.as_bytes()) else { panic!() };
        assert!(response.has("/error/data/a/0") && response.has("/id"));
        assert!(!response.has("/error/data/b") && !response.has("/result"));
    }
}
