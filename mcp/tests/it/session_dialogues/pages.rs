//! Compares the diagrams and examples of the specification with the dialogues.

use std::collections::HashMap;

use serde_json::Value;

use super::script::{Dialogue, Item, Items, Kind, Script};
use crate::support::talk::frame;

const PAGES: &str = include_str!("pages.tsv");

/// Lists the rows of the pages that have no dialogue, too few or a wrong one, and what is played that no page has.
pub fn missing(scripts: &[Script]) -> Vec<String> {
    let mut missing = Vec::new();
    let dialogues = || scripts.iter().flat_map(|script| &script.dialogues);
    let skips = || scripts.iter().flat_map(|script| &script.skips);
    let mut played: HashMap<(String, Item), Vec<&Dialogue>> = HashMap::new();
    for dialogue in dialogues() {
        for &item in &dialogue.plays {
            played.entry((dialogue.page.clone(), item)).or_default().push(dialogue);
        }
    }
    let rows = PAGES.lines().filter(|line| !line.starts_with('#'));
    for row in rows {
        let [kind, revision, page, number, what, heading] =
            row.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let page = format!("{revision} {page}");
        let item = Item {
            kind: if kind == "diagram" { Kind::Diagram } else { Kind::Example },
            number: number.parse().unwrap(),
        };
        let by = played.remove(&(page.clone(), item)).unwrap_or_default();
        let is_skipped = skips().filter(|skip| skip.page == page).any(|skip| match &skip.items {
            Items::These(items) => items.contains(&item),
            Items::Parts => what == "part" && by.is_empty(),
        });
        let flaw = match item.kind {
            _ if is_skipped && by.is_empty() => None,
            _ if is_skipped => Some("has a dialogue and is skipped".to_owned()),
            _ if by.is_empty() => Some("has no dialogue".to_owned()),
            Kind::Diagram => {
                let ways: usize = what.parse().unwrap();
                (by.len() < ways).then(|| format!("has {ways} ways, and {} dialogues", by.len()))
            }
            Kind::Example => {
                let without = by.iter().find(|dialogue| !has(dialogue, what));
                without.map(|dialogue| format!("is not in {dialogue}: {what}"))
            }
        };
        missing.extend(flaw.map(|flaw| format!("{page}, {kind} {number} ({heading}) {flaw}")));
    }
    missing.extend(played.keys().map(|item| format!("no page has {item:?}")));
    missing
}

/// Returns whether the dialogue has a message of this kind.
fn has(dialogue: &Dialogue, what: &str) -> bool {
    let messages = dialogue.lines.iter().filter(|line| line.starts_with(['<', '>']));
    what == "part"
        || messages.map(|line| kind_of(line)).any(|kind| kind.starts_with(what))
        // `open` stands for these.
        || ["request initialize", "notification notifications/initialized", "result"].contains(&what)
            && dialogue.lines.iter().any(|line| line.starts_with("open "))
}

/// Returns the kind of a message, as `pages.py` writes it.
fn kind_of(line: &str) -> String {
    let (_, frame) = frame(line.split(" | ").next().unwrap());
    let message: Value = serde_json::from_str(&frame).unwrap();
    let text = |value: &Value| value.as_str().map(|text| format!(" {text}")).unwrap_or_default();
    match &message {
        message if message.get("method").is_none() => match message.get("error") {
            Some(error) => format!("error {}", error["code"]),
            None => format!("result{}", text(&message["result"]["resultType"])),
        },
        message if message.get("id").is_some() => format!("request{}", text(&message["method"])),
        message => format!("notification{}", text(&message["method"])),
    }
}
