//! The definition of a defect: its stage, its act and its memory.

use std::collections::HashSet;

use tautline::Profile;

use crate::members::Members;

/// A defect, which acts at one stage of the server.
pub struct Defect {
    pub name: &'static str,
    pub stage: Stage,
    pub does: fn(&[u8], &mut Memory) -> Act,
}

/// A stage of the server. Each stage passes its output to the next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The bytes of one read.
    Read,
    /// The end of the input, with the bytes after the last newline.
    End,
    /// A line without its newline.
    Line,
    /// A line, or an element of a batch.
    Message,
    /// An answer, also in a batch.
    Answer,
}

/// The action of a stage.
pub enum Act {
    /// It passes these bytes on.
    Go(Vec<u8>),
    /// It loses them.
    Lose,
    /// It answers this line.
    Say(String),
    /// It serves these elements of a batch one by one. If none has an answer, it writes `if_empty`.
    Array { elements: Vec<Vec<u8>>, if_empty: Vec<u8> },
    /// It ends the process.
    Die,
    /// It crashes.
    Abort,
    /// It never returns.
    Hang,
}

/// Returns the act of a stage that passes on its input.
pub fn go(bytes: &[u8]) -> Act {
    Act::Go(bytes.to_vec())
}

impl Act {
    /// Returns this act if the condition holds. Otherwise the bytes are passed on.
    pub fn if_so(self, condition: bool, bytes: &[u8]) -> Self {
        if condition { self } else { go(bytes) }
    }
}

/// The state that defects keep.
#[derive(Default)]
pub struct Memory {
    /// The profile in force.
    pub profile: Profile,
    /// The bytes since the last newline.
    pub line: Vec<u8>,
    /// The number of open brackets, in a stage that counts them.
    pub depth: usize,
    pub in_string: bool,
    pub escaped: bool,
    /// True if the last byte of a read must be examined with the next read.
    pub held: bool,
    /// True while bytes are skipped up to the next newline.
    pub skipping: bool,
    pub length: usize,
    pub ids: HashSet<String>,
    pub last_id: Option<String>,
    pub cancelled: Vec<String>,
    /// The number of answers to the current read.
    pub answers: u32,
    pub useless: u32,
    pub opened: bool,
    pub initialized: bool,
    /// The method of the last request.
    pub method: String,
    pub has_seen_header: bool,
}

impl Memory {
    pub fn note_line(&mut self, chunk: &[u8]) {
        match chunk.iter().rposition(|&byte| byte == b'\n') {
            Some(at) => self.line = chunk[at + 1..].to_vec(),
            // The rest of a long line is not needed.
            None if self.line.len() < 1024 => self.line.extend_from_slice(chunk),
            None => {}
        }
    }

    /// Returns whether the answer has an id that was cancelled. Ids are compared as texts.
    pub fn has_cancelled(&self, answer: &[u8]) -> bool {
        let id = || Some(Members::of(answer)?.get("id")?.trim_matches('"').to_owned());
        !self.cancelled.is_empty() && id().is_some_and(|id| self.cancelled.contains(&id))
    }
}

/// Makes a table of the defects of one or more stages.
macro_rules! defects {
    ($($stage:ident { $($name:literal => $does:expr,)* })*) => {
        pub const DEFECTS: &[$crate::defect::Defect] = &[$($($crate::defect::Defect {
            name: $name,
            stage: $crate::defect::Stage::$stage,
            does: $does,
        },)*)*];
    };
}

pub(crate) use defects;
