//! SARIF 2.1.0, for code scanning.
//!
//! GitHub rejects a file with more than 25,000 results or 20 runs. Each document has one run, and a document has fewer
//! findings, unless it was made with a higher limit. A notification of the run lists what is missing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use serde_json::{Value, json};
use tautline::{Rule, Severity};
use tautline_mcp::rule;

use crate::Document;
use crate::document::Finding;
use crate::printable;

/// The number of results that GitHub accepts.
const MOST_RESULTS: usize = 25_000;

macro_rules! schema {
    () => {
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    };
}

/// The start of a log with the runs of several documents.
pub(super) const HEAD: &str =
    concat!(r#"{"$schema":""#, schema!(), r#"","version":"2.1.0","runs":["#, "\n");

/// Writes a document.
///
/// # Errors
///
/// Returns the error of the output.
pub fn write(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    let log = json!({"$schema": schema!(), "version": "2.1.0", "runs": [run(document)]});
    serde_json::to_writer_pretty(&mut *out, &log)?;
    out.write_all(b"\n")
}

/// Writes the run of a document in a log that [`HEAD`] has begun.
pub(super) fn write_run(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    Ok(serde_json::to_writer_pretty(out, &run(document))?)
}

/// Writes the run of a recording that could not be read.
pub(super) fn write_failed_run(source: &str, why: &str, out: &mut dyn Write) -> io::Result<()> {
    let artifact = json!({"uri": uri(source), "index": 0});
    let notification = json!({
        "level": "error",
        "message": {"text": printable(why.as_bytes())},
        "locations": [{"physicalLocation": {"artifactLocation": artifact}}],
    });
    let run = json!({
        "tool": {"driver": driver(env!("CARGO_PKG_VERSION"), &[])},
        "invocations": [{
            "executionSuccessful": false,
            "toolExecutionNotifications": [notification],
        }],
        "artifacts": [{"location": {"uri": uri(source)}}],
        "results": [],
        "columnKind": "utf16CodeUnits",
    });
    Ok(serde_json::to_writer_pretty(out, &run)?)
}

fn driver(version: &str, rules: &[Value]) -> Value {
    json!({
        "name": "tautline",
        "semanticVersion": version,
        "informationUri": env!("CARGO_PKG_REPOSITORY"),
        "rules": rules,
    })
}

fn run(document: &Document) -> Value {
    let mut indexes = BTreeMap::new();
    let mut rules = Vec::new();
    for finding in &document.findings {
        indexes.entry(finding.rule).or_insert_with(|| {
            rules.push(descriptor(finding.named));
            rules.len() - 1
        });
    }
    let shown = document.findings.iter().take(MOST_RESULTS);
    let results: Vec<_> = shown.map(|finding| result(document, finding, &indexes)).collect();
    let artifacts: Vec<_> = document
        .sources
        .iter()
        .map(|source| json!({"location": {"uri": uri(&source.name)}}))
        .collect();
    let mut truncated = document.truncated.clone();
    if document.findings.len() > MOST_RESULTS {
        let left_out = document.findings.len() - MOST_RESULTS;
        truncated.push(format!("{left_out} more findings were left out of this file"));
    }
    let notification = |level, text| json!({"level": level, "message": {"text": text}});
    let notes = document.notes.iter().map(|words| notification("note", sentence(words)));
    let notifications: Vec<_> = truncated
        .iter()
        .map(|words| notification("warning", format!("truncated: {words}")))
        .chain(notes)
        .collect();
    let requirements: BTreeMap<_, _> =
        document.requirements.iter().map(|row| (row.id, json!(row.verdict))).collect();
    let audits: BTreeMap<_, _> =
        document.audits.iter().map(|row| (row.name, json!(row.verdict))).collect();
    json!({
        "tool": {"driver": driver(document.tautline, &rules)},
        "invocations": [{
            "executionSuccessful": true,
            "toolExecutionNotifications": notifications,
        }],
        "artifacts": artifacts,
        "results": results,
        "columnKind": "utf16CodeUnits",
        "properties": {
            "truncated": !truncated.is_empty(),
            "order": document.order,
            "audits": audits,
            "requirements": requirements,
        },
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn descriptor(rule: Rule) -> Value {
    json!({
        "id": rule::name(rule),
        "shortDescription": {"text": sentence(rule::summary(rule))},
        "fullDescription": {"text": format!("{} See {}.", sentence(rule::summary(rule)), rule::spec_ref(rule))},
        "help": {"text": sentence(rule::help(rule))},
        "defaultConfiguration": {"level": level(rule::severity(rule))},
    })
}

/// Returns a text with a capital at the front and a full stop at the end.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(char::to_uppercase);
    let mut sentence: String = first.into_iter().flatten().chain(chars).collect();
    sentence.push('.');
    sentence
}

fn result(document: &Document, finding: &Finding, indexes: &BTreeMap<&str, usize>) -> Value {
    let mut location = json!({});
    if let Some(source) = document.sources.get(finding.source) {
        location["physicalLocation"] = json!({
            "artifactLocation": {"uri": uri(&source.name), "index": finding.source},
            "region": region(finding),
        });
    }
    if !finding.path.is_empty() {
        location["logicalLocations"] =
            json!([{"fullyQualifiedName": finding.path, "kind": "member"}]);
    }
    json!({
        "ruleId": finding.rule,
        "ruleIndex": indexes.get(finding.rule),
        "level": level(finding.severity),
        "message": {"text": message(finding)},
        "locations": [location],
        "partialFingerprints": {"tautline/v1": finding.fingerprint},
        "properties": {"frame": finding.frame, "from": finding.from, "column": finding.column},
    })
}

/// Returns the line, and the byte range if the source is the stream itself. There are no columns, because they would
/// count characters.
fn region(finding: &Finding) -> Value {
    let mut region = json!({"startLine": finding.line.unwrap_or(1)});
    if let Some(offset) = finding.offset {
        region["byteOffset"] = json!(offset);
        region["byteLength"] = json!(finding.length);
    }
    region
}

fn message(finding: &Finding) -> String {
    let mut text = sentence(&finding.message);
    if let (Some(frame), Some(from)) = (finding.frame, finding.from) {
        let column = finding.column;
        // Writing to a `String` does not fail.
        let _ = write!(text, " It is in frame {frame}, from the {from}, at byte {column}");
        if !finding.path.is_empty() {
            let _ = write!(text, " ({})", finding.path);
        }
        text.push('.');
    }
    text
}

/// Returns a file name as a URI reference (RFC 3986, section 4).
fn uri(name: &str) -> String {
    let name = name.replace('\\', "/");
    let mut uri = String::new();
    if name.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::{sentence, uri};

    #[test]
    fn file_names_become_uris() {
        for (name, expected) in [
            ("a/b.jsonl", "a/b.jsonl"),
            ("/tmp/a b", "file:///tmp/a%20b"),
            (r"a\b", "a/b"),
            ("<stdin>", "%3Cstdin%3E"),
            ("é:1", "%C3%A9%3A1"),
        ] {
            assert_eq!(uri(name), expected);
        }
    }

    #[test]
    fn texts_become_sentences() {
        assert_eq!(sentence("the id is null"), "The id is null.");
    }
}
