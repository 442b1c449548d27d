//! The arguments of `tautline tap`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use tautline::frame::FramingKind;
use tautline_audit::judge::Selection;

use crate::args::{LimitArgs, framing_parser, selection_parser};

/// Run a server, pass on its traffic, and record or show it
///
/// Takes the place of the server's command in the settings of a client. Passes on all bytes in both directions,
/// untouched, and also signals, the ends of streams, and the exit code.
///
/// Exit code: the exit code of the server. If a signal ended the server, the same signal ends tap. 125: the record is
/// incomplete, and stderr gives the reason. 126: the command cannot be run. 127: it was not found.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  tautline tap --record session.jsonl -- npx -y @modelcontextprotocol/server-everything
  tautline tap --live -- python3 server.py
  tautline tap --print-config cursor --record session.jsonl -- python3 server.py
  tautline tap --record shared.jsonl --redact password --redact '*token*' -- ./server")]
pub struct TapArgs {
    /// Record the session in this file, which is overwritten
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    /// Show each message on stderr, with what is wrong with it
    #[arg(long)]
    pub live: bool,

    /// Replace the values of members in the record, so that it can be shared; may be given several times
    ///
    /// A path is the name of a member, or several names from the outside in, joined by dots: `token` is any
    /// member of that name, and `arguments.token` one directly inside `arguments`. In a name, * stands for any
    /// characters; an element of an array is named by its index. Case is ignored.
    ///
    /// Messages that are not JSON, standard error, and the arguments of the command are replaced as a whole.
    /// JSON inside a string is not searched.
    #[arg(long, value_name = "PATH", requires = "record")]
    pub redact: Vec<String>,

    /// Do not end the processes that the server has left behind, such as a browser that it has opened
    #[arg(long)]
    pub keep_orphans: bool,

    /// How both sides delimit their messages [default: ndjson]
    #[arg(long, value_name = "FRAMING", value_parser = framing_parser())]
    pub framing: Option<FramingKind>,

    /// The rules that --live applies: those of the revision that the two sides agree on, or of this protocol
    /// [default: auto]
    #[arg(long, value_name = "RULES", value_parser = selection_parser())]
    pub rules: Option<Selection>,

    #[command(flatten)]
    pub limit: LimitArgs,

    /// Print the settings with which this client starts the server through tap, and start nothing
    #[arg(long, value_enum, value_name = "CLIENT")]
    pub print_config: Option<Client>,

    /// The command that starts the server, with its arguments
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true)]
    pub command: Vec<OsString>,
}

impl TapArgs {
    /// Returns how both sides delimit their messages.
    pub fn framing(&self) -> FramingKind {
        self.framing.unwrap_or(FramingKind::Ndjson)
    }
}

/// A client whose settings tap knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Client {
    /// claude_desktop_config.json
    ClaudeDesktop,
    /// .vscode/mcp.json
    Vscode,
    /// .cursor/mcp.json
    Cursor,
}

/// Become a command that ends with this parent
#[cfg(target_os = "linux")]
#[derive(Debug, Parser)]
pub struct BoundArgs {
    /// The id of the parent
    pub parent: u32,

    /// The command, with its arguments
    #[arg(last = true, required = true)]
    pub command: Vec<OsString>,
}
