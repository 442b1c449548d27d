//! The writer of recordings.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;
use tautline::frame::FramingKind;
use tautline_mcp::Role;

use super::{Header, Record};
use crate::body_redaction::BodyRedactor;
use crate::redaction::{MARKER, Redaction, Redactor};
use crate::source::http::Part;

/// The maximum length of a piece in a record, in bytes. In JSON, each byte of it may take six.
const LONGEST: usize = 8 * 1024 * 1024;

/// A stream whose bytes a recording contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the format has these and no more")]
pub enum Stream {
    /// The bytes from the client: the standard input of the server.
    Client,
    /// The bytes from the server: its standard output.
    Server,
    /// The standard error of the server.
    Stderr,
}

impl Stream {
    /// Returns its name in the format.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
            Self::Stderr => "stderr",
        }
    }

    /// Returns the side that it belongs to, unless it is standard error.
    #[must_use]
    pub const fn role(self) -> Option<Role> {
        match self {
            Self::Client => Some(Role::Client),
            Self::Server => Some(Role::Server),
            Self::Stderr => None,
        }
    }
}

impl From<Role> for Stream {
    fn from(role: Role) -> Self {
        match role {
            Role::Client => Self::Client,
            Role::Server => Self::Server,
        }
    }
}

/// A writer of a recording: each call writes what happened, in the order of the calls.
///
/// ```
/// use tautline_mcp::Role;
/// use tautline_audit::source::{Header, RecordingWriter, Stream};
/// use tautline::frame::FramingKind;
///
/// let mut recording = RecordingWriter::new(Vec::new(), Header::new(FramingKind::Ndjson))?;
/// recording.bytes(150, Stream::Client, b"{}\n")?;
/// recording.closed(200, Role::Client)?;
/// recording.exit(950, 0)?;
/// let text = String::from_utf8(recording.into_inner()).unwrap();
/// assert!(text.ends_with("{\"us\":200,\"closed\":\"client\"}\n{\"us\":950,\"exit\":0}\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct RecordingWriter<W> {
    lines: LineWriter<W>,
    redactor: Option<Redactor>,
    bodies: Option<BodyRedactor>,
}

impl<W: Write> RecordingWriter<W> {
    /// Begins a recording with its header.
    ///
    /// # Errors
    ///
    /// Returns the error of the writer.
    pub fn new(out: W, header: Header) -> io::Result<Self> {
        let mut lines = LineWriter { out, latest: 0 };
        lines.write(&header)?;
        Ok(Self { lines, redactor: None, bodies: None })
    }

    /// Begins a recording for sharing, in which values are replaced. The header lists their paths, and omits the
    /// arguments of the command.
    ///
    /// In exchanges, the headers that repeat parameters of tools are replaced, and so are those that repeat a value which is
    /// replaced. Bodies come when they have ended, and events when they are complete.
    ///
    /// Each record then contains a whole frame, with the time of the piece that completes it. Frames that are not JSON
    /// or are longer than `limit` bytes, and all of standard error, are replaced as a whole, because no values can be
    /// found in them. Blank lines are left out.
    ///
    /// # Errors
    ///
    /// Returns an error if the messages are not delimited by lines, and errors of the writer.
    pub fn redacted(
        out: W,
        mut header: Header,
        redaction: Redaction,
        limit: u32,
    ) -> io::Result<Self> {
        if !header.http && header.framing != FramingKind::Ndjson {
            let why = "only messages that are lines can be redacted";
            return Err(io::Error::new(io::ErrorKind::Unsupported, why));
        }
        header.redacted = redaction.paths().map(str::to_owned).collect();
        header.command.iter_mut().skip(1).for_each(|argument| MARKER.clone_into(argument));
        let (redactor, bodies) = match header.http {
            true => (None, Some(BodyRedactor::new(redaction, limit))),
            false => (Some(Redactor::new(redaction, limit)), None),
        };
        Ok(Self { redactor, bodies, ..Self::new(out, header)? })
    }

    /// Records bytes at this time since the start, in microseconds. A time before the time of the last record is
    /// replaced by the latter.
    ///
    /// # Errors
    ///
    /// Returns the error of the writer.
    pub fn bytes(&mut self, us: i64, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        let Self { lines, redactor, .. } = self;
        match (redactor, stream.role()) {
            (None, _) => lines.bytes(us, stream, bytes),
            (Some(_), None) => lines.bytes(us, stream, format!("{MARKER}\n").as_bytes()),
            (Some(redactor), Some(side)) => {
                redactor.push(side, bytes, &mut |frame| lines.bytes(us, stream, frame))
            }
        }
    }

    /// Records that a side will send no more.
    ///
    /// # Errors
    ///
    /// Returns the error of the writer.
    pub fn closed(&mut self, us: i64, side: Role) -> io::Result<()> {
        self.finish(us, side)?;
        let closed = Some(Cow::Borrowed(Stream::from(side).name()));
        self.lines.record(us, Record { closed, ..Record::default() })
    }

    /// Records that the process of the server has exited with this code, which ends the session.
    ///
    /// # Errors
    ///
    /// Returns the error of the writer.
    pub fn exit(&mut self, us: i64, code: i32) -> io::Result<()> {
        self.end(us, Record { exit: Some(code.into()), ..Record::default() })
    }

    /// Records that a signal ended the process of the server, which ends the session.
    ///
    /// # Errors
    ///
    /// Returns the error of the writer.
    pub fn signal(&mut self, us: i64, number: i32) -> io::Result<()> {
        self.end(us, Record { signal: Some(number.into()), ..Record::default() })
    }

    /// Records a part of an HTTP exchange. Its head must have no [credentials](crate::credentials) that are to be kept
    /// secret.
    ///
    /// # Errors
    ///
    /// Returns the error of the writer.
    pub fn part(&mut self, us: i64, exchange: u64, part: &Part<'_>) -> io::Result<()> {
        let Self { lines, bodies, .. } = self;
        match bodies {
            Some(bodies) => bodies.part(exchange, part, &mut |part| lines.part(us, exchange, part)),
            None => lines.part(us, exchange, part),
        }
    }

    /// Records that the recorder of HTTP exchanges has stopped.
    ///
    /// # Errors
    ///
    /// Returns the error of the writer.
    pub fn stopped(&mut self, us: i64) -> io::Result<()> {
        self.lines.record(us, Record { stopped: true, ..Record::default() })
    }

    fn end(&mut self, us: i64, record: Record<'_>) -> io::Result<()> {
        self.finish(us, Role::Client)?;
        self.finish(us, Role::Server)?;
        self.lines.record(us, record)
    }

    /// Records the last frame of a side, if the redactor still holds it.
    fn finish(&mut self, us: i64, side: Role) -> io::Result<()> {
        let Self { lines, redactor, .. } = self;
        let Some(redactor) = redactor else { return Ok(()) };
        redactor.finish(side, &mut |frame| lines.bytes(us, side.into(), frame))
    }

    /// Flushes the writer.
    ///
    /// # Errors
    ///
    /// Returns the error of the writer.
    pub fn flush(&mut self) -> io::Result<()> {
        self.lines.out.flush()
    }

    /// Returns the writer.
    pub fn into_inner(self) -> W {
        self.lines.out
    }
}

/// A writer of one JSON object per line.
#[derive(Debug)]
struct LineWriter<W> {
    out: W,
    latest: i64,
}

impl<W: Write> LineWriter<W> {
    fn part(&mut self, us: i64, exchange: u64, part: &Part<'_>) -> io::Result<()> {
        let name = |side: &Role| Some(Cow::Borrowed(Stream::from(*side).name()));
        let base = Record { exchange: Some(exchange), ..Record::default() };
        let record = match part {
            Part::Request(head) => Record { request: Some(head.clone()), ..base },
            Part::Response(head) => Record { response: Some(head.clone()), ..base },
            Part::Bytes { from, bytes } => {
                return bytes.chunks(LONGEST).try_for_each(|piece| {
                    let bytes = Record::of_bytes(us, Stream::from(*from).name(), piece);
                    self.record(us, Record { exchange: Some(exchange), ..bytes })
                });
            }
            Part::Omitted { from, count } => {
                Record { from: name(from), omitted: Some(*count), ..base }
            }
            Part::Closed { from, trailers } => {
                Record { closed: name(from), trailers: trailers.clone(), ..base }
            }
            Part::Aborted { from, why } => {
                Record { aborted: name(from), why: Some(why.clone()), ..base }
            }
        };
        self.record(us, record)
    }

    fn bytes(&mut self, us: i64, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        bytes
            .chunks(LONGEST)
            .try_for_each(|piece| self.record(us, Record::of_bytes(us, stream.name(), piece)))
    }

    fn record(&mut self, us: i64, record: Record<'_>) -> io::Result<()> {
        self.latest = self.latest.max(us);
        self.write(&Record { us: Some(self.latest), ..record })
    }

    fn write(&mut self, line: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, line)?;
        self.out.write_all(b"\n")
    }
}

#[cfg(test)]
mod tests {
    use tautline_mcp::Role;

    use super::{RecordingWriter, Stream};
    use crate::redaction::Redaction;
    use crate::source::{Event, Header, read_recording};
    use tautline::frame::FramingKind;

    /// Reads a recording, and returns its events as text.
    fn events(recording: &[u8]) -> Vec<String> {
        let mut events = Vec::new();
        let mut reader = recording;
        read_recording(&mut reader, &mut |event, place| {
            let time = place.time.unwrap_or(-1);
            events.push(match event {
                Event::Bytes { from, bytes } => format!("{time} {} {bytes:?}", from.name()),
                Event::Stderr { text } => format!("{time} stderr {text:?}"),
                Event::Closed { from } => format!("{time} closed {}", from.name()),
                Event::End { how, .. } => format!("{time} {how}"),
                Event::Framing(framing) => framing.name().to_owned(),
                Event::Loss(words) => words,
                event => panic!("{event:?}"),
            });
            Ok(())
        })
        .unwrap();
        events
    }

    #[test]
    fn what_was_written_is_read() {
        const LINE: &[u8] = b"{\"a\":\"\\u0000\\n\"}\r\n\0";
        let mut header = Header::new(FramingKind::ContentLength);
        header.command = vec!["a".to_owned(), "b \"c\"".to_owned()];
        let mut recording = RecordingWriter::new(Vec::new(), header.clone()).unwrap();
        recording.bytes(1, Stream::Client, LINE).unwrap();
        recording.bytes(2, Stream::Server, b"\xFF\xFE\n").unwrap();
        recording.bytes(3, Stream::Stderr, "é\n".as_bytes()).unwrap();
        // The clock has gone back.
        recording.bytes(2, Stream::Server, &"é".as_bytes()[..1]).unwrap();
        recording.closed(5, Role::Client).unwrap();
        recording.closed(6, Role::Server).unwrap();
        recording.signal(7, 9).unwrap();
        let written = recording.into_inner();
        let first = written.split(|&byte| byte == b'\n').next().unwrap();
        assert_eq!(serde_json::from_slice::<Header>(first).unwrap(), header);
        assert_eq!(
            events(&written),
            [
                "content-length",
                &format!("1 client {LINE:?}"),
                "2 server [255, 254, 10]",
                "3 stderr [195, 169, 10]",
                "3 server [195]",
                "5 closed client",
                "6 closed server",
                "7 ended by signal 9",
            ]
        );
    }

    #[test]
    fn a_long_piece_is_written_in_lines_that_are_read() {
        let piece = vec![0; 20 << 20];
        let mut recording =
            RecordingWriter::new(Vec::new(), Header::new(FramingKind::Ndjson)).unwrap();
        recording.bytes(1, Stream::Server, &piece).unwrap();
        let mut read = 0;
        let written = recording.into_inner();
        read_recording(&mut &written[..], &mut |event, _| {
            if let Event::Bytes { bytes, .. } = event {
                assert!(bytes.iter().all(|&byte| byte == 0));
                read += bytes.len();
            }
            Ok(())
        })
        .unwrap();
        assert_eq!(read, piece.len());
    }

    #[test]
    fn a_redacted_recording_has_whole_frames_and_no_secret() {
        let mut header = Header::new(FramingKind::Ndjson);
        header.command = vec!["server".to_owned(), "--key=secret".to_owned()];
        let redaction = Redaction::parse(&["token".to_owned()]).unwrap();
        let mut recording = RecordingWriter::redacted(Vec::new(), header, redaction, 1000).unwrap();
        recording.bytes(1, Stream::Client, b"{\"token\":\"sec").unwrap();
        recording.bytes(2, Stream::Server, b"secret\n{\"id\": 1}\n").unwrap();
        recording.bytes(3, Stream::Stderr, b"secret").unwrap();
        recording.bytes(4, Stream::Client, b"ret\"}\n{\"token\":\"secret").unwrap();
        recording.bytes(5, Stream::Server, b"{\"token\":\"secret\"}").unwrap();
        recording.closed(6, Role::Client).unwrap();
        recording.exit(7, 0).unwrap();
        let written = String::from_utf8(recording.into_inner()).unwrap();
        assert!(!written.contains("sec"), "{written}");
        let expected = [
            r#"{"tautline-recording":1,"framing":"ndjson","command":["server","[redacted]"],"redacted":["token"]}"#,
            r#"{"us":2,"from":"server","text":"\"[redacted]\"\n"}"#,
            r#"{"us":2,"from":"server","text":"{\"id\": 1}\n"}"#,
            r#"{"us":3,"from":"stderr","text":"[redacted]\n"}"#,
            r#"{"us":4,"from":"client","text":"{\"token\":\"[redacted]\"}\n"}"#,
            r#"{"us":6,"from":"client","text":"\"[redacted]\""}"#,
            r#"{"us":6,"closed":"client"}"#,
            r#"{"us":7,"from":"server","text":"{\"token\":\"[redacted]\"}"}"#,
            r#"{"us":7,"exit":0}"#,
        ];
        assert_eq!(written.lines().collect::<Vec<_>>(), expected);
        let note = events(written.as_bytes()).swap_remove(1);
        assert!(note.starts_with("values were replaced in the recording (token)"), "{note}");
    }
}
