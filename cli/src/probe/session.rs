//! A session with a server: opening it, and running cases in it.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use serde_json::Value;
use tautline_conformance::{Case, Opening, Session as Script, Step, Survival};

use super::exchange::{Exchange, responses};
use super::id::Id;
use super::interrupt::Cut;
use super::kept::Head;
use super::line::{Body, Response};
use super::lines::Lines;
use super::link::Link;
use super::observed::{Input, Observed, Survived};

/// How servers are started, and how long the probe waits for them.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    pub command: &'a [OsString],
    pub timeout: Duration,
    /// The time at which the probe ends, if it is limited.
    pub deadline: Option<Instant>,
}

/// The id of the request that opens a session, in the corpus.
const OPEN: &str = "\"open\"";
/// The time for a server to start and to answer for the first time, in multiples of the timeout. Interpreters start
/// slowly.
const STARTING: u32 = 3;
/// The time for a server to exit by itself.
const PATIENCE: Duration = Duration::from_secs(2);

/// A running server of a revision.
pub struct Session<'a> {
    link: Link,
    lines: Lines,
    script: &'a Script,
    timeout: Duration,
    /// The time that an answer takes.
    latency: Duration,
    /// The cases that have run in it.
    cases: Vec<&'a str>,
}

/// A case that has run.
pub struct Run {
    pub observed: Observed,
    pub evidence: Evidence,
}

/// The bytes of a case, which explain its verdict.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The request that was sent after the steps of the case.
    pub survival: Option<String>,
    pub received: Head,
    /// The end of the peer's standard error.
    pub stderr: Vec<u8>,
    pub took: Duration,
    /// The steps of the case as they were sent, if they differ from those of the corpus.
    pub sent: Option<Vec<Step>>,
}

/// The reason why there is no session.
#[derive(Debug)]
pub enum NotOpened {
    /// The command can't be started.
    NotStarted(std::io::Error),
    /// The server does not answer as it must.
    Refused(Refused),
    Cut(Cut),
}

/// The refusal of a server to open a session, whether it knows of it or not.
#[derive(Debug)]
pub struct Refused {
    /// The reason.
    pub why: String,
    /// True if it has answered the request that opens the session.
    pub is_answered: bool,
    /// What it has sent.
    pub received: Head,
    /// The end of its standard error.
    pub stderr: Vec<u8>,
}

impl From<Cut> for NotOpened {
    fn from(cut: Cut) -> Self {
        Self::Cut(cut)
    }
}

impl<'a> Session<'a> {
    /// Starts a server without sending anything.
    pub fn start(setup: Setup<'a>, script: &'a Script) -> Result<Self, NotOpened> {
        let link = Link::start(setup.command, setup.deadline).map_err(NotOpened::NotStarted)?;
        let (lines, timeout) = (Lines::default(), setup.timeout);
        let (latency, cases) = (Duration::from_millis(5), Vec::new());
        Ok(Self { link, lines, script, timeout, latency, cases })
    }

    /// Starts a server and opens a session. Returns the result of the request that opens it.
    pub fn open(setup: Setup<'a>, script: &'a Script) -> Result<(Self, Value), NotOpened> {
        let mut session = Self::start(setup, script)?;
        let patience = setup.timeout * STARTING;
        let mut exchange = Exchange::new(&mut session.link, &mut session.lines, patience);
        exchange.play(&script.open)?;
        let id = Id::expected(OPEN);
        let answer = responses(&exchange.seen).find(|response| response.id == id).cloned();
        let why = match (answer.as_ref().map(|answer| answer.body), exchange.seen.end) {
            (Some(Body::Result), _) => match answer.as_ref().and_then(Response::result) {
                Some(result) => return Ok((session, result)),
                None => "the answer that opens the session is too long".to_owned(),
            },
            (Some(Body::Error(code)), _) => {
                format!("it answers the request that opens the session with error {code}")
            }
            (None, Some(end)) => end.to_string(),
            (None, None) if exchange.answers_at_end(&id)? => {
                "it answers the request that opens the session only when its input ends: it must \
                 flush its standard output after each message"
                    .to_owned()
            }
            (None, None) => format!(
                "it does not answer the request that opens the session within {} s",
                patience.as_secs_f64()
            ),
        };
        let (is_answered, received) = (answer.is_some(), exchange.received);
        let stderr = session.link.stderr();
        Err(NotOpened::Refused(Refused { why, is_answered, received, stderr }))
    }

    /// Starts a server as a case needs it.
    pub fn for_case(setup: Setup<'a>, script: &'a Script, case: &Case) -> Result<Self, NotOpened> {
        match case.opening {
            Opening::Fresh => Self::start(setup, script),
            _ => Self::open(setup, script).map(|(session, _)| session),
        }
    }

    /// Runs a case. The number makes the id of its survival request unique.
    pub fn run(&mut self, case: &'a Case, number: usize) -> Result<Run, Cut> {
        let start = Instant::now();
        // A server that has received nothing yet may still be starting.
        let is_starting = case.opening == Opening::Fresh;
        let timeout = if is_starting { self.timeout * STARTING } else { self.timeout };
        let mut exchange = Exchange::new(&mut self.link, &mut self.lines, timeout);
        exchange.play(&case.steps)?;
        let mut survival = None;
        if case.survival == Survival::Request {
            let id = format!("\"survival-{number}\"");
            let request = survival.insert(self.script.survival.replace("{ID}", &id));
            let took = exchange.survive(request, Id::expected(&id))?;
            // A server that is slow is likely to stay slow for a while.
            self.latency = took.max(self.latency / 2);
        }
        exchange.settle(case, self.latency)?;
        let (observed, received) = (exchange.seen, exchange.received);
        self.cases.push(&case.id);
        let (stderr, took) = (self.link.stderr(), start.elapsed());
        Ok(Run { observed, evidence: Evidence { survival, received, stderr, took, sent: None } })
    }

    /// Returns whether another case can follow this one.
    pub fn goes_on(&self, case: &Case, run: &Run) -> bool {
        let seen = &run.observed;
        case.opening == Opening::Ready
            && seen.survival == Survived::Answered
            && seen.end.is_none()
            && seen.input == Input::Taken
            && !seen.is_flooded
            && self.lines.unfinished().is_empty()
    }

    /// Returns the cases that have run in this session, in order.
    pub fn cases(&self) -> &[&'a str] {
        &self.cases
    }

    /// Sends a request, and returns its result, or `None` if there is none.
    pub fn request(&mut self, id: &str, request: &str) -> Result<Option<Value>, Cut> {
        let mut exchange = Exchange::new(&mut self.link, &mut self.lines, self.timeout);
        let step = Step::Text(request.to_owned());
        exchange.play(&[step])?;
        let id = Id::expected(id);
        let until = Instant::now() + self.timeout;
        exchange.wait(until, |seen| responses(seen).any(|response| response.id == id))?;
        let answer = responses(&exchange.seen).find(|response| response.id == id);
        Ok(answer.and_then(Response::result))
    }

    /// Ends the server, as clients do.
    pub fn end(self) {
        self.link.end(PATIENCE);
    }
}
