//! The packages and features that cargo reports.

use std::iter;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde_json::Value;
use xshell::cmd;

use crate::tools::{Tools, WORKSPACES};

/// The kinds of targets that are only built for tests, or to build others.
const FOR_TESTS_OR_BUILDS: [&str; 3] = ["test", "bench", "custom-build"];

/// Returns the packages of the workspace, and on request also the other packages of its lock file.
pub fn packages(tools: &Tools, with_dependencies: bool) -> Result<Vec<Value>> {
    let arguments: &[&str] = if with_dependencies { &[] } else { &["--no-deps"] };
    packages_with(tools, arguments)
}

/// Returns the root files of all libraries, programs and examples of the repository.
pub fn crate_roots(tools: &Tools) -> Result<Vec<PathBuf>> {
    let mut roots = Vec::new();
    for workspace in iter::once(".").chain(WORKSPACES) {
        let manifest = format!("{workspace}/Cargo.toml");
        for package in packages_with(tools, &["--no-deps", "--manifest-path", &manifest])? {
            for target in package["targets"].as_array().context("a package without targets")? {
                if !FOR_TESTS_OR_BUILDS.iter().any(|kind| target["kind"][0] == *kind) {
                    roots.push(
                        target["src_path"].as_str().context("a target without a file")?.into(),
                    );
                }
            }
        }
    }
    Ok(roots)
}

/// Returns the features of tautline, without `default`.
pub fn features(tools: &Tools) -> Result<Vec<String>> {
    let packages = packages(tools, false)?;
    let package = packages.iter().find(|package| package["name"] == "tautline");
    let features = package.and_then(|package| package["features"].as_object());
    let names = features.context("tautline has no features")?.keys();
    Ok(names.filter(|name| *name != "default").cloned().collect())
}

fn packages_with(tools: &Tools, arguments: &[&str]) -> Result<Vec<Value>> {
    let metadata = cmd!(tools.sh, "cargo metadata --locked --format-version 1").args(arguments);
    let mut metadata: Value = serde_json::from_str(&metadata.quiet().read()?)?;
    serde_json::from_value(metadata["packages"].take()).context("no list of packages")
}
