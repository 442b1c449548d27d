//! A server in a process of its own.

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::servers::Kind;

pub struct Server {
    child: Child,
    pub address: String,
}

impl Server {
    /// Starts this program as a server, and waits for its address.
    pub fn start(kind: Kind) -> Result<Self, Box<dyn Error>> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["serve", &kind.to_string()])
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().ok_or("no output")?;
        let mut address = String::new();
        BufReader::new(output).read_line(&mut address)?;
        Ok(Self { child, address: address.trim().to_owned() })
    }

    /// Returns the time that the process has computed.
    pub fn cpu(&self) -> Result<Duration, Box<dyn Error>> {
        let mut total = Duration::ZERO;
        // Nanoseconds for each thread, where the other files have ticks of 10 ms.
        for thread in std::fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let text = std::fs::read_to_string(thread?.path().join("schedstat"))?;
            let nanoseconds = text.split(' ').next().ok_or("no time")?;
            total += Duration::from_nanos(nanoseconds.parse()?);
        }
        Ok(total)
    }

    /// Returns the resident memory in bytes.
    pub fn memory(&self) -> Result<u64, Box<dyn Error>> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).ok_or("no memory")?;
        let kib: u64 = line.split_whitespace().nth(1).ok_or("no number")?.parse()?;
        Ok(kib * 1024)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
