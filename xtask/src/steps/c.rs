//! The C library: its header, its tests in Rust and in C, its examples, and what it costs on microcontrollers.

use anyhow::Result;
use xshell::cmd;

use crate::tools::Tools;

/// Checks the lints, that the header is current, that C sees what Rust sees, that every compiler accepts header, test and
/// examples, that a server in C gives the right answers, and that the table of sizes is true. A blessing run writes the
/// header and the table.
pub fn c(tools: &Tools) -> Result<()> {
    let sh = &tools.sh;
    let _target = sh.push_env("CARGO_TARGET_DIR", tools.target().join("c"));
    let workspace = ["--locked", "--manifest-path", "c/Cargo.toml", "--workspace"];
    if tools.bless {
        cmd!(
            sh,
            "cargo run --quiet --locked --manifest-path c/Cargo.toml --package tautline-c-header"
        )
        .run()?;
    }
    cmd!(sh, "cargo clippy {workspace...} --all-targets -- -D warnings").run()?;
    cmd!(sh, "cargo test --quiet {workspace...}").run()?;
    let fast = ["--locked", "--manifest-path", "c/Cargo.toml", "--features", "fast"];
    cmd!(sh, "cargo test --quiet {fast...} --test differential").run()?;
    cmd!(sh, "c/check").run()?;
    cmd!(sh, "c/compare/run").run()?;
    let write = if tools.bless { &["--write"][..] } else { &[] };
    cmd!(sh, "c/sizes {write...}").run()?;
    Ok(())
}

/// Passes a million inputs to the functions of the header.
pub fn fuzz(tools: &Tools) -> Result<()> {
    let _target = tools.sh.push_env("CARGO_TARGET_DIR", tools.target().join("c"));
    cmd!(tools.sh, "c/fuzz/run 1000000 -max_len=900").run()?;
    Ok(())
}
