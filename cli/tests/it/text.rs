//! The order, the folding and the sides of findings in reports for people.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn run(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tautline"));
    command.args(args).env_remove("CLICOLOR_FORCE").stdin(Stdio::null()).output().unwrap()
}

fn text(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn file(name: &str, content: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("text");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path
}

/// Returns the severities and rules of the findings, in the order in which they are shown.
fn shown(said: &str) -> Vec<&str> {
    let names = ["error[", "warning[", "note["];
    let heads = said.lines().filter_map(|line| {
        let at = names.iter().find_map(|name| line.find(&format!(": {name}")))?;
        line.get(at + 2..)?.split(']').next()
    });
    heads.collect()
}

const NOTE: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"vendor/poll\"}\n";
const WARNING: &str = "{\"jsonrpc\":\"2.0\",\"id\":3.0,\"method\":\"ping\"}\n";
const ERROR: &str = "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}\n";

#[test]
fn errors_come_first_and_repeats_are_folded_in_a_file() {
    let wire = [NOTE, WARNING, NOTE, ERROR, NOTE, ERROR].concat();
    let path = file("folded.ndjson", &wire);
    let output = run(&["check", path.to_str().unwrap()]);
    let said = text(&output);
    let expected = ["error[id-type", "warning[id-not-plain-integer", "note[unknown-method"];
    assert_eq!(shown(said), expected, "{said}");
    assert!(said.contains("\n… and 1 more like it, up to line 6\n"), "{said}");
    assert!(said.contains("\n… and 2 more like it, up to line 5\n"), "{said}");
    assert!(
        said.contains("3 of 6 findings are not shown; --max-findings all shows them"),
        "{said}"
    );
    let output = run(&["check", "--max-findings", "all", path.to_str().unwrap()]);
    assert_eq!(shown(text(&output)).len(), 6);
    assert_eq!(shown(text(&output))[0], "note[unknown-method");
}

/// Findings with the same rule and other words are not like each other.
#[test]
fn other_words_are_another_finding() {
    let call = |params: Value| json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let wire = format!(
        "{}\n{}\n{}\n",
        call(json!({ "name": 5 })),
        call(json!({ "name": "a", "arguments": [] })),
        call(json!({ "name": 6 }))
    );
    let path = file("words.ndjson", &wire);
    let said = run(&["check", path.to_str().unwrap()]);
    let said = text(&said);
    assert_eq!(shown(said), ["error[member-type"; 2], "{said}");
    assert!(said.contains("… and 1 more like it, up to line 3"), "{said}");
}

fn recording(name: &str, lines: &[(&str, Value)]) -> PathBuf {
    let mut content = "{\"tautline-recording\":1}\n".to_owned();
    for (from, message) in lines {
        let record = json!({ "from": from, "text": format!("{message}\n") });
        content += &format!("{record}\n");
    }
    content += "{\"exit\":0}\n";
    file(name, &content)
}

/// The client has a bad id, and the server answers with a result that lacks a member.
fn session() -> PathBuf {
    let call = json!({
        "jsonrpc": "2.0", "id": 8, "method": "tools/call",
        "params": { "name": "git_status", "arguments": {} },
    });
    recording(
        "sides.recording",
        &[
            ("client", json!({ "jsonrpc": "2.0", "id": [], "method": "ping" })),
            ("client", call),
            ("server", json!({ "jsonrpc": "2.0", "id": 8, "result": { "content": 5 } })),
            (
                "client",
                json!({
                    "jsonrpc": "2.0", "id": 9, "method": "resources/read", "params": { "uri": "file:///a b" },
                }),
            ),
        ],
    )
}

#[test]
fn one_side_can_be_judged_alone() {
    let path = session();
    let path = path.to_str().unwrap();
    let rules = |args: &[&str]| {
        let args = [&["audit", "--rules", "2025-11-25", path][..], args].concat();
        let output = run(&[&args[..], &["--format", "json"]].concat());
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        let findings = document["findings"].as_array().unwrap().clone();
        let sides: Vec<Value> = findings.iter().map(|finding| finding["from"].clone()).collect();
        (sides, document["totals"].clone(), text(&run(&args)).to_owned())
    };
    let (both, _, said) = rules(&[]);
    assert!(!said.contains("about the other side"));
    for (side, other) in [("client", "server"), ("server", "client")] {
        let (sides, totals, said) = rules(&["--side", side]);
        assert!(!sides.is_empty() && sides.iter().all(|from| from == side), "{sides:?}");
        let others = both.iter().filter(|from| **from == other).count();
        assert_eq!(totals["other_side"], others);
        assert!(said.contains(" about the other side "), "{said}");
        // The named audits judge the whole wire.
        let is_of_other =
            |line: &str| line.contains(&format!(", from the {other}")) && line.contains(": error[");
        assert!(!said.lines().any(is_of_other), "{said}");
    }
    // A fault of the client is no failure of the server.
    let path = recording(
        "client.recording",
        &[("client", json!({ "jsonrpc": "2.0", "id": [], "method": "ping" }))],
    );
    let path = path.to_str().unwrap();
    assert_eq!(run(&["audit", path, "--side", "client"]).status.code(), Some(1));
    assert_eq!(run(&["audit", path, "--side", "server"]).status.code(), Some(0));
}

#[test]
fn a_log_knows_the_side_of_most_messages() {
    let wire = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":7}}\n\
        {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"roots/list\",\"params\":7}\n\
        ready\n";
    let path = file("sides.ndjson", wire);
    for (side, rules) in [
        ("client", ["error[member-type", "error[log-line"]),
        ("server", ["error[params-type", "error[log-line"]),
    ] {
        let output = run(&["check", "--side", side, path.to_str().unwrap()]);
        let said = text(&output);
        for rule in rules {
            assert!(shown(said).contains(&rule), "{side}: {said}");
        }
        assert!(said.contains("\n1 finding about the other side is not shown\n"), "{side}: {said}");
    }
    let path = file("side.ndjson", wire.lines().next().unwrap());
    let path = path.to_str().unwrap();
    assert_eq!(run(&["check", "--side", "server", path]).status.code(), Some(0));
    assert_eq!(run(&["check", "--side", "client", path]).status.code(), Some(1));
}

/// A reader sees which tool, prompt or resource is called, in the request and in its response.
#[test]
fn the_target_of_a_call_is_named() {
    let path = session();
    let path = path.to_str().unwrap();
    let said = run(&["audit", "--rules", "2025-11-25", path]);
    let said = text(&said);
    assert!(said.contains(": frame 3, from the server, tools/call git_status, byte "), "{said}");
    assert!(said.contains(", resources/read file:///a b"), "{said}");
    assert!(said.contains("\n  = help: answer each request"), "{said}");
    let output = run(&["audit", "--rules", "2025-11-25", "--format", "html", path]);
    let page = text(&output);
    assert!(page.matches("\"target\":\"git_status\"").count() >= 2, "request and response");
    let wire = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\",\"params\":{\"name\":\"plan\",\"arguments\":1}}\n";
    let path = file("target.ndjson", wire);
    let said = run(&["check", path.to_str().unwrap()]);
    assert!(text(&said).contains("note: the message is prompts/get plan"), "{}", text(&said));
}
