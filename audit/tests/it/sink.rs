//! The results that a sink receives while an audit runs.

use std::io;

use tautline_audit::document::{Finding, SessionRow};
use tautline_audit::source::{Ending, Event, Place};
use tautline_audit::{Audit, Audited, Options, Sink};
use tautline_mcp::Role;

/// Keeps the results in the order of their arrival.
#[derive(Default)]
struct Log(Vec<String>);

impl Sink for Log {
    fn frame(&mut self, frame: &Audited<'_>) -> io::Result<()> {
        self.0.push(format!("frame {} at {}", frame.number, frame.report.offset));
        for finding in frame.findings {
            let (rule, column) = (finding.rule, finding.column);
            let in_stream = frame.report.offset + column - 1;
            self.0.push(format!("{rule}: {:?}, {column}, {in_stream}", finding.offset));
        }
        Ok(())
    }

    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        self.0.push(format!("{}: frame {:?}", finding.rule, finding.frame));
        Ok(())
    }

    fn session(&mut self, session: &SessionRow) -> io::Result<()> {
        self.0.push(format!("session from {}: {:?}", session.first_frame, session.end));
        Ok(())
    }
}

const PING: &str = "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\"}\n";

fn bytes(from: Role, text: &str) -> Event<'_> {
    Event::Bytes { from, bytes: text.as_bytes() }
}

fn end(how: &str) -> Event<'static> {
    Event::End { how: how.to_owned(), ending: Ending::Normal }
}

#[test]
fn each_session_comes_after_its_last_finding() {
    let mut audit = Audit::new(Options::default());
    let mut log = Log::default();
    let mut send = |event| audit.event(event, Place::default(), &mut log).unwrap();
    send(bytes(Role::Client, PING));
    send(end("first"));
    // Nothing has begun, so nothing ends.
    send(end("nothing"));
    send(bytes(Role::Server, "oh"));
    send(Event::Closed { from: Role::Server });
    let document = audit.finish(Vec::new(), &mut log).unwrap();
    assert_eq!(document.sessions.len(), 2);
    assert_eq!(
        log.0,
        [
            "frame 1 at 0",
            "unanswered-request: frame Some(1)",
            "session from 1: Some(\"first\")",
            "frame 2 at 0",
            "log-line: Some(0), 1, 0",
            "unterminated-frame: Some(2), 3, 2",
            "session from 2: None",
        ]
    );
}

#[test]
fn a_sink_receives_more_sessions_than_a_document_lists() {
    let mut audit = Audit::new(Options::default());
    let mut log = Log::default();
    for _ in 0..1003 {
        audit.event(bytes(Role::Client, PING), Place::default(), &mut log).unwrap();
        audit.event(end("over"), Place::default(), &mut log).unwrap();
    }
    let document = audit.finish(Vec::new(), &mut ()).unwrap();
    let sessions: Vec<_> = log.0.iter().filter(|row| row.starts_with("session")).collect();
    assert_eq!(sessions.len(), 1003);
    assert_eq!(sessions[1002], "session from 1003: Some(\"over\")");
    assert_eq!(document.sessions.len(), 1000);
    assert_eq!(document.sessions[999].end.as_deref(), Some("over"));
    assert!(document.truncated.iter().any(|row| row.contains("1000 of 1003 sessions")));
}

/// The offset in the stream is that of the finding if the events have no line, and can be computed if they do.
#[test]
fn offsets_are_those_of_the_stream() {
    let faulty = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":[]}\n";
    for line in [None, Some(20)] {
        let mut audit = Audit::new(Options::default());
        let mut log = Log::default();
        let place = Place { line, ..Place::default() };
        let text = format!("{PING}{faulty}");
        for from in [Role::Client, Role::Server] {
            for chunk in text.as_bytes().chunks(7) {
                let event = Event::Bytes { from, bytes: chunk };
                audit.event(event, place, &mut log).unwrap();
            }
        }
        let at = PING.len() + faulty.find('[').unwrap();
        let column = faulty.find('[').unwrap() + 1;
        let offset = line.is_none().then_some(at);
        let expected = format!("method-type: {offset:?}, {column}, {at}");
        let rows = log.0.iter().filter(|row| **row == expected).count();
        assert_eq!(rows, 2, "{expected}: {:?}", log.0);
    }
}

/// A process writes to its standard error in pieces of any size.
#[test]
fn standard_error_is_kept_in_whole_lines() {
    let mut options = Options::default();
    options.frames = 10;
    let mut audit = Audit::new(options);
    let mut write = |us: i64, event: Event<'_>| {
        let place = Place { time: Some(us), ..Place::default() };
        audit.event(event, place, &mut ()).unwrap();
    };
    let stderr = |text: &'static str| Event::Stderr { text: text.as_bytes() };
    write(1000, stderr("loa"));
    write(2000, bytes(Role::Client, PING));
    write(3000, stderr("ded\r\n\n3 tools\nlis"));
    write(4000, bytes(Role::Client, PING));
    write(5000, stderr("tening"));
    let document = audit.finish(Vec::new(), &mut ()).unwrap();
    let rows: Vec<_> = document
        .stderr
        .iter()
        .map(|row| (row.text.as_str(), row.time_ms, row.after_frame))
        .collect();
    let expected =
        [("loaded", Some(0.0), 0), ("3 tools", Some(2.0), 1), ("listening", Some(2.0), 1)];
    assert_eq!(rows, expected);
    assert_eq!(document.last_lines, ["loaded", "3 tools", "listening"]);
}
