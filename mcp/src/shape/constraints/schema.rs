//! The dialect of schemas (since 2025-11-25, basic, JSON Schema usage).

use tautline::internal::json::Walk;
use tautline::json::Kind;
use tautline::{RawJson, Rule};

use crate::rule;

/// The URI of the dialect, with or without an empty fragment.
const DIALECTS: [&str; 2] = [
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2020-12/schema#",
];

/// Checks the schemas of the tools in the result at this offset. Only the first schema with another dialect is
/// reported.
///
/// Schemas make up most of a list, so each value is passed over only once.
pub(super) fn check_tools(frame: &[u8], result: usize, report: &mut impl FnMut(Rule, usize)) {
    let mut walk = Walk::within(frame, result);
    while let Some((_, name)) = walk.next_value() {
        if !is_one_of(name, &["tools"]) {
            walk.skip();
        } else if enter(&mut walk, Kind::Array) {
            return check_list(&mut walk, report);
        } else {
            return;
        }
    }
}

/// Checks the schemas of the tools in the list that the walk has entered.
fn check_list(walk: &mut Walk<'_>, report: &mut impl FnMut(Rule, usize)) {
    while walk.next_start().is_some() {
        if !enter(walk, Kind::Object) {
            continue;
        }
        while let Some((_, name)) = walk.next_value() {
            if !is_one_of(name, &["inputSchema", "outputSchema"]) {
                walk.skip();
            } else if enter(walk, Kind::Object) {
                if let Some(at) = other_dialect(walk) {
                    return report(rule::SCHEMA_DIALECT, at);
                }
                walk.go_on(walk.end());
            }
        }
        walk.go_on(walk.end());
    }
}

/// Checks which dialect the schema at this offset declares.
pub(super) fn check_dialect(frame: &[u8], schema: usize, report: &mut impl FnMut(Rule, usize)) {
    if let Some(at) = other_dialect(&mut Walk::within(frame, schema)) {
        report(rule::SCHEMA_DIALECT, at);
    }
}

/// Returns the offset of the declaration of another dialect, in the schema that the walk has entered. If there is none,
/// the walk is then at the end of the schema.
fn other_dialect(walk: &mut Walk<'_>) -> Option<usize> {
    let mut is_declared = false;
    while let Some((_, name)) = walk.next_value() {
        if is_declared || !is_one_of(name, &["$schema"]) {
            walk.skip();
            continue;
        }
        is_declared = true;
        let (at, declared) = walk.next_value()?;
        if !is_one_of(declared, &DIALECTS) {
            return Some(at);
        }
    }
    None
}

/// Enters the next value if it is of this kind, and otherwise passes over it. Returns whether the value was entered.
fn enter(walk: &mut Walk<'_>, kind: Kind) -> bool {
    let is_it = walk.next_start().is_some() && walk.kind() == kind;
    if is_it {
        walk.enter();
    } else {
        walk.skip();
    }
    is_it
}

fn is_one_of(text: RawJson<'_>, names: &[&str]) -> bool {
    text.string().is_some_and(|text| names.iter().any(|name| text == **name))
}
