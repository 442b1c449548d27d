//! The dialect of schemas (since 2025-11-25, basic, JSON Schema usage).

use crate::json::places::{is_object, member, members, objects};
use crate::rule::Rule;

/// The URI of the dialect, with or without an empty fragment.
const DIALECTS: [&str; 2] = [
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2020-12/schema#",
];

/// Checks the schemas of the tools in the result at this offset. One that declares another dialect stands for all.
pub(super) fn check_tools(frame: &[u8], result: usize, report: &mut impl FnMut(Rule, usize)) {
    for tool in objects(frame, member(frame, result, "tools")) {
        for member in members(frame, tool) {
            let is_schema = member.name == *"inputSchema" || member.name == *"outputSchema";
            if is_schema
                && is_object(&member.value)
                && let Some(at) = other_dialect(frame, member.at)
            {
                report(Rule::SchemaDialect, at);
                return;
            }
        }
    }
}

/// Checks which dialect the schema at this offset declares.
pub(super) fn check_dialect(frame: &[u8], schema: usize, report: &mut impl FnMut(Rule, usize)) {
    if let Some(at) = other_dialect(frame, schema) {
        report(Rule::SchemaDialect, at);
    }
}

/// Returns the offset of the declaration of another dialect, in the schema at this offset.
fn other_dialect(frame: &[u8], schema: usize) -> Option<usize> {
    let declared = member(frame, schema, "$schema")?;
    let is_recommended = |name| DIALECTS.iter().any(|known| name == **known);
    (!declared.value.string().is_some_and(is_recommended)).then_some(declared.at)
}
