//! A running server, whose pipes are served by threads: writing to it never blocks reading from it.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::process::ChildStdin;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::process::{Child, Exit, Stderr};

use super::interrupt::{self, Cut};
use super::kept::Tail;

/// The number of bytes that are read or written at once.
const AT_ONCE: usize = 64 * 1024;
/// The capacity of the queue of events. A server that writes faster than events are processed has to wait.
const WAITING: usize = 16;
/// The time to wait for the rest of the standard error of a process that has ended.
const LAST_LINES: Duration = Duration::from_millis(200);

/// A running server. If it is dropped, it is killed.
pub struct Link {
    child: Child,
    /// `None` after its input was closed.
    writer: Option<Sender<Piece>>,
    events: Receiver<Event>,
    stderr: Arc<Mutex<Tail>>,
    /// The thread that reads standard error to its end.
    stderr_reader: Option<JoinHandle<()>>,
    /// The number of pieces that the pipe has not accepted yet.
    unwritten: usize,
    exit: Option<Exit>,
    output_is_open: bool,
    /// The time at which the probe ends.
    deadline: Option<Instant>,
}

/// An event on the pipes of a server, or its end.
#[derive(Debug)]
pub enum Event {
    /// It has written these bytes.
    Output(Vec<u8>),
    /// It has closed its output.
    OutputClosed,
    /// The pipe has accepted more bytes.
    Progress,
    /// The pipe has accepted a whole piece.
    Written,
    /// The server does not accept any more input.
    Refused,
    /// The process has ended.
    Exited,
}

/// Bytes, and how many times they are written in a row.
struct Piece(Vec<u8>, u32);

impl Link {
    /// Starts a server.
    ///
    /// # Errors
    ///
    /// Fails if the command can't be started.
    pub fn start(command: &[OsString], deadline: Option<Instant>) -> io::Result<Self> {
        let mut child = Child::spawn(command, Stderr::Piped)?;
        let (to_here, events) = mpsc::sync_channel(WAITING);
        let (writer, pieces) = mpsc::channel();
        if let Some(stdin) = child.stdin.take() {
            let to_here = to_here.clone();
            spawn("writer", move || write(stdin, &pieces, &to_here))?;
        }
        if let Some(stdout) = child.stdout.take() {
            spawn("reader", move || read(stdout, &to_here))?;
        }
        let stderr = Arc::new(Mutex::new(Tail::default()));
        let mut stderr_reader = None;
        if let Some(pipe) = child.stderr.take() {
            let tail = Arc::clone(&stderr);
            stderr_reader = Some(spawn("stderr", move || keep(pipe, &tail))?);
        }
        let (unwritten, exit, output_is_open) = (0, None, true);
        let writer = Some(writer);
        Ok(Self {
            child,
            writer,
            events,
            stderr,
            stderr_reader,
            unwritten,
            exit,
            output_is_open,
            deadline,
        })
    }

    /// Writes bytes `count` times in a row, without waiting until the server reads them.
    pub fn send(&mut self, bytes: Vec<u8>, count: u32) {
        if let Some(writer) = &self.writer
            && writer.send(Piece(bytes, count)).is_ok()
        {
            self.unwritten += 1;
        }
    }

    /// Closes the server's input after everything that was sent.
    pub fn close(&mut self) {
        self.writer = None;
    }

    pub const fn is_closed(&self) -> bool {
        self.writer.is_none()
    }

    /// Returns whether the pipe has accepted everything that was sent.
    pub const fn is_written(&self) -> bool {
        self.unwritten == 0
    }

    /// Returns whether the server can't write any more.
    pub const fn is_silenced(&self) -> bool {
        !self.output_is_open
    }

    /// Returns how the process ended, if it has.
    pub const fn exit(&self) -> Option<Exit> {
        self.exit
    }

    /// Waits for the next event.
    ///
    /// # Errors
    ///
    /// Fails if a signal or the deadline ends the probe.
    pub fn next(&mut self, until: Instant) -> Result<Option<Event>, Cut> {
        loop {
            interrupt::check(self.deadline)?;
            let slice = Duration::from_millis(if self.output_is_open { 20 } else { 1 });
            let left = until.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left.min(slice)) {
                Ok(event) => {
                    match event {
                        Event::Written => self.unwritten -= 1,
                        Event::Refused => {
                            self.unwritten = 0;
                            self.writer = None;
                        }
                        Event::OutputClosed => self.output_is_open = false,
                        _ => {}
                    }
                    return Ok(Some(event));
                }
                Err(RecvTimeoutError::Timeout) => {}
                // Both threads that send events have ended.
                Err(RecvTimeoutError::Disconnected) => thread::sleep(left.min(slice)),
            }
            if self.exit.is_none() {
                self.exit = self.child.poll().ok().flatten();
                if self.exit.is_some() {
                    return Ok(Some(Event::Exited));
                }
            }
            if Instant::now() >= until {
                return Ok(None);
            }
        }
    }

    /// Returns the last lines of the server's standard error since the last call.
    pub fn stderr(&self) -> Vec<u8> {
        // The lines before the end of a process give the reason. Another process may hold the pipe open.
        let until = Instant::now() + LAST_LINES;
        let is_read = || self.stderr_reader.as_ref().is_none_or(JoinHandle::is_finished);
        while self.exit.is_some() && !is_read() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
        self.stderr.lock().map(|mut tail| tail.take()).unwrap_or_default()
    }

    /// Ends the server as clients do: closes its input, and waits, but not much longer than until the deadline.
    pub fn end(self, patience: Duration) {
        let Self { child, writer, events, deadline, .. } = self;
        let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        // There are up to three steps.
        let patience = left.map_or(patience, |left| patience.min(left / 3));
        drop(writer);
        // The reader continues and discards the output, so that the server is not blocked by a full pipe.
        drop(events);
        // If this fails, the child was killed.
        let _ = child.end(patience);
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().name(name.to_owned()).spawn(run)
}

/// Writes pieces until their sender is dropped, or until writing fails.
fn write(mut stdin: ChildStdin, pieces: &Receiver<Piece>, events: &SyncSender<Event>) {
    for Piece(bytes, count) in pieces {
        let written = write_piece(&mut stdin, &bytes, count, events);
        let event = if written.is_ok() { Event::Written } else { Event::Refused };
        if events.send(event).is_err() || written.is_err() {
            return;
        }
    }
}

fn write_piece(
    stdin: &mut ChildStdin,
    bytes: &[u8],
    count: u32,
    events: &SyncSender<Event>,
) -> io::Result<()> {
    // Small texts are written together.
    let times = (AT_ONCE / bytes.len().max(1)).clamp(1, count.max(1) as usize);
    let several = bytes.repeat(times);
    let mut left = count as usize;
    while left > 0 {
        let now = left.min(times);
        for chunk in several[..now * bytes.len()].chunks(AT_ONCE) {
            stdin.write_all(chunk)?;
            events.send(Event::Progress).map_err(io::Error::other)?;
        }
        left -= now;
    }
    stdin.flush()
}

/// Reads until the end, even if the events are no longer received.
fn read(mut stdout: impl Read, events: &SyncSender<Event>) {
    let mut room = vec![0; AT_ONCE];
    while let Ok(count @ 1..) = crate::input::read(&mut stdout, &mut room) {
        let _ = events.send(Event::Output(room[..count].to_vec()));
    }
    let _ = events.send(Event::OutputClosed);
}

fn keep(mut stderr: impl Read, tail: &Mutex<Tail>) {
    let mut room = vec![0; AT_ONCE];
    while let Ok(count @ 1..) = crate::input::read(&mut stderr, &mut room) {
        if let Ok(mut tail) = tail.lock() {
            tail.push(&room[..count]);
        }
    }
}
