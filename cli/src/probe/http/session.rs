//! A session with a server over HTTP: opening it, and running cases in it.

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use tautline_conformance::{Case, Opening, Session as Script, Step};

use super::exchange::{Exchange, Reach};
use super::filled::Filling;
use super::findings::{self, Found};
use super::judge::{Failure, judge, survival_failure};
use super::reply::Seen;
use crate::probe::era::Asking;
use crate::probe::id::Id;
use crate::probe::interrupt::Cut;
use crate::probe::judge::{Fault, Verdict};
use crate::probe::line::Body;
use crate::probe::session::Evidence;

/// The id of the request that opens a session, in the corpus.
const OPEN: &str = "\"open\"";
/// The time for the answer to the end of a session.
const GOODBYE: Duration = Duration::from_millis(500);

/// A session of a revision. Revisions without sessions have one as well, which is no more than its name.
pub struct Session<'a> {
    reach: Reach<'a>,
    script: &'a Script,
    revision: &'a str,
    /// The id that the server has given.
    id: Option<String>,
    /// The cases that have run in it.
    cases: Vec<&'a str>,
}

/// The reason why there is no session.
#[derive(Debug)]
pub enum NotOpened {
    /// The server does not answer as it must, for this reason.
    Refused(String),
    Cut(Cut),
}

impl From<Cut> for NotOpened {
    fn from(cut: Cut) -> Self {
        Self::Cut(cut)
    }
}

/// A case that has run.
pub struct Run {
    pub verdict: Verdict,
    pub evidence: Evidence,
    /// The rules of the library that the response breaks.
    pub found: Vec<Found>,
    /// True if other cases can use the session after it.
    pub goes_on: bool,
}

impl<'a> Session<'a> {
    /// Returns a session that was not opened.
    pub fn none(reach: Reach<'a>, script: &'a Script, revision: &'a str) -> Self {
        Self { reach, script, revision, id: None, cases: Vec::new() }
    }

    /// Opens a session. Returns the result of the request that opens it.
    pub fn open(
        reach: Reach<'a>,
        script: &'a Script,
        revision: &'a str,
    ) -> Result<(Self, Value), NotOpened> {
        let mut session = Self::none(reach, script, revision);
        let mut opened = None;
        for step in &script.open {
            let Step::Text(text) = step else { continue };
            let request = session.filling().fill(text.as_bytes());
            let mut exchange = session.send(request)?.map_err(NotOpened::Refused)?;
            exchange.wait_for(&Id::expected(OPEN))?;
            if opened.is_none() {
                opened = Some(session.opened(&exchange).map_err(NotOpened::Refused)?);
            }
        }
        match opened {
            Some(result) => Ok((session, result)),
            None => Err(NotOpened::Refused("there is no request that opens it".to_owned())),
        }
    }

    /// Returns the result of the request that opens the session, and notes the id.
    fn opened(&mut self, exchange: &Exchange) -> Result<Value, String> {
        let observed = exchange.observed();
        let request = "the request that opens the session";
        if let Some(broken) = observed.broken {
            return Err(format!("its answer to {request} is not HTTP: {broken}"));
        }
        let Some(reply) = observed.replies.first() else {
            let seconds = self.reach.timeout.as_secs_f64();
            return Err(match observed.end {
                Some(_) => format!("it closes the connection on {request}"),
                None => format!("it does not answer {request} within {seconds} s"),
            });
        };
        let status = reply.status;
        let answer = reply.response(&Id::expected(OPEN));
        let result = match answer.map(|answer| (answer.body, answer)) {
            Some((Body::Result, answer)) if status == 200 => answer.result(),
            Some((Body::Error(code), _)) => {
                return Err(format!("it answers {request} with status {status} and error {code}"));
            }
            _ => return Err(format!("it answers {request} with status {status}")),
        };
        let id = reply.values("mcp-session-id").next();
        self.id = id.map(|id| String::from_utf8_lossy(id).into_owned());
        result.ok_or_else(|| "the answer that opens the session is too long".to_owned())
    }

    /// Returns whether the server has given an id.
    pub const fn has_id(&self) -> bool {
        self.id.is_some()
    }

    /// Returns the cases that have run in this session, in order.
    pub fn cases(&self) -> &[&'a str] {
        &self.cases
    }

    fn filling(&self) -> Filling<'_> {
        Filling { url: self.reach.url, revision: self.revision, session: self.id.as_deref() }
    }

    /// Sends a request on a connection of its own. The inner error says why there is no connection.
    fn send(&self, request: Vec<u8>) -> Result<Result<Exchange, String>, Cut> {
        let mut exchange = match self.connect() {
            Ok(exchange) => exchange,
            Err(why) => return Ok(Err(why)),
        };
        let step = Step::Base64(STANDARD.encode(request));
        exchange.play(&[step])?;
        Ok(Ok(exchange))
    }

    fn connect(&self) -> Result<Exchange, String> {
        Exchange::connect(self.reach).map_err(|error| format!("cannot connect: {error}"))
    }

    /// Runs a case. The number makes the id of its survival request unique.
    pub fn run(&mut self, case: &'a Case, number: usize) -> Result<Run, Cut> {
        let start = Instant::now();
        self.cases.push(&case.id);
        let steps = self.filling().steps(&case.steps);
        let mut exchange = match self.connect() {
            Ok(exchange) => exchange,
            Err(why) => {
                let verdict = Verdict::Wrong(Fault::Death, why);
                let evidence = Evidence { sent: Some(self.shown(case)), ..Evidence::default() };
                return Ok(Run { verdict, evidence, found: Vec::new(), goes_on: false });
            }
        };
        exchange.play(&steps)?;
        exchange.settle(case)?;
        let (survival, failure) = match case.opening {
            Opening::Ready => self.survive(number)?,
            // There is no session, or the case may have ended it.
            _ => self.survive_elsewhere(number)?,
        };
        let goes_on = failure.is_none() && case.opening == Opening::Ready;
        let observed = exchange.observed();
        let found = findings::of(self.revision, &steps, observed);
        let verdict = judge(case, observed, failure);
        let (received, took) = (exchange.received, start.elapsed());
        let sent = Some(self.shown(case));
        let evidence = Evidence { survival, received, took, sent, ..Evidence::default() };
        Ok(Run { verdict, evidence, found, goes_on })
    }

    /// Returns the steps of a case as reports show them, without the credentials in the URL.
    fn shown(&self, case: &Case) -> Vec<Step> {
        Filling { url: &self.reach.url.shown(), ..self.filling() }.steps(&case.steps)
    }

    /// Opens another session, and sends the survival request in it.
    fn survive_elsewhere(&self, number: usize) -> Result<(Option<String>, Option<Failure>), Cut> {
        match Self::open(self.reach, self.script, self.revision) {
            Ok((session, _)) => {
                let survived = session.survive(number)?;
                session.end();
                Ok(survived)
            }
            Err(NotOpened::Cut(cut)) => Err(cut),
            Err(NotOpened::Refused(why)) => Ok((None, Some((Fault::NotOpened, why)))),
        }
    }

    /// Sends the survival request. If it gets no result, returns it and the fault.
    fn survive(&self, number: usize) -> Result<(Option<String>, Option<Failure>), Cut> {
        let id = format!("\"survival-{number}\"");
        let request = self.filling().request(&self.script.survival, &id);
        let shown = String::from_utf8_lossy(&request).into_owned();
        let failure = match self.send(request)? {
            Err(why) => Some((Fault::Death, format!("after the case: {why}"))),
            Ok(mut exchange) => {
                let id = Id::expected(&id);
                exchange.wait_for(&id)?;
                survival_failure(exchange.observed(), &id)
            }
        };
        Ok((failure.as_ref().map(|_| shown), failure))
    }

    /// Ends the session, as clients do. The answer makes no difference.
    pub fn end(self) {
        let Some(id) = &self.id else { return };
        let Self { reach: Reach { url, .. }, revision, .. } = self;
        let request = format!(
            "DELETE {} HTTP/1.1\r\nHost: {}\r\nMcp-Session-Id: {id}\r\nMCP-Protocol-Version: {revision}\r\n\r\n",
            url.path, url.authority
        );
        if let Ok(Ok(mut exchange)) = self.send(request.into_bytes()) {
            let is_there = |seen: &[Seen]| !seen.is_empty();
            let _ = exchange.wait(Instant::now() + GOODBYE, is_there);
        }
    }
}

impl Asking for Session<'_> {
    fn ask(&mut self, id: &str, request: &str) -> Result<Option<Value>, Cut> {
        let request = self.filling().of_message(&self.script.survival, request.trim_end());
        let Ok(mut exchange) = self.send(request)? else { return Ok(None) };
        let id = Id::expected(id);
        exchange.wait_for(&id)?;
        let reply = exchange.observed().replies.first();
        Ok(reply.and_then(|reply| reply.response(&id)?.result()))
    }
}
