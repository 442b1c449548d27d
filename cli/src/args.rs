//! The command line.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, ValueEnum};
use tautline::frame::FramingKind;
use tautline::{Profile, Rule};
use tautline_audit::format::Format;
use tautline_audit::frame::MaxFindings;
use tautline_audit::judge::Selection;
use tautline_audit::{Level, rule_named};
use tautline_mcp::{Revision, Role};

use crate::source::SourceArgs;

/// Check recorded messages, one per line or in another framing
///
/// Exit code 0: the check found no errors. 1: it found errors. 2: it could not finish, and stderr gives the
/// reason. If the reader of the output goes away, the check stops silently with 1 if it has found errors, and
/// with 2 if not.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  tautline check session.ndjson
  my-server < requests.ndjson | tautline check --rules 2025-06-18 --format jsonl")]
pub struct CheckArgs {
    /// The rules to apply: JSON-RPC 2.0, LSP, or a revision of MCP
    #[arg(long, value_name = "RULES", default_value = "2025-11-25", value_parser = rules_parser())]
    pub rules: NamedProfile,

    /// How messages are delimited: by newlines, by `Content-Length` headers as in LSP, as server-sent events,
    /// or as one JSON value after another
    #[arg(long, value_name = "FRAMING", default_value = "ndjson", value_parser = framing_parser())]
    pub framing: FramingKind,

    /// After a place where no frame can begin, continue where the next one seems to begin
    ///
    /// With --framing content-length, that is the next `Content-Length:`, and with --framing concatenated, the next
    /// line that begins with { or [. This is a guess, because these may also be the content of a message. Each such
    /// place is an error. The report counts the bytes that were skipped. Without this option, the rest of the file is
    /// not judged.
    #[arg(long)]
    pub resync: bool,

    /// The format of the report: text for people, one JSON object per frame, or one JSON document at the end
    #[arg(long, value_enum, default_value_t = CheckFormat::Text)]
    pub format: CheckFormat,

    #[command(flatten)]
    pub limit: LimitArgs,

    /// Do not check params, results and the data of errors against the schema of the revision
    #[arg(long)]
    pub no_shapes: bool,

    /// Print at most this many findings of each severity, and report how many are left out; `all` prints every one
    ///
    /// With --format text, the limit holds for the whole run, and for errors, warnings and notes one by one.
    /// Without this option, text shows errors first, the first of all findings with the same rule and the same words
    /// in each file, and 1000 of each severity in total. From a pipe, it shows the first 10 of them as they arrive.
    /// With this option, findings are always shown as they are found.
    ///
    /// With --format jsonl and json, the limit holds for each message. It is 100 without this option.
    /// Every frame has its row in jsonl, and a document has 20,000 findings at most.
    #[arg(long, value_name = "COUNT|all")]
    pub max_findings: Option<MaxFindings>,

    /// Report only the findings about this side, for the exit code as well, and count those about the other side
    ///
    /// The sender of a message is known if only one side may call its method, or if it answers such a request. All
    /// other messages, such as `ping` or a line that is no message, count for both sides.
    #[arg(long, value_name = "client|server", value_parser = side_parser())]
    pub side: Option<Role>,

    /// The files to check, which may be compressed by gzip or Zstandard; - is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub files: Vec<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct LimitArgs {
    /// The maximum length of a frame, in bytes, without its line end or header [default: 16777216]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_frame: Option<u32>,
}

impl LimitArgs {
    /// Returns the maximum length of a frame, in bytes.
    pub fn bytes(&self) -> u32 {
        self.max_frame.unwrap_or(tautline::frame::DEFAULT_LIMIT)
    }
}

// What is known to be wrong.
#[derive(Debug, clap::Args)]
pub struct BaselineArgs {
    /// Accept what this file lists: only what else is wrong is reported, and entries that no longer occur
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Accept everything that is wrong now: write it into this file, for --baseline
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
}

impl BaselineArgs {
    /// Returns the file of the new baseline, if there is to be one.
    pub fn write(&self) -> Option<&Path> {
        self.write_baseline.as_deref()
    }
}

/// Judge both directions of a recorded session, and write reports
///
/// Reads recordings of both sides, or one file for each. Takes the revision from the wire, and reports what is
/// wrong with the messages, with their order, and with the answers: the frame, the byte, the rule and the remedy.
///
/// Exit code 0: the audit found no errors. 1: it found errors, or the baseline accepts findings that no longer
/// occur. 2: it could not finish, and stderr gives the reason.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  tautline audit session.recording
  tautline audit --client sent.ndjson --server received.ndjson
  tautline audit --jobs 4 --output junit=audit.xml recordings/*.gz
  tautline audit session.recording --output html=report.html --output sarif=report.sarif
  tautline audit session.recording --baseline accepted.json --deny log-line")]
pub struct AuditArgs {
    /// The file with the messages of the client
    #[arg(long, value_name = "FILE", requires = "server", conflicts_with_all = ["recordings", "source", "client_mark"])]
    pub client: Option<PathBuf>,

    /// The file with the messages of the server
    #[arg(long, value_name = "FILE", requires = "client", conflicts_with_all = ["recordings", "source", "client_mark"])]
    pub server: Option<PathBuf>,

    #[command(flatten)]
    pub source: SourceArgs,

    /// How the messages in --client and --server are delimited, or the bytes of a recording, whatever it says itself
    /// [default: ndjson, or as recorded]
    #[arg(long, value_name = "FRAMING", value_parser = framing_parser())]
    pub framing: Option<FramingKind>,

    #[command(flatten)]
    pub report: ReportArgs,

    /// The number of recordings to audit at the same time [default: the number of processors]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZero<usize>>,

    /// The recordings of both sides; - is standard input
    ///
    /// A recording may be compressed by gzip or Zstandard. Lines and offsets in reports are those of its content.
    /// Several recordings are audited one by one, and their reports come in the same order. Baselines and HTML are for
    /// one recording.
    #[arg(value_name = "RECORDING")]
    pub recordings: Vec<PathBuf>,
}

// How a session is judged, and where the reports go. A doc comment here would replace the doc comment of the command.
#[derive(Debug, clap::Args)]
pub struct ReportArgs {
    /// The rules to apply: the negotiated revision, or this protocol
    #[arg(long, value_name = "RULES", default_value = "auto", value_parser = selection_parser())]
    pub rules: Selection,

    #[command(flatten)]
    pub limit: LimitArgs,

    /// The format of the report on standard output: text, jsonl, json, sarif, junit or html [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub format: Option<AuditFormat>,

    /// Write a report of this format into a file; may be given several times
    ///
    /// The file - is the standard output. Then the report takes the place of that of --format.
    #[arg(long, value_name = "FORMAT=FILE", value_parser = output_file)]
    pub output: Vec<OutputFile>,

    /// Report the findings of this rule as errors
    #[arg(long, value_name = "RULE", value_parser = rule)]
    pub deny: Vec<Rule>,

    /// Report the findings of this rule as warnings
    #[arg(long, value_name = "RULE", value_parser = rule)]
    pub warn: Vec<Rule>,

    /// Do not report the findings of this rule
    #[arg(long, value_name = "RULE", value_parser = rule)]
    pub allow: Vec<Rule>,

    #[command(flatten)]
    pub baseline: BaselineArgs,

    /// Report only the findings about this side, for the exit code as well, and count those about the other side
    #[arg(long, value_name = "client|server", value_parser = side_parser())]
    pub side: Option<Role>,

    /// The settings of the project [default: tautline.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

impl ReportArgs {
    /// Returns the rules whose level was set.
    pub fn levels(&self) -> impl Iterator<Item = (Rule, Level)> {
        [(&self.deny, Level::Deny), (&self.warn, Level::Warn), (&self.allow, Level::Allow)]
            .into_iter()
            .flat_map(|(rules, level)| rules.iter().map(move |&rule| (rule, level)))
    }

    /// Returns the format of the report on standard output.
    pub fn format(&self) -> AuditFormat {
        let on_stdout = self.output.iter().find(|output| is_stdout(&output.file));
        let whole = on_stdout.map(|output| AuditFormat::Whole(output.format));
        whole.or(self.format).unwrap_or(AuditFormat::Text)
    }

    /// Returns the reports that go to files.
    pub fn files(&self) -> impl Iterator<Item = &OutputFile> {
        self.output.iter().filter(|output| !is_stdout(&output.file))
    }

    /// Returns whether a report shows the frames themselves.
    pub fn shows_frames(&self) -> bool {
        let is_html = |format: Format| format == Format::Html;
        matches!(self.format(), AuditFormat::Whole(format) if is_html(format))
            || self.output.iter().any(|output| is_html(output.format))
    }
}

/// Explain a rule: its meaning, its clause, an example, and the remedy
///
/// Without a rule, lists all of them.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  tautline explain id-null
  tautline explain | grep progress")]
pub struct ExplainArgs {
    /// The name of the rule, as in a report
    #[arg(value_name = "RULE", value_parser = rule)]
    pub rule: Option<Rule>,
}

/// Print the completions for a shell
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  tautline completions bash > ~/.local/share/bash-completion/completions/tautline")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// Write the manual pages into a folder
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  tautline man ~/.local/share/man/man1")]
pub struct ManArgs {
    /// The folder, which is created if it does not exist
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
}

/// The format of the report of an audit on standard output.
#[derive(Clone, Copy, Debug)]
pub enum AuditFormat {
    /// Findings for people, printed as they are found, and a summary.
    Text,
    /// A JSON object for each frame.
    Jsonl,
    /// A report at the end.
    Whole(Format),
}

impl AuditFormat {
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Text)
    }
}

/// A report, and the file that it goes to.
#[derive(Clone, Debug)]
pub struct OutputFile {
    pub format: Format,
    pub file: PathBuf,
}

/// A profile, and the name that selected it.
#[derive(Clone, Debug)]
pub struct NamedProfile {
    pub name: String,
    pub profile: Profile,
    /// The revision of MCP, which has rules beyond those for envelopes.
    pub revision: Option<Revision>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    Text,
    Jsonl,
    Json,
}

pub fn framing_parser() -> impl TypedValueParser<Value = FramingKind> {
    PossibleValuesParser::new(FramingKind::ALL.iter().map(|kind| kind.name()))
        .try_map(|name| name.parse::<FramingKind>())
}

fn rules_parser() -> impl TypedValueParser<Value = NamedProfile> {
    let revisions = Revision::ALL.iter().map(|revision| revision.name());
    let names = ["jsonrpc", "lsp"].into_iter().chain(revisions);
    PossibleValuesParser::new(names).try_map(|name| {
        let (profile, revision) = match name.as_str() {
            "jsonrpc" => (Profile::JSON_RPC, None),
            "lsp" => (Profile::LSP, None),
            revision => {
                let revision: Revision = revision.parse()?;
                (revision.profile(), Some(revision))
            }
        };
        Ok::<_, tautline_mcp::UnknownRevision>(NamedProfile { name, profile, revision })
    })
}

pub fn selection_parser() -> impl TypedValueParser<Value = Selection> {
    PossibleValuesParser::new(Selection::names()).try_map(|name| name.parse::<Selection>())
}

fn side_parser() -> impl TypedValueParser<Value = Role> {
    let sides = [Role::Client, Role::Server];
    PossibleValuesParser::new(sides.map(Role::name)).try_map(move |name| {
        sides.into_iter().find(|side| side.name() == name).ok_or("no such side")
    })
}

fn format_parser() -> impl TypedValueParser<Value = AuditFormat> {
    let whole = Format::ALL.iter().map(|format| format.name());
    PossibleValuesParser::new(["text", "jsonl"].into_iter().chain(whole)).try_map(|name| match name
        .as_str()
    {
        "text" => Ok(AuditFormat::Text),
        "jsonl" => Ok(AuditFormat::Jsonl),
        name => Format::named(name).map(AuditFormat::Whole).ok_or("no such format"),
    })
}

fn output_file(text: &str) -> Result<OutputFile, String> {
    let names = || Format::ALL.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ");
    let (format, file) =
        text.split_once('=').ok_or("expected a format, = and a file, as in html=report.html")?;
    let format = Format::named(format)
        .ok_or_else(|| format!("there is no format `{format}`; expected one of {}", names()))?;
    if file.is_empty() {
        return Err("the name of the file is missing".to_owned());
    }
    Ok(OutputFile { format, file: PathBuf::from(file) })
}

/// Returns whether a report goes to standard output.
pub fn is_stdout(file: &Path) -> bool {
    file == Path::new("-")
}

fn rule(name: &str) -> Result<Rule, String> {
    rule_named(name).map_err(|error| format!("{error} (`tautline explain` lists all rules)"))
}
