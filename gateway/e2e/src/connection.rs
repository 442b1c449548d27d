//! A client that sends any bytes, and reads the replies of HTTP/1.1 at the same time: a server may answer before it has
//! read a whole request.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncWriteExt as _, Interest};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};

/// A reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The header fields, with names in lower case.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body, without the framing.
    pub body: Vec<u8>,
    /// False if the connection has ended within the body.
    pub is_whole: bool,
}

impl Reply {
    /// Returns the first value of a header, whose name is in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let value = self.headers.iter().find(|(other, _)| other == name);
        value.and_then(|(_, value)| str::from_utf8(value).ok())
    }
}

/// A connection.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
    /// The replies so far that are whole.
    pub replies: Vec<Reply>,
    /// True if the server has closed the connection.
    pub is_closed: bool,
}

impl Connection {
    /// Connects to a server.
    ///
    /// # Errors
    ///
    /// Fails if the server cannot be reached.
    pub async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, received: Vec::new(), replies: Vec::new(), is_closed: false })
    }

    /// Returns the port of this side.
    ///
    /// # Errors
    ///
    /// Fails if the connection has no address.
    pub fn port(&self) -> io::Result<u16> {
        Ok(self.stream.local_addr()?.port())
    }

    /// Sends bytes, and reads what arrives meanwhile. Sends no more if the server closes the connection.
    pub async fn send(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !self.is_closed {
            let Ok(ready) = self.stream.ready(Interest::READABLE | Interest::WRITABLE).await else {
                return;
            };
            if ready.is_readable() {
                self.read();
            }
            if ready.is_writable() {
                match self.stream.try_write(bytes) {
                    Ok(length) => bytes = &bytes[length..],
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    // The replies before may still be read.
                    Err(_) => return,
                }
            }
        }
    }

    /// Ends the half of the connection that is sent on.
    pub async fn close(&mut self) {
        let _ = self.stream.shutdown().await;
    }

    /// Reads until there are as many whole replies, the connection is closed or the time is over. Returns whether there
    /// are as many.
    pub async fn wait(&mut self, replies: usize, time: Duration) -> bool {
        let end = Instant::now() + time;
        while self.replies.len() < replies && !self.is_closed {
            match timeout_at(end, self.stream.readable()).await {
                Ok(Ok(())) => self.read(),
                Ok(Err(_)) => self.is_closed = true,
                Err(_) => break,
            }
        }
        self.replies.len() >= replies
    }

    /// Reads what has arrived.
    fn read(&mut self) {
        let mut room = [0; 64 << 10];
        loop {
            match self.stream.try_read(&mut room) {
                Ok(0) => self.is_closed = true,
                Ok(length) => {
                    self.received.extend_from_slice(&room[..length]);
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => self.is_closed = true,
            }
            break;
        }
        while let Some((reply, length)) = reply(&self.received) {
            self.received.drain(..length);
            if !(100..200).contains(&reply.status) {
                self.replies.push(reply);
            }
        }
    }

    /// Reads a reply in chunks until it ends. Returns its body, and when each part of it had arrived: the length of the
    /// body until then, and the time.
    ///
    /// # Panics
    ///
    /// Panics if the reply has no chunks, or does not end in time.
    pub async fn stream(mut self, time: Duration) -> (Vec<u8>, Vec<(usize, std::time::Instant)>) {
        let end = Instant::now() + time;
        let (mut body, mut times) = (Vec::new(), Vec::new());
        let mut room = [0; 64 << 10];
        let mut has_head = false;
        loop {
            timeout_at(end, self.stream.readable()).await.expect("in time").expect("a connection");
            let length = match self.stream.try_read(&mut room) {
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                Err(error) => panic!("{error}"),
            };
            let now = std::time::Instant::now();
            assert!(length > 0, "the connection has ended within the stream");
            self.received.extend_from_slice(&room[..length]);
            if !has_head {
                let Some((reply, length, framing)) = head(&self.received) else { continue };
                assert!(matches!(framing, Framing::Chunked), "no stream: {reply:?}");
                self.received.drain(..length);
                has_head = true;
            }
            let mut at = 0;
            while let Ok(httparse::Status::Complete((line, size))) =
                httparse::parse_chunk_size(&self.received[at..])
            {
                let size = usize::try_from(size).expect("a chunk fits in memory");
                let Some(data) = self.received[at..].get(line..line + size + 2) else { break };
                if size == 0 {
                    times.push((body.len(), now));
                    return (body, times);
                }
                body.extend_from_slice(&data[..size]);
                at += line + size + 2;
            }
            self.received.drain(..at);
            times.push((body.len(), now));
        }
    }

    /// Returns all replies. The last one may be incomplete.
    #[must_use]
    pub fn into_replies(mut self) -> Vec<Reply> {
        let mut rest = self.received;
        // A body without a length ends with the connection; any other that has not ended is incomplete.
        if let Some((mut reply, length, framing)) = head(&rest) {
            rest.drain(..length);
            reply.is_whole = matches!(framing, Framing::Connection) && self.is_closed;
            reply.body = rest;
            self.replies.push(reply);
        }
        self.replies
    }
}

/// How a body ends (RFC 9112, section 6.3).
enum Framing {
    Length(usize),
    Chunked,
    Connection,
}

/// Reads a head. Returns it with its length.
fn head(bytes: &[u8]) -> Option<(Reply, usize, Framing)> {
    let mut lines = [httparse::EMPTY_HEADER; 100];
    let mut head = httparse::Response::new(&mut lines);
    let parsed = head.parse(bytes).unwrap_or_else(|error| {
        panic!("no response: {error}: {}", String::from_utf8_lossy(bytes));
    });
    let httparse::Status::Complete(length) = parsed else { return None };
    let status = head.code?;
    let headers = head.headers.iter();
    let headers = headers.map(|line| (line.name.to_ascii_lowercase(), line.value.to_vec()));
    let reply = Reply { status, headers: headers.collect(), body: Vec::new(), is_whole: true };
    let framing = match (reply.header("transfer-encoding"), reply.header("content-length")) {
        _ if matches!(status, 100..=199 | 204 | 304) => Framing::Length(0),
        (Some(coding), _) if coding.ends_with("chunked") => Framing::Chunked,
        (_, Some(length)) => Framing::Length(length.parse().ok()?),
        _ => Framing::Connection,
    };
    Some((reply, length, framing))
}

/// Reads a reply that is whole. Returns it with its length.
fn reply(bytes: &[u8]) -> Option<(Reply, usize)> {
    let (mut reply, start, framing) = head(bytes)?;
    let rest = &bytes[start..];
    let length = match framing {
        Framing::Connection => return None,
        Framing::Length(length) => {
            reply.body = rest.get(..length)?.to_vec();
            length
        }
        Framing::Chunked => {
            let mut at = 0;
            loop {
                let size = httparse::parse_chunk_size(&rest[at..]).expect("the size of a chunk");
                let httparse::Status::Complete((line, size)) = size else { return None };
                at += line;
                if size == 0 {
                    let mut none = [httparse::EMPTY_HEADER; 100];
                    let trailers = httparse::parse_headers(&rest[at..], &mut none);
                    let httparse::Status::Complete((end, _)) = trailers.expect("trailers") else {
                        return None;
                    };
                    break at + end;
                }
                let size = usize::try_from(size).expect("a chunk fits in memory");
                reply.body.extend_from_slice(rest.get(at..at + size)?);
                at += size + 2;
                rest.get(..at)?;
            }
        }
    };
    Some((reply, start + length))
}
