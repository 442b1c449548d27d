//! A small server for clients under test. It is correct except for the mistake of one case.

pub mod log;
pub mod surface;

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tautline_conformance::{Case, Corpus, Step};

use super::args::PlayArgs;
use crate::exit::{CLEAN, Stopped, conclude};

use log::Writer;
use surface::Surface;

/// The maximum length of a message, in bytes.
const LONGEST: u64 = 64 * 1024 * 1024;

/// Serves on standard input and output until the input ends.
pub fn run(args: &PlayArgs) -> ExitCode {
    let played = play(args).map_err(|error| match error.kind() {
        // The client has closed the pipe, or the case ends the server.
        io::ErrorKind::BrokenPipe => Stopped::Writing(error),
        _ => Stopped::said(&error),
    });
    conclude(played.map(|()| CLEAN), "the messages", CLEAN)
}

fn play(args: &PlayArgs) -> io::Result<()> {
    let corpus = Corpus::embedded();
    let case = match &args.case {
        Some(id) => match corpus.case(id) {
            Some(case) => Some(case),
            None => return Err(io::Error::other(format!("there is no case `{id}`"))),
        },
        None => None,
    };
    let log = Writer::open(&args.log)?;
    let mut player = Player { surface: Surface::new(&args.revision), case, log };
    let mut input = BufReader::new(io::stdin().lock());
    let mut line = Vec::new();
    if let Some(case) = player.case.take_if(|case| case.on.is_none()) {
        // The mistake comes before any request.
        player.log.played()?;
        steps(&case.steps, "null", "")?;
    }
    loop {
        line.clear();
        let read = input.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
        if read == 0 {
            return player.log.ended();
        }
        // Only requests need an answer.
        if let Ok(request) = serde_json::from_slice::<Request<'_>>(&line) {
            player.receive(&request)?;
        }
    }
}

/// A request or a notification.
#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(default)]
    params: Value,
}

struct Player<'a> {
    surface: Surface,
    /// The case, until its mistake is made.
    case: Option<&'a Case>,
    log: Writer,
}

impl Player<'_> {
    fn receive(&mut self, request: &Request<'_>) -> io::Result<()> {
        if let Some((name, version)) = surface::client(&request.params) {
            self.log.client(name, version)?;
        }
        let Some(id) = request.id else { return Ok(()) };
        self.log.request(&request.method)?;
        let body = self.surface.answer(&request.method, &request.params);
        let usual = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},{body}}}\n", id.get());
        let is_it = |case: &mut &Case| case.on.as_deref() == Some(&*request.method);
        match self.case.take_if(is_it) {
            Some(case) => {
                self.log.played()?;
                steps(&case.steps, id.get(), &usual)
            }
            None => write(usual.as_bytes()),
        }
    }
}

/// Sends the steps. In a text, `$ID` stands for the id of the request.
fn steps(steps: &[Step], id: &str, usual: &str) -> io::Result<()> {
    for step in steps {
        match step {
            Step::PauseMs(ms) => thread::sleep(Duration::from_millis((*ms).into())),
            Step::Answer(_) => write(usual.as_bytes())?,
            // The server ends. If it only closed its output, clients that watch the process would hang in every case.
            Step::Close(_) => return Err(io::ErrorKind::BrokenPipe.into()),
            step => {
                let Some((bytes, count)) = step.bytes() else { continue };
                let bytes = match String::from_utf8(bytes.into_owned()) {
                    Ok(text) => text.replace("$ID", id).into_bytes(),
                    Err(error) => error.into_bytes(),
                };
                repeat(&bytes, count)?;
            }
        }
    }
    Ok(())
}

fn write(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Writes bytes several times in a row, many at once.
fn repeat(bytes: &[u8], count: u32) -> io::Result<()> {
    let times = (64 * 1024 / bytes.len().max(1)).clamp(1, count.max(1) as usize);
    let several = bytes.repeat(times);
    let mut left = count as usize;
    while left > 0 {
        let now = left.min(times);
        write(&several[..now * bytes.len()])?;
        left -= now;
    }
    Ok(())
}
