//! The checks of every Rust project: format, lints, documentation, and that its packages build by themselves.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use xshell::cmd;

use crate::tools::{Tools, WORKSPACES};

/// The sets of features of the core under which its code differs.
const SCANNERS: [&str; 3] = ["", "fast", "simd"];

/// Checks the format of every package.
pub fn format(tools: &Tools) -> Result<()> {
    let sh = &tools.sh;
    cmd!(sh, "cargo fmt --all --check").run()?;
    for workspace in WORKSPACES {
        cmd!(sh, "cargo fmt --all --manifest-path {workspace}/Cargo.toml --check").run()?;
    }
    Ok(())
}

/// Runs clippy on everything, with warnings as errors. The steps `board-on-host` and `fallbacks` do the same for their code,
/// which needs other features or flags, and `http-servers` for its own, which needs other SDKs.
pub fn clippy(tools: &Tools) -> Result<()> {
    let sh = &tools.sh;
    cmd!(sh, "cargo clippy --workspace --all-targets --all-features -- -D warnings").run()?;
    for features in SCANNERS {
        cmd!(sh, "cargo clippy --package tautline --lib --no-default-features --features {features} -- -D warnings").run()?;
    }
    cmd!(sh, "cargo clippy --package tautline-mcp --lib --no-default-features -- -D warnings")
        .run()?;
    cmd!(sh, "cargo clippy --package tautline-tokio --lib --no-default-features -- -D warnings")
        .run()?;
    cmd!(sh, "cargo clippy --manifest-path benches/Cargo.toml --workspace --exclude http_servers --all-targets -- -D warnings")
        .run()?;
    cmd!(sh, "cargo clippy --manifest-path examples/rmcp_server/Cargo.toml --workspace --all-targets -- -D warnings")
        .run()?;
    cmd!(sh, "cargo clippy --manifest-path gateway/e2e/Cargo.toml --all-targets -- -D warnings")
        .run()?;
    cmd!(sh, "cargo clippy --manifest-path xtask/Cargo.toml --workspace --exclude fallbacks --all-targets -- -D warnings")
        .run()?;
    Ok(())
}

/// Builds the documentation, with warnings as errors. Links must also hold with fewer features: in what users build by
/// default, and in what firmware has.
pub fn docs(tools: &Tools) -> Result<()> {
    let sh = &tools.sh;
    sh.set_var("RUSTDOCFLAGS", "-D warnings");
    cmd!(sh, "cargo doc --workspace --no-deps --all-features --document-private-items").run()?;
    for package in ["tautline", "tautline-mcp"] {
        for features in [&[][..], &["--no-default-features"]] {
            cmd!(sh, "cargo doc --package {package} --no-deps --lib {features...}").run()?;
        }
    }
    Ok(())
}

/// Packs each published package, and checks the contents of the packages on their own: a file that a package lacks is
/// an error. The packages find each other in a workspace that is made of them, so that their dependencies are compiled
/// once.
pub fn package(tools: &Tools) -> Result<()> {
    let sh = &tools.sh;
    let scratch = tools.scratch()?;
    let packed = scratch.path().join("packed");
    cmd!(sh, "cargo package --workspace --no-verify --allow-dirty --quiet --target-dir {packed}")
        .run()?;
    let members = scratch.path().join("members");
    fs::create_dir(&members)?;
    for file in sh.read_dir(packed.join("package"))? {
        if file.extension().is_some_and(|kind| kind == "crate") {
            // The times in a package are all the same, so cargo would reuse what it has built of older files.
            cmd!(sh, "tar --extract --gzip --touch --file {file} --directory {members}").run()?;
        }
    }
    let names = published(tools)?;
    let mut patches = String::new();
    for name in &names {
        let folder = folder_of(&members, name)?;
        // The manifest as it was written: the one for the registry names versions instead of folders, as it must.
        patches += &format!("{name} = {{ path = \"members/{folder}\" }}\n");
    }
    let manifest = format!(
        "[workspace]\nmembers = [\"members/*\"]\nresolver = \"3\"\n\
         [profile.dev]\ndebug = \"line-tables-only\"\n[patch.crates-io]\n{patches}"
    );
    fs::write(scratch.path().join("Cargo.toml"), manifest)?;
    fs::copy("Cargo.lock", scratch.path().join("Cargo.lock"))?;
    let manifest = scratch.path().join("Cargo.toml");
    cmd!(sh, "cargo check --manifest-path {manifest} --workspace").run()?;
    println!("package: {}", names.join(", "));
    Ok(())
}

/// Returns the names of the packages of the workspace that are published.
fn published(tools: &Tools) -> Result<Vec<String>> {
    let sh = &tools.sh;
    let metadata =
        cmd!(sh, "cargo metadata --locked --no-deps --format-version 1").quiet().read()?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata)?;
    let packages = metadata["packages"].as_array().context("packages")?;
    // `publish = false` is an empty list of registries.
    let is_published = |package: &&serde_json::Value| package["publish"].is_null();
    let names = packages.iter().filter(is_published).filter_map(|package| package["name"].as_str());
    let names: Vec<_> = names.map(str::to_owned).collect();
    ensure!(names.len() > 1, "the published packages were not found: {names:?}");
    Ok(names)
}

/// Returns the folder that a package was unpacked into: its name and its version.
fn folder_of(members: &Path, name: &str) -> Result<String> {
    for entry in fs::read_dir(members)? {
        let folder = entry?.file_name().to_string_lossy().into_owned();
        let version = folder.strip_prefix(name).and_then(|rest| rest.strip_prefix('-'));
        if version.is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()))
        {
            return Ok(folder);
        }
    }
    anyhow::bail!("{name} was not packed")
}
