//! A live judge: both sides of a session, frame by frame, and what is found in each as text.

use alloc::string::String;
use core::fmt::Write as _;

use tautline::frame::Frame;
use tautline::{Envelope, Severity};
use tautline_mcp::judge::Judge;
use tautline_mcp::{Finding, Role};

/// A judge, and what it found in the last frame.
#[derive(Debug, Default)]
pub struct Live {
    judge: Judge,
    found: String,
}

impl Live {
    /// Observes a frame of one side, which is a line. Returns a line for each finding, in which tabs separate the number
    /// of the rule, the severity (0 for an error, 1 for a warning, 2 for a note), the offset in the frame in bytes, the
    /// path of the place, and the reason. The offset is empty if the finding has no place.
    pub fn observe(&mut self, from: Role, frame: &[u8]) -> &str {
        let Self { judge, found } = self;
        found.clear();
        let profile = judge.likely_revision().profile();
        let envelope = Envelope::read(Frame::from_line(frame), &profile);
        envelope.findings(|finding| write(found, &finding.into(), frame));
        match envelope.message() {
            Ok(message) => {
                judge.observe(from, &message, |finding| write(found, &finding, frame));
            }
            Err(fault) => judge.observe_fault(from, &fault),
        }
        found
    }

    /// Ends the session. Returns the messages that were due, in the same form.
    pub fn finish(&mut self) -> &str {
        let Self { judge, found } = self;
        found.clear();
        judge.finish(|finding| write(found, &finding, b""));
        found
    }
}

fn write(found: &mut String, finding: &Finding, frame: &[u8]) {
    let severity = match finding.severity() {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Note => 2,
    };
    let _ = write!(found, "{}\t{severity}\t", finding.rule().number());
    if let Some(offset) = finding.offset() {
        let _ = write!(found, "{offset}");
    }
    found.push('\t');
    if finding.has_path() {
        let _ = write!(OneLine(found), "{}", finding.path(frame));
    }
    found.push('\t');
    let _ = write!(OneLine(found), "{}", finding.reason());
    found.push('\n');
}

/// Writes control characters as spaces, so that a text stays in its column.
struct OneLine<'a>(&'a mut String);

impl core::fmt::Write for OneLine<'_> {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.0.extend(text.chars().map(|char| if char.is_control() { ' ' } else { char }));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tautline_mcp::Role;

    use super::Live;

    #[test]
    fn findings_are_lines_with_five_columns() {
        let mut live = Live::default();
        let frames = [
            (
                Role::Client,
                r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"protocolVersion":"2025-11-25","clientInfo":{"name":"c","version":"1"}}}"#,
            ),
            (
                Role::Server,
                r#"{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{}},"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"}}}"#,
            ),
            (Role::Client, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
            (Role::Client, r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#),
        ];
        for (from, frame) in frames {
            assert_eq!(live.observe(from, frame.as_bytes()), "", "{frame}");
        }
        let answer = br#"{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"copy"}]}}"#;
        let found = live.observe(Role::Server, answer);
        let columns: Vec<_> = found.trim_end().split('\t').collect();
        assert_eq!(
            columns[1..],
            ["0", "43", "result.tools[0]", "the required member \"inputSchema\" is missing"]
        );
        let found = live.observe(Role::Server, b"{\"jsonrpc\":\"2.0\",\"id\":2,");
        assert_eq!(found.split('\t').take(3).collect::<Vec<_>>(), ["1", "0", "24"]);
    }
}
