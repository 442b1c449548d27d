//! The check of one direction: bytes in, a document out.

use std::collections::BTreeMap;
use std::io;

use memchr::memmem;
use tautline::frame::FramingKind;
use tautline::{Profile, Severity};
use tautline_mcp::protocol::{Protocol, Sign};
use tautline_mcp::{Revision, rule};

use super::core::{marked, short};
use super::kept::Kept;
use crate::document::{Bytes, Document, FORMAT, Finding, FrameRow, RuleCount, SourceRow, Totals};
use crate::frame::{FrameReport, Kind, Piece, Reporter};
use crate::judge::{OneSide, Selection};
use crate::options::Options;
use crate::wire::{Around, Wire, WireEvent};

/// A check of the messages in one stream, whichever side has sent them, as with `tautline check --resync`.
///
/// ```
/// use tautline_audit::{Check, Options};
///
/// let log = b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}\n";
/// let mut check = Check::new(Options::default(), log);
/// let mut owed = Vec::new();
/// check.push(log, &mut |report| owed.extend(report.message.reply.as_ref().map(|reply| reply.code)));
/// let document = check.finish(Vec::new(), &mut |_| {});
/// assert_eq!((document.findings[0].rule, owed), ("id-null", vec![-32600]));
/// ```
#[derive(Debug)]
pub struct Check {
    wire: Wire,
    stream: Stream,
}

/// A receiver of the reports of frames.
type Each<'a> = dyn FnMut(&FrameReport<'_>) + 'a;

/// The part that does not depend on how the stream is cut.
#[derive(Debug)]
struct Stream {
    options: Options,
    profile: Profile,
    /// The name of the rules that apply.
    rules: &'static str,
    judge: OneSide,
    reporter: Reporter,
    kept: Kept,
    number: u64,
    bytes: u64,
    kinds: BTreeMap<Kind, u64>,
    found: BTreeMap<(Severity, &'static str), u64>,
}

impl Check {
    /// Creates a check of a stream that begins with these bytes. They show the protocol and the revision, if
    /// [`Options::selection`] leaves that open. A baseline and a side have no effect.
    #[must_use]
    pub fn new(options: Options, start: &[u8]) -> Self {
        let (profile, revision, rules) = match options.selection {
            Selection::Auto => rules_of(start, options.framing),
            Selection::Revision(revision) => of_revision(revision),
            Selection::Other(profile) => (profile, None, options.selection.name()),
        };
        let wire = Wire::new(options.framing, options.max_frame, &profile).resyncing();
        let stream = Stream {
            profile,
            rules,
            judge: OneSide::with_payloads(profile, revision),
            reporter: Reporter::new(options.framing, options.max_findings),
            kept: Kept::new(options.findings, options.frames),
            number: 0,
            bytes: 0,
            kinds: BTreeMap::new(),
            found: BTreeMap::new(),
            options,
        };
        Self { wire, stream }
    }

    /// Checks the frames that these bytes complete. Each report has the reply that is owed.
    pub fn push(&mut self, bytes: &[u8], each: &mut Each<'_>) {
        let Self { wire, stream } = self;
        let result = wire.push(bytes, &mut |event, around| stream.event(&event, around, each));
        debug_assert!(result.is_ok(), "only a receiver fails, and this one does not");
    }

    /// Ends the check. The document has no sessions and no requirements: these need both directions.
    #[must_use]
    pub fn finish(mut self, sources: Vec<SourceRow>, each: &mut Each<'_>) -> Document {
        let Self { wire, stream } = &mut self;
        let result = wire.finish(&mut |event, around| stream.event(&event, around, each));
        debug_assert!(result.is_ok(), "only a receiver fails, and this one does not");
        if let Some(report) = stream.reporter.end(wire.other_fields()) {
            stream.report(report, None, each);
        }
        let skipped = wire.totals().skipped;
        self.stream.into_document(sources, skipped)
    }
}

impl Stream {
    fn event(
        &mut self,
        event: &WireEvent<'_>,
        around: &Around<'_>,
        each: &mut Each<'_>,
    ) -> io::Result<()> {
        if let Some(frame) = event.frame() {
            let piece = Piece::of_frame(frame);
            let mut report = self.reporter.frame(&piece, &mut self.judge, around.behind);
            if self.options.framing == FramingKind::Sse {
                report.lines_were_joined(frame.bytes());
            }
            self.report(report, Some(frame.bytes()), each);
        } else if let Some(report) = self.reporter.event(event, &self.profile, around) {
            self.report(report, None, each);
        }
        Ok(())
    }

    fn report(&mut self, mut report: FrameReport<'_>, bytes: Option<&[u8]>, each: &mut Each<'_>) {
        self.number += 1;
        self.bytes += report.length;
        *self.kinds.entry(report.message.kind).or_default() += 1;
        // In other framings, frames are numbered, and lines are not.
        let line = report.line.filter(|_| self.options.framing == FramingKind::Ndjson);
        let mut findings = Vec::new();
        for message in report.messages_mut() {
            let method = message.method.as_deref().map(short);
            let target = message.target.as_deref().map(short);
            message.findings.retain_mut(|finding| {
                let severity = self.options.policy.severity(finding.rule, finding.severity);
                let Some(severity) = severity else { return false };
                finding.severity = severity;
                let row = Finding {
                    frame: Some(self.number),
                    method: method.clone(),
                    target: target.clone(),
                    line,
                    offset: finding.offset,
                    length: marked(bytes, finding),
                    ..Finding::new(finding)
                };
                *self.found.entry((severity, row.rule)).or_default() += 1;
                findings.push(row);
                true
            });
            for left_out in &message.left_out {
                let last = &left_out.last;
                if let Some(severity) = self.options.policy.severity(last.rule, last.severity) {
                    *self.found.entry((severity, rule::name(last.rule))).or_default() +=
                        left_out.count;
                    self.kept.leave_out(left_out.count);
                }
            }
        }
        each(&report);
        if self.kept.has_room() {
            let places = findings.iter().map(|finding| finding.column - 1);
            let message = &report.message;
            self.kept.frame(FrameRow {
                number: self.number,
                from: "",
                kind: message.kind,
                method: message.method.as_deref().map(short),
                target: message.target.as_deref().map(short),
                id: message.id.as_deref().map(short),
                time_ms: None,
                pair: None,
                latency_ms: None,
                line,
                length: report.length,
                session: 0,
                bytes: bytes.map(|bytes| Bytes::of(bytes, places)).unwrap_or_default(),
            });
        }
        findings.into_iter().for_each(|finding| self.kept.finding(finding));
    }

    fn into_document(self, sources: Vec<SourceRow>, skipped: u64) -> Document {
        let of_severity = |wanted| {
            let counts = self.found.iter().filter(|((severity, _), _)| *severity == wanted);
            counts.map(|(_, count)| count).sum()
        };
        let counted =
            |kind: Kind| (kind.name(2), self.kinds.get(&kind).copied().unwrap_or_default().into());
        let mut notes = Vec::new();
        if skipped > 0 {
            let bytes = if skipped == 1 { "byte was" } else { "bytes were" };
            notes.push(format!("{skipped} {bytes} not judged, because no frame begins there"));
        }
        Document {
            tautline: env!("CARGO_PKG_VERSION"),
            format: FORMAT,
            sources,
            rules: self.rules.to_owned(),
            order: self.options.order,
            sessions: Vec::new(),
            totals: Totals {
                frames: self.number,
                bytes: self.bytes,
                messages: vec![Kind::ALL.into_iter().map(counted).collect()],
                errors: of_severity(Severity::Error),
                warnings: of_severity(Severity::Warning),
                notes: of_severity(Severity::Note),
                baseline: 0,
                other_side: None,
                rules: self
                    .found
                    .iter()
                    .rev()
                    .map(|(&(severity, rule), &count)| RuleCount { rule, severity, count })
                    .collect(),
            },
            audits: Vec::new(),
            requirements: Vec::new(),
            latency: Vec::new(),
            truncated: self.kept.truncated(self.number),
            findings: self.kept.findings,
            frames: self.kept.frames,
            stderr: Vec::new(),
            last_lines: Vec::new(),
            stale: Vec::new(),
            notes,
        }
    }
}

/// A profile, the revision of MCP that it belongs to, and their name.
type Rules = (Profile, Option<Revision>, &'static str);

const fn of_revision(revision: Revision) -> Rules {
    (revision.profile(), Some(revision), revision.name())
}

/// The revision of a log that names none, as on the command line.
const USUAL: Revision = Revision::V2025_11_25;

/// Returns the rules for a stream that begins with these bytes.
fn rules_of(start: &[u8], framing: FramingKind) -> Rules {
    match protocol_of(start, framing) {
        Some(Protocol::Lsp) => (Profile::LSP, None, "lsp"),
        Some(Protocol::JsonRpc | Protocol::Acp) => (Profile::JSON_RPC, None, "jsonrpc"),
        // Strangers are explained under any rules.
        _ => of_revision(named_revision(start).unwrap_or(USUAL)),
    }
}

/// Returns the protocol of the first frame that shows one.
fn protocol_of(start: &[u8], framing: FramingKind) -> Option<Protocol> {
    let mut first: Option<Sign> = None;
    let mut look = |event: WireEvent<'_>, _: &Around<'_>| {
        if let Some(frame) = event.frame()
            && first.is_none_or(|sign| !sign.is_certain())
        {
            let sign = Sign::of(frame.bytes(), framing);
            first = sign.filter(|sign| sign.is_certain()).or(first).or(sign);
        }
        Ok(())
    };
    let limit = u32::try_from(start.len()).unwrap_or(u32::MAX).max(1);
    let mut wire = Wire::new(framing, limit, &Profile::JSON_RPC).resyncing();
    let result = wire.push(start, &mut look).and_then(|_| wire.finish(&mut look));
    debug_assert!(result.is_ok(), "only a receiver fails, and this one does not");
    first.map(Sign::protocol)
}

/// Returns the revision that a text names last: the server answers with the revision that it chose.
fn named_revision(text: &[u8]) -> Option<Revision> {
    const NAME: &[u8] = b"rotocolVersion\"";
    memmem::find_iter(text, NAME)
        .filter_map(|at| {
            let rest = text.get(at + NAME.len()..)?.trim_ascii_start().strip_prefix(b":")?;
            let rest = rest.trim_ascii_start().strip_prefix(b"\"")?;
            let name = rest.get(..rest.iter().position(|&byte| byte == b'"')?)?;
            std::str::from_utf8(name).ok()?.parse().ok()
        })
        .last()
}
