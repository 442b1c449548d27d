//! The verdicts of `tautline_mcp::http` agree with the corpus: what they refuse, and how, is among the outcomes.
//!
//! They judge one request that HTTP can read. So the cases about HTTP itself are left out, and of a request that is
//! accepted it is only known that the server serves it.

use std::collections::BTreeMap;

use tautline::{Fault, Message, RawStr};
use tautline_conformance::{Answer, Case, Corpus, Opening, Outcome, Reply, Step};
use tautline_mcp::http::{Action, Allowed, Policy, Server, Session, Sessions, Verdict};
use tautline_mcp::{Era, Revision};

/// The limit on bodies: between the sizes that every server should accept and those that few accept.
const LONGEST_BODY: usize = 4 << 20;

/// A request that HTTP can read.
pub struct Request {
    method: String,
    headers: Vec<(String, Vec<u8>)>,
    pub body: Vec<u8>,
}

/// Reads the steps of a case as one request. Returns `None` if they are not exactly one.
pub fn request(case: &Case, revision: &str) -> Option<Request> {
    let session = if case.opening == Opening::Fresh { "" } else { "Mcp-Session-Id: session-1\r\n" };
    let values = [
        ("{PATH}", "/mcp"),
        ("{HOST}", "localhost:8080"),
        ("{URL}", "http://localhost:8080/mcp"),
        ("{ORIGIN}", "http://localhost:8080"),
        ("{REVISION}", revision),
        ("{SESSION}", session),
        ("{SESSIONID}", "session-1"),
    ];
    let mut bytes = Vec::new();
    for step in case.steps.iter().filter(|step| !matches!(step, Step::PauseMs(_))) {
        let (piece, count) = step.bytes()?;
        let mut piece = piece.into_owned();
        for (name, value) in values {
            piece = replaced(&piece, name.as_bytes(), value.as_bytes());
        }
        bytes.extend(piece.repeat(count as usize));
    }
    let mut lines = [httparse::EMPTY_HEADER; 300];
    let mut head = httparse::Request::new(&mut lines);
    let httparse::Status::Complete(end) = head.parse(&bytes).ok()? else { return None };
    if head.version != Some(1) {
        return None;
    }
    let rest = &bytes[end..];
    let values = |name: &str| {
        let named = head.headers.iter().filter(|line| line.name.eq_ignore_ascii_case(name));
        named.map(|line| line.value).collect::<Vec<_>>()
    };
    let body = match (&values("content-length")[..], &values("transfer-encoding")[..]) {
        (&[], &[]) if rest.is_empty() => Vec::new(),
        (&[length], &[]) => {
            let digits = str::from_utf8(length).ok().filter(|text| !text.starts_with('+'))?;
            let length: usize = digits.parse().ok()?;
            (length == rest.len()).then(|| rest.to_vec())?
        }
        (&[], &[coding]) if coding.eq_ignore_ascii_case(b"chunked") => dechunked(rest)?,
        _ => return None,
    };
    let headers = head.headers.iter().map(|line| (line.name.to_owned(), line.value.to_vec()));
    Some(Request { method: head.method?.to_owned(), headers: headers.collect(), body })
}

fn replaced(bytes: &[u8], name: &[u8], value: &[u8]) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), bytes);
    while let Some(at) = rest.windows(name.len()).position(|window| window == name) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(value);
        rest = &rest[at + name.len()..];
    }
    out.extend_from_slice(rest);
    out
}

fn dechunked(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let httparse::Status::Complete((at, size)) = httparse::parse_chunk_size(bytes).ok()? else {
            return None;
        };
        let size = usize::try_from(size).ok()?;
        bytes = &bytes[at..];
        if size == 0 {
            // Trailers may follow, and then nothing.
            return bytes.ends_with(b"\r\n").then_some(body);
        }
        body.extend_from_slice(bytes.get(..size)?);
        bytes = bytes.get(size..)?.strip_prefix(b"\r\n")?;
    }
}

/// A server with one session, which does not have the method that the cases call unknown.
struct OneSession(Revision);

impl Server for OneSession {
    fn session(&self, id: &[u8]) -> Session {
        if id == b"session-1" { Session::Open(self.0) } else { Session::Unknown }
    }

    fn has_method(&self, method: RawStr<'_>) -> Option<bool> {
        (method == *"no/such/method").then_some(false)
    }
}

/// The reaction of a server that follows the verdict.
#[derive(Debug)]
struct Done {
    status: u16,
    code: Option<i64>,
    id: String,
    allow: Option<&'static str>,
    is_served: bool,
}

fn done(request: &Request, revision: Revision, supported: &'static [Revision]) -> Done {
    let policy = Policy::new(supported, Allowed::Loopback, Allowed::Loopback)
        .with_sessions(Sessions::Required)
        .with_streams()
        .with_session_end();
    let server = OneSession(revision);
    let headers = request.headers.iter().map(|(name, value)| (name.as_bytes(), &value[..]));
    let head = policy.head(request.method.as_bytes(), headers, &server, |_| {});
    let verdict = head.verdict(|_| {}).unwrap_or_else(|| {
        let profile = head.profile();
        let body = match request.body.len() > LONGEST_BODY {
            true => Err(Fault::of_unread(&profile)),
            false => Message::parse(&request.body, &profile),
        };
        head.judge(&server, body, |_| {})
    });
    match verdict {
        Verdict::Accepted(accepted) => {
            let is_noted = accepted.action() == Action::Acknowledge;
            let status = if is_noted { 202 } else { 200 };
            let id = match accepted.message() {
                Some(Message::Request(request)) => request.id().to_string(),
                _ => "none".to_owned(),
            };
            Done { status, code: None, id, allow: None, is_served: true }
        }
        Verdict::Refused(refusal) => Done {
            status: refusal.status(),
            code: refusal.code().map(|code| code.value()),
            id: refusal.id().map_or_else(|| "none".to_owned(), |id| id.to_string()),
            allow: refusal.allow(),
            is_served: false,
        },
    }
}

/// Returns whether a case allows what is done.
fn allows(outcome: &Outcome, done: &Done) -> bool {
    let [reply] = outcome.replies.as_deref().unwrap_or_default() else { return false };
    let has_headers = reply.headers.iter().all(|(name, value)| match name.as_str() {
        "allow" => done
            .allow
            .is_some_and(|list| list.split(", ").any(|method| method.eq_ignore_ascii_case(value))),
        _ => true,
    });
    reply.status.contains(&done.status) && has_headers && answers(reply, done)
}

fn answers(reply: &Reply, done: &Done) -> bool {
    let Some(answers) = &reply.answers else { return true };
    match (&answers[..], done.code) {
        // The server decides how it serves a request.
        (_, None) if done.is_served => true,
        ([], None) => true,
        ([Answer::Single(response)], Some(code)) => {
            let codes = response.error.as_deref();
            characters(&response.id) == characters(&done.id)
                && codes.is_some_and(|codes| codes.is_empty() || codes.contains(&code))
        }
        _ => false,
    }
}

/// Returns the id with the escapes of a string undone.
fn characters(id: &str) -> String {
    serde_json::from_str::<String>(id).map_or_else(|_| id.to_owned(), |text| format!("{text:?}"))
}

#[test]
fn the_verdicts_are_among_the_outcomes() {
    let corpus = Corpus::http();
    let mut wrong = BTreeMap::new();
    let (mut judged, mut refused) = (0, 0);
    for case in &corpus.cases {
        for name in &case.revisions {
            let Some(request) = request(case, name) else { continue };
            let revision: Revision = name.parse().expect("a revision");
            let own: &[Revision] = match revision.era() {
                Era::Modern => &[Revision::V2026_07_28],
                Era::Legacy => {
                    &[Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25]
                }
            };
            for supported in [own, &Revision::ALL[1..]] {
                let done = done(&request, revision, supported);
                judged += 1;
                refused += u32::from(!done.is_served);
                if !case.outcomes.iter().any(|outcome| allows(outcome, &done)) {
                    wrong.insert(&case.id, format!("{name} of {}: {done:?}", supported.len()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(judged >= 1200 && refused >= 600, "{judged} {refused}");
}
