//! Frames out of files and standard input, in memory bounded by the limit on frames.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tautline::frame::{FrameBuffer, FrameEvent, Growing};

/// Input shorter than this many bytes is done before a progress bar could be read.
const LONG: u64 = 64 * 1024 * 1024;

/// What was read of an input.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    pub bytes: u64,
    pub blank_lines: u64,
}

/// Says something on stderr; if it can't be said there, there is no other place for it.
pub fn complain(what: impl std::fmt::Display) {
    let _ = writeln!(io::stderr(), "tautline: {what}");
}

/// A file or standard input, opened.
pub struct Input {
    reader: Box<dyn Read>,
    progress: ProgressBar,
}

/// Why the events of an input came to an end too early.
pub enum Stopped {
    /// The input could not be read.
    Reading(io::Error),
    /// What was found could not be written.
    Writing(io::Error),
}

impl Input {
    /// Opens a file, or standard input for `-`.
    pub fn open(path: &Path) -> io::Result<Self> {
        if path == Path::new("-") {
            let stdin = io::stdin();
            if stdin.is_terminal() {
                complain("reading standard input, up to Ctrl-D");
            }
            return Ok(Self { reader: Box::new(stdin), progress: ProgressBar::hidden() });
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
        Ok(Self { reader: Box::new(file), progress })
    }

    /// Reads to the end, and hands over each event.
    pub fn for_each(
        mut self,
        limit: u32,
        mut handle: impl FnMut(FrameEvent<'_>) -> io::Result<()>,
    ) -> Result<Totals, Stopped> {
        let Self { reader, progress } = &mut self;
        let mut handle = |event: FrameEvent<'_>| {
            // What is printed and the bar may share a terminal.
            progress.suspend(|| handle(event)).map_err(Stopped::Writing)
        };
        let mut buffer = FrameBuffer::with_limit(Growing::new(limit), limit);
        loop {
            let room = buffer.spare();
            if room.is_empty() {
                // To read into it would look like the end of the input.
                return Err(Stopped::Reading(io::ErrorKind::OutOfMemory.into()));
            }
            let read = match reader.read(room) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Stopped::Reading(error)),
            };
            buffer.commit(read);
            progress.inc(read as u64);
            while let Some(event) = buffer.next() {
                handle(event)?;
            }
        }
        while let Some(event) = buffer.finish() {
            handle(event)?;
        }
        progress.finish_and_clear();
        let splitter = buffer.splitter();
        Ok(Totals { bytes: splitter.position(), blank_lines: splitter.blank_lines() })
    }
}

fn progress_bar(length: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bytes} of {total_bytes} {wide_bar} {eta} left");
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr_with_hz(5));
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}
