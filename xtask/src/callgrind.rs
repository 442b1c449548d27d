//! Counts instructions under callgrind. Unlike times, counts do not depend on the load on the machine.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use xshell::cmd;

use crate::tools::Tools;

/// Runs a program that calls `counted::work`. Returns the line that it prints for each piece of work, and the instructions of
/// the work.
pub fn count(tools: &Tools, program: &Path) -> Result<Vec<(String, u64)>> {
    let scratch = tools.scratch()?;
    let out = scratch.path().join("out");
    let valgrind = cmd!(tools.sh, "valgrind --quiet --tool=callgrind --callgrind-out-file={out}");
    let valgrind = valgrind.args(["--dump-after=counted::ready*", "--dump-after=counted::worked*"]);
    let lines = valgrind.arg(program).quiet().read()?;
    ensure!(!lines.is_empty(), "{} has done nothing", program.display());
    // Callgrind writes the counts up to each piece of work to one file, and the counts of the work itself to the next.
    // The last file has the counts from there to the end.
    let dump = |number: usize| out.with_extension(number.to_string());
    let count = lines.lines().count();
    ensure!(!dump(2 * count + 1).exists(), "{} has done more than it prints", program.display());
    let numbered = lines.lines().zip(1..);
    let counted = numbered.map(|(line, number)| Ok((line.to_owned(), total(&dump(2 * number))?)));
    counted.collect()
}

/// Returns the instructions that a file of callgrind's counts.
pub fn total(file: &Path) -> Result<u64> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    parse_total(&text).with_context(|| format!("{} has no total", file.display()))
}

fn parse_total(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("totals: "))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::parse_total;

    #[test]
    fn the_total_is_that_of_the_file_and_not_of_the_summary() {
        let file = "events: Ir\nsummary: 12\n\nfn=(1) counted::worked\n16 900\n\ntotals: 2598566\n";
        assert_eq!(parse_total(file), Some(2_598_566));
        assert_eq!(parse_total("events: Ir\nsummary: 12\n"), None);
        assert_eq!(parse_total("totals: many\n"), None);
    }
}
