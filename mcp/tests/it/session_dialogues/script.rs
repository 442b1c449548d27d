//! Reads files of dialogues.

use std::fmt;
use std::ops::RangeInclusive;

/// A file of dialogues.
pub struct Script {
    pub dialogues: Vec<Dialogue>,
    pub skips: Vec<Skip>,
}

/// One dialogue.
pub struct Dialogue {
    /// The revision and the name of the page.
    pub page: String,
    heading: String,
    pub plays: Vec<Item>,
    /// The lines, without the abbreviations of the file.
    pub lines: Vec<String>,
}

/// A `skip` line.
pub struct Skip {
    pub page: String,
    pub items: Items,
}

/// The diagrams and examples of a `skip` line.
pub enum Items {
    These(Vec<Item>),
    /// The examples that are not messages, unless a dialogue plays them.
    Parts,
}

/// A diagram or an example, and its number on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    pub kind: Kind,
    pub number: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Diagram,
    Example,
}

impl Script {
    pub fn parse(text: &str) -> Self {
        let mut script = Self { dialogues: Vec::new(), skips: Vec::new() };
        let (mut page, mut names) = (String::new(), Vec::new());
        for line in joined(text) {
            let line = replaced(line, &names);
            let (word, rest) = line.split_once(' ').unwrap();
            match word {
                "let" => {
                    let (name, text) = rest.split_once(' ').unwrap();
                    names.push((name.to_owned(), text.to_owned()));
                }
                "==" => page = rest.to_owned(),
                "--" => {
                    let (heading, plays) = rest.split_once(" | ").unwrap_or((rest, ""));
                    script.dialogues.push(Dialogue {
                        page: page.clone(),
                        heading: heading.to_owned(),
                        plays: items(plays),
                        lines: Vec::new(),
                    });
                }
                "skip" => {
                    let (skipped, reason) = rest.split_once(": ").unwrap();
                    assert!(!reason.is_empty(), "{line}");
                    let items = match skipped {
                        "parts" => Items::Parts,
                        these => Items::These(items(these)),
                    };
                    script.skips.push(Skip { page: page.clone(), items });
                }
                _ => script.dialogues.last_mut().unwrap().lines.push(line),
            }
        }
        script
    }
}

impl Dialogue {
    /// The name of the page's revision.
    pub fn revision(&self) -> &str {
        self.page.split(' ').next().unwrap()
    }
}

impl fmt::Display for Dialogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.page, self.heading)
    }
}

/// Drops comments and joins each line with its continuations.
fn joined(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix(' ') {
            Some(more) => *lines.last_mut().unwrap() += &format!(" {}", more.trim_start()),
            None => lines.push(line.to_owned()),
        }
    }
    lines
}

/// Replaces the names in the line with their texts, in which all names are replaced already.
fn replaced(line: String, names: &[(String, String)]) -> String {
    let (mut done, mut rest) = (String::new(), line.as_str());
    if let Some(definition) = line.strip_prefix("let ") {
        // The new name itself stays.
        let (name, text) = definition.split_once(' ').unwrap();
        (done, rest) = (format!("let {name} "), text);
    }
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        done.push_str(before);
        let here = names.iter().filter(|(name, _)| from.starts_with(name));
        let (length, text) = match here.max_by_key(|(name, _)| name.len()) {
            Some((name, text)) => (name.len(), text.as_str()),
            None => (1, "$"),
        };
        done.push_str(text);
        rest = &from[length..];
    }
    done + rest
}

/// Reads a list such as `diagram 1, examples 2-4, 6`.
fn items(list: &str) -> Vec<Item> {
    let mut kind = None;
    let mut items = Vec::new();
    for part in list.split(", ").filter(|part| !part.is_empty()) {
        let numbers = match part.split_once(' ') {
            Some(("diagram" | "diagrams", numbers)) => (kind = Some(Kind::Diagram), numbers).1,
            Some(("example" | "examples", numbers)) => (kind = Some(Kind::Example), numbers).1,
            _ => part,
        };
        items.extend(range(numbers).map(|number| Item { kind: kind.unwrap(), number }));
    }
    items
}

fn range(numbers: &str) -> RangeInclusive<u32> {
    let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
    first.parse().unwrap()..=last.parse().unwrap()
}
