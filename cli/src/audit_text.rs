//! The report of an audit for people: findings as they are found, and a summary.

use std::io::{self, Write};
use std::time::Duration;

use indicatif::{HumanCount, ProgressBar};
use tautline_audit::document::{Finding, Order, Peer, SessionRow, Verdict};
use tautline_audit::frame::{Kind, MessageReport};
use tautline_audit::tally::audits::{self, AuditRow};
use tautline_audit::tally::requirements::Status;
use tautline_audit::{Audited, Document, printable};
use tautline_mcp::protocol::Protocol;

use crate::output::{Output, Style, width, wrap, wrap_lines};
use crate::rendering::{Origin, Shown};
use crate::text::{Flow, Text};

/// The number of broken requirements that are listed.
const REQUIREMENTS: usize = 20;
/// The number of methods whose latency is listed.
const METHODS: usize = 10;

pub struct AuditText {
    out: Output,
    text: Text,
}

impl AuditText {
    pub fn new(out: Output, style: Style) -> Self {
        Self { out, text: Text::new(style, width(), None) }
    }

    /// Sets the order of the findings.
    pub fn begin(&mut self, flow: Flow) {
        self.text.begin_file(flow);
    }

    pub const fn style(&self) -> Style {
        self.text.style()
    }

    pub fn out(&mut self) -> &mut Output {
        &mut self.out
    }

    pub fn share_terminal(&mut self, bar: &ProgressBar) {
        self.out.share_terminal(bar);
    }

    /// Prints the findings of a frame.
    pub fn frame(&mut self, path: &str, frame: &Audited<'_>) -> io::Result<()> {
        let Audited { number, from, place, .. } = *frame;
        let is_clean = |message: &MessageReport<'_>| {
            message.findings.is_empty() && message.left_out.is_empty()
        };
        if frame.report.messages().all(is_clean) {
            return Ok(());
        }
        let line = place.line.or_else(|| frame.report.line.filter(|_| place.time.is_none()));
        let method = frame.report.message.method.as_deref();
        let method = method.or(frame.answered.map(|answered| answered.method.as_str()));
        let call = method.zip(frame.target);
        let call = call.map(|(method, target)| format!("{method} {target}"));
        let call = call.map(|call| printable(call.as_bytes()));
        let origin = Origin::Session { path, number, from, call: call.as_deref(), line };
        let shown = frame.bytes.map_or(Shown::Length, Shown::Frame);
        self.text.print(&mut self.out, &origin, shown, frame.report)?;
        self.out.end_report()
    }

    /// Prints a finding about a session.
    pub fn finding(&mut self, path: &str, finding: &Finding) -> io::Result<()> {
        let words = printable(finding.message.as_bytes());
        let like = (finding.severity, finding.named(), words.as_str());
        let position = finding.frame.unwrap_or_default();
        self.text.print_rendered(&mut self.out, like, position, |width| {
            let mut place = path.to_owned();
            if let Some(line) = finding.line {
                place += &format!(":{line}");
            }
            if let (Some(frame), Some(from)) = (finding.frame, finding.from) {
                place += &format!(": frame {frame}, from the {from}");
            }
            if let (Some(method), Some(target)) = (&finding.method, &finding.target) {
                place += &format!(", {}", printable(format!("{method} {target}").as_bytes()));
            }
            let lines = [
                ("", format!("{place}: {}", printable(finding.to_string().as_bytes()))),
                ("  = note: ", format!("the rule is in {}", finding.spec_ref)),
                ("  = help: ", finding.help.to_owned()),
            ];
            let wrapped = lines.map(|(label, words)| {
                let indent = label.len();
                let width = width.map(|width| width.saturating_sub(indent));
                format!("{label}{}", wrap(&words, width, 0).join(&format!("\n{:indent$}", "")))
            });
            wrapped.join("\n")
        })?;
        self.out.end_report()
    }

    /// Prints the summary, with the time that the audit took, if there is one.
    pub fn end(&mut self, document: &Document, time: Option<Duration>) -> io::Result<()> {
        if let Some(source) = document.sources.first() {
            self.text.end_file(&mut self.out, &source.name, "frame")?;
        }
        let mut summary = Vec::new();
        let out = &mut summary;
        sessions(out, document)?;
        findings(out, document)?;
        if document.totals.frames > 0 {
            writeln!(out)?;
            document.audits.iter().try_for_each(|row| audit(out, row))?;
            requirements(out, document)?;
            latency(out, document)?;
        }
        if !document.last_lines.is_empty() && document.totals.frames > 0 {
            writeln!(out, "the last lines of the server's standard error:")?;
            for line in &document.last_lines {
                writeln!(out, "  {}", printable(line.as_bytes()))?;
            }
        }
        for words in document.notes.iter().chain(&document.truncated) {
            writeln!(out, "note: {words}")?;
        }
        write!(out, "{} bytes", document.totals.bytes)?;
        if let Some(time) = time {
            write!(out, " in {:.3} s", time.as_secs_f64())?;
        }
        writeln!(out)?;
        write!(self.out, "{}", wrap_lines(&String::from_utf8_lossy(&summary), width()))
    }
}

fn sessions(out: &mut Vec<u8>, document: &Document) -> io::Result<()> {
    let totals = &document.totals;
    let (frames, sessions) = (totals.frames, document.sessions.len());
    let frame = if frames == 1 { "frame" } else { "frames" };
    let session = if sessions == 1 { "session" } else { "sessions" };
    write!(out, "{} {frame} in {sessions} {session}, ", HumanCount(frames))?;
    match document.rules.as_str() {
        "auto" => writeln!(out, "held to the protocol and revision that the two sides use")?,
        rules => writeln!(out, "held to the rules of {rules}")?,
    }
    if document.order == Order::Causal {
        writeln!(
            out,
            "the order across the two sides is inferred: checks that depend on it were left out"
        )?;
    }
    for session in document.sessions.iter().take(10) {
        write!(out, "  from frame {}: ", session.first_frame)?;
        write!(out, "{}", what(session))?;
        for (role, peer) in [("client", &session.client), ("server", &session.server)] {
            if let Some(Peer { name, version, .. }) = peer {
                let name = printable(name.as_bytes());
                write!(out, ", {role} {name} {}", printable(version.as_bytes()))?;
            }
        }
        match &session.end {
            Some(end) => writeln!(out, ", {end}")?,
            None => writeln!(out)?,
        }
    }
    for row in &totals.messages {
        let from = row.get("from").and_then(|from| from.as_str()).unwrap_or_default();
        let counted = |kind: Kind| {
            let count = row.get(kind.name(2))?.as_u64().filter(|&count| count > 0)?;
            Some(format!("{count} {}", kind.name(count)))
        };
        let counts: Vec<String> = Kind::ALL.into_iter().filter_map(counted).collect();
        if !counts.is_empty() {
            writeln!(out, "  {from}: {}", counts.join(", "))?;
        }
    }
    Ok(())
}

/// Returns the protocol of a session and, for MCP, how the session began.
fn what(session: &SessionRow) -> String {
    let protocol = session.protocol.and_then(|name| name.parse::<Protocol>().ok());
    if let Some(protocol) = protocol.filter(|protocol| *protocol != Protocol::Mcp) {
        let reason = session.protocol_reason.as_deref().unwrap_or_default();
        return format!("{}, because {reason}", protocol.title());
    }
    let mut words = match (session.revision, &session.opening) {
        (_, Some(opening)) if opening.verdict != Verdict::Agreed => {
            printable(opening.words().as_bytes())
        }
        (Some(revision), _) => revision.to_owned(),
        (None, Some(opening)) => printable(opening.words().as_bytes()),
        (None, None) => "all messages".to_owned(),
    };
    if let Some(assumed) = session.assumed_revision.filter(|_| session.revision.is_none()) {
        words += ", held to ";
        words += assumed;
    }
    words
}

fn findings(out: &mut Vec<u8>, document: &Document) -> io::Result<()> {
    for row in &document.totals.rules {
        writeln!(out, "{:>8}  {:<7}  {}", row.count, row.severity.name(), row.rule)?;
    }
    if document.totals.rules.is_empty() {
        writeln!(out, "nothing found")?;
    }
    match document.totals.baseline {
        0 => {}
        1 => writeln!(out, "1 finding is accepted by the baseline")?,
        count => writeln!(out, "{count} findings are accepted by the baseline")?,
    }
    match document.totals.other_side {
        None | Some(0) => {}
        Some(1) => writeln!(out, "1 finding about the other side is not shown")?,
        Some(count) => writeln!(out, "{count} findings about the other side are not shown")?,
    }
    for stale in &document.stale {
        let rule = printable(stale.rule.as_bytes());
        writeln!(
            out,
            "error: the baseline accepts {rule} ({}), which no longer occurs",
            stale.fingerprint
        )?;
    }
    Ok(())
}

fn audit(out: &mut Vec<u8>, row: &AuditRow) -> io::Result<()> {
    let (verdict, name) = (row.verdict.name(), row.name);
    writeln!(out, "{verdict:<14}  {name} ({}, {}): {}", row.severity, row.cwe, row.title)?;
    for measure in row.measures.iter().filter(|measure| measure.verdict == audits::Verdict::Fail) {
        let (passed, checked) = (measure.passed, measure.checked);
        let percent = measure.threshold * 100.0;
        writeln!(out, "  {passed} of {checked} {}; the threshold is {percent} %", measure.title)?;
        for offender in &measure.offenders {
            let (frame, from) = (offender.frame, offender.from);
            let message = printable(offender.message.as_bytes());
            writeln!(out, "    frame {frame}, from the {from}: {message}")?;
        }
    }
    Ok(())
}

fn requirements(out: &mut Vec<u8>, document: &Document) -> io::Result<()> {
    let rows = &document.requirements;
    if rows.is_empty() {
        return Ok(());
    }
    let count = |status| rows.iter().filter(|row| row.verdict == status).count();
    writeln!(
        out,
        "requirements of the specification: {} passed, {} failed, {} not observed",
        count(Status::Passed),
        count(Status::Failed),
        count(Status::NotObserved),
    )?;
    for row in rows.iter().filter(|row| row.verdict == Status::Failed).take(REQUIREMENTS) {
        writeln!(out, "  failed  {} ({}, {}): {}", row.id, row.level, row.clause, row.text)?;
    }
    Ok(())
}

fn latency(out: &mut Vec<u8>, document: &Document) -> io::Result<()> {
    for row in document.latency.iter().take(METHODS) {
        let method = match row.method.as_str() {
            "" => "requests without a method".into(),
            method => printable(method.as_bytes()),
        };
        writeln!(
            out,
            "latency of {method}: median {:.1} ms, p95 {:.1} ms, max {:.1} ms ({} answered)",
            row.median_ms, row.p95_ms, row.max_ms, row.count
        )?;
    }
    Ok(())
}
