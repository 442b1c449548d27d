//! Logs whose lines mark the direction of the messages in them.
//!
//! ```text
//! 10:00:00 [INFO] name -> {"jsonrpc":"2.0","id":1,"method":"a"}
//! 2026-01-02 10:00:00,250 DEBUG [Wallet] Recv: {"jsonrpc":"2.0","id":1,"result":{}}
//! ```

mod mark;
mod stamp;
mod tool;
mod value;

use std::io::BufRead;

use serde_json::value::RawValue;
use tautline_mcp::Role;

use self::mark::mark_of;
use self::tool::Special;
use self::value::Brackets;
use super::lines::{Line, Lines};
use super::out::{At, Out};
use super::servers::{KeptLine, Servers};
use super::sides::{Sides, Way};
use super::{Receive, SourceError, text};

/// The maximum length of a message over several lines, in bytes.
const LONGEST: usize = 64 * 1024 * 1024;

/// The maximum length of a line that has a mark and no message, in bytes.
const LONGEST_HEAD: usize = 200;

const REWRITTEN: &str = "the log may have messages that its writer parsed and wrote anew: repeated members, white space, \
    and the exact form of numbers and strings may be lost";
const UNSEEN: &str =
    "lines of the log without a message are not judged, whatever they say about the session";
const CUT: &str = "some messages in the log are cut or are not JSON, and are not judged";
const PRINTED: &str = "some messages in the log were printed as objects of JavaScript, without their inner parts; these \
    are not judged";

/// The texts that mark the direction in the lines of a log, chosen by the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marks {
    client: String,
    server: String,
}

impl Marks {
    /// Creates the marks before messages of the client and of the server.
    ///
    /// # Errors
    ///
    /// Returns the reason why the marks can't be used: one is empty, or they are the same.
    pub fn new(client: &str, server: &str) -> Result<Self, &'static str> {
        if client.trim().is_empty() || server.trim().is_empty() {
            return Err("a mark must have a character other than a space");
        }
        if client == server {
            return Err("the marks of the two sides are the same");
        }
        Ok(Self { client: client.to_owned(), server: server.to_owned() })
    }

    /// Reads a log to its end. The maximum length of a frame is `limit` bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the file can't be read or no line has a mark, and errors of `receive`.
    pub fn read(
        &self,
        reader: &mut dyn BufRead,
        limit: u32,
        receive: &mut Receive<'_>,
    ) -> Result<(), SourceError> {
        let out = &mut Out::new(receive, limit);
        let mut lines = Lines::new(reader);
        let mut log = Log { marks: Some(self), ..Log::default() };
        while let Some(line) = lines.next()? {
            log.line(line, out)?;
        }
        log.finish(out)?;
        if out.frames() > 0 {
            return Ok(());
        }
        let Self { client, server } = self;
        let why = format!(
            "no message was found, so nothing was judged: no line has the mark {client:?} or {server:?} before a message"
        );
        Err(SourceError::Format { line: 1, why })
    }

    /// Returns the sender of a line, and the place in it after the mark.
    fn find(&self, line: &str) -> Option<(Role, usize)> {
        let place = |mark: &str, role| line.find(mark).map(|at| (at, mark.len(), role));
        let marks =
            [place(&self.client, Role::Client), place(&self.server, Role::Server)].into_iter();
        // One mark may contain the other.
        let (at, length, role) =
            marks.flatten().min_by_key(|&(at, length, _)| (at, std::cmp::Reverse(length)))?;
        Some((role, at + length))
    }
}

/// Returns whether a file is such a log: most messages in it follow a mark.
pub(super) fn is_log(start: &[u8]) -> bool {
    let text = text::masked(start);
    let (mut marked, mut unmarked) = (0_u32, 0_u32);
    // A name before a message is a mark only if the other side has one, too.
    let mut named = [false; 2];
    let mut has_other_mark = false;
    let mut waiting = None;
    for line in text.lines() {
        let begins_value = begins_value(line);
        if let Some(mark) = waiting.take_if(|_| begins_value) {
            marked += 1;
            note(mark, &mut named, &mut has_other_mark);
            continue;
        }
        waiting = waiting.filter(|_| line.trim().is_empty());
        match find(line) {
            Some(Found::Value(mark, start)) => {
                let rest = line.get(start..).unwrap_or_default();
                if text::mentions_jsonrpc(rest.as_bytes()) || rest.contains("jsonrpc:") {
                    marked += 1;
                    note(mark, &mut named, &mut has_other_mark);
                }
            }
            Some(Found::Head(mark)) => waiting = Some(mark),
            None => {
                let is_message =
                    begins_value && line.len() > 2 && text::mentions_jsonrpc(line.as_bytes());
                unmarked += u32::from(is_message);
            }
        }
    }
    let has_names = named == [true, true];
    marked > unmarked && (has_other_mark || has_names)
}

fn note(mark: mark::Mark, named: &mut [bool; 2], has_other_mark: &mut bool) {
    let [client, server] = named;
    match mark.way {
        Way::Of(Role::Client) if mark.is_name => *client = true,
        Way::Of(Role::Server) if mark.is_name => *server = true,
        _ => *has_other_mark = true,
    }
}

/// Reads a log.
pub(super) fn read(reader: &mut dyn BufRead, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
    let mut lines = Lines::new(reader);
    let mut servers = Servers::default();
    let mut log = Log::default();
    while let Some(line) = lines.next()? {
        let masked = text::masked(line.content());
        if tool::server(&masked).is_none_or(|name| servers.is_due(name, line)) {
            log.line(line, out)?;
        }
    }
    log.finish(out)?;
    servers.read_others(out, |lines, out| {
        let mut log = Log::default();
        lines.iter().map(KeptLine::line).try_for_each(|line| log.line(line, out))?;
        log.finish(out)
    })
}

/// The content of a line with a mark.
enum Found {
    /// A message, or its beginning, at this place.
    Value(mark::Mark, usize),
    /// A mark, and nothing after it: the message follows on other lines.
    Head(mark::Mark),
}

/// Returns whether a line begins with an object, or an array of objects.
fn begins_value(line: &str) -> bool {
    value::starts(line.trim_start()).next() == Some(0)
}

/// Finds the mark in a line, and the message after it.
fn find(line: &str) -> Option<Found> {
    let first = line.trim_start().trim_start_matches('[').trim_start();
    if first.starts_with('{') {
        return None;
    }
    if let Some(mark) = tool::head(line) {
        let start = value::starts(line).next();
        return Some(start.map_or(Found::Head(mark), |start| Found::Value(mark, start)));
    }
    let found = value::starts(line).find_map(|start| Some((mark_of(line.get(..start)?)?, start)));
    if let Some((mark, start)) = found {
        return Some(Found::Value(mark, start));
    }
    let head = Some(line.trim_end()).filter(|line| line.len() <= LONGEST_HEAD);
    head.and_then(mark_of).filter(|mark| mark.is_adjacent).map(Found::Head)
}

/// The state of the reader of a log.
#[derive(Default)]
struct Log<'m> {
    marks: Option<&'m Marks>,
    sides: Sides,
    /// The message that has begun.
    open: Option<Open>,
    /// The mark of the message that follows.
    waiting: Option<Way>,
}

/// A message over several lines.
struct Open {
    way: Way,
    at: At,
    text: Vec<u8>,
    brackets: Brackets,
}

impl Log<'_> {
    fn line(&mut self, line: Line<'_>, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
        let masked = text::masked(line.content());
        let at = At { line: line.number, time: stamp::time_in(&masked) };
        let is_indented = masked.starts_with([' ', '\t']);
        if self.open.is_some() {
            let is_special = || self.marks.is_none() && tool::special(&masked).is_some();
            let begins_record = !is_indented && (self.find(&masked).is_some() || is_special());
            if !begins_record {
                return self.more(line.bytes, out);
            }
            self.cut(out)?;
        }
        if let Some(way) = self.waiting.take() {
            let trimmed = masked.trim_start();
            if begins_value(trimmed) {
                let start = masked.len() - trimmed.len();
                return self.begin(way, line.bytes.get(start..).unwrap_or_default(), at, out);
            }
            if trimmed.is_empty() {
                self.waiting = Some(way);
                return Ok(());
            }
        }
        if self.marks.is_none()
            && let Some(special) = tool::special(&masked)
        {
            return self.special(&special, at, out);
        }
        match self.find(&masked) {
            Some((way, Some(start))) => {
                self.begin(way, line.bytes.get(start..).unwrap_or_default(), at, out)
            }
            Some((way, None)) => {
                self.waiting = Some(way);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Returns the direction of a line, and the place of the message in it.
    fn find(&self, line: &str) -> Option<(Way, Option<usize>)> {
        let Some(marks) = self.marks else {
            return match find(line)? {
                Found::Value(mark, start) => Some((mark.way, Some(start))),
                Found::Head(mark) => Some((mark.way, None)),
            };
        };
        let (role, end) = marks.find(line)?;
        let rest = line.get(end..)?;
        let text = rest.trim_start_matches([' ', '\t', ':']);
        let start = match value::starts(rest).next() {
            Some(start) => Some(end + start),
            None => (!text.trim().is_empty()).then(|| line.len() - text.len()),
        };
        Some((Way::Of(role), start))
    }

    /// Begins a message. `bytes` is the rest of the line, with its end.
    fn begin(
        &mut self,
        way: Way,
        bytes: &[u8],
        at: At,
        out: &mut Out<'_, '_>,
    ) -> Result<(), SourceError> {
        if !matches!(bytes.first(), Some(b'{' | b'[')) {
            return self.text(way, bytes.trim_ascii_end(), at, out);
        }
        let mut brackets = Brackets::default();
        match brackets.end_in(bytes) {
            Some(end) => self.value(way, bytes.get(..end).unwrap_or(bytes), at, out),
            None => {
                self.open = Some(Open { way, at, text: bytes.to_vec(), brackets });
                Ok(())
            }
        }
    }

    /// Continues the message that has begun.
    fn more(&mut self, bytes: &[u8], out: &mut Out<'_, '_>) -> Result<(), SourceError> {
        let Some(mut open) = self.open.take() else { return Ok(()) };
        let end = open.brackets.end_in(bytes);
        open.text.extend_from_slice(bytes.get(..end.unwrap_or(bytes.len())).unwrap_or(bytes));
        if end.is_none() && open.text.len() <= LONGEST {
            self.open = Some(open);
            return Ok(());
        }
        self.value(open.way, &open.text, open.at, out)
    }

    /// Emits a message, if the text is one.
    fn value(
        &mut self,
        way: Way,
        bytes: &[u8],
        at: At,
        out: &mut Out<'_, '_>,
    ) -> Result<(), SourceError> {
        let masked = text::masked(bytes);
        if serde_json::from_str::<&RawValue>(&masked).is_ok() {
            if self.marks.is_none() && !value::is_message(bytes) {
                return Ok(());
            }
            out.rewritten(REWRITTEN, at)?;
            out.say(UNSEEN, at)?;
            return self.sides.message(way, bytes, at, out);
        }
        if masked.contains("jsonrpc: ") {
            out.say(PRINTED, at)?;
            return self.sides.missing(way, value::printed_id(&masked).map(str::to_owned), at, out);
        }
        if self.marks.is_some() {
            return self.text(way, bytes, at, out);
        }
        if value::is_message(bytes) {
            out.say(CUT, at)?;
            return self.sides.missing(way, None, at, out);
        }
        Ok(())
    }

    /// Emits a text that was sent instead of a message.
    fn text(
        &mut self,
        way: Way,
        bytes: &[u8],
        at: At,
        out: &mut Out<'_, '_>,
    ) -> Result<(), SourceError> {
        out.rewritten(REWRITTEN, at)?;
        self.sides.message(way, bytes, at, out)
    }

    /// Drops the message that has begun and was not ended.
    fn cut(&mut self, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
        let Some(open) = self.open.take() else { return Ok(()) };
        self.value(open.way, &open.text, open.at, out)
    }

    fn special(
        &mut self,
        special: &Special<'_>,
        at: At,
        out: &mut Out<'_, '_>,
    ) -> Result<(), SourceError> {
        match special {
            Special::Stderr(text) => out.stderr(text.as_bytes(), at),
            Special::BadLine(text) => self.text(Way::Of(Role::Server), text.as_bytes(), at, out),
            Special::Exit { code } => {
                self.cut(out)?;
                self.sides.finish(out)?;
                match *code {
                    "0" => out.end("exited with status 0", at),
                    code => out.fail(&format!("exited with status {code}"), at),
                }
            }
        }
    }

    fn finish(mut self, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
        self.cut(out)?;
        self.sides.finish(out)
    }
}
