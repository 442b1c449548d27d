//! Outcomes in words, for people.

use tautline_conformance::{Answer, Case, Ending, Outcome, Reply, Response as Owed};

use super::id::Id;
use super::observed::listed;

/// Describes an outcome, for people.
pub fn describe(case: &Case, outcome: &Outcome) -> String {
    if let Some(replies) = &outcome.replies {
        return exchanged(replies, outcome.ending);
    }
    let mut words = Vec::new();
    if !outcome.answers.is_empty() {
        words.push(listed(outcome.answers.iter().map(Expected)));
    } else if outcome.ending.is_none() || case.role == tautline_conformance::Role::Server {
        words.push("no answer".to_owned());
    }
    if !outcome.also.is_empty() {
        words.push(format!(
            "and perhaps any number of {}",
            listed(outcome.also.iter().map(expected))
        ));
    }
    match outcome.ending {
        Some(Ending::Success) => words.push("exit code 0".to_owned()),
        Some(Ending::Failure) => words.push("an exit code other than 0".to_owned()),
        Some(_) => words.push("any exit code".to_owned()),
        None => {}
    }
    words.join(", then ")
}

/// An expected answer, for people.
struct Expected<'a>(&'a Answer);

impl std::fmt::Display for Expected<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Answer::Single(response) => f.write_str(&expected(response)),
            Answer::Batch { batch } => {
                write!(f, "a batch of ({})", listed(batch.iter().map(expected)))
            }
        }
    }
}

fn expected(response: &Owed) -> String {
    let id = Id::expected(&response.id);
    let codes = response.error.as_ref().map(|codes| match codes.as_slice() {
        [] => "an error".to_owned(),
        codes => {
            let codes: Vec<String> = codes.iter().map(ToString::to_string).collect();
            format!("error {}", codes.join(" or "))
        }
    });
    let members = match response.has.as_slice() {
        [] => String::new(),
        pointers => format!(", which has {}", listed(pointers.iter())),
    };
    match (response.result, codes) {
        (true, Some(error)) => format!("a result or {error} {id}{members}"),
        (true, None) => format!("a result {id}{members}"),
        (false, error) => format!("{} {id}{members}", error.unwrap_or_default()),
    }
}

/// Describes what happens on a connection.
fn exchanged(replies: &[Reply], ending: Option<Ending>) -> String {
    let mut words: Vec<String> = replies.iter().map(reply).collect();
    match ending {
        Some(_) => words.push("the end of the connection".to_owned()),
        None if words.is_empty() => words.push("no reply".to_owned()),
        None => {}
    }
    words.join(", then ")
}

fn reply(reply: &Reply) -> String {
    let status: Vec<String> = reply.status.iter().map(ToString::to_string).collect();
    let mut words = format!("status {}", status.join(" or "));
    for (name, value) in &reply.headers {
        let value = if value.is_empty() { "any value" } else { value };
        words += &format!(", {name}: {value}");
    }
    match reply.answers.as_deref() {
        _ if reply.empty => words += " without a body",
        None => {}
        Some([]) => words += " without an answer",
        Some(answers) => words += &format!(" with {}", listed(answers.iter().map(Expected))),
    }
    words
}
