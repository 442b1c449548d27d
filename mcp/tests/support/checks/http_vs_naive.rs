//! Differential test of the rules of HTTP against a naive judge of the same text, for requests that are made from
//! headers and bodies, right and wrong ones, and then changed byte by byte.
//!
//! A request is a text: a digit that chooses the endpoint, a space and the method, then a header on each line, and after an
//! empty line the body. CR ends a line as well as LF.

use std::collections::BTreeMap;

use serde_json::Value;
use tautline::{Message, RawJson, RawStr};
use tautline_mcp::http::{
    Allowed, Field, Name, Parameter, Parameters, Policy, Server, Session, Sessions, Tool, Verdict,
};
use tautline_mcp::{Revision, rule};

use crate::support::dice::Dice;
use crate::support::reference::http::{self, Endpoint, Request};

const ORIGINS: &[&str] = &["https://app.example", "http://a:8080"];
const HOSTS: &[&str] = &["mcp.example", "[::1]"];

/// The endpoints that a text can choose.
fn endpoints() -> [Endpoint; 4] {
    let versions = [
        vec!["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"],
        vec!["2026-07-28"],
        vec!["2025-03-26", "2025-11-25"],
        vec!["2025-11-25", "2026-07-28"],
    ];
    versions.map(|versions| Endpoint {
        requires_sessions: versions.len() != 2,
        has_streams: versions.len() != 1,
        versions,
        origins: ORIGINS.to_vec(),
        hosts: HOSTS.to_vec(),
        sessions: BTreeMap::from([("s1", "2025-11-25"), ("s2", "2025-03-26")]),
        tools: BTreeMap::from([
            (
                "query",
                vec![
                    ("Region", vec!["region"]),
                    ("Limit", vec!["limit"]),
                    ("Dry", vec!["opt", "dry"]),
                ],
            ),
            ("plain", vec![]),
        ]),
    })
}

impl Server for Endpoint {
    fn session(&self, id: &[u8]) -> Session {
        let id = std::str::from_utf8(id).unwrap();
        self.sessions
            .get(id)
            .map_or(Session::Unknown, |version| Session::Open(version.parse().unwrap()))
    }

    fn parameters(&self, tool: RawStr<'_>, visit: &mut dyn FnMut(&Parameter<'_>)) -> Tool {
        let Some((_, parameters)) = self.tools.iter().find(|(name, _)| tool == ***name) else {
            return Tool::Unknown;
        };
        for (header, path) in parameters {
            let path: Vec<_> = path.iter().copied().map(Name::new).collect();
            visit(&Parameter::new(Name::new(header), &path));
        }
        Tool::Known
    }
}

/// What both judges have said about a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Nothing that could be compared.
    NotCompared,
    Accepted,
    /// The status of the refusal.
    Refused(u16),
}

/// Judges a text in both ways.
pub fn check(input: &[u8]) {
    compare(input);
}

/// Judges a text in both ways, and returns the outcome.
pub fn compare(input: &[u8]) -> Outcome {
    let mut lines = input.split(|byte| matches!(byte, b'\r' | b'\n'));
    let Some([digit, b' ', method @ ..]) = lines.next() else { return Outcome::NotCompared };
    let Ok(method) = String::from_utf8(method.to_vec()) else { return Outcome::NotCompared };
    let endpoint = &endpoints()[usize::from(digit % 4)];
    let mut headers = Vec::new();
    for line in lines.by_ref().take_while(|line| !line.is_empty()) {
        let Some(at) = line.iter().position(|byte| *byte == b':') else { continue };
        let Ok(name) = std::str::from_utf8(&line[..at]) else { continue };
        headers.push((name.to_owned(), line[at + 1..].to_vec()));
    }
    let body = lines.collect::<Vec<_>>().join(&b'\n');
    judge(endpoint, method, headers, &body)
}

fn judge(
    endpoint: &Endpoint,
    method: String,
    headers: Vec<(String, Vec<u8>)>,
    body: &[u8],
) -> Outcome {
    let supported: Vec<Revision> =
        endpoint.versions.iter().map(|name| name.parse().unwrap()).collect();
    let sessions = if endpoint.requires_sessions { Sessions::Required } else { Sessions::None };
    let policy = Policy::new(&supported, Allowed::Listed(ORIGINS), Allowed::Listed(HOSTS))
        .with_sessions(sessions);
    let policy = if endpoint.has_streams { policy.with_streams() } else { policy };
    let lines = headers.iter().map(|(name, value)| (name.as_bytes(), value.as_slice()));
    let mut found = Vec::new();
    let head = policy.head(method.as_bytes(), lines, endpoint, |finding| found.push(finding));
    let message = Message::parse(body, &head.profile());
    let early = head.verdict(|finding| found.push(finding));
    let verdict = match early {
        Some(verdict) => verdict,
        None => head.judge(endpoint, message, |finding| found.push(finding)),
    };
    // What is refused was reported, and each reply can be written.
    if let Verdict::Refused(refusal) = &verdict {
        assert!(found.contains(&refusal.finding()), "{found:?}");
        let mut reply = Vec::new();
        refusal.write(&mut reply).unwrap();
        assert_eq!(reply.is_empty(), refusal.code().is_none());
    }
    // A caller that only reports judges the body nevertheless, and gets the same verdict.
    if let (Some(Verdict::Refused(early)), true) = (early, method == "POST") {
        let Verdict::Refused(late) = head.judge(endpoint, message, |_| {}) else {
            panic!("{early:?}")
        };
        assert_eq!((early.status(), early.rule()), (late.status(), late.rule()));
    }
    let is_post = method == "POST";
    let value = match message {
        Ok(Message::Batch(_)) => return Outcome::NotCompared,
        Ok(_) if has_repeats(body) => return Outcome::NotCompared,
        Ok(_) => serde_json::from_slice::<Value>(body).ok(),
        Err(_) => None,
    };
    if early.is_none() && message.is_err() {
        let Verdict::Refused(refusal) = &verdict else {
            panic!("a body that is no message is accepted")
        };
        assert_eq!(refusal.status(), 400);
        return Outcome::Refused(400);
    }
    let Some(value) = value.or((!is_post).then_some(Value::Null)) else {
        return Outcome::NotCompared;
    };
    let headers = headers.clone();
    let request = Request { method, headers, body: if is_post { value } else { Value::Null } };
    compare_verdicts(endpoint, &request, &verdict)
}

fn compare_verdicts(endpoint: &Endpoint, request: &Request, verdict: &Verdict<'_>) -> Outcome {
    let naive = http::judge(endpoint, request);
    let own = match verdict {
        Verdict::Accepted(_) => None,
        Verdict::Refused(refusal) => {
            Some((refusal.status(), refusal.code().map(|code| code.value())))
        }
    };
    if let Some(naive) = naive {
        assert_eq!(own, Some(naive), "{request:?}");
        return Outcome::Refused(naive.0);
    }
    match verdict {
        Verdict::Refused(refusal) if refusal.finding().field() == Some(Field::Parameter) => {
            if !is_delicate(request) {
                assert_eq!(own, http::judge_parameters(endpoint, request), "{request:?}");
            }
            Outcome::Refused(400)
        }
        // The message itself is refused, which the naive judge does not look at.
        Verdict::Refused(refusal) => {
            let of_headers = [
                rule::HTTP_HEADER_MISSING,
                rule::HTTP_HEADER_REPEATED,
                rule::HTTP_HEADER_CHARACTERS,
                rule::HTTP_HEADER_ENCODING,
                rule::HTTP_HEADER_MISMATCH,
                rule::SESSION_ID_MISSING,
                rule::SESSION_ID_SYNTAX,
                rule::SESSION_ID_UNKNOWN,
                rule::VERSION_UNSUPPORTED,
                rule::HTTP_METHOD,
                rule::HTTP_ORIGIN,
                rule::HTTP_HOST,
                rule::HTTP_CONTENT_TYPE,
                rule::HTTP_ACCEPT,
            ];
            assert!(!of_headers.contains(&refusal.rule()), "{refusal:?} {request:?}");
            Outcome::Refused(refusal.status())
        }
        Verdict::Accepted(accepted) => {
            if accepted.parameters() == Parameters::Judged && !is_delicate(request) {
                assert_eq!(http::judge_parameters(endpoint, request), None, "{request:?}");
            }
            Outcome::Accepted
        }
    }
}

/// Returns whether a member of any object is repeated.
fn has_repeats(body: &[u8]) -> bool {
    fn search(value: RawJson<'_>) -> bool {
        let members: Vec<_> = value.members().into_iter().flatten().collect();
        let is_repeated =
            |at: usize| members[..at].iter().any(|other| other.name == members[at].name);
        (0..members.len()).any(is_repeated)
            || members.iter().any(|member| search(member.value))
            || value.elements().into_iter().flatten().any(search)
    }
    RawJson::parse(body).is_ok_and(search)
}

/// Returns whether a number in the request could be one that doubles do not tell apart from another.
fn is_delicate(request: &Request) -> bool {
    let values =
        request.headers.iter().filter_map(|(_, value)| http::decoded(http::trimmed(value)));
    let body = request.body.to_string().into_bytes();
    values.chain([body]).any(|text| {
        let digits = text
            .windows(14)
            .any(|run| run.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.'));
        digits
            || text.windows(2).any(|pair| matches!(pair, [b'e' | b'E', b'+' | b'-' | b'0'..=b'9']))
    })
}

/// The lines of which a request is made: for each header, first the right ones and then others.
const LINES: &[&[&str]] = &[
    &[
        "Host: mcp.example",
        "host:\t[::1]:80 ",
        "Host: evil",
        "Host: a b",
        "Host: [::1",
        "Host: mcp.example\rHost: mcp.example",
        "X: y",
    ],
    &[
        "X: y",
        "Origin: https://app.example",
        "Origin: HTTP://A:8080",
        "Origin: https://app.example:443",
        "Origin: null",
        "Origin: x",
        "Origin: http://evil",
    ],
    &[
        "Content-Type: application/json",
        "content-TYPE: Application/JSON ; charset=\"utf-8\"",
        "Content-Type: application/json;",
        "Content-Type: text/plain",
        "Content-Type: application/json;a",
        "Content-Type: application/json;a=\"\\\"\"",
        "Content-Type: application/json; Charset=utf-7",
        "Content-Type: application/json; charset=utf8; charset=\"UTF-16\"",
        "X: y",
    ],
    &[
        "Accept: application/json, text/event-stream",
        "ACCEPT: */*",
        "Accept: text/*;q=0.1, application/json",
        "Accept: application/json;q=0, */*",
        "Accept: application/json\rAccept: text/event-stream",
        "Accept: text/event-stream",
        "Accept: a/b;c=\"x,\\\",*/*\", */*;q=0.0",
        "X: y",
    ],
    &[
        "MCP-Protocol-Version: 2026-07-28",
        "mcp-protocol-version: 2025-11-25",
        "MCP-Protocol-Version: 2025-03-26",
        "X: y",
        "MCP-Protocol-Version: 2099-01-01",
        "MCP-Protocol-Version: 2026-07-28\rMCP-Protocol-Version: 2026-07-28",
    ],
    &[
        "Mcp-Method: tools/call",
        "Mcp-Method: tools/list",
        "mcp-method: resources/read",
        "X: y",
        "Mcp-Method: Tools/call",
    ],
    &[
        "Mcp-Name: query",
        "MCP-NAME: =?base64?cXVlcnk=?=",
        "Mcp-Name: file:///a",
        "X: y",
        "Mcp-Name: =?base64?cXVlcnk?=",
        "Mcp-Name: plain",
        "Mcp-Name: query\rMcp-Name: plain",
    ],
    &["Mcp-Param-Region: eu", "mcp-param-REGION: =?base64?ZXU=?=", "X: y", "Mcp-Param-Region: us"],
    &[
        "Mcp-Param-Limit: 42",
        "Mcp-Param-Limit: 42.0",
        "X: y",
        "Mcp-Param-Limit: 042",
        "Mcp-Param-Limit: =?base64?NDI=?=",
    ],
    &["Mcp-Param-Dry: true", "X: y", "Mcp-Param-Dry: false", "Mcp-Param-Dry: 1"],
    &[
        "X: y",
        "Mcp-Session-Id: s1",
        "Mcp-Session-Id: s2",
        "Mcp-Session-Id: gone",
        "Mcp-Session-Id: a b",
    ],
    &["X: y", "Last-Event-ID: 7", "Last-Event-ID: 7\rLast-Event-ID: 8"],
];

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// The bodies, in which `@` stands for the metadata.
const BODIES: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":{"region":"eu","limit":42,"opt":{"dry":true}},@}}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":{"region":null,"limit":4.20e1,"opt":{}},@}}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{@,"name":"plain"}}"#,
    r#"{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{@}}"#,
    r#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///a",@}}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
];

/// Makes a request that is often right, and breaks it in some places.
pub fn generate(dice: &mut Dice) -> Vec<u8> {
    let mut text =
        format!("{} {}\r", dice.roll(4), if dice.roll(12) == 0 { "GET" } else { "POST" });
    let is_legacy = dice.roll(3) == 0;
    for (at, choices) in LINES.iter().enumerate() {
        // Often a version of the legacy era goes with a session.
        let right = if is_legacy && matches!(at, 4 | 10) { 1 } else { 0 };
        let chosen =
            if dice.roll(8) > 0 { choices[right] } else { choices[dice.roll(choices.len())] };
        text += chosen;
        text.push('\r');
    }
    let right = if is_legacy { 4 } else { 0 };
    let body = if dice.roll(4) > 0 { BODIES[right] } else { BODIES[dice.roll(BODIES.len())] };
    text += "\r";
    text += &body.replace('@', META);
    let mut text = text.into_bytes();
    if dice.roll(3) == 0 {
        dice.break_bytes(
            &["MCP-Protocol-Version: 2026-07-28", "=?base64?ZXU=?=", ", */*;q=0", "\r\r"],
            &mut text,
        );
    }
    text
}
