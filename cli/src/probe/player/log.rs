//! The file in which the player logs for the probe what happens, one JSON object per line.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

/// Writes the log.
pub struct Writer {
    file: File,
    knows_client: bool,
}

impl Writer {
    /// Opens the log. It may contain lines of another server that the client has started.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        Ok(Self { file, knows_client: false })
    }

    /// Logs the name and version of the client, once.
    pub fn client(&mut self, name: &str, version: &str) -> io::Result<()> {
        if std::mem::replace(&mut self.knows_client, true) {
            return Ok(());
        }
        self.line(&json!({"client": {"name": name, "version": version}}))
    }

    /// Logs a request.
    pub fn request(&mut self, method: &str) -> io::Result<()> {
        self.line(&json!({ "request": method }))
    }

    /// Logs that the mistake of the case is about to be made.
    pub fn played(&mut self) -> io::Result<()> {
        self.line(&json!({"played": true}))
    }

    /// Logs the end of the input.
    pub fn ended(&mut self) -> io::Result<()> {
        self.line(&json!({"ended": true}))
    }

    fn line(&mut self, line: &Value) -> io::Result<()> {
        // A single write, because another server may write to the same file.
        self.file.write_all(format!("{line}\n").as_bytes())
    }
}

/// The content of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    pub name: Option<String>,
    pub version: Option<String>,
    /// The number of requests.
    pub requests: usize,
    /// True if the mistake was made.
    pub has_played: bool,
}

impl Log {
    /// Reads a log. Lines that can't be read are skipped.
    pub fn read(path: &Path) -> Self {
        let mut log = Self::default();
        let text = std::fs::read_to_string(path).unwrap_or_default();
        for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let client = |name| line.pointer(name).and_then(Value::as_str).map(str::to_owned);
            log.name = log.name.or_else(|| client("/client/name"));
            log.version = log.version.or_else(|| client("/client/version"));
            log.requests += usize::from(line.get("request").is_some());
            log.has_played |= line.get("played").is_some();
        }
        log
    }
}
