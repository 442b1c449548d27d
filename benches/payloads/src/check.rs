//! The check of a log, as `tautline check` makes it.

use clap::ValueEnum;
use tautline::frame::{DEFAULT_LIMIT, FramingKind};
use tautline_audit::frame::{Kind, MaxFindings, Piece, Reporter};
use tautline_audit::judge::OneSide;
use tautline_audit::wire::Wire;
use tautline_mcp::Revision;

/// The scope of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Way {
    /// All but payloads, as with `--no-shapes`.
    Without,
    /// Payloads too.
    With,
}

/// The counts of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of messages.
    pub messages: u64,
    /// The number of findings.
    pub findings: u64,
}

/// The number of bytes that the program reads at once.
const AT_ONCE: usize = 64 * 1024;

/// Checks a log.
// Not inlined, so that a profiler can begin here.
#[inline(never)]
pub fn check(wire: &[u8], way: Way) -> Counts {
    let (revision, framing) = (Revision::V2025_11_25, FramingKind::Ndjson);
    let profile = revision.profile();
    let mut judge = match way {
        Way::Without => OneSide::new(profile, Some(revision)),
        Way::With => OneSide::with_payloads(profile, Some(revision)),
    };
    let mut frames = Wire::new(framing, DEFAULT_LIMIT, &profile);
    let mut reporter = Reporter::new(framing, MaxFindings::AtMost(100));
    let mut counts = Counts::default();
    for bytes in wire.chunks(AT_ONCE) {
        frames
            .push(bytes, &mut |event, around| {
                let frame = event.frame().expect("the logs have no other events");
                let report = reporter.frame(&Piece::of_frame(frame), &mut judge, around.behind);
                for message in report.messages() {
                    counts.messages += u64::from(message.kind != Kind::Invalid);
                    counts.findings += message.findings.len() as u64;
                }
                Ok(())
            })
            .expect("the handler does not fail");
    }
    counts
}
