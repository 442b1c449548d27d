//! Round trips over an in-memory pipe: a caller sends a request, a handler answers, and the caller checks the answer.
//!
//! - MCP: a client and a server of tautline-tokio, and a client and a server of rmcp, call a tool.
//! - LSP: the same plain client asks a server of tautline-tokio and one of tower-lsp-server for a hover.
//!
//! The contestants take turns, and each number is the median of its turns. `--smoke` checks the answers alone.

mod lsp;
mod mcp;

use std::time::{Duration, Instant};

/// The duration of a turn, and the number of turns of each contestant.
const TURN: Duration = Duration::from_millis(400);
const TURNS: usize = 15;

/// The size of the pipe in bytes.
pub const PIPE: usize = 64 * 1024;

/// Counts round trips until this time.
pub struct Clock {
    end: Instant,
}

impl Clock {
    pub fn is_over(&self) -> bool {
        Instant::now() >= self.end
    }
}

/// Runs a turn of a contestant, and returns the number of its round trips.
type Turn = fn(&tokio::runtime::Runtime, Clock, usize) -> u64;

fn main() {
    if std::env::args().any(|argument| argument == "--smoke") {
        smoke();
    } else {
        compete(TURN, TURNS);
    }
}

/// Runs a short contest, to see whether every answer is right.
fn smoke() {
    compete(Duration::from_millis(20), 1);
}

/// Prints a table of the rates.
fn compete(turn: Duration, turns: usize) {
    let contests: [(&str, [(&str, Turn); 2]); 2] = [
        ("MCP, tools/call", [("tautline-tokio", mcp::tautline), ("rmcp", mcp::rmcp)]),
        ("LSP, hover", [("tautline-tokio", lsp::tautline), ("tower-lsp-server", lsp::tower)]),
    ];
    println!("| | calls at once | threads | contestant | round trips a second | ratio |");
    println!("|---|---|---|---|---|---|");
    for threads in [1, 2] {
        for at_once in [1, 64] {
            for (contest, contestants) in &contests {
                let rates = contestants.map(|_| Vec::new());
                let rates = (0..turns).fold(rates, |mut rates, _| {
                    for ((_, contestant), rates) in contestants.iter().zip(&mut rates) {
                        let runtime = runtime(threads);
                        let begun = Instant::now();
                        let count = contestant(&runtime, Clock { end: begun + turn }, at_once);
                        assert!(count > 0);
                        rates.push(count as f64 / begun.elapsed().as_secs_f64());
                    }
                    rates
                });
                let medians = rates.map(median);
                for ((name, _), rate) in contestants.iter().zip(medians) {
                    let ratio = medians[0] / rate;
                    println!(
                        "| {contest} | {at_once} | {threads} | {name} | {rate:.0} | {ratio:.2} |"
                    );
                }
            }
        }
    }
}

fn runtime(threads: usize) -> tokio::runtime::Runtime {
    let mut builder = match threads {
        1 => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    builder.worker_threads(threads).enable_all().build().expect("a runtime")
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

#[test]
fn every_answer_is_right() {
    smoke();
}
