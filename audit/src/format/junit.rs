//! JUnit's XML, for the test reports of CI servers.

use std::fmt::Write as _;
use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use tautline::Severity;

use crate::Document;
use crate::document::Finding;
use crate::printable;
use crate::tally::audits::{AuditRow, Verdict};
use crate::tally::table::{RequirementRow, Status};

/// The number of findings that are listed for a rule.
const LISTED: usize = 20;

/// The start of a report with the suites of several documents.
pub(super) const HEAD: &str =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tautline audit\">\n";

/// Writes a document.
///
/// # Errors
///
/// Returns the error of the output.
pub fn write(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    report(document, "").serialize(&mut *out).map_err(io::Error::other)?;
    out.write_all(b"\n")
}

/// Writes the suites of a document in a report that [`HEAD`] has begun. Their names begin with this label.
pub(super) fn write_suites(
    document: &Document,
    label: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_inner(&report(document, &format!("{}: ", printable(label.as_bytes()))), out)
}

/// Writes a suite for a recording that could not be read.
pub(super) fn write_failed_suite(label: &str, why: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_message(printable(why.as_bytes()));
    let mut suite = TestSuite::new(format!("{}: recording", printable(label.as_bytes())));
    suite.add_test_case(case("recording", "tautline.recording", status));
    let mut report = Report::new("tautline audit");
    report.add_test_suite(suite);
    write_inner(&report, out)
}

/// Writes the suites of a report.
fn write_inner(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let text = report.to_string().map_err(io::Error::other)?;
    // The element around them counts the cases of one document.
    let suites = text.find("<testsuite ").zip(text.rfind("</testsuites>"));
    let suites = suites.and_then(|(start, end)| text.get(start..end)).unwrap_or_default();
    write!(out, "    {suites}")
}

fn report(document: &Document, prefix: &str) -> Report {
    let mut report = Report::new("tautline audit");
    let suite = |name: &str| TestSuite::new(format!("{prefix}{name}"));
    let mut audits = suite("audits");
    audits.add_test_cases(document.audits.iter().map(audit));
    let mut requirements = suite("requirements");
    // Requirements that no recording can show would only be noise.
    let checked = document.requirements.iter().filter(|row| row.reason.is_none());
    requirements.add_test_cases(checked.map(requirement));
    let mut rules = suite("rules");
    let mut names: Vec<_> = document.findings.iter().map(|finding| finding.rule).collect();
    names.sort_unstable();
    names.dedup();
    rules.add_test_cases(names.into_iter().map(|name| rule(document, name)));
    for stale in &document.stale {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_message("the baseline accepts a finding that no longer occurs");
        let name = format!("baseline/{}/{}", stale.rule, stale.fingerprint);
        rules.add_test_case(TestCase::new(name, status));
    }
    report.add_test_suites([audits, requirements, rules]);
    report
}

fn case(name: &str, class: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(name, status);
    case.set_classname(class);
    case
}

fn failure(message: String, description: String) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(message);
    status.set_description(description);
    status
}

fn skipped(message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(message);
    status
}

fn audit(row: &AuditRow) -> TestCase {
    let status = match row.verdict {
        Verdict::Pass => TestCaseStatus::success(),
        Verdict::NotApplicable => skipped("no message was seen that it is about"),
        Verdict::Fail => {
            let mut text = String::new();
            for measure in row.measures.iter().filter(|one| one.verdict == Verdict::Fail) {
                let (passed, checked) = (measure.passed, measure.checked);
                // Writing to a `String` does not fail.
                let _ = writeln!(text, "{}: {passed} of {checked}", measure.title);
                for offender in &measure.offenders {
                    let message = printable(offender.message.as_bytes());
                    let (frame, from) = (offender.frame, offender.from);
                    let _ = writeln!(text, "  frame {frame}, from the {from}: {message}");
                }
            }
            failure(format!("{} ({}) fails", row.name, row.cwe), text)
        }
    };
    case(row.name, "tautline.audits", status)
}

fn requirement(row: &RequirementRow) -> TestCase {
    let status = match row.verdict {
        Status::Passed => TestCaseStatus::success(),
        Status::NotObserved => skipped("not observed"),
        Status::Failed => {
            let level = row.level;
            failure(
                format!("broken ({level}): {}", row.text),
                format!("{}; reported by {}", row.clause, row.rules.join(", ")),
            )
        }
    };
    case(row.id, "tautline.requirements", status)
}

/// Returns the case of a rule with findings. It fails if one of them is an error.
fn rule(document: &Document, name: &str) -> TestCase {
    let findings: Vec<&Finding> =
        document.findings.iter().filter(|finding| finding.rule == name).collect();
    let mut text = String::new();
    for finding in findings.iter().take(LISTED) {
        let file = document.sources.get(finding.source).map_or("", |source| &source.name);
        let file = printable(file.as_bytes());
        let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
        let severity = finding.severity.name();
        let message = printable(finding.message.as_bytes());
        let _ = writeln!(text, "{file}{line}: byte {}: {severity}: {message}", finding.column);
    }
    if findings.len() > LISTED {
        let _ = writeln!(text, "and {} more", findings.len() - LISTED);
    }
    let has_errors = findings.iter().any(|finding| finding.severity == Severity::Error);
    let mut status = TestCaseStatus::success();
    if let Some(first) = findings.first()
        && has_errors
    {
        let rows = document.totals.rules.iter().filter(|row| row.rule == name);
        let count: u64 = rows.map(|row| row.count).sum();
        let message = printable(first.message.as_bytes());
        let summary = match count {
            1 => format!("1 finding: {message}"),
            _ => format!("{count} findings, the first: {message}"),
        };
        status = failure(summary, text.clone());
        let _ = write!(text, "{}", first.help);
    }
    let mut case = case(name, "tautline.rules", status);
    case.set_system_out(text);
    case
}
