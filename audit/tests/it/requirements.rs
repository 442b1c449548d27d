//! `src/tally/requirements.json` is generated from `docs/requirements.toml` and the dialogues of MCP's tests.
//!
//! After a change to either, regenerate it with `TAUTLINE_BLESS=1 cargo test --test audit requirements`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

use super::dialogues::{self, DIALOGUES, Dialogue};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Returns the places at which the dialogues expect findings, by the id of the requirement.
fn places(dialogues: &[Dialogue<'_>]) -> BTreeMap<String, BTreeSet<(String, String)>> {
    let mut places: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for dialogue in dialogues {
        let steps = dialogue.steps_in(dialogue.revision);
        for expected in steps.iter().flat_map(|step| &step.expected) {
            let (rule, path) = expected.split_once(' ').unwrap_or((expected, ""));
            let place = (rule.to_owned(), without_indexes(path));
            places.entry(dialogue.id.to_owned()).or_default().insert(place);
        }
    }
    places
}

/// Returns a path without the numbers of array elements.
fn without_indexes(path: &str) -> String {
    let mut in_index = false;
    let outside = |c: &char| {
        in_index &= *c != ']';
        let is_outside = !in_index;
        in_index |= *c == '[';
        is_outside
    };
    path.chars().filter(outside).collect()
}

fn trigger(text: &str) -> Value {
    let (subject, with) = match text.split_once(" with ") {
        Some((subject, with)) => (subject, json!(with)),
        None => (text, Value::Null),
    };
    match subject.split_once(' ') {
        Some((method, part)) => json!({"what": method, "part": part, "with": with}),
        None => json!({"what": subject, "part": null, "with": with}),
    }
}

#[test]
fn the_table_is_that_of_the_documentation() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let places = places(&dialogues::read(DIALOGUES));
    let table: toml::Table = read("docs/requirements.toml").parse().unwrap();
    let mut rows = Vec::new();
    for row in table["requirement"].as_array().unwrap() {
        let text = |name: &str| row.get(name).map_or("", |value| value.as_str().unwrap());
        let id = text("id");
        let rules: Vec<_> = row
            .get("rules")
            .map_or(&[][..], |rules| rules.as_array().unwrap())
            .iter()
            .map(|rule| rule.as_str().unwrap())
            .collect();
        let on: Vec<_> = text("on").split(", ").map(trigger).collect();
        let mut value = json!({
            "id": id,
            "revisions": text("revisions"),
            "level": text("level"),
            "by": text("by"),
            "clause": text("clause"),
            "on": on,
            "text": text("text"),
            "rules": rules,
        });
        if let Some(not) = row.get("not") {
            value["not"] = json!(not.as_str().unwrap());
        }
        if let Some(places) = places.get(id) {
            value["places"] = json!(places);
        }
        rows.push(format!("  {value}"));
    }
    let expected = format!("[\n{}\n]\n", rows.join(",\n"));
    let path = root().join("audit/src/tally/requirements.json");
    if std::env::var_os("TAUTLINE_BLESS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    assert!(std::fs::read_to_string(&path).unwrap() == expected, "run this test to write it anew");
}
