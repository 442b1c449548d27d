//! Sources: recordings of sessions, in the formats that tools write.

mod claude_desktop;
mod detect;
mod har;
mod inspector;
mod kind;
mod lines;
mod lsp_text;
mod lsp_trace;
mod mcpjam;
mod mcpsnoop;
mod out;
mod pair;
mod place;
mod read;
mod recording;
mod stamp;
mod text;
mod time;
mod vscode;
mod whole;

pub use kind::SourceKind;
pub use pair::Pair;
pub use place::Place;
pub use read::read_start;
pub use recording::{Header, Record, RecordingWriter, Stream, read_recording};

use std::{fmt, io};

use tautline::mcp::Role;

use crate::frame::{FrameReport, Piece};
use crate::wire::Framing;

/// Something that happened in a session.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "sources outside this crate make them")]
pub enum Event<'a> {
    /// Both sides delimit their messages so, from here on.
    Framing(Framing),
    /// One side has sent these bytes, with any number of frames, whole or in part.
    Bytes {
        /// The sender.
        from: Role,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// One side has sent this frame.
    Frame {
        /// The sender.
        from: Role,
        /// The frame.
        piece: Piece<'a>,
    },
    /// One side has sent something that makes no frame.
    Broken {
        /// The sender.
        from: Role,
        /// The report on it.
        report: FrameReport<'static>,
    },
    /// One side will send no more.
    Closed {
        /// The side.
        from: Role,
    },
    /// The server has written to its standard error.
    Stderr {
        /// The text.
        text: &'a [u8],
    },
    /// The session has ended.
    End {
        /// How, in a few words.
        how: String,
        /// What that says of the server's process.
        ending: Ending,
    },
    /// The source has lost or changed something: a sentence without its full stop, for the report.
    Loss(String),
    /// The source has written messages anew: their bytes are not those of the wire.
    Rewritten,
    /// The session goes over HTTP: what the specification asks of stdio does not apply.
    Http,
    /// One side has answered a request by other means than a message, as with a status of HTTP.
    Answered {
        /// The sender.
        from: Role,
        /// The id of the request, as it was written.
        id: String,
    },
    /// The source lacks bytes of this side: the frame that has begun is dropped, and the next bytes begin another one.
    /// What only they could show is not judged, up to the end of the session.
    Gap {
        /// The sender.
        from: Role,
    },
    /// The source lacks frames of this side. What only they could show is not judged, up to the end of the session.
    Missing {
        /// The sender.
        from: Role,
        /// If it is one response: its id, as it was written. All other requests must still have their answers.
        answers: Option<String>,
    },
}

/// What the end of a session says of the server's process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "sources outside this crate make them")]
pub enum Ending {
    /// Nothing bad: it has exited with status 0, or it goes on.
    Normal,
    /// It has failed.
    Failed,
    /// A signal has ended it. That is a failure, unless the client has closed its side before.
    Signal,
}

/// A receiver of the events of a source.
pub type Receive<'a> = dyn FnMut(Event<'_>, Place) -> io::Result<()> + 'a;

/// The reason why a source was not read to its end.
#[derive(Debug)]
#[non_exhaustive]
pub enum SourceError {
    /// A file could not be read.
    Read {
        /// The index of the file.
        source: usize,
        /// The error.
        error: io::Error,
    },
    /// The receiver has stopped.
    Receive(io::Error),
    /// The file is not in this format.
    Format {
        /// The line, from 1.
        line: u64,
        /// The fault, and the format that the file resembles.
        why: String,
    },
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { error, .. } | Self::Receive(error) => error.fmt(f),
            Self::Format { line, why } => write!(f, "line {line}: {why}"),
        }
    }
}

impl std::error::Error for SourceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read { error, .. } | Self::Receive(error) => Some(error),
            Self::Format { .. } => None,
        }
    }
}
