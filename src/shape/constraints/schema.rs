//! The dialect of schemas (since 2025-11-25, basic, JSON Schema usage).

use crate::json::places::{is_object, member, members, objects};
use crate::rule::Rule;

/// The URI of the dialect, with or without an empty fragment.
const DIALECTS: [&str; 2] = [
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2020-12/schema#",
];

/// Checks the schemas of the tools in the result at this offset.
pub(super) fn check_tools(frame: &[u8], result: usize, report: &mut impl FnMut(Rule, usize)) {
    for tool in objects(frame, member(frame, result, "tools")) {
        for member in members(frame, tool) {
            let is_schema = member.name == *"inputSchema" || member.name == *"outputSchema";
            if is_schema && is_object(&member.value) {
                check_dialect(frame, member.at, report);
            }
        }
    }
}

/// Checks which dialect the schema at this offset declares.
pub(super) fn check_dialect(frame: &[u8], schema: usize, report: &mut impl FnMut(Rule, usize)) {
    let Some(declared) = member(frame, schema, "$schema") else { return };
    let is_recommended = |name| DIALECTS.iter().any(|known| name == **known);
    if !declared.value.string().is_some_and(is_recommended) {
        report(Rule::SchemaDialect, declared.at);
    }
}
