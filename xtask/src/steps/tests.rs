//! The tests that README's `cargo test` does not run: those of other features, and of packages of their own.

use anyhow::{Result, ensure};
use xshell::cmd;

use crate::tools::Tools;

/// Runs the tests of the core in builds whose code differs from the default one, and those of the packages that are not
/// default members of the workspace.
pub fn feature_tests(tools: &Tools) -> Result<()> {
    let sh = &tools.sh;
    let core = ["test", "--package", "tautline"];
    // Neither std nor a heap, and the plain scanner alone.
    cmd!(sh, "cargo").args(core).args(["--no-default-features", "--tests"]).run()?;
    // A heap without std, and the fast scanner without vectors.
    for features in ["serde_json", "std,fast"] {
        cmd!(sh, "cargo")
            .args(core)
            .args(["--no-default-features", "--features", features, "--lib"])
            .run()?;
    }
    // Every adapter. Arithmetic wraps as in releases, which shows what relies on the check of overflow.
    let wraps = ["overflow-checks", "debug-assertions"]
        .map(|check| format!("profile.test.package.tautline.{check}=false"));
    let [overflow, assertions] = &wraps;
    cmd!(sh, "cargo")
        .args(core)
        .args(["--all-features", "--lib", "--test", "it"])
        .args(["--config", overflow, "--config", assertions])
        .run()?;
    // MCP without shapes, without a heap, and without std.
    for features in ["", "shapes", "shapes,serde_json"] {
        cmd!(
            sh,
            "cargo test --package tautline-mcp --no-default-features --features {features} --tests"
        )
        .run()?;
    }
    cmd!(sh, "cargo test --package tautline-mcp --no-default-features --doc").run()?;
    // By itself, as the other packages enable features of serde_json that its tests must do without.
    cmd!(sh, "cargo test --package tautline-tokio").run()?;
    cmd!(sh, "cargo test --package tautline-tokio --no-default-features --doc").run()?;
    cmd!(sh, "cargo test --package tautline-http").run()?;
    cmd!(sh, "cargo test --package tautline-http --no-default-features --tests").run()?;
    cmd!(sh, "cargo test --package tautline-wasm --package tautline-page").run()?;
    // The parts of the tool that speak HTTP.
    cmd!(sh, "cargo test --package tautline-cli --features tls http").run()?;
    Ok(())
}

/// Runs every test of the core in a release build, at 100 times its volume.
pub fn properties(tools: &Tools) -> Result<()> {
    cmd!(tools.sh, "cargo test --package tautline --release --all-features")
        .env("TAUTLINE_TEST_VOLUME", "100")
        .run()?;
    Ok(())
}

/// Reads a text that is longer than the offsets in a frame can express, which takes 4.3 GB of memory.
pub fn giant(tools: &Tools) -> Result<()> {
    let name = "giant::what_stands_beyond_4_gib_is_not_overlooked";
    let test = cmd!(tools.sh, "cargo test --package tautline --release --test it");
    let output = test.args(["--", "--ignored", "--exact", name]).read()?;
    println!("{output}");
    ensure!(output.contains("1 passed"), "the test was not run");
    Ok(())
}

/// Breaks each rule 10,000 and 20,000 times in an audit, and compares the times.
pub fn linear_audits(tools: &Tools) -> Result<()> {
    let name = "linear::a_rule_that_is_broken_again_and_again_costs_the_same_each_time";
    let test = cmd!(tools.sh, "cargo test --package tautline-audit --release --test audit");
    let output = test.args(["--", "--ignored", "--exact", name]).read()?;
    println!("{output}");
    ensure!(output.contains("1 passed"), "the test was not run");
    Ok(())
}

/// Sends a million requests to the HTTP server, some of them broken, with clients that vanish and restarts.
pub fn http_soak(tools: &Tools) -> Result<()> {
    let sh = &tools.sh;
    sh.set_var("TAUTLINE_TEST_VOLUME", "100");
    let name = "soak::every_request_is_answered_once";
    let test = cmd!(sh, "cargo test --package tautline-http --release --test it");
    let output = test.args(["--", "--exact", "--nocapture", name]).read()?;
    println!("{output}");
    ensure!(output.contains("1 passed"), "the test was not run");
    Ok(())
}

/// Checks the benchmark of servers of HTTP, which depends on other SDKs, and runs it for a short time.
pub fn http_servers(tools: &Tools) -> Result<()> {
    let sh = &tools.sh;
    let manifest = "benches/http_servers/Cargo.toml";
    cmd!(sh, "cargo clippy --manifest-path {manifest} --all-targets -- -D warnings").run()?;
    let run = cmd!(sh, "cargo run --release --manifest-path {manifest} --");
    run.args(["--rounds", "1", "--seconds", "0.5"]).run()?;
    Ok(())
}

/// Checks that no two features change a verdict, and runs the tests with sets that the gate does without.
pub fn feature_pairs(tools: &Tools) -> Result<()> {
    super::verdicts::pairs(tools)?;
    for features in ["alloc,serde", "serde_json", "std,fast"] {
        cmd!(
            tools.sh,
            "cargo test --package tautline --no-default-features --features {features} --tests"
        )
        .run()?;
    }
    Ok(())
}

/// Runs every benchmark once, and compares its answers.
pub fn benches(tools: &Tools) -> Result<()> {
    // The step `http-servers` runs the other one.
    cmd!(
        tools.sh,
        "cargo test --manifest-path benches/Cargo.toml --workspace --exclude http_servers"
    )
    .run()?;
    Ok(())
}

/// The calls of the specification's examples, and the answers of the example `json_rpc`.
const CALLS: &str = r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}
{"jsonrpc":"2.0","method":"update","params":[1,2,3,4,5]}
[1]
{"jsonrpc":"2.0","method":"foobar","id":"1"}"#;
const ANSWERS: &str = r#"{"jsonrpc":"2.0","id":1,"result":19}
[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}]
{"jsonrpc":"2.0","id":"1","error":{"code":-32601,"message":"Method not found"}}"#;

/// Sends the specification's calls to the example `json_rpc`.
pub fn examples(tools: &Tools) -> Result<()> {
    let server = example(tools, "json_rpc")?;
    let answers = cmd!(tools.sh, "{server}").stdin(CALLS).read()?;
    ensure!(answers == ANSWERS, "these answers:\n{answers}\ninstead of:\n{ANSWERS}");
    println!("examples: the answers are the specification's");
    Ok(())
}

/// Builds the examples as `cargo test` does, and returns the program of one.
pub fn example(tools: &Tools, name: &str) -> Result<std::path::PathBuf> {
    cmd!(tools.sh, "cargo build --quiet --profile test --examples").run()?;
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    Ok(tools.target().join("debug/examples").join(file))
}

/// Sends the same bad input to the official SDK for Rust on its own transport and on ours.
pub fn rmcp(tools: &Tools) -> Result<()> {
    cmd!(tools.sh, "cargo test --manifest-path examples/rmcp_server/Cargo.toml").run()?;
    Ok(())
}
