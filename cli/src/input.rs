//! Files and standard input, which may be compressed.

use std::fs::{File, Metadata};
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tautline_audit::printable;

use crate::text::Flow;
use crate::unpacked::Unpacked;

/// Shorter inputs finish before a progress bar could be read.
const LONG: u64 = 64 * 1024 * 1024;

/// The number of bytes to read at once.
pub const AT_ONCE: usize = 64 * 1024;

/// Prints a message on stderr. If that fails, there is nowhere else to report it.
pub fn complain(what: impl std::fmt::Display) {
    let _ = writeln!(io::stderr(), "tautline: {what}");
}

/// Returns the reason why a file could not be read, and what to do about it.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::IsADirectory => "it is a directory; name the files in it".to_owned(),
        io::ErrorKind::OutOfMemory => "there is not enough memory; lower --max-frame".to_owned(),
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => error.to_string(),
    }
}

/// Returns the path of a file, for people.
pub fn shown(path: &Path) -> String {
    printable(path.to_string_lossy().as_bytes())
}

/// Returns the name of an input, for people.
pub fn name_of(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".to_owned() } else { shown(path) }
}

/// Returns whether a path stands for standard input.
pub fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// An open file or standard input, whose content is read without its compression.
pub struct Input {
    content: Unpacked<Source>,
    progress: ProgressBar,
    flow: Flow,
}

/// The bytes of a file, and the bar that shows how many of them were read.
struct Source {
    reader: Box<dyn Read>,
    progress: ProgressBar,
}

impl Input {
    fn new(reader: impl Read + 'static, progress: ProgressBar, flow: Flow) -> Self {
        let source = Source { reader: Box::new(reader), progress: progress.clone() };
        Self { content: Unpacked::new(source), progress, flow }
    }

    /// Opens a file, or standard input for `-`.
    pub fn open(path: &Path) -> io::Result<Self> {
        if is_stdin(path) {
            let stdin = io::stdin();
            if stdin.is_terminal() {
                complain("reading standard input, up to Ctrl-D");
            }
            return Ok(Self::new(stdin, ProgressBar::hidden(), flow_of_stdin()));
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let progress = match metadata.len() {
            length @ LONG.. if io::stderr().is_terminal() => progress_bar(length),
            _ => ProgressBar::hidden(),
        };
        Ok(Self::new(file, progress, flow_of(&metadata)))
    }

    /// Returns how to show what is found in this input: the end of a pipe may never come.
    pub const fn flow(&self) -> Flow {
        self.flow
    }

    /// Returns the progress bar for this input, hidden or not.
    pub fn progress(&self) -> &ProgressBar {
        &self.progress
    }
}

impl Read for Input {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.content.read(room)
    }
}

impl Read for Source {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(room)?;
        if read == 0 {
            self.progress.finish_and_clear();
        }
        self.progress.inc(read as u64);
        Ok(read)
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        self.progress.finish_and_clear();
    }
}

fn flow_of(metadata: &Metadata) -> Flow {
    if metadata.is_file() { Flow::ErrorsFirst } else { Flow::AsFound }
}

#[cfg(unix)]
fn flow_of_stdin() -> Flow {
    use std::os::fd::AsFd;

    let metadata = io::stdin().as_fd().try_clone_to_owned().map(File::from);
    metadata.and_then(|file| file.metadata()).map_or(Flow::AsFound, |metadata| flow_of(&metadata))
}

#[cfg(not(unix))]
const fn flow_of_stdin() -> Flow {
    Flow::AsFound
}

/// Reads some bytes; returns 0 at the end.
pub fn read(reader: &mut impl Read, room: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(room) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

fn progress_bar(length: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bytes} of {total_bytes} {wide_bar} {eta} left");
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr_with_hz(5));
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use super::{Flow, Input};
    use crate::output::tests::Terminal;

    #[test]
    fn the_bar_is_not_drawn_for_each_read() {
        const READS: usize = 10_000;
        let terminal = Terminal::default();
        let ones = io::Cursor::new(vec![b'1'; READS]);
        let mut input = Input::new(ones, terminal.bar(), Flow::AsFound);
        let before = terminal.writes();
        for _ in 0..READS {
            assert_eq!(input.read(&mut [0]).unwrap(), 1);
        }
        let writes = terminal.writes() - before;
        assert!(writes < READS / 10, "the bar has written to the terminal {writes} times");
    }
}
