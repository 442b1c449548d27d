//! The verdicts of the crate, which no feature may change.

use std::path::Path;

use anyhow::{Result, ensure};
use xshell::cmd;

use crate::metadata;
use crate::tools::Tools;

/// The folders with the inputs of all tests.
const FOLDERS: [&str; 4] = ["mcp/tests/data", "cli/tests/golden", "tests/fuzz", "examples"];

/// Checks that the crate compiles without features, with each alone and with all, and gives the same reports on the inputs of
/// all tests. With pairs, every two features are checked as well.
pub fn verdicts(tools: &Tools, pairs: bool) -> Result<()> {
    let sets = sets(&metadata::features(tools)?, pairs);
    let mut first = None;
    for set in &sets {
        let verdicts = run(tools, set)?;
        println!("{:<40} {verdicts}", if set.is_empty() { "none" } else { set });
        let first = first.get_or_insert_with(|| verdicts.clone());
        ensure!(
            verdicts == *first,
            "with {set} the crate reports something else than without features; to see what, compare the output of both: \
             cargo run --manifest-path xtask/Cargo.toml --package verdicts --features {set} -- --all {}",
            FOLDERS.join(" ")
        );
    }
    println!("{} sets of features compile, and none changes a verdict", sets.len());
    Ok(())
}

/// The campaign that checks every pair of features.
pub fn pairs(tools: &Tools) -> Result<()> {
    verdicts(tools, true)
}

/// Returns the sets of features: none, each alone, all, and with pairs every two.
fn sets(features: &[String], pairs: bool) -> Vec<String> {
    let mut sets = vec![String::new()];
    sets.extend_from_slice(features);
    sets.push(features.join(","));
    let with_others = features.iter().enumerate().filter(|_| pairs);
    for (at, one) in with_others {
        sets.extend(features[at + 1..].iter().map(|other| format!("{one},{other}")));
    }
    sets
}

/// Returns the number of the reports with these features.
fn run(tools: &Tools, features: &str) -> Result<String> {
    let manifest = Path::new("xtask/Cargo.toml");
    let run = cmd!(tools.sh, "cargo run --quiet --locked --manifest-path {manifest}");
    let run = run.args(["--package", "verdicts", "--features", features, "--"]);
    Ok(run.args(FOLDERS).quiet().read()?)
}

#[cfg(test)]
mod tests {
    use super::sets;

    #[test]
    fn the_sets_are_none_each_all_and_the_pairs() {
        let features = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(sets(&features, false), ["", "a", "b", "c", "a,b,c"]);
        let pairs = ["", "a", "b", "c", "a,b,c", "a,b", "a,c", "b,c"];
        assert_eq!(sets(&features, true), pairs);
    }
}
