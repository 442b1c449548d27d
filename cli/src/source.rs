//! The format of a recording: the one that it looks like, or the one that the command line names.

use std::io::BufRead;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use tautline::frame::FramingKind;
use tautline_audit::Options;
use tautline_audit::source::{Header, Marks, Receive, SourceError, SourceKind};

// The format of the recording. A doc comment here would replace the doc comment of the command.
#[derive(Debug, clap::Args)]
pub struct SourceArgs {
    /// The format of the recording, if it is not the one that it looks like
    #[arg(long, value_name = "FORMAT", value_parser = source_parser())]
    source: Option<SourceKind>,

    /// The text before each message of the client, in a text log with both sides
    #[arg(long, value_name = "TEXT", requires = "server_mark", conflicts_with = "source")]
    client_mark: Option<String>,

    /// The text before each message of the server, in a text log with both sides
    #[arg(long, value_name = "TEXT", requires = "client_mark", conflicts_with = "source")]
    server_mark: Option<String>,
}

/// The way in which a recording is read.
pub enum Format {
    /// By the reader of its format.
    Known(SourceKind),
    /// As a log with marks that the user chose.
    Marked(Marks),
}

impl SourceArgs {
    /// Returns the format of a recording that starts with these bytes.
    pub fn format(&self, start: &[u8]) -> Result<Format, String> {
        if let (Some(client), Some(server)) = (&self.client_mark, &self.server_mark) {
            return Ok(Format::Marked(Marks::new(client, server)?));
        }
        self.source.map_or_else(|| SourceKind::detect(start), Ok).map(Format::Known)
    }
}

impl Format {
    /// Returns the name of the format.
    pub const fn name(&self) -> &'static str {
        self.kind().name()
    }

    /// Returns how the two sides delimit their messages, as far as a recording that starts with these bytes shows.
    pub fn framing(&self, start: &[u8]) -> FramingKind {
        let line = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
        // tautline's own format specifies it in the header.
        let header = serde_json::from_slice::<Header>(line).ok();
        let header = header.filter(|_| self.kind() == SourceKind::Recording);
        header.map_or_else(|| self.kind().framing(), |header| header.framing)
    }

    const fn kind(&self) -> SourceKind {
        match self {
            Self::Known(kind) => *kind,
            Self::Marked(_) => SourceKind::Log,
        }
    }

    /// Returns whether a recording has the bytes of the wire, so that they can be read in any framing.
    pub const fn has_bytes(&self) -> bool {
        matches!(self.kind(), SourceKind::Recording)
    }

    /// Sets the options that depend on the format, unless they were chosen.
    pub fn prepare(&self, options: &mut Options) {
        self.kind().prepare(options);
    }

    /// Reads a recording to its end.
    pub fn read(
        &self,
        reader: &mut dyn BufRead,
        limit: u32,
        receive: &mut Receive<'_>,
    ) -> Result<(), SourceError> {
        match self {
            Self::Known(kind) => kind.read(reader, limit, receive),
            Self::Marked(marks) => marks.read(reader, limit, receive),
        }
    }
}

fn source_parser() -> impl TypedValueParser<Value = SourceKind> {
    PossibleValuesParser::new(SourceKind::ALL.iter().map(|kind| kind.name()))
        .try_map(|name| SourceKind::named(&name).ok_or("no such format"))
}
