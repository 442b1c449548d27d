//! The clients: plain connections that send prepared requests, so that the servers do the work.

use std::error::Error;
use std::fmt;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::process::Server;

/// The request that the clients send.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Job {
    /// A call with a short answer.
    Small,
    /// A call with an answer of 100 KB.
    Large,
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Small => "Small calls",
            Self::Large => "Results of 100 KB",
        })
    }
}

impl Job {
    const fn tool(self) -> &'static str {
        match self {
            Self::Small => "echo",
            Self::Large => "large",
        }
    }

    fn is_answer(self, length: usize) -> bool {
        match self {
            Self::Small => (100..2000).contains(&length),
            Self::Large => length > crate::servers::LARGE,
        }
    }
}

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

fn request(method: &str, name: Option<&str>, params: &str) -> Vec<u8> {
    let body =
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{{{params},{META}}}}}"#);
    let name = name.map_or_else(String::new, |name| format!("Mcp-Name: {name}\r\n"));
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: {method}\r\n{name}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// A connection, and what was read from it.
struct Connection {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Connection {
    async fn open(server: &Server) -> Result<Self, Box<dyn Error>> {
        let stream = TcpStream::connect(&server.address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, read: Vec::with_capacity(256 << 10) })
    }

    /// Reads a whole response, and returns the length of its body. A response in chunks ends with the empty one.
    async fn response(&mut self) -> Result<usize, Box<dyn Error>> {
        self.read.clear();
        let head = loop {
            if let Some(end) = find(&self.read, b"\r\n\r\n") {
                break end + 4;
            }
            self.more().await?;
        };
        let text = std::str::from_utf8(&self.read[..head])?.to_ascii_lowercase();
        if !text.starts_with("http/1.1 200") {
            return Err(String::from_utf8_lossy(&self.read).into());
        }
        if let Some(length) = text.split("content-length: ").nth(1) {
            let length: usize = length.split("\r\n").next().unwrap_or_default().parse()?;
            while self.read.len() < head + length {
                self.more().await?;
            }
            return Ok(length);
        }
        while !self.read.ends_with(b"\r\n0\r\n\r\n") {
            self.more().await?;
        }
        Ok(self.read.len() - head)
    }

    async fn more(&mut self) -> Result<(), Box<dyn Error>> {
        match self.stream.read_buf(&mut self.read).await? {
            0 => Err("the connection was closed".into()),
            _ => Ok(()),
        }
    }
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

/// Sends requests over some connections for this long. Returns their number, the server's CPU, and the time.
pub async fn load(
    server: &Server,
    job: Job,
    connections: usize,
    time: Duration,
) -> Result<(u64, Duration, Duration), Box<dyn Error>> {
    let name = job.tool();
    let params = format!(r#""name":"{name}","arguments":{{"text":"hello"}}"#);
    let request = request("tools/call", Some(name), &params);
    // The tools are listed once, as clients do.
    let mut first = Connection::open(server).await?;
    first.stream.write_all(&self::request("tools/list", None, r#""x":1"#)).await?;
    first.response().await?;
    let (cpu, begin) = (server.cpu()?, Instant::now());
    let mut open = Vec::new();
    for _ in 0..connections {
        open.push(Connection::open(server).await?);
    }
    let clients = open.into_iter().map(|mut connection| {
        let request = &request;
        async move {
            let mut count = 0_u64;
            while begin.elapsed() < time {
                connection.stream.write_all(request).await?;
                let length = connection.response().await?;
                if !job.is_answer(length) {
                    let text = String::from_utf8_lossy(&connection.read).into_owned();
                    return Err(format!("no answer: {text:.500}").into());
                }
                count += 1;
            }
            Ok::<_, Box<dyn Error>>(count)
        }
    });
    let mut requests = 0;
    for count in futures(clients).await {
        requests += count?;
    }
    Ok((requests, server.cpu()? - cpu, begin.elapsed()))
}

/// Runs futures side by side in this task.
async fn futures<F: Future>(all: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut open: Vec<_> = all.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|cx| {
        let mut is_pending = false;
        for (future, output) in &mut open {
            if output.is_none() {
                match future.as_mut().poll(cx) {
                    std::task::Poll::Ready(value) => *output = Some(value),
                    std::task::Poll::Pending => is_pending = true,
                }
            }
        }
        if is_pending { std::task::Poll::Pending } else { std::task::Poll::Ready(()) }
    })
    .await;
    open.into_iter().filter_map(|(_, output)| output).collect()
}

/// Opens subscriptions, each on a connection of its own, and waits for their first events.
pub async fn subscribe(server: &Server, count: usize) -> Result<Vec<TcpStream>, Box<dyn Error>> {
    let params = r#""notifications":{"toolsListChanged":true}"#;
    let request = request("subscriptions/listen", None, params);
    let mut open = Vec::new();
    for _ in 0..count {
        let mut connection = TcpStream::connect(&server.address).await?;
        connection.write_all(&request).await?;
        let mut head = [0; 4096];
        let mut read = 0;
        while find(&head[..read], b"acknowledged").is_none() {
            let more = connection.read(&mut head[read..]);
            let Ok(more) = tokio::time::timeout(Duration::from_secs(5), more).await else {
                return Ok(open);
            };
            match more? {
                0 => {
                    println!("{}", String::from_utf8_lossy(&head[..read]));
                    return Ok(open);
                }
                more => read += more,
            }
        }
        open.push(connection);
    }
    Ok(open)
}
