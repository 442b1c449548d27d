//! A part of a session: pieces of bytes and other events, in order.

use tautline_audit::source::Stream;
use tautline_mcp::Role;

use crate::process::Exit;

/// An event of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// This many bytes of the batch were sent.
    Bytes(Stream, usize),
    /// This many bytes were sent, and are not in the batch.
    Skipped(Stream, u64),
    /// A side will send no more.
    Closed(Role),
    /// The process of the server has ended.
    Exit(Exit),
}

/// Notes with their times, and their concatenated bytes.
#[derive(Debug, Default)]
pub struct Batch {
    bytes: Vec<u8>,
    notes: Vec<(i64, Note)>,
}

/// The memory in bytes that an empty batch keeps. More is given back.
const KEPT: usize = 1024 * 1024;

impl Batch {
    pub fn push_bytes(&mut self, us: i64, stream: Stream, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.notes.push((us, Note::Bytes(stream, bytes.len())));
    }

    pub fn push(&mut self, us: i64, note: Note) {
        self.notes.push((us, note));
    }

    pub fn is_empty(&self) -> bool {
        self.notes.is_empty()
    }

    /// Returns the memory that its contents take, in bytes.
    pub fn size(&self) -> usize {
        self.bytes.len() + self.notes.len() * size_of::<(i64, Note)>()
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.notes.clear();
        self.bytes.shrink_to(KEPT);
        self.notes.shrink_to(KEPT / size_of::<(i64, Note)>());
    }

    /// Returns the notes, each with its time in microseconds and its bytes.
    pub fn iter(&self) -> impl Iterator<Item = (i64, Note, &[u8])> {
        let mut rest = &self.bytes[..];
        self.notes.iter().map(move |&(us, note)| {
            let length = match note {
                Note::Bytes(_, length) => length,
                _ => 0,
            };
            let (bytes, after) = rest.split_at(length);
            rest = after;
            (us, note, bytes)
        })
    }
}
