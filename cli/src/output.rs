//! Standard output, which may share a terminal with a progress bar.

use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use console::measure_text_width;
use indicatif::ProgressBar;

/// The number of buffered bytes that makes a system call worthwhile.
const ENOUGH: usize = 16 * 1024;
/// A single report longer than this is written in pieces.
const LONG_REPORT: usize = 1024 * 1024;

/// Standard output, buffered and written in whole reports.
pub struct Output {
    buffer: Vec<u8>,
    stdout: Box<dyn Write>,
    is_terminal: bool,
    /// The progress bar on the same terminal, hidden if there is none.
    bar: ProgressBar,
}

/// The readers of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    People,
    Programs,
}

/// The style of the printed text: with or without colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Plain,
    Coloured,
}

impl Output {
    /// Opens standard output for this audience, and chooses the style.
    pub fn stdout(audience: Audience) -> (Self, Style) {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        // Colours are for terminals, unless the environment overrides that, as with `NO_COLOR`.
        let style = match (audience, AutoStream::choice(&stdout)) {
            (Audience::Programs, _) | (_, ColorChoice::Never) => Style::Plain,
            (Audience::People, _) => Style::Coloured,
        };
        let stdout: Box<dyn Write> = match style {
            Style::Plain => Box::new(stdout.lock()),
            // On an old Windows console, anstream translates the escape codes.
            Style::Coloured => Box::new(anstream::stdout().lock()),
        };
        (Self::new(stdout, is_terminal), style)
    }

    /// Creates the same for what takes the place of standard output.
    pub fn new(stdout: Box<dyn Write>, is_terminal: bool) -> Self {
        Self { buffer: Vec::new(), stdout, is_terminal, bar: ProgressBar::hidden() }
    }

    /// Sets the bar that is on stderr from now on.
    ///
    /// The bar is hidden during a write, and only if both are on a terminal.
    pub fn share_terminal(&mut self, bar: &ProgressBar) {
        if self.is_terminal {
            self.bar = bar.clone();
        }
    }

    /// Ends a report. The buffer contains only whole reports, so it may be flushed now.
    pub fn end_report(&mut self) -> io::Result<()> {
        if self.buffer.len() < ENOUGH { Ok(()) } else { self.flush() }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.len() >= LONG_REPORT {
            self.flush()?;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let Self { buffer, stdout, bar, .. } = self;
        let written = bar.suspend(|| stdout.write_all(buffer).and_then(|()| stdout.flush()));
        buffer.clear();
        written
    }
}

/// Returns the width of the terminal that standard output goes to, if it goes to one.
pub fn width() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let (_, width) = console::Term::stdout().size_checked()?;
    Some(usize::from(width).clamp(40, 140))
}

/// Breaks a text between words, into lines of at most this width. The first line has less room by `indent`.
pub fn wrap(text: &str, width: Option<usize>, indent: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let indent = if lines.is_empty() { indent } else { 0 };
        let longer = indent + measure_text_width(&line) + 1 + measure_text_width(word);
        if !line.is_empty() && width.is_some_and(|width| longer > width) {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

/// Breaks the lines of a text that are longer than this width. The rest of a line is indented by two columns more than
/// its start.
pub fn wrap_lines(text: &str, width: Option<usize>) -> String {
    const MORE: usize = 2;
    let mut wrapped = String::with_capacity(text.len());
    for line in text.lines() {
        let words = line.trim_start_matches(' ');
        let indent = line.len() - words.len();
        let room = width.filter(|&width| measure_text_width(line) > width);
        let room = room.map(|width| width.saturating_sub(indent + MORE));
        for (number, piece) in wrap(words, room, 0).iter().enumerate() {
            let indent = if number == 0 { indent } else { indent + MORE };
            wrapped.push_str(&" ".repeat(indent));
            wrapped.push_str(piece.trim_end());
            wrapped.push('\n');
        }
    }
    wrapped
}

#[cfg(test)]
pub mod tests {
    use std::io::{self, Write};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use indicatif::{ProgressBar, ProgressDrawTarget, TermLike};

    use super::{Output, wrap, wrap_lines};

    /// A terminal that counts the writes to it.
    #[derive(Clone, Debug, Default)]
    pub struct Terminal(Arc<AtomicUsize>);

    impl Terminal {
        fn count(&self) -> io::Result<()> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }

        /// Returns the number of writes.
        pub fn writes(&self) -> usize {
            self.0.load(Ordering::Relaxed)
        }

        /// Draws a bar.
        pub fn bar(&self) -> ProgressBar {
            let target = ProgressDrawTarget::term_like(Box::new(self.clone()));
            let bar = ProgressBar::with_draw_target(Some(1000), target);
            bar.tick();
            bar
        }
    }

    impl TermLike for Terminal {
        fn width(&self) -> u16 {
            80
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, _: &str) -> io::Result<()> {
            self.count()
        }
        fn write_str(&self, _: &str) -> io::Result<()> {
            self.count()
        }
        fn clear_line(&self) -> io::Result<()> {
            self.count()
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrap("ab cd  efgh", Some(5), 0), ["ab cd", "efgh"]);
        assert_eq!(wrap("ab cd", None, 9), ["ab cd"]);
        assert_eq!(wrap("abcdefgh ij", Some(5), 0), ["abcdefgh", "ij"]);
        assert_eq!(wrap("ab cd ef", Some(5), 2), ["ab", "cd ef"]);
    }

    #[test]
    fn long_lines_are_broken_and_others_stay() {
        let text = "PASS  one\n  a  b\n  one two  three four\n\n";
        assert_eq!(wrap_lines(text, None), text);
        let wrapped = "PASS  one\n  a  b\n  one two\n    three\n    four\n\n";
        assert_eq!(wrap_lines(text, Some(12)), wrapped);
    }

    /// Writes this many reports of 32 bytes beside a bar, and returns the number of writes by the bar.
    fn written_by_bar(reports: usize, is_terminal: bool, report: &[u8]) -> usize {
        let terminal = Terminal::default();
        let bar = terminal.bar();
        let mut output = Output::new(Box::new(io::sink()), is_terminal);
        output.share_terminal(&bar);
        let before = terminal.writes();
        for _ in 0..reports {
            output.write_all(report).unwrap();
            output.end_report().unwrap();
        }
        output.flush().unwrap();
        terminal.writes() - before
    }

    #[test]
    fn the_bar_gives_way_to_what_is_written_and_to_nothing_else() {
        let report = &[b'a'; 31];
        assert_eq!(written_by_bar(100_000, true, b""), 0, "no frame has a finding");
        assert_eq!(written_by_bar(100_000, false, report), 0, "stdout is a file");
        let once = written_by_bar(1, true, report);
        assert!(once > 0, "both share a terminal");
        // 3 MB in pieces of 16 KiB.
        let often = written_by_bar(100_000, true, report);
        assert!((100 * once..250 * once).contains(&often), "{often}, and {once} for one");
    }
}
