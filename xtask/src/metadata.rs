//! The packages and features that cargo reports.

use anyhow::{Context as _, Result};
use serde_json::Value;
use xshell::cmd;

use crate::tools::Tools;

/// Returns the packages of the workspace, and on request also the other packages of its lock file.
pub fn packages(tools: &Tools, with_dependencies: bool) -> Result<Vec<Value>> {
    let mut metadata = cmd!(tools.sh, "cargo metadata --locked --format-version 1");
    if !with_dependencies {
        metadata = metadata.arg("--no-deps");
    }
    let mut metadata: Value = serde_json::from_str(&metadata.quiet().read()?)?;
    serde_json::from_value(metadata["packages"].take()).context("no list of packages")
}

/// Returns the features of tautline, without `default`.
pub fn features(tools: &Tools) -> Result<Vec<String>> {
    let packages = packages(tools, false)?;
    let package = packages.iter().find(|package| package["name"] == "tautline");
    let features = package.and_then(|package| package["features"].as_object());
    let names = features.context("tautline has no features")?.keys();
    Ok(names.filter(|name| *name != "default").cloned().collect())
}
