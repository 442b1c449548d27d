//! The server of a replay: threads that serve its pipes, so that writing to it never blocks reading from it.

use std::ffi::OsString;
use std::io::{self, ErrorKind, Read, Write};
use std::process::ChildStdin;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use tautline_audit::source::Stream;

#[cfg(unix)]
use crate::process::signals::{self, Notice};
use crate::process::{Child, End, Stderr};

/// The capacity of the queue of events. A server that writes faster than it is judged has to wait.
const WAITING: usize = 16;
/// The maximum number of bytes that are read at once.
const PIECE: usize = 64 * 1024;

/// An event of a server.
#[derive(Debug)]
pub enum Event {
    /// It has written these bytes.
    Bytes(Stream, Vec<u8>),
    /// One of its streams has ended: its output, its standard error, or its input, which it no longer reads.
    Done(Stream),
    /// It has accepted a piece.
    Taken,
    /// This program got a signal that ends it.
    #[cfg(unix)]
    Signal(i32),
    /// Its shutdown is complete.
    Ended(io::Result<End>),
}

/// A running server. If it is dropped, it is killed.
pub struct Server {
    /// `None` once the shutdown has begun.
    child: Option<Child>,
    writer: Option<SyncSender<Vec<u8>>>,
    sender: SyncSender<Event>,
    events: Receiver<Event>,
}

impl Server {
    /// Starts a server.
    ///
    /// # Errors
    ///
    /// Fails if the command can't be started.
    pub fn start(command: &[OsString]) -> io::Result<Self> {
        let mut child = Child::spawn(command, Stderr::Piped)?;
        let (sender, events) = mpsc::sync_channel(WAITING);
        #[cfg(unix)]
        {
            let sender = sender.clone();
            signals::watch(move |notice| match notice {
                Notice::Signal(signal) => sender.send(Event::Signal(signal.as_raw())).is_ok(),
                Notice::Child => true,
            })?;
        }
        let (writer, pieces) = mpsc::sync_channel(1);
        if let Some(stdin) = child.stdin.take() {
            let sender = sender.clone();
            spawn(Stream::Client, move || write(stdin, &pieces, &sender))?;
        }
        if let Some(stdout) = child.stdout.take() {
            let sender = sender.clone();
            spawn(Stream::Server, move || read(stdout, Stream::Server, &sender))?;
        }
        if let Some(stderr) = child.stderr.take() {
            let sender = sender.clone();
            spawn(Stream::Stderr, move || read(stderr, Stream::Stderr, &sender))?;
        }
        Ok(Self { child: Some(child), writer: Some(writer), sender, events })
    }

    /// Returns the next event, or `None` if there is none before the given time.
    pub fn next(&self, until: Option<Instant>) -> Option<Event> {
        match until {
            // This side keeps a sender, so the channel is never disconnected.
            None => self.events.recv().ok(),
            Some(until) => {
                let left = until.saturating_duration_since(Instant::now());
                self.events.recv_timeout(left).ok()
            }
        }
    }

    /// Sends bytes. [`Event::Taken`] follows when the server has accepted them.
    pub fn send(&self, bytes: Vec<u8>) {
        if let Some(writer) = &self.writer {
            // There is room, because the last piece was accepted, or the writer has ended and reported that.
            let _ = writer.try_send(bytes);
        }
    }

    /// Closes its input.
    pub fn close(&mut self) {
        self.writer = None;
    }

    /// Shuts the server down. [`Event::Ended`] follows.
    pub fn end(&mut self, patience: Duration) {
        self.close();
        let Some(child) = self.child.take() else { return };
        let sender = self.sender.clone();
        thread::spawn(move || sender.send(Event::Ended(child.end(patience))));
    }
}

fn spawn(stream: Stream, job: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(stream.name().to_owned()).spawn(job)?;
    Ok(())
}

fn write(mut stdin: ChildStdin, pieces: &Receiver<Vec<u8>>, sender: &SyncSender<Event>) {
    for piece in pieces {
        if stdin.write_all(&piece).is_err() {
            let _ = sender.send(Event::Done(Stream::Client));
            return;
        }
        if sender.send(Event::Taken).is_err() {
            return;
        }
    }
}

fn read(mut from: impl Read, stream: Stream, sender: &SyncSender<Event>) {
    let mut room = vec![0; PIECE];
    loop {
        let event = match from.read(&mut room) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Ok(0) | Err(_) => Event::Done(stream),
            Ok(read) => Event::Bytes(stream, room[..read].to_vec()),
        };
        let is_done = matches!(event, Event::Done(_));
        if sender.send(event).is_err() || is_done {
            return;
        }
    }
}
