//! Servers of Streamable HTTP side by side. Each runs in a process of its own, on one thread, and is measured in turn, in
//! several rounds. The same clients send the same requests to each.
//!
//! ```sh
//! cargo run --release --manifest-path benches/http_servers/Cargo.toml -- [--rounds N] [--seconds S] [--server NAME]
//! ```

mod client;
mod process;
mod servers;

use std::error::Error;
use std::time::Duration;

use client::Job;
use process::Server;
use servers::Kind;

/// The number of connections. Each has one request in flight.
const CONNECTIONS: usize = 8;

struct Options {
    servers: Vec<Kind>,
    rounds: usize,
    time: Duration,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut options = Options { servers: Vec::new(), rounds: 5, time: Duration::from_secs(2) };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or("a value is missing");
        match argument.as_str() {
            "serve" => return servers::serve(value()?.parse()?),
            "--rounds" => options.rounds = value()?.parse()?,
            "--server" => options.servers.push(value()?.parse()?),
            "--seconds" => options.time = Duration::from_secs_f64(value()?.parse()?),
            other => return Err(format!("unknown argument {other}").into()),
        }
    }
    if options.servers.is_empty() {
        options.servers.extend(Kind::ALL);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for job in [Job::Small, Job::Large] {
        table(&runtime, job, &options)?;
    }
    runtime.block_on(streams(&options.servers))?;
    Ok(())
}

/// The measurements of one server in all rounds.
#[derive(Default)]
struct Row {
    /// Requests a second.
    speeds: Vec<f64>,
    /// Microseconds of CPU for a request.
    costs: Vec<f64>,
}

fn table(
    runtime: &tokio::runtime::Runtime,
    job: Job,
    options: &Options,
) -> Result<(), Box<dyn Error>> {
    let mut rows: Vec<(Kind, Row)> =
        options.servers.iter().map(|kind| (*kind, Row::default())).collect();
    for round in 0..=options.rounds {
        let count = rows.len();
        for index in 0..count {
            // Each round begins with another server.
            let (kind, row) = &mut rows[(index + round) % count];
            let server = Server::start(*kind)?;
            let (requests, cpu, time) = runtime.block_on(client::load(
                &server,
                job,
                CONNECTIONS,
                if round == 0 { options.time / 4 } else { options.time },
            ))?;
            // The first round warms up the machine.
            if round > 0 {
                row.speeds.push(requests as f64 / time.as_secs_f64());
                row.costs.push(cpu.as_secs_f64() * 1e6 / requests as f64);
            }
        }
    }
    println!("\n{job}\n");
    println!("| server | requests a second | CPU for a request, µs | by tautline's |");
    println!("|---|--:|--:|--:|");
    let own = rows.iter_mut().find(|(kind, _)| *kind == Kind::Tautline);
    let own = own.map_or(f64::NAN, |(_, row)| median(&mut row.costs));
    for (kind, row) in &mut rows {
        let (speed, cost) = (median(&mut row.speeds), median(&mut row.costs));
        println!("| {kind} | {speed:.0} | {cost:.1} | {:.2} |", cost / own);
    }
    Ok(())
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The number of streams that are opened to measure their memory.
const STREAMS: usize = 10_000;

/// Measures the memory of open streams: subscriptions, which tautline's server and rmcp's keep open.
async fn streams(servers: &[Kind]) -> Result<(), Box<dyn Error>> {
    println!("\nMemory of {STREAMS} open streams\n");
    println!("| server | MiB before | MiB with them | KiB a stream |");
    println!("|---|--:|--:|--:|");
    let keeping = [Kind::Tautline, Kind::TowerMcp, Kind::Rmcp];
    for kind in keeping.into_iter().filter(|kind| servers.contains(kind)) {
        let server = Server::start(kind)?;
        let before = server.memory()?;
        let open = client::subscribe(&server, STREAMS).await?;
        let after = server.memory()?;
        let mib = |bytes: u64| bytes as f64 / 1_048_576.0;
        let each = after.saturating_sub(before) as f64 / 1024.0 / open.len() as f64;
        println!(
            "| {kind} ({} open) | {:.1} | {:.1} | {each:.1} |",
            open.len(),
            mib(before),
            mib(after)
        );
    }
    Ok(())
}
