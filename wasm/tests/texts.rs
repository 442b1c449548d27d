//! The texts of rules in JavaScript and their names in TypeScript match the table in Rust.
//!
//! To regenerate the files, run `TAUTLINE_BLESS=1 cargo test --package tautline-wasm --test texts`.

use std::fmt::Write as _;

use tautline::scan::Syntax;
use tautline::{Rule, Severity, rule};
use tautline_mcp::cause;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/npm/lib");

#[test]
fn the_texts_of_rules_are_those_of_the_table() {
    compare("rules.js", &text());
}

#[test]
fn the_types_of_names_are_those_of_the_table() {
    compare("rules.d.ts", &types());
}

#[test]
fn the_texts_of_the_rules_of_mcp_are_those_of_the_table() {
    let mut text =
        String::from("// Generated from the tables of the Rust crate by tests/texts.rs.\n\n");
    text += "/** Name, summary, section of the specification, advice for the sender, by the number of the rule. */\n";
    text += "export const MCP_RULES = new Map([\n";
    for &rule in tautline_mcp::rule::ALL {
        use tautline_mcp::rule::{help, name, spec_ref, summary};
        write!(text, "  [{}, ", rule.number()).unwrap();
        list(&mut text, &[name(rule), summary(rule), spec_ref(rule), help(rule)]);
        text += "],\n";
    }
    text += "]);\n";
    compare("mcp/mcp-rules.js", &text);
}

/// A test in JavaScript has an example of each.
#[test]
fn the_names_of_errors_are_those_of_the_table() {
    let errors = rule::ALL.iter().filter(|&&rule| rule::severity(rule) == Severity::Error);
    let names: Vec<_> = errors.map(|&rule| quoted(rule::name(rule))).collect();
    compare("../../test/errors.json", &format!("[\n  {}\n]\n", names.join(",\n  ")));
}

fn compare(name: &str, text: &str) {
    let path = format!("{FOLDER}/{name}");
    if std::env::var_os("TAUTLINE_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let file = std::fs::read_to_string(&path).unwrap();
    assert!(file == text, "{path} is out of date: run this test with TAUTLINE_BLESS=1");
}

/// Rows are looked up by number, so the numbers must be the indexes in the tables.
#[test]
fn numbers_are_places_in_the_tables() {
    assert!(rule::ALL.iter().zip(1..).all(|(rule, number)| rule.number() == number));
    assert!(cause::rule::ALL.iter().zip(CAUSES..).all(|(rule, number)| rule.number() == number));
    assert!(Syntax::ALL.iter().enumerate().all(|(index, syntax)| *syntax as usize == index));
}

/// The number of the first cause.
const CAUSES: u16 = 512;

const SEVERITIES: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Note];

fn text() -> String {
    let mut text = String::from(
        "// Generated from the tables of the Rust crate by tests/texts.rs.\n\n\
         export const SEVERITIES = ",
    );
    list(&mut text, &SEVERITIES.map(Severity::name));
    text += ";\n\n/** Name, summary, section of the specification, advice for the sender. */\n";
    text += "export const RULES = [\n";
    // Rules are counted from 1.
    text += "  [],\n";
    rows(&mut text, rule::ALL);
    write!(text, "];\n\n/** The causes of faults, whose numbers begin here. */\nconst CAUSES_FROM = {CAUSES};\n").unwrap();
    text += "const CAUSES = [\n";
    rows(&mut text, cause::rule::ALL);
    text += "];\n\n/** The rule for responses whose id is equal to that of the request only in value. */\n";
    text += "export const REWRITTEN = ";
    {
        use tautline_mcp::rule::{RESPONSE_ID_REWRITTEN, help, name, spec_ref, summary};
        let rule = RESPONSE_ID_REWRITTEN;
        list(&mut text, &[name(rule), summary(rule), spec_ref(rule), help(rule)]);
    }
    text += ";\n\nconst SYNTAX = [\n";
    for syntax in Syntax::ALL {
        writeln!(text, "  {},", quoted(syntax.description())).unwrap();
    }
    text += "];\n
/** What a rule says. A syntax error, if there is one, says more; 0 is none. */
export function describe(rule, syntax) {
  const [name, summary, clause, help] = rule < CAUSES_FROM ? RULES[rule] : CAUSES[rule - CAUSES_FROM];
  return { rule: name, message: syntax === 0 ? summary : SYNTAX[syntax - 1], clause, help };
}
";
    text
}

/// Writes the rows of a table.
fn rows(text: &mut String, rules: &[Rule]) {
    use cause::rule::{help, name, spec_ref, summary};
    for &rule in rules {
        *text += "  ";
        list(text, &[name(rule), summary(rule), spec_ref(rule), help(rule)]);
        *text += ",\n";
    }
}

/// Returns unions of names, with the summary of each.
fn types() -> String {
    let mut text =
        String::from("// Generated from the tables of the Rust crate by tests/texts.rs.\n");
    union(
        &mut text,
        "RuleName",
        "The name of a rule.",
        rule::ALL
            .iter()
            .chain(cause::rule::ALL)
            .map(|&rule| (cause::rule::name(rule), cause::rule::summary(rule))),
    );
    let severities = SEVERITIES.map(|severity| quoted(severity.name())).join(" | ");
    writeln!(text, "\n/** How bad a finding is. */\nexport type Severity = {severities};").unwrap();
    text
}

fn union<'a>(
    text: &mut String,
    name: &str,
    doc: &str,
    members: impl Iterator<Item = (&'a str, &'a str)>,
) {
    write!(text, "\n/** {doc} */\nexport type {name} =").unwrap();
    for (member, summary) in members {
        write!(text, "\n  /** {} */\n  | {}", summary.replace("*/", "* /"), quoted(member))
            .unwrap();
    }
    text.push_str(";\n");
}

fn list(text: &mut String, items: &[&str]) {
    let items: Vec<_> = items.iter().map(|item| quoted(item)).collect();
    write!(text, "[{}]", items.join(", ")).unwrap();
}

/// Returns a text as a string literal that JavaScript can read.
fn quoted(text: &str) -> String {
    format!("{text:?}").replace("\\'", "'")
}
