//! The corpus keeps its own rules: those that a schema can't express.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tautline::Message;
use tautline::frame::HeapBuffer;
use tautline::stream::{MessageStream, Received};
use tautline_conformance::{Case, Corpus, Opening, Role, Step, Survival, Verdict};
use tautline_mcp::Revision;

fn servers(corpus: &Corpus) -> impl Iterator<Item = &Case> {
    corpus.cases.iter().filter(|case| case.role == Role::Server)
}

#[test]
fn there_are_enough_cases_for_both_roles_and_every_revision() {
    let corpus = Corpus::embedded();
    assert!(servers(&corpus).count() >= 500);
    assert!(corpus.cases.len() - servers(&corpus).count() >= 40);
    let mut revisions = BTreeMap::<_, u32>::new();
    for revision in corpus.cases.iter().flat_map(|case| &case.revisions) {
        *revisions.entry(revision.as_str()).or_default() += 1;
    }
    let known: Vec<_> = Revision::ALL.iter().map(|revision| revision.name()).collect();
    assert!(revisions.keys().eq(&known), "{revisions:?}");
    assert!(corpus.sessions.keys().eq(&known), "each revision has a session");
    assert!(revisions.values().all(|&count| count >= 100), "{revisions:?}");
}

#[test]
fn texts_are_sentences_and_names_are_in_kebab_case() {
    for case in &Corpus::embedded().cases {
        let is_kebab = |name: &str| {
            let parts = name.split('-');
            let is_word = |part: &str| {
                !part.is_empty()
                    && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
            };
            parts.clone().count() > 0 && parts.clone().all(is_word)
        };
        assert!(is_kebab(&case.id), "{}", case.id);
        assert!(case.defects.iter().all(|defect| is_kebab(defect)), "{}", case.id);
        let is_sentence = case.summary.ends_with('.') && !case.summary.contains('\n');
        assert!(is_sentence && case.summary.matches(". ").count() == 0, "{}", case.id);
        assert!(!case.clause.is_empty() && !case.clause.ends_with('.'), "{}", case.id);
    }
}

#[test]
fn one_outcome_is_right_and_the_others_say_why_they_are_acceptable() {
    for case in &Corpus::embedded().cases {
        let [first, others @ ..] = &case.outcomes[..] else { panic!("{}", case.id) };
        assert_eq!(first.verdict, Verdict::Right, "{}", case.id);
        for other in others {
            assert_eq!(other.verdict, Verdict::Acceptable, "{}", case.id);
            assert!(other.note.as_ref().is_some_and(|note| !note.is_empty()), "{}", case.id);
        }
        let distinct: BTreeSet<_> = case
            .outcomes
            .iter()
            .map(|outcome| format!("{:?} {:?} {:?}", outcome.answers, outcome.also, outcome.ending))
            .collect();
        assert_eq!(distinct.len(), case.outcomes.len(), "{} has the same outcome twice", case.id);
    }
}

#[test]
fn each_case_has_what_its_role_needs() {
    for case in &Corpus::embedded().cases {
        let id = &case.id;
        let has = |is_so: fn(&Step) -> bool| case.steps.iter().any(is_so);
        let closes = matches!(case.steps.last(), Some(Step::Close(_)));
        let closings = case.steps.iter().filter(|step| matches!(step, Step::Close(_))).count();
        assert_eq!(closings, usize::from(closes), "{id}: nothing follows the end");
        match case.role {
            Role::Server => {
                assert!(case.on.is_none() && !has(|step| matches!(step, Step::Answer(_))), "{id}");
                // After the end of the input, no request can be sent. After a mixture of eras, it is unknown which
                // request to send.
                let asks = case.survival == Survival::Request;
                assert!(asks != closes || id.starts_with("modern-initialize"), "{id}");
                assert_eq!(
                    case.outcomes.iter().all(|outcome| outcome.ending.is_some()),
                    closes,
                    "{id}"
                );
            }
            Role::Client => {
                assert!(case.on.is_some() && case.survival == Survival::None, "{id}");
                assert!(case.outcomes.iter().all(|outcome| outcome.ending.is_some()), "{id}");
                assert!(case.outcomes.iter().all(|outcome| outcome.answers.is_empty()), "{id}");
            }
        }
        for step in &case.steps {
            let is_silent = matches!(
                step,
                Step::PauseMs(_) | Step::Await(_) | Step::Answer(_) | Step::Close(_)
            );
            assert_eq!(step.bytes().is_none(), is_silent, "{id}: bytes that can't be read");
        }
    }
}

#[test]
fn a_case_leaves_the_connection_at_the_start_of_a_line() {
    for case in servers(&Corpus::embedded()) {
        let is_closed = matches!(case.steps.last(), Some(Step::Close(_)));
        let last = case.steps.iter().rev().find_map(Step::bytes);
        let is_at_start = last.is_none_or(|(bytes, _)| bytes.ends_with(b"\n"));
        assert!(is_closed || is_at_start, "{} leaves a line open", case.id);
    }
}

#[test]
fn the_readme_counts_the_cases_and_shows_one_as_it_is() {
    let readme = include_str!("../../README.md");
    let corpus = Corpus::embedded();
    let mut files = BTreeMap::<_, u32>::new();
    for case in &corpus.cases {
        *files.entry(&case.category).or_default() += 1;
    }
    for (file, count) in files {
        assert!(
            readme.contains(&format!("| `cases/{file}.json` | {count} |")),
            "{file} has {count}"
        );
    }
    let shown = readme.split("```json").nth(1).and_then(|rest| rest.split("```").next());
    let shown: Value = serde_json::from_str(shown.expect("an example")).expect("JSON");
    let file: Value =
        serde_json::from_str(include_str!("../../cases/envelope.json")).expect("JSON");
    assert!(file["cases"].as_array().is_some_and(|cases| cases.contains(&shown)), "{shown}");
}

/// A session with a handshake uses each id once, and many cases share a session.
#[test]
fn cases_that_share_a_session_have_ids_of_their_own() {
    let corpus = Corpus::embedded();
    for revision in Revision::ALL {
        let mut users = BTreeMap::new();
        let shares = |case: &&Case| {
            let is_about = case.revisions.iter().any(|name| name == revision.name());
            case.opening == Opening::Ready && is_about
        };
        for case in servers(&corpus).filter(shares) {
            for id in ids(case, *revision) {
                let other = users.insert(id.clone(), &case.id).filter(|&other| other != &case.id);
                assert_eq!(other, None, "{revision}: {} has the id {id} of another case", case.id);
            }
        }
    }
}

/// Returns the ids that the case uses for requests, as far as they can be read.
fn ids(case: &Case, revision: Revision) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    let mut stream = MessageStream::new(HeapBuffer::new(1 << 20), &revision.profile());
    for (bytes, count) in case.steps.iter().filter_map(Step::bytes) {
        let bytes = bytes.repeat(count as usize);
        let mut chunk = &bytes[..];
        while let Some(received) = stream.next(&mut chunk) {
            match received {
                Received::Message { message: Message::Batch(batch), .. } => {
                    let elements = batch.iter().filter_map(|element| element.message().ok());
                    ids.extend(elements.filter_map(|message| id_of(&message)));
                }
                Received::Message { message, .. } => ids.extend(id_of(&message)),
                other => ids.extend(other.fault().and_then(|fault| fault.reply()?.id().map(text))),
            }
        }
    }
    // The ids that are illegal are the same in several cases.
    ids.retain(|id| id.starts_with(['"', '-']) || id.starts_with(|c: char| c.is_ascii_digit()));
    ids
}

fn id_of(message: &Message<'_>) -> Option<String> {
    match message {
        Message::Request(request) => Some(text(request.id())),
        _ => None,
    }
}

fn text(id: impl std::fmt::Display) -> String {
    id.to_string()
}
