//! A child process with pipes and its own process group.

use std::ffi::OsString;
use std::io;
use std::process::{self, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{End, Exit, Family, Step};

/// The destination of a child's standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stderr {
    /// The standard error of this program.
    Inherited,
    /// A pipe. Read it, or the child blocks when the pipe is full.
    Piped,
}

/// A running child. If it is dropped, it is killed, with all processes that it has started.
#[derive(Debug)]
pub struct Child {
    /// Writes to its standard input.
    pub stdin: Option<ChildStdin>,
    /// Reads from its standard output.
    pub stdout: Option<ChildStdout>,
    /// Reads from its standard error, if that is piped.
    pub stderr: Option<ChildStderr>,
    process: process::Child,
    family: Family,
    is_ended: bool,
}

/// The time for processes to end by themselves after the child that started them.
const FAREWELL: Duration = Duration::from_millis(200);
/// The maximum time to wait until the system has ended a killed process.
const LAST: Duration = Duration::from_secs(10);

impl Child {
    /// Starts a command: a program, and its arguments.
    ///
    /// # Errors
    ///
    /// Fails if the command is empty, or if the program can't be started.
    pub fn spawn(command: &[OsString], stderr: Stderr) -> io::Result<Self> {
        let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments);
        Self::start(command, stderr)
    }

    /// Starts a command that ends with this program, even if SIGKILL ends this program. Only Linux can do that.
    ///
    /// The system allows a process to ask only for its own end. So this program starts itself again, asks for that,
    /// and becomes the command ([`bound`](super::bound)). If that can't be started, the child reports it, and exits with the code that
    /// shells use.
    ///
    /// # Errors
    ///
    /// Fails if the command is empty, or if no process can be started.
    #[cfg(target_os = "linux")]
    pub fn spawn_bound(command: &[OsString], stderr: Stderr) -> io::Result<Self> {
        const THIS: &str = "/proc/self/exe";
        if !std::path::Path::new(THIS).exists() {
            return Self::spawn(command, stderr);
        }
        let mut bound = Command::new(THIS);
        bound.args(["bound", &process::id().to_string(), "--"]).args(command);
        Self::start(bound, stderr)
    }

    #[cfg(not(target_os = "linux"))]
    pub fn spawn_bound(command: &[OsString], stderr: Stderr) -> io::Result<Self> {
        Self::spawn(command, stderr)
    }

    fn start(mut command: Command, stderr: Stderr) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        if stderr == Stderr::Piped {
            command.stderr(Stdio::piped());
        }
        let (mut process, family) = Family::spawn(&mut command)?;
        let (stdin, stdout) = (process.stdin.take(), process.stdout.take());
        let stderr = process.stderr.take();
        Ok(Self { stdin, stdout, stderr, process, family, is_ended: false })
    }

    /// Returns the id of the process.
    #[cfg(test)]
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Returns how the process ended, or `None` while it runs.
    pub fn poll(&mut self) -> io::Result<Option<Exit>> {
        self.family.poll(&mut self.process)
    }

    /// Waits for the process, but no longer than the limit. Returns `None` if it still runs.
    pub fn wait(&mut self, limit: Duration) -> io::Result<Option<Exit>> {
        repeat(limit, || self.poll())
    }

    /// Collects the exit statuses of orphans that the process has left. Otherwise they stay zombies while the process
    /// runs.
    pub fn reap(&mut self) {
        self.family.reap();
    }

    /// Sends a signal to the process group. Does nothing if the whole group has ended.
    #[cfg(unix)]
    pub fn signal(&self, signal: rustix::process::Signal) {
        self.family.signal_group(signal);
    }

    /// Ends the process in the steps of MCP's stdio transport: closes its standard input, sends SIGTERM to its group,
    /// and kills it. Waits for `patience` after each step. Then ends the processes that it has started and left behind.
    ///
    /// If you took its [`stdin`](Self::stdin), drop that first. If you took its output pipes, keep reading them in
    /// another thread, or the process may block on a full pipe instead of exiting. Pipes that were not taken are
    /// closed.
    ///
    /// # Errors
    ///
    /// Fails if the process can't be killed.
    pub fn end(mut self, patience: Duration) -> io::Result<End> {
        let (exit, step) = self.end_itself(patience)?;
        let outlived = self.end_rest(patience)?;
        self.process.wait()?;
        self.is_ended = true;
        Ok(End { exit, step, outlived })
    }

    /// Releases a process that has ended, and leaves the processes that it has started running.
    ///
    /// # Errors
    ///
    /// Fails if its exit status can't be collected.
    pub fn release(mut self) -> io::Result<()> {
        self.process.wait()?;
        self.is_ended = true;
        Ok(())
    }

    fn end_itself(&mut self, patience: Duration) -> io::Result<(Exit, Step)> {
        if let Some(exit) = self.poll()? {
            return Ok((exit, Step::Before));
        }
        self.stdin = None;
        self.stdout = None;
        self.stderr = None;
        if let Some(exit) = self.wait(patience)? {
            return Ok((exit, Step::Closed));
        }
        if self.family.terminate()
            && let Some(exit) = self.wait(patience)?
        {
            return Ok((exit, Step::Terminated));
        }
        self.process.kill()?;
        self.family.kill();
        match self.wait(LAST)? {
            Some(exit) => Ok((exit, Step::Killed)),
            None => Err(io::Error::new(io::ErrorKind::TimedOut, "the process can't be killed")),
        }
    }

    /// Ends the processes that the process has left behind, and returns their number.
    fn end_rest(&mut self, patience: Duration) -> io::Result<usize> {
        let family = &mut self.family;
        let is_alone = |family: &mut Family| (family.count() == 0).then_some(());
        if repeat(FAREWELL, || Ok(is_alone(family)))?.is_some() {
            return Ok(0);
        }
        let outlived = family.count();
        family.terminate();
        if repeat(patience, || Ok(is_alone(family)))?.is_none() {
            repeat(LAST, || {
                family.kill();
                Ok(is_alone(family))
            })?;
        }
        Ok(outlived)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.is_ended {
            return;
        }
        let _ = self.process.kill();
        let _ = repeat(LAST, || {
            self.family.kill();
            Ok((self.poll()?.is_some() && self.family.count() == 0).then_some(()))
        });
        // A process that can't be killed must not block this program.
        if let Ok(Some(_)) = self.poll() {
            let _ = self.process.wait();
        }
    }
}

/// Calls a function until it returns a value, but no longer than the limit. It is called at least once.
fn repeat<T>(
    limit: Duration,
    mut call: impl FnMut() -> io::Result<Option<T>>,
) -> io::Result<Option<T>> {
    const LONGEST: Duration = Duration::from_millis(10);
    let start = Instant::now();
    let mut pause = Duration::from_micros(500);
    loop {
        let value = call()?;
        let Some(left) = limit.checked_sub(start.elapsed()) else { return Ok(value) };
        if value.is_some() {
            return Ok(value);
        }
        thread::sleep(pause.min(left));
        pause = LONGEST.min(pause * 2);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Read;
    use std::path::Path;
    use std::sync::{Mutex, PoisonError};
    use std::time::{Duration, Instant};

    use super::{Child, End, Exit, Stderr, Step};

    /// The patience with a child that reacts to a step, and with one that does not.
    const LONG: Duration = Duration::from_secs(20);
    const SHORT: Duration = Duration::from_millis(100);

    /// Held by each test, because orphans of children that run at the same time can't be distinguished.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

    fn start(script: &str) -> Child {
        let command = ["sh", "-c", script].map(Into::into);
        Child::spawn(&command, Stderr::Inherited).unwrap()
    }

    /// Reads the next line that a child writes.
    fn read_line(child: &mut Child) -> String {
        let mut line = Vec::new();
        let mut byte = [0];
        while line.last() != Some(&b'\n') {
            child.stdout.as_mut().unwrap().read_exact(&mut byte).unwrap();
            line.push(byte[0]);
        }
        String::from_utf8(line).unwrap().trim_end().to_owned()
    }

    fn exists(id: &str) -> bool {
        Path::new("/proc").join(id).exists()
    }

    #[test]
    fn each_step_ends_those_that_take_it() {
        let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        for (script, patience, exit, step) in [
            ("echo; cat >/dev/null; exit 3", LONG, Exit::Code(3), Step::Closed),
            ("echo; exec sleep 100", SHORT, Exit::Signal(15), Step::Terminated),
            ("trap '' TERM; echo; while :; do sleep 1; done", SHORT, Exit::Signal(9), Step::Killed),
        ] {
            let mut child = start(script);
            let id = child.id().to_string();
            read_line(&mut child);
            assert_eq!(child.end(patience).unwrap(), End { exit, step, outlived: 0 }, "{script}");
            assert!(!exists(&id), "{script}");
        }
        let mut child = start("exit 7");
        assert_eq!(child.wait(LONG).unwrap(), Some(Exit::Code(7)));
        let end = child.end(LONG).unwrap();
        assert_eq!(end, End { exit: Exit::Code(7), step: Step::Before, outlived: 0 });
    }

    #[test]
    fn a_program_that_is_not_there() {
        let error = Child::spawn(&["/no/such/program".into()], Stderr::Piped).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
        assert!(Child::spawn(&[], Stderr::Piped).is_err());
    }

    /// An orphan in its own session that ignores these signals.
    #[cfg(target_os = "linux")]
    const ORPHAN: &str = "(setsid sh -c 'trap \"\" TERM INT HUP; echo $$; exec sleep 100' &) ; ";

    #[cfg(target_os = "linux")]
    #[test]
    fn orphans_end_too() {
        let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let mut child = start(&format!("{ORPHAN} read x; exit 0"));
        let orphan = read_line(&mut child);
        assert!(exists(&orphan));
        let end = child.end(SHORT).unwrap();
        assert_eq!(end, End { exit: Exit::Code(0), step: Step::Closed, outlived: 1 });
        assert!(!exists(&orphan));

        let mut child = start(&format!("{ORPHAN} sleep 100"));
        let (id, orphan) = (child.id().to_string(), read_line(&mut child));
        let begin = Instant::now();
        drop(child);
        assert!(!exists(&orphan) && !exists(&id));
        assert!(begin.elapsed() < LONG);

        let mut child = start("(sh -c 'echo $$' &) ; read x");
        let orphan = read_line(&mut child);
        let begin = Instant::now();
        while exists(&orphan) {
            child.reap();
            assert!(begin.elapsed() < LONG, "the orphan is a zombie");
        }
        child.end(SHORT).unwrap();
    }
}
