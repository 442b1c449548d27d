//! The replacement of values in a stream of server-sent events.

use crate::redaction::{MARKER, Redaction};

/// A stream of events, and the event that is still open.
#[derive(Debug)]
pub(crate) struct Events {
    limit: usize,
    /// The lines of the event that have ended, and the line that has not.
    lines: Vec<Vec<u8>>,
    line: Vec<u8>,
    /// The bytes in both.
    length: usize,
    /// True after a carriage return, which a line feed may follow.
    is_after_return: bool,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Reading,
    /// The event is too long, and is replaced as a whole.
    TooLong,
    /// Bytes are missing, so the rest of the event is dropped.
    Skipping,
}

impl Events {
    pub const fn new(limit: usize) -> Self {
        Self {
            limit,
            lines: Vec::new(),
            line: Vec::new(),
            length: 0,
            is_after_return: false,
            state: State::Reading,
        }
    }

    /// Drops the event that has not ended.
    pub fn skip(&mut self) {
        self.reset(State::Skipping);
    }

    /// Returns the events that these bytes complete, without the values.
    pub fn push(&mut self, bytes: &[u8], redaction: &Redaction) -> Vec<u8> {
        let mut out = Vec::new();
        for &byte in bytes {
            let is_second = std::mem::take(&mut self.is_after_return) && byte == b'\n';
            match byte {
                _ if is_second => {}
                b'\n' | b'\r' => {
                    self.is_after_return = byte == b'\r';
                    self.end_line(redaction, &mut out);
                }
                byte => self.add(byte),
            }
        }
        out
    }

    fn add(&mut self, byte: u8) {
        self.length += 1;
        if self.state == State::Reading && self.length > self.limit {
            self.reset(State::TooLong);
        }
        // Only whether the line is empty still matters.
        if self.state == State::Reading || self.line.is_empty() {
            self.line.push(byte);
        }
    }

    fn end_line(&mut self, redaction: &Redaction, out: &mut Vec<u8>) {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            if self.state == State::Reading {
                self.lines.push(line);
            }
            return;
        }
        match self.state {
            State::Reading => self.event(redaction, out),
            State::TooLong => out.extend_from_slice(format!("data: \"{MARKER}\"\n\n").as_bytes()),
            State::Skipping => {}
        }
        self.reset(State::Reading);
    }

    /// Writes the event.
    fn event(&self, redaction: &Redaction, out: &mut Vec<u8>) {
        let mut data: Option<Vec<u8>> = None;
        for line in &self.lines {
            let (name, value) = match line.iter().position(|&byte| byte == b':') {
                Some(at) => line.split_at(at),
                None => (line.as_slice(), &b""[..]),
            };
            let value = value.strip_prefix(b":").unwrap_or(value);
            match name {
                b"data" => {
                    let value = value.strip_prefix(b" ").unwrap_or(value);
                    match &mut data {
                        Some(data) => {
                            data.push(b'\n');
                            data.extend_from_slice(value);
                        }
                        None => data = Some(value.to_vec()),
                    }
                }
                // A comment may hold anything.
                b"" => out.extend_from_slice(b":\n"),
                b"id" | b"event" | b"retry" => {
                    out.extend_from_slice(line);
                    out.push(b'\n');
                }
                // Receivers ignore other fields.
                _ => {}
            }
        }
        if let Some(data) = data {
            let data = if data.is_empty() { data } else { redaction.apply(&data).into_owned() };
            for line in data.split(|&byte| byte == b'\n') {
                out.extend_from_slice(b"data: ");
                out.extend_from_slice(line);
                out.push(b'\n');
            }
        }
        out.push(b'\n');
    }

    fn reset(&mut self, state: State) {
        self.lines.clear();
        self.line.clear();
        self.length = 0;
        self.state = state;
    }
}
