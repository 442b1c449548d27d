//! JUnit's XML, for the test reports of CI servers: a suite for each revision.

use std::fmt::Write as _;
use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};
use tautline_audit::document::Accepted;
use tautline_audit::printable;

use super::{Report, by_hand, shown};
use crate::probe::described::describe;
use crate::probe::row::{Result as RowResult, Row, by};

pub fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut junit = Junit::new("tautline probe");
    junit.set_time(report.took);
    for (revision, _) in by(&report.rows, |row| row.revision) {
        let mut suite = TestSuite::new(revision);
        let rows = report.rows.iter().filter(|row| row.revision == revision);
        suite.add_test_cases(rows.map(|row| case(report, row)));
        junit.add_test_suite(suite);
    }
    if !report.held.stale.is_empty() {
        let mut suite = TestSuite::new("baseline");
        suite.add_test_cases(report.held.stale.iter().map(stale));
        junit.add_test_suite(suite);
    }
    junit.serialize(&mut *out).map_err(io::Error::other)?;
    out.write_all(b"\n")
}

fn case(report: &Report<'_>, row: &Row<'_>) -> TestCase {
    let (status, tolerated) = match &row.result {
        RowResult::Right => (TestCaseStatus::success(), None),
        RowResult::Acceptable(note) => {
            (TestCaseStatus::success(), Some(format!("acceptable: {note}")))
        }
        RowResult::Known(fault, reason) => {
            let (fault, reason) = (fault.name(), printable(reason.as_bytes()));
            let words = format!("accepted by the baseline: {fault}: {reason}");
            (TestCaseStatus::success(), Some(words))
        }
        RowResult::Skipped(why) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(why.as_str());
            (status, None)
        }
        RowResult::Wrong(fault, reason) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type(fault.name());
            status.set_message(format!("{}: {}", fault.name(), printable(reason.as_bytes())));
            status.set_description(description(report, row));
            (status, None)
        }
    };
    let mut case = TestCase::new(row.case.id.as_str(), status);
    case.set_classname(format!("tautline.probe.{}", row.case.category));
    case.set_time(row.evidence.took);
    if let Some(note) = tolerated {
        case.set_system_out(note);
    }
    case
}

/// Returns the failure for an entry of the baseline that no longer occurs.
fn stale(entry: &Accepted) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message("the baseline accepts a fault that no longer occurs");
    TestCase::new(format!("baseline/{}/{}", entry.rule, entry.fingerprint), status)
}

fn description(report: &Report<'_>, row: &Row<'_>) -> String {
    let case = row.case;
    let mut text = format!("{}\n", case.summary);
    // Writing to a `String` does not fail.
    let _ = writeln!(text, "sent: {}", shown::sent(row));
    let received = shown::received_label(report.role);
    let _ = writeln!(text, "{received}: {}", shown::received(row));
    for outcome in &case.outcomes {
        let _ = writeln!(text, "expected: {}", describe(case, outcome));
    }
    let _ = writeln!(text, "clause: {}", case.clause);
    for line in shown::stderr(row) {
        let _ = writeln!(text, "its stderr: {line}");
    }
    if let Some(line) = by_hand::line(report, row) {
        let _ = writeln!(text, "by hand: {line}");
    }
    text
}
