//! The outcome of a request: a refusal, a reply of the proxy itself, or the arrival at the upstream.

use std::fmt;

use serde_json::Value;

use crate::connection::Reply;
use crate::upstream::{RECORD, Record, Upstream};

/// The fields that a proxy adds with a new value for each request.
const OF_PROXY: [&str; 1] = ["x-request-id"];

/// The outcome of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It has reached the upstream.
    Reached(Box<Record>),
    /// It was answered before.
    Answered {
        /// The status.
        status: u16,
        /// The methods that the endpoint has.
        allow: Option<String>,
        /// The media type of the body.
        kind: Option<String>,
        /// The body.
        body: Vec<u8>,
    },
    /// The reply is incomplete.
    Cut,
}

impl Outcome {
    /// Returns what a reply means, where this upstream records.
    #[must_use]
    pub fn of(reply: &Reply, upstream: &Upstream) -> Self {
        if !reply.is_whole {
            return Self::Cut;
        }
        if let Some(number) = reply.header(RECORD) {
            let mut record = upstream.record(number.parse().expect("a number"));
            for name in OF_PROXY {
                record.headers.remove(name);
            }
            return Self::Reached(Box::new(record));
        }
        let text = |name| reply.header(name).map(str::to_owned);
        Self::Answered {
            status: reply.status,
            allow: text("allow"),
            kind: text("content-type"),
            body: reply.body.clone(),
        }
    }

    /// Returns whether both have the same status, methods and body, or have reached the upstream with the same method
    /// and body, whatever a proxy has done to the header.
    #[must_use]
    pub fn agrees(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Reached(one), Self::Reached(other)) => {
                (&one.method, &one.body, one.is_whole)
                    == (&other.method, &other.body, other.is_whole)
            }
            _ => self == other,
        }
    }
}

/// Writes the outcome in some words.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reached(record) => {
                write!(f, "reached the upstream with {} bytes", record.body.len())
            }
            Self::Cut => f.write_str("cut"),
            Self::Answered { status, body, .. } => {
                write!(f, "{status}")?;
                let body: Value = serde_json::from_slice(body).unwrap_or_default();
                if let Some(code) = body.pointer("/error/code") {
                    write!(f, " {code}")?;
                }
                if let Some(rule) = body.pointer("/error/data/rule").and_then(Value::as_str) {
                    write!(f, " {rule}")?;
                }
                Ok(())
            }
        }
    }
}

/// Writes outcomes in a row.
#[must_use]
pub fn row(outcomes: &[Outcome]) -> String {
    let texts: Vec<_> = outcomes.iter().map(ToString::to_string).collect();
    if texts.is_empty() { "nothing".to_owned() } else { texts.join(", then ") }
}
