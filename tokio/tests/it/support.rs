//! A scripted peer, for tests that decide every byte.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf,
};

/// The time-out for operations that must not hang.
pub const LONG: Duration = Duration::from_secs(20);

/// The other end of a connection, as lines.
pub struct Wire {
    input: BufReader<ReadHalf<DuplexStream>>,
    output: WriteHalf<DuplexStream>,
}

/// A pipe: one end for the connection, one for the test.
pub fn pipe() -> (DuplexStream, Wire) {
    pipe_of(64 * 1024)
}

pub fn pipe_of(bytes: usize) -> (DuplexStream, Wire) {
    let (ours, theirs) = tokio::io::duplex(bytes);
    let (input, output) = tokio::io::split(theirs);
    (ours, Wire { input: BufReader::new(input), output })
}

impl Wire {
    /// Reads a line. Returns `None` at the end.
    pub async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let count = within(self.input.read_line(&mut line)).await.unwrap();
        (count > 0).then_some(line)
    }

    pub async fn message(&mut self) -> Value {
        let line = self.line().await.expect("the connection has ended");
        serde_json::from_str(&line).unwrap()
    }

    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        within(self.output.write_all(bytes.as_ref())).await.unwrap();
    }

    pub async fn send_line(&mut self, line: impl AsRef<str>) {
        self.send(format!("{}\n", line.as_ref())).await;
    }

    /// Reads a number of bytes.
    pub async fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        within(self.input.read_exact(&mut bytes)).await.unwrap();
        bytes
    }

    /// Closes the side that writes.
    pub async fn close(&mut self) {
        self.output.shutdown().await.unwrap();
    }
}

/// Fails if the future takes too long.
pub async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(LONG, future).await.expect("it hangs")
}

/// Waits until a condition holds.
pub async fn until(what: &str, condition: impl Fn() -> bool) {
    for _ in 0..2000 {
        if condition() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("{what} never happens");
}
