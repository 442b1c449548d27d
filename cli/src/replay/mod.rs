//! `tautline replay`: sends the client's side of a recording to a server, and audits the answers.

mod args;
mod owed;
mod player;
mod server;

pub use args::ReplayArgs;

use std::io::{self, BufReader, Cursor, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use tautline::frame::FramingKind;
use tautline_audit::source::{SourceError, read_start};
use tautline_audit::{Audit, Document};

use crate::exit::{FAILED, Stopped, cannot_run, conclude};
use crate::input::{Input, complain, name_of, shown};
use crate::report::Report;
use crate::source::Format;
use crate::tap::record::{self, Recording};
use player::Player;
use server::Server;

pub fn run(args: &ReplayArgs) -> ExitCode {
    conclude(replay(args), "what was found", FAILED)
}

fn replay(args: &ReplayArgs) -> Result<u8, Stopped> {
    let files: Vec<&Path> = [Some(&args.recording), args.record.as_ref()]
        .into_iter()
        .flatten()
        .map(AsRef::as_ref)
        .collect();
    let (mut report, mut options) = Report::prepare(&args.report, &files)?;
    let name = name_of(&args.recording);
    let cannot_read = |error: &io::Error| Stopped::cannot_read(&name, error);
    let mut input = Input::open(&args.recording).map_err(|error| cannot_read(&error))?;
    let start = read_start(&mut input).map_err(|error| cannot_read(&error))?;
    let format =
        args.source.format(&start).map_err(|why| Stopped::Said(format!("{name}: {why}")))?;
    format.prepare(&mut options);
    let recorded = format.framing(&start);
    options.framing = args.framing.unwrap_or(recorded);
    let recording = args.record.as_deref().map(|path| open(args, path, options.framing));
    let recording = recording.transpose()?;
    let server = Server::start(&args.command)
        .map_err(|error| Stopped::Said(cannot_run(&args.command, &error)))?;
    let program = args.command.first().map(|program| shown(program.as_ref()));
    report.live.names.extend(program);
    let audit = Audit::new(options);
    let mut player = Player::new(args, recorded, server, audit, &mut report.live, recording);
    let all = Cursor::new(start).chain(input);
    let mut reader = BufReader::with_capacity(64 * 1024, all);
    let why = match play(&mut player, &format, &mut reader, args.report.limit.bytes(), &name) {
        Ok(()) => None,
        Err(Stopped::Said(why)) => Some(why),
        Err(stopped) => return Err(stopped),
    };
    let document: Document = player.finish(why.is_none())?;
    let code = report.finish(&document)?;
    match why {
        None => Ok(code),
        Some(why) => {
            complain(format_args!("the recording was not sent to its end: {why}"));
            Ok(FAILED)
        }
    }
}

/// Plays a recording to its end, or to the end of its first session.
fn play(
    player: &mut Player<'_>,
    format: &Format,
    reader: &mut dyn io::BufRead,
    limit: u32,
    name: &str,
) -> Result<(), Stopped> {
    let mut end = Ok(());
    let read = format.read(reader, limit, &mut |event, place| {
        match player.event(event, place) {
            Ok(ControlFlow::Continue(())) => return Ok(()),
            Ok(ControlFlow::Break(())) => {}
            Err(stopped) => end = Err(stopped),
        }
        Err(io::ErrorKind::Other.into())
    });
    match read {
        Ok(()) | Err(SourceError::Receive(_)) => end,
        Err(error) => Err(Stopped::Said(format!("{name}: {error}"))),
    }
}

/// Opens the recording of the new session.
fn open(args: &ReplayArgs, path: &Path, framing: FramingKind) -> Result<Recording, Stopped> {
    let same = |path: &Path| path.canonicalize().ok();
    if same(path).is_some_and(|place| Some(place) == same(&args.recording)) {
        let name = shown(path);
        return Err(Stopped::Said(format!(
            "{name} is the input; choose another file for --record"
        )));
    }
    let header = record::header(framing, &args.command);
    record::open(path, header, None, args.report.limit.bytes())
        .map_err(|error| Stopped::cannot_write(path, &error))
}
