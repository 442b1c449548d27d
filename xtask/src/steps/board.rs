//! The server of embedded-example: its code on the host, and its image on the board, which QEMU emulates.

use anyhow::Result;
use xshell::cmd;

use crate::tools::Tools;

/// Lints and tests the code of the server on the host. It withstands a million broken lines, and every cut of a line.
pub fn on_host(tools: &Tools) -> Result<()> {
    let sh = &tools.sh;
    let manifest = ["--locked", "--manifest-path", "embedded-example/Cargo.toml"];
    let package = [&manifest[..], &["--no-default-features", "--features=server"]].concat();
    let package = &package;
    cmd!(sh, "cargo clippy {package...} --lib --examples -- -D warnings").run()?;
    cmd!(sh, "cargo test --quiet {package...} --lib").run()?;
    cmd!(sh, "cargo run --quiet --release {package...} --example hostile -- 1000000").run()?;
    cmd!(sh, "cargo run --quiet --release {package...} --example wire").run()?;
    Ok(())
}

/// Lets the official clients talk to the board.
pub fn board(tools: &Tools) -> Result<()> {
    Ok(cmd!(tools.sh, ".ci/board").run()?)
}
