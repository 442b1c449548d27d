//! The public API of the published libraries, compared with committed listings, so that no change to it goes unseen.

use anyhow::{Result, ensure};
use xshell::cmd;

use crate::tools::Tools;

const PACKAGES: [&str; 4] = ["tautline", "tautline-http", "tautline-mcp", "tautline-tokio"];

/// Compares each listing with the public items of the library with all features on, except derived and automatic
/// implementations.
pub fn api(tools: &Tools) -> Result<()> {
    let mut changed = Vec::new();
    for package in PACKAGES {
        let listing = format!("xtask/data/api/{package}.txt");
        let now = list(tools, package)?;
        if tools.bless {
            tools.sh.write_file(&listing, now)?;
        } else if tools.sh.read_file(&listing)? == now {
            println!("{package}: {} public items, as listed", now.lines().count());
        } else {
            let diff = cmd!(tools.sh, "diff -u {listing} -").stdin(now).quiet();
            diff.ignore_status().run()?;
            changed.push(package);
        }
    }
    ensure!(
        changed.is_empty(),
        "the public API of {changed:?} has changed; if that is intended: cargo xtask gate --bless api"
    );
    Ok(())
}

/// Lists the public items of a package, one per line.
fn list(tools: &Tools, package: &str) -> Result<String> {
    let rustdoc = tools.nightly()?.args(["rustdoc", "--quiet", "--locked", "--package", package]);
    let rustdoc = rustdoc.args(["--lib", "--all-features", "--", "-Z", "unstable-options"]);
    rustdoc.args(["--output-format", "json"]).run()?;
    let json = tools.target().join("doc").join(package.replace('-', "_")).with_extension("json");
    let api = cmd!(tools.sh, "cargo run --quiet --locked --manifest-path xtask/Cargo.toml");
    Ok(api.args(["--package", "api", "--"]).arg(json).read()? + "\n")
}
