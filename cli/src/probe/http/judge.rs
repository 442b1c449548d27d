//! The verdict on a case about HTTP: a pure function of the case and the observation.

use std::fmt;

use tautline_conformance::{Case, Outcome, Reply, Verdict as Worth};

use super::reply::Seen;
use super::wire::End;
use crate::probe::id::Id;
use crate::probe::judge::{Fault, Verdict, answers_fit};
use crate::probe::line::Body;
use crate::probe::observed::listed;

/// The observations on the connection of a case.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    pub replies: &'a [Seen],
    /// The reason why the bytes that came are not HTTP.
    pub broken: Option<&'a str>,
    /// The end of the connection, if the server has ended it.
    pub end: Option<End>,
    /// True if the server has stopped reading, and the connection is still open.
    pub is_stuck: bool,
}

/// A fault, and its reason.
pub type Failure = (Fault, String);

/// Judges an observation. A server that does not survive the case has the fault that is passed.
pub fn judge(case: &Case, observed: Observed<'_>, failure: Option<Failure>) -> Verdict {
    if let Some((fault, reason)) = failure {
        return Verdict::Wrong(fault, reason);
    }
    if let Some(broken) = observed.broken {
        return Verdict::Wrong(Fault::NotHttp, broken.to_owned());
    }
    fits_now(case, observed).unwrap_or_else(|| {
        let (fault, reason) = fault(case, observed);
        Verdict::Wrong(fault, reason)
    })
}

/// Returns the fault of the response to the survival request, unless it is a result.
pub fn survival_failure(observed: Observed<'_>, id: &Id) -> Option<Failure> {
    let after = "the request after the case";
    let Some(reply) = observed.replies.first() else {
        return Some(match (observed.broken, observed.end) {
            (Some(broken), _) => (Fault::NotHttp, format!("{after}: {broken}")),
            (None, Some(_)) => {
                (Fault::Death, format!("{after} got no reply, and the connection was closed"))
            }
            (None, None) => (Fault::Hang, format!("{after} got no reply")),
        });
    };
    let status = reply.status;
    match reply.response(id).map(|response| response.body) {
        Some(Body::Result) if status == 200 => None,
        Some(Body::Error(code)) => {
            Some((Fault::WrongAnswer, format!("{after} got status {status} and error {code}")))
        }
        _ => Some((Fault::WrongAnswer, format!("{after} got status {status}"))),
    }
}

/// Returns the verdict if an outcome fits: right, or else acceptable.
pub fn fits_now(case: &Case, observed: Observed<'_>) -> Option<Verdict> {
    let fitting = |worth| {
        let mut outcomes = case.outcomes.iter().filter(move |outcome| outcome.verdict == worth);
        outcomes.find(|outcome| fits(outcome, observed))
    };
    if fitting(Worth::Right).is_some() {
        return Some(Verdict::Right);
    }
    fitting(Worth::Acceptable)
        .map(|outcome| Verdict::Acceptable(outcome.note.clone().unwrap_or_default()))
}

fn fits(outcome: &Outcome, observed: Observed<'_>) -> bool {
    let has_ended = outcome.ending.is_none() || observed.end.is_some();
    has_ended && replies_fit(outcome, observed, reply_fits)
}

/// Returns whether each reply fits the one in its place, and there are no others.
fn replies_fit(
    outcome: &Outcome,
    observed: Observed<'_>,
    fits: impl Fn(&Reply, &Seen) -> bool,
) -> bool {
    let owed = outcome.replies.as_deref().unwrap_or_default();
    owed.len() == observed.replies.len()
        && owed.iter().zip(observed.replies).all(|(owed, seen)| fits(owed, seen))
}

fn reply_fits(owed: &Reply, seen: &Seen) -> bool {
    let answers = match owed.answers.as_deref() {
        None => true,
        Some([]) => seen.answers.is_empty(),
        Some(answers) => seen.broken.is_none() && answers_fit(answers, &[], &seen.answers),
    };
    head_fits(owed, seen) && answers && (!owed.empty || seen.length == 0)
}

fn head_fits(owed: &Reply, seen: &Seen) -> bool {
    let has = |(name, value): (&String, &String)| {
        let elements = seen.values(name).flat_map(|line| line.split(|&byte| b",;".contains(&byte)));
        elements
            .into_iter()
            .any(|one| value.is_empty() || one.trim_ascii().eq_ignore_ascii_case(value.as_bytes()))
    };
    owed.status.contains(&seen.status) && owed.headers.iter().all(has)
}

/// Returns the fault of an observation that fits no outcome.
fn fault(case: &Case, observed: Observed<'_>) -> Failure {
    let seen = listed(observed.replies.iter().map(Shown));
    let end = match observed.end {
        Some(End::Closed) => "the connection was closed",
        Some(End::Reset) => "the connection was reset",
        None if observed.is_stuck => "the server stopped reading",
        None => "the connection stays open",
    };
    let most = case.outcomes.iter().map(|one| one.replies.as_ref().map_or(0, Vec::len)).max();
    if observed.replies.is_empty() {
        return (Fault::Silence, format!("no reply, and {end}"));
    }
    if observed.replies.len() > most.unwrap_or(0) {
        let count = observed.replies.len();
        return (Fault::UnowedAnswer, format!("{count} replies: {seen}"));
    }
    if case.outcomes.iter().any(|outcome| replies_fit(outcome, observed, reply_fits)) {
        return (Fault::Ending, format!("{end} after {seen}"));
    }
    if case.outcomes.iter().any(|outcome| replies_fit(outcome, observed, head_fits)) {
        return (Fault::WrongAnswer, seen);
    }
    let has_statuses = |outcome: &Outcome| {
        let owed = outcome.replies.as_deref().unwrap_or_default();
        let fits = |(owed, seen): (&Reply, &Seen)| owed.status.contains(&seen.status);
        owed.len() > observed.replies.len() && owed.iter().zip(observed.replies).all(fits)
    };
    if case.outcomes.iter().any(has_statuses) {
        return (Fault::Silence, format!("{end} after {seen}"));
    }
    (Fault::Status, seen)
}

/// A response of HTTP, for people.
struct Shown<'a>(&'a Seen);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Seen { status, answers, broken, length, is_whole, is_stream, .. } = self.0;
        write!(f, "status {status}")?;
        match (answers.len(), broken) {
            (1.., _) => write!(f, " with {}", listed(answers.iter()))?,
            (0, Some(broken)) => write!(f, ": {broken}")?,
            (0, None) if *length == 0 => f.write_str(" without a body")?,
            (0, None) => f.write_str(" without an answer")?,
        }
        if !is_whole && !is_stream {
            f.write_str(", cut short")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tautline_conformance::{Case, Corpus, Role};

    use super::super::reply::Replies;
    use super::{End, Observed, judge};
    use crate::probe::judge::Verdict;

    fn case(outcomes: &Value) -> Case {
        let case = json!({
            "id": "a", "summary": "", "revisions": [], "level": "must", "clause": "", "steps": [],
            "outcomes": outcomes,
        });
        serde_json::from_value(case).unwrap()
    }

    fn word(case: &Case, bytes: &str, end: Option<End>) -> String {
        let mut replies = Replies::default();
        replies.push(bytes.as_bytes());
        if end.is_some() {
            replies.finish();
        }
        let broken = replies.broken.as_deref();
        let observed = Observed { replies: &replies.seen, broken, end, is_stuck: false };
        match judge(case, observed, None) {
            Verdict::Right => "right".to_owned(),
            Verdict::Acceptable(note) => format!("acceptable: {note}"),
            Verdict::Wrong(fault, _) => fault.name().to_owned(),
        }
    }

    /// A case that any server passes would test nothing.
    #[test]
    fn each_case_can_fail() {
        let corpus = Corpus::http();
        let servers = || corpus.cases.iter().filter(|case| case.role == Role::Server);
        let patient: Vec<_> = servers()
            .filter(|case| word(case, "", None) != "silence")
            .map(|case| case.id.replace("modern-", ""))
            .collect();
        let waits =
            ["http-body-announced-100-gb", "http-chunk-size-overflow", "http-chunk-line-feed"];
        assert!(patient.iter().all(|id| waits.contains(&id.as_str())), "{patient:?}");
        for case in servers() {
            let verdicts = [
                word(case, &reply(500, "", ""), None),
                word(case, &reply(500, "", ""), Some(End::Closed)),
                word(case, &json_reply(418, r#"{"jsonrpc":"2.0","id":"other","result":{}}"#), None),
            ];
            assert!(verdicts.iter().all(|verdict| verdict == "wrong status"), "{}", case.id);
        }
    }

    fn reply(status: u16, headers: &str, body: &str) -> String {
        let length = body.len();
        format!("HTTP/1.1 {status} X\r\n{headers}Content-Length: {length}\r\n\r\n{body}")
    }

    fn json_reply(status: u16, body: &str) -> String {
        reply(status, "Content-Type: application/json\r\n", body)
    }

    #[test]
    fn replies_fit_by_status_headers_and_answers() {
        let error = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"m"}}"#;
        let result = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#;
        let refused = case(&json!([
            {"verdict": "right", "replies": [{"status": [400], "answers": [{"id": "7", "error": [-32600]}]}]},
            {"verdict": "acceptable", "note": "bare", "replies": [{"status": [400], "answers": []}]},
            {"verdict": "acceptable", "note": "gone", "replies": [], "ending": "closed"},
        ]));
        for (bytes, end, verdict) in [
            (json_reply(400, error), None, "right"),
            (json_reply(400, error), Some(End::Closed), "right"),
            (reply(400, "", "<p>no</p>"), None, "acceptable: bare"),
            (json_reply(400, "{}"), None, "acceptable: bare"),
            (json_reply(400, result), None, "wrong answer"),
            (json_reply(200, error), None, "wrong status"),
            (String::new(), Some(End::Reset), "acceptable: gone"),
            (String::new(), None, "silence"),
            ("SSH-2.0-x\r\n\r\n".to_owned(), Some(End::Closed), "not HTTP"),
            (json_reply(400, error).repeat(2), None, "answer where silence is owed"),
        ] {
            assert_eq!(word(&refused, &bytes, end), verdict, "{bytes} {end:?}");
        }
    }

    #[test]
    fn endings_and_headers_and_empty_bodies_are_required() {
        let closes = case(
            &json!([{"verdict": "right", "replies": [{"status": [400]}], "ending": "closed"}]),
        );
        assert_eq!(word(&closes, &reply(400, "", ""), Some(End::Closed)), "right");
        assert_eq!(word(&closes, &reply(400, "", ""), None), "wrong ending");
        let allows = case(
            &json!([{"verdict": "right", "replies": [{"status": [405], "headers": {"allow": "post"}}]}]),
        );
        assert_eq!(word(&allows, &reply(405, "ALLOW: GET,POST\r\n", ""), None), "right");
        assert_eq!(word(&allows, &reply(405, "Allow: POSTS\r\n", ""), None), "wrong status");
        assert_eq!(word(&allows, &reply(405, "", ""), None), "wrong status");
        let empty =
            case(&json!([{"verdict": "right", "replies": [{"status": [202], "empty": true}]}]));
        assert_eq!(word(&empty, &reply(202, "", ""), None), "right");
        assert_eq!(word(&empty, &reply(202, "", "null"), None), "wrong answer");
        let two =
            case(&json!([{"verdict": "right", "replies": [{"status": [200]}, {"status": [200]}]}]));
        assert_eq!(word(&two, &reply(200, "", "").repeat(2), None), "right");
        assert_eq!(word(&two, &reply(200, "", ""), None), "silence");
    }
}
