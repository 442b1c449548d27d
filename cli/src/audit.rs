//! `tautline audit`: judges both directions of a recorded session, and writes reports.

use std::io::{BufReader, Cursor, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use tautline_audit::document::SourceRow;
use tautline_audit::source::{Pair, SourceError, SourceKind, read_start};
use tautline_audit::{Audit, Document, Options};

use crate::args::AuditArgs;
use crate::exit::{FAILED, Stopped, conclude};
use crate::input::{Input, name_of};
use crate::report::{Live, Report};

pub fn run(args: &AuditArgs) -> ExitCode {
    // If the reader of the report has gone away, the rest of the input may still contain errors.
    conclude(audit(args), "what was found", FAILED)
}

fn audit(args: &AuditArgs) -> Result<u8, Stopped> {
    let inputs = [&args.recording, &args.client, &args.server];
    let inputs: Vec<&Path> = inputs.into_iter().flatten().map(AsRef::as_ref).collect();
    let (mut report, mut options) = Report::prepare(&args.report, &inputs)?;
    options.framing = args.framing;
    if args.client.is_some() {
        Pair::prepare(&mut options);
    }
    let document = read(args, options, &mut report.live)?;
    report.finish(&document)
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
            let pair = Pair::new(&mut client, &mut server, framing, limit, &audit.profile());
            pair.read(&mut |event, place| audit.event(event, place, live))
        }
        // The command line does not allow one without the other.
        _ => {
            let path = args.recording.as_deref().unwrap_or_else(|| Path::new("-"));
            let mut input = open(path, live)?;
            let name = live.names.last().cloned().unwrap_or_default();
            let start =
                read_start(&mut input).map_err(|error| Stopped::cannot_read(&name, &error))?;
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
    let input = Input::open(path).map_err(|error| Stopped::cannot_read(&name, &error))?;
    live.text.share_terminal(input.progress());
    live.names.push(name);
    Ok(input)
}
