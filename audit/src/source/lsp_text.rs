//! The text form of traces: messages that are rebuilt from their descriptions.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::sides::Way;
use super::text;

/// The description of a message before its body.
pub(super) struct Head<'a> {
    pub way: Way,
    what: What<'a>,
}

enum What<'a> {
    Request {
        method: Cow<'a, str>,
        id: Cow<'a, str>,
    },
    Notification {
        method: Cow<'a, str>,
    },
    /// A result or, if the head describes a failure, an error: its message, its code, and what follows.
    Response {
        id: Cow<'a, str>,
        failure: Option<Cow<'a, str>>,
    },
}

/// The lines after the head, up to the next record.
#[derive(Default)]
pub(super) struct Body {
    text: String,
    is_complete: bool,
}

/// The maximum length of a body, in bytes.
const LONGEST_BODY: usize = 64 * 1024 * 1024;

impl Body {
    /// Adds a line. A blank line ends the body, because indented JSON has none.
    pub fn push(&mut self, line: &str) {
        self.is_complete |= line.trim().is_empty() && !self.text.is_empty();
        if !self.is_complete && self.text.len() + line.len() < LONGEST_BODY {
            self.text.push_str(line);
            self.text.push('\n');
        }
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
    /// Parses the description of a message. Returns `None` for any other text.
    pub fn parse(words: &'a str) -> Option<Self> {
        let (verb, rest) = words.split_once(' ')?;
        let way = match verb {
            "Sending" => Way::Out,
            "Received" => Way::In,
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
                    What::Response { id: id.into(), failure: None }
                } else {
                    let (about, rest) = quoted(rest)?;
                    let (_, id) = method_and_id(about)?;
                    let failure = rest.split_once(" Request failed: ").map(|(_, failure)| failure);
                    What::Response { id: id.into(), failure: failure.map(Cow::Borrowed) }
                }
            }
            _ => return None,
        };
        Some(Self { way, what })
    }

    pub fn into_owned(self) -> Head<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let what = match self.what {
            What::Request { method, id } => What::Request { method: owned(method), id: owned(id) },
            What::Notification { method } => What::Notification { method: owned(method) },
            What::Response { id, failure } => {
                What::Response { id: owned(id), failure: failure.map(owned) }
            }
        };
        Head { way: self.way, what }
    }

    /// Returns the id of the request that the message answers, as JSON.
    pub fn answers(&self) -> Option<String> {
        match &self.what {
            What::Response { id, .. } => Some(id_of(id)),
            What::Request { .. } | What::Notification { .. } => None,
        }
    }

    /// Rebuilds the message. Returns `None` for an error whose message has no end.
    pub fn message(&self, body: &Body) -> Option<Built> {
        let with_failure;
        let (error, text) = match &self.what {
            What::Response { failure: Some(failure), .. } => {
                with_failure = format!("{failure}\n{}", body.text);
                let (words, code, rest) = split_failure(&with_failure)?;
                (Some((words, code)), rest)
            }
            _ => (None, body.text.as_str()),
        };
        let text = text.trim();
        let mut message = r#"{"jsonrpc":"2.0""#.to_owned();
        let mut add = |name: &str, value: &str| {
            message.push_str(&format!(r#","{name}":{value}"#));
        };
        let found = match (&self.what, error) {
            (What::Request { method, id }, _) => {
                add("id", &id_of(id));
                add("method", &string(method));
                labelled(text, "Params: ").inspect(|params| add("params", params))
            }
            (What::Notification { method }, _) => {
                add("method", &string(method));
                labelled(text, "Params: ").inspect(|params| add("params", params))
            }
            (What::Response { id, .. }, None) => {
                add("id", &id_of(id));
                // LSP4J adds the error, or null, after the result.
                let (result, rest) = labelled_value(text, "Result: ").unzip();
                let error = labelled(rest.unwrap_or(text), "Error: ");
                match error.filter(|error| *error != "null") {
                    Some(error) => add("error", error),
                    None => add("result", result.unwrap_or("null")),
                }
                let rest = rest.unwrap_or_default();
                result.filter(|_| rest.is_empty() || error.is_some()).or(error)
            }
            (What::Response { id, .. }, Some((words, code))) => {
                add("id", &id_of(id));
                let code = code.map(|code| format!(r#""code":{code},"#)).unwrap_or_default();
                let data = labelled(text, "Error data: ");
                let member = data.map(|data| format!(r#","data":{data}"#)).unwrap_or_default();
                add("error", &format!(r#"{{{code}"message":{}{member}}}"#, string(words)));
                data
            }
        };
        message.push('}');
        let says_none = text == "No parameters provided." || text == "No result returned.";
        let may_lack = match &self.what {
            // A request without params and an error without data have no body.
            What::Request { .. } | What::Response { failure: Some(_), .. } => false,
            What::Notification { .. } | What::Response { failure: None, .. } => true,
        };
        Some(Built {
            has_lost_body: found.is_none() && !text.is_empty() && !says_none,
            lacks_body: text.is_empty() && may_lack,
            message,
        })
    }
}

/// Returns the part between quotes at the start of a text, and the rest. Methods contain no quotes.
fn quoted(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('\'')?.split_once('\'')
}

/// Splits `method - (id)`.
fn method_and_id(text: &str) -> Option<(&str, &str)> {
    text.strip_suffix(')')?.rsplit_once(" - (")
}

/// Splits `message (code).` from the lines after it. The message may have several lines, and `undefined` stands for a
/// missing code.
fn split_failure(text: &str) -> Option<(&str, Option<i64>, &str)> {
    const END: &str = ").\n";
    text.match_indices(END).find_map(|(at, _)| {
        let (message, code) = text.get(..at)?.rsplit_once(" (")?;
        let code = match code {
            "undefined" => None,
            code => Some(code.parse().ok()?),
        };
        Some((message, code, text.get(at + END.len()..)?))
    })
}

/// Returns the JSON after a label.
fn labelled<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let json = text.strip_prefix(label)?;
    serde_json::from_str::<&RawValue>(json).ok().map(|_| json)
}

/// Returns the JSON value after a label, and the text after the value.
fn labelled_value<'a>(text: &'a str, label: &str) -> Option<(&'a str, &'a str)> {
    let (value, rest) = text::first_value(text.strip_prefix(label)?)?;
    Some((value.get(), rest.trim_start()))
}

/// Returns an id as JSON: as a number if it looks like one, otherwise as a string.
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
        Head::parse(head).unwrap().message(&lines).unwrap().message
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
                "Received response 'a - (5)' in 0ms. Request failed: it",
                "broke (here).\n  at (x).\nagain (-1).\nError data: 7\n",
                r#"{"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"it\nbroke (here).\n  at (x).\nagain","data":7}}"#,
            ),
            (
                "Received response 'a - (6)' in 0ms. Request failed: it (undefined).",
                "",
                r#"{"jsonrpc":"2.0","id":6,"error":{"message":"it"}}"#,
            ),
            (
                "Sending response 'a - (9)'. Processing request took 2ms",
                "Result: {\n  \"b\": 1\n}\nError: null\n",
                "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{\n  \"b\": 1\n}}",
            ),
            (
                "Received response 'a - (10)' in 2ms",
                "Result: null\nError: {\"code\":-1,\"message\":\"no\"}\n",
                r#"{"jsonrpc":"2.0","id":10,"error":{"code":-1,"message":"no"}}"#,
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
        let endless =
            Head::parse("Received response 'a - (8)' in 0ms. Request failed: it").unwrap();
        assert!(endless.message(&Body::default()).is_none());
        assert_eq!(endless.answers().as_deref(), Some("8"));
    }
}
