//! The text form of traces: messages that are rebuilt from their descriptions.

use std::borrow::Cow;

use serde_json::value::RawValue;
use tautline::mcp::Role;

/// The description of a message before its body.
pub(super) struct Head<'a> {
    pub from: Role,
    what: What<'a>,
}

enum What<'a> {
    Request { method: Cow<'a, str>, id: Cow<'a, str> },
    Notification { method: Cow<'a, str> },
    Response { id: Cow<'a, str>, error: Option<(Cow<'a, str>, i64)> },
}

/// The lines after the head, up to the next record.
#[derive(Default)]
pub(super) struct Body {
    text: String,
    is_complete: bool,
}

/// The most bytes that a body has.
const LONGEST_BODY: usize = 64 * 1024 * 1024;

impl Body {
    /// Adds a line. Blank lines end the body, since indented JSON has none.
    pub fn push(&mut self, line: &str) {
        self.is_complete |= line.trim().is_empty() && !self.text.is_empty();
        if !self.is_complete && self.text.len() + line.len() < LONGEST_BODY {
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    /// Returns the JSON after a label.
    fn labelled(&self, label: &str) -> Option<&str> {
        let text = self.text.strip_prefix(label)?.trim();
        serde_json::from_str::<&RawValue>(text).ok().map(|_| text)
    }
}

/// A message that was rebuilt.
pub(super) struct Built {
    pub message: String,
    /// True if there is a body that could not be read.
    pub has_lost_body: bool,
    /// True if the record mentions neither params nor a result.
    pub lacks_body: bool,
}

impl<'a> Head<'a> {
    /// Reads the description of a message; `None` if this is something else.
    pub fn parse(words: &'a str) -> Option<Self> {
        let (verb, rest) = words.split_once(' ')?;
        let from = match verb {
            "Sending" => Role::Client,
            "Received" => Role::Server,
            _ => return None,
        };
        let (noun, rest) = rest.split_once(' ')?;
        let what = match noun {
            "request" => {
                let (method, id) = method_and_id(quoted(rest)?.0)?;
                What::Request { method: method.into(), id: id.into() }
            }
            "notification" => What::Notification { method: quoted(rest)?.0.into() },
            "response" => {
                if let Some(id) = rest.strip_suffix(" without active response promise.") {
                    What::Response { id: id.into(), error: None }
                } else {
                    let (about, rest) = quoted(rest)?;
                    let (_, id) = method_and_id(about)?;
                    What::Response { id: id.into(), error: failure(rest) }
                }
            }
            _ => return None,
        };
        Some(Self { from, what })
    }

    pub fn into_owned(self) -> Head<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let what = match self.what {
            What::Request { method, id } => What::Request { method: owned(method), id: owned(id) },
            What::Notification { method } => What::Notification { method: owned(method) },
            What::Response { id, error } => What::Response {
                id: owned(id),
                error: error.map(|(message, code)| (owned(message), code)),
            },
        };
        Head { from: self.from, what }
    }

    /// Rebuilds the message.
    pub fn message(&self, body: &Body) -> Built {
        let text = body.text.trim();
        let mut message = r#"{"jsonrpc":"2.0""#.to_owned();
        let mut add = |name: &str, value: &str| {
            message.push_str(&format!(r#","{name}":{value}"#));
        };
        let found = match &self.what {
            What::Request { method, id } => {
                add("id", &id_of(id));
                add("method", &string(method));
                body.labelled("Params: ").inspect(|params| add("params", params))
            }
            What::Notification { method } => {
                add("method", &string(method));
                body.labelled("Params: ").inspect(|params| add("params", params))
            }
            What::Response { id, error: None } => {
                add("id", &id_of(id));
                let result = body.labelled("Result: ");
                add("result", result.unwrap_or("null"));
                result
            }
            What::Response { id, error: Some((words, code)) } => {
                add("id", &id_of(id));
                let data = body.labelled("Error data: ");
                let member = data.map(|data| format!(r#","data":{data}"#)).unwrap_or_default();
                let words = string(words);
                add("error", &format!(r#"{{"code":{code},"message":{words}{member}}}"#));
                data
            }
        };
        message.push('}');
        let says_none = text == "No parameters provided." || text == "No result returned.";
        let may_lack = match &self.what {
            // A request without params, and an error without data, have no body either.
            What::Request { .. } | What::Response { error: Some(_), .. } => false,
            What::Notification { .. } | What::Response { error: None, .. } => true,
        };
        Built {
            message,
            has_lost_body: found.is_none() && !text.is_empty() && !says_none,
            lacks_body: text.is_empty() && may_lack,
        }
    }
}

/// Returns what stands between quotes at the start of a text, and what comes after it. Methods have no quotes.
fn quoted(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('\'')?.split_once('\'')
}

/// Splits `method - (id)`.
fn method_and_id(text: &str) -> Option<(&str, &str)> {
    text.strip_suffix(')')?.rsplit_once(" - (")
}

/// Returns the message and the code of `... Request failed: message (code).`
fn failure(text: &str) -> Option<(Cow<'_, str>, i64)> {
    let (_, failure) = text.split_once(" Request failed: ")?;
    let (message, code) = failure.strip_suffix(").")?.rsplit_once(" (")?;
    Some((message.into(), code.parse().ok()?))
}

/// Returns an id as JSON: a number, if it looks like one.
fn id_of(id: &str) -> String {
    match id.parse::<i64>() {
        Ok(number) if number.to_string() == id => id.to_owned(),
        _ => string(id),
    }
}

fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::{Body, Head};

    fn built(head: &str, body: &str) -> String {
        let mut lines = Body::default();
        body.lines().for_each(|line| lines.push(line));
        Head::parse(head).unwrap().message(&lines).message
    }

    #[test]
    fn messages_are_rebuilt() {
        for (head, body, expected) in [
            (
                "Sending request 'a/b - (0)'.",
                "Params: {\n    \"c\": 1\n}\n\n\n",
                "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"a/b\",\"params\":{\n    \"c\": 1\n}}",
            ),
            (
                "Received request 'a - (srv-1)'.",
                "",
                r#"{"jsonrpc":"2.0","id":"srv-1","method":"a"}"#,
            ),
            (
                "Sending notification 'exit'.",
                "No parameters provided.\n",
                r#"{"jsonrpc":"2.0","method":"exit"}"#,
            ),
            (
                "Received response 'a - (2)' in 1ms.",
                "No result returned.\n",
                r#"{"jsonrpc":"2.0","id":2,"result":null}"#,
            ),
            (
                "Received response 'a - (4)' in 0ms. Request failed: it (\"x\") broke (-32603).",
                "Error data: {}\n",
                r#"{"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"it (\"x\") broke","data":{}}}"#,
            ),
            (
                "Received response 777 without active response promise.",
                "Result: {}\n",
                r#"{"jsonrpc":"2.0","id":777,"result":{}}"#,
            ),
            (
                "Sending response 'a - (07)'. Processing request took 1ms",
                "Result: [null]\n\n\nstderr of the server\n",
                r#"{"jsonrpc":"2.0","id":"07","result":[null]}"#,
            ),
        ] {
            assert_eq!(built(head, body), expected, "{head}");
        }
        assert!(Head::parse("Sending mail 'a'.").is_none());
    }
}
