//! Standard error, which is shared by the server, the display and the error messages of this program.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use crate::output::Style;

/// Standard error. Lines are not mixed: the output of this program always begins on a new line.
#[derive(Clone, Debug)]
pub struct Screen {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug)]
struct Shared {
    is_at_start: bool,
}

impl Screen {
    pub fn new() -> Self {
        Self { shared: Arc::new(Mutex::new(Shared { is_at_start: true })) }
    }

    /// Writes whole lines.
    pub fn lines(&self, lines: &str, style: Style) {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let start = if shared.is_at_start { "" } else { "\n" };
        shared.is_at_start = true;
        let text = format!("{start}{lines}");
        // If that fails, there is nowhere else to report it.
        let _ = match style {
            Style::Plain => io::stderr().write_all(text.as_bytes()),
            // On an old Windows console, anstream translates the escape codes.
            Style::Coloured => anstream::stderr().write_all(text.as_bytes()),
        };
    }

    /// Writes an error message of this program.
    pub fn complain(&self, what: &str) {
        self.lines(&format!("tautline: {what}\n"), Style::Plain);
    }
}

/// Forwards the server's standard error unchanged.
impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let written = io::stderr().write(bytes)?;
        if let Some(last) = written.checked_sub(1).and_then(|last| bytes.get(last)) {
            shared.is_at_start = *last == b'\n';
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
