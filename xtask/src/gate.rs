//! The steps of the gate and of the long campaigns, by their names.

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

use crate::steps::*;
use crate::tools::Tools;

/// A check with a name.
pub struct Step {
    pub name: &'static str,
    /// The claim that it checks, in one line.
    pub about: &'static str,
    pub run: fn(&Tools) -> Result<()>,
    /// The lane in which it runs.
    pub lane: Lane,
    /// True if it runs on every operating system with nothing but the stable toolchain. The other steps need what
    /// `.ci/setup` installs.
    pub is_portable: bool,
    /// True if `--bless` makes it write committed files.
    pub blesses: bool,
    /// The steps that must not run at the same time, because they write the same files.
    pub not_beside: &'static [&'static str],
}

/// Steps of different lanes run at the same time, and so do two of those that are apart. A worker with nothing left in
/// its lane takes steps of the other one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// In the shared target folder, where only one cargo can build at a time.
    Shared,
    /// In a target folder of its own, or mostly waiting.
    Apart,
}

impl Step {
    pub const fn new(
        name: &'static str,
        about: &'static str,
        run: fn(&Tools) -> Result<()>,
    ) -> Self {
        Self {
            name,
            about,
            run,
            lane: Lane::Shared,
            is_portable: true,
            blesses: false,
            not_beside: &[],
        }
    }

    pub const fn apart(mut self) -> Self {
        self.lane = Lane::Apart;
        self
    }

    pub const fn on_linux(mut self) -> Self {
        self.is_portable = false;
        self
    }

    pub const fn blesses(mut self) -> Self {
        self.blesses = true;
        self
    }

    pub const fn not_beside(mut self, others: &'static [&'static str]) -> Self {
        self.not_beside = others;
        self
    }
}

/// The checks that must pass before a change is merged. Within a lane, the steps run in this order: first those that
/// fail most often, and those that others build on.
pub const GATE: &[Step] = &[
    Step::new("format", "every package is formatted", rust::format),
    Step::new("arrows", "no files use each other in a circle", arrows::arrows),
    Step::new("names", "the core has no name of MCP", names::names),
    Step::new("clippy", "no lint complains", rust::clippy),
    Step::new("docs", "the documentation builds without a warning", rust::docs),
    Step::new("msrv", "no dependency needs a newer Rust", msrv::msrv),
    // Both write to the folder of the documentation.
    Step::new("api", "the public API is as listed", api::api)
        .on_linux()
        .blesses()
        .not_beside(&["docs"]),
    Step::new("package", "each published package compiles on its own", rust::package),
    Step::new("features", "each compiles, and none changes a verdict", feature_table::features),
    Step::new("feature-tests", "the tests pass with other features", tests::feature_tests),
    Step::new("examples", "the example json_rpc answers correctly", tests::examples),
    Step::new("rmcp", "the official Rust SDK on the codec survives bad input", tests::rmcp),
    Step::new("benches", "each benchmark gives the right answers", tests::benches),
    Step::new("board-on-host", "the server of the board works on the host", board::on_host)
        .on_linux(),
    Step::new("memory", "memory stays within bounds", limits::memory).on_linux(),
    Step::new("progress", "the progress bar is nearly free", limits::progress).on_linux(),
    Step::new("reports", "independent readers accept the reports", reports::reports).on_linux(),
    Step::new("linear", "work is linear, in instructions", counts::linear).on_linux(),
    Step::new("instructions", "no more instructions than before", counts::instructions)
        .on_linux()
        .blesses(),
    // These steps spend much of their time waiting. The longest come first, so that none is left alone at the end.
    Step::new("envoy", "the filter in Envoy gives the native verdicts", envoy::envoy)
        .apart()
        .on_linux()
        .not_beside(&["clients", "npm"]),
    Step::new("c", "the C library gives the native verdicts", c::c).apart().on_linux().blesses(),
    Step::new("c-board", "the server in C works on the microcontroller", c::board)
        .apart()
        .on_linux()
        .not_beside(&["c", "board", "clients"]),
    Step::new("twins", "the scanners agree on other machines", machines::twins).apart().on_linux(),
    Step::new("fuzz", "the fuzzers find nothing in seconds", fuzz::smoke).apart().on_linux(),
    Step::new("board", "official clients can use the microcontroller", board::board)
        .apart()
        .on_linux(),
    Step::new("footprint", "no panic, and the table of sizes is true", footprint::footprint)
        .apart()
        .on_linux()
        .not_beside(&["board"])
        .blesses(),
    Step::new("no-std", "the core compiles without std", machines::no_std).apart().on_linux(),
    Step::new("clients", "official clients can use the servers", clients::clients)
        .apart()
        .on_linux()
        .not_beside(&["board"]),
    Step::new("suite", "the official conformance suite passes over HTTP", suite::suite)
        .apart()
        .on_linux(),
    Step::new("npm", "the npm package gives the native verdicts", clients::npm).apart().on_linux(),
    Step::new("page", "the page around the audit writes a report", clients::page)
        .apart()
        .on_linux(),
    Step::new("fallbacks", "no valid line is scanned twice", counts::fallbacks).apart().on_linux(),
    Step::new("workflows", "actionlint has no complaint", clients::workflows).apart().on_linux(),
];

/// The long campaigns.
pub const FULL: &[Step] = &[
    Step::new("properties", "every test of the core at 100 times its volume", tests::properties),
    Step::new("giant", "a text of more than 4 GiB", tests::giant),
    Step::new("linear-audits", "a rule broken twice as often costs twice", tests::linear_audits),
    Step::new("http-soak", "a million requests over HTTP are answered", tests::http_soak)
        .on_linux(),
    Step::new("http-servers", "the servers of the HTTP benchmark answer", tests::http_servers)
        .on_linux(),
    Step::new("envoy-long", "the filter in Envoy at 20 times the volume", envoy::long).on_linux(),
    Step::new("memory-long", "memory stays within bounds, with 1 GiB", limits::memory_long)
        .on_linux(),
    Step::new("feature-pairs", "no two features change a verdict", tests::feature_pairs),
    Step::new("no-std-pairs", "one and two features compile without std", machines::no_std_pairs)
        .on_linux(),
    Step::new("twins-long", "other machines at 100 times the volume", machines::twins_long)
        .on_linux(),
    Step::new("sabotage", "each rule of windows is needed by a test", sabotage::sabotage)
        .on_linux(),
    Step::new("broken-lines", "20,000 broken lines on the board", footprint::many_broken_lines)
        .on_linux(),
    Step::new("c-boards", "20,000 broken lines for the server in C, and RISC-V", c::boards_long)
        .on_linux(),
    Step::new("npm-long", "the npm package in every way of use", clients::npm_long).on_linux(),
    Step::new("c-archives", "the C library for each target links", c::archives).on_linux(),
    Step::new("page-browser", "the page works in Chromium", clients::page_in_browser).on_linux(),
    Step::new("c-fuzz", "a million inputs find nothing in the C library", c::fuzz).on_linux(),
    Step::new("fuzz-long", "ten million executions of each target", fuzz::long).on_linux(),
];

/// Returns the steps with these names, or all if there are none.
///
/// # Errors
///
/// Fails if a name is unknown, or if a named step is not portable and only portable ones are wanted.
pub fn choose(
    all: &'static [Step],
    names: &[String],
    only_portable: bool,
) -> Result<Vec<&'static Step>> {
    if names.is_empty() {
        return Ok(all.iter().filter(|step| !only_portable || step.is_portable).collect());
    }
    let mut chosen = Vec::new();
    for name in names {
        let step = all.iter().find(|step| step.name == name);
        let step =
            step.with_context(|| format!("there is no step `{name}`; `--list` prints them"))?;
        if only_portable && !step.is_portable {
            bail!("the step `{name}` needs packages of a Linux distribution");
        }
        chosen.push(step);
    }
    Ok(chosen)
}

/// Runs a step in this process.
///
/// # Errors
///
/// Fails if the step does, or if there is none with this name.
pub fn run_step(name: &str, bless: bool) -> Result<ExitCode> {
    let step = GATE.iter().chain(FULL).find(|step| step.name == name).context("no such step")?;
    (step.run)(&Tools::new(bless)?)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod step_names {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;
    use crate::tools::root;

    fn read(path: &str) -> String {
        fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Returns the words that follow `command` in a text.
    fn named<'a>(text: &'a str, command: &str) -> BTreeSet<&'a str> {
        let is_of_name = |sign: char| sign.is_ascii_alphanumeric() || sign == '-';
        let after = text.match_indices(command).map(|(at, _)| &text[at + command.len()..]);
        let words =
            after.map(|rest| &rest[..rest.find(|sign| !is_of_name(sign)).unwrap_or(rest.len())]);
        words.filter(|word| !word.is_empty() && !word.starts_with('-')).collect()
    }

    fn names<'a>(steps: impl IntoIterator<Item = &'a Step>) -> BTreeSet<&'a str> {
        steps.into_iter().map(|step| step.name).collect()
    }

    #[test]
    fn names_are_unique() {
        assert_eq!(names(GATE.iter().chain(FULL)).len(), GATE.len() + FULL.len());
    }

    #[test]
    fn every_step_is_documented() {
        let page = read("docs/testing.md");
        for step in GATE.iter().chain(FULL) {
            assert!(
                page.contains(&format!("`{}`", step.name)),
                "docs/testing.md lacks {}",
                step.name
            );
        }
    }

    #[test]
    fn the_workflow_runs_the_portable_steps() {
        let workflow = read(".github/workflows/ci.yml");
        let portable = GATE.iter().filter(|step| step.is_portable);
        assert_eq!(named(&workflow, "cargo xtask gate "), names(portable));
        assert_eq!(
            named(&workflow, "name: ").intersection(&names(GATE)).count(),
            names(GATE.iter().filter(|step| step.is_portable)).len()
        );
    }

    #[test]
    fn the_nightly_workflow_runs_every_campaign() {
        let workflow = read(".github/workflows/nightly.yml");
        assert_eq!(named(&workflow, "          - "), names(FULL));
    }

    #[test]
    fn documents_name_steps_that_exist() {
        let pages = [
            "CONTRIBUTING.md",
            "RELEASING.md",
            "ARCHITECTURE.md",
            "docs/testing.md",
            "docs/blocks.md",
        ];
        for page in pages.into_iter().chain([
            "embedded-example/README.md",
            "embedded-example/FOOTPRINT.md",
            "c/board/README.md",
            "wasm/page/README.md",
            ".ci/board",
            ".ci/setup",
        ]) {
            let text = read(page);
            let all = || GATE.iter().chain(FULL);
            for (phrase, known) in [
                ("cargo xtask gate ", names(GATE)),
                ("cargo xtask full ", names(FULL)),
                ("step `", names(all())),
                ("steps `", names(all())),
            ] {
                let mut unknown = named(&text, phrase);
                unknown.retain(|name| *name != "STEP" && !known.contains(name));
                assert!(unknown.is_empty(), "{page}: {phrase}{unknown:?}");
            }
        }
    }
}
