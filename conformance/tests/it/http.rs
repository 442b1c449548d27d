//! The corpus about HTTP keeps its own rules: those that a schema can't express.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tautline_conformance::{Case, Corpus, Opening, Role, Step, Verdict};

use crate::http_verdicts::{Request, request};

fn servers(corpus: &Corpus) -> impl Iterator<Item = &Case> {
    corpus.cases.iter().filter(|case| case.role == Role::Server)
}

#[test]
fn there_are_enough_cases_for_every_revision() {
    let corpus = Corpus::http();
    let mut revisions = BTreeMap::<_, u32>::new();
    for revision in servers(&corpus).flat_map(|case| &case.revisions) {
        *revisions.entry(revision.as_str()).or_default() += 1;
    }
    assert!(corpus.sessions.keys().eq(revisions.keys()), "each revision has a session");
    assert!(revisions.values().all(|&count| count >= 150), "{revisions:?}");
}

#[test]
fn each_outcome_is_there_once_and_says_why_it_is_acceptable() {
    for case in &Corpus::http().cases {
        let id = &case.id;
        assert!(case.summary.ends_with('.') && !case.summary.contains(". "), "{id}");
        assert!(!case.clause.is_empty() && !case.clause.ends_with('.'), "{id}");
        assert_eq!(case.outcomes[0].verdict, Verdict::Right, "{id}");
        let mut distinct = BTreeSet::new();
        for outcome in &case.outcomes {
            assert_eq!(outcome.replies.is_some(), case.role == Role::Server, "{id}");
            assert!(outcome.answers.is_empty(), "{id}");
            assert!(outcome.note.is_some() != (outcome.verdict == Verdict::Right), "{id}");
            let text = format!("{:?} {:?}", outcome.replies, outcome.ending);
            assert!(distinct.insert(text), "{id} has the same outcome twice");
        }
    }
}

/// Cases share a session, and a session uses each id once.
#[test]
fn cases_of_a_revision_have_ids_of_their_own() {
    let corpus = Corpus::http();
    for revision in corpus.sessions.keys() {
        let mut users = BTreeMap::new();
        for case in &corpus.cases {
            if !case.revisions.contains(revision) || case.opening != Opening::Ready {
                continue;
            }
            let Some(Request { body, .. }) = request(case, revision) else { continue };
            let Ok(message) = serde_json::from_slice::<Value>(&body) else { continue };
            // The ids that are illegal are the same in several cases.
            let id = message.get("id").filter(|id| id.is_string() || id.is_i64());
            if let Some(id) = id.filter(|_| message.get("method").is_some()) {
                let other = users.insert(id.to_string(), case.id.as_str());
                assert_eq!(other, None, "{revision}: {} has the id {id} of another case", case.id);
            }
        }
    }
}

/// Most cases break one rule, so the rest of the request has to be right.
#[test]
fn only_the_cases_about_lengths_have_a_wrong_length() {
    let mut strange = BTreeSet::new();
    for case in servers(&Corpus::http()) {
        if case.category != "connections" && case.category != "chunked" && case.category != "sites"
        {
            let revision = &case.revisions[0];
            if request(case, revision).is_none() {
                strange.insert(case.id.replace("modern-", ""));
            }
        }
    }
    let known =
        ["http-body-announced-100-gb", "http-delete-then-post", "http-method-header-control"];
    assert_eq!(strange, known.map(str::to_owned).into());
}

#[test]
fn the_readme_counts_the_cases_and_shows_one_as_it_is() {
    let readme = include_str!("../../README.md");
    let corpus = Corpus::http();
    let mut files = BTreeMap::<_, u32>::new();
    for case in &corpus.cases {
        *files.entry(&case.category).or_default() += 1;
    }
    for (file, count) in files {
        let row = format!("| `http/cases/{file}.json` | {count} |");
        assert!(readme.contains(&row), "{row}");
    }
    let shown = readme.split("```json").nth(2).and_then(|rest| rest.split("```").next());
    let shown: Value = serde_json::from_str(shown.expect("an example")).expect("JSON");
    let file: Value =
        serde_json::from_str(include_str!("../../http/cases/headers.json")).expect("JSON");
    assert!(file["cases"].as_array().is_some_and(|cases| cases.contains(&shown)), "{shown}");
}

#[test]
fn texts_have_only_the_placeholders_that_the_readme_describes() {
    let readme = include_str!("../../README.md");
    for case in &Corpus::http().cases {
        for text in case.steps.iter().filter_map(|step| match step {
            Step::Text(text) => Some(text),
            _ => None,
        }) {
            let pieces = text.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
            for (name, _) in pieces {
                let is_placeholder =
                    !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase());
                assert!(!is_placeholder || readme.contains(&format!("`{{{name}}}`")), "{name}");
            }
        }
    }
}
