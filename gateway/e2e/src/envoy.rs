//! A running Envoy.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::admin::page;
use crate::bootstrap::Config;
use crate::program;

/// The time that Envoy may take to start. The machine may be busy, and a runtime compiles the module.
const START: Duration = Duration::from_secs(60);

/// A running Envoy. It ends when it is dropped.
pub struct Envoy {
    /// The address on which it serves.
    pub address: SocketAddr,
    admin: SocketAddr,
    child: Child,
    log: Arc<Mutex<String>>,
    folder: TempDir,
}

/// The reason why Envoy did not start.
#[derive(Debug)]
pub struct NotStarted {
    /// True if Envoy has ended by itself.
    pub has_ended: bool,
    /// Its log.
    pub log: String,
}

impl fmt::Display for NotStarted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { has_ended, log } = self;
        write!(f, "Envoy did not start (has ended: {has_ended}). Its log:\n{log}")
    }
}

/// The memory of an Envoy, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// The bytes that Envoy has allocated, by its own account.
    pub allocated: u64,
    /// The pages that are in memory.
    pub resident: u64,
    /// The same, with shared pages divided by those who share them.
    pub proportional: u64,
}

/// A line of the access log.
#[derive(Clone, Debug)]
pub struct Access {
    /// The port of the client.
    pub port: u16,
    /// The method of the request.
    pub method: String,
    /// The status of the response.
    pub status: u16,
    /// Envoy's flags for what went wrong, or `-`.
    pub flags: String,
    /// Envoy's reason for the response.
    pub details: String,
    /// The states that the filter has set: verdict, rule, revision, method and name.
    pub states: Vec<String>,
}

impl Envoy {
    /// Starts Envoy, and waits until it serves.
    ///
    /// # Panics
    ///
    /// Panics if Envoy does not start.
    pub async fn start(config: &Config) -> Self {
        Self::try_start(config).await.unwrap_or_else(|failure| panic!("{failure}"))
    }

    /// Starts Envoy, and waits until it serves.
    ///
    /// # Errors
    ///
    /// Fails if Envoy ends or does not listen.
    ///
    /// # Panics
    ///
    /// Panics if Envoy can't be run.
    pub async fn try_start(config: &Config) -> Result<Self, NotStarted> {
        let folder = TempDir::new().expect("a temporary folder");
        let path = |name: &str| folder.path().join(name);
        let (bootstrap, admin) = (path("bootstrap.json"), path("admin"));
        let text = config.bootstrap(&path("access")).to_string();
        fs::write(&bootstrap, text).expect("a temporary file");
        let mut command = Command::new(program());
        command.arg("--config-path").arg(&bootstrap).arg("--admin-address-path").arg(&admin);
        command.args(["--concurrency", "1", "--disable-hot-restart"]);
        command.args(["--file-flush-interval-msec", "20", "--log-level", "info"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn().expect("ENVOY must be a program");
        let log = Arc::<Mutex<String>>::default();
        let reading = collect(&mut child, Arc::clone(&log));
        let end = Instant::now() + START;
        loop {
            if child.try_wait().expect("Envoy's state").is_some() {
                let _ = reading.await;
                return Err(NotStarted { has_ended: true, log: taken(&log) });
            }
            let admin = fs::read_to_string(&admin).ok().and_then(|text| text.trim().parse().ok());
            if let Some(admin) = admin
                && let Some(address) = listener(admin).await
            {
                return Ok(Self { address, admin, child, log, folder });
            }
            if Instant::now() > end {
                return Err(NotStarted { has_ended: false, log: taken(&log) });
            }
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Returns the log so far.
    #[must_use]
    pub fn log(&self) -> String {
        taken(&self.log)
    }

    /// Returns the id of the process.
    ///
    /// # Panics
    ///
    /// Panics if Envoy has ended.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id().expect("Envoy runs")
    }

    /// Returns a page of the administration interface.
    ///
    /// # Panics
    ///
    /// Panics if Envoy does not answer.
    pub async fn page(&self, path: &str) -> String {
        match page(self.admin, path).await {
            Some(text) => text,
            None => panic!("Envoy has no page {path}. Its log:\n{}", self.log()),
        }
    }

    /// Returns the counters of the filter, by their names without Envoy's prefix.
    pub async fn counters(&self) -> BTreeMap<String, u64> {
        let text = self.page("/stats?filter=wasmcustom").await;
        let lines = text.lines().filter_map(|line| {
            let (name, value) = line.rsplit_once(": ")?;
            Some((name.trim_start_matches("wasmcustom.").to_owned(), value.parse().ok()?))
        });
        lines.collect()
    }

    /// Returns the memory that Envoy has now.
    ///
    /// # Panics
    ///
    /// Panics if Envoy has ended.
    pub async fn memory(&self) -> Memory {
        let text = self.page("/memory").await;
        let memory: Value = serde_json::from_str(&text).expect("JSON");
        let allocated = memory["allocated"].as_str().and_then(|text| text.parse().ok());
        let id = self.id();
        let rollup = fs::read_to_string(format!("/proc/{id}/smaps_rollup")).expect("Linux");
        let field = |name: &str| {
            let line = rollup.lines().find_map(|line| line.strip_prefix(name)).expect("a field");
            let kibibytes: u64 =
                line.trim_end_matches("kB").trim().parse().expect("a number of KiB");
            kibibytes << 10
        };
        Memory {
            allocated: allocated.expect("a number"),
            resident: field("Rss:"),
            proportional: field("Pss:"),
        }
    }

    /// Returns the access log, once it has at least as many lines.
    ///
    /// # Panics
    ///
    /// Panics if that takes too long.
    pub async fn access(&self, lines: usize) -> Vec<Access> {
        let end = Instant::now() + Duration::from_secs(10);
        loop {
            let text = fs::read_to_string(self.folder.path().join("access")).unwrap_or_default();
            if text.lines().count() >= lines {
                return text.lines().filter_map(access).collect();
            }
            let count = text.lines().count();
            assert!(Instant::now() < end, "the access log has {count} lines of {lines}");
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Ends Envoy, and waits for its end.
    pub async fn stop(mut self) {
        let _ = self.child.kill().await;
    }
}

fn collect(child: &mut Child, log: Arc<Mutex<String>>) -> JoinHandle<()> {
    let stream = child.stderr.take().expect("a pipe");
    tokio::spawn(async move {
        let mut lines = BufReader::new(stream).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let mut log = log.lock().expect("the log");
            log.push_str(&line);
            log.push('\n');
        }
    })
}

fn taken(log: &Mutex<String>) -> String {
    log.lock().expect("the log").clone()
}

/// Returns the address of the listener, if Envoy is ready.
async fn listener(admin: SocketAddr) -> Option<SocketAddr> {
    page(admin, "/ready").await?;
    let listeners: Value =
        serde_json::from_str(&page(admin, "/listeners?format=json").await?).ok()?;
    let address = &listeners["listener_statuses"][0]["local_address"]["socket_address"];
    let port = u16::try_from(address["port_value"].as_u64()?).ok()?;
    Some(SocketAddr::new(address["address"].as_str()?.parse().ok()?, port))
}

fn access(line: &str) -> Option<Access> {
    let mut fields = line.split('\t').map(str::to_owned);
    Some(Access {
        port: fields.next()?.parse().ok()?,
        method: fields.next()?,
        status: fields.next()?.parse().ok()?,
        flags: fields.next()?,
        details: fields.next()?,
        states: fields.collect(),
    })
}
