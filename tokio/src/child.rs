//! A child process as a peer.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tautline::frame::Framing;
use tokio::process::{Child, ChildStderr, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use crate::group::Group;
use crate::{Closed, Connection, Handlers, Options, Peer};

/// A child process, and the connection over its standard input and output.
///
/// ```no_run
/// use serde_json::Value;
/// use tautline_tokio::{Handlers, Options};
/// use tokio::process::Command;
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let child = Options::lsp().spawn(&mut Command::new("some-server"), Handlers::new(()))?;
/// let answer: Value = child.peer().call("shutdown", ()).await?;
/// println!("{answer}");
/// let exit = child.close().await?;
/// println!("{}", exit.status());
/// # Ok(())
/// # }
/// ```
///
/// On Unix, the process is the leader of a process group of its own. The shutdown ends this group, so that a server
/// ends even if a launcher such as `sh -c` or `npx` has started it. Processes that leave the group, as daemons do, keep
/// running. Because of its group, a Ctrl-C in the terminal reaches only this program and not the process. If this
/// program ends by that, the process sees the end of its input. To end it in order, wait for `tokio::signal::ctrl_c`,
/// and call [`close`](Self::close). The process can't read from the terminal.
///
/// On other systems, only the process itself is ended, and a server that a launcher has started may keep running.
///
/// If this is dropped, the process and its group are killed, and tokio collects its exit status.
#[derive(Debug)]
#[must_use = "the process is killed when this is dropped"]
pub struct ChildProcess {
    connection: Connection,
    reader: JoinHandle<ChildStdout>,
    process: Child,
    group: Group,
    grace: Duration,
}

/// The time for processes to end by themselves after the process that started them.
const FAREWELL: Duration = Duration::from_millis(200);

impl<F: Framing + Clone> Options<F> {
    /// Starts a command, and a connection over its standard input and output.
    ///
    /// The process gets a process group of its own on Unix; see [`ChildProcess`].
    ///
    /// Its standard error is inherited, unless the command says otherwise. If it is piped, read it from
    /// [`take_stderr`](ChildProcess::take_stderr), because the process blocks when the pipe is full.
    ///
    /// # Errors
    ///
    /// Fails if the process cannot be started.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime whose I/O and time drivers are enabled.
    pub fn spawn<S>(self, command: &mut Command, handlers: Handlers<S>) -> io::Result<ChildProcess>
    where
        F: Send + Unpin + 'static,
        S: Send + Sync + 'static,
    {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let (mut process, group) = Group::spawn(command)?;
        let (Some(stdin), Some(stdout)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(io::Error::other("the process has no pipes"));
        };
        let grace = self.shutdown_timeout();
        let (connection, reader) = self.start_returning(stdout, stdin, handlers);
        Ok(ChildProcess { connection, reader, process, group, grace })
    }
}

impl ChildProcess {
    /// Returns a handle to call the process.
    pub const fn peer(&self) -> &Peer {
        self.connection.peer()
    }

    /// Returns the id of the process, if its exit status has not been collected.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        self.process.id()
    }

    /// Takes the standard error of the process, if the command has it piped.
    pub const fn take_stderr(&mut self) -> Option<ChildStderr> {
        self.process.stderr.take()
    }

    /// Closes the connection as [`Connection::close`] does, and waits for the process to exit.
    ///
    /// The process is asked to exit in the order of MCP (basic/lifecycle, "Shutdown"): its standard input is closed. If
    /// it does not exit within the [shutdown time-out](crate::Options::with_shutdown_timeout), its process group gets
    /// SIGTERM, and after the same time SIGKILL. If the process exits and others of its group remain, they get the same
    /// signals. On systems without signals, the process is killed at once. Meanwhile, its output is read and discarded,
    /// so that it does not block on a full pipe. If the process is a server that lets running handlers finish, choose a
    /// longer time-out than the server's own.
    ///
    /// Each phase takes at most the shutdown time-out: running handlers of this side, queued messages, the wait after
    /// the end of the input, and the wait after SIGTERM. If the process exits and others remain, 200 milliseconds are
    /// added. So this takes at most four times the time-out and 200 milliseconds, 20.2 seconds by default.
    ///
    /// # Errors
    ///
    /// Fails if the exit status cannot be read.
    pub async fn close(self) -> io::Result<Exit> {
        self.peer().close();
        self.wait().await
    }

    /// Waits until the connection has ended, for example because the process has exited, and then for the
    /// process as [`close`](Self::close) does.
    ///
    /// # Errors
    ///
    /// Fails if the exit status cannot be read.
    pub async fn wait(mut self) -> io::Result<Exit> {
        // When the task ends, its writer, the standard input of the process, is closed.
        let reader = (&mut self.reader).await;
        let closed = self.connection.wait().await;
        let drain = tokio::spawn(async move {
            if let Ok(mut reader) = reader {
                let _ = tokio::io::copy(&mut reader, &mut tokio::io::sink()).await;
            }
        });
        let exit = self.exit(closed).await;
        drain.abort();
        exit
    }

    async fn exit(&mut self, closed: Closed) -> io::Result<Exit> {
        let exited = |status, ending| Ok(Exit { status, closed, ending });
        if let Ok(status) = timeout(self.grace, self.process.wait()).await {
            let status = status?;
            if !self.group.ends_within(FAREWELL).await && self.group.terminate() {
                self.end_rest(self.grace).await;
            }
            return exited(status, Ending::Exited);
        }
        let terminated = Instant::now();
        if self.group.terminate()
            && let Ok(status) = timeout(self.grace, self.process.wait()).await
        {
            let status = status?;
            self.end_rest(self.grace.saturating_sub(terminated.elapsed())).await;
            return exited(status, Ending::Terminated);
        }
        self.group.kill();
        self.process.kill().await?;
        let status = self.process.wait().await?;
        exited(status, Ending::Killed)
    }

    /// Waits for the rest of the group, which got SIGTERM, and kills it after this time.
    async fn end_rest(&mut self, patience: Duration) {
        if !self.group.ends_within(patience).await {
            self.group.kill();
        }
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.group.kill();
    }
}

/// How a child process ended.
#[derive(Clone, Debug)]
pub struct Exit {
    status: ExitStatus,
    closed: Closed,
    ending: Ending,
}

impl Exit {
    /// Returns the exit status of the process.
    #[must_use]
    pub const fn status(&self) -> ExitStatus {
        self.status
    }

    /// Returns the reason why the connection ended.
    #[must_use]
    pub const fn closed(&self) -> &Closed {
        &self.closed
    }

    /// Returns the step of the shutdown that ended the process.
    #[must_use]
    pub const fn ending(&self) -> Ending {
        self.ending
    }
}

/// The step of the shutdown that ended a child process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "MCP, basic/lifecycle, has these steps and no more")]
pub enum Ending {
    /// It exited by itself, at the latest when its standard input was closed.
    Exited,
    /// It exited after SIGTERM.
    Terminated,
    /// It was killed.
    Killed,
}
