//! JSON Schemas in messages: whether they are valid, and whether the results of tools follow them.
//!
//! A verdict on a result is certain, or there is none. There is none where the verdict depends on
//!
//! - a document that the schema refers to but does not contain, because nothing is ever loaded, except that references
//!   to the meta-schemas of the known dialects need no document;
//! - a dialect, or a keyword without the prefix `x-`, that is not known, or `dependencies` in 2020-12, because validators
//!   differ in what these mean;
//! - a pattern that has no linear matcher (lookarounds, back references), that needs tables of Unicode (`\p`), that
//!   validators read differently, or that is too large;
//! - digits of a number that a double does not keep;
//! - more steps or a deeper nesting than the bounds of `conform`, as in references without an end.
//!
//! Formats and the encodings of contents are annotations, which no value breaks.

mod compile;
mod compiled;
mod conform;
mod dialect;
mod equal;
mod marks;
mod pattern;
mod place;
mod resource;
#[cfg(test)]
mod suite;
#[cfg(test)]
mod tests;
mod valid;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use tautline::{RawJson, Response, Rule};
use tautline_mcp::{KnownMethod, Revision, rule};

use self::compile::compile;
use self::compiled::Compiled;
use self::conform::Verdict;
use self::dialect::Dialect;
use self::place::{follow, written};
use super::asked::Asked;
use super::form::offset;
use crate::frame::FindingReport;

/// The requirement that structured content is checked against.
pub(super) const REQUIREMENT: &str = "tools-structured-conforms";

/// The maximum length of a schema that is checked, in bytes.
const LONGEST: usize = 1 << 16;
/// The maximum number of tools whose schemas are kept.
const MOST: usize = 1 << 10;

/// The schema of a tool's structured content.
#[derive(Debug)]
pub(super) struct OutputSchema {
    schema: Value,
    dialect: Dialect,
    /// Compiled for the first result that is checked against it.
    compiled: OnceLock<Compiled>,
}

/// The output schemas of the tools that a server has listed.
#[derive(Debug, Default)]
pub(super) struct OutputSchemas {
    by_tool: HashMap<String, Arc<OutputSchema>>,
}

/// Reads a schema. Returns `None` if it is too long or nested too deeply.
fn read(schema: RawJson<'_>) -> Option<Value> {
    let is_short = schema.as_bytes().len() <= LONGEST;
    is_short.then(|| serde_json::from_slice(schema.as_bytes()).ok()).flatten()
}

/// Reports the first keyword of a schema with a wrong value. The schema is part of a message that begins at `start`.
fn check(
    rule: Rule,
    payload: RawJson<'_>,
    schema: RawJson<'_>,
    start: u64,
    report: &mut dyn FnMut(FindingReport),
) -> Option<OutputSchema> {
    let value = read(schema)?;
    let dialect = Dialect::of(&value)?;
    // A separate rule demands that a schema in MCP is an object.
    let wrong = value.is_object().then(|| valid::wrong(&value, dialect)).flatten();
    let Some(wrong) = wrong else { return Some(OutputSchema::new(value, dialect)) };
    let words = format!("expected {}", wrong.expected);
    let at = start + offset(payload, follow(schema, &wrong.path));
    report(FindingReport::new(rule, at).with_words(words).in_payload());
    None
}

/// Checks the schema of a form that a server sends (since 2025-11-25).
pub(super) fn check_form(asked: &Asked<'_, '_>, report: &mut dyn FnMut(FindingReport)) {
    let Asked { request, revision, .. } = *asked;
    if asked.method == Some(KnownMethod::ElicitationCreate)
        && revision.is_some_and(|revision| revision >= Revision::V2025_11_25)
        && let (Some(params), Some(span)) = (request.params(), request.call().params_span())
        && let Some(schema) = params.member("requestedSchema")
    {
        check(rule::SCHEMA_INVALID, params, schema, u64::from(span.start()), report);
    }
}

impl OutputSchemas {
    /// Checks the schemas of the tools in a list, and keeps the output schemas.
    pub fn list(
        &mut self,
        response: &Response<'_>,
        revision: Option<Revision>,
        report: &mut dyn FnMut(FindingReport),
    ) {
        let (Some(result), Some(span)) = (response.result(), response.result_span()) else {
            return;
        };
        let start = u64::from(span.start());
        let is_demanded = revision.is_some_and(|revision| revision >= Revision::V2025_11_25);
        let mut say = |finding: FindingReport| {
            if is_demanded {
                report(finding);
            }
        };
        let tools = result.member("tools").and_then(|tools| tools.elements());
        for tool in tools.into_iter().flatten() {
            if let Some(schema) = tool.member("inputSchema") {
                check(rule::INPUT_SCHEMA_INVALID, result, schema, start, &mut say);
            }
            let name = tool.member("name").and_then(|name| name.string());
            let Some(name) = name.and_then(|name| name.decode().ok()) else { continue };
            let schema = tool
                .member("outputSchema")
                .and_then(|schema| check(rule::SCHEMA_INVALID, result, schema, start, &mut say));
            self.by_tool.remove(name.as_ref());
            if let Some(schema) = schema.filter(|_| self.by_tool.len() < MOST) {
                self.by_tool.insert(name.into_owned(), Arc::new(schema));
            }
        }
    }

    /// Forgets all schemas, because the tools may have changed.
    pub fn forget(&mut self) {
        self.by_tool.clear();
    }

    /// Returns the schema for the content of the result, if the request calls a tool.
    pub fn of_call(&self, asked: &Asked<'_, '_>) -> Option<Arc<OutputSchema>> {
        let is_call = asked.method == Some(KnownMethod::ToolsCall);
        let params = asked.params.filter(|_| is_call && !self.by_tool.is_empty())?;
        let name = params.name()?.decode().ok()?;
        self.by_tool.get(name.as_ref()).cloned()
    }
}

impl OutputSchema {
    const fn new(schema: Value, dialect: Dialect) -> Self {
        Self { schema, dialect, compiled: OnceLock::new() }
    }

    /// Checks the structured content of a result against the schema, unless the call has failed. Returns the
    /// requirement that it meets, if it certainly does.
    pub fn judge(
        &self,
        result: RawJson<'_>,
        start: u64,
        report: &mut dyn FnMut(FindingReport),
    ) -> Option<&'static str> {
        let content = result.member("structuredContent")?;
        let has_failed = result.member("isError").is_some_and(|is| is.as_bytes() == b"true");
        let value: Value =
            serde_json::from_slice(content.as_bytes()).ok().filter(|_| !has_failed)?;
        let schema = self.compiled.get_or_init(|| compile(&self.schema, self.dialect));
        let difference = match conform::judge(schema, &value, content.as_bytes().len()) {
            Verdict::Fits => return Some(REQUIREMENT),
            Verdict::Open => return None,
            Verdict::Differs(difference) => difference,
        };
        let at = start + offset(result, follow(content, &difference.path));
        let keyword = difference.keyword;
        let words = match written(&difference.path).as_str() {
            "" => format!("the content breaks {keyword:?} of the tool's outputSchema"),
            path => format!("{path} breaks {keyword:?} of the tool's outputSchema"),
        };
        let rule = rule::STRUCTURED_CONTENT_DIFFERS;
        let finding = FindingReport::new(rule, at).with_words(words).in_payload();
        report(finding.of_requirement(REQUIREMENT));
        None
    }
}
