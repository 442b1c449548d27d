//! Starts a server, and an Envoy with the filter in front of it. The end-to-end test drives the official clients through
//! both:
//!
//! ```sh
//! export ENVOY=… MODULE=…
//! E2E_SERVER='behind_envoy http/examples/everything' tests/e2e/run everything
//! ```
//!
//! The arguments are the command of the server, which prints its URL and ends on SIGINT. This program does the same: it
//! prints the URL of Envoy, with the path of the server. The filter enforces the rules for requests and responses. At the end,
//! this program writes a line to standard error for each refusal of the filter. `RUNTIMES` names the WebAssembly runtime.

use std::error::Error;
use std::net::SocketAddr;
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tautline_gateway_tests::bootstrap::{Config, Filter};
use tautline_gateway_tests::envoy::Envoy;
use tautline_gateway_tests::runtimes;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::signal::ctrl_c;
use tokio::time::timeout;

/// The time in which the server has to end.
const END: Duration = Duration::from_secs(8);

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let mut command = Command::new(arguments.next().ok_or("usage: behind_envoy COMMAND…")?);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut server = command.spawn()?;
    let mut lines = BufReader::new(server.stdout.take().ok_or("no pipe")?).lines();
    let url = lines.next_line().await?.ok_or("the server printed no URL")?;
    let (address, path) = parts(&url).ok_or_else(|| format!("not the URL of a server: {url}"))?;

    let runtime = runtimes().swap_remove(0);
    let filter = Filter::tautline(&runtime, &json!({ "responses": "enforce" }));
    let envoy = Envoy::start(&Config::new(filter, address)).await;
    println!("http://{}{path}", envoy.address);

    let status = tokio::select! {
        told = ctrl_c() => {
            told?;
            end(&mut server).await?
        }
        status = server.wait() => status?.success(),
    };
    let counters = envoy.counters().await;
    for line in envoy.log().lines() {
        if let Some(finding) = finding(line) {
            eprintln!("{finding}");
        }
    }
    envoy.stop().await;
    for side in ["request", "response"] {
        let accepted = counters.get(&format!("tautline.{side}.accepted"));
        if accepted.is_none_or(|accepted| *accepted == 0) {
            return Err(format!("the filter has seen no {side}").into());
        }
    }
    Ok(if status { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the address and the path of a URL.
fn parts(url: &str) -> Option<(SocketAddr, &str)> {
    let rest = url.strip_prefix("http://")?;
    let (address, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    Some((address.parse().ok()?, path))
}

/// Ends the server. Returns whether it has ended well.
async fn end(server: &mut Child) -> Result<bool, Box<dyn Error>> {
    let id = server.id().and_then(|id| Pid::from_raw(id.try_into().ok()?));
    if let Some(id) = id {
        kill_process(id, Signal::INT)?;
    }
    let status = timeout(END, server.wait()).await;
    let status = status.map_err(|_| "the server does not end on SIGINT")??;
    Ok(status.success())
}

/// Returns a finding of the filter in a line of Envoy's log, with the rule first, as servers write theirs.
fn finding(line: &str) -> Option<String> {
    let (_, text) = line.split_once("wasm log ")?;
    let (_, rule) = text.split_once(" rule=")?;
    let rule = rule.split(' ').next()?;
    Some(format!("{rule} {text}"))
}
