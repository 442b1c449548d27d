//! Sources: recordings of sessions, in the formats that tools write.

mod breaks;
mod claude_cut;
mod claude_desktop;
mod cursor;
mod delimiter;
mod detect;
mod elements;
mod har;
pub mod http;
mod inspector;
mod json_error;
mod kind;
mod lines;
mod log;
mod lsp_text;
mod lsp_trace;
mod mcpjam;
mod mcpsnoop;
mod out;
mod pair;
mod place;
mod read;
mod recording;
mod servers;
mod sides;
mod stamp;
mod text;
mod time;
mod vscode;
mod whole;
mod windows;

use std::{fmt, io};

pub use delimiter::Delimiter;
pub use elements::Elements;
use http::HeadReport;
pub use kind::SourceKind;
pub use log::Marks;
pub use pair::Pair;
pub use place::Place;
pub use read::read_start;
pub use recording::{
    Fields, Header, Record, RecordingWriter, RequestHead, ResponseHead, Stream, read_recording,
};
use tautline::frame::FramingKind;
use tautline_mcp::Role;

use crate::frame::{FrameReport, Piece};

/// Something that happened in a session.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "sources outside this crate make them")]
pub enum Event<'a> {
    /// Both sides delimit their messages in this way from now on.
    Framing(FramingKind),
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
    /// One side has sent a frame, and the source has only its beginning, up to the first fault.
    Start {
        /// The sender.
        from: Role,
        /// The beginning of the frame.
        piece: Piece<'a>,
    },
    /// One side has sent something that does not form a frame.
    Broken {
        /// The sender.
        from: Role,
        /// The report on it.
        report: Box<FrameReport<'static>>,
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
        /// A few words on how it ended.
        how: String,
        /// The state of the server's process.
        ending: Ending,
    },
    /// The source has lost or changed something: a sentence without its full stop, for the report.
    Loss(String),
    /// The source has rewritten messages: their bytes differ from the bytes on the wire.
    Rewritten,
    /// The session uses HTTP: the requirements for stdio do not apply.
    Http,
    /// The rules of HTTP were applied to the head of a request or a response.
    Head(Box<HeadReport>),
    /// One side has answered a request by means other than a message, such as an HTTP status.
    Answered {
        /// The sender.
        from: Role,
        /// The id of the request, as it was written.
        id: String,
    },
    /// The source lacks bytes of this side: the frame that has begun is dropped, and the next bytes begin another one.
    /// Until the end of the session, nothing is judged that depends on them.
    Gap {
        /// The sender.
        from: Role,
    },
    /// The source lacks frames of this side. Until the end of the session, nothing is judged that depends on them.
    Missing {
        /// The sender.
        from: Role,
        /// The id of the response, as it was written, if only one response is missing. All other requests must still be
        /// answered.
        answers: Option<String>,
    },
}

/// The state of the server's process at the end of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "sources outside this crate make them")]
pub enum Ending {
    /// It exited with status 0, or it is still running.
    Normal,
    /// It failed.
    Failed,
    /// A signal ended it. This is a failure, unless the client had closed its side before.
    Signal,
}

/// A receiver of the events of a source.
pub type Receive<'a> = dyn FnMut(Event<'_>, Place) -> io::Result<()> + 'a;

/// The error for a source that was not read to its end.
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
    /// The receiver returned this error.
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
