//! A proxy that follows the steps, and records what it passes on.

mod bodies;
mod requests;
mod streams;

use tautline::Message;
use tautline_mcp::http::{Accepted, Allowed, Policy, Resuming, Sessions, Verdict};
use tautline_mcp::{Era, Revision};

use super::{Asked, BodyStep, HeadStep, Note, Piece, Response, Terms};
use crate::reply::Reply;
use crate::report::rule;

pub(super) const BATCHES: Revision = Revision::V2025_03_26;
pub(super) const OLD: Revision = Revision::V2025_11_25;
pub(super) const NEW: Revision = Revision::V2026_07_28;

pub(super) const ENFORCE: Terms = Terms {
    enforces: true,
    strict: false,
    limit: 1000,
    passes_compressed: false,
    passes_unjudged: false,
};
pub(super) const REPORT: Terms = Terms { enforces: false, ..ENFORCE };

pub(super) const JSON: &[(&str, &str)] = &[("content-type", "application/json")];
pub(super) const EVENTS: &[(&str, &str)] =
    &[("content-type", "text/event-stream"), ("x-accel-buffering", "no")];
pub(super) const HTML: &[(&str, &str)] = &[("content-type", "text/html")];

pub(super) const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
pub(super) const PROGRESS: &str = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#;
pub(super) const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// A request without parameters, but for what the revision demands.
pub(super) fn request(revision: Revision, id: &str, method: &str) -> String {
    let params = match revision.era() {
        Era::Modern => format!(r#","params":{{{META}}}"#),
        Era::Legacy => String::new(),
    };
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"{params}}}"#)
}

pub(super) fn result(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete"}}}}"#)
}

/// Judges a request, which must be accepted.
pub(super) fn accepted<T>(
    revision: Revision,
    verb: &str,
    body: &str,
    use_it: impl FnOnce(&Accepted<'_>) -> T,
) -> T {
    let supported = [revision];
    let policy = Policy::new(&supported, Allowed::Any, Allowed::Any);
    let policy = policy.with_streams().with_session_end().with_sessions(Sessions::Optional);
    let profile = revision.profile().http_request_body();
    let message = Message::parse(body, &profile);
    let method = match &message {
        Ok(Message::Request(request)) => request.method().decode().unwrap().into_owned(),
        _ => String::new(),
    };
    let mut headers: Vec<(&[u8], &[u8])> = vec![
        (b"content-type", b"application/json"),
        (b"accept", b"application/json, text/event-stream"),
        (b"mcp-protocol-version", revision.name().as_bytes()),
        (b"mcp-session-id", b"s"),
    ];
    if revision.era() == Era::Modern && !method.is_empty() {
        headers.push((b"mcp-method", method.as_bytes()));
    }
    let head = policy.head(verb.as_bytes(), headers.iter().copied(), &(), |_| {});
    let verdict = head.verdict(|_| {}).unwrap_or_else(|| head.judge(&(), message, |_| {}));
    match verdict {
        Verdict::Accepted(accepted) => use_it(&accepted),
        Verdict::Refused(refusal) => panic!("{body}: {}", refusal.finding()),
    }
}

pub(super) fn post(revision: Revision, body: &str) -> Asked {
    accepted(revision, "POST", body, |accepted| Asked::new(accepted, Resuming::No))
}

pub(super) fn ping(revision: Revision) -> Asked {
    post(revision, &request(revision, "7", if revision == NEW { "tools/list" } else { "ping" }))
}

pub(super) fn get(resuming: Resuming) -> Asked {
    accepted(OLD, "GET", "", |accepted| Asked::new(accepted, resuming))
}

/// The outcome of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Got {
    /// The body that the client receives, or the reply.
    pub(super) sent: Result<String, Reply>,
    pub(super) notes: String,
}

impl Got {
    #[track_caller]
    pub(super) fn passes(&self, body: &str, notes: &str) {
        assert_eq!((self.sent.as_deref(), self.notes.as_str()), (Ok(body), notes));
    }

    /// The response was replaced by an error of the filter with this rule and id.
    #[track_caller]
    pub(super) fn is_refused(&self, body: &str, notes: &str) {
        let Err(reply) = &self.sent else { panic!("it was passed on: {self:?}") };
        assert_eq!((reply.status, reply.allow), (502, None));
        let sent = String::from_utf8(reply.body.clone()).unwrap();
        assert_eq!((sent.as_str(), self.notes.as_str()), (body, notes));
    }
}

/// The error of the filter, as a line.
pub(super) fn error(id: &str, rule: &str) -> String {
    let id = if id.is_empty() { String::new() } else { format!(r#""id":{id},"#) };
    let message = "The gateway has refused the response of the server";
    format!(
        r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32603,"message":"{message}","data":{{"rule":"{rule}"}}}}}}"#
    ) + "\n"
}

pub(super) fn show(note: Note) -> String {
    match note {
        Note::Finding(finding) => rule::name(finding.rule()).to_owned(),
        Note::Unjudged(cause) => format!("unjudged({})", rule::name(cause)),
        Note::Refused(cause) => format!("refused({})", rule::name(cause)),
        Note::Removed(cause) => format!("removed({})", rule::name(cause)),
        Note::Answered(cause) => format!("answered({})", rule::name(cause)),
    }
}

/// Plays a response in these pieces. The last piece has the end with it, or the end comes alone.
pub(super) fn play(
    asked: &Asked,
    terms: Terms,
    (status, headers): (u16, &[(&str, &str)]),
    pieces: &[&[u8]],
    ends_alone: bool,
) -> Got {
    let mut notes = Vec::new();
    let mut report = |note| notes.push(show(note));
    let mut response = Response::new(asked.clone(), terms);
    let headers = headers.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes()));
    let sent = match response.head(status, headers, false, &mut report) {
        HeadStep::Refuse(reply) => Err(reply),
        HeadStep::Pass => Ok(pieces.concat()),
        HeadStep::Hold => match response.whole(&pieces.concat(), &mut report) {
            BodyStep::Pass => Ok(pieces.concat()),
            BodyStep::Refuse(reply) => Err(reply),
        },
        step @ (HeadStep::Observe | HeadStep::Stream) => {
            let mut out = Vec::new();
            let end = if ends_alone { &[&b""[..]][..] } else { &[] };
            let mut left = pieces.len() + end.len();
            for piece in pieces.iter().chain(end) {
                left -= 1;
                match response.piece(piece, left == 0, &mut report) {
                    Piece::Keep => out.extend_from_slice(piece),
                    Piece::Replace(_) if step == HeadStep::Observe => panic!("nothing is changed"),
                    Piece::Replace(other) => {
                        assert_ne!(other, *piece, "it is the same");
                        out.extend_from_slice(&other);
                    }
                }
            }
            Ok(out)
        }
    };
    let sent = sent.map(|sent| String::from_utf8(sent).unwrap());
    Got { sent, notes: notes.join(", ") }
}

/// Plays a response whole, cut once at every place, and byte by byte. All must come to the same.
#[track_caller]
pub(super) fn receive(
    asked: &Asked,
    terms: Terms,
    head: (u16, &[(&str, &str)]),
    body: impl AsRef<[u8]>,
) -> Got {
    let body = body.as_ref();
    let got = play(asked, terms, head, &[body], false);
    for cut in 0..=body.len() {
        let pieces = [&body[..cut], &body[cut..]];
        assert_eq!(play(asked, terms, head, &pieces, cut % 2 == 0), got, "cut at {cut}");
    }
    let bytes: Vec<_> = body.chunks(1).collect();
    for ends_alone in [false, true] {
        assert_eq!(play(asked, terms, head, &bytes, ends_alone || bytes.is_empty()), got);
    }
    got
}
