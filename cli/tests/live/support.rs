//! Helpers for the tests, which start tautline around a server and watch its processes.

use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use rustix::process::{Pid, Signal, kill_process};
use tautline_audit::source::{Event, read_recording};
use tautline_mcp::Role;

use crate::garbage::Hash;

/// The argument that makes this program play a server.
pub const AS_SERVER: &str = "--as-server";

/// A test, and its name.
pub type Test = (&'static str, fn());

/// The time limit for every event, long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Creates a separate folder for a test.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("live").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A running `tautline` with a server below it.
pub struct Run {
    pub child: Child,
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<BufReader<ChildStdout>>,
    stderr: Option<thread::JoinHandle<String>>,
    mark: String,
    /// The highest memory use that was measured, in KiB.
    peak: u64,
}

/// Starts `tautline` with these arguments, and one of the servers.
pub fn start(arguments: &[&str], server: &[&str]) -> Run {
    start_with(arguments, server, Stdio::piped())
}

pub fn start_with(arguments: &[&str], server: &[&str], stdin: Stdio) -> Run {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mark = format!("mark-{}-{count}-", std::process::id());
    let this = std::env::current_exe().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tautline"));
    command.args(arguments).arg("--").arg(this).arg(AS_SERVER).args(server).arg(&mark);
    command.env_remove("CLICOLOR_FORCE").stdin(stdin);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stderr.take().unwrap();
    let stderr = thread::spawn(move || {
        let mut text = Vec::new();
        pipe.read_to_end(&mut text).unwrap();
        String::from_utf8_lossy(&text).into_owned()
    });
    let stdin = child.stdin.take();
    let stdout = child.stdout.take().map(BufReader::new);
    Run { child, stdin, stdout, stderr: Some(stderr), mark, peak: 0 }
}

impl Run {
    pub fn write(&mut self, text: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).unwrap();
    }

    pub fn read_line(&mut self) -> String {
        let mut line = String::new();
        std::io::BufRead::read_line(self.stdout.as_mut().unwrap(), &mut line).unwrap();
        line.trim_end().to_owned()
    }

    pub fn read_to_end(&mut self) -> String {
        let mut text = String::new();
        self.stdout.as_mut().unwrap().read_to_string(&mut text).unwrap();
        text
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Returns the command lines of the processes that run the server. Only Linux shows them.
    pub fn processes(&self) -> Vec<String> {
        self.find().map(|(_, line)| line).collect()
    }

    /// Returns the ids of these processes.
    pub fn pids(&self) -> Vec<Pid> {
        self.find().map(|(pid, _)| pid).collect()
    }

    fn find(&self) -> impl Iterator<Item = (Pid, String)> {
        let this = Pid::from_child(&self.child);
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(move |entry| {
            let pid = Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)?;
            let line = fs::read(entry.path().join("cmdline")).ok()?;
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            (pid != this && line.contains(&self.mark)).then_some((pid, line))
        })
    }

    /// Measures the peak memory of `tautline` so far.
    pub fn measure(&mut self) {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
        self.peak = self.peak.max(peak.unwrap_or_default());
    }

    /// Checks that its peak memory is below a limit, in KiB. Only Linux shows the memory.
    pub fn assert_peak_below(&self, limit: u64) {
        // With HTTP and TLS, more of the program itself is in memory.
        let limit = limit + if cfg!(feature = "http") { 5 * 1024 } else { 0 };
        let is_known = self.peak > 0 || !cfg!(target_os = "linux");
        assert!(is_known && self.peak < limit, "{} KiB", self.peak);
    }

    /// Waits for the end, and checks that no process is left. Returns the exit status and standard error.
    pub fn end(mut self) -> (ExitStatus, String) {
        self.stdin = None;
        let begin = Instant::now();
        let status = loop {
            self.measure();
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begin.elapsed() < PATIENCE, "it does not end");
            thread::sleep(Duration::from_millis(2));
        };
        assert_eq!(self.processes(), [""; 0], "processes are left");
        (status, self.stderr.take().unwrap().join().unwrap())
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns whether tautline can end a server that was left behind on this system. Only Linux shows processes that have
/// left their group.
pub fn can_end(server: &str) -> bool {
    cfg!(target_os = "linux") || server != "daemon"
}

/// Makes sure that child processes start with the default effect of the signals that end a process. A child inherits
/// ignored signals, for example SIGHUP under `nohup`. A signal with a handler is not ignored, and a handler is not
/// inherited.
pub fn ignore_no_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
        let always = Arc::new(AtomicBool::new(true));
        signal_hook::flag::register_conditional_default(signal, always).unwrap();
    }
}

/// Waits until a condition holds.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < PATIENCE, "{what} takes too long");
        thread::sleep(Duration::from_millis(2));
    }
}

/// The content of a recording.
#[derive(Default)]
pub struct Recorded {
    pub client: Hash,
    pub server: Hash,
    pub stderr: Vec<u8>,
    /// The other events, as text.
    pub others: Vec<String>,
}

pub fn read(path: &Path) -> Recorded {
    let mut recorded = Recorded::default();
    let file = fs::File::open(path).unwrap();
    read_recording(&mut BufReader::new(file), &mut |event, _| {
        match event {
            Event::Bytes { from: Role::Client, bytes } => recorded.client.push(bytes),
            Event::Bytes { from: Role::Server, bytes } => recorded.server.push(bytes),
            Event::Stderr { text } => recorded.stderr.extend_from_slice(text),
            Event::Closed { from } => recorded.others.push(format!("{} closed", from.name())),
            Event::End { how, .. } => recorded.others.push(how),
            Event::Loss(words) => recorded.others.push(words),
            Event::Framing(_) => {}
            event => panic!("{event:?}"),
        }
        Ok(())
    })
    .unwrap();
    recorded
}

/// Returns the hash of a text.
pub fn hash_of(text: &str) -> String {
    let mut hash = Hash::default();
    hash.push(text.as_bytes());
    hash.text()
}
