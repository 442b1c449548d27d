//! The cost of the scanner, counted: instructions, and lines that are scanned twice.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context as _, Result, bail, ensure};
use xshell::cmd;

use crate::callgrind;
use crate::tools::{Tools, root};

/// The counts of an earlier build.
const TABLE: &str = "xtask/data/instructions.tsv";

/// The most that a count may exceed the table's, in percent.
const TOLERANCE: f64 = 3.0;
/// The same, if another compiler has made the table.
const TOLERANCE_FOR_OTHER_COMPILERS: f64 = 10.0;

/// Guards the cost of the scanner: counts the instructions for a fixed set of inputs and compares them with a table.
///
/// The three builds are the plain scanner, the fast one, and the fast one with vectors, which are AVX2 here. The step
/// fails on a machine without AVX2.
pub fn instructions(tools: &Tools) -> Result<()> {
    ensure!(has_avx2(), "this machine has no AVX2, which the table is about");
    let version = cmd!(tools.sh, "rustc --version").quiet().read()?;
    let mut now = Table { compiler: version.trim().to_owned(), rows: Vec::new() };
    for build in ["plain", "fast", "simd"] {
        for (name, count) in counted(tools, build, "instructions")? {
            ensure!(count > 10_000, "the work was not found: {build}, {name}");
            now.rows.push((format!("{build}, {name}"), count));
        }
    }
    let path = root().join(TABLE);
    if tools.bless {
        return fs::write(path, now.print()).context(TABLE);
    }
    let before = Table::parse(&fs::read_to_string(path).context(TABLE)?)?;
    let (report, passed) = now.compare(&before);
    print!("{report}");
    ensure!(
        passed,
        "more instructions than in {TABLE}; if they are worth it: cargo xtask gate --bless instructions"
    );
    Ok(())
}

/// Checks that work is linear however the input is cut, and whatever a hostile peer sends.
///
/// 1. Splitting and parsing a frame of 16 MiB costs at most 17 times as much as a frame of 1 MiB, both in pushes of 64
///    bytes. Exactly linear would be 16 times; storage that grows in steps may take the rest.
/// 2. So does splitting alone.
/// 3. So does filling a buffer from reads of 64 bytes.
/// 4. So does taking a frame off each of the other framings.
/// 5. Requesting every finding costs at most 6 times as much for a byte of a message with unknown members, whose names are
///    compared to the known ones, as for a byte of usual traffic.
/// 6. If a message refers to a request by a number of 4 MB, a session with 1,024 requests in flight observes it with at
///    most twice the work of parsing it.
pub fn linear(tools: &Tools) -> Result<()> {
    // Otherwise glibc learns from what a program frees, and a count depends on the work before.
    let _env = tools.sh.push_env("GLIBC_TUNABLES", "glibc.malloc.mmap_threshold=131072");
    let mut comparison = Comparison::default();
    frames(&counted(tools, "simd", "linear")?, &mut comparison)?;
    hostile(&counted(tools, "simd", "hostile")?, &mut comparison)?;
    ensure!(!comparison.failed, "some work is not linear");
    Ok(())
}

/// Counts the valid lines that the fast path leaves to the plain scanner, in the benchmark corpora and in the
/// recordings of this repository. Such a line gets the right verdict, so no other test notices it, but it is scanned
/// twice. The step fails if 0.05 percent or more of the lines of a corpus are left to the plain scanner or to the
/// validator, or any line of a recording that has no raw CR.
///
/// The counts depend on the processor: windows need AVX2.
pub fn fallbacks(tools: &Tools) -> Result<()> {
    // The hidden module that knows who decides about a line is compiled for fuzzers only.
    let flags = tools.sh.var("RUSTFLAGS").unwrap_or_default() + " --cfg fuzzing";
    // A folder of its own, because other flags would cause everything to be rebuilt.
    let _flags = tools.sh.push_env("RUSTFLAGS", flags.trim_start());
    let _folder = tools.sh.push_env("CARGO_TARGET_DIR", tools.target().join("fallbacks"));
    let package = ["--locked", "--manifest-path", "xtask/Cargo.toml", "--package", "fallbacks"];
    cmd!(tools.sh, "cargo clippy {package...} --profile decided -- -D warnings").run()?;
    cmd!(tools.sh, "cargo run --quiet {package...} --profile decided").run()?;
    Ok(())
}

fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Builds a program of the package `counted`, with the plain scanner or with the fast one of this feature. Returns the lines
/// that it prints, and the instructions for each.
fn counted(tools: &Tools, scanner: &str, program: &str) -> Result<Vec<(String, u64)>> {
    let build = cmd!(tools.sh, "cargo build --quiet --locked --manifest-path xtask/Cargo.toml");
    let build = build.args(["--package", "counted", "--profile", "counted", "--bin", program]);
    let features = if scanner == "plain" { "" } else { scanner };
    build.args(["--features", features]).run()?;
    callgrind::count(tools, &tools.target().join("counted").join(program))
}

/// Compares the work for large frames with the work for small ones.
fn frames(counted: &[(String, u64)], comparison: &mut Comparison) -> Result<()> {
    for (line, count) in counted {
        let (mib, _) = line.split_once('\t').context("no size")?;
        // Nothing finds a newline faster than 64 bytes per instruction.
        let fewest = (mib.parse::<u64>()? << 20) / 64;
        ensure!(*count >= fewest, "{line} MiB took only {count} instructions");
    }
    for pair in counted.chunks(2) {
        let [(large, count), (small, base)] = pair else { bail!("{pair:?} is no pair") };
        let names = large.strip_prefix("16\t").zip(small.strip_prefix("1\t"));
        let (name, _) = names.filter(|(large, small)| large == small).context("no pair")?;
        comparison.at_most(1700, &format!("{name} of 64 bytes: 16 MiB / 1 MiB"), *count, *base);
    }
    Ok(())
}

/// Compares the work that hostile messages cause with the work for other messages.
fn hostile(counted: &[(String, u64)], comparison: &mut Comparison) -> Result<()> {
    let (mut usual, mut parsed) = (None, None);
    for (line, count) in counted {
        match line.split('\t').collect::<Vec<_>>()[..] {
            ["findings", name, length] => {
                // Per byte, times a thousand.
                let count = count * 1000 / length.parse::<u64>()?;
                let usual = *usual.get_or_insert(count);
                comparison.at_most(600, &format!("findings: {name}, per kB"), count, usual);
            }
            ["parse", name, _] => parsed = Some((name, *count)),
            ["observe", name, _] => {
                let parsed = parsed.filter(|(other, _)| *other == name).context("not parsed")?;
                comparison.at_most(200, &format!("observe / parse: {name}"), *count, parsed.1);
            }
            _ => bail!("unknown line in the counts: {line}"),
        }
    }
    ensure!(usual.is_some() && parsed.is_some(), "a comparison is missing");
    Ok(())
}

/// Comparisons of two counts.
#[derive(Default)]
struct Comparison {
    failed: bool,
}

impl Comparison {
    /// Fails if the count is more than this percentage of the base.
    fn at_most(&mut self, percent: u64, what: &str, count: u64, base: u64) {
        let is_more = exceeds(count, base, percent);
        self.failed |= is_more;
        println!(
            "{what:<52} {count:>11} / {base:>11} = {:>5.2}  (at most {:>5.2}) {}",
            count as f64 / base as f64,
            percent as f64 / 100.0,
            if is_more { "FAILED" } else { "ok" }
        );
    }
}

fn exceeds(count: u64, base: u64, percent: u64) -> bool {
    count * 100 > base * percent
}

/// Instructions by the names of inputs and ways.
#[derive(Debug, PartialEq)]
struct Table {
    compiler: String,
    rows: Vec<(String, u64)>,
}

impl Table {
    fn parse(text: &str) -> Result<Self> {
        let mut lines = text.lines();
        let compiler = lines.next().and_then(|line| line.strip_prefix("# "));
        let compiler = compiler.context("the first line names no compiler")?.to_owned();
        let row = |line: &str| -> Result<(String, u64)> {
            let (name, count) = line.split_once('\t').with_context(|| format!("no tab: {line}"))?;
            Ok((name.to_owned(), count.parse().with_context(|| format!("no count: {line}"))?))
        };
        Ok(Self { compiler, rows: lines.map(row).collect::<Result<_>>()? })
    }

    fn print(&self) -> String {
        let mut text = format!("# {}\n", self.compiler);
        for (name, count) in &self.rows {
            let _ = writeln!(text, "{name}\t{count}");
        }
        text
    }

    /// Returns a report, and whether no count exceeds the earlier one, and both tables have the same rows. A count that
    /// is well below is pointed out, so that the table can be updated.
    fn compare(&self, before: &Self) -> (String, bool) {
        let mut report = String::new();
        let mut tolerance = TOLERANCE;
        if self.compiler != before.compiler {
            tolerance = TOLERANCE_FOR_OTHER_COMPILERS;
            let _ = writeln!(
                report,
                "another compiler has made the table: up to {tolerance} percent more are let through"
            );
        }
        let mut passed = true;
        for (name, count) in &self.rows {
            let Some((_, base)) = before.rows.iter().find(|(other, _)| other == name) else {
                let _ = writeln!(report, "not in the table: {name}");
                passed = false;
                continue;
            };
            let difference = (*count as f64 - *base as f64) * 100.0 / *base as f64;
            let verdict = match difference {
                _ if difference > tolerance => "FAILED",
                _ if difference < -TOLERANCE => "better: bless it",
                _ => "ok",
            };
            passed &= verdict != "FAILED";
            let _ = writeln!(report, "{name:<36} {count:>9}  {difference:>+6.2} %  {verdict}");
        }
        for (name, _) in &before.rows {
            if !self.rows.iter().any(|(other, _)| other == name) {
                let _ = writeln!(report, "only in the table: {name}");
                passed = false;
            }
        }
        (report, passed)
    }
}

#[cfg(test)]
mod tests {
    use super::{Table, exceeds};

    fn table(compiler: &str, rows: &[(&str, u64)]) -> Table {
        let rows = rows.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        Table { compiler: compiler.to_owned(), rows }
    }

    #[test]
    fn a_table_is_read_as_it_was_written() {
        let table = table("rustc 1", &[("plain, small, stream", 20_000), ("fast, blob", 3)]);
        assert_eq!(table.print(), "# rustc 1\nplain, small, stream\t20000\nfast, blob\t3\n");
        assert_eq!(Table::parse(&table.print()).unwrap(), table);
    }

    #[test]
    fn what_is_no_table_is_refused() {
        for text in ["", "plain\t1\n", "# rustc 1\nplain 1\n", "# rustc 1\nplain\tmany\n"] {
            assert!(Table::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn counts_may_grow_by_3_percent_and_by_10_with_another_compiler() {
        for (compiler, count, passes) in [
            ("rustc 1", 103_000, true),
            ("rustc 1", 103_001, false),
            ("rustc 1", 50_000, true),
            ("rustc 2", 110_000, true),
            ("rustc 2", 110_001, false),
        ] {
            let before = table("rustc 1", &[("a", 100_000)]);
            let (report, passed) = table(compiler, &[("a", count)]).compare(&before);
            assert_eq!(passed, passes, "{report}");
        }
        let (report, _) = table("1", &[("a", 90)]).compare(&table("1", &[("a", 100)]));
        assert!(report.contains("better: bless it"), "{report}");
    }

    #[test]
    fn both_tables_must_have_the_same_rows() {
        let (one, two) = (table("1", &[("a", 1)]), table("1", &[("a", 1), ("b", 1)]));
        assert!(!one.compare(&two).1);
        assert!(!two.compare(&one).1);
        assert!(two.compare(&two).1);
    }

    #[test]
    fn a_count_exceeds_its_share_only_above_it() {
        assert!(!exceeds(34, 2, 1700));
        assert!(exceeds(35, 2, 1700));
    }
}
