//! The schedule: three steps at a time, each with a log of its own, and a table of their times at the end.
//!
//! Some steps build in the shared target folder, and others mostly wait or build elsewhere (see [`Lane`]). One worker
//! prefers the former and the others the latter. Steps wait for servers, emulators, the lock of a folder or the last
//! crate of a build, so it takes three to keep two cores busy.

use std::collections::VecDeque;
use std::env;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::iter;
use std::process::{Child, Command, ExitCode};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use crate::gate::{Lane, Step};
use crate::tools::{root, without_cargo};

/// The interval at which a worker polls its step.
const LOOK: Duration = Duration::from_millis(100);

/// The steps to run, and how.
pub struct Plan {
    pub steps: Vec<&'static Step>,
    /// The number of steps that run at a time.
    pub workers: usize,
    /// True if the remaining steps run after a step has failed.
    pub keep_going: bool,
    /// Returns the command that runs a step.
    pub command: fn(&Step) -> Result<Command>,
}

/// A row of the table: a step that ended, and its time.
#[derive(Clone, Debug)]
pub struct Took {
    name: String,
    seconds: u64,
    passed: bool,
}

impl Took {
    /// Parses the time of a step that passed before, as in `test=300`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, seconds) = text.split_once('=').ok_or("not NAME=SECONDS")?;
        let seconds = seconds.parse().map_err(|_| "not a number of seconds")?;
        Ok(Self { name: name.into(), seconds, passed: true })
    }
}

/// The state that the workers share.
struct State {
    waiting: VecDeque<&'static Step>,
    running: Vec<&'static Step>,
    ended: Vec<Took>,
    is_stopped: bool,
}

impl Plan {
    /// Runs the steps and prints the table of times, after the rows of earlier work. Fails if a step has failed.
    pub fn run(self, earlier: Vec<Took>) -> Result<ExitCode> {
        if let ([step], []) = (&self.steps[..], &earlier[..]) {
            // A single step inherits the output streams, so its output appears at once, and a terminal stays a
            // terminal.
            let status = (self.command)(step)?.status().context("xtask")?;
            return Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        #[cfg(unix)]
        notice_signals()?;
        let start = Instant::now();
        let before: u64 = earlier.iter().map(|took| took.seconds).sum();
        let steps = self.steps.iter().copied().collect();
        let state = Mutex::new(State {
            waiting: steps,
            running: Vec::new(),
            ended: earlier,
            is_stopped: false,
        });
        thread::scope(|scope| {
            let (plan, state) = (&self, &state);
            let lanes = iter::once(Lane::Shared).chain(iter::repeat(Lane::Apart));
            let lanes = lanes.take(self.workers);
            lanes.for_each(|lane| drop(scope.spawn(move || plan.work(lane, state))));
        });
        let state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let all = before + start.elapsed().as_secs();
        print_table(state.ended.clone(), &state.waiting, all);
        let passed = state.waiting.is_empty() && state.ended.iter().all(|took| took.passed);
        Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Runs steps until none is left.
    fn work(&self, lane: Lane, state: &Mutex<State>) {
        // A guard in the condition of `while let` would be held by the whole loop.
        let next = || next(lane, &mut lock(state));
        while let Some(step) = next() {
            let start = Instant::now();
            println!("--- {}: started", step.name);
            let result = self.run_logged(step, state);
            let passed = matches!(result, Ok((true, _)));
            let seconds = start.elapsed().as_secs();
            // The lock keeps the output of steps apart.
            let mut state = lock(state);
            println!(
                "\n=== {}: {}, {seconds} s",
                step.name,
                if passed { "passed" } else { "FAILED" }
            );
            match result {
                Ok((_, mut log)) => print_log(&mut log),
                Err(error) => println!("{error:#}"),
            }
            state.running.retain(|running| running.name != step.name);
            state.ended.push(Took { name: step.name.into(), seconds, passed });
            state.is_stopped |= !passed && !self.keep_going || is_interrupted();
        }
    }

    /// Runs a step in a process of its own, and returns whether it passed, and its output.
    fn run_logged(&self, step: &Step, state: &Mutex<State>) -> Result<(bool, File)> {
        let log = tempfile::tempfile().context("a file for the output")?;
        let mut command = (self.command)(step)?;
        command.stdin(std::process::Stdio::null());
        command.stdout(log.try_clone()?).stderr(log.try_clone()?);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().context("xtask")?;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok((status.success(), log));
            }
            if lock(state).is_stopped || is_interrupted() {
                kill(&mut child);
            }
            thread::sleep(LOOK);
        }
    }
}

/// Returns the command for a step: this program, without the environment that cargo has made for it.
pub fn this_program(step: &Step) -> Result<Command> {
    let mut command = Command::new(env::current_exe().context("this program")?);
    command.args(["step", step.name]).current_dir(root());
    without_cargo(&mut command);
    Ok(command)
}

/// Returns the command for a step that writes committed files, if it has any.
pub fn this_program_blessing(step: &Step) -> Result<Command> {
    let mut command = this_program(step)?;
    if step.blesses {
        command.arg("--bless");
    }
    Ok(command)
}

/// Takes the next step that may run next to the current ones, from this lane if possible.
fn next(lane: Lane, state: &mut State) -> Option<&'static Step> {
    if state.is_stopped {
        return None;
    }
    let clashes = |one: &Step, other: &Step| one.not_beside.contains(&other.name);
    let may_run = |step: &Step| {
        !state.running.iter().any(|other| clashes(step, other) || clashes(other, step))
    };
    let of_lane = |step: &&Step| step.lane == lane && may_run(step);
    let at = state.waiting.iter().position(of_lane);
    // With nothing else to do, this worker ends, and the others run what is left.
    let at = at.or_else(|| state.waiting.iter().position(|step| may_run(step)))?;
    let step = state.waiting.remove(at)?;
    state.running.push(step);
    Some(step)
}

/// Returns whether the user has asked the program to stop. Steps are not in the process group of the terminal, so they
/// do not get the signal.
fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Records signals that ask the program to stop.
#[cfg(unix)]
fn notice_signals() -> Result<()> {
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&INTERRUPTED))?;
    }
    Ok(())
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends a step, and on Unix also the processes that it has started.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
}

fn print_log(log: &mut File) {
    let mut text = Vec::new();
    let read = log.seek(SeekFrom::Start(0)).and_then(|_| log.read_to_end(&mut text));
    if let Err(error) = read.and_then(|_| std::io::stdout().write_all(&text)) {
        println!("the output is lost: {error}");
    }
}

/// Prints the times, the longest first, and the free disk.
fn print_table(mut ended: Vec<Took>, waiting: &VecDeque<&Step>, all: u64) {
    ended.sort_by_key(|took| std::cmp::Reverse(took.seconds));
    println!("\n{:<18} {:>7}", "step", "seconds");
    for Took { name, seconds, passed } in &ended {
        println!("{name:<18} {seconds:>7}{}", if *passed { "" } else { "  FAILED" });
    }
    waiting.iter().for_each(|step| println!("{:<18} not run", step.name));
    println!("{:<18} {all:>7}", "in all");
    let free = fs4::available_space(root()).map_or(0, |bytes| bytes >> 20);
    println!("{free} MiB of the disk are free");
    let failed = ended.iter().filter(|took| !took.passed).count();
    // The form in which test runners close.
    println!("\ngate: {} passed, {failed} failed, {} skipped", ended.len() - failed, waiting.len());
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    static STEPS: &[Step] = &[
        Step::new("true", "", |_| Ok(())),
        Step::new("false", "", |_| Ok(())),
        Step::new("sleep", "", |_| Ok(())).apart(),
        Step::new("echo", "", |_| Ok(())),
    ];

    /// Runs the programs that have the names of the steps.
    fn run(names: &[&str], workers: usize, keep_going: bool) -> (bool, Duration) {
        let steps = STEPS.iter().filter(|step| names.contains(&step.name)).collect();
        let command = |step: &Step| {
            let mut command = Command::new(step.name);
            command.args((step.name == "sleep").then_some("600"));
            Ok(command)
        };
        let start = Instant::now();
        let earlier = vec![Took::parse("test=1").unwrap()];
        let code = Plan { steps, workers, keep_going, command }.run(earlier).unwrap();
        (code == ExitCode::SUCCESS, start.elapsed())
    }

    #[test]
    fn steps_that_pass() {
        for workers in [1, 2, 3] {
            assert!(run(&["true", "echo"], workers, false).0);
        }
    }

    #[test]
    fn steps_that_clash_run_one_after_the_other() {
        let step = |name| Step::new(name, "", |_| Ok(()));
        let steps: Vec<&Step> =
            vec![Box::leak(Box::new(step("a"))), Box::leak(Box::new(step("b").not_beside(&["a"])))];
        let mut state = State {
            waiting: steps.into(),
            running: Vec::new(),
            ended: Vec::new(),
            is_stopped: false,
        };
        assert_eq!(next(Lane::Apart, &mut state).map(|step| step.name), Some("a"));
        assert!(next(Lane::Shared, &mut state).is_none());
        state.running.clear();
        assert_eq!(next(Lane::Shared, &mut state).map(|step| step.name), Some("b"));
    }

    #[test]
    fn a_failure_ends_the_others() {
        let (passed, time) = run(&["true", "false", "sleep"], 2, false);
        assert!(!passed && time < Duration::from_secs(60), "{passed} after {time:?}");
        assert!(!run(&["false", "echo"], 1, true).0);
    }
}
