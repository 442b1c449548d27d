//! `tautline replay`: sends the client's side of a recording to a server, and audits the answers.

mod args;
mod owed;
mod player;
mod server;

pub use args::ReplayArgs;

use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;
use std::process::ExitCode;

use tautline::frame::FramingKind;
use tautline_audit::source::{SourceError, read_start};
use tautline_audit::{Audit, Document};

use crate::exit::FAILED;
use crate::input::{Input, complain, name_of, reason, shown};
use crate::report::{Report, Stopped, conclude};
use crate::source::Format;
use crate::tap::record::{self, Recording};
use player::{Halt, Player};
use server::Server;

pub fn run(args: &ReplayArgs) -> ExitCode {
    match replay(args) {
        Ok(code) => conclude(Ok(code)),
        #[cfg(unix)]
        Err(Halt::Signal(number)) => {
            crate::process::signals::end_like(crate::process::Exit::Signal(number))
        }
        Err(Halt::Report(error)) => conclude(Err(Stopped::Writing(error))),
        Err(Halt::Said(why)) => conclude(Err(Stopped::Said(why))),
        Err(Halt::Over) => ExitCode::from(FAILED),
    }
}

fn replay(args: &ReplayArgs) -> Result<u8, Halt> {
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
    let format = args.source.format(&start).map_err(|why| Halt::Said(format!("{name}: {why}")))?;
    format.prepare(&mut options);
    let framing = args.framing.unwrap_or_else(|| format.framing(&start));
    options.framing = framing;
    let recording = args.record.as_deref().map(|path| open(args, path, framing));
    let recording = recording.transpose()?;
    let server = Server::start(&args.command).map_err(|error| {
        let program = args.command.first().map(|program| shown(program.as_ref()));
        let why = crate::tap::why_not(&error);
        Halt::Said(format!("cannot run {}: {why}", program.unwrap_or_default()))
    })?;
    let program = args.command.first().map(|program| shown(program.as_ref()));
    report.live.names.extend(program);
    let audit = Audit::new(options);
    let mut player = Player::new(args, server, audit, &mut report.live, recording);
    let all = Cursor::new(start).chain(input);
    let mut reader = BufReader::with_capacity(64 * 1024, all);
    let halt = play(&mut player, &format, &mut reader, args.report.limit.max_frame, &name);
    let why = match halt {
        None | Some(Halt::Over) => None,
        Some(Halt::Said(why)) => Some(why),
        Some(halt) => return Err(halt),
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

/// Plays a recording. If it was not read to its end, returns the reason.
fn play(
    player: &mut Player<'_>,
    format: &Format,
    reader: &mut dyn io::BufRead,
    limit: u32,
    name: &str,
) -> Option<Halt> {
    let mut halt = None;
    let read = format.read(reader, limit, &mut |event, place| {
        player.event(event, place).map_err(|why| {
            halt = Some(why);
            io::ErrorKind::Other.into()
        })
    });
    match (halt, read) {
        (Some(halt), _) => Some(halt),
        (None, Ok(())) => None,
        (None, Err(SourceError::Receive(error))) => Some(Halt::Report(error)),
        (None, Err(error)) => Some(Halt::Said(format!("{name}: {error}"))),
    }
}

/// Opens the recording of the new session.
fn open(args: &ReplayArgs, path: &Path, framing: FramingKind) -> Result<Recording, Halt> {
    let same = |path: &Path| path.canonicalize().ok();
    if same(path).is_some_and(|place| Some(place) == same(&args.recording)) {
        let name = shown(path);
        return Err(Halt::Said(format!("{name} is the input; choose another file for --record")));
    }
    let header = record::header(framing, &args.command);
    record::open(path, header, None, args.report.limit.max_frame)
        .map_err(|error| Halt::Said(format!("cannot write {}: {}", shown(path), reason(&error))))
}
