//! `tautline audit`: judges a recorded session, both directions of it, and writes reports.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use tautline_audit::document::{Finding, SourceRow};
use tautline_audit::format::{Format, jsonl};
use tautline_audit::frame::MaxFindings;
use tautline_audit::source::{Pair, SourceError, SourceKind, read_start};
use tautline_audit::{Audit, Audited, Baseline, Document, Options, Policy, Sink};

use crate::args::{AuditArgs, AuditFormat, OutputFile};
use crate::audit_text::AuditText;
use crate::config::{Config, distinct};
use crate::exit::{CLEAN, ERRORS, FAILED};
use crate::input::{Input, complain, name_of, reason, shown};
use crate::output::{Audience, Output};

/// The number of frames that are kept for a report that shows them.
const FRAMES: usize = 10_000;

pub fn run(args: &AuditArgs) -> ExitCode {
    match audit(args) {
        Ok(code) => ExitCode::from(code),
        // The reader has seen enough: `tautline audit ... | head -1`. The rest of the input may still contain errors.
        Err(Stopped::Writing(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::from(FAILED)
        }
        Err(Stopped::Writing(error)) => {
            complain(format_args!("cannot write what was found: {error}"));
            ExitCode::from(FAILED)
        }
        Err(Stopped::Said(why)) => {
            complain(why);
            ExitCode::from(FAILED)
        }
    }
}

/// The reason why the audit ended early.
enum Stopped {
    /// In words.
    Said(String),
    /// The report could not be written.
    Writing(io::Error),
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::Writing(error)
    }
}

fn audit(args: &AuditArgs) -> Result<u8, Stopped> {
    let config = Config::read(args.config.as_deref()).map_err(|error| said(&error))?;
    let mut policy = config.rules.policy().map_err(Stopped::Said)?;
    // An option counts more than the file.
    let levels = distinct(args.levels()).map_err(Stopped::Said)?;
    levels.into_iter().for_each(|(rule, level)| policy.set(rule, level));
    let baseline_path = args.baseline.as_ref().or(config.audit.baseline.as_ref());
    let baseline = baseline_path.map(|path| read_baseline(path)).transpose()?;
    check_outputs(args, baseline_path.map(PathBuf::as_path))?;
    let start = Instant::now();
    let audience = if args.format.is_text() { Audience::People } else { Audience::Programs };
    let (out, style) = Output::stdout(audience);
    let mut live =
        Live { format: args.format, text: AuditText::new(out, style), names: Vec::new() };
    let options = options(args, policy, baseline.clone());
    let document = read(args, options, &mut live)?;
    let out = &mut live.text;
    match args.format {
        AuditFormat::Text => out.end(&document, start.elapsed())?,
        AuditFormat::Jsonl => {}
        AuditFormat::Whole(format) => format.write(&document, out.out())?,
    }
    out.out().flush()?;
    for OutputFile { format, file } in &args.output {
        write_report(*format, &document, file).map_err(|error| cannot_write(file, &error))?;
    }
    if let Some(path) = &args.write_baseline {
        let text = Baseline::of(document.findings.iter(), baseline.as_ref()).to_text();
        std::fs::write(path, text).map_err(|error| cannot_write(path, &error))?;
        return Ok(CLEAN);
    }
    Ok(if document.totals.errors > 0 || !document.stale.is_empty() { ERRORS } else { CLEAN })
}

/// Fails if a report would overwrite an input or another report, or cannot be written, before the audit, which may take
/// long.
fn check_outputs(args: &AuditArgs, baseline: Option<&Path>) -> Result<(), Stopped> {
    let inputs = [&args.recording, &args.client, &args.server, &args.config];
    let mut taken: Vec<PathBuf> =
        inputs.into_iter().flatten().filter_map(|path| path.canonicalize().ok()).collect();
    let baseline = baseline.and_then(|path| path.canonicalize().ok());
    let reports = args.output.iter().map(|output| (&output.file, baseline.as_ref()));
    // A baseline may be written anew in its own place.
    let outputs = reports.chain(args.write_baseline.iter().map(|path| (path, None)));
    for (path, baseline) in outputs {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or_else(|| Path::new(".")).canonicalize();
        let folder = folder.map_err(|error| cannot_write(path, &error))?;
        let place = folder.join(path.file_name().unwrap_or_default());
        let place = place.canonicalize().unwrap_or(place);
        if taken.contains(&place) || baseline == Some(&place) {
            let name = shown(path);
            let why = format!("{name} is an input or another report; choose another file");
            return Err(Stopped::Said(why));
        }
        taken.push(place);
    }
    Ok(())
}

fn write_report(format: Format, document: &Document, file: &Path) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(file)?);
    format.write(document, &mut file)?;
    file.flush()
}

fn cannot_write(path: &Path, error: &io::Error) -> Stopped {
    Stopped::Said(format!("cannot write {}: {}", shown(path), reason(error)))
}

fn cannot_read(name: &str, error: &io::Error) -> Stopped {
    Stopped::Said(format!("cannot read {name}: {}", reason(error)))
}

fn said(why: &impl ToString) -> Stopped {
    Stopped::Said(why.to_string())
}

fn read_baseline(path: &Path) -> Result<Baseline, Stopped> {
    let fail = |why: &dyn ToString| {
        Stopped::Said(format!("the baseline {}: {}", shown(path), why.to_string()))
    };
    let text = std::fs::read_to_string(path).map_err(|error| fail(&reason(&error)))?;
    Baseline::parse(&text).map_err(|error| fail(&error))
}

fn options(args: &AuditArgs, policy: Policy, baseline: Option<Baseline>) -> Options {
    let mut options = Options::default();
    options.selection = args.rules.selection;
    options.rules.clone_from(&args.rules.name);
    options.framing = args.framing;
    options.max_frame = args.limit.max_frame;
    options.policy = policy;
    // A baseline that is written anew accepts what the old one accepts.
    options.baseline = baseline.filter(|_| args.write_baseline.is_none());
    if args.write_baseline.is_some() || options.baseline.is_some() {
        // Each finding counts.
        options.max_findings = MaxFindings::All;
    }
    if args.write_baseline.is_some() {
        options.findings = usize::MAX;
    }
    if args.shows_frames() {
        options.frames = FRAMES;
    }
    if args.client.is_some() {
        Pair::prepare(&mut options);
    }
    options
}

/// Reads the sources to their end.
fn read(args: &AuditArgs, mut options: Options, live: &mut Live) -> Result<Document, Stopped> {
    let (framing, limit) = (options.framing, options.max_frame);
    let mut sources = Vec::new();
    let mut audit;
    let result = match (&args.client, &args.server) {
        (Some(client), Some(server)) => {
            audit = Audit::new(options);
            let (mut client, mut server) = (open(client, live)?, open(server, live)?);
            let row = |name: &String| SourceRow { name: name.clone(), kind: framing.name() };
            sources.extend(live.names.iter().map(row));
            let pair = Pair::new(&mut client, &mut server, framing, limit, &audit.rules());
            pair.read(&mut |event, place| audit.event(event, place, live))
        }
        // One without the other is an error of the command line.
        _ => {
            let path = args.recording.as_deref().unwrap_or_else(|| Path::new("-"));
            let mut input = open(path, live)?;
            let name = live.names.last().cloned().unwrap_or_default();
            let start = read_start(&mut input).map_err(|error| cannot_read(&name, &error))?;
            let kind = match args.source {
                Some(kind) => kind,
                None => SourceKind::detect(&start)
                    .map_err(|why| Stopped::Said(format!("{name}: {why}")))?,
            };
            kind.prepare(&mut options);
            audit = Audit::new(options);
            sources.push(SourceRow { name, kind: kind.name() });
            let all = Cursor::new(start).chain(input);
            let mut reader = BufReader::with_capacity(64 * 1024, all);
            kind.read(&mut reader, limit, &mut |event, place| audit.event(event, place, live))
        }
    };
    match result {
        Ok(()) => Ok(audit.finish(sources, live)?),
        Err(SourceError::Receive(error)) => Err(Stopped::Writing(error)),
        Err(error) => {
            live.text.out().flush()?;
            let at = match &error {
                SourceError::Read { source, .. } => *source,
                _ => 0,
            };
            let name = live.names.get(at).cloned().unwrap_or_default();
            Err(Stopped::Said(format!("{name}: {error}")))
        }
    }
}

fn open(path: &Path, live: &mut Live) -> Result<Input, Stopped> {
    let name = name_of(path);
    let input = Input::open(path).map_err(|error| cannot_read(&name, &error))?;
    live.text.share_terminal(input.progress());
    live.names.push(name);
    Ok(input)
}

/// The reports that are written while the audit goes on.
struct Live {
    format: AuditFormat,
    text: AuditText,
    /// The names of the files.
    names: Vec<String>,
}

impl Sink for Live {
    fn frame(&mut self, frame: &Audited<'_>) -> io::Result<()> {
        match self.format {
            AuditFormat::Text => {
                let name = self.names.get(frame.place.source).map_or("", String::as_str);
                self.text.frame(name, frame)
            }
            AuditFormat::Jsonl => {
                jsonl::write(self.text.out(), &jsonl::FrameLine::new(frame))?;
                self.text.out().end_report()
            }
            AuditFormat::Whole(_) => Ok(()),
        }
    }

    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        match self.format {
            AuditFormat::Text => {
                let name = self.names.get(finding.source).map_or("", String::as_str);
                self.text.finding(name, finding)
            }
            AuditFormat::Jsonl => jsonl::write(self.text.out(), &jsonl::FindingLine { finding }),
            AuditFormat::Whole(_) => Ok(()),
        }
    }
}
