//! jiter, the parser of Pydantic, driven step by step by hand.

use jiter::{Jiter, JiterResult};

use super::{Answer, Competitor, hand_over, kind, line_by_line};
use benches::corpora::{Counts, Kind};

pub(super) fn competitors() -> Vec<Competitor> {
    vec![Competitor {
        name: "jiter envelope",
        about: "borrows everything, and skips the values with `known_skip`; checks UTF-8 of the keys and the method alone",
        answer: Answer::Messages,
        pass: Box::new(envelope),
    }]
}

fn envelope(wire: &[u8]) -> Counts {
    line_by_line(wire, |line| judge(line).ok().flatten())
}

/// The text of each member, except for the version and the method.
#[derive(Default)]
struct Envelope<'buf> {
    id: Option<&'buf [u8]>,
    params: Option<&'buf [u8]>,
    result: Option<&'buf [u8]>,
    error: Option<&'buf [u8]>,
}

fn judge(line: &[u8]) -> JiterResult<Option<Kind>> {
    let mut jiter = Jiter::new(line);
    let mut envelope = Envelope::default();
    let (mut version, mut method) = (false, false);
    let mut member = jiter.next_object()?.map(member_of);
    while let Some(name) = member {
        match name {
            Member::Version => version = jiter.next_str()? == "2.0",
            Member::Method => {
                hand_over(jiter.next_str()?);
                method = true;
            }
            Member::Id => envelope.id = Some(raw(&mut jiter)?),
            Member::Params => envelope.params = Some(raw(&mut jiter)?),
            Member::Result => envelope.result = Some(raw(&mut jiter)?),
            Member::Error => envelope.error = Some(raw(&mut jiter)?),
            Member::Unknown => jiter.next_skip()?,
        }
        member = jiter.next_key()?.map(member_of);
    }
    jiter.finish()?;
    let kind =
        kind(method, envelope.id.is_some(), envelope.result.is_some(), envelope.error.is_some());
    hand_over(envelope);
    Ok(kind.filter(|_| version))
}

enum Member {
    Version,
    Id,
    Method,
    Params,
    Result,
    Error,
    Unknown,
}

/// Returns a name that no longer borrows from the parser.
fn member_of(name: &str) -> Member {
    match name {
        "jsonrpc" => Member::Version,
        "id" => Member::Id,
        "method" => Member::Method,
        "params" => Member::Params,
        "result" => Member::Result,
        "error" => Member::Error,
        _ => Member::Unknown,
    }
}

/// Skips a value and returns its text.
fn raw<'buf>(jiter: &mut Jiter<'buf>) -> JiterResult<&'buf [u8]> {
    let value = jiter.peek()?;
    let start = jiter.current_index();
    jiter.known_skip(value)?;
    Ok(jiter.slice_to_current(start))
}
