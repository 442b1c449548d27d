//! `tautline tap --http`: a proxy for Streamable HTTP that records or shows what it passes on.
//!
//! A runtime passes on the exchanges, and logs their parts. One thread records the log, and another one shows it.

mod body;
mod client;
mod head;
mod live;
mod log;
mod proxy;
mod record;
mod serve;
mod signals;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tautline_audit::credentials::without_secrets;
use tautline_audit::redaction::Redaction;
use tautline_audit::source::Header;
use tokio::net::TcpListener;

use self::client::Sender;
pub use self::head::Upstream;
use self::live::Live;
use self::log::Log;
use self::proxy::Proxy;
use self::signals::Signals;
use super::FAILED;
use super::args::TapArgs;
use super::record::Recording;
use super::screen::Screen;
use crate::exit::CLEAN;
use crate::input::{complain, reason, shown};

/// The number of bytes of a body that are recorded.
const MAX_BODY: u64 = 64 * 1024 * 1024;

/// The time to wait for the display at the end.
const PATIENCE: Duration = Duration::from_secs(2);

/// Runs the proxy until a signal ends it.
pub fn run(args: &TapArgs, listen: SocketAddr, upstream: &Upstream) -> ExitCode {
    match try_run(args, listen, upstream) {
        Ok(true) => ExitCode::from(CLEAN),
        Ok(false) => ExitCode::from(FAILED),
        Err(why) => {
            complain(why);
            ExitCode::from(FAILED)
        }
    }
}

/// Runs the proxy, and returns whether the record is complete.
fn try_run(args: &TapArgs, listen: SocketAddr, upstream: &Upstream) -> Result<bool, String> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| format!("cannot start: {}", reason(&error)))?;
    let listener = runtime.block_on(TcpListener::bind(listen));
    let listener =
        listener.map_err(|error| format!("cannot listen on {listen}: {}", reason(&error)))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let context = runtime.enter();
    let signals = Signals::catch().map_err(|error| format!("cannot catch signals: {error}"))?;
    let sender = Sender::new().map_err(|error| format!("cannot use TLS: {error}"))?;
    drop(context);
    let recording = open(args, upstream)?;
    let screen = Screen::new();
    let (log, readers) = Log::new(usize::from(recording.is_some()) + usize::from(args.live));
    let mut readers = readers.into_iter();
    let log = Arc::new(log);
    let path = args.record.as_deref().map(shown).unwrap_or_default();
    let mut missed = None;
    let recorder = recording.zip(readers.next()).map(|(recording, reader)| {
        missed = Some(reader.missed());
        let (screen, log) = (screen.clone(), log.clone());
        let keeps_credentials = args.keep_credentials;
        thread::spawn(move || {
            record::record(&reader, recording, keeps_credentials, &log, |error| {
                let why = reason(error);
                screen.complain(&format!(
                    "the record is incomplete: cannot write {path}: {why}; the proxy continues"
                ));
            })
        })
    });
    let display = readers.next().map(|reader| {
        let mut live = Live::new(args, upstream, screen.clone());
        thread::spawn(move || live.show(&reader))
    });
    let proxy = Proxy {
        upstream: upstream.clone(),
        sender,
        log: log.clone(),
        keeps_credentials: args.keep_credentials,
        max_body: args.max_body.unwrap_or(MAX_BODY),
        is_loopback: address.ip().is_loopback(),
        count: AtomicU64::new(0),
    };
    screen.complain(&format!(
        "listening on http://{address}{}, for {}",
        upstream.path(),
        without_secrets(&upstream.url())
    ));
    runtime.block_on(serve::serve(listener, Arc::new(proxy), signals));
    log.stop();
    runtime.shutdown_timeout(Duration::from_secs(1));
    log.end();
    let is_whole = recorder.is_none_or(|recorder| matches!(recorder.join(), Ok(Ok(()))));
    let missed = missed.map_or(0, |missed| missed.load(Ordering::Relaxed));
    if missed > 0 {
        screen.complain(&format!(
            "the record is incomplete: {missed} exchanges came faster than it could be written"
        ));
    }
    if let Some(display) = display {
        // The wait is limited, because the display may be blocked, for example by a stopped terminal.
        let deadline = Instant::now() + PATIENCE;
        while !display.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(10));
        }
    }
    Ok(is_whole && missed == 0)
}

fn open(args: &TapArgs, upstream: &Upstream) -> Result<Option<Recording>, String> {
    let Some(path) = &args.record else { return Ok(None) };
    let url = upstream.url();
    let url = if args.keep_credentials { url } else { without_secrets(&url) };
    let mut header = Header::of_http(url);
    header.started = Some(jiff::Timestamp::now().to_string());
    let redaction = Redaction::parse(&args.redact).map_err(|error| error.to_string())?;
    let redaction = Some(redaction).filter(|_| !args.redact.is_empty());
    let opened = super::record::open(path, header, redaction, args.limit.bytes());
    opened.map(Some).map_err(|error| format!("cannot write {}: {}", shown(path), reason(&error)))
}
