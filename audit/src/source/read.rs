//! How recordings are read: the reader of each format, and how the format is detected.

use std::io::{self, BufRead, Read};

use tautline::Profile;

use super::kind::SourceKind;
use super::out::Out;
use super::{
    Ending, Event, Receive, SourceError, claude_desktop, cursor, detect, har, inspector, log,
    lsp_trace, mcpjam, mcpsnoop, recording, vscode,
};
use crate::document::Order;
use crate::judge::Selection;
use crate::options::Options;

/// The number of bytes from which the format of a file is detected.
const START: usize = 64 * 1024;

impl SourceKind {
    /// Returns the format of a file that starts with these bytes, as [`read_start`] returns them.
    ///
    /// # Errors
    ///
    /// Returns a description of the file, if it is in none of the formats.
    pub fn detect(start: &[u8]) -> Result<Self, String> {
        detect::kind_of(start).ok_or_else(|| detect::resemblance(start))
    }

    /// Sets the options that depend on the format, unless they were chosen.
    pub fn prepare(self, options: &mut Options) {
        // Times in these formats do not show the order of messages in the same exchange or millisecond.
        if matches!(self, Self::Har | Self::Inspector) {
            options.order = Order::Causal;
        }
        if self == Self::LspTrace && matches!(options.selection, Selection::Auto) {
            options.selection = Selection::Other(Profile::LSP);
        }
    }

    /// Reads a recording to its end. The maximum length of a frame is `limit` bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the file can't be read, is not in this format or has no messages, and errors of `receive`.
    pub fn read(
        self,
        reader: &mut dyn BufRead,
        limit: u32,
        receive: &mut Receive<'_>,
    ) -> Result<(), SourceError> {
        let start = reader.fill_buf().map_err(|error| SourceError::Read { source: 0, error })?;
        let start = start.get(..START).unwrap_or(start);
        let found = Self::detect(start);
        let fail = |why| Err(SourceError::Format { line: 1, why });
        let title = self.title();
        if let Ok(other) = found
            && other != self
        {
            let (looks, name) = (other.title(), other.name());
            return fail(format!(
                "this is not {title}; it looks like {looks}: use --source {name} or none"
            ));
        }
        if let Err(why) = &found
            && detect::is_something_else(start)
        {
            return fail(format!("this is not {title}: {why}"));
        }
        if self == Self::Recording {
            let has_any = read_own(reader, limit, receive)?;
            return if has_any { Ok(()) } else { fail(self.without_messages()) };
        }
        let out = &mut Out::new(receive, limit);
        match self {
            Self::Recording => {}
            Self::Mcpsnoop => mcpsnoop::read(reader, out)?,
            Self::Har => har::read(reader, out)?,
            Self::LspTrace => lsp_trace::read(reader, out)?,
            Self::Inspector => inspector::read(reader, out)?,
            Self::Vscode => vscode::read(reader, out)?,
            Self::ClaudeDesktop => claude_desktop::read(reader, out)?,
            Self::Cursor => cursor::read(reader, out)?,
            Self::Mcpjam => mcpjam::read(reader, out)?,
            Self::Log => log::read(reader, out)?,
        }
        match found {
            _ if out.frames() > 0 => Ok(()),
            Err(why) => fail(format!("this is not {title}: {why}")),
            Ok(_) => fail(self.without_messages()),
        }
    }

    /// Describes a file in this format without messages.
    fn without_messages(self) -> String {
        match self {
            Self::Vscode => "the log has no messages: set the log level to Debug (Developer: Set Log Level), and \
                record again"
                .to_owned(),
            Self::Cursor => "the log has no messages, and quotes no line that is not JSON: Cursor logs nothing else. \
                Record with `tautline tap` or mcpsnoop instead"
                .to_owned(),
            _ => format!(
                "no message was found, so nothing was judged: the file was read as {} (--source {}), and in no other \
                 format",
                self.title(),
                self.name()
            ),
        }
    }
}

/// Reads a recording in tautline's own format, and returns whether it has anything to judge.
fn read_own(
    reader: &mut dyn BufRead,
    limit: u32,
    receive: &mut Receive<'_>,
) -> Result<bool, SourceError> {
    let mut has_any = false;
    recording::read_limited(reader, limit, &mut |event, place| {
        has_any |= match &event {
            Event::Bytes { bytes, .. } => !bytes.is_empty(),
            Event::Frame { .. } | Event::Start { .. } | Event::Broken { .. } => true,
            // So are the heads of HTTP.
            Event::Head(report) => !report.findings.is_empty(),
            // The failure of a process is judged without messages, too.
            Event::End { ending, .. } => *ending != Ending::Normal,
            _ => false,
        };
        receive(event, place)
    })?;
    Ok(has_any)
}

/// Reads the start of a file: enough to detect its format and no more, because the rest may take long to arrive.
///
/// # Errors
///
/// Returns the error of the reader.
pub fn read_start(reader: &mut dyn Read) -> io::Result<Vec<u8>> {
    /// A file that arrives in small pieces is examined up to this many times.
    const LOOKS: u32 = 64;
    let mut start = vec![0; START];
    let mut filled = 0;
    let mut looks = 0;
    while let Some(room) = start.get_mut(filled..).filter(|room| !room.is_empty()) {
        let read = match reader.read(room) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        filled += read;
        let so_far = start.get(..filled).unwrap_or_default();
        if looks < LOOKS && so_far.ends_with(b"\n") {
            looks += 1;
            if SourceKind::detect(so_far).is_ok() {
                break;
            }
        }
    }
    start.truncate(filled);
    Ok(start)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::{SourceKind, read_start};

    /// Hands out a byte at a time, and fails the test at the end, where a pipe would wait.
    struct Slow(&'static [u8]);

    impl Read for Slow {
        fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
            let (first, rest) = self.0.split_first().expect("nothing more is needed");
            self.0 = rest;
            room[0] = *first;
            Ok(1)
        }
    }

    #[test]
    fn a_live_recording_is_known_by_its_first_line() {
        let start = read_start(&mut Slow(b"{\"tautline-recording\":1}\n")).unwrap();
        assert_eq!(SourceKind::detect(&start), Ok(SourceKind::Recording));
    }
}
