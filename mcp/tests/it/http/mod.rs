//! The rules of Streamable HTTP: a table of requests for each era, and responses.

mod legacy;
mod modern;
mod responses;
#[cfg(feature = "alloc")]
mod twin;

use tautline::encode::Slice;
use tautline::{Message, RawJson, RawStr, Request};
use tautline_mcp::http::{
    Accepted, Action, Allowed, Finding, Name, Parameter, Policy, Refusal, Server, Session,
    Sessions, Tool, Verdict, mirrored, parameters_of,
};
use tautline_mcp::{Revision, rule};

const BOTH: &[Revision] =
    &[Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28];

/// A policy for all revisions, with sessions and streams.
const POLICY: Policy<'_> =
    Policy::new(BOTH, Allowed::Listed(&["https://app.example"]), Allowed::Listed(&["mcp.example"]))
        .with_sessions(Sessions::Required)
        .with_streams()
        .with_session_end();

/// The tool `query` marks four parameters, `plain` none, and other tools are not known.
struct Tools;

const QUERY: &str = r#"{"type":"object","properties":{
    "region":{"type":"string","x-mcp-header":"Region"},
    "limit":{"type":"integer","x-mcp-header":"Limit"},
    "dry":{"type":"boolean","x-mcp-header":"Dry"},
    "where":{"properties":{"tenant":{"type":"string","x-mcp-header":"Tenant"}}},
    "sql":{"type":"string"}}}"#;

impl Server for Tools {
    fn session(&self, id: &[u8]) -> Session {
        match id {
            b"open-1125" => Session::Open(Revision::V2025_11_25),
            b"open-0326" => Session::Open(Revision::V2025_03_26),
            b"unjudged" => Session::Unjudged,
            _ => Session::Unknown,
        }
    }

    fn has_method(&self, method: RawStr<'_>) -> Option<bool> {
        (method == "completion/complete").then_some(false)
    }

    fn parameters(&self, tool: RawStr<'_>, visit: &mut dyn FnMut(&Parameter<'_>)) -> Tool {
        if tool == "query" {
            assert!(parameters_of(RawJson::parse(QUERY.as_bytes()).unwrap(), visit));
            return Tool::Known;
        }
        if tool == "stored" {
            visit(&Parameter::new(Name::new("Region"), &[Name::new("region")]));
            return Tool::Known;
        }
        if tool == "plain" { Tool::Known } else { Tool::Unknown }
    }

    fn missing_capabilities(&self, request: &Request<'_>) -> Option<RawJson<'_>> {
        let is_it = request.method() == "prompts/get";
        is_it.then(|| RawJson::parse(br#"{"sampling":{}}"#).unwrap())
    }
}

/// What came of a request.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    /// As in `400 -32020 7`: the status, the code and the id. For a request that is accepted, what is to be done.
    verdict: String,
    /// The findings, as in `http-header-mismatch Mcp-Name`.
    found: Vec<String>,
    reply: String,
}

fn show(finding: Finding) -> String {
    let name = rule::name(finding.rule());
    finding.field().map_or(name.to_owned(), |field| format!("{name} {field}"))
}

fn line((name, value): &(String, Vec<u8>)) -> (&[u8], &[u8]) {
    (name.as_bytes(), value)
}

/// Judges a request that is written as text: the method, the headers on a line each, and, after an empty line, the body.
fn judge_by(policy: &Policy<'_>, text: &str) -> Outcome {
    let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
    let mut lines = head.lines().map(str::trim_start);
    let method = lines.next().unwrap();
    let headers: Vec<(String, Vec<u8>)> = lines
        .map(|line| line.split_once(':').unwrap())
        // A test writes a byte beyond ASCII as the character of the same number.
        .map(|(name, value)| (name.to_owned(), value.chars().map(|c| c as u8).collect()))
        .collect();
    let mut found = Vec::new();
    let head = policy.head(method.as_bytes(), headers.iter().map(line), &Tools, |finding| {
        found.push(show(finding));
    });
    let early = head.verdict(|finding| found.push(show(finding)));
    let verdict = early.unwrap_or_else(|| {
        let message = Message::parse(body.trim().as_bytes(), &head.profile());
        head.judge(&Tools, message, |finding| found.push(show(finding)))
    });
    match verdict {
        Verdict::Accepted(accepted) => {
            Outcome { verdict: accepted_as(&accepted), found, reply: String::new() }
        }
        Verdict::Refused(refusal) => {
            let (verdict, reply) = refused_as(&refusal);
            Outcome { verdict, found, reply }
        }
    }
}

fn accepted_as(accepted: &Accepted<'_>) -> String {
    let (mut found, mut searched) = (Vec::new(), Vec::new());
    accepted.mirrored(|field, value| found.push((field, value.to_string())));
    if let Some(message) = accepted.message() {
        mirrored(message, |field, value| searched.push((field, value.to_string())));
    }
    assert_eq!(found, searched);
    let action = match accepted.action() {
        Action::Answer => "answer",
        Action::Listen => "listen",
        Action::Acknowledge => "acknowledge",
        Action::Stream => "stream",
        Action::EndSession => "end",
        _ => "?",
    };
    format!("{action} {} {:?}", accepted.revision(), accepted.parameters())
}

fn refused_as(refusal: &Refusal<'_>) -> (String, String) {
    let mut verdict = refusal.status().to_string();
    if let Some(code) = refusal.code() {
        verdict += &format!(" {code}");
    }
    if let Some(id) = refusal.id() {
        verdict += &format!(" {id}");
    }
    let mut room = [0; 400];
    let mut out = Slice::new(&mut room);
    let length = refusal.write(&mut out).unwrap();
    let reply = std::str::from_utf8(out.written()).unwrap().to_owned();
    assert_eq!(length, reply.len());
    assert_eq!(refusal.code().is_none(), reply.is_empty());
    if !reply.is_empty() {
        // What is written can be read by a client, and has the code.
        let profile = Revision::LATEST.profile().http_response_body();
        let Ok(Message::Response(response)) = Message::parse(reply.as_bytes(), &profile) else {
            panic!("{reply}")
        };
        assert_eq!(response.error().unwrap().code(), refusal.code());
        assert_ne!(response.error().unwrap().message(), "", "{reply}");
        assert_eq!(response.id(), refusal.id());
    }
    assert_eq!(refusal.allow().is_some(), refusal.status() == 405);
    (verdict, reply)
}

fn judge(text: &str) -> Outcome {
    judge_by(&POLICY, text)
}

/// Checks a request: its verdict, and its findings with commas between them.
#[track_caller]
fn check(text: &str, verdict: &str, found: &str) {
    let outcome = judge(text);
    assert_eq!(
        (outcome.verdict.as_str(), outcome.found.join(", ").as_str()),
        (verdict, found),
        "{text}"
    );
}
