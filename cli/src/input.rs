//! Reads frames from files and standard input, in memory bounded by the limit on frames.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tautline::Rules;
use tautline::envelope::Skimmer;
use tautline::frame::{
    Assembler, Concatenated, ContentLength, EventStream, FrameBuffer, FrameEvent, HeapBuffer,
};

use crate::args::Framing;

/// Shorter inputs finish before a progress bar could be read.
const LONG: u64 = 64 * 1024 * 1024;

/// In bytes.
const AT_ONCE: usize = 64 * 1024;

/// Totals of what was read from an input.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    pub bytes: u64,
    pub blank_lines: u64,
    /// The number of events that are not meant to be messages.
    pub other_events: u64,
}

/// Prints a message on stderr. If that fails, there is nowhere else to report it.
pub fn complain(what: impl std::fmt::Display) {
    let _ = writeln!(io::stderr(), "tautline: {what}");
}

/// An open file or standard input.
pub struct Input {
    reader: Box<dyn Read>,
    progress: ProgressBar,
}

/// The reason why the events of an input ended early.
pub enum Stopped {
    /// The input could not be read.
    Reading(io::Error),
    /// The report could not be written.
    Writing(io::Error),
}

impl Input {
    fn new(reader: impl Read + 'static, progress: ProgressBar) -> Self {
        Self { reader: Box::new(reader), progress }
    }

    /// Opens a file, or standard input for `-`.
    pub fn open(path: &Path) -> io::Result<Self> {
        if path == Path::new("-") {
            let stdin = io::stdin();
            if stdin.is_terminal() {
                complain("reading standard input, up to Ctrl-D");
            }
            return Ok(Self::new(stdin, ProgressBar::hidden()));
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
        Ok(Self::new(file, progress))
    }

    /// Returns the progress bar for this input, hidden or not.
    pub fn progress(&self) -> &ProgressBar {
        &self.progress
    }

    /// Reads to the end, or until the framing loses its place, and passes on each event. An event comes with the
    /// bytes known to follow it and, if oversized, with the skimmer that has observed it.
    pub fn for_each(
        self,
        framing: Framing,
        limit: u32,
        rules: &Rules,
        mut handle: impl FnMut(FrameEvent<'_>, &mut Skimmer, &[u8]) -> io::Result<()>,
    ) -> Result<Totals, Stopped> {
        let mut skimmer = Skimmer::new(rules);
        let handle = |event: FrameEvent<'_>, skimmer: &mut Skimmer, behind: &[u8]| {
            handle(event, skimmer, behind).map_err(Stopped::Writing)
        };
        let skimmer = &mut skimmer;
        let progress = self.progress.clone();
        let totals = match framing {
            Framing::Ndjson => self.lines(limit, skimmer, handle),
            Framing::ContentLength => self.frames(ContentLength::new(limit), skimmer, handle),
            Framing::Sse => self.frames(EventStream::new(limit), skimmer, handle),
            Framing::Concatenated => self.frames(Concatenated::new(limit), skimmer, handle),
        };
        progress.finish_and_clear();
        totals
    }

    fn lines(
        mut self,
        limit: u32,
        skimmer: &mut Skimmer,
        mut handle: impl FnMut(FrameEvent<'_>, &mut Skimmer, &[u8]) -> Result<(), Stopped>,
    ) -> Result<Totals, Stopped> {
        let Self { reader, progress } = &mut self;
        let mut buffer = FrameBuffer::with_limit(HeapBuffer::new(limit), limit);
        loop {
            let room = buffer.spare();
            if room.is_empty() {
                // A read into an empty slice would look like the end of the input.
                return Err(Stopped::Reading(io::ErrorKind::OutOfMemory.into()));
            }
            let read = read(reader, room)?;
            if read == 0 {
                break;
            }
            buffer.commit(read);
            progress.inc(read as u64);
            while let Some((event, _)) = buffer.next_watched(|piece| skimmer.push(piece)) {
                handle(event, skimmer, b"")?;
            }
        }
        while let Some((event, _)) = buffer.finish_watched(|piece| skimmer.push(piece)) {
            handle(event, skimmer, b"")?;
        }
        let framing = buffer.framing();
        let (bytes, blank_lines) = (framing.position(), framing.blank_lines());
        Ok(Totals { bytes, blank_lines, other_events: 0 })
    }

    /// Reads the frames of another framing. Only a frame that spans two reads is copied.
    fn frames<F: tautline::frame::Framing>(
        mut self,
        framing: F,
        skimmer: &mut Skimmer,
        mut handle: impl FnMut(FrameEvent<'_>, &mut Skimmer, &[u8]) -> Result<(), Stopped>,
    ) -> Result<Totals, Stopped> {
        let Self { reader, progress } = &mut self;
        let storage = HeapBuffer::new(framing.limit());
        let mut assembler = Assembler::with_framing(storage, framing);
        let mut room = vec![0; AT_ONCE];
        let mut other_events = 0;
        let mut is_lost = false;
        while !is_lost {
            let read = read(reader, &mut room)?;
            if read == 0 {
                break;
            }
            progress.inc(read as u64);
            let mut rest = room.get(..read).unwrap_or_default();
            while let Some((event, framing)) =
                assembler.next_watched(&mut rest, |piece| skimmer.push(piece))
            {
                if !framing.carries_message(&event) {
                    skimmer.finish();
                    other_events += 1;
                    continue;
                }
                is_lost = matches!(event, FrameEvent::Desynchronised(_));
                handle(event, skimmer, rest)?;
            }
        }
        while let Some((event, _)) = assembler.finish_watched(|piece| skimmer.push(piece)) {
            handle(event, skimmer, b"")?;
        }
        Ok(Totals { bytes: assembler.framing().position(), blank_lines: 0, other_events })
    }
}

/// Reads some bytes; returns 0 at the end.
fn read(reader: &mut dyn Read, room: &mut [u8]) -> Result<usize, Stopped> {
    loop {
        match reader.read(room) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read.map_err(Stopped::Reading),
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
    use std::io;

    use tautline::Rules;

    use super::Input;
    use crate::args::Framing;
    use crate::output::tests::Terminal;

    #[test]
    fn the_bar_is_not_drawn_for_each_frame() {
        const FRAMES: usize = 10_000;
        let terminal = Terminal::default();
        let input = Input::new(io::Cursor::new(b"1\n".repeat(FRAMES)), terminal.bar());
        let before = terminal.writes();
        let mut frames = 0;
        let totals = input.for_each(Framing::Ndjson, 100, &Rules::JSON_RPC, |_, _, _| {
            frames += 1;
            Ok(())
        });
        assert!(totals.is_ok());
        assert_eq!(frames, FRAMES);
        let writes = terminal.writes() - before;
        assert!(writes < FRAMES / 10, "the bar has written to the terminal {writes} times");
    }
}
