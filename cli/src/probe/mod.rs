//! `tautline probe`: tests a server or a client with the conformance corpus.
//!
//! The probe asks a server which revisions it speaks (`era`), and sends it the cases for them (`servers`). Each case
//! has its own `session`, or shares one with other cases. An `exchange` sends the bytes of a case and observes the
//! answers, and `judge` compares them with the outcomes that the case allows. A client under test starts the `player`,
//! a server that misbehaves as the case demands, and is judged by how it ends (`clients`).

pub mod args;
mod clients;
mod described;
mod era;
mod exchange;
#[cfg(feature = "http")]
mod http;
mod id;
mod interrupt;
mod judge;
mod kept;
mod known;
mod line;
mod lines;
mod link;
mod observed;
mod plan;
pub mod player;
mod report;
mod row;
mod servers;
mod session;

use std::io::{self, IsTerminal, Write};
use std::iter;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tautline_conformance::{Corpus, Role};

use crate::args::is_stdout;
use crate::baseline;
use crate::exit::{CLEAN, ERRORS, FAILED, Stopped, cannot_run, conclude};
use crate::input::{complain, shown};
use crate::output::{Audience, Output, Style, width};
use crate::replacement::Replacement;

use args::{ProbeArgs, ProbeFormat};
use clients::{Clients, Transport};
use era::About;
use plan::Plan;
use report::{Detail, Look, Report, Target, shown};
use row::{Counts, Rows, Strict};
use servers::Servers;
use session::{NotOpened, Setup};

pub fn run(args: &ProbeArgs) -> ExitCode {
    conclude(probe(args), "the report", FAILED)
}

fn probe(args: &ProbeArgs) -> Result<u8, Stopped> {
    let mut corpus = corpus(args);
    // A choice that selects nothing is reported before anything is started.
    let plan = Plan::new(args, &corpus).map_err(Stopped::Said)?;
    if args.dry_run {
        list(&plan)?;
        return Ok(CLEAN);
    }
    // A file that can't be used is reported before anything is started.
    let baseline = args.baseline.baseline.as_deref();
    let reports = args.output.iter().map(|(_, path)| &**path).filter(|path| !is_stdout(path));
    baseline::check_outputs(iter::empty(), reports, baseline, args.baseline.write())?;
    let baseline = baseline.map(baseline::read).transpose()?;
    let files: Vec<(ProbeFormat, &Path, Replacement)> = args
        .output
        .iter()
        .filter(|(_, path)| !is_stdout(path))
        .map(|(format, path)| match Replacement::begin(path) {
            Ok(file) => Ok((*format, path.as_path(), file)),
            Err(error) => Err(Stopped::cannot_write(path, &error)),
        })
        .collect::<Result<_, _>>()?;
    interrupt::watch().map_err(|error| Stopped::Said(format!("cannot watch signals: {error}")))?;

    let start = Instant::now();
    let bar = bar(plan.pairs().count());
    let until = start + args.time_limit();
    let target = target(args);
    let (about, rows) = match target {
        #[cfg(feature = "http")]
        Target::Url(url) => over_http(args, url, &corpus, &plan, until, &bar)?,
        Target::Command(_) if args.client => clients(args, &plan, until, &bar)?,
        Target::Command(_) => {
            let about = introduced(args, &corpus, &plan)?;
            if let Some(instead) = about.no_ping.and_then(|no_ping| no_ping.instead) {
                corpus.replace_method(era::PING, instead);
            }
            let plan = Plan::new(args, &corpus).map_err(Stopped::Said)?;
            let setup = Setup { deadline: Some(until), ..setup(args) };
            let rows = servers(args, setup, &corpus, &plan, &about, &bar);
            (about, rows)
        }
    };
    let is_interrupted = interrupt::is_alone();
    bar.finish_and_clear();
    let Rows { mut rows, cut } = rows;
    let role = if args.client { Role::Client } else { Role::Server };
    let held = baseline.as_ref().map(|known| known::accept(known, role, &corpus, &mut rows));
    let (took, held) = (start.elapsed(), held.unwrap_or_default());
    let options = match (args.client, args.is_over_http()) {
        (true, true) => " --client --http",
        (true, false) => " --client",
        (false, _) => "",
    };
    let report = Report { role, options, target, about, corpus: &corpus, rows, cut, took, held };

    let audience = match args.format() {
        ProbeFormat::Text => Audience::People,
        _ => Audience::Programs,
    };
    let (mut out, style) = Output::stdout(audience);
    let detail = if args.verbose { Detail::All } else { Detail::Wrong };
    report.write(args.format(), Look { style, width: width(), detail }, &mut out)?;
    out.flush()?;
    for (format, path, mut file) in files {
        let look = Look { style: Style::Plain, width: None, detail };
        let written = report.write(format, look, &mut file).and_then(|()| file.finish());
        written.map_err(|error| Stopped::cannot_write(path, &error))?;
    }
    match (args.baseline.write(), report.cut) {
        (Some(path), None) => {
            let new = known::baseline(baseline.as_ref(), role, &report.rows, &report.held);
            baseline::write(path, &new)?;
            return Ok(CLEAN);
        }
        // It would miss the faults in the cases that did not run.
        (Some(path), Some(cut)) => {
            complain(format_args!("{} was not written, because {}", shown(path), cut.words()));
        }
        (None, _) => {}
    }
    // The results so far are written before the program ends like the signal demands.
    is_interrupted?;
    let wrong = Counts::of(report.rows.iter()).kind("wrong");
    Ok(match (wrong + report.held.stale.len(), report.cut) {
        (1.., _) => ERRORS,
        (0, None) => CLEAN,
        (0, Some(_)) => FAILED,
    })
}

fn corpus(args: &ProbeArgs) -> Corpus {
    if args.is_over_http() { Corpus::http() } else { Corpus::embedded() }
}

fn target(args: &ProbeArgs) -> Target<'_> {
    #[cfg(feature = "http")]
    if let Some(url) = &args.url {
        return Target::Url(url);
    }
    Target::Command(&args.command)
}

/// Lists the cases of a plan.
fn list(plan: &Plan<'_>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let width = plan.cases.iter().map(|case| case.id.len()).max().unwrap_or(0);
    for (revision, case) in plan.pairs() {
        writeln!(out, "{revision}  {:width$}  {}", case.id, case.summary)?;
    }
    out.flush()
}

/// Asks a server what it speaks.
fn introduced(args: &ProbeArgs, corpus: &Corpus, plan: &Plan<'_>) -> Result<About, Stopped> {
    let setup = setup(args);
    let about = match About::ask(setup, corpus, plan.revisions.iter().copied()) {
        Ok(about) => about,
        Err(NotOpened::Cut(cut)) => return Err(cut.into()),
        Err(NotOpened::NotStarted(error)) => {
            return Err(Stopped::Said(cannot_run(&args.command, &error)));
        }
        Err(NotOpened::Refused(refused)) => return Err(Stopped::Said(refused.why)),
    };
    if about.claimed.is_empty() {
        let mut why = format!("no session could be opened: {}", reasons(&about));
        let lines = shown::last_lines(&about.stderr, shown::LAST_LINES);
        if lines.len() > 1 {
            why += "\nthe last lines of its standard error:";
            lines.iter().for_each(|line| why += &format!("\n  {line}"));
        }
        return Err(Stopped::Said(why));
    }
    Ok(about)
}

fn setup(args: &ProbeArgs) -> Setup<'_> {
    Setup { command: &args.command, timeout: args.timeout(), deadline: None }
}

fn servers<'a>(
    args: &ProbeArgs,
    setup: Setup<'a>,
    corpus: &'a Corpus,
    plan: &Plan<'a>,
    about: &About,
    bar: &ProgressBar,
) -> Rows<'a> {
    let servers = Servers { setup, corpus, strict: strict(args), bar: bar.clone() };
    servers.run(plan, about)
}

#[cfg(feature = "http")]
const fn transport(args: &ProbeArgs) -> Transport {
    if args.http { Transport::Http } else { Transport::Stdio }
}

#[cfg(not(feature = "http"))]
const fn transport(_: &ProbeArgs) -> Transport {
    Transport::Stdio
}

/// Tests a server over HTTP.
#[cfg(feature = "http")]
fn over_http<'a>(
    args: &'a ProbeArgs,
    url: &'a http::url::Url,
    corpus: &'a Corpus,
    plan: &Plan<'a>,
    until: Instant,
    bar: &ProgressBar,
) -> Result<(About, Rows<'a>), Stopped> {
    let (lines, timeout) = (&args.header[..], args.timeout());
    let mut reach = http::exchange::Reach { url, lines, timeout, deadline: None };
    let mut about = http::era::ask(reach, corpus, plan.revisions.iter().copied())?;
    if about.claimed.is_empty() {
        return Err(Stopped::Said(format!("no session could be opened: {}", reasons(&about))));
    }
    reach.deadline = Some(until);
    let bar = bar.clone();
    let servers = http::servers::Servers { reach, corpus, strict: strict(args), bar };
    let rows = servers.run(plan, &mut about);
    Ok((about, rows))
}

fn clients<'a>(
    args: &'a ProbeArgs,
    plan: &Plan<'a>,
    until: Instant,
    bar: &ProgressBar,
) -> Result<(About, Rows<'a>), Stopped> {
    let clients = Clients {
        command: &args.command,
        timeout: args.timeout(),
        strict: strict(args),
        transport: transport(args),
        until,
        bar: bar.clone(),
    };
    let (about, rows) = clients.run(plan).map_err(|error| match error {
        clients::Failed::NotStarted(error) => Stopped::Said(cannot_run(&args.command, &error)),
        clients::Failed::Cut(cut) => cut.into(),
    })?;
    if about.claimed.is_empty() {
        let why = "the client does not succeed with a server that makes no mistake";
        return Err(Stopped::Said(format!("{why}: {}", reasons(&about))));
    }
    Ok((about, rows))
}

/// Returns the reasons why revisions are not claimed: on the first line the reason for most of them, and then a line for
/// each of the others.
fn reasons(about: &About) -> String {
    let mut groups: Vec<(Vec<&str>, &str)> = Vec::new();
    for (revision, why) in &about.unclaimed {
        match groups.iter_mut().find(|(_, other)| other == why) {
            Some((revisions, _)) => revisions.push(revision),
            None => groups.push((vec![revision], why)),
        }
    }
    groups.sort_by_key(|(revisions, _)| std::cmp::Reverse(revisions.len()));
    let groups: Vec<(String, String)> = groups
        .iter()
        .map(|(revisions, why)| (revisions.join(", "), tautline_audit::printable(why.as_bytes())))
        .collect();
    match groups.as_slice() {
        [] => String::new(),
        [(_, why)] => why.clone(),
        [(revisions, why), others @ ..] => {
            let others = others.iter().map(|(revisions, why)| format!("\n  {revisions}: {why}"));
            format!("{why} ({revisions}){}", others.collect::<String>())
        }
    }
}

const fn strict(args: &ProbeArgs) -> Strict {
    if args.strict { Strict::Yes } else { Strict::No }
}

fn bar(length: usize) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{pos} of {len} {wide_bar} {msg}");
    let target = ProgressDrawTarget::stderr_with_hz(10);
    let bar = ProgressBar::with_draw_target(Some(length as u64), target);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_message("starting");
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}
