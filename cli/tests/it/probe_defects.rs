//! Tests the probe, the corpus and peers with defects against each other. Without a defect, a peer is right in every
//! case. With a defect, it is wrong in each case that lists the defect.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use serde_json::Value;
use tautline_conformance::{Corpus, Role};
use tautline_mcp::Revision;

use crate::examples::example;
use crate::support::at_once;

/// The timeout in seconds, and the timeout for a second try, because the machine may have been too busy for the first.
const TIMEOUT: &str = "1";
const LONG_TIMEOUT: &str = "10";

/// The maximum number of cases in one probe, so that no probe takes much longer than the others.
const CASES: usize = 16;

/// Defects that are seen before any case: no session can be opened, or the client does not end even without a mistake.
const AT_ONCE_SEEN: [&str; 6] = [
    "dies-before-initialize",
    "hangs-on-exit",
    "ignores-handshakes",
    "ignores-requests-before-initialize",
    "lacks-discover",
    "reads-ids-as-numbers",
];

#[test]
fn a_server_without_a_defect_is_right() {
    assert_is_right(Role::Server);
}

#[test]
fn each_case_finds_the_defects_that_it_lists_in_servers() {
    assert_is_found(Role::Server);
}

#[test]
fn a_client_without_a_defect_is_right() {
    assert_is_right(Role::Client);
}

#[test]
fn each_case_finds_the_defects_that_it_lists_in_clients() {
    assert_is_found(Role::Client);
}

/// Runs all cases, with a separate probe for each revision.
fn assert_is_right(role: Role) {
    let revisions: Vec<&str> = Revision::ALL.iter().map(|revision| revision.name()).collect();
    assert_eq!(revisions.len(), 5);
    at_once(revisions, |revision| {
        // The long timeout keeps a busy machine from failing the test.
        let document = probe(role, None, &["--timeout", "60", "--rules", revision]).unwrap();
        let rows = document["cases"].as_array().unwrap();
        let cases = Corpus::embedded().cases;
        let cases = cases.iter().filter(|case| case.role == role);
        let cases = cases.filter(|case| case.revisions.iter().any(|one| one == revision));
        assert_eq!(rows.len(), cases.count(), "{revision}");
        let wrong: Vec<String> = rows
            .iter()
            .filter(|row| row["result"] == "wrong")
            .map(|row| format!("{} ({revision}): {}: {}", row["id"], row["fault"], row["reason"]))
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        let skipped: Vec<&Value> = rows.iter().filter(|row| row["result"] == "skipped").collect();
        assert!(skipped.is_empty(), "{skipped:?}");
        assert_eq!(document["about"]["revisions"], serde_json::json!([revision]));
    });
    // One probe finds all revisions.
    let case = match role {
        Role::Server => "request-plain",
        Role::Client => "client-usual-answer",
    };
    let all = ["--timeout", "60", "--case", case, "--all-revisions"];
    let document = probe(role, None, &all).unwrap();
    assert_eq!(document["about"]["revisions"].as_array().unwrap().len(), 5);
    let rows = document["cases"].as_array().unwrap();
    assert!(rows.len() > 1 && rows.iter().all(|row| row["result"] == "right"));
    // By default, the case runs in the latest of its revisions.
    let document = probe(role, None, &all[..4]).unwrap();
    let latest = document["cases"].as_array().unwrap();
    assert_eq!(latest.len(), rows.len());
    let (last, others) = latest.split_last().unwrap();
    assert_eq!(last["result"], "right");
    let revision = last["revision"].as_str().unwrap();
    let why = format!("it runs in {revision}; --all-revisions runs it in each");
    assert!(others.iter().all(|row| row["reason"] == why), "{document}");
}

/// Runs each defect with the cases that list it, each in the newest revision of the case.
fn assert_is_found(role: Role) {
    let corpus = Corpus::embedded();
    let mut listed: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for case in corpus.cases.iter().filter(|case| case.role == role) {
        for defect in &case.defects {
            let revision = case.revisions.iter().max().unwrap();
            listed.entry((defect, revision)).or_default().push(&case.id);
        }
    }
    let mut runs = Vec::new();
    for ((defect, revision), ids) in &listed {
        // Each case waits several times for a process that hangs.
        let hangs = defect.starts_with("hangs-") || defect.starts_with("survives-");
        let most = if hangs { 1 } else { CASES };
        runs.extend(ids.chunks(most).map(|ids| (hangs, *defect, *revision, ids)));
    }
    // The longest runs start first, so that none is left for the end.
    runs.sort_by_key(|&(hangs, .., ids)| Reverse((hangs, ids.len())));
    let missed = at_once(runs, |(_, defect, revision, ids)| {
        let words = missing(role, defect, revision, TIMEOUT, ids);
        match words.is_empty() {
            true => words,
            false => missing(role, defect, revision, LONG_TIMEOUT, ids),
        }
    });
    let missed = missed.concat();
    assert!(missed.is_empty(), "{} of them:\n{}", missed.len(), missed.join("\n"));
}

/// Returns the cases that fail to find a defect.
fn missing(role: Role, defect: &str, revision: &str, timeout: &str, ids: &[&str]) -> Vec<String> {
    let mut args = vec!["--timeout", timeout, "--rules", revision];
    ids.iter().for_each(|id| args.extend(["--case", id]));
    let document = match probe(role, Some(defect), &args) {
        Ok(document) => document,
        // The defect is seen before the first case.
        Err(_) if AT_ONCE_SEEN.contains(&defect) => return Vec::new(),
        Err(why) => return vec![format!("{defect} ({revision}): {why}")],
    };
    let rows = document["cases"].as_array().unwrap();
    assert!(rows.len() >= ids.len(), "{defect}: {document}");
    let missed = rows.iter().filter(|row| row["result"] != "wrong");
    missed.map(|row| format!("{defect}: {} ({revision}) is {}", row["id"], row["result"])).collect()
}

/// Probes an example, and returns the document, or the error of the probe if nothing could be tested.
fn probe(role: Role, defect: Option<&str>, args: &[&str]) -> Result<Value, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tautline"));
    command.args(["probe", "--format", "json"]).args(args).stdin(Stdio::null());
    let name = match role {
        Role::Server => "broken_server",
        Role::Client => {
            command.arg("--client");
            "broken_client"
        }
    };
    command.arg("--").arg(example(name, ""));
    if let Some(defect) = defect {
        command.args(["--defect", defect]);
    }
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).map_err(|_| stderr)
}
