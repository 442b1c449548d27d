//! A child process as a peer.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tautline::frame::Framing;
use tokio::process::{Child, ChildStderr, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

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
/// If this is dropped, the process is killed, and tokio collects its exit status.
#[derive(Debug)]
#[must_use = "the process is killed when this is dropped"]
pub struct ChildProcess {
    connection: Connection,
    reader: JoinHandle<ChildStdout>,
    process: Child,
    grace: Duration,
}

impl<F: Framing + Clone> Options<F> {
    /// Starts a command, and a connection over its standard input and output.
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
        let mut process = command.spawn()?;
        let (Some(stdin), Some(stdout)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(io::Error::other("the process has no pipes"));
        };
        let grace = self.shutdown_timeout();
        let (connection, reader) = self.start_returning(stdout, stdin, handlers);
        Ok(ChildProcess { connection, reader, process, grace })
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
    /// it does not exit within the [shutdown time-out](crate::Options::with_shutdown_timeout), it gets SIGTERM, and
    /// after the same time SIGKILL. On systems without signals, it is killed at once. Meanwhile, its output is read and
    /// discarded, so that it does not block on a full pipe. If the process is a server that lets running handlers
    /// finish, choose a longer time-out than the server's own.
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
        if let Ok(status) = timeout(self.grace, self.process.wait()).await {
            return Ok(Exit { status: status?, closed, ending: Ending::Exited });
        }
        if self.terminate()
            && let Ok(status) = timeout(self.grace, self.process.wait()).await
        {
            return Ok(Exit { status: status?, closed, ending: Ending::Terminated });
        }
        self.process.kill().await?;
        let status = self.process.wait().await?;
        Ok(Exit { status, closed, ending: Ending::Killed })
    }

    /// Sends SIGTERM, and returns whether that was possible. The id still belongs to the process, because its exit
    /// status has not been collected.
    #[cfg(unix)]
    fn terminate(&self) -> bool {
        let id = self.process.id().and_then(|id| i32::try_from(id).ok());
        let id = id.and_then(rustix::process::Pid::from_raw);
        id.is_some_and(|id| {
            rustix::process::kill_process(id, rustix::process::Signal::TERM).is_ok()
        })
    }

    #[cfg(not(unix))]
    fn terminate(&self) -> bool {
        false
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
