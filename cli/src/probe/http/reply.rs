//! The responses of HTTP on a connection, read as they arrive.

use tautline::frame::{Assembler, FrameEvent, HeapBuffer, ServerSentEvents};

use super::framing::{Framing, Step};
use crate::probe::id::Id;
use crate::probe::line::{Broken, Line, Response};
use crate::probe::observed::Answered;

/// The maximum length of a head, in bytes, and the maximum number of its lines.
const LONGEST_HEAD: usize = 64 * 1024;
const LINES: usize = 256;
/// The maximum length of a message, in bytes.
const LONGEST_MESSAGE: u32 = 16 << 20;
/// The maximum length of a body that is kept, in bytes.
const LONGEST_BODY: u64 = 20 << 20;
/// The maximum number of responses on a connection, and of messages in a body.
const REPLIES: usize = 100;
const MESSAGES: usize = 10_000;

/// A response of HTTP.
#[derive(Debug)]
pub struct Seen {
    pub status: u16,
    pub headers: Vec<(String, Vec<u8>)>,
    /// The responses of JSON-RPC in its body.
    pub answers: Vec<Answered>,
    /// The messages in its body, as they came.
    pub messages: Vec<Vec<u8>>,
    /// The reason why its body, or an event in it, is no message.
    pub broken: Option<String>,
    /// The length of the body so far.
    pub length: u64,
    /// True if it is a stream of events.
    pub is_stream: bool,
    /// True if its body has ended.
    pub is_whole: bool,
}

impl Seen {
    /// Returns the values of a header, whose name is in lower case.
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        let named = self.headers.iter().filter(move |(other, _)| other == name);
        named.map(|(_, value)| value.as_slice())
    }

    /// Returns the response of JSON-RPC with this id, unless it is in a batch.
    pub fn response(&self, id: &Id) -> Option<&Response> {
        self.answers.iter().find_map(|answer| match answer {
            Answered::Single(response) if response.id == *id => Some(response),
            _ => None,
        })
    }

    fn message(&mut self, bytes: &[u8]) {
        match Line::read(bytes) {
            None => {}
            Some(Line::Broken(Broken::Garbage(why) | Broken::Illegal(why))) => {
                self.broken.get_or_insert(why.replacen("the line", "the body", 1));
            }
            Some(_) if self.messages.len() >= MESSAGES => {
                self.broken.get_or_insert("more messages than are kept".to_owned());
            }
            Some(line) => {
                self.messages.push(bytes.to_vec());
                match line {
                    Line::Single(response) => self.answers.push(Answered::Single(response)),
                    Line::Batch(batch) => self.answers.push(Answered::Batch(batch)),
                    Line::Other | Line::Broken(_) => {}
                }
            }
        }
    }
}

/// The responses on a connection.
#[derive(Default)]
pub struct Replies {
    pub seen: Vec<Seen>,
    /// The reason why the bytes are not HTTP.
    pub broken: Option<String>,
    bytes: Vec<u8>,
    body: Option<Body>,
}

/// The body that is being read.
struct Body {
    framing: Framing,
    content: Content,
}

enum Content {
    Message(Vec<u8>),
    Events(Box<Assembler<HeapBuffer, ServerSentEvents>>),
    Other,
}

impl Replies {
    /// Reads bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.broken.is_some() {
            return;
        }
        self.bytes.extend_from_slice(bytes);
        if let Err(why) = self.read() {
            self.broken = Some(why.to_owned());
            self.bytes = Vec::new();
        }
    }

    /// Notes the end of the connection.
    pub fn finish(&mut self) {
        match &self.body {
            Some(Body { framing: Framing::Connection, .. }) => self.end_body(),
            None if !self.bytes.is_empty() => {
                self.broken.get_or_insert("the head of the response has no end".to_owned());
            }
            _ => {}
        }
    }

    fn read(&mut self) -> Result<(), &'static str> {
        loop {
            let is_moving = if self.body.is_some() { self.read_body()? } else { self.read_head()? };
            if !is_moving {
                return Ok(());
            }
        }
    }

    /// Reads a head. Returns false if more bytes are needed.
    fn read_head(&mut self) -> Result<bool, &'static str> {
        let mut lines = [httparse::EMPTY_HEADER; LINES];
        let mut head = httparse::Response::new(&mut lines);
        let length = match head.parse(&self.bytes) {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) if self.bytes.len() > LONGEST_HEAD => {
                return Err("the head of the response is too long");
            }
            Ok(httparse::Status::Partial) => return Ok(false),
            Err(httparse::Error::TooManyHeaders) => {
                return Err("the response has too many headers");
            }
            Err(_) => return Err("the head of the response is malformed"),
        };
        let status = head.code.unwrap_or_default();
        // They precede the response.
        if !matches!(status, 100..=199) {
            let framing = Framing::of(status, head.headers)?;
            let lower = |line: &httparse::Header<'_>| {
                (line.name.to_ascii_lowercase(), line.value.trim_ascii().to_vec())
            };
            let headers: Vec<_> = head.headers.iter().map(lower).collect();
            let kind = headers.iter().find(|(name, _)| name == "content-type");
            let kind = kind.and_then(|(_, kind)| kind.split(|&byte| byte == b';').next());
            let kind = kind.unwrap_or_default().trim_ascii().to_ascii_lowercase();
            let content = match kind.as_slice() {
                b"application/json" => Content::Message(Vec::new()),
                b"text/event-stream" => {
                    let storage = HeapBuffer::new(LONGEST_MESSAGE);
                    let framing = ServerSentEvents::new(LONGEST_MESSAGE);
                    Content::Events(Box::new(Assembler::with_framing(storage, framing)))
                }
                _ => Content::Other,
            };
            if self.seen.len() >= REPLIES {
                return Err("more responses than are kept");
            }
            self.seen.push(Seen {
                status,
                headers,
                answers: Vec::new(),
                messages: Vec::new(),
                broken: None,
                length: 0,
                is_stream: matches!(content, Content::Events(_)),
                is_whole: false,
            });
            self.body = Some(Body { framing, content });
        }
        self.bytes.drain(..length);
        Ok(true)
    }

    /// Reads a part of a body. Returns false if more bytes are needed.
    fn read_body(&mut self) -> Result<bool, &'static str> {
        let (Some(body), Some(seen)) = (&mut self.body, self.seen.last_mut()) else {
            return Ok(false);
        };
        let consumed = match body.framing.step(&self.bytes) {
            Step::Data(data, consumed) => {
                seen.length += data.len() as u64;
                body.content.push(data, seen);
                consumed
            }
            Step::Skip(consumed) => consumed,
            Step::More => return Ok(false),
            Step::Broken(why) => return Err(why),
            Step::End => {
                self.end_body();
                return Ok(!self.bytes.is_empty());
            }
        };
        self.bytes.drain(..consumed);
        Ok(true)
    }

    fn end_body(&mut self) {
        let (Some(body), Some(seen)) = (self.body.take(), self.seen.last_mut()) else { return };
        seen.is_whole = true;
        match body.content {
            Content::Message(bytes) if seen.broken.is_none() => seen.message(&bytes),
            // An event without its empty line is discarded.
            _ => {}
        }
        if body.framing == Framing::Connection {
            self.bytes.clear();
        }
    }
}

impl Content {
    fn push(&mut self, mut data: &[u8], seen: &mut Seen) {
        let too_long = || format!("a message is longer than {} MiB", LONGEST_MESSAGE >> 20);
        if seen.length > LONGEST_BODY {
            seen.broken.get_or_insert_with(|| "the body is longer than is kept".to_owned());
            return;
        }
        match self {
            Self::Message(bytes) if bytes.len() + data.len() > LONGEST_MESSAGE as usize => {
                seen.broken.get_or_insert_with(too_long);
                *bytes = Vec::new();
            }
            Self::Message(bytes) => bytes.extend_from_slice(data),
            Self::Events(assembler) => {
                while let Some(event) = assembler.next(&mut data) {
                    match event {
                        FrameEvent::Frame(frame) => seen.message(frame.bytes()),
                        _ => {
                            seen.broken.get_or_insert_with(too_long);
                        }
                    }
                }
            }
            Self::Other => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Replies;

    const RESULT: &str = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#;

    fn read(bytes: &str, at_once: usize) -> Replies {
        let mut replies = Replies::default();
        bytes.as_bytes().chunks(at_once).for_each(|piece| replies.push(piece));
        replies.finish();
        replies
    }

    #[test]
    fn responses_are_the_same_however_they_arrive() {
        let length = RESULT.len();
        let events = format!(": hello\n\ndata: \n\nevent: message\ndata: {RESULT}\n\ndata: {{");
        let bytes = format!(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: {length}\r\n\r\n{RESULT}\
             HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n\
             HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{events}\r\n0\r\n\r\n\
             HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n\r\n<p>no</p>",
            events.len()
        );
        for at_once in [1, 2, 7, 100, bytes.len()] {
            let replies = read(&bytes, at_once);
            assert_eq!(replies.broken, None);
            let seen = replies.seen.iter().map(|seen| {
                let words = seen.answers.iter().map(ToString::to_string).collect::<Vec<_>>();
                assert_eq!((&seen.broken, seen.is_whole), (&None, true));
                (seen.status, words.join(" "), seen.length)
            });
            assert_eq!(
                seen.collect::<Vec<_>>(),
                [
                    (200, "a result with id 7".to_owned(), length as u64),
                    (202, String::new(), 0),
                    (200, "a result with id 7".to_owned(), events.len() as u64),
                    (400, String::new(), 9),
                ]
            );
        }
    }

    #[test]
    fn what_is_not_http_or_no_message_is_reported() {
        for bytes in [
            "hello\r\n\r\n",
            "HTTP/1.1 200 OK",
            "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
            &format!("HTTP/1.1 200 OK\r\nX: {}", "x".repeat(100_000)),
            &"HTTP/1.1 204 No Content\r\n\r\n".repeat(200),
        ] {
            assert!(read(bytes, 1000).broken.is_some(), "{}", &bytes[..20.min(bytes.len())]);
        }
        let page =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\nno";
        assert!(read(page, 9).seen[0].broken.is_some());
        let cut = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc";
        assert!(!read(cut, 9).seen[0].is_whole);
    }

    #[test]
    fn a_long_message_is_not_kept() {
        let mut replies = Replies::default();
        replies.push(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n");
        let chunk = vec![b' '; 1 << 20];
        (0..40).for_each(|_| replies.push(&chunk));
        replies.finish();
        assert!(replies.seen[0].broken.is_some() && replies.seen[0].length == 40 << 20);
    }
}
