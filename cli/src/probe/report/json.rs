//! The report for programs. `docs/probe.md` describes it.

use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tautline_audit::document::Accepted;
use tautline_conformance::{Opening, Role, Step, Verdict};

use super::text::level;
use super::{Report, Target, by_hand};
use crate::probe::described::describe;
use crate::probe::era::Count;
use crate::probe::row::{Cause, Counts, Result as RowResult, Row, by, causes};

/// The version of the format.
const VERSION: u32 = 1;

pub fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &document(report))?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(rename = "tautline-probe")]
    version: u32,
    tool: &'static str,
    role: &'static str,
    #[serde(flatten)]
    target: Value,
    about: Value,
    is_whole: bool,
    seconds: f64,
    totals: Value,
    by_revision: Value,
    by_category: Value,
    causes: Vec<Value>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stale: &'a [Accepted],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    unchecked: &'a [Accepted],
    cases: Vec<CaseRow<'a>>,
}

#[derive(Serialize)]
struct CaseRow<'a> {
    id: &'a str,
    revision: &'a str,
    category: &'a str,
    level: &'static str,
    summary: &'a str,
    clause: &'a str,
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
    expected: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Value>,
}

fn document<'r>(report: &'r Report<'_>) -> Document<'r> {
    let total = Counts::of(report.rows.iter());
    Document {
        version: VERSION,
        tool: env!("CARGO_PKG_VERSION"),
        role: match report.role {
            Role::Server => "server",
            Role::Client => "client",
        },
        target: target(report),
        about: about(report),
        is_whole: report.cut.is_none(),
        seconds: (report.took.as_secs_f64() * 1000.0).round() / 1000.0,
        totals: counts(total),
        by_revision: grouped(by(&report.rows, |row| row.revision)),
        by_category: grouped(by(&report.rows, |row| row.case.category.as_str())),
        causes: causes(&report.rows).iter().map(cause).collect(),
        stale: &report.held.stale,
        unchecked: &report.held.unchecked,
        cases: report.rows.iter().map(|row| case_row(report, row)).collect(),
    }
}

fn target(report: &Report<'_>) -> Value {
    match report.target {
        Target::Command(words) => {
            let words = words.iter().map(|word| word.to_string_lossy().into_owned());
            json!({ "command": words.collect::<Vec<_>>() })
        }
        #[cfg(feature = "http")]
        Target::Url(url) => json!({ "url": url.to_string() }),
    }
}

fn cause(cause: &Cause<'_, '_>) -> Value {
    json!({
        "fault": cause.fault.name(),
        "reason": cause.reason,
        "count": cause.rows.len(),
        "cases": cause.cases(),
    })
}

fn about(report: &Report<'_>) -> Value {
    let about = &report.about;
    let no_ping = about.no_ping.map(|no_ping| json!({ "instead": no_ping.instead }));
    let unclaimed = about.unclaimed.iter().map(|(revision, why)| (revision.clone(), json!(why)));
    let offers = about.offers.iter().map(|(name, count)| {
        let (count, is_whole) = match count {
            Count::Exactly(count) => (count, true),
            Count::AtLeast(count) => (count, false),
        };
        ((*name).to_owned(), json!({"count": count, "is_whole": is_whole}))
    });
    json!({
        "name": about.name,
        "version": about.version,
        "revisions": about.claimed,
        "not_claimed": unclaimed.collect::<Map<_, _>>(),
        "capabilities": about.capabilities,
        "no_ping": no_ping,
        "offers": offers.collect::<Map<_, _>>(),
        "remarks": about.remarks.iter().map(|remark| json!({
            "rule": remark.rule, "message": remark.message, "count": remark.count, "case": remark.case,
        })).collect::<Vec<_>>(),
    })
}

fn counts(counts: Counts) -> Value {
    counts
        .named()
        .map(|(kind, count)| (kind.to_owned(), json!(count)))
        .collect::<Map<_, _>>()
        .into()
}

fn grouped(groups: Vec<(&str, Counts)>) -> Value {
    let groups = groups.into_iter().map(|(name, group)| (name.to_owned(), counts(group)));
    groups.collect::<Map<_, _>>().into()
}

fn case_row<'r>(report: &'r Report<'_>, row: &'r Row<'_>) -> CaseRow<'r> {
    let case = row.case;
    let (fault, reason) = match &row.result {
        RowResult::Right => (None, None),
        RowResult::Acceptable(reason) | RowResult::Skipped(reason) => (None, Some(reason.as_str())),
        RowResult::Wrong(fault, reason) | RowResult::Known(fault, reason) => {
            (Some(fault.name()), Some(reason.as_str()))
        }
    };
    let expected = case.outcomes.iter().map(|outcome| {
        let verdict = match outcome.verdict {
            Verdict::Right => "right",
            Verdict::Acceptable => "acceptable",
        };
        json!({"verdict": verdict, "outcome": describe(case, outcome), "note": outcome.note})
    });
    let has_run = !row.result.is_skipped();
    CaseRow {
        id: &case.id,
        revision: row.revision,
        category: &case.category,
        level: level(case.level),
        summary: &case.summary,
        clause: &case.clause,
        result: row.result.kind(),
        fault,
        reason,
        note: row.note.as_deref(),
        expected: expected.collect(),
        evidence: has_run.then(|| evidence(report, row)),
    }
}

fn evidence(report: &Report<'_>, row: &Row<'_>) -> Value {
    let evidence = &row.evidence;
    let opening = match (row.case.opening, report.target, report.script(row)) {
        (Opening::Ready, Target::Command(_), Some(script)) if report.role == Role::Server => {
            script.open.iter().map(step).collect()
        }
        _ => Vec::new(),
    };
    let survival = evidence.survival.as_ref().map(|text| json!({ "text": text }));
    let sent: Vec<Value> = row.steps().iter().map(step).chain(survival).collect();
    json!({
        "opening": opening,
        "sent": sent,
        "received": bytes(evidence.received.bytes()),
        "left_out": evidence.received.left_out(),
        "stderr": String::from_utf8_lossy(&evidence.stderr),
        "ms": (evidence.took.as_secs_f64() * 1e6).round() / 1000.0,
        "by_hand": by_hand::line(report, row),
    })
}

/// Returns bytes as text if they are UTF-8, and otherwise in Base64.
fn bytes(bytes: &[u8]) -> Value {
    match str::from_utf8(bytes) {
        Ok(text) => json!({ "text": text }),
        Err(_) => json!({ "base64": STANDARD.encode(bytes) }),
    }
}

/// Returns a step in the form of the corpus.
fn step(step: &Step) -> Value {
    match step {
        Step::Text(text) => json!({ "text": text }),
        Step::Base64(text) => json!({ "base64": text }),
        Step::Repeat { text, count } => json!({"repeat": {"text": text, "count": count}}),
        Step::Numbered { text, count } => json!({"numbered": {"text": text, "count": count}}),
        Step::PauseMs(ms) => json!({ "pause_ms": ms }),
        Step::Await(id) => json!({ "await": id }),
        Step::Answer(_) => json!({"answer": true}),
        Step::Close(_) => json!({"close": true}),
        _ => Value::Null,
    }
}
