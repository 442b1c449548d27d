//! The texts of rules on the side of JavaScript are those of the one table.
//!
//! `TAUTLINE_BLESS=1 cargo test --package tautline-wasm --test texts` writes the file anew.

use std::fmt::Write as _;

use tautline::Rule;
use tautline::frame::Desync;
use tautline::rule::Severity;
use tautline::scan::Syntax;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/npm/lib/rules.js");

#[test]
fn the_texts_of_rules_are_those_of_the_table() {
    let text = text();
    if std::env::var_os("TAUTLINE_BLESS").is_some() {
        std::fs::write(FILE, &text).unwrap();
    }
    let file = std::fs::read_to_string(FILE).unwrap();
    assert!(file == text, "{FILE} is out of date: run this test with TAUTLINE_BLESS=1");
}

/// Rows are looked up by number, so the numbers are those of the table.
#[test]
fn numbers_are_places_in_the_tables() {
    assert!(Rule::ALL.iter().enumerate().all(|(index, rule)| *rule as usize == index));
    assert!(Syntax::ALL.iter().enumerate().all(|(index, syntax)| *syntax as usize == index));
    assert!(Desync::ALL.iter().enumerate().all(|(index, cause)| *cause as usize == index));
    assert!(Rule::ALL.len() <= 256, "a rule has a byte");
}

fn text() -> String {
    let mut text = String::from(
        "// Generated from the tables of the Rust crate by tests/texts.rs.\n\n\
         export const SEVERITIES = ",
    );
    let severities = [Severity::Error, Severity::Warning, Severity::Note].map(Severity::name);
    list(&mut text, &severities);
    text += ";\n\n/** Name, summary, section of the specification, advice for the sender. */\n";
    text += "export const RULES = [\n";
    for rule in Rule::ALL {
        text += "  ";
        list(&mut text, &[rule.name(), rule.summary(), rule.spec_ref(), rule.help()]);
        text += ",\n";
    }
    text += "];\n\nconst SYNTAX = [\n";
    for syntax in Syntax::ALL {
        writeln!(text, "  {},", quoted(syntax.description())).unwrap();
    }
    text += "];\n\n/** Why the start of the next frame is unknown: name, summary. */\n";
    text += "export const DESYNCS = [\n";
    for cause in Desync::ALL {
        text += "  ";
        list(&mut text, &[cause.name(), cause.summary()]);
        text += ",\n";
    }
    text += "];\n
/** What a rule says. A syntax error, if there is one, says more; 0 is none. */
export function describe(rule, syntax) {
  const [name, summary, clause, help] = RULES[rule];
  return { rule: name, message: syntax === 0 ? summary : SYNTAX[syntax - 1], clause, help };
}
";
    text
}

fn list(text: &mut String, items: &[&str]) {
    let items: Vec<_> = items.iter().map(|item| quoted(item)).collect();
    write!(text, "[{}]", items.join(", ")).unwrap();
}

/// What JSON writes, JavaScript reads.
fn quoted(text: &str) -> String {
    format!("{text:?}").replace("\\'", "'")
}
