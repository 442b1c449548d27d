//! The reader of recordings.

use std::io::BufRead;

use tautline::RawJson;
use tautline::frame::DEFAULT_LIMIT;
use tautline_mcp::Role;

use super::http::Http;
use super::parse::{Failure, bytes_of, role, usual};
use super::record::VERSION;
use super::{Header, Record};
use crate::source::breaks::{self, Breaks};
use crate::source::lines::Lines;
use crate::source::{Ending, Event, Place, Receive, SourceError};

/// The member that distinguishes a header from other JSON.
const HEADER_MEMBER: &[u8] = b"\"tautline-recording\"";

/// Returns whether a file begins like a recording.
pub(in crate::source) fn is_recording(start: &[u8]) -> bool {
    // A header with a mistake counts, so that the mistake is reported.
    let line = start.trim_ascii_start().split(|&byte| byte == b'\n').next().unwrap_or_default();
    line.starts_with(b"{") && memchr::memmem::find(line, HEADER_MEMBER).is_some()
}

/// The note on times that break the format.
const DECREASING: &str = "times in the recording decrease, so durations may be wrong or missing";

/// The note on a recording whose recorder was ended before the server.
const ENDLESS: &str = "the recording has no end: the recorder was stopped before the server ended, or is still running, \
    so the last messages may be missing";

/// The note on a recording of HTTP whose recorder was killed.
const UNSTOPPED: &str = "the recording has no end: the recorder was killed, or is still running, so the last messages \
    may be missing";

/// Reads a recording. A message of HTTP may have the usual length at most.
///
/// # Errors
///
/// Returns an error if the file can't be read or is not in this format, and errors of `receive`. A line that is not a
/// record is a [gap](Event::Gap) on both sides. The lines after it are read before its error is returned. An incomplete
/// last line is not an error: the recorder may have been stopped in the middle of it.
pub fn read_recording(
    reader: &mut dyn BufRead,
    receive: &mut Receive<'_>,
) -> Result<(), SourceError> {
    read_limited(reader, DEFAULT_LIMIT, receive)
}

/// Reads a recording, as [`read_recording`] does, with this limit on the messages of HTTP in bytes.
pub(in crate::source) fn read_limited(
    reader: &mut dyn BufRead,
    limit: u32,
    receive: &mut Receive<'_>,
) -> Result<(), SourceError> {
    let mut http: Option<Http> = None;
    let mut lines = Lines::new(reader);
    let mut has_header = false;
    let mut latest = None;
    // True if the recorder has started a server, and its end is not recorded.
    let mut is_open = false;
    let mut breaks = Breaks::default();
    let mut room = Vec::new();
    while let Some(line) = lines.next()? {
        let fail = |why| SourceError::Format { line: line.number, why };
        let mut pass_on = |event: Event<'_>, time| {
            let place = Place { source: 0, line: Some(line.number), time };
            receive(event, place)
        };
        if line.content().trim_ascii().is_empty() {
            continue;
        }
        if !has_header {
            let header = header_of(line.bytes).map_err(fail)?;
            begin(&header, &mut |event| pass_on(event, None)).map_err(SourceError::Receive)?;
            is_open = header.http || !header.command.is_empty();
            http = Http::of(&header, limit);
            has_header = true;
            continue;
        }
        let mut skip = |why: &str, receive: &mut Receive<'_>| {
            breaks.add(&line, why);
            let place = Place { source: 0, line: Some(line.number), time: None };
            [Role::Client, Role::Server]
                .into_iter()
                .try_for_each(|from| receive(Event::Gap { from }, place))
                .map_err(SourceError::Receive)
        };
        let record = match usual(line.bytes, &mut room) {
            Some(record) => record,
            // Serde would also accept an array as a record.
            None if line.bytes.trim_ascii_start().starts_with(b"[")
                && RawJson::parse(line.bytes).is_ok() =>
            {
                skip("this is not a record: it is not an object", receive)?;
                continue;
            }
            None => match serde_json::from_slice(line.bytes) {
                Ok(record) => record,
                Err(_) if line.is_cut() => {
                    let loss = Event::Loss(breaks::cut(&line));
                    pass_on(loss, None).map_err(SourceError::Receive)?;
                    break;
                }
                Err(error) => {
                    skip(&format!("this is not a record: {error}"), receive)?;
                    continue;
                }
            },
        };
        // A header has none of the members of a record.
        if record == Record::default() && is_recording(line.bytes) {
            // Two recordings were concatenated.
            if let Some(http) = &mut http {
                http.finish(receive).map_err(SourceError::Receive)?;
            }
            let mut pass_on = |event: Event<'_>, time| {
                receive(event, Place { source: 0, line: Some(line.number), time })
            };
            let how = "followed by another recording".to_owned();
            let end = Event::End { how, ending: Ending::Normal };
            pass_on(end, None).map_err(SourceError::Receive)?;
            let header = header_of(line.bytes).map_err(fail)?;
            begin(&header, &mut |event| pass_on(event, None)).map_err(SourceError::Receive)?;
            is_open = header.http || !header.command.is_empty();
            http = Http::of(&header, limit);
            latest = None;
            continue;
        }
        if record.us.is_some_and(|us| latest.is_some_and(|latest| us < latest)) {
            let loss = Event::Loss(DECREASING.to_owned());
            pass_on(loss, None).map_err(SourceError::Receive)?;
        }
        latest = record.us.or(latest);
        is_open &= record.exit.is_none() && record.signal.is_none() && !record.stopped;
        let place = Place { source: 0, line: Some(line.number), time: record.us };
        let read = match &mut http {
            Some(http) => http.record(&record, place, receive),
            None => event(&record, &mut |event| pass_on(event, record.us)),
        };
        match read {
            Ok(()) => {}
            Err(Failure::Receive(error)) => return Err(SourceError::Receive(error)),
            Err(Failure::Record(why)) => skip(&why, receive)?,
        }
    }
    if let Some(http) = &mut http {
        http.finish(receive).map_err(SourceError::Receive)?;
    }
    if is_open {
        let words = if http.is_some() { UNSTOPPED } else { ENDLESS };
        let loss = Event::Loss(words.to_owned());
        receive(loss, Place::default()).map_err(SourceError::Receive)?;
    }
    if has_header {
        breaks.finish()
    } else {
        Err(SourceError::Format { line: 1, why: "the file is empty".to_owned() })
    }
}

/// Emits what a header says about the session.
fn begin(
    header: &Header,
    receive: &mut dyn FnMut(Event<'_>) -> std::io::Result<()>,
) -> std::io::Result<()> {
    receive(Event::Framing(header.framing))?;
    if header.redacted.is_empty() {
        return Ok(());
    }
    let paths = header.redacted.join(", ");
    receive(Event::Loss(format!(
        "values were replaced in the recording ({paths}), and lines that are not JSON: findings about the \
            replacement \"[redacted]\" say nothing about the sender"
    )))
}

/// Reads the header of a recording.
fn header_of(line: &[u8]) -> Result<Header, String> {
    let header: Header = serde_json::from_slice(line)
        .map_err(|error| format!("this is not the first line of a recording: {error}"))?;
    match header.version {
        ..=VERSION => Ok(header),
        version => Err(format!(
            "the format has the version {version}, and this tool reads up to {VERSION}"
        )),
    }
}

fn event(
    record: &Record<'_>,
    receive: &mut dyn FnMut(Event<'_>) -> std::io::Result<()>,
) -> Result<(), Failure> {
    let mut pass_on = |event: Event<'_>| receive(event).map_err(Failure::Receive);
    if record.from.is_none() && (record.text.is_some() || record.base64.is_some()) {
        let why = "a record of bytes names their writer: `from` is client, server or stderr";
        return Err(Failure::Record(why.to_owned()));
    }
    if let Some(from) = &record.from {
        let Some(decoded) = bytes_of(record)? else {
            return Err(Failure::Record("a record has either text or base64".to_owned()));
        };
        let event = match from.as_ref() {
            "stderr" => Event::Stderr { text: &decoded },
            from => Event::Bytes { from: role(from)?, bytes: &decoded },
        };
        pass_on(event)?;
    }
    if let Some(closed) = &record.closed {
        pass_on(Event::Closed { from: role(closed)? })?;
    }
    if let Some(code) = record.exit {
        let how = format!("exited with status {code}");
        let ending = if code == 0 { Ending::Normal } else { Ending::Failed };
        pass_on(Event::End { how, ending })?;
    }
    if let Some(signal) = record.signal {
        let how = format!("ended by signal {signal}");
        pass_on(Event::End { how, ending: Ending::Signal })?;
    }
    Ok(())
}
