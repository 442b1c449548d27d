//! A connection that sends and receives at the same time, and never blocks for long.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::net::{TcpStream, ToSocketAddrs};
use std::thread;
use std::time::{Duration, Instant};

use super::stream::Stream;
use super::url::Url;
use crate::probe::interrupt::{self, Cut};

/// The number of bytes that are read or written at once.
const AT_ONCE: usize = 64 * 1024;
/// The time between two looks at a connection that is idle, at first and at most.
const IDLE: [Duration; 2] = [Duration::from_micros(100), Duration::from_millis(5)];

/// A connection to a server.
pub struct Wire {
    stream: Box<dyn Stream>,
    /// The bytes to send, each with the number of times that they are sent, and the number of bytes of the first that
    /// are sent already.
    out: VecDeque<(Vec<u8>, u32)>,
    sent: usize,
    /// True if the half of the stream has to be ended after that.
    ends: bool,
    room: Vec<u8>,
    /// How the connection has ended.
    pub end: Option<End>,
    deadline: Option<Instant>,
}

/// The end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The server has closed it.
    Closed,
    /// It was reset.
    Reset,
}

impl Wire {
    /// Connects to a server. The deadline is the time at which the probe ends.
    pub fn connect(url: &Url, timeout: Duration, deadline: Option<Instant>) -> io::Result<Self> {
        let mut failure = io::Error::from(ErrorKind::NotFound);
        for address in (url.name.as_str(), url.port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, timeout) {
                Ok(socket) => {
                    socket.set_nodelay(true)?;
                    let stream = stream(socket, url, timeout)?;
                    return Ok(Self::new(stream, deadline));
                }
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    fn new(stream: Box<dyn Stream>, deadline: Option<Instant>) -> Self {
        let (out, room) = (VecDeque::new(), vec![0; AT_ONCE]);
        Self { stream, out, sent: 0, ends: false, room, end: None, deadline }
    }

    /// Sends bytes several times in a row, as soon as the connection accepts them.
    pub fn send(&mut self, bytes: Vec<u8>, count: u32) {
        if !bytes.is_empty() && count > 0 {
            // A small text that is repeated often is sent in larger pieces.
            let times = u32::try_from(AT_ONCE / bytes.len()).unwrap_or(1).clamp(1, count);
            let rest = bytes.repeat((count % times) as usize);
            self.out.push_back((bytes.repeat(times as usize), count / times));
            if !rest.is_empty() {
                self.out.push_back((rest, 1));
            }
        }
    }

    /// Closes the half of the connection that is sent on, after the bytes before.
    pub fn close(&mut self) {
        self.ends = true;
    }

    /// Returns whether the connection has accepted everything.
    pub fn is_sent(&self) -> bool {
        self.out.is_empty() && !self.ends
    }

    /// Moves bytes until the connection has received some, has sent everything, or has ended. Returns the bytes that were
    /// received, or `None` if the time is over.
    pub fn next(&mut self, until: Instant) -> Result<Option<&[u8]>, Cut> {
        let had_to_send = !self.is_sent();
        let mut idle = IDLE[0];
        loop {
            interrupt::check(self.deadline)?;
            let is_moving = self.write();
            match self.read() {
                0 if self.end.is_some() => return Ok(None),
                0 => {}
                length => return Ok(self.room.get(..length)),
            }
            if had_to_send && self.is_sent() {
                return Ok(Some(&[]));
            }
            if Instant::now() >= until {
                return Ok(None);
            }
            if !is_moving {
                thread::sleep(idle);
                idle = (idle * 2).min(IDLE[1]);
            }
        }
    }

    /// Sends what the connection accepts. Returns whether that is anything.
    fn write(&mut self) -> bool {
        let Some((bytes, count)) = self.out.front_mut() else {
            if self.ends && !flushes(&mut *self.stream) {
                return false;
            }
            return std::mem::take(&mut self.ends) && self.stream.end().is_ok();
        };
        let rest = bytes.get(self.sent..).unwrap_or_default();
        match self.stream.write(rest) {
            Ok(length) => {
                self.sent += length;
                if self.sent >= bytes.len() {
                    self.sent = 0;
                    *count -= 1;
                    if *count == 0 {
                        self.out.pop_front();
                    }
                }
                length > 0
            }
            Err(error) if is_not_ready(&error) => false,
            // The server reads no more. Its earlier bytes can still be read.
            Err(_) => {
                self.out.clear();
                self.ends = false;
                false
            }
        }
    }

    fn read(&mut self) -> usize {
        if self.end.is_some() {
            return 0;
        }
        match self.stream.read(&mut self.room) {
            Ok(0) => self.end = Some(End::Closed),
            Ok(length) => return length,
            Err(error) if is_not_ready(&error) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => self.end = Some(End::Closed),
            Err(_) => self.end = Some(End::Reset),
        }
        0
    }
}

/// Returns whether all that was written has left the stream.
fn flushes(stream: &mut dyn Stream) -> bool {
    stream.flush().map_or_else(|error| !is_not_ready(&error), |()| true)
}

fn is_not_ready(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

#[cfg(feature = "tls")]
fn stream(socket: TcpStream, url: &Url, timeout: Duration) -> io::Result<Box<dyn Stream>> {
    if url.is_https {
        return super::tls::stream(socket, &url.name, timeout);
    }
    plain(socket)
}

#[cfg(not(feature = "tls"))]
fn stream(socket: TcpStream, _: &Url, _: Duration) -> io::Result<Box<dyn Stream>> {
    plain(socket)
}

fn plain(socket: TcpStream) -> io::Result<Box<dyn Stream>> {
    socket.set_nonblocking(true)?;
    Ok(Box::new(socket))
}
