//! One audit: the sources of a session are read, and the findings written as they come.

use std::cell::{Cell, RefCell};
use std::io::{self, BufReader, Cursor, Read, Write};
use std::path::Path;

use indicatif::ProgressDrawTarget;
use tautline_audit::document::SourceRow;
use tautline_audit::source::{Event, Pair, Place, SourceError, read_start};
use tautline_audit::{Audit, Document, Options};

use crate::args::AuditArgs;
use crate::exit::Stopped;
use crate::input::{Input, name_of};
use crate::report::Live;
use crate::text::Flow;

/// Audits two files, one for each direction.
pub fn pair(
    client: &Path,
    server: &Path,
    mut options: Options,
    live: &mut Live,
) -> Result<Document, Stopped> {
    Pair::prepare(&mut options);
    let (framing, limit) = (options.framing, options.max_frame);
    let mut audit = Audit::new(options);
    let (client, server) = (open(client, live)?, open(server, live)?);
    let row = |name: &String| SourceRow { name: name.clone(), kind: framing.name() };
    let sources = live.names.iter().map(row).collect();
    let unwritten = Cell::new(None);
    let shared = RefCell::new(&mut *live);
    let reader = |input| Punctual { input, live: &shared, unwritten: &unwritten };
    let (mut client, mut server) = (reader(client), reader(server));
    let pair = Pair::new(&mut client, &mut server, framing, limit, &audit.profile());
    let result = pair.read(&mut |event, place| observe(&mut audit, event, place, &shared));
    finish(audit, result, sources, live, unwritten.take())
}

/// Audits a recording of both directions.
pub fn recording(
    args: &AuditArgs,
    path: &Path,
    mut options: Options,
    live: &mut Live,
) -> Result<Document, Stopped> {
    let limit = options.max_frame;
    let mut input = open(path, live)?;
    let name = live.names.last().cloned().unwrap_or_default();
    let start = read_start(&mut input).map_err(|error| Stopped::cannot_read(&name, &error))?;
    let format =
        args.source.format(&start).map_err(|why| Stopped::Said(format!("{name}: {why}")))?;
    format.prepare(&mut options);
    if args.framing.is_some() && !format.has_bytes() {
        let why =
            format!("--framing has no effect: {name} has messages and not the bytes of the wire");
        return Err(Stopped::Said(why));
    }
    options.overrides_framing = args.framing.is_some();
    let mut audit = Audit::new(options);
    let sources = vec![SourceRow { name, kind: format.name() }];
    let unwritten = Cell::new(None);
    let shared = RefCell::new(&mut *live);
    let rest = Punctual { input, live: &shared, unwritten: &unwritten };
    let mut reader = BufReader::with_capacity(64 * 1024, Cursor::new(start).chain(rest));
    let result = format
        .read(&mut reader, limit, &mut |event, place| observe(&mut audit, event, place, &shared));
    finish(audit, result, sources, live, unwritten.take())
}

/// Ends an audit whose sources were read with this result, or whose findings could not be written.
fn finish(
    audit: Audit,
    result: Result<(), SourceError>,
    sources: Vec<SourceRow>,
    live: &mut Live,
    unwritten: Option<io::Error>,
) -> Result<Document, Stopped> {
    if let Some(error) = unwritten {
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
    if live.is_one_of_many {
        input.progress().set_draw_target(ProgressDrawTarget::hidden());
    }
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
