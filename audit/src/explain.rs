//! An example of each rule: `examples.txt`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use tautline::Rule;
use tautline::frame::FramingKind;
use tautline_mcp::{Role, rule};

use crate::step::Step;

/// A dialogue that breaks one rule once, and no other rule whose findings are errors or warnings.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Example {
    /// The name of the rules that it is checked against: `auto`, a revision of MCP, or another protocol.
    pub rules: &'static str,
    /// How both sides delimit their messages.
    pub framing: FramingKind,
    /// The maximum length of a frame in bytes, if the rule depends on it.
    pub limit: Option<u32>,
    /// True if it consists of HTTP exchanges.
    pub is_http: bool,
    text: &'static str,
}

static EXAMPLES: LazyLock<BTreeMap<&'static str, Example>> = LazyLock::new(|| {
    let sections = include_str!("examples.txt").split("\n# ").skip(1);
    sections.filter_map(Example::parse).collect()
});

impl Example {
    fn parse(section: &'static str) -> Option<(&'static str, Self)> {
        let (head, text) = section.split_once('\n').unwrap_or((section, ""));
        let mut words = head.split(' ');
        let (rule, rules) = (words.next()?, words.next()?);
        let framing = words.next().unwrap_or_default();
        let is_http = framing == "http";
        let framing = framing.parse().unwrap_or(FramingKind::Ndjson);
        let limit = words.next().and_then(|limit| limit.parse().ok());
        Some((rule, Self { rules, framing, limit, is_http, text }))
    }

    /// Returns the lines, for human readers: `>` and a message of the client, `<` and a message of the server, or a
    /// remark in brackets.
    pub fn lines(&self) -> impl Iterator<Item = &'static str> {
        self.text.lines().filter(|line| !line.is_empty())
    }

    /// Returns what happens in the example.
    #[must_use]
    pub fn steps(&self) -> Vec<Step> {
        if self.is_http {
            return Step::of_exchanges(self.text);
        }
        self.lines().flat_map(|line| self.step(line)).collect()
    }

    fn step(&self, line: &str) -> Vec<Step> {
        if let Some(remark) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            let mut words = remark.splitn(4, ' ');
            return match (words.next(), words.next(), words.next(), words.next()) {
                (Some("handshake"), Some(revision), Some(client), Some(server)) => {
                    handshake(revision, client, server)
                }
                (Some("exit"), Some(code), ..) => {
                    code.parse().map(Step::Exit).into_iter().collect()
                }
                _ => vec![Step::PayloadsUnchecked],
            };
        }
        let (from, message) = match line.split_once(' ') {
            Some((">", message)) => (Role::Client, message),
            Some(("<", message)) => (Role::Server, message),
            _ => return Vec::new(),
        };
        let (message, has_end) = match message.strip_suffix("<end>") {
            Some(message) => (message, false),
            None => (message, self.framing == FramingKind::Ndjson),
        };
        let mut bytes = unescape(message);
        if has_end {
            bytes.push(b'\n');
        }
        vec![Step::Send(from, bytes)]
    }
}

/// Returns the messages that open a session, with these capabilities.
fn handshake(revision: &str, client: &str, server: &str) -> Vec<Step> {
    let info = r#"{"name":"n","version":"1"}"#;
    let send = |from, message: String| Step::Send(from, (message + "\n").into_bytes());
    vec![
        send(
            Role::Client,
            format!(
                r#"{{"jsonrpc":"2.0","id":"open","method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{client},"clientInfo":{info}}}}}"#
            ),
        ),
        send(
            Role::Server,
            format!(
                r#"{{"jsonrpc":"2.0","id":"open","result":{{"protocolVersion":"{revision}","capabilities":{server},"serverInfo":{info}}}}}"#
            ),
        ),
        send(Role::Client, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned()),
    ]
}

/// Replaces `<0D>` and the like by the byte of that number.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        bytes.extend_from_slice(before.as_bytes());
        let number = after.get(..2).filter(|_| after.as_bytes().get(2) == Some(&b'>'));
        match number.and_then(|number| u8::from_str_radix(number, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(3..).unwrap_or_default();
            }
            None => {
                bytes.push(b'<');
                rest = after;
            }
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// Returns the example of a rule, if a recording can show one.
#[must_use]
pub fn example_of(rule: Rule) -> Option<Example> {
    EXAMPLES.get(rule::name(rule)).copied()
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn bytes_can_be_written_as_numbers() {
        assert_eq!(unescape("a<0D><FF>b<x><0"), b"a\r\xFFb<x><0");
    }
}
