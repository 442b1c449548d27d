//! One exchange on a connection: sends the steps of a case, and reads the responses until no more are expected.

use std::io;
use std::time::{Duration, Instant};

use tautline_conformance::{Case, Step};

use super::filled::with_lines;
use super::judge::{Observed, fits_now};
use super::reply::{Replies, Seen};
use super::url::Url;
use super::wire::Wire;
use crate::probe::id::Id;
use crate::probe::interrupt::Cut;
use crate::probe::judge::Verdict;
use crate::probe::kept::Head;
use crate::probe::observed::Answered;

/// The quiet time after the last byte, if all responses are there, in multiples of the latency, and its limits. Only more
/// responses could change the verdict.
const QUIET: u32 = 2;
const QUIET_LIMITS: [Duration; 2] = [Duration::from_millis(10), Duration::from_millis(200)];
/// The part of the time for an answer in which the connection has to be closed, if that may make the case right.
const UNTIL_END: u32 = 5;

/// How to reach a server, and how long to wait for it.
#[derive(Clone, Copy, Debug)]
pub struct Reach<'a> {
    pub url: &'a Url,
    /// The header lines that are added to each request.
    pub lines: &'a [String],
    pub timeout: Duration,
    /// The time at which the probe ends, if it is limited.
    pub deadline: Option<Instant>,
}

pub struct Exchange {
    wire: Wire,
    replies: Replies,
    lines: Vec<String>,
    timeout: Duration,
    /// The time at which everything was sent, and how long the first bytes took after that.
    sent: Instant,
    latency: Option<Duration>,
    is_stuck: bool,
    pub received: Head,
}

impl Exchange {
    /// Connects to the server.
    pub fn connect(reach: Reach<'_>) -> io::Result<Self> {
        let wire = Wire::connect(reach.url, reach.timeout, reach.deadline)?;
        let (replies, received) = (Replies::default(), Head::default());
        let (lines, timeout) = (reach.lines.to_vec(), reach.timeout);
        let (sent, latency, is_stuck) = (Instant::now(), None, false);
        Ok(Self { wire, replies, lines, timeout, sent, latency, is_stuck, received })
    }

    /// Sends the steps.
    pub fn play(&mut self, steps: &[Step]) -> Result<(), Cut> {
        for step in steps {
            match step {
                Step::PauseMs(ms) => {
                    self.deliver()?;
                    let pause = Duration::from_millis((*ms).into());
                    self.wait(Instant::now() + pause, |_| false)?;
                }
                Step::Await(id) => {
                    let id = Id::expected(id);
                    self.deliver()?;
                    self.wait(Instant::now() + self.timeout, |seen| has(seen, &id))?;
                }
                Step::Close(_) => self.wire.close(),
                step => {
                    let step = with_lines(step, &self.lines);
                    if let Some((bytes, count)) = step.bytes() {
                        self.wire.send(bytes.into_owned(), count);
                    }
                }
            }
        }
        self.deliver()
    }

    /// Waits until the connection has accepted all bytes, as long as it makes progress.
    fn deliver(&mut self) -> Result<(), Cut> {
        let until = Instant::now() + self.timeout * 4;
        while !self.wire.is_sent() && self.wire.end.is_none() {
            if Instant::now() >= until {
                self.is_stuck = true;
                break;
            }
            self.receive(until)?;
        }
        self.sent = Instant::now();
        Ok(())
    }

    /// Waits until the condition holds. Returns false if that takes too long, or is no longer possible.
    pub fn wait(&mut self, until: Instant, holds: impl Fn(&[Seen]) -> bool) -> Result<bool, Cut> {
        loop {
            if holds(&self.replies.seen) {
                return Ok(true);
            }
            if self.is_over() || Instant::now() >= until {
                return Ok(false);
            }
            self.receive(until)?;
        }
    }

    /// Waits for a response with this id, or for a whole response of HTTP, or for the end of the connection.
    pub fn wait_for(&mut self, id: &Id) -> Result<(), Cut> {
        let is_there =
            |seen: &[Seen]| has(seen, id) || seen.first().is_some_and(|one| one.is_whole);
        self.wait(Instant::now() + self.timeout, is_there).map(drop)
    }

    /// Waits until the server sends nothing more.
    pub fn settle(&mut self, case: &Case) -> Result<(), Cut> {
        let expected = case.outcomes.iter().map(|one| one.replies.as_ref().map_or(0, Vec::len));
        let expected = expected.max().unwrap_or(0);
        let may_end = case.outcomes.iter().any(|outcome| outcome.ending.is_some());
        let limit = Instant::now() + self.timeout;
        while !self.is_over() && Instant::now() < limit {
            let observed = self.observed();
            let fit = fits_now(case, observed);
            // A stream may stay open.
            let is_done = |one: &&Seen| one.is_whole || (one.is_stream && fit.is_some());
            let is_whole = observed.replies.iter().filter(is_done).count() >= expected;
            let quiet = match fit {
                Some(Verdict::Right) => self.quiet(),
                _ if is_whole && may_end => self.timeout / UNTIL_END,
                _ if is_whole => self.quiet(),
                _ => self.timeout,
            };
            let until = limit.min(Instant::now() + quiet);
            if !self.receive(until)? {
                break;
            }
        }
        Ok(())
    }

    fn quiet(&self) -> Duration {
        let [least, most] = QUIET_LIMITS;
        (self.latency.unwrap_or_default() * QUIET).clamp(least, most)
    }

    /// Returns what was observed so far, without the survival of the server.
    pub fn observed(&self) -> Observed<'_> {
        let Replies { seen, broken, .. } = &self.replies;
        Observed {
            replies: seen,
            broken: broken.as_deref(),
            end: self.wire.end,
            is_stuck: self.is_stuck,
        }
    }

    fn is_over(&self) -> bool {
        self.wire.end.is_some() || self.replies.broken.is_some()
    }

    /// Moves bytes. Returns false if none came in time.
    fn receive(&mut self, until: Instant) -> Result<bool, Cut> {
        let came = match self.wire.next(until)? {
            Some(bytes) => {
                if !bytes.is_empty() {
                    self.latency.get_or_insert_with(|| self.sent.elapsed());
                }
                self.received.push(bytes);
                self.replies.push(bytes);
                true
            }
            None => false,
        };
        if self.wire.end.is_some() {
            self.replies.finish();
        }
        Ok(came)
    }
}

/// Returns whether a response has this id.
pub fn has(seen: &[Seen], id: &Id) -> bool {
    seen.iter().flat_map(|one| &one.answers).any(|answer| match answer {
        Answered::Single(response) => response.id == *id,
        Answered::Batch(batch) => batch.iter().any(|response| response.id == *id),
    })
}
