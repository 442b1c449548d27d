//! Checks the features of the crate: the documentation of them is true, and none changes a verdict.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context as _, Result, ensure};
use xshell::cmd;

use crate::metadata;
use crate::steps::verdicts::verdicts;
use crate::tools::{Tools, root};

/// The place of the table in the documentation of the crate.
const PAGE: &str = "src/lib.rs";

/// With these features of serde_json, a peer could send one value and mean another, and features apply to the whole program.
const FORBIDDEN: [&str; 3] = ["raw_value", "arbitrary_precision", "unbounded_depth"];

/// Checks that the crate compiles with each feature, that none changes a verdict, and which crates each one adds.
pub fn features(tools: &Tools) -> Result<()> {
    verdicts(tools, false)?;
    table(tools)?;
    let alone = dependencies(tools, "")?;
    ensure!(alone.is_empty(), "without features, the crate needs {alone:?} besides memchr");
    no_forbidden(tools)
}

/// Checks the table of features: each row must name the crates that the feature adds to a build, besides `memchr`, which is
/// always there. Crates that run only in the compiler are not counted.
pub fn table(tools: &Tools) -> Result<()> {
    let page = fs::read_to_string(root().join(PAGE)).context(PAGE)?;
    let rows = parse(&page)?;
    let features = metadata::features(tools)?;
    let unknown = rows.keys().find(|name| !features.contains(name));
    ensure!(unknown.is_none(), "{PAGE} has a row for {unknown:?}, which is no feature");
    let mut wrong = String::new();
    for feature in &features {
        let row = rows.get(feature);
        let row = row.with_context(|| format!("the feature {feature} has no row in {PAGE}"))?;
        let found = list(&dependencies(tools, feature)?);
        if found != *row {
            wrong += &format!("\n{feature}: {PAGE} says `{row}`, and it is `{found}`");
        }
    }
    ensure!(wrong.is_empty(), "the table of features is wrong:{wrong}");
    println!("{} features bring the crates that {PAGE} names", features.len());
    Ok(())
}

/// Returns the last cell of each row by the feature in the first, from the section on features of the crate's documentation.
fn parse(page: &str) -> Result<BTreeMap<String, String>> {
    let lines = page.lines().filter_map(|line| line.strip_prefix("//!"));
    let lines = lines.map(str::trim).skip_while(|line| *line != "# Features").skip(1);
    let lines = lines.take_while(|line| !line.starts_with("# "));
    let mut rows = BTreeMap::new();
    for line in lines.filter(|line| line.starts_with("| `")) {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let feature = cells.first().and_then(|cell| cell.split('`').nth(1));
        let (Some(feature), [_, _, crates]) = (feature, &cells[..]) else {
            anyhow::bail!("this row has not three cells: {line}");
        };
        let earlier = rows.insert(feature.to_owned(), (*crates).to_owned());
        ensure!(earlier.is_none(), "{feature} has two rows");
    }
    ensure!(!rows.is_empty(), "{PAGE} has no table of features");
    Ok(rows)
}

/// Returns the crates that are linked with these features, without the crate itself and memchr, which it always needs.
fn dependencies(tools: &Tools, features: &str) -> Result<BTreeSet<String>> {
    let tree = cmd!(tools.sh, "cargo tree --locked --package tautline --no-default-features");
    let tree = tree.args(["--target", "x86_64-unknown-linux-gnu"]);
    let tree = tree.args(["--edges", "normal,no-proc-macro", "--prefix", "none"]);
    let output = tree.args(["--features", features]).quiet().read()?;
    let mut crates = names(&output);
    for always in ["tautline", "memchr"] {
        ensure!(crates.remove(always), "with `{features}`, the crate does not need {always}");
    }
    Ok(crates)
}

fn names(tree: &str) -> BTreeSet<String> {
    tree.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

fn list(crates: &BTreeSet<String>) -> String {
    if crates.is_empty() {
        return "none".to_owned();
    }
    crates.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

fn no_forbidden(tools: &Tools) -> Result<()> {
    let tree = cmd!(tools.sh, "cargo tree --locked --package tautline --all-features");
    let tree =
        tree.args(["--edges", "features,normal", "--invert", "serde_json"]).quiet().read()?;
    ensure!(
        tree.contains("serde_json feature \"alloc\""),
        "the features of serde_json are not shown"
    );
    for feature in FORBIDDEN {
        ensure!(
            !tree.contains(&format!("serde_json feature \"{feature}\"")),
            "the crate turns on {feature}, which lets a peer give commands to serde_json"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{list, names, parse};

    #[test]
    fn the_table_is_the_one_of_the_section_on_features() {
        let page = "//! | `frame` | no | feature |\n//!\n//! # Features\n//!\n//! | feature | adds | crates |\n//! |---|---|---|\n\
             //! | `std` (default, implies `alloc`) | `io` | serde, zmij |\n//! | `alloc` | a heap | none |\n\
             //!\n//! # Others\n//! | `no` | a | b |\n#![no_std]\n//! | `no` | a | b |\n";
        let rows = parse(page).unwrap();
        let rows: Vec<_> = rows.iter().map(|(name, row)| (name.as_str(), row.as_str())).collect();
        assert_eq!(rows, [("alloc", "none"), ("std", "serde, zmij")]);
    }

    #[test]
    fn a_broken_table_is_refused() {
        let page = |rows: &str| format!("//! # Features\n{rows}");
        assert!(parse(&page("//! | `a` | adds | none |\n")).is_ok());
        for rows in ["", "//! | `a` | adds |\n", "//! | `a` | b | c | d |\n"] {
            assert!(parse(&page(rows)).is_err(), "{rows}");
        }
        assert!(parse(&page(&"//! | `a` | adds | none |\n".repeat(2))).is_err());
    }

    #[test]
    fn crates_are_listed_once_in_order() {
        let crates =
            names("tautline v0.1.0 (/folder)\nserde v1.0.1\nmemchr v2.8.3\nserde v1.0.1 (*)\n");
        assert_eq!(list(&crates), "memchr, serde, tautline");
        assert_eq!(list(&names("")), "none");
    }
}
