//! `tautline audit`: judges both directions of a recorded session, and writes reports.

use std::cell::{Cell, RefCell};
use std::io::{self, BufReader, Cursor, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use tautline_audit::document::SourceRow;
use tautline_audit::source::{Event, Pair, Place, SourceError, read_start};
use tautline_audit::{Audit, Document, Options};

use crate::args::AuditArgs;
use crate::exit::{FAILED, Stopped, conclude};
use crate::input::{Input, name_of};
use crate::report::{Live, Report};
use crate::text::Flow;

pub fn run(args: &AuditArgs) -> ExitCode {
    // If the reader of the report has gone away, the rest of the input may still contain errors.
    conclude(audit(args), "what was found", FAILED)
}

fn audit(args: &AuditArgs) -> Result<u8, Stopped> {
    let inputs = [&args.recording, &args.client, &args.server];
    let inputs: Vec<&Path> = inputs.into_iter().flatten().map(AsRef::as_ref).collect();
    let (mut report, mut options) = Report::prepare(&args.report, &inputs)?;
    options.framing = args.framing.unwrap_or(options.framing);
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
    let unwritten = Cell::new(None);
    let result = match (&args.client, &args.server) {
        (Some(client), Some(server)) => {
            audit = Audit::new(options);
            let (client, server) = (open(client, live)?, open(server, live)?);
            let row = |name: &String| SourceRow { name: name.clone(), kind: framing.name() };
            sources.extend(live.names.iter().map(row));
            let live = RefCell::new(&mut *live);
            let reader = |input| Punctual { input, live: &live, unwritten: &unwritten };
            let (mut client, mut server) = (reader(client), reader(server));
            let pair = Pair::new(&mut client, &mut server, framing, limit, &audit.profile());
            pair.read(&mut |event, place| observe(&mut audit, event, place, &live))
        }
        // The command line does not allow one without the other.
        _ => {
            let path = args.recording.as_deref().unwrap_or_else(|| Path::new("-"));
            let mut input = open(path, live)?;
            let name = live.names.last().cloned().unwrap_or_default();
            let start =
                read_start(&mut input).map_err(|error| Stopped::cannot_read(&name, &error))?;
            let format = args
                .source
                .format(&start)
                .map_err(|why| Stopped::Said(format!("{name}: {why}")))?;
            format.prepare(&mut options);
            if args.framing.is_some() && !format.has_bytes() {
                let why = format!(
                    "--framing has no effect: {name} has messages and not the bytes of the wire"
                );
                return Err(Stopped::Said(why));
            }
            options.overrides_framing = args.framing.is_some();
            audit = Audit::new(options);
            sources.push(SourceRow { name, kind: format.name() });
            let live = RefCell::new(&mut *live);
            let rest = Punctual { input, live: &live, unwritten: &unwritten };
            let all = Cursor::new(start).chain(rest);
            let mut reader = BufReader::with_capacity(64 * 1024, all);
            format.read(&mut reader, limit, &mut |event, place| {
                observe(&mut audit, event, place, &live)
            })
        }
    };
    if let Some(error) = unwritten.take() {
        return Err(Stopped::Writing(error));
    }
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

fn observe(
    audit: &mut Audit,
    event: Event<'_>,
    place: Place,
    live: &RefCell<&mut Live>,
) -> io::Result<()> {
    audit.event(event, place, &mut **live.borrow_mut())
}

fn open(path: &Path, live: &mut Live) -> Result<Input, Stopped> {
    let name = name_of(path);
    let input = Input::open(path).map_err(|error| Stopped::cannot_read(&name, &error))?;
    live.text.share_terminal(input.progress());
    // One pipe is enough: its end may never come.
    if live.names.is_empty() || input.flow() == Flow::AsFound {
        live.text.begin(input.flow());
    }
    live.names.push(name);
    Ok(input)
}

/// An input that writes what was found so far before it reads on, because the next read may wait for the sender.
struct Punctual<'a, 'live> {
    input: Input,
    live: &'a RefCell<&'live mut Live>,
    /// The reason why the output could not be written. Then there is no reason to read on.
    unwritten: &'a Cell<Option<io::Error>>,
}

impl Read for Punctual<'_, '_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if let Err(error) = self.live.borrow_mut().text.out().flush() {
            self.unwritten.set(Some(error));
            return Err(io::ErrorKind::Other.into());
        }
        self.input.read(room)
    }
}
