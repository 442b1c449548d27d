//! The core's own verdicts agree with the corpus: the replies that it owes are the replies of the right outcomes.
//!
//! The core makes the decisions that depend only on framing and the envelope. So for each fault, exactly its reply must
//! be among the answers, and for each request, some answer with its id. Only a server decides what it answers to a
//! request.

use std::collections::BTreeMap;

use tautline::frame::HeapBuffer;
use tautline::stream::{MessageStream, Received};
use tautline::{Fault, Message, RawJson};
use tautline_conformance::{Answer, Case, Corpus, Response, Role, Step};
use tautline_mcp::Revision;

/// The limit on frames: between the sizes that every peer should accept and those that hardly any peer accepts.
const LONGEST_FRAME: u32 = 16 << 20;

/// An answer that the core knows to be owed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Owed {
    id: String,
    /// The code of an error, or `None` if a server decides.
    code: Option<i64>,
}

/// The lines that are owed, each with the answers in it, and whether they are in an array.
type Lines = Vec<(bool, Vec<Owed>)>;

#[test]
fn the_right_outcome_is_what_the_core_owes() {
    let mut wrong = BTreeMap::new();
    let corpus = Corpus::embedded();
    for case in corpus.cases.iter().filter(|case| case.role == Role::Server) {
        for name in &case.revisions {
            let revision: Revision = name.parse().expect("a revision");
            let owed = owed(case, revision);
            if let Err(why) = compare(&owed, &case.outcomes[0].answers) {
                wrong.insert(&case.id, format!("{name}: {why}; the core owes {owed:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn owed(case: &Case, revision: Revision) -> Lines {
    let mut stream = MessageStream::new(HeapBuffer::new(LONGEST_FRAME), &revision.profile());
    let mut lines = Lines::new();
    for step in &case.steps {
        let Some((bytes, count)) = step.bytes() else {
            if matches!(step, Step::Close(_))
                && let Some(received) = stream.finish()
            {
                note(&received, &mut lines);
            }
            continue;
        };
        let bytes = bytes.repeat(count as usize);
        let mut chunk = &bytes[..];
        while let Some(received) = stream.next(&mut chunk) {
            note(&received, &mut lines);
        }
    }
    lines
}

fn note(received: &Received<'_>, lines: &mut Lines) {
    let answers = match received {
        Received::Message { message: Message::Batch(batch), .. } => {
            let elements = batch.iter().filter_map(|element| match element.message() {
                Ok(message) => to_message(&message),
                Err(fault) => to_fault(&fault),
            });
            return lines.extend(
                Some((true, elements.collect::<Vec<_>>())).filter(|(_, all)| !all.is_empty()),
            );
        }
        Received::Message { message, .. } => to_message(message),
        received => received.fault().and_then(to_fault),
    };
    lines.extend(answers.map(|answer| (false, vec![answer])));
}

fn to_message(message: &Message<'_>) -> Option<Owed> {
    let Message::Request(request) = message else { return None };
    Some(Owed { id: characters(&request.id().to_string()), code: None })
}

fn to_fault(fault: &Fault<'_>) -> Option<Owed> {
    let reply = fault.reply()?;
    let id = reply.raw_id().map_or_else(|| "none".to_owned(), |id| text(id));
    Some(Owed { id: characters(&id), code: Some(reply.code().value()) })
}

fn text(id: RawJson<'_>) -> String {
    String::from_utf8_lossy(id.as_bytes()).into_owned()
}

/// Returns the id with the escapes of a string undone, as far as that is possible.
fn characters(id: &str) -> String {
    serde_json::from_str::<String>(id).map_or_else(|_| id.to_owned(), |text| format!("{text:?}"))
}

fn compare(owed: &Lines, answers: &[Answer]) -> Result<(), String> {
    let mut left: Vec<_> = answers.iter().map(listed).collect();
    for (is_batch, line) in owed {
        let at = left.iter().position(|(also_batch, responses)| {
            is_batch == also_batch && line.len() == responses.len() && admits(responses, line)
        });
        match at {
            Some(at) => drop(left.swap_remove(at)),
            None => return Err(format!("nothing fits {line:?}")),
        }
    }
    match left.first() {
        None => Ok(()),
        Some(answer) => Err(format!("nobody owes {answer:?}")),
    }
}

fn listed(answer: &Answer) -> (bool, Vec<&Response>) {
    match answer {
        Answer::Batch { batch } => (true, batch.iter().collect()),
        Answer::Single(response) => (false, vec![response]),
    }
}

/// Returns whether each owed answer is one of the responses.
fn admits(responses: &[&Response], owed: &[Owed]) -> bool {
    owed.iter().all(|owed| {
        responses.iter().any(|response| {
            let fits = |code| response.error.as_ref().is_some_and(|codes| codes.contains(&code));
            characters(&response.id) == owed.id && owed.code.is_none_or(fits)
        })
    })
}
