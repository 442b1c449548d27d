//! One exchange with a server: sends bytes, and observes the answers until no more are expected.

use std::time::{Duration, Instant};

use tautline_conformance::{Case, Step, Survival};

use crate::process::Exit;

use super::id::Id;
use super::interrupt;
use super::judge::{Verdict, judge};
use super::kept::Head;
use super::line::{Body, Broken, Line, Response};
use super::lines::{Cut, Lines};
use super::link::{Event, Link};
use super::observed::{Answered, Ended, Input, Observed, Survived};

/// The number of answers that are kept.
const ANSWERS: usize = 100_000;
/// The time in which a process must exit after it has closed its output.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// The time to wait for the rest of the output of a process that has exited. Another process may hold the pipe open.
const DRAIN: Duration = Duration::from_millis(200);
/// The time for an answer after the end of the input.
const AT_END: Duration = Duration::from_millis(500);
/// The quiet time after the last answer, in multiples of the latency, and its limits. A server that works on several
/// requests at once may answer late. If the case is right so far, only more output could make it wrong. If not, the
/// answer that makes it right may still come.
const QUIET: u32 = 3;
const QUIET_IF_RIGHT: [Duration; 2] = [Duration::from_millis(8), Duration::from_millis(200)];
const QUIET_IF_NOT: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(1)];

pub struct Exchange<'a> {
    link: &'a mut Link,
    lines: &'a mut Lines,
    timeout: Duration,
    survival: Option<Id>,
    pub seen: Observed,
    pub received: Head,
}

impl<'a> Exchange<'a> {
    pub fn new(link: &'a mut Link, lines: &'a mut Lines, timeout: Duration) -> Self {
        let (seen, received) = (Observed::default(), Head::default());
        let mut exchange = Self { link, lines, timeout, survival: None, seen, received };
        // It may have ended after the last case.
        exchange.note_end();
        exchange
    }

    /// Sends the steps.
    pub fn play(&mut self, steps: &[Step]) -> Result<(), interrupt::Cut> {
        for step in steps {
            if self.is_over() {
                break;
            }
            match step {
                Step::PauseMs(ms) => {
                    self.deliver()?;
                    let pause = Duration::from_millis((*ms).into());
                    self.wait(Instant::now() + pause, |_| false)?;
                }
                Step::Await(id) => {
                    let id = Id::expected(id);
                    let is_there = |seen: &Observed| responses(seen).any(|one| one.id == id);
                    self.wait(Instant::now() + self.timeout, is_there)?;
                }
                Step::Close(_) => {
                    self.deliver()?;
                    self.link.close();
                }
                step => {
                    if let Some((bytes, count)) = step.bytes() {
                        self.link.send(bytes.into_owned(), count);
                    }
                }
            }
        }
        self.deliver()
    }

    /// Sends the survival request, whose answer shows that the server still works. Returns how long the answer took.
    pub fn survive(&mut self, request: &str, id: Id) -> Result<Duration, interrupt::Cut> {
        let start = Instant::now();
        self.survival = Some(id);
        self.seen.survival = Survived::Unanswered;
        if self.seen.input != Input::Stuck && !self.is_over() {
            self.link.send(request.as_bytes().to_vec(), 1);
            self.deliver()?;
        }
        if self.seen.input != Input::Stuck {
            let until = Instant::now() + self.timeout;
            self.wait(until, |seen| seen.survival != Survived::Unanswered)?;
        }
        Ok(start.elapsed())
    }

    /// Closes the server's input, and returns whether the answer to a request comes then. Many programs write what is
    /// in a buffer when they exit.
    pub fn answers_at_end(&mut self, id: &Id) -> Result<bool, interrupt::Cut> {
        self.link.close();
        self.wait(Instant::now() + AT_END, |seen| responses(seen).any(|one| one.id == *id))
    }

    /// Waits until the server sends nothing more.
    pub fn settle(&mut self, case: &Case, latency: Duration) -> Result<(), interrupt::Cut> {
        let limit = Instant::now() + self.timeout;
        if case.survival == Survival::None && self.link.is_closed() {
            self.wait_for_end(case, latency)?;
        }
        while !self.is_over() && self.seen.input != Input::Stuck && Instant::now() < limit {
            // The case is wrong already, and more output does not change that.
            if self.seen.broken.is_some() || self.seen.survival == Survived::Unanswered {
                break;
            }
            let [least, most] = match judge(case, &self.seen) {
                Verdict::Right => QUIET_IF_RIGHT,
                _ => QUIET_IF_NOT,
            };
            let quiet = (latency * QUIET).clamp(least, most);
            let before = self.received_bytes();
            let until = limit.min(Instant::now() + quiet);
            let came = self.wait_until_more(until, before)?;
            if !came {
                break;
            }
        }
        self.drain()
    }

    /// Waits for a server to exit whose input was closed. If no outcome demands an ending, the wait is a multiple of
    /// the latency rather than the whole timeout.
    fn wait_for_end(&mut self, case: &Case, latency: Duration) -> Result<(), interrupt::Cut> {
        let has_ending = case.outcomes.iter().any(|outcome| outcome.ending.is_some());
        let limit = match has_ending {
            true => self.timeout,
            false => self.timeout.min((latency * 20).max(Duration::from_millis(500))),
        };
        let exited = |seen: &Observed| matches!(seen.end, Some(Ended::Exited(_)));
        self.wait(Instant::now() + limit, exited).map(drop)
    }

    /// Reads the rest of the output of a server that has ended.
    fn drain(&mut self) -> Result<(), interrupt::Cut> {
        if self.seen.end.is_none() {
            return Ok(());
        }
        let exited = |seen: &Observed| matches!(seen.end, Some(Ended::Exited(_)));
        self.wait(Instant::now() + LAST_WORDS.min(self.timeout), exited)?;
        let until = Instant::now() + DRAIN;
        while !self.link.is_silenced() {
            match self.link.next(until)? {
                Some(event) => self.take(event),
                None => break,
            }
        }
        let is_whole = self.lines.unfinished().iter().all(u8::is_ascii_whitespace);
        if !is_whole && matches!(self.seen.end, Some(Ended::Exited(Exit::Code(_)))) {
            let reason = "the last line has no line feed".to_owned();
            self.seen.broken.get_or_insert(Broken::Garbage(reason));
        }
        Ok(())
    }

    /// Waits until the pipe has accepted all bytes, as long as it makes progress.
    fn deliver(&mut self) -> Result<(), interrupt::Cut> {
        let last = Instant::now() + self.timeout * 4;
        let mut until = Instant::now() + self.timeout;
        while !self.link.is_written() && !self.is_over() {
            match self.link.next(until.min(last))? {
                Some(event) => {
                    if matches!(event, Event::Progress | Event::Written) {
                        until = Instant::now() + self.timeout;
                    }
                    self.take(event);
                }
                None => {
                    self.seen.input = Input::Stuck;
                    break;
                }
            }
        }
        Ok(())
    }

    /// Waits until the condition holds. Returns false if that takes too long, or is no longer possible.
    pub fn wait(
        &mut self,
        until: Instant,
        holds: impl Fn(&Observed) -> bool,
    ) -> Result<bool, interrupt::Cut> {
        loop {
            if holds(&self.seen) {
                return Ok(true);
            }
            if self.is_over() {
                return Ok(false);
            }
            match self.link.next(until)? {
                Some(event) => self.take(event),
                None => return Ok(false),
            }
            // The time is limited even if the server never stops writing.
            if Instant::now() >= until {
                return Ok(holds(&self.seen));
            }
        }
    }

    /// Waits until more than `before` bytes were received. Returns whether that happened.
    fn wait_until_more(&mut self, until: Instant, before: u64) -> Result<bool, interrupt::Cut> {
        while self.received_bytes() == before && !self.is_over() {
            match self.link.next(until)? {
                Some(event) => self.take(event),
                None => return Ok(false),
            }
        }
        Ok(self.received_bytes() > before)
    }

    fn received_bytes(&self) -> u64 {
        self.received.bytes().len() as u64 + self.received.left_out()
    }

    /// Returns whether the server has exited and all its output was read.
    fn is_over(&self) -> bool {
        self.link.exit().is_some() && self.link.is_silenced()
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Output(bytes) => self.output(&bytes),
            Event::Refused => self.seen.input = Input::Refused,
            Event::OutputClosed | Event::Exited => self.note_end(),
            Event::Progress | Event::Written => {}
        }
    }

    fn note_end(&mut self) {
        self.seen.end = match (self.link.exit(), self.link.is_silenced()) {
            (Some(exit), _) => Some(Ended::Exited(exit)),
            (None, true) => Some(Ended::ClosedOutput),
            (None, false) => None,
        };
    }

    fn output(&mut self, bytes: &[u8]) {
        let Self { lines, seen, survival, received, .. } = self;
        received.push(bytes);
        lines.push(bytes, |cut| match cut {
            Cut::Line(line) => line_seen(seen, survival.as_ref(), line),
            Cut::TooLong => {
                let reason = "a line is longer than 16 MiB".to_owned();
                seen.broken.get_or_insert(Broken::Garbage(reason));
            }
        });
    }
}

fn line_seen(seen: &mut Observed, survival: Option<&Id>, line: &[u8]) {
    let answered = match Line::read(line) {
        None | Some(Line::Other) => return,
        Some(Line::Broken(broken)) => {
            seen.broken.get_or_insert(broken);
            return;
        }
        Some(Line::Single(response)) if survival == Some(&response.id) => {
            seen.survival = match (seen.survival, response.body) {
                (Survived::Unanswered, Body::Result) => Survived::Answered,
                (Survived::Unanswered, Body::Error(code)) => Survived::Wrongly(Some(code)),
                _ => Survived::Wrongly(None),
            };
            return;
        }
        Some(Line::Single(response)) => Answered::Single(response),
        Some(Line::Batch(batch)) => Answered::Batch(batch),
    };
    if seen.answers.len() < ANSWERS {
        seen.answers.push(answered);
    } else {
        seen.is_flooded = true;
    }
}

/// Returns the responses of an observation.
pub fn responses(seen: &Observed) -> impl Iterator<Item = &Response> {
    seen.answers.iter().flat_map(|answer| match answer {
        Answered::Single(response) => std::slice::from_ref(response),
        Answered::Batch(batch) => batch,
    })
}
