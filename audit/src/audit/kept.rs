//! The parts of a document that grow with the recording, within limits.

use std::collections::VecDeque;

use tautline::Severity;

use crate::document::{Bytes, Finding, FrameRow, StderrRow};

/// The maximum number of bytes that a document keeps of frames and of standard error.
const MOST_BYTES: usize = 64 * 1024 * 1024;
const MOST_STDERR: usize = 1024 * 1024;

/// The number of bytes kept of each line of standard error.
const LONGEST_LINE: usize = 4096;
/// The number of lines of standard error that are kept for the summary, and of bytes of each.
const LAST_LINES: usize = 20;
const LONGEST_LAST: usize = 500;

/// The number of recent findings among which an error may replace a less severe one.
const RECENT: usize = 1000;

/// The findings, the frames and the standard error, as far as they are kept.
#[derive(Debug)]
pub(super) struct Kept {
    most_findings: usize,
    most_frames: usize,
    pub findings: Vec<Finding>,
    left_out: u64,
    pub frames: Vec<FrameRow>,
    frame_bytes: usize,
    pub stderr: Vec<StderrRow>,
    stderr_bytes: usize,
    /// The last lines of standard error.
    last_lines: VecDeque<String>,
    /// The line of standard error that has not ended.
    open: Option<OpenLine>,
}

/// The beginning of a line of standard error, and where its first byte came.
#[derive(Debug)]
struct OpenLine {
    bytes: Vec<u8>,
    time_ms: Option<f64>,
    after_frame: u64,
}

impl Kept {
    pub const fn new(most_findings: usize, most_frames: usize) -> Self {
        Self {
            most_findings,
            most_frames,
            findings: Vec::new(),
            left_out: 0,
            frames: Vec::new(),
            frame_bytes: 0,
            stderr: Vec::new(),
            stderr_bytes: 0,
            last_lines: VecDeque::new(),
            open: None,
        }
    }

    /// Keeps a finding. When there is no room, an error replaces a less severe finding.
    pub fn finding(&mut self, finding: Finding) {
        if self.findings.len() < self.most_findings {
            return self.findings.push(finding);
        }
        self.left_out += 1;
        let is_other = |other: &&mut Finding| other.severity != Severity::Error;
        if finding.severity == Severity::Error
            && let Some(other) = self.findings.iter_mut().rev().take(RECENT).find(is_other)
        {
            *other = finding;
        }
    }

    /// Counts findings that were not kept.
    pub const fn leave_out(&mut self, count: u64) {
        self.left_out += count;
    }

    /// Returns whether there is room for one more frame.
    pub const fn has_room(&self) -> bool {
        self.frames.len() < self.most_frames && self.frame_bytes < MOST_BYTES
    }

    /// Keeps a frame and links it with the request that it answers. There must be room for it.
    pub fn frame(&mut self, row: FrameRow) {
        let request = row.pair.and_then(|pair| usize::try_from(pair).ok()?.checked_sub(1));
        if let Some(request) = request.and_then(|at| self.frames.get_mut(at)) {
            request.pair = Some(row.number);
        }
        self.frame_bytes += row.bytes.iter().map(Bytes::len).sum::<usize>() + 512;
        self.frames.push(row);
    }

    /// Keeps text from the server's standard error, which came after this many frames.
    pub fn stderr(&mut self, text: &[u8], time_ms: Option<f64>, after_frame: u64) {
        for piece in text.split_inclusive(|&byte| byte == b'\n') {
            let line = piece.strip_suffix(b"\n").unwrap_or(piece);
            let begin = || OpenLine { bytes: Vec::new(), time_ms, after_frame };
            let open = &mut self.open.get_or_insert_with(begin).bytes;
            let room = LONGEST_LINE.saturating_sub(open.len()).min(line.len());
            open.extend_from_slice(line.get(..room).unwrap_or_default());
            if line.len() < piece.len() {
                self.end_line();
            }
        }
    }

    fn end_line(&mut self) {
        let Some(OpenLine { bytes, time_ms, after_frame }) = self.open.take() else { return };
        let line = bytes.strip_suffix(b"\r").unwrap_or(&bytes);
        if line.trim_ascii().is_empty() {
            return;
        }
        if self.last_lines.len() >= LAST_LINES {
            self.last_lines.pop_front();
        }
        let last = line.get(..LONGEST_LAST).unwrap_or(line);
        self.last_lines.push_back(String::from_utf8_lossy(last).into_owned());
        if self.most_frames > 0 && self.stderr_bytes < MOST_STDERR {
            let text = String::from_utf8_lossy(line).into_owned();
            self.stderr_bytes += text.len() + 64;
            self.stderr.push(StderrRow { time_ms, text, after_frame });
        }
    }

    /// Returns the last line of standard error so far.
    pub fn last_line(&mut self) -> Option<&str> {
        self.end_line();
        self.last_lines.back().map(String::as_str)
    }

    /// Returns the last lines of standard error.
    pub fn take_last_lines(&mut self) -> Vec<String> {
        self.end_line();
        std::mem::take(&mut self.last_lines).into()
    }

    /// Returns sentences that describe what is missing.
    pub fn truncated(&self, frames: u64) -> Vec<String> {
        let mut truncated = Vec::new();
        if self.left_out > 0 {
            let (kept, left) = (self.findings.len(), self.left_out);
            truncated.push(format!("{left} findings were left out; {kept} are here"));
        }
        let kept = self.frames.len() as u64;
        if self.most_frames > 0 && kept < frames {
            truncated.push(format!("the first {kept} of {frames} frames are here"));
        }
        if self.stderr_bytes >= MOST_STDERR {
            truncated.push("the end of the standard error was left out".to_owned());
        }
        truncated
    }
}
