//! Runs the cases for clients: one process for each, which starts the player as its server, or connects to it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use tautline_conformance::Case;

use crate::process::Exit;

use super::era::About;
#[cfg(feature = "http")]
use super::http::player::Player;
use super::interrupt::{self, Cut};
use super::judge::judge_client;
use super::kept::Head;
use super::link::{Event, Link};
use super::plan::Plan;
use super::player::log::Log;
use super::row::{Result as RowResult, Row, Rows, Strict};
use super::servers::{runs_later, skipped};
use super::session::Evidence;

pub struct Clients<'a> {
    pub command: &'a [OsString],
    pub timeout: Duration,
    pub strict: Strict,
    pub transport: Transport,
    /// The time after which the remaining cases are skipped.
    pub until: Instant,
    pub bar: ProgressBar,
}

/// How clients reach their server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// They start it: its command is in their last arguments.
    Stdio,
    /// Its address is their last argument.
    #[cfg(feature = "http")]
    Http,
}

/// The reason why clients can't be tested.
pub enum Failed {
    NotStarted(io::Error),
    Cut(Cut),
}

impl From<Cut> for Failed {
    fn from(cut: Cut) -> Self {
        Self::Cut(cut)
    }
}

/// A client that has run.
struct Run {
    /// How it ended, or `None` if it had to be stopped.
    exit: Option<Exit>,
    log: Log,
    evidence: Evidence,
}

impl<'a> Clients<'a> {
    /// Runs the cases of a plan for the revisions that the client speaks. The client speaks a revision if it succeeds
    /// with a server that makes no mistake.
    pub fn run(&self, plan: &Plan<'a>) -> Result<(About, Rows<'a>), Failed> {
        let (mut about, mut all) = (About::default(), Rows::default());
        let mut timeouts = BTreeMap::new();
        for &revision in &plan.revisions {
            if plan.of(revision).next().is_none() {
                continue;
            }
            let control = self.once(revision, None, self.timeout * 4)?;
            if let Some(why) = fault(&control, self.transport) {
                about.unclaimed.push((revision.to_owned(), why));
                continue;
            }
            about.claimed.push(revision.to_owned());
            if about.name.is_none() {
                (about.name, about.version) =
                    (control.log.name.clone(), control.log.version.clone());
            }
            // The time that the client needs without any mistake does not count against it.
            timeouts.insert(revision, self.timeout + 2 * control.evidence.took);
        }
        for (revision, case) in plan.pairs() {
            let row = match (timeouts.get(revision), plan.later(case, revision, &about.claimed)) {
                (None, _) => {
                    skipped(case, revision, &format!("the client does not speak {revision}"))
                }
                (_, Some(later)) => runs_later(case, revision, later),
                (Some(&timeout), None) => self.unless_cut(revision, case, timeout, &mut all.cut)?,
            };
            all.rows.push(row);
            self.bar.inc(1);
        }
        Ok((about, all))
    }

    /// Runs a case, or skips it if the probe was cut short.
    fn unless_cut(
        &self,
        revision: &'a str,
        case: &'a Case,
        timeout: Duration,
        cut: &mut Option<Cut>,
    ) -> Result<Row<'a>, Failed> {
        self.bar.set_message(format!("{revision}, {}", case.id));
        if let (None, Err(end)) = (*cut, interrupt::check(Some(self.until))) {
            *cut = Some(end);
        }
        if let Some(cut) = *cut {
            return Ok(skipped(case, revision, cut.words()));
        }
        match self.case(revision, case, timeout) {
            Err(Failed::Cut(end)) => Ok(skipped(case, revision, cut.insert(end).words())),
            other => other,
        }
    }

    fn case(
        &self,
        revision: &'a str,
        case: &'a Case,
        timeout: Duration,
    ) -> Result<Row<'a>, Failed> {
        let run = self.once(revision, Some(case), timeout)?;
        let result = match (run.log.has_played, &case.on) {
            (false, Some(method)) => {
                RowResult::Skipped(format!("the client does not send {method}"))
            }
            (false, None) => RowResult::Skipped("the client does not start the server".to_owned()),
            (true, _) => RowResult::of(judge_client(case, run.exit), self.strict),
        };
        Ok(Row { case, revision, result, evidence: run.evidence, note: None })
    }

    /// Runs the client once.
    fn once(&self, revision: &str, case: Option<&Case>, timeout: Duration) -> Result<Run, Failed> {
        let server = Server::new(self.transport, revision, case).map_err(Failed::NotStarted)?;
        let mut command = self.command.to_vec();
        command.extend(server.arguments.iter().cloned());

        // Without a case, the run shows whether the client can be tested at all.
        let deadline = case.map(|_| self.until);
        let start = Instant::now();
        let mut link = Link::start(&command, deadline).map_err(Failed::NotStarted)?;
        // The client gets no input.
        link.close();
        let mut received = Head::default();
        let until = start + timeout;
        while link.exit().is_none() && Instant::now() < until {
            if let Some(Event::Output(bytes)) = link.next(until)? {
                received.push(&bytes);
            }
        }
        let (exit, took) = (link.exit(), start.elapsed());
        let stderr = link.stderr();
        match exit {
            // Stops a server that the client has left running.
            Some(_) => link.end(Duration::from_millis(500)),
            None => drop(link),
        }
        let evidence = Evidence { received, stderr, took, ..Evidence::default() };
        Ok(Run { exit, log: server.log(), evidence })
    }
}

/// The server of a client.
struct Server {
    kind: Kind,
    /// The last arguments of the client, which lead to the server.
    arguments: Vec<OsString>,
}

enum Kind {
    /// The client starts it. It writes this log.
    Process(LogFile),
    #[cfg(feature = "http")]
    Http(Player),
}

impl Server {
    fn new(transport: Transport, revision: &str, case: Option<&Case>) -> io::Result<Self> {
        match transport {
            Transport::Stdio => Self::process(revision, case),
            #[cfg(feature = "http")]
            Transport::Http => {
                let player = Player::start(revision, case)?;
                let arguments = vec![player.url().into()];
                Ok(Self { kind: Kind::Http(player), arguments })
            }
        }
    }

    fn process(revision: &str, case: Option<&Case>) -> io::Result<Self> {
        let log = LogFile::new()?;
        let mut arguments = vec![std::env::current_exe()?.into()];
        arguments.extend(["probe-player", "--revision", revision].map(OsString::from));
        if let Some(case) = case {
            arguments.extend([OsString::from("--case"), OsString::from(&case.id)]);
        }
        arguments.extend([OsString::from("--log"), log.path().into()]);
        Ok(Self { kind: Kind::Process(log), arguments })
    }

    fn log(&self) -> Log {
        match &self.kind {
            Kind::Process(log) => Log::read(log.path()),
            #[cfg(feature = "http")]
            Kind::Http(player) => player.log(),
        }
    }
}

/// Returns what is wrong with a run in which the server made no mistake.
fn fault(control: &Run, transport: Transport) -> Option<String> {
    let why = match (control.exit, control.log.requests) {
        (Some(Exit::Code(0)), 1..) => return None,
        (_, 0) => match transport {
            Transport::Stdio => "it does not start the command in its last arguments as its server",
            #[cfg(feature = "http")]
            Transport::Http => "it sends no request to the address in its last argument",
        }
        .to_owned(),
        (Some(exit), _) => format!("it {exit}"),
        (None, _) => "it does not end".to_owned(),
    };
    let stderr = String::from_utf8_lossy(&control.evidence.stderr);
    Some(match stderr.lines().rfind(|line| !line.trim().is_empty()) {
        Some(line) => format!("{why}; its standard error ends with: {line}"),
        None => why,
    })
}

/// The file in which the player logs what happens. It is removed at the end.
struct LogFile(PathBuf);

impl LogFile {
    fn new() -> io::Result<Self> {
        // Another process can't take the name in between: creating the file fails if it exists.
        for number in 0..1000 {
            let name = format!("tautline-probe-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match fs::File::create_new(&path) {
                Ok(_) => return Ok(Self(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for LogFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
