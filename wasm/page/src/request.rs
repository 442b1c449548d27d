//! A request of the page: the files, and how to audit them.

use std::io::{BufReader, Cursor, Read};

use serde::{Deserialize, Serialize};
use tautline_audit::document::SourceRow;
use tautline_audit::source::{Pair, SourceError, SourceKind, read_start};
use tautline_audit::{Audit, Document, Options, printable};

use crate::words;

/// The number of frames that the report shows, as on the command line.
const FRAMES: usize = 10_000;

/// The number of bytes to read at once. Each piece of a file is a call to another process of the browser.
const AT_ONCE: usize = 1024 * 1024;

/// A request for an audit. All names are the same as on the command line.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The names of the files: one recording, or the side of the client and the side of the server.
    pub files: Vec<String>,
    /// The rules.
    pub rules: String,
    /// The format of the recording. If empty, it is detected.
    pub source: String,
    /// How messages are delimited, if the recording does not say.
    pub framing: String,
}

/// The summary that the page shows beside a report.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct Summary<'a> {
    /// The format of the file, or the framing of two files.
    pub kind: &'a str,
    /// The number of frames.
    pub frames: u64,
    /// The number of errors.
    pub errors: u64,
    /// The number of warnings.
    pub warnings: u64,
    /// The number of notes.
    pub notes: u64,
}

impl<'a> Summary<'a> {
    /// Returns the summary of a document.
    #[must_use]
    pub fn of(document: &'a Document) -> Self {
        let totals = &document.totals;
        Self {
            kind: document.sources.first().map_or("", |source| source.kind),
            frames: totals.frames,
            errors: totals.errors,
            warnings: totals.warnings,
            notes: totals.notes,
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
    pub fn run<R: Read>(&self, open: impl Fn(usize) -> R) -> Result<Document, String> {
        let mut options = Options::default();
        options.selection = self.rules.parse().map_err(|_| "there are no such rules")?;
        options.framing = self.framing.parse().map_err(|_| "there is no such framing")?;
        options.frames = FRAMES;
        let names: Vec<String> = self.files.iter().map(|name| printable(name.as_bytes())).collect();
        let result = match names.as_slice() {
            [name] => self.one(name, open(0), options),
            [client, server] => two([client, server], open(0), open(1), options),
            _ => return Err("choose one file, or two".to_owned()),
        };
        result.map_err(|(at, why)| {
            let name = names.get(at).map_or("", String::as_str);
            format!("{name}: {}", words::for_the_page(&why))
        })
    }

    fn one(
        &self,
        name: &str,
        mut file: impl Read,
        mut options: Options,
    ) -> Result<Document, Failure> {
        let start = read_start(&mut file).map_err(|error| (0, error.to_string()))?;
        let kind = match SourceKind::named(&self.source) {
            Some(kind) => kind,
            None => SourceKind::detect(&start).map_err(|why| (0, why))?,
        };
        kind.prepare(&mut options);
        let mut audit = Audit::new(options);
        let limit = audit.limit();
        let mut reader = BufReader::with_capacity(AT_ONCE, Cursor::new(start).chain(file));
        kind.read(&mut reader, limit, &mut |event, place| audit.event(event, place, &mut ()))
            .map_err(failure)?;
        let source = SourceRow { name: name.to_owned(), kind: kind.name() };
        audit.finish(vec![source], &mut ()).map_err(|error| (0, error.to_string()))
    }
}

/// Audits two files, one for each side.
fn two(
    names: [&String; 2],
    client: impl Read,
    server: impl Read,
    mut options: Options,
) -> Result<Document, Failure> {
    let (framing, limit) = (options.framing, options.max_frame);
    Pair::prepare(&mut options);
    let mut audit = Audit::new(options);
    let mut client = BufReader::with_capacity(AT_ONCE, client);
    let mut server = BufReader::with_capacity(AT_ONCE, server);
    let pair = Pair::new(&mut client, &mut server, framing, limit, &audit.profile());
    pair.read(&mut |event, place| audit.event(event, place, &mut ())).map_err(failure)?;
    let row = |name: &String| SourceRow { name: name.clone(), kind: framing.name() };
    audit.finish(names.map(row).to_vec(), &mut ()).map_err(|error| (0, error.to_string()))
}

fn failure(error: SourceError) -> Failure {
    let at = match &error {
        SourceError::Read { source, .. } => *source,
        _ => 0,
    };
    (at, error.to_string())
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use tautline_audit::format::Format;

    use super::{Request, Summary};
    use crate::choices::Choices;

    const WEATHER: &[u8] = include_bytes!("../../../examples/weather.recording");
    const CLIENT: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    const SERVER: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\nlog\n";

    fn request(json: &str) -> Request {
        serde_json::from_str(json).unwrap()
    }

    fn one(rules: &str, source: &str) -> Request {
        request(&format!(
            r#"{{"files":["a\u202e"],"rules":"{rules}","source":"{source}","framing":"ndjson"}}"#
        ))
    }

    #[test]
    fn a_recording_becomes_a_report() {
        let document = one("auto", "").run(|_| WEATHER).unwrap();
        assert_eq!(document.sources[0].name, "a\u{fffd}");
        let summary = Summary::of(&document);
        assert_eq!((summary.kind, summary.frames, summary.errors), ("recording", 16, 2));
        let mut html = Vec::new();
        Format::Html.write(&document, &mut html).unwrap();
        assert_eq!(document.frames.len(), 16);
    }

    #[test]
    fn two_files_become_a_report() {
        let two =
            request(r#"{"files":["c","s"],"rules":"jsonrpc","source":"","framing":"ndjson"}"#);
        let document = two.run(|file| if file == 0 { CLIENT } else { SERVER }).unwrap();
        assert_eq!(document.sources[1].name, "s");
        assert_eq!(Summary::of(&document).kind, "ndjson");
        assert!(document.findings.iter().any(|finding| finding.rule == "log-line"));
    }

    #[test]
    fn everything_that_is_offered_can_be_chosen() {
        let choices = Choices::all();
        for rules in choices.rules {
            assert_eq!(one(rules, "").run(|_| WEATHER).unwrap().rules, rules);
        }
        let page = include_str!("../site/index.html");
        for source in choices.sources {
            let is_read = one("auto", source.name).run(|_| WEATHER).is_ok();
            assert_eq!(is_read, source.name == "recording");
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
