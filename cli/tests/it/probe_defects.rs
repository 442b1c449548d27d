//! The probe, the corpus, and peers that are broken on demand, held to each other: without a defect, a peer is right in
//! every case; with one, it is wrong in each case that lists the defect.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock};
use std::thread;

use serde_json::Value;
use tautline_conformance::{Corpus, Role};

/// The number of probes that run at once. Most of their time they wait.
const AT_ONCE: usize = 16;

/// The time-out, in seconds, and the one for a second try: the machine may have been too busy for the first.
const TIMEOUT: &str = "1";
const LONG_TIMEOUT: &str = "10";

/// Defects that show before any case: no session can be opened, or the client does not end even if nothing is wrong.
const AT_ONCE_SEEN: [&str; 6] = [
    "dies-before-initialize",
    "hangs-on-exit",
    "ignores-handshakes",
    "ignores-requests-before-initialize",
    "lacks-discover",
    "reads-ids-as-numbers",
];

/// Returns the program of an example, which is built if `cargo test` has not done that.
fn example(name: &str) -> PathBuf {
    static BUILT: OnceLock<()> = OnceLock::new();
    let program = PathBuf::from(env!("CARGO_BIN_EXE_tautline"));
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let path = program.parent().unwrap().join("examples").join(name);
    BUILT.get_or_init(|| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--offline", "--package", "tautline-cli", "--examples"]);
        assert!(cargo.current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap().success());
    });
    path
}

/// Probes an example, and returns the document, or what the probe says if nothing could be tested.
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
    command.arg("--").arg(example(name));
    if let Some(defect) = defect {
        command.args(["--defect", defect]);
    }
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).map_err(|_| stderr)
}

fn assert_is_right(role: Role) {
    // A busy machine must not make it wrong.
    let document = probe(role, None, &["--timeout", "60"]).unwrap();
    let rows = document["cases"].as_array().unwrap();
    let wrong: Vec<String> = rows
        .iter()
        .filter(|row| row["result"] == "wrong")
        .map(|row| {
            format!("{} ({}): {}: {}", row["id"], row["revision"], row["fault"], row["reason"])
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let skipped: Vec<&Value> = rows.iter().filter(|row| row["result"] == "skipped").collect();
    assert!(skipped.is_empty(), "{skipped:?}");
    assert_eq!(document["about"]["revisions"].as_array().unwrap().len(), 5);
}

/// Runs each defect with the cases that list it, each in the newest revision that it is about.
fn assert_is_found(role: Role) {
    let corpus = Corpus::embedded();
    let mut runs: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for case in corpus.cases.iter().filter(|case| case.role == role) {
        for defect in &case.defects {
            let revision = case.revisions.iter().max().unwrap();
            runs.entry((defect, revision)).or_default().push(&case.id);
        }
    }
    let (queue, missed) = (Mutex::new(runs.into_iter()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(((defect, revision), ids)) = next(&queue) {
                    let mut words = missing(role, defect, revision, TIMEOUT, &ids);
                    if !words.is_empty() {
                        words = missing(role, defect, revision, LONG_TIMEOUT, &ids);
                    }
                    missed.lock().unwrap().extend(words);
                }
            });
        }
    });
    let missed = missed.into_inner().unwrap();
    assert!(missed.is_empty(), "{} of them:\n{}", missed.len(), missed.join("\n"));
}

/// Returns the cases that do not find a defect.
fn missing(role: Role, defect: &str, revision: &str, timeout: &str, ids: &[&str]) -> Vec<String> {
    let mut args = vec!["--timeout", timeout, "--rules", revision];
    ids.iter().for_each(|id| args.extend(["--case", id]));
    let document = match probe(role, Some(defect), &args) {
        Ok(document) => document,
        // The defect shows before the first case.
        Err(_) if AT_ONCE_SEEN.contains(&defect) => return Vec::new(),
        Err(why) => return vec![format!("{defect} ({revision}): {why}")],
    };
    let rows = document["cases"].as_array().unwrap();
    assert!(rows.len() >= ids.len(), "{defect}: {document}");
    let missed = rows.iter().filter(|row| row["result"] != "wrong");
    missed.map(|row| format!("{defect}: {} ({revision}) is {}", row["id"], row["result"])).collect()
}

fn next<T>(queue: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    queue.lock().unwrap().next()
}

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
