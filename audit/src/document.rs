//! The document of an audit: everything that a report can show.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use tautline::{Rule, Severity};
use tautline_mcp::Role;

use crate::excerpt::cut;
use crate::frame::{Kind, severity_name};
pub use crate::judge::opening::{Opening, Verdict};
pub use crate::judge::peers::Peer;
use crate::tally::LatencyRow;
use crate::tally::audits::AuditRow;
use crate::tally::table::RequirementRow;

/// The version of the format.
pub const FORMAT: u32 = 1;

/// Everything that an audit has to say.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Document {
    /// The version of the program.
    pub tautline: &'static str,
    /// The version of this format.
    pub format: u32,
    /// The files that were read.
    pub sources: Vec<SourceRow>,
    /// The name of the rules: `auto`, a revision of MCP, or another protocol.
    pub rules: String,
    /// The origin of the order of the frames.
    pub order: Order,
    /// The sessions, one after the other.
    pub sessions: Vec<SessionRow>,
    /// The totals.
    pub totals: Totals,
    /// The named audits.
    pub audits: Vec<AuditRow>,
    /// The requirements of the revisions that were seen.
    pub requirements: Vec<RequirementRow>,
    /// How long requests took.
    pub latency: Vec<LatencyRow>,
    /// The findings.
    pub findings: Vec<Finding>,
    /// The frames, if they are kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<FrameRow>,
    /// The server's standard error, line by line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<StderrRow>,
    /// The last lines that the server has written to its standard error.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub last_lines: Vec<String>,
    /// The entries of the baseline that did not occur.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<Accepted>,
    /// Sentences that describe what the sources have lost or changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Sentences that describe what is missing from the document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub truncated: Vec<String>,
}

/// The origin of the order of the frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::exhaustive_enums, reason = "it is known or it is not")]
pub enum Order {
    /// The source records it.
    Recorded,
    /// It is inferred: a response comes after its request.
    Causal,
}

/// A file that was read.
#[derive(Clone, Debug, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "callers make it")]
pub struct SourceRow {
    /// Its name.
    pub name: String,
    /// Its format.
    pub kind: &'static str,
}

/// A session.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct SessionRow {
    /// The number of its first frame, from 1.
    pub first_frame: u64,
    /// The protocol that the sides speak: `mcp`, `lsp`, and so on. Absent if the rules were chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<&'static str>,
    /// What shows the protocol, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol_reason: Option<String>,
    /// The revision that the sides have agreed on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<&'static str>,
    /// The revision by which messages were judged, although the sides have not agreed on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed_revision: Option<&'static str>,
    /// How an MCP session began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opening: Option<Opening>,
    /// The client, as it calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<Peer>,
    /// The server, as it calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<Peer>,
    /// How it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
}

/// A finding that was accepted, wherever and however often it occurs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Accepted {
    /// The name of the rule.
    pub rule: String,
    /// The sender of the message: `client` or `server`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The method of the call, or of the request that was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The path of the place in the message, without the numbers of array elements.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// What is wrong, for human readers. A finding of an audit needs no words beside its rule and place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The reason why it is accepted, for human readers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The fingerprint of the finding.
    pub fingerprint: String,
}

/// The totals.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Totals {
    /// The number of frames.
    pub frames: u64,
    /// The number of bytes in them.
    pub bytes: u64,
    /// The frames of each side by kind.
    pub messages: Vec<BTreeMap<&'static str, serde_json::Value>>,
    /// The number of errors.
    pub errors: u64,
    /// The number of warnings.
    pub warnings: u64,
    /// The number of notes.
    pub notes: u64,
    /// The number of findings that the baseline accepts.
    pub baseline: u64,
    /// The number of findings about the other side, if only one side is judged. They are not among the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_side: Option<u64>,
    /// The number of findings of each rule, the most severe first.
    pub rules: Vec<RuleCount>,
}

/// The number of findings of a rule.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RuleCount {
    /// The name of the rule.
    pub rule: &'static str,
    /// `error`, `warning` or `note`.
    #[serde(serialize_with = "severity_name")]
    pub severity: Severity,
    /// The number of findings, listed or not.
    pub count: u64,
}

/// A finding.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The name of the rule.
    pub rule: &'static str,
    /// `error`, `warning` or `note`.
    #[serde(serialize_with = "severity_name")]
    pub severity: Severity,
    /// The number of the frame, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<u64>,
    /// The sender: `client` or `server`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<&'static str>,
    /// The method of the call, or of the request that was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The tool or prompt that the call names, or the URI of the resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The index of the file.
    pub source: usize,
    /// The line in the file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The offset in the file, in bytes, if the file contains the bytes of the stream. In a live session, it is the offset
    /// in the stream of the sender, as a [sink](crate::Sink) receives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The first offending byte of the frame, from 1.
    pub column: u64,
    /// The number of bytes to mark.
    pub length: u64,
    /// The path of the place in the message.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// The clause that contains the rule.
    pub spec_ref: &'static str,
    /// The remedy.
    pub help: &'static str,
    /// A number that is the same for the same finding in other recordings.
    pub fingerprint: String,
    /// The rule itself.
    #[serde(skip)]
    pub(crate) named: Rule,
    /// What is wrong, without anything from the wire.
    #[serde(skip)]
    pub(crate) stable_words: String,
}

impl Finding {
    /// Returns the rule itself.
    #[must_use]
    pub const fn named(&self) -> Rule {
        self.named
    }
}

impl fmt::Display for Finding {
    /// Writes the severity, the rule and what is wrong, without the place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { severity, rule, message, .. } = self;
        write!(f, "{}[{rule}]: {message}", severity.name())
    }
}

/// A frame.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct FrameRow {
    /// Its number, from 1.
    pub number: u64,
    /// The sender: `client` or `server`, or an empty text in a log of one direction.
    pub from: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// The method of the call, or of the request that was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The tool or prompt that the call names, or the URI of the resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The id, as it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The time since the first event of its recording, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<f64>,
    /// The number of the request's frame, or of the response's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pair: Option<u64>,
    /// The time from the request to this response, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<f64>,
    /// The line in the file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// In bytes.
    pub length: u64,
    /// The index of its session.
    pub session: usize,
    /// Its bytes, or some of them.
    pub bytes: Vec<Bytes>,
}

/// Some of the bytes of a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Bytes {
    /// The offset of the first in the frame.
    pub at: u64,
    /// The bytes, if they are UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The bytes in Base64, if they are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
}

/// The sentence for requests that the audit could not remember.
pub(crate) const LOST_REQUESTS: &str =
    "more requests were pending than can be remembered, so some answers were not judged";

impl Document {
    /// Returns the sentences that hold for any report: what the sources have lost or changed, and what was not judged. The
    /// other sentences in `truncated` describe what this document leaves out.
    pub fn gaps(&self) -> impl Iterator<Item = &str> {
        let unjudged = self.truncated.iter().filter(|words| *words == LOST_REQUESTS);
        self.notes.iter().chain(unjudged).map(String::as_str)
    }
}

/// A line of the server's standard error, cut after 4096 bytes. Blank lines are left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StderrRow {
    /// The time of its first byte since the first event of its recording, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<f64>,
    /// The text, without the end of the line.
    pub text: String,
    /// The number of the last frame before it.
    pub after_frame: u64,
}

/// The bytes that are kept at the front of a long frame, and around each finding.
const FRONT: usize = 4096;
const AROUND: usize = 512;
/// A frame up to this length is kept whole, in bytes.
const WHOLE: usize = 16 * 1024;
/// The number of findings whose surroundings are kept.
const PLACES: usize = 16;

impl Bytes {
    /// Returns the whole frame or, if it is long, its front and the surroundings of the findings at these offsets.
    pub(crate) fn of(frame: &[u8], places: impl Iterator<Item = u64>) -> Vec<Self> {
        if frame.len() <= WHOLE {
            return vec![Self::at(frame, 0, frame.len())];
        }
        let mut ranges = vec![(0, FRONT)];
        for place in places.take(PLACES) {
            let place = usize::try_from(place).unwrap_or(usize::MAX).min(frame.len());
            ranges.push((place.saturating_sub(AROUND), (place + AROUND).min(frame.len())));
        }
        ranges.sort_unstable();
        let mut merged: Vec<(usize, usize)> = Vec::new();
        for (start, end) in ranges {
            match merged.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        merged.into_iter().map(|(start, end)| Self::at(frame, start, end)).collect()
    }

    /// Returns the bytes from `start` to `end`, each moved back to the start of a character.
    fn at(frame: &[u8], start: usize, end: usize) -> Self {
        let (start, end) = (cut(frame, start), cut(frame, end));
        let bytes = frame.get(start..end).unwrap_or_default();
        let at = start as u64;
        match std::str::from_utf8(bytes) {
            Ok(text) => Self { at, text: Some(text.to_owned()), base64: None },
            Err(_) => Self { at, text: None, base64: Some(STANDARD.encode(bytes)) },
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.text.as_ref().or(self.base64.as_ref()).map_or(0, String::len)
    }
}

/// Returns the number of frames of one side by kind, in the form that the document uses.
pub(crate) fn message_counts(
    kinds: &BTreeMap<(bool, Kind), u64>,
    from: Role,
) -> BTreeMap<&'static str, serde_json::Value> {
    let mut row = BTreeMap::from([("from", from.name().into())]);
    for kind in Kind::ALL {
        let count = kinds.get(&(from == Role::Client, kind)).copied().unwrap_or(0);
        row.insert(kind.name(2), count.into());
    }
    row
}

#[cfg(test)]
mod tests {
    use super::{Bytes, FRONT};

    #[test]
    fn long_frames_keep_their_front_and_what_was_found() {
        let frame = format!("\"{}é{}\"", "a".repeat(50_000), "b".repeat(50_000));
        let pieces = Bytes::of(frame.as_bytes(), [50_001 + 512, 50_100, 100_003].into_iter());
        let places: Vec<_> = pieces.iter().map(|piece| (piece.at, piece.len())).collect();
        // The middle piece begins with a whole character.
        assert_eq!(places, [(0, FRONT), (49_588, 51_025 - 49_588), (99_491, 513)]);
        assert!(pieces.iter().all(|piece| piece.base64.is_none()));
    }

    #[test]
    fn what_is_no_text_is_base64() {
        let pieces = Bytes::of(b"\xFF{", [].into_iter());
        assert_eq!(pieces[0].base64.as_deref(), Some("/3s="));
        assert_eq!(pieces[0].text, None);
    }
}
