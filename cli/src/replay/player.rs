//! The player: processes the events of a recording, and compares the server with them.

use std::io;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tautline::Profile;
use tautline::frame::{AnyFraming, FramingKind, HeapBuffer};
use tautline::io::MessageWriter;
use tautline_audit::document::SourceRow;
use tautline_audit::source::{self, Place, Stream};
use tautline_audit::wire::{Around, Wire, WireEvent};
use tautline_audit::{Audit, Document, Sink};
use tautline_mcp::Role;

use super::args::{Pauses, ReplayArgs};
use super::owed::{Owed, keys};
use super::server::{Event, Server};
use crate::exit::Stopped;
use crate::input::complain;
use crate::process::{Exit, Step};
use crate::tap::record::Recording;

/// The time to wait for the rest of the output of a server that has ended.
const REST: Duration = Duration::from_millis(500);

/// The maximum number of bytes that a server has to accept within the time limit: the capacity of a pipe.
const PIECE: usize = 64 * 1024;

/// A session that is being played.
pub struct Player<'a> {
    args: &'a ReplayArgs,
    server: Server,
    audit: Audit,
    sink: &'a mut dyn Sink,
    recording: Option<Recording>,
    start: Instant,
    /// The time of the first event of the recording, in microseconds.
    first: Option<i64>,
    has_begun: bool,
    owed: Owed,
    /// The streams of the server, in the recording and now.
    recorded: Wire,
    current: Wire,
    /// The stream of the client in the recording, if the server needs another framing.
    reframed: Option<Wire>,
    /// The framing of messages for the server.
    writer: MessageWriter<Vec<u8>, HeapBuffer, AnyFraming>,
    /// The number of recorded things that are no messages, and have no place in another framing.
    unsent: u64,
    state: State,
}

/// The state of the server.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    has_taken: bool,
    takes_nothing: bool,
    says_nothing: bool,
    is_quiet: bool,
    /// It has written something before its input was closed.
    has_written: bool,
    is_closed: bool,
    /// It has sent a message after that which was given up before.
    sends_at_end: bool,
}

impl<'a> Player<'a> {
    pub fn new(
        args: &'a ReplayArgs,
        framing: FramingKind,
        server: Server,
        audit: Audit,
        sink: &'a mut dyn Sink,
        recording: Option<Recording>,
    ) -> Self {
        let chosen = args.framing.unwrap_or(framing);
        let (recorded, current) = (wire(framing, args), wire(chosen, args));
        let reframed = (chosen != framing).then(|| wire(framing, args));
        let any = AnyFraming::new(chosen, args.report.limit.bytes());
        let writer = MessageWriter::with_framing(Vec::new(), &any, &Profile::JSON_RPC);
        let unsent = 0;
        let (start, owed, state) = (Instant::now(), Owed::default(), State::default());
        let (first, has_begun) = (None, false);
        Self {
            args,
            server,
            audit,
            sink,
            recording,
            start,
            first,
            has_begun,
            owed,
            recorded,
            current,
            reframed,
            writer,
            unsent,
            state,
        }
    }

    /// Processes an event of the recording. Breaks when the first session is over.
    pub fn event(
        &mut self,
        event: source::Event<'_>,
        place: Place,
    ) -> Result<ControlFlow<()>, Stopped> {
        use source::Event as Recorded;

        self.first = self.first.or(place.time);
        match event {
            Recorded::Framing(_) if self.has_begun => return Ok(ControlFlow::Break(())),
            // The framing was known before.
            Recorded::Framing(_) => {}
            Recorded::Bytes { from: Role::Server, bytes } => {
                let Self { recorded, owed, .. } = self;
                expect(recorded, bytes, &mut |key| owed.expect(key));
            }
            Recorded::Frame { from: Role::Server, piece } => {
                keys(piece.bytes(), |key| self.owed.expect(key));
            }
            Recorded::Bytes { from: Role::Client, bytes } if self.reframed.is_none() => {
                self.send(bytes, place)?;
            }
            Recorded::Bytes { from: Role::Client, bytes } => {
                let mut frames = Vec::new();
                let unsent = &mut self.unsent;
                let mut keep = |event: WireEvent<'_>, _: &Around<'_>| {
                    match event.frame() {
                        Some(frame) => frames.push(frame.bytes().to_vec()),
                        None => *unsent += 1,
                    }
                    Ok(())
                };
                if let Some(reframed) = &mut self.reframed {
                    reframed.push(bytes, &mut keep)?;
                }
                frames.iter().try_for_each(|frame| self.send_frame(frame, place))?;
            }
            Recorded::Frame { from: Role::Client, piece } => {
                self.send_frame(piece.bytes(), place)?;
            }
            Recorded::Broken { from: Role::Client, .. } => self.unsent += 1,
            Recorded::Closed { from: Role::Client } | Recorded::End { .. } => {
                return Ok(ControlFlow::Break(()));
            }
            _ => {}
        }
        self.has_begun = true;
        Ok(ControlFlow::Continue(()))
    }

    /// Sends a message in the framing of the server, when it is due.
    fn send_frame(&mut self, frame: &[u8], place: Place) -> Result<(), Stopped> {
        // Between tokens, a line break is a space. In a string, it is not legal anyway.
        let mut line = frame.to_vec();
        line.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        line.push(b'\n');
        if self.writer.put_lines(&line).is_err() {
            self.unsent += 1;
            return Ok(());
        }
        self.writer.flush()?;
        let bytes = std::mem::take(self.writer.writer_mut());
        self.send(&bytes, place)
    }

    /// Sends bytes when they are due.
    fn send(&mut self, bytes: &[u8], place: Place) -> Result<(), Stopped> {
        self.await_counterparts()?;
        self.pause(place)?;
        if self.state.says_nothing {
            return Err(Stopped::Said("the server has closed its output".to_owned()));
        }
        self.audit(source::Event::Bytes { from: Role::Client, bytes })?;
        self.record(|recording, us| recording.bytes(us, Stream::Client, bytes))?;
        bytes.chunks(PIECE).try_for_each(|piece| self.hand_over(piece))
    }

    /// Sends a piece, and waits until the server has accepted it.
    fn hand_over(&mut self, piece: &[u8]) -> Result<(), Stopped> {
        self.server.send(piece.to_vec());
        self.state.has_taken = false;
        self.wait(self.args.timeout, |state, _| state.has_taken || state.takes_nothing)?;
        let seconds = self.args.timeout.as_secs_f64();
        match self.state {
            State { has_taken: true, .. } => Ok(()),
            State { takes_nothing: true, .. } => {
                Err(Stopped::Said("the server has closed its input".to_owned()))
            }
            _ => Err(Stopped::Said(format!("the server has not read its input for {seconds} s"))),
        }
    }

    /// Waits until the server has sent the messages that it had sent at this point of the recording.
    fn await_counterparts(&mut self) -> Result<(), Stopped> {
        self.wait(self.args.timeout, |state, owed| owed.is_settled() || state.says_nothing)?;
        if !self.owed.is_settled() && !self.state.says_nothing {
            let (seconds, missing) = (self.args.timeout.as_secs_f64(), self.owed.forgive());
            complain(format_args!("the server has not sent {missing} within {seconds} s"));
        }
        Ok(())
    }

    /// Waits until as much time has passed as in the recording.
    fn pause(&mut self, place: Place) -> Result<(), Stopped> {
        let since = place.time.zip(self.first).and_then(|(time, first)| time.checked_sub(first));
        let since = since.and_then(|since| u64::try_from(since).ok());
        if self.args.pauses == Pauses::Recorded && self.first.is_none() {
            let why = "--pauses recorded has no effect: the recording has no times";
            return Err(Stopped::Said(why.to_owned()));
        }
        match (self.args.pauses, since) {
            (Pauses::Recorded, Some(since)) => {
                let left = Duration::from_micros(since).saturating_sub(self.start.elapsed());
                self.wait(left, |state, _| state.says_nothing)
            }
            _ => Ok(()),
        }
    }

    /// Processes events of the server until the condition holds, or until the time is over.
    fn wait(
        &mut self,
        limit: Duration,
        is_done: impl Fn(&State, &Owed) -> bool,
    ) -> Result<(), Stopped> {
        // If the time can't be represented, the wait has no limit.
        let until = Instant::now().checked_add(limit);
        while !is_done(&self.state, &self.owed) {
            match self.server.next(until) {
                Some(event) => self.take(event)?,
                None => break,
            }
        }
        Ok(())
    }

    /// Processes an event of the server. The end of the process is handled in `finish`.
    fn take(&mut self, event: Event) -> Result<(), Stopped> {
        match event {
            Event::Bytes(Stream::Stderr, text) => {
                self.audit(source::Event::Stderr { text: &text })?;
                self.record(|recording, us| recording.bytes(us, Stream::Stderr, &text))
            }
            Event::Bytes(stream, bytes) => {
                self.audit(source::Event::Bytes { from: Role::Server, bytes: &bytes })?;
                let Self { current, owed, state, .. } = self;
                state.has_written |= !state.is_closed;
                expect(current, &bytes, &mut |key| {
                    let is_late = owed.came(key);
                    state.sends_at_end |= is_late && state.is_closed;
                });
                self.record(|recording, us| recording.bytes(us, stream, &bytes))
            }
            Event::Taken => {
                self.state.has_taken = true;
                Ok(())
            }
            Event::Done(Stream::Client) => {
                self.state.takes_nothing = true;
                Ok(())
            }
            Event::Done(Stream::Stderr) => {
                self.state.is_quiet = true;
                Ok(())
            }
            Event::Done(Stream::Server) => {
                self.state.says_nothing = true;
                self.audit(source::Event::Closed { from: Role::Server })?;
                self.record(|recording, us| recording.closed(us, Role::Server))
            }
            #[cfg(unix)]
            Event::Signal(number) => Err(Stopped::Interrupted(Exit::Signal(number))),
            Event::Ended(_) => Ok(()),
        }
    }

    /// Waits for the last answers, ends the server, and returns the document of the audit.
    pub fn finish(mut self, has_played_all: bool) -> Result<Document, Stopped> {
        if has_played_all {
            self.await_counterparts()?;
        }
        self.audit(source::Event::Closed { from: Role::Client })?;
        self.record(|recording, us| recording.closed(us, Role::Client))?;
        self.state.is_closed = true;
        self.server.end(self.args.timeout);
        let end = loop {
            match self.server.next(None) {
                Some(Event::Ended(end)) => break end,
                Some(event) => self.take(event)?,
                None => break Err(io::Error::other("the server is lost")),
            }
        };
        let end = end.map_err(|error| Stopped::Said(format!("cannot end the server: {error}")))?;
        let until = Instant::now() + REST;
        while !(self.state.says_nothing && self.state.is_quiet) {
            let Some(event) = self.server.next(Some(until)) else { break };
            self.take(event)?;
        }
        self.record(|recording, us| match end.exit {
            Exit::Code(code) => recording.exit(us, code),
            Exit::Signal(number) => recording.signal(us, number),
        })?;
        // A server that is slow has sent something before.
        if self.state.sends_at_end && !self.state.has_written {
            complain(
                "the server has sent nothing until its input was closed: check that it flushes its \
                 standard output after each message",
            );
        }
        match self.unsent {
            0 => {}
            1 => complain("1 recorded piece is no message, and was not sent"),
            count => {
                complain(format_args!("{count} recorded pieces are no messages, and were not sent"))
            }
        }
        let seconds = self.args.timeout.as_secs_f64();
        match end.step {
            Step::Before | Step::Closed => {}
            Step::Terminated => complain(format_args!(
                "the server did not exit within {seconds} s after its input was closed, and got SIGTERM"
            )),
            Step::Killed => {
                complain("the server did not exit when it was asked to, and was killed")
            }
        }
        match end.outlived {
            0 => {}
            1 => complain("the server has left 1 process, which was ended"),
            count => {
                complain(format_args!("the server has left {count} processes, which were ended"))
            }
        }
        let (how, ending) = (end.exit.how(), end.exit.ending());
        self.audit(source::Event::End { how, ending })?;
        let name = self.args.command.first().map(|program| program.to_string_lossy().into_owned());
        let row = SourceRow { name: name.unwrap_or_default(), kind: "replay" };
        Ok(self.audit.finish(vec![row], self.sink)?)
    }

    fn audit(&mut self, event: source::Event<'_>) -> Result<(), Stopped> {
        let place = Place { time: Some(self.now()), ..Place::default() };
        Ok(self.audit.event(event, place, self.sink)?)
    }

    fn record(
        &mut self,
        write: impl FnOnce(&mut Recording, i64) -> io::Result<()>,
    ) -> Result<(), Stopped> {
        let us = self.now();
        let Some(recording) = &mut self.recording else { return Ok(()) };
        write(recording, us)
            .and_then(|()| recording.flush())
            .map_err(|error| Stopped::Said(format!("cannot write the record: {error}")))
    }

    fn now(&self) -> i64 {
        i64::try_from(self.start.elapsed().as_micros()).unwrap_or(i64::MAX)
    }
}

fn wire(framing: FramingKind, args: &ReplayArgs) -> Wire {
    Wire::new(framing, args.report.limit.bytes(), &Profile::JSON_RPC)
}

/// Passes the keys of the messages that these bytes complete to `found`.
fn expect(wire: &mut Wire, bytes: &[u8], found: &mut dyn FnMut(super::owed::Key)) {
    let _ = wire.push(bytes, &mut |event, _| {
        if let Some(frame) = event.frame() {
            keys(frame.bytes(), &mut *found);
        }
        Ok(())
    });
}
