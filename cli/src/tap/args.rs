//! The arguments of `tautline tap`.

#[cfg(feature = "http")]
macro_rules! http_example {
    () => {
        "
  tautline tap --http 127.0.0.1:8080 --to http://127.0.0.1:3000/mcp --record session.jsonl"
    };
}
#[cfg(not(feature = "http"))]
macro_rules! http_example {
    () => {
        ""
    };
}

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use tautline::frame::FramingKind;
use tautline_audit::judge::Selection;

#[cfg(feature = "http")]
use super::http::Upstream;
use crate::args::{LimitArgs, framing_parser, selection_parser};

const EXAMPLES: &str = concat!(
    "\
Examples:
  tautline tap --record session.jsonl -- npx -y @modelcontextprotocol/server-everything
  tautline tap --live -- python3 server.py
  tautline tap --print-config cursor --record session.jsonl -- python3 server.py
  tautline tap --record shared.jsonl --redact password --redact '*token*' -- ./server",
    http_example!(),
);

#[cfg(feature = "http")]
const HTTP: &str = "Streamable HTTP";

/// Run a server, pass on its traffic, and record or show it
///
/// Takes the place of the server's command in the settings of a client. Passes on all bytes in both directions,
/// untouched, and also signals, the ends of streams, and the exit code.
///
/// Exit code: the exit code of the server. If a signal ended the server, the same signal ends tap. 125: the record is
/// incomplete, and stderr gives the reason. 126: the command cannot be run. 127: it was not found.
#[derive(Debug, Parser)]
#[command(after_help = EXAMPLES)]
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

    /// Start no server: listen on this address, such as 127.0.0.1:8080, and pass on HTTP requests to the server at --to.
    /// With port 0, the system chooses a port; stderr shows it
    ///
    /// Passes on each byte of a body and each event as soon as it comes, in both directions. Requests to / and to the
    /// path of the URL go to the URL, and others to the same path of the server. The header Host becomes that of the
    /// server, and headers about one connection are removed. An address of the loopback accepts only its names as Host.
    /// A client that leaves cancels its request. A server that can't be reached is a response with the status 502.
    ///
    /// Ctrl-C ends it and finishes the record, with exit code 0.
    #[cfg(feature = "http")]
    #[arg(long, value_name = "ADDRESS", requires = "to", help_heading = HTTP,
        conflicts_with_all = ["command", "framing", "print_config", "keep_orphans"])]
    pub http: Option<std::net::SocketAddr>,

    /// The URL of the server's endpoint, such as http://127.0.0.1:3000/mcp
    #[cfg(feature = "http")]
    #[arg(long, value_name = "URL", requires = "http", help_heading = HTTP, value_parser = Upstream::parse)]
    pub to: Option<Upstream>,

    /// The maximum number of bytes of a body that are recorded; the rest passes, and is noted
    /// [default: 67108864]
    #[cfg(feature = "http")]
    #[arg(long, value_name = "BYTES", requires = "http", help_heading = HTTP)]
    pub max_body: Option<u64>,

    /// Record credentials as they are
    ///
    /// Without this option, the values of Authorization, Proxy-Authorization, Cookie, Set-Cookie and headers with similar
    /// names are replaced, and so are the values of parameters in URLs whose names suggest a secret. Mcp-Session-Id is
    /// replaced by a hash, so that sessions can be told apart.
    #[cfg(feature = "http")]
    #[arg(long, requires = "http", requires = "record", help_heading = HTTP)]
    pub keep_credentials: bool,

    /// The command that starts the server, with its arguments
    #[cfg_attr(feature = "http", arg(required_unless_present = "http"))]
    #[cfg_attr(not(feature = "http"), arg(required = true))]
    #[arg(value_name = "COMMAND", trailing_var_arg = true)]
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
