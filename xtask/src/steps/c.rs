//! The C library: its header, its interface, its tests in Rust and in C, its examples, what it costs on
//! microcontrollers, and the ways to get it.

use anyhow::Result;
use xshell::cmd;

use crate::tools::Tools;

/// Build systems for firmware and their checkers, and a further compiler.
const PACKAGES: [&str; 5] = [
    "idf-component-manager==3.1.2",
    "kconfiglib==14.1.0",
    "platformio==6.2.0",
    "scons==4.11.1",
    "ziglang==0.17.1",
];

/// Checks the lints, that the header is current, that its interface is that of its version, that C sees what Rust sees,
/// that every compiler accepts header, test and examples, that the table of sizes is true, and that programs can get the
/// library in each way that it is offered. A blessing run writes the header, the interface and the table.
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
    let write = if tools.bless { &["--write"][..] } else { &[] };
    cmd!(sh, "c/sizes {write...}").run()?;
    let bless = if tools.bless { &["--bless"][..] } else { &[] };
    cmd!(sh, "c/abi/check {bless...}").run()?;
    cmd!(sh, "c/abi/test").run()?;
    cmd!(sh, "c/package/check").run()?;
    let python = tools.python(&tools.target().join("c"), &PACKAGES)?;
    cmd!(sh, "c/package/firmware-check {python}").run()?;
    cmd!(sh, "c/package/zig-check {python}").run()?;
    Ok(())
}

/// Checks that the archives for all targets link, and that their bytes do not depend on the folder of the repository.
pub fn archives(tools: &Tools) -> Result<()> {
    let sh = &tools.sh;
    let _target = sh.push_env("CARGO_TARGET_DIR", tools.target().join("c"));
    cmd!(sh, "c/package/archives-check").run()?;
    Ok(())
}
