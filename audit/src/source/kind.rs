//! The formats of recordings, and their names.

use tautline::frame::FramingKind;

/// The format of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SourceKind {
    /// tautline's own.
    Recording,
    /// mcpsnoop's JSONL.
    Mcpsnoop,
    /// An HTTP Archive, as browsers and proxies write it.
    Har,
    /// A trace of LSP, written by a client such as VS Code or by a server.
    LspTrace,
    /// The protocol export of MCP Inspector.
    Inspector,
    /// The output log of an MCP server in VS Code.
    Vscode,
    /// The log of an MCP server in Claude Desktop.
    ClaudeDesktop,
    /// The stream of messages of MCPJam Inspector.
    Mcpjam,
    /// The log of the MCP servers in Cursor.
    Cursor,
    /// A log whose lines mark the direction of the messages in them.
    Log,
}

impl SourceKind {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        Self::Recording,
        Self::Mcpsnoop,
        Self::Har,
        Self::LspTrace,
        Self::Inspector,
        Self::Vscode,
        Self::ClaudeDesktop,
        Self::Mcpjam,
        Self::Cursor,
        Self::Log,
    ];

    /// Returns the name, as on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Recording => "recording",
            Self::Mcpsnoop => "mcpsnoop",
            Self::Har => "har",
            Self::LspTrace => "lsp-trace",
            Self::Inspector => "inspector",
            Self::Vscode => "vscode",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Mcpjam => "mcpjam",
            Self::Cursor => "cursor",
            Self::Log => "log",
        }
    }

    /// Returns a description of a file in this format, with its article.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Recording => "a recording of tautline",
            Self::Mcpsnoop => "a recording of mcpsnoop",
            Self::Har => "a HAR",
            Self::LspTrace => "a trace of LSP",
            Self::Inspector => "a protocol export of MCP Inspector",
            Self::Vscode => "a log of VS Code",
            Self::ClaudeDesktop => "a log of Claude Desktop",
            Self::Mcpjam => "a stream of MCPJam Inspector",
            Self::Cursor => "a log of Cursor",
            Self::Log => "a log with marked directions",
        }
    }

    /// Returns how the two sides delimit their messages, as far as the format shows.
    #[must_use]
    pub const fn framing(self) -> FramingKind {
        match self {
            Self::LspTrace => FramingKind::ContentLength,
            _ => FramingKind::Ndjson,
        }
    }

    /// Returns the format of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}
