//! A request: its head, then its body, then the decision.

use tautline::envelope::Skimmer;
use tautline::{ErrorCode, Fault, Message, Rule};
use tautline_mcp::ParamsView;
use tautline_mcp::http::{self, Accepted, Field, Finding, Resuming, Verdict};

use crate::encoding::is_encoded;
use crate::reply::Reply;
use crate::report::{Cause, Facts, rule};
use crate::response::Asked;
use crate::settings::{Denial, Mode, Settings};

/// The head of a request, as the proxy gives it.
#[derive(Debug, Default)]
pub struct Head {
    method: Vec<u8>,
    path: Vec<u8>,
    fields: Vec<(String, Vec<u8>)>,
}

/// The body of a request, as far as it was read.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a body is read, or skimmed, or not")]
pub enum Body<'b> {
    /// The whole body.
    Whole(&'b [u8]),
    /// The body is longer than the limit, and was skimmed as a whole.
    Skimmed(&'b mut Skimmer),
    /// The body is longer than the limit, and was not read to its end.
    Unread,
}

/// A decision, and the facts of the request.
#[derive(Debug)]
pub struct Judged {
    /// The decision.
    pub decision: Decision,
    /// The facts of the request.
    pub facts: Facts,
}

/// The fate of a request.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a request is accepted or refused")]
pub enum Decision {
    /// Pass it on. This is what a response has to answer.
    Accept(Asked),
    /// Refuse it for this cause, with this reply.
    Refuse(Cause, Reply),
}

/// The state of the findings in a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "they were or not")]
pub enum Reported {
    /// They were.
    Yes,
    /// They were not.
    No,
}

impl Judged {
    /// Refuses a request that was accepted by its head, and has a body. MCP has no meaning for it, but a server that ignores
    /// the method of HTTP could serve it (RFC 9110, section 9.3.1).
    fn with_a_body(self) -> Self {
        let Decision::Accept(_) = self.decision else { return self };
        let (text, cause) = ("only a POST has a body", rule::BODY_UNEXPECTED);
        let reply = Reply::errors(400, None, ErrorCode::INVALID_REQUEST, text, cause);
        Self { decision: Decision::Refuse(cause.into(), reply), ..self }
    }
}

impl Head {
    /// Reads the pairs of a proxy: pseudo-headers and fields, with names in lower case.
    #[must_use]
    pub fn new(pairs: Vec<(String, Vec<u8>)>) -> Self {
        let mut head = Self::default();
        for (name, value) in pairs {
            match name.as_str() {
                ":method" => head.method = value,
                ":path" => head.path = value,
                ":authority" => head.fields.push(("host".to_owned(), value)),
                _ if name.starts_with(':') => {}
                _ => head.fields.push((name, value)),
            }
        }
        head
    }

    /// Returns whether the settings want requests of this path to be judged. The query makes no difference.
    #[must_use]
    pub fn is_served(&self, settings: &Settings) -> bool {
        settings.has_path(&self.path)
    }

    /// Returns whether the body has an encoding, so that it cannot be judged (RFC 9110, section 8.4).
    #[must_use]
    pub fn is_encoded(&self) -> bool {
        is_encoded(self.lines())
    }

    /// Returns whether the body is short, and the client does not wait for a permission to send it (RFC 9110, section
    /// 10.1.1). Then the head can be judged with the body.
    #[must_use]
    pub fn is_short(&self) -> bool {
        let is_short = self.length().is_some_and(|length| length <= SHORT);
        is_short && self.values("expect").next().is_none()
    }

    /// Returns the length of the body, if it is declared.
    #[must_use]
    pub fn length(&self) -> Option<u64> {
        let length = self.values("content-length").next()?;
        std::str::from_utf8(length).ok()?.parse().ok()
    }

    fn values(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        self.fields.iter().filter(move |(each, _)| each == name).map(|(_, value)| value.as_slice())
    }

    fn lines(&self) -> impl Iterator<Item = (&[u8], &[u8])> + Clone {
        self.fields.iter().map(|(name, value)| (name.as_bytes(), value.as_slice()))
    }

    /// Judges the head. Returns `None` if the body has to be judged with it.
    #[must_use]
    pub fn judge(&self, settings: &Settings, report: &mut dyn FnMut(Finding)) -> Option<Judged> {
        let head = settings.policy.head(&self.method, self.lines(), &(), &mut *report);
        self.judge_head(&head, settings, report)
    }

    fn judge_head<'a>(
        &self,
        head: &http::Head<'a, impl Iterator<Item = (&'a [u8], &'a [u8])> + Clone>,
        settings: &Settings,
        report: &mut dyn FnMut(Finding),
    ) -> Option<Judged> {
        let verdict = match settings.requests {
            Mode::Report => head.verdict_in_report(report),
            Mode::Enforce | Mode::Off => head.verdict(report),
        };
        Some(self.decide(settings, &verdict?))
    }

    /// Judges the request with its body.
    #[must_use]
    pub fn judge_with(
        &self,
        body: Body<'_>,
        settings: &Settings,
        reported: Reported,
        report: &mut dyn FnMut(Finding),
    ) -> Judged {
        let report_head = &mut |finding| {
            if reported == Reported::No {
                report(finding);
            }
        };
        let head = settings.policy.head(&self.method, self.lines(), &(), &mut *report_head);
        // The body of a GET or a DELETE makes no difference to the rules.
        if let Some(judged) = self.judge_head(&head, settings, report_head) {
            let is_empty = matches!(body, Body::Whole(b""));
            return if is_empty { judged } else { judged.with_a_body() };
        }
        let profile = head.profile();
        let message = match body {
            Body::Whole(body) => Message::parse(body, &profile),
            Body::Skimmed(skimmer) => Err(skimmer.finish().too_long(&profile)),
            Body::Unread => Err(Fault::of_unread(&profile)),
        };
        self.decide(settings, &head.judge(&(), message, report))
    }

    fn decide(&self, settings: &Settings, verdict: &Verdict<'_>) -> Judged {
        match verdict {
            Verdict::Refused(refusal) => {
                let id = refusal.id().map(|id| id.to_string()).unwrap_or_default();
                let facts = Facts { id, ..Facts::default() };
                let cause = refusal.finding().into();
                Judged { decision: Decision::Refuse(cause, Reply::from(refusal)), facts }
            }
            Verdict::Accepted(accepted) => {
                let facts = facts(accepted);
                let denied = accepted.message().and_then(|message| {
                    let cause = denial(settings, message)?;
                    let Denial { status, code, message: text } = &settings.denial;
                    Some((cause, Reply::errors(*status, Some(message), *code, text, cause)))
                });
                let resumes = self.values("last-event-id").next().is_some();
                let resuming = if resumes { Resuming::Yes } else { Resuming::No };
                let decision = match denied {
                    None => Decision::Accept(Asked::new(accepted, resuming)),
                    Some((cause, reply)) => Decision::Refuse(cause.into(), reply),
                };
                Judged { decision, facts }
            }
        }
    }
}

/// The length of a body in bytes that is read before the head is judged. Most bodies are as short.
const SHORT: u64 = 64 << 10;

fn facts(accepted: &Accepted<'_>) -> Facts {
    let mut facts = Facts { revision: Some(accepted.revision()), ..Facts::default() };
    let Some(message) = accepted.message() else { return facts };
    if let Message::Request(request) = message {
        facts.id = request.id().to_string();
    }
    accepted.mirrored(|field, value| match field {
        Field::Method => facts.method = value.to_string(),
        Field::Name => facts.name = value.to_string(),
        _ => {}
    });
    facts
}

/// Returns why the settings deny a message, if they do.
///
/// With lists of names, each name has to be beyond doubt: a call of a tool must have one, and an element of a batch must be
/// a message. The profile is strict then, so no name is there twice.
fn denial(settings: &Settings, message: &Message<'_>) -> Option<Rule> {
    if !settings.has_lists() {
        return None;
    }
    let (method, params) = match message {
        Message::Request(request) => (request.method(), request.params()),
        Message::Notification(note) => (note.method(), note.params()),
        Message::Batch(batch) => {
            return batch.iter().find_map(|element| match element.message() {
                Ok(message) => denial(settings, &message),
                // Its method cannot be known.
                Err(_) => Some(rule::METHOD_DENIED),
            });
        }
        _ => return None,
    };
    if settings.denies_method(method) {
        return Some(rule::METHOD_DENIED);
    }
    let is_denied = method == *"tools/call" && {
        let name = params.and_then(ParamsView::of).and_then(|params| params.name());
        name.map_or_else(|| settings.lists_tools(), |name| settings.denies_tool(name))
    };
    is_denied.then_some(rule::TOOL_DENIED)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::panic, reason = "tests are expected to panic")]
mod tests {
    use tautline::Profile;
    use tautline::envelope::Skimmer;
    use tautline_mcp::rule as mcp;

    use super::{Body, Decision, Head, Judged, Reported};
    use crate::report::rule;
    use crate::settings::Settings;

    fn settings(json: &str) -> Settings {
        Settings::parse(json.as_bytes()).unwrap_or_else(|error| panic!("{json}: {error}"))
    }

    fn head(more: &[(&str, &str)]) -> Head {
        let usual = [
            (":method", "POST"),
            (":path", "/mcp?a=b"),
            (":authority", "localhost:8080"),
            (":scheme", "http"),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ];
        let kept = usual.iter().filter(|(name, _)| more.iter().all(|(other, _)| other != name));
        let pairs =
            kept.chain(more).map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec()));
        Head::new(pairs.collect())
    }

    const MODERN: [(&str, &str); 3] = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "read"),
    ];

    fn call(id: &str, name: &str) -> String {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{{name}"arguments":{{}},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
        )
    }

    /// Returns the decision: the names of the cause and the status, or `accepted`; and the body of the reply.
    fn outcome(judged: &Judged) -> (String, String) {
        match &judged.decision {
            Decision::Accept(_) => ("accepted".to_owned(), String::new()),
            Decision::Refuse(cause, reply) => (
                format!("{} {}", rule::name(cause.rule), reply.status),
                String::from_utf8_lossy(&reply.body).into_owned(),
            ),
        }
    }

    fn judge(settings: &Settings, head: &Head, body: &str) -> (String, String) {
        outcome(&head.judge_with(Body::Whole(body.as_bytes()), settings, Reported::No, &mut |_| {}))
    }

    #[test]
    fn the_facts_are_those_of_an_accepted_request() {
        let body = call("7", r#""name":"read","#);
        let judged = head(&MODERN).judge_with(
            Body::Whole(body.as_bytes()),
            &settings("{}"),
            Reported::No,
            &mut |_| {},
        );
        assert_eq!(outcome(&judged).0, "accepted");
        let facts = judged.facts;
        assert_eq!(
            (facts.method.as_str(), facts.name.as_str(), facts.id.as_str()),
            ("tools/call", "read", "7")
        );
        assert_eq!(facts.revision.unwrap().name(), "2026-07-28");
    }

    #[test]
    fn a_name_that_differs_is_refused_with_the_id() {
        let body = call(r#""x""#, r#""name":"delete","#);
        let (outcome, reply) = judge(&settings("{}"), &head(&MODERN), &body);
        assert_eq!(outcome, "http-header-mismatch 400");
        assert!(
            reply.starts_with(r#"{"jsonrpc":"2.0","id":"x","error":{"code":-32020,"#),
            "{reply}"
        );
    }

    #[test]
    fn a_head_alone_can_decide() {
        let settings = settings("{}");
        let judge =
            |head: &Head| head.judge(&settings, &mut |_| {}).map(|judged| outcome(&judged).0);
        assert_eq!(judge(&head(&[(":method", "PUT")])).unwrap(), "http-method 405");
        assert_eq!(judge(&head(&[(":method", "GET")])).unwrap(), "accepted");
        assert_eq!(
            judge(&head(&[("content-type", "text/plain")])).unwrap(),
            "http-content-type 415"
        );
        assert_eq!(judge(&head(&[])), None);
    }

    #[test]
    fn only_a_post_has_a_body() {
        let settings = settings("{}");
        for method in ["GET", "DELETE"] {
            let more = [
                (":method", method),
                ("mcp-session-id", "a"),
                ("mcp-protocol-version", "2025-11-25"),
            ];
            let head = head(&more);
            for reported in [Reported::No, Reported::Yes] {
                let judge =
                    |body| outcome(&head.judge_with(body, &settings, reported, &mut |_| {})).0;
                assert_eq!(judge(Body::Whole(b"")), "accepted", "{method}");
                assert_eq!(judge(Body::Whole(b"{}")), "body-unexpected 400", "{method}");
                assert_eq!(judge(Body::Unread), "body-unexpected 400", "{method}");
            }
        }
    }

    #[test]
    fn in_reports_a_bad_head_does_not_hide_a_bad_body() {
        let settings = settings(r#"{"requests":"report"}"#);
        let head = head(&[("accept", "application/json")]);
        let mut found = Vec::new();
        let judged = head.judge_with(Body::Whole(b"{}"), &settings, Reported::No, &mut |finding| {
            found.push(finding.rule());
        });
        assert_eq!(outcome(&judged).0, "http-accept 406");
        assert!(found.contains(&mcp::HTTP_ACCEPT) && found.len() > 1, "{found:?}");
    }

    #[test]
    fn a_body_above_the_limit_is_refused_with_its_id() {
        let mut skimmer = Skimmer::new(&Profile::JSON_RPC);
        skimmer.push(br#"{"jsonrpc":"2.0","method":"ping","id":"late"}"#);
        let (settings, head) = (settings("{}"), head(&[]));
        let judge = |body| outcome(&head.judge_with(body, &settings, Reported::Yes, &mut |_| {}));
        let (skimmed, reply) = judge(Body::Skimmed(&mut skimmer));
        assert_eq!(skimmed, "frame-too-long 413");
        assert!(reply.contains(r#""id":"late""#), "{reply}");
        assert_eq!(judge(Body::Unread).0, "frame-too-long 413");
    }

    #[test]
    fn lists_of_names_leave_no_doubt() {
        let settings =
            settings(r#"{"tools":{"deny":["delete"]},"methods":{"deny":["logging/setLevel"]}}"#);
        let legacy =
            |body: &str| judge(&settings, &head(&[("mcp-protocol-version", "2025-03-26")]), body);
        let tool = |params: &str| {
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#)
        };
        for (body, expected) in [
            (tool(r#"{"name":"read"}"#), "accepted"),
            (tool(r#"{"name":"delete"}"#), "tool-denied 403"),
            (tool(r#"{"name":"d\u0065lete"}"#), "tool-denied 403"),
            (tool(r#"{"name":7}"#), "tool-denied 403"),
            (tool("{}"), "tool-denied 403"),
            (tool(r#"{"name":"read","name":"delete"}"#), "duplicate-nested-member 400"),
            (tool(r#"{"name":"read","Name":"delete"}"#), "nested-member-lookalike 400"),
            (format!("[{}]", tool(r#"{"name":"delete"}"#)), "tool-denied 403"),
            (format!("[{},{{\"method\":1}}]", tool(r#"{"name":"read"}"#)), "method-denied 403"),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}"#
                    .to_owned(),
                "method-denied 403",
            ),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned(), "accepted"),
        ] {
            assert_eq!(legacy(&body).0, expected, "{body}");
        }
        let (_, reply) = legacy(&tool(r#"{"name":"delete"}"#));
        assert!(reply.starts_with(r#"{"jsonrpc":"2.0","id":1,"error":{"code":"#), "{reply}");
    }

    #[test]
    fn encodings_are_seen() {
        assert!(head(&[("content-encoding", "br")]).is_encoded());
        assert!(!head(&[]).is_encoded());
    }

    #[test]
    fn a_short_body_needs_no_permission() {
        assert!(head(&[("content-length", "65536")]).is_short());
        for fields in [
            &[("content-length", "65537")][..],
            &[("content-length", "1"), ("expect", "100-continue")],
            &[("content-length", "-1")],
            &[],
        ] {
            assert!(!head(fields).is_short(), "{fields:?}");
        }
    }

    #[test]
    fn the_query_is_no_part_of_a_path() {
        let served = |json: &str| head(&[]).is_served(&settings(json));
        assert!(served("{}"));
        assert!(served(r#"{"paths":["/other","/mcp"]}"#));
        assert!(!served(r#"{"paths":["/mc"]}"#));
    }
}
