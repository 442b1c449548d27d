//! A request of the page: the files, and how to audit them.

use std::io::{self, BufReader, Cursor, Read};

use serde::{Deserialize, Serialize};
use tautline::frame::FramingKind;
use tautline_audit::document::{Finding, SourceRow};
use tautline_audit::frame::FrameReport;
use tautline_audit::source::{
    Delimiter, Elements, Event, Pair, Place, SourceError, SourceKind, read_start,
};
use tautline_audit::{Audit, Audited, Check, Document, Options, Sink, printable};
use tautline_mcp::Role;

use crate::words;

/// The number of frames that the report shows, as on the command line.
const FRAMES: usize = 10_000;

/// The number of bytes to read at once. Each piece of a file is a call to another process of the browser.
const AT_ONCE: usize = 1024 * 1024;

/// The number of findings and of owed replies in a summary.
const FIRST: usize = 20;

/// The name of the format of a log of one direction.
pub const ONE_DIRECTION: &str = "one-direction";

/// A request for an audit. All names are the same as on the command line.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The names of the files: one log, or the side of the client and the side of the server.
    pub files: Vec<String>,
    /// The rules.
    pub rules: String,
    /// The format of the log: that of a recording, or [`ONE_DIRECTION`]. If empty, it is detected.
    pub source: String,
    /// How messages are delimited, if the log does not say. If empty, it is detected.
    pub framing: String,
    /// True for a text that was typed or pasted: it need not end with a newline.
    #[serde(default)]
    pub is_text: bool,
    /// True if only the summary is needed.
    #[serde(default)]
    pub is_brief: bool,
}

/// The result of a request.
#[derive(Debug)]
#[non_exhaustive]
pub struct Answer {
    /// The document.
    pub document: Document,
    /// True if the log has one direction, so that no session was judged.
    pub is_one_direction: bool,
    /// Why the log could not be read to its end, and where that is.
    pub broken: Option<String>,
    replies: Replies,
}

/// The summary that the page shows beside a report.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Summary<'a> {
    /// The format of the file, or the framing of two files.
    pub kind: &'a str,
    /// The name of the rules that applied.
    pub rules: &'a str,
    /// True if the log has one direction.
    pub is_one_direction: bool,
    /// Why the log could not be read to its end, and where that is.
    pub broken: Option<&'a str>,
    /// The number of frames.
    pub frames: u64,
    /// The number of errors.
    pub errors: u64,
    /// The number of warnings.
    pub warnings: u64,
    /// The number of notes.
    pub notes: u64,
    /// The first findings, the most severe first.
    pub findings: Vec<&'a Finding>,
    /// The first error replies that are owed.
    pub replies: &'a [OwedReply],
    /// The number of frames that are owed an error reply.
    pub owed: u64,
}

/// An error reply that the receiver of a message owes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OwedReply {
    /// The number of the frame that is owed it, from 1.
    pub frame: u64,
    /// The code of the error.
    pub code: i64,
    /// The id, as it was written, or `None` if the reply has none.
    pub id: Option<String>,
}

/// The error replies that are owed, the first of them and their number.
#[derive(Debug, Default)]
struct Replies {
    first: Vec<OwedReply>,
    count: u64,
    frames: u64,
}

impl Replies {
    fn observe(&mut self, report: &FrameReport<'_>) {
        self.frames += 1;
        for reply in report.messages().filter_map(|message| message.reply.as_ref()) {
            self.count += 1;
            if self.first.len() < FIRST {
                let id = reply.id.as_deref().map(|id| id.chars().take(100).collect());
                self.first.push(OwedReply { frame: self.frames, code: reply.code, id });
            }
        }
    }
}

impl Sink for Replies {
    fn frame(&mut self, frame: &Audited<'_>) -> io::Result<()> {
        self.observe(frame.report);
        Ok(())
    }
}

impl Answer {
    /// Returns the summary.
    #[must_use]
    pub fn summary(&self) -> Summary<'_> {
        let Self { document, replies, .. } = self;
        let totals = &document.totals;
        let mut findings: Vec<_> = document.findings.iter().collect();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        findings.truncate(FIRST);
        Summary {
            kind: document.sources.first().map_or("", |source| source.kind),
            rules: &document.rules,
            is_one_direction: self.is_one_direction,
            broken: self.broken.as_deref(),
            frames: totals.frames,
            errors: totals.errors,
            warnings: totals.warnings,
            notes: totals.notes,
            findings,
            replies: &replies.first,
            owed: replies.count,
        }
    }
}

/// The index of a file, and what is wrong with it.
type Failure = (usize, String);

impl Request {
    /// Audits the files. `open` opens a file by its index.
    ///
    /// # Errors
    ///
    /// Returns the reason why there is no report, in words for the page.
    pub fn run<R: Read>(&self, open: impl Fn(usize) -> R) -> Result<Answer, String> {
        let mut options = Options::default();
        options.selection = self.rules.parse().map_err(|_| "there are no such rules")?;
        let framing = match self.framing.as_str() {
            "" => None,
            name => Some(name.parse().map_err(|_| "there is no such framing")?),
        };
        options.frames = if self.is_brief { 0 } else { FRAMES };
        let names: Vec<String> = self.files.iter().map(|name| printable(name.as_bytes())).collect();
        let result = match names.as_slice() {
            [name] => self.one(name, open(0), framing, options),
            [client, server] => two([client, server], open(0), open(1), framing, options),
            _ => return Err("choose one file, or two".to_owned()),
        };
        result.map_err(|(at, why)| {
            let name = names.get(at).map_or("", String::as_str);
            format!("{name}: {}", words::for_the_page(&why))
        })
    }

    /// Audits one file: a recording, or a log of one direction.
    fn one(
        &self,
        name: &str,
        mut file: impl Read,
        framing: Option<FramingKind>,
        mut options: Options,
    ) -> Result<Answer, Failure> {
        let start = read_start(&mut file).map_err(|error| (0, error.to_string()))?;
        let delimiter = || framing.map(Delimiter::Framing).or_else(|| Delimiter::detect(&start));
        let kind = match SourceKind::named(&self.source) {
            Some(kind) => Ok(kind),
            None if self.source == ONE_DIRECTION => {
                Err(delimiter().unwrap_or(Delimiter::Framing(FramingKind::Ndjson)))
            }
            None => match SourceKind::detect(&start) {
                Ok(kind) => Ok(kind),
                Err(why) => Err(delimiter().ok_or((0, why))?),
            },
        };
        match kind {
            Ok(kind) => {
                options.framing = framing.unwrap_or(options.framing);
                let reader = BufReader::with_capacity(AT_ONCE, Cursor::new(start).chain(file));
                recording(name, kind, reader, options)
            }
            Err(delimiter) => self.one_direction(name, delimiter, &start, file, options),
        }
    }

    /// Checks a log of one direction, which begins with `start`.
    fn one_direction(
        &self,
        name: &str,
        delimiter: Delimiter,
        start: &[u8],
        file: impl Read,
        mut options: Options,
    ) -> Result<Answer, Failure> {
        options.framing = delimiter.framing();
        let mut replies = Replies::default();
        let mut check = Check::new(options, start);
        let all = Cursor::new(start).chain(file);
        let mut reader: Box<dyn Read> = match delimiter {
            Delimiter::Framing(_) => Box::new(all),
            Delimiter::Array => Box::new(Elements::new(all)),
        };
        let mut room = vec![0; AT_ONCE];
        let mut last = b'\n';
        loop {
            let read = match reader.read(&mut room) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read.map_err(|error| (0, error.to_string()))?,
            };
            let bytes = room.get(..read).unwrap_or_default();
            match bytes.last() {
                Some(byte) => last = *byte,
                None => break,
            }
            check.push(bytes, &mut |report| replies.observe(report));
        }
        if self.is_text && last != b'\n' && delimiter.framing() == FramingKind::Ndjson {
            check.push(b"\n", &mut |report| replies.observe(report));
        }
        let source = SourceRow { name: name.to_owned(), kind: delimiter.name() };
        let document = check.finish(vec![source], &mut |report| replies.observe(report));
        Ok(Answer { document, is_one_direction: true, broken: None, replies })
    }
}

/// Audits a recording. If it is broken, the answer covers what is readable of it.
fn recording(
    name: &str,
    kind: SourceKind,
    mut reader: BufReader<impl Read>,
    mut options: Options,
) -> Result<Answer, Failure> {
    kind.prepare(&mut options);
    let mut audit = Audit::new(options);
    let mut replies = Replies::default();
    let limit = audit.limit();
    let result =
        kind.read(&mut reader, limit, &mut |event, place| audit.event(event, place, &mut replies));
    let broken = match result {
        Ok(()) => None,
        Err(error @ SourceError::Format { .. }) if replies.frames > 0 => {
            let why = words::for_the_page(&error.to_string());
            note_break(&mut audit, &why, &mut replies).map_err(|error| (0, error.to_string()))?;
            Some(why)
        }
        Err(error) => return Err(failure(&error)),
    };
    let source = SourceRow { name: name.to_owned(), kind: kind.name() };
    let document =
        audit.finish(vec![source], &mut replies).map_err(|error| (0, error.to_string()))?;
    Ok(Answer { document, is_one_direction: false, broken, replies })
}

/// Adds to an audit that its recording is broken: nothing is judged that depends on the frames after the break.
fn note_break(audit: &mut Audit, why: &str, sink: &mut dyn Sink) -> io::Result<()> {
    let words = format!("the recording is broken, and this is what is readable of it: {why}");
    audit.event(Event::Loss(words), Place::default(), sink)?;
    [Role::Client, Role::Server].into_iter().try_for_each(|from| {
        let missing = Event::Missing { from, answers: None };
        audit.event(missing, Place::default(), sink)
    })
}

/// Audits two files, one for each side.
fn two(
    names: [&String; 2],
    mut client: impl Read,
    server: impl Read,
    framing: Option<FramingKind>,
    mut options: Options,
) -> Result<Answer, Failure> {
    let start = read_start(&mut client).map_err(|error| (0, error.to_string()))?;
    let detected = || Delimiter::detect(&start).map_or(FramingKind::Ndjson, Delimiter::framing);
    let framing = framing.unwrap_or_else(detected);
    options.framing = framing;
    let limit = options.max_frame;
    Pair::prepare(&mut options);
    let mut audit = Audit::new(options);
    let mut replies = Replies::default();
    let mut client = BufReader::with_capacity(AT_ONCE, Cursor::new(start).chain(client));
    let mut server = BufReader::with_capacity(AT_ONCE, server);
    let pair = Pair::new(&mut client, &mut server, framing, limit, &audit.profile());
    pair.read(&mut |event, place| audit.event(event, place, &mut replies))
        .map_err(|error| failure(&error))?;
    let row = |name: &String| SourceRow { name: name.clone(), kind: framing.name() };
    let sources = names.map(row).to_vec();
    let document = audit.finish(sources, &mut replies).map_err(|error| (0, error.to_string()))?;
    Ok(Answer { document, is_one_direction: false, broken: None, replies })
}

fn failure(error: &SourceError) -> Failure {
    let at = match error {
        SourceError::Read { source, .. } => *source,
        _ => 0,
    };
    (at, error.to_string())
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use tautline_audit::format::Format;

    use super::{Answer, Request};
    use crate::choices::Choices;

    const WEATHER: &[u8] = include_bytes!("../../../examples/weather.recording");
    const SESSION: &[u8] = include_bytes!("../../../examples/session.ndjson");
    const CLIENT: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    const SERVER: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\nlog\n";

    fn request(json: &str) -> Request {
        serde_json::from_str(json).unwrap()
    }

    fn one(rules: &str, source: &str) -> Request {
        request(&format!(
            r#"{{"files":["a\u202e"],"rules":"{rules}","source":"{source}","framing":""}}"#
        ))
    }

    fn pasted(text: &str) -> Answer {
        let request =
            r#"{"files":["text"],"rules":"auto","source":"","framing":"","is_text":true}"#;
        self::request(request).run(|_| text.as_bytes()).unwrap()
    }

    fn rules(answer: &Answer) -> Vec<&str> {
        answer.summary().findings.iter().map(|finding| finding.rule).collect()
    }

    #[test]
    fn a_recording_becomes_a_report() {
        let answer = one("auto", "").run(|_| WEATHER).unwrap();
        assert_eq!(answer.document.sources[0].name, "a\u{fffd}");
        let summary = answer.summary();
        assert_eq!((summary.kind, summary.frames, summary.errors), ("recording", 16, 2));
        assert!(!summary.is_one_direction && summary.broken.is_none());
        let mut html = Vec::new();
        Format::Html.write(&answer.document, &mut html).unwrap();
        assert_eq!(answer.document.frames.len(), 16);
    }

    #[test]
    fn two_files_become_a_report() {
        let two =
            request(r#"{"files":["c","s"],"rules":"jsonrpc","source":"","framing":"ndjson"}"#);
        let answer = two.run(|file| if file == 0 { CLIENT } else { SERVER }).unwrap();
        assert_eq!(answer.document.sources[1].name, "s");
        assert_eq!(answer.summary().kind, "ndjson");
        assert!(rules(&answer).contains(&"log-line"));
        // Headers are recognised.
        let two = request(r#"{"files":["c","s"],"rules":"lsp","source":"","framing":""}"#);
        let answer = two.run(|_| &b"Content-Length: 2\r\n\r\n{}"[..]).unwrap();
        assert_eq!((answer.summary().kind, answer.summary().frames), ("content-length", 2));
    }

    #[test]
    fn one_direction_becomes_a_report() {
        let answer = one("auto", "").run(|_| SESSION).unwrap();
        let summary = answer.summary();
        assert!(summary.is_one_direction);
        assert_eq!((summary.kind, summary.rules), ("ndjson", "2025-11-25"));
        assert!(summary.errors > 30 && summary.owed > 10, "{summary:?}");
        assert_eq!(summary.findings.len(), 20);
        // Each half of a session is one direction.
        for half in [CLIENT, SERVER] {
            assert!(one("auto", "").run(|_| half).unwrap().is_one_direction);
        }
        let forced = one("auto", super::ONE_DIRECTION).run(|_| WEATHER).unwrap();
        assert!(forced.is_one_direction);
    }

    #[test]
    fn a_pasted_message_is_judged_with_the_reply_that_is_owed() {
        let answer = pasted(r#"{"jsonrpc":"2.0","id":7,"method":["tools/list"]}"#);
        assert_eq!(rules(&answer), ["method-type"]);
        let summary = answer.summary();
        assert_eq!((summary.owed, summary.replies[0].code), (1, -32600));
        assert_eq!(summary.replies[0].id.as_deref(), Some("7"));
        let printed =
            "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"id\": 2,\n  \"method\": \"ping\"\n}";
        assert_eq!(rules(&pasted(printed)), ["duplicate-member"]);
        // The missing newline is no fault of the message.
        assert_eq!(rules(&pasted(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)), [""; 0]);
    }

    #[test]
    fn an_array_is_judged_element_by_element() {
        let good = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let answer = pasted(&format!("[{good}, {}]", good.replace('1', "{}")));
        assert_eq!((answer.summary().kind, answer.summary().frames), ("array", 2));
        assert_eq!((rules(&answer), answer.summary().replies[0].frame), (vec!["id-type"], 2));
    }

    #[test]
    fn a_broken_recording_is_read_as_far_as_possible() {
        let text = String::from_utf8(WEATHER.to_vec()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let mut broken = lines.clone();
        broken[5] = "{\"us\":5,\"from\":";
        let answer = one("auto", "").run(|_| io::Cursor::new(broken.join("\n"))).unwrap();
        let why = answer.summary().broken.unwrap().to_owned();
        let offset: usize = lines[..5].iter().map(|line| line.len() + 1).sum();
        assert!(why.starts_with("line 6: this is not a record: "), "{why}");
        assert!(why.contains(&format!("(byte {offset} of the file)")), "{why}");
        assert!(answer.document.notes.iter().any(|note| note.contains(&why)));
        assert!(answer.document.totals.frames >= 14, "{}", answer.document.totals.frames);
        // Cut anywhere, it has a report, and what is lost with the rest is not missed.
        for end in (lines[0].len() + lines[1].len() + 2..text.len()).step_by(97) {
            let answer = one("auto", "").run(|_| &text.as_bytes()[..end]).unwrap();
            assert!(answer.document.totals.frames > 0, "{end}");
        }
        // Nothing is readable.
        assert!(one("auto", "").run(|_| &b"{\"tautline-recording\":1}\n7\n"[..]).is_err());
    }

    #[test]
    fn everything_that_is_offered_can_be_chosen() {
        let choices = Choices::all();
        for rules in choices.rules {
            assert_eq!(one(rules, "").run(|_| WEATHER).unwrap().document.rules, rules);
        }
        let page = include_str!("../site/index.html");
        for source in choices.sources {
            let is_read = one("auto", source.name).run(|_| WEATHER).is_ok();
            assert_eq!(is_read, ["recording", super::ONE_DIRECTION].contains(&source.name));
            assert!(page.contains(&format!(r#"<th scope="row">{}</th>"#, source.name)));
        }
    }

    #[test]
    fn failures_name_the_file() {
        struct Gone;
        impl Read for Gone {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("gone"))
            }
        }
        let two = request(r#"{"files":["c","s"],"rules":"auto","source":"","framing":"ndjson"}"#);
        assert_eq!(two.run(|_| Gone).unwrap_err(), "c: gone");
        assert_eq!(one("auto", "").run(|_| Gone).unwrap_err(), "a\u{fffd}: gone");
        let none = one("auto", "").run(|_| &b""[..]).unwrap_err();
        assert_eq!(none, "a\u{fffd}: the file is empty");
        assert!(one("2020-01-01", "").run(|_| WEATHER).is_err());
    }
}
