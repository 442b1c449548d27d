//! The rules of `tautline_mcp::http` that a response breaks, beside the verdict of the corpus.

use tautline::{Message, Severity};
use tautline_conformance::Step;
use tautline_mcp::http::{Exchange, Resuming};
use tautline_mcp::{Revision, rule};

use super::judge::Observed;

/// The longest request that is examined, in bytes.
const LONGEST: usize = 1 << 20;

/// A rule that a response breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    pub rule: &'static str,
    pub message: &'static str,
}

/// Checks the response to the steps, if they are one request that HTTP can read. Returns each rule once.
pub fn of(revision: &str, steps: &[Step], observed: Observed<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    check(revision, steps, observed, &mut found);
    found
}

fn check(
    revision: &str,
    steps: &[Step],
    observed: Observed<'_>,
    found: &mut Vec<Found>,
) -> Option<()> {
    let revision: Revision = revision.parse().ok()?;
    let [seen] = observed.replies else { return None };
    let mut sent = Vec::new();
    for step in steps {
        if let Some((bytes, count)) = step.bytes() {
            if sent.len() + bytes.len() * count as usize > LONGEST {
                return None;
            }
            sent.extend(bytes.repeat(count as usize));
        }
    }
    let mut lines = [httparse::EMPTY_HEADER; 256];
    let mut head = httparse::Request::new(&mut lines);
    let httparse::Status::Complete(end) = head.parse(&sent).ok()? else { return None };
    let has_coding =
        |line: &httparse::Header<'_>| line.name.eq_ignore_ascii_case("transfer-encoding");
    if head.headers.iter().any(has_coding) {
        return None;
    }
    let mut exchange = match head.method? {
        "POST" => {
            Exchange::post(revision, Message::parse(sent.get(end..)?, &revision.profile()).ok()?)
        }
        "GET" => Exchange::get(revision, Resuming::No),
        "DELETE" => Exchange::delete(revision),
        _ => return None,
    };
    let mut note = |finding: tautline_mcp::http::Finding| {
        let (rule, message) = (rule::name(finding.rule()), finding.message());
        let one = Found { rule, message };
        if finding.severity() != Severity::Note && !found.contains(&one) {
            found.push(one);
        }
    };
    let headers = seen.headers.iter().map(|(name, value)| (name.as_bytes(), value.as_slice()));
    exchange.head(seen.status, headers, &mut note);
    for message in &seen.messages {
        let profile = exchange.profile();
        exchange.message(Message::parse(message, &profile), &mut note);
    }
    if seen.is_whole {
        exchange.end(&mut note);
    }
    Some(())
}
