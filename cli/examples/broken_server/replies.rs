//! Defects of servers in their answers.

use crate::defect::{Act, Memory, defects, go};
use crate::members::Members;
use crate::names::change;

defects! { Answer {
    "duplicate-answer" => |answer, _| Act::Go([answer, answer].concat()),
    "wrong-code-unknown-method" => |answer, _| code(answer, "-32601", "-32603"),
    "wrong-code-invalid-params" => |answer, _| code(answer, "-32602", "-32603"),
    "wrong-code-unknown-resource" => |answer, _| code(answer, "-32002", "-32603"),
    "resource-not-found-code-of-older-revisions" => |answer, _| code(answer, "-32602", "-32002"),
    "ignores-bad-params" => |answer, _| Act::Lose.if_so(has_code(answer, "-32602"), answer),
    "dies-on-bad-params" => |answer, _| Act::Die.if_so(has_code(answer, "-32602"), answer),
    "unsupported-version-without-data" => |answer, _| in_error(answer, |error| error.remove("data")),
    // The message of the error contains the name of the method, unescaped.
    "writes-methods-unescaped" => |answer, memory| {
        let method = memory.method.clone();
        match has_code(answer, "-32601") {
            true => in_error(answer, |error| error.set("message", format!("\"no {method}\""))),
            false => go(answer),
        }
    },
    "omits-result-type" => |answer, _| in_result(answer, |result| result.remove("resultType")),
    "forgets-server-info" => |answer, _| in_result(answer, |result| result.remove("serverInfo")),
    // A queue with room for a few answers drops the rest.
    "drops-when-busy" => |answer, memory| {
        memory.answers += 1;
        Act::Lose.if_so(memory.answers > 16, answer)
    },
} }

impl Memory {
    /// Records the method of a request, for its answer.
    pub fn note_method(&mut self, line: &[u8]) {
        self.method = Members::of(line).map_or_else(String::new, |members| members.method());
    }
}

fn has_code(answer: &[u8], code: &str) -> bool {
    let error = Members::of(answer).and_then(|members| members.inner("error"));
    error.is_some_and(|error| error.get("code") == Some(code))
}

fn code(answer: &[u8], from: &str, to: &str) -> Act {
    match has_code(answer, from) {
        true => in_error(answer, |error| error.set("code", to)),
        false => go(answer),
    }
}

fn in_error(answer: &[u8], alter: impl Fn(&mut Members)) -> Act {
    inside(answer, "error", alter)
}

fn in_result(answer: &[u8], alter: impl Fn(&mut Members)) -> Act {
    inside(answer, "result", alter)
}

fn inside(answer: &[u8], name: &str, alter: impl Fn(&mut Members)) -> Act {
    change(answer, |mut members| {
        if let Some(mut inner) = members.inner(name) {
            alter(&mut inner);
            members.set(name, String::from_utf8_lossy(&inner.text()));
        }
        members
    })
}
