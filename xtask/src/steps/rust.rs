//! What every Rust project checks: format, lints, documentation, the least version, packages.

use anyhow::Result;
use xshell::cmd;

use crate::tools::Tools;

/// Checks the format of every package.
pub fn format(tools: &Tools) -> Result<()> {
    let sh = &tools.sh;
    cmd!(sh, "cargo fmt --all --check").run()?;
    Ok(())
}
