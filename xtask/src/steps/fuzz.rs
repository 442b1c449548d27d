//! Fuzzing: every target, starting from the committed seeds. Findings become files in tests/fuzz/regressions, which
//! `cargo test` replays.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context as _, Result, ensure};
use xshell::cmd;

use crate::tools::{Tools, root};

/// The number of targets that run at a time. Each uses one core.
const AT_A_TIME: usize = 2;

/// A line of a log is shown if it contains one of these texts.
const SHOWN: [&str; 7] =
    ["stat::number", "stat::average", "SUMMARY", "panicked", "assertion", "left:", "right:"];

/// Fuzzes every target for some seconds.
pub fn smoke(tools: &Tools) -> Result<()> {
    // The build takes longer than the runs, so it is not fully optimized.
    let _env = tools.sh.push_env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
    let folder = build(tools, &["--codegen-units", "16"])?;
    fuzz(tools, &folder, &["-max_total_time=5"])
}

/// Fuzzes every target ten million times.
pub fn long(tools: &Tools) -> Result<()> {
    let folder = build(tools, &[])?;
    fuzz(tools, &folder, &["-runs=10000000", "-max_len=640"])
}

/// Builds all targets, and returns the folder with the programs.
fn build(tools: &Tools, flags: &[&str]) -> Result<PathBuf> {
    tools.nightly()?.args(["fuzz", "build"]).args(flags).run()?;
    let host = cmd!(tools.sh, "rustc --print host-tuple").quiet().read()?;
    Ok(tools.target().join(host).join("release"))
}

fn fuzz(tools: &Tools, folder: &Path, options: &[&str]) -> Result<()> {
    let targets = tools.nightly()?.args(["fuzz", "list"]).quiet().read()?;
    let targets: Vec<_> = targets.lines().collect();
    ensure!(!targets.is_empty(), "there is no fuzz target");
    let waiting = Mutex::new(targets.iter());
    let next = || waiting.lock().expect("no thread panics with this lock").next();
    let work = || {
        let mut failed = Vec::new();
        while let Some(target) = next() {
            match run(folder, target, options) {
                Ok(report) => println!("{report}"),
                Err(error) => failed.push(format!("{target}: {error:#}")),
            }
        }
        failed
    };
    let failed = thread::scope(|scope| {
        let threads: Vec<_> = (0..AT_A_TIME).map(|_| scope.spawn(work)).collect();
        let joined = threads.into_iter().map(|thread| thread.join().expect("it does not panic"));
        joined.flatten().collect::<Vec<_>>()
    });
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    println!("{} fuzz targets have found nothing", targets.len());
    Ok(())
}

/// Fuzzes a target, and returns what to show.
fn run(folder: &Path, target: &str, options: &[&str]) -> Result<String> {
    let corpus = root().join("fuzz/corpus").join(target);
    let regressions = Path::new("tests/fuzz/regressions").join(target);
    fs::create_dir_all(&corpus)?;
    fs::create_dir_all(root().join(&regressions))?;
    let log = corpus.with_extension("log");
    let file = File::create(&log).with_context(|| log.display().to_string())?;
    let status = Command::new(folder.join(target))
        .current_dir(root())
        .arg(&corpus)
        .arg(Path::new("tests/fuzz/seeds").join(target))
        .arg(&regressions)
        .arg(format!("-artifact_prefix={}/", regressions.display()))
        .args(["-dict=fuzz/json.dict", "-timeout=10", "-print_final_stats=1"])
        .args(options)
        // As `cargo fuzz run` does.
        .env("ASAN_OPTIONS", "detect_odr_violation=0")
        .stdout(file.try_clone()?)
        .stderr(file)
        .status()
        .with_context(|| folder.join(target).display().to_string())?;
    let log = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
    let has_ended = log.contains("stat::number_of_executed_units");
    ensure!(status.success() && has_ended, "it has failed, {status}\n{}", last(&log, 40));
    Ok(format!("--- {target}\n{}", shown(&log)))
}

fn shown(log: &str) -> String {
    let lines = log.lines().filter(|line| SHOWN.iter().any(|part| line.contains(part)));
    lines.collect::<Vec<_>>().join("\n")
}

fn last(log: &str, count: usize) -> String {
    let lines: Vec<_> = log.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::{last, shown};

    #[test]
    fn the_statistics_and_the_failure_are_shown() {
        let log = "#2 INITED\nstat::number_of_executed_units: 5\nstat::peak_rss_mb: 9\n\
                   thread panicked at a.rs\n  left: 1\n";
        assert_eq!(
            shown(log),
            "stat::number_of_executed_units: 5\nthread panicked at a.rs\n  left: 1"
        );
    }

    #[test]
    fn the_last_lines_are_shown() {
        assert_eq!(last("a\nb\nc\n", 2), "b\nc");
        assert_eq!(last("a\n", 2), "a");
    }
}
