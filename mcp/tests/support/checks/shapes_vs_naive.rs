//! Differential test of the validation of payloads against a naive walker over `serde_json::Value`, for messages that
//! are made from the table, mutated, and then changed byte by byte.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde_json::Value;
use tautline::{Message, Outcome, RawJson, Severity};
use tautline_mcp::shape::Shapes;
use tautline_mcp::{Era, KnownMethod, Revision, rule};

use crate::support::dice::Dice;
use crate::support::shapes::document::{Document, REVISIONS, Type};
use crate::support::shapes::{generate, naive};

/// The payload of a message, and the rest of it.
pub struct Subject {
    pub of: Type,
    before: String,
    after: &'static str,
    answered: Option<KnownMethod>,
}

impl Subject {
    /// Returns every payload that has a shape in the revision.
    pub fn all(document: &Document) -> Vec<Self> {
        let parts = document.roots.iter().flat_map(|((kind, name), root)| {
            root.parts.iter().map(move |(part, of)| (kind.as_str(), name, part.as_str(), of))
        });
        let subjects = parts.map(|(kind, name, part, of)| {
            let (before, after) = match (kind, part) {
                ("request", "params") => {
                    (format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{name}","params":"#), "}")
                }
                ("notification", _) => {
                    (format!(r#"{{"jsonrpc":"2.0","method":"{name}","params":"#), "}")
                }
                ("request", _) => (r#"{"jsonrpc":"2.0","id":1,"result":"#.to_owned(), "}"),
                _ => {
                    let error = format!(r#"{{"code":{name},"message":"m","data":"#);
                    (format!(r#"{{"jsonrpc":"2.0","id":1,"error":{error}"#), "}}")
                }
            };
            let answered = name.parse().ok().filter(|_| part == "result");
            Self { of: of.clone(), before, after, answered }
        });
        subjects.collect()
    }

    /// Returns a message with this payload.
    pub fn frame(&self, payload: &Value, dice: &mut Dice) -> String {
        let mut frame = self.before.clone();
        generate::write(payload, dice, &mut frame);
        frame + self.after
    }

    /// Compares both answers about a frame, and returns whether its payload has its shape. There is no answer if the
    /// frame is not a message, or if `serde_json` does not read the same values from it.
    pub fn compare(&self, revision: Revision, document: &Document, frame: &[u8]) -> Option<bool> {
        let message = Message::parse(frame, &revision.profile()).ok()?;
        let payload = payload(&message)?;
        let mut found = Vec::new();
        Shapes::of(revision).check(&message, self.answered, |finding| {
            let rule = finding.rule();
            let is_asserted = !(rule::URI_SYNTAX..=rule::HEADER_ANNOTATION).contains(&rule);
            if is_asserted && finding.severity() == Severity::Error {
                found.push(finding.to_string());
            }
        });
        if !is_plain(payload) || self.is_about_another(&message) || is_extended(revision, payload) {
            return None;
        }
        let value = serde_json::from_slice(payload.as_bytes()).ok()?;
        let expected = naive::admits(document, &self.of, &value);
        let text = String::from_utf8_lossy(frame);
        assert_eq!(found.is_empty(), expected, "{revision}: {text}\n{found:#?}");
        Some(expected)
    }

    /// Returns whether the message has become one with another payload.
    fn is_about_another(&self, message: &Message<'_>) -> bool {
        let start = self.before.split_once(",\"").map_or("", |(_, rest)| rest);
        !String::from_utf8_lossy(message.frame()).contains(start)
    }
}

fn payload<'buf>(message: &Message<'buf>) -> Option<RawJson<'buf>> {
    match message {
        Message::Request(request) => request.params(),
        Message::Notification(note) => note.params(),
        Message::Response(response) => match response.outcome() {
            Outcome::Result(result) => Some(result),
            Outcome::Error(error) => error.data(),
        },
        Message::Batch(_) => None,
    }
}

/// Returns whether the payload is a result of a type that only an extension can have defined.
fn is_extended(revision: Revision, payload: RawJson<'_>) -> bool {
    let kind = payload.member("resultType").and_then(|kind| kind.string());
    revision.era() == Era::Modern
        && kind.is_some_and(|kind| kind != "complete" && kind != "input_required")
}

/// Returns whether `serde_json` reads the same from the text: it repeats no name, and its numbers are short.
fn is_plain(value: RawJson<'_>) -> bool {
    if let Some(mut members) = value.members() {
        let mut names = HashSet::new();
        return members.all(|member| {
            member.name.decode().is_ok_and(|name| names.insert(name)) && is_plain(member.value)
        });
    }
    if let Some(mut elements) = value.elements() {
        return elements.all(is_plain);
    }
    value.number().is_none_or(|number| number.as_bytes().len() < 8)
}

/// The revisions, their tables and their payloads.
static TABLES: LazyLock<Vec<(&str, Document, Vec<Subject>)>> = LazyLock::new(|| {
    let tables = REVISIONS.iter().map(|name| {
        let document = Document::of(name);
        let subjects = Subject::all(&document);
        (*name, document, subjects)
    });
    tables.collect()
});

/// Checks a message for any input: which payload it has, how it is generated, and what is changed in its text.
pub fn check(input: &[u8]) {
    let [revision, subject, mutations, a, b, c, d, changes @ ..] = input else { return };
    let (name, document, subjects) = &TABLES[usize::from(*revision) % TABLES.len()];
    let subject = &subjects[usize::from(*subject) % subjects.len()];
    let mut dice = Dice(u64::from(u32::from_le_bytes([*a, *b, *c, *d])) + 1);
    let mut payload = generate::value(document, &subject.of, &mut dice, 0);
    for _ in 0..mutations % 4 {
        generate::mutate(&mut payload, &mut dice);
    }
    let mut frame = subject.frame(&payload, &mut dice).into_bytes();
    for change in changes.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % frame.len();
        frame[at] = change[2];
    }
    subject.compare(name.parse().unwrap(), document, &frame);
}
