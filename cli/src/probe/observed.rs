//! The observations of a server in a case, without the bytes.

use std::fmt;

use crate::process::Exit;

use super::line::{Body, Broken, Response};

/// The observations of a server in a case.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// The responses, except the response to the survival request.
    pub answers: Vec<Answered>,
    /// The first line that is not a legal message.
    pub broken: Option<Broken>,
    /// True if there were more answers than are kept.
    pub is_flooded: bool,
    pub survival: Survived,
    pub input: Input,
    /// The end of the server, if it came before the probe ended it.
    pub end: Option<Ended>,
}

/// A line with one or more responses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answered {
    Single(Response),
    Batch(Vec<Response>),
}

/// The answer to the survival request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Survived {
    /// The request was not sent.
    #[default]
    NotAsked,
    Unanswered,
    Answered,
    /// It was answered with an error, or more than once.
    Wrongly(Option<i64>),
}

/// The fate of the bytes that were sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Input {
    /// The pipe has accepted all of them.
    #[default]
    Taken,
    /// The server has closed its input or ended.
    Refused,
    /// The server stopped reading.
    Stuck,
}

/// How a server has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Exited(Exit),
    /// It has closed its output, but is still running.
    ClosedOutput,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(exit) => write!(f, "the process {exit}"),
            Self::ClosedOutput => write!(f, "the process closed its standard output"),
        }
    }
}

impl fmt::Display for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Single(response) => response.fmt(f),
            Self::Batch(responses) => {
                write!(f, "a batch of ({})", listed(responses.iter()))
            }
        }
    }
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.body {
            Body::Result => write!(f, "a result {}", self.id),
            Body::Error(code) => write!(f, "error {code} {}", self.id),
        }
    }
}

/// Lists items, up to a number that is convenient to read.
pub fn listed(things: impl ExactSizeIterator<Item: fmt::Display>) -> String {
    const LISTED: usize = 6;
    let count = things.len();
    let mut words: Vec<String> = things.take(LISTED).map(|thing| thing.to_string()).collect();
    if count > LISTED {
        words.push(format!("{} more", count - LISTED));
    }
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}
