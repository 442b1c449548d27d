//! `tautline tap`: runs a server, passes on its traffic, and records or shows it.
//!
//! One thread forwards each stream. The main thread waits for signals and for the ends of the streams and of the
//! process. It ends a server only after the client or the server itself has ended the session.

mod args;
mod batch;
mod forward;
#[cfg(feature = "http")]
mod http;
mod live;
mod log;
pub mod record;
mod screen;
mod settings;
mod stdio;

#[cfg(target_os = "linux")]
pub use args::BoundArgs;
pub use args::TapArgs;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tautline_audit::redaction::Redaction;
use tautline_audit::source::Stream;

use crate::exit::{CLEAN, cannot_run, conclude};
use crate::input::{complain, reason, shown};
use crate::process::signals::{self, Notice};
use crate::process::{Child, Exit, Stderr};
use live::Live;
use log::{Log, Reader};
use record::Recording;
use screen::Screen;

/// The exit code if tap itself fails.
const FAILED: u8 = 125;
/// The exit codes if the command can't be run, and if it was not found.
const NOT_RUN: u8 = 126;
const NOT_FOUND: u8 = 127;

/// The time to wait for the rest of the output after the client and the server have ended, and for processes that the
/// server has left behind to end.
const PATIENCE: Duration = Duration::from_secs(2);
/// The time to wait for the rest of standard error after everything else has ended.
const REST: Duration = Duration::from_millis(200);

/// Becomes the server of a tap, and ends with the tap.
#[cfg(target_os = "linux")]
pub fn run_bound(args: &BoundArgs) -> ExitCode {
    cannot_run_it(&args.command, &crate::process::bound::become_bound(args.parent, &args.command))
}

/// Complains that a command can't be run, and returns the code that shells use for this.
fn cannot_run_it(command: &[OsString], error: &io::Error) -> ExitCode {
    complain(cannot_run(command, error));
    let is_missing = error.kind() == io::ErrorKind::NotFound;
    ExitCode::from(if is_missing { NOT_FOUND } else { NOT_RUN })
}

pub fn run(args: &TapArgs) -> ExitCode {
    if let Some(client) = args.print_config {
        return conclude(settings::print(args, client).map(|()| CLEAN), "the settings", CLEAN);
    }
    #[cfg(feature = "http")]
    if let (Some(listen), Some(upstream)) = (args.http, &args.to) {
        return http::run(args, listen, upstream);
    }
    let recording = match open(args) {
        Ok(recording) => recording,
        Err(why) => {
            complain(why);
            return ExitCode::from(FAILED);
        }
    };
    // The server's standard error is needed only for the record and the display.
    let is_watched = recording.is_some() || args.live;
    let stderr = if is_watched { Stderr::Piped } else { Stderr::Inherited };
    let child = match Child::spawn_bound(&args.command, stderr) {
        Ok(child) => child,
        Err(error) => return cannot_run_it(&args.command, &error),
    };
    match tap(args, child, recording) {
        Ok((exit, Recorded::Wholly)) => signals::end_like(exit),
        Ok((_, Recorded::Partly)) => ExitCode::from(FAILED),
        Err(error) => {
            complain(error);
            ExitCode::from(FAILED)
        }
    }
}

/// The state of the record at the end.
enum Recorded {
    Wholly,
    Partly,
}

fn open(args: &TapArgs) -> Result<Option<Recording>, String> {
    let Some(path) = &args.record else { return Ok(None) };
    let redaction = Redaction::parse(&args.redact).map_err(|error| error.to_string())?;
    let redaction = Some(redaction).filter(|_| !args.redact.is_empty());
    let header = record::header(args.framing(), &args.command);
    record::open(path, header, redaction, args.limit.bytes())
        .map(Some)
        .map_err(|error| format!("cannot write {}: {}", shown(path), reason(&error)))
}

fn tap(
    args: &TapArgs,
    mut child: Child,
    recording: Option<Recording>,
) -> io::Result<(Exit, Recorded)> {
    let recorder = recording.is_some().then_some(Reader::Recorder);
    let display = args.live.then_some(Reader::Display);
    let readers: Vec<Reader> = recorder.into_iter().chain(display).collect();
    let log = Arc::new(Log::new(&readers));
    let screen = Screen::new();
    let (events, received) = mpsc::channel();
    let told = events.clone();
    signals::watch(move |notice| told.send(Event::Notice(notice)).is_ok())?;
    let recorder = recording.map(|recording| start_recorder(args, recording, &log, &screen));
    let recorder = recorder.transpose()?;
    let display = args.live.then(|| start_display(args, &log, &screen, &events)).transpose()?;
    start_forwarding(&mut child, &log, &screen, &events)?;
    let exit = wait(&mut child, &received)?;
    if args.keep_orphans {
        child.release()?;
    } else {
        child.end(PATIENCE)?;
    }
    log.end(exit);
    let recorded = recorder.map(|recorder| recorder.join().unwrap_or(Recorded::Partly));
    if let Some(display) = display {
        // The wait is limited, because the display may be blocked, for example by a stopped terminal.
        let deadline = Instant::now() + PATIENCE;
        while !display.is_finished() && Instant::now() < deadline {
            let _ = received.recv_timeout(Duration::from_millis(20));
        }
    }
    Ok((exit, recorded.unwrap_or(Recorded::Wholly)))
}

/// An event that the main thread waits for.
enum Event {
    Notice(Notice),
    /// A stream has ended.
    Done(Stream),
    /// The display has shown the end.
    Shown,
}

fn start_recorder(
    args: &TapArgs,
    recording: Recording,
    log: &Arc<Log>,
    screen: &Screen,
) -> io::Result<JoinHandle<Recorded>> {
    let (log, screen) = (log.clone(), screen.clone());
    let path = args.record.as_deref().map(shown).unwrap_or_default();
    thread::Builder::new().name("recorder".to_owned()).spawn(move || {
        let result = record::record(&log, recording, |error| {
            let why = reason(error);
            screen.complain(&format!(
                "the record is incomplete: cannot write {path}: {why}; the session continues"
            ));
        });
        if result.is_ok() { Recorded::Wholly } else { Recorded::Partly }
    })
}

fn start_display(
    args: &TapArgs,
    log: &Arc<Log>,
    screen: &Screen,
    events: &Sender<Event>,
) -> io::Result<JoinHandle<()>> {
    let (log, screen, events) = (log.clone(), screen.clone(), events.clone());
    let mut live = Live::new(args, screen);
    thread::Builder::new().name("display".to_owned()).spawn(move || {
        live.show(&log);
        let _ = events.send(Event::Shown);
    })
}

fn start_forwarding(
    child: &mut Child,
    log: &Arc<Log>,
    screen: &Screen,
    events: &Sender<Event>,
) -> io::Result<()> {
    let (input, output) = stdio::take()?;
    let start = |stream: Stream, job: Box<dyn FnOnce(&Log) + Send>| {
        let (log, events) = (log.clone(), events.clone());
        let thread = thread::Builder::new().name(stream.name().to_owned());
        thread.spawn(move || {
            job(&log);
            let _ = events.send(Event::Done(stream));
        })
    };
    if let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) {
        let stream = Stream::Client;
        start(stream, Box::new(move |log| forward::forward(input, stdin, stream, log)))?;
        let stream = Stream::Server;
        start(stream, Box::new(move |log| forward::forward(stdout, output, stream, log)))?;
    }
    let stream = Stream::Stderr;
    match child.stderr.take() {
        Some(stderr) => {
            let screen = screen.clone();
            start(stream, Box::new(move |log| forward::forward(stderr, screen, stream, log)))?;
        }
        None => drop(events.send(Event::Done(stream))),
    }
    Ok(())
}

/// Passes on signals until the server's process and its output have ended.
///
/// If the process has ended and another one holds its output open, the session continues, as it would without tap,
/// until the client closes its side or sends a signal.
fn wait(child: &mut Child, events: &Receiver<Event>) -> io::Result<Exit> {
    let mut exit = child.poll()?;
    let mut done = Vec::new();
    let mut deadline: Option<Instant> = None;
    loop {
        if let Some(exit) = exit {
            let is_done = |stream| done.contains(&stream);
            let rest = match (is_done(Stream::Server), is_done(Stream::Stderr)) {
                (true, true) => return Ok(exit),
                (true, false) => Some(REST),
                (false, _) => is_done(Stream::Client).then_some(PATIENCE),
            };
            if let Some(rest) = rest {
                let latest = Instant::now() + rest;
                deadline = Some(deadline.map_or(latest, |deadline| deadline.min(latest)));
            }
        }
        let event = match deadline {
            None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(deadline) => {
                events.recv_timeout(deadline.saturating_duration_since(Instant::now()))
            }
        };
        match (event, exit) {
            (Ok(Event::Notice(Notice::Child)), _) => {
                child.reap();
                if exit.is_none() {
                    exit = child.poll()?;
                }
            }
            #[cfg(unix)]
            (Ok(Event::Notice(Notice::Signal(signal))), None) => child.signal(signal),
            #[cfg(unix)]
            (Ok(Event::Notice(Notice::Signal(_))), Some(exit)) => return Ok(exit),
            (Ok(Event::Done(stream)), _) => done.push(stream),
            (Ok(Event::Shown), _) => {}
            (Err(_), Some(exit)) => return Ok(exit),
            (Err(_), None) => return Err(io::Error::other("all forwarding threads have stopped")),
        }
    }
}
