//! Integers that a tool wants in HTTP headers (2026-07-28, server/tools, `x-mcp-header`).

use alloc::string::String;
use alloc::vec::Vec;

use tautline::RawJson;
use tautline::json::Kind;

use super::call::Params;
use super::{Conversation, Notice, text};
use crate::hash::name_of;
use crate::places::{self, Member};
use crate::{KnownMethod, rule};

/// The maximum number of integers that are remembered, of all tools together and of one tool.
pub(super) const MOST: usize = 1024;
const MOST_OF_TOOL: usize = 32;

/// The maximum depth of the integers that are found, and the maximum number of objects that wait to be searched.
const DEEPEST: usize = 8;
const MOST_WAITING: usize = 64;

/// The largest integer that a double and its neighbours tell apart.
const LARGEST: f64 = 9_007_199_254_740_991.0;

/// The names that lead to an argument.
pub(super) type Path = Vec<String>;

/// Returns the paths of the integers in a schema that have the annotation.
pub(super) fn integers(frame: &[u8], schema: Option<Member<'_>>) -> Vec<Path> {
    let mut found = Vec::new();
    let mut waiting: Vec<(usize, Path)> = Vec::new();
    waiting.extend(schema.and_then(Member::object).map(|schema| (schema.at, Path::new())));
    while let Some((at, path)) = waiting.pop() {
        let properties = places::member(frame, at, "properties").and_then(Member::object);
        let Some(properties) = properties.filter(|_| path.len() < DEEPEST) else { continue };
        for property in places::members(frame, properties.at).filter_map(Member::object) {
            let names = ["type", "x-mcp-header", "properties"];
            let [kind, annotation, inner] = places::pick(frame, property.at, names);
            let is_integer = kind.is_some_and(|kind| is_integer(frame, kind));
            if annotation.is_none() && inner.is_none() {
                continue;
            }
            let mut path = path.clone();
            path.push(name_of(property.name));
            if annotation.is_some() && is_integer && found.len() < MOST_OF_TOOL {
                found.push(path.clone());
            }
            if inner.is_some() && waiting.len() < MOST_WAITING {
                waiting.push((property.at, path));
            }
        }
    }
    found
}

/// Returns whether a value of `type` allows integers.
fn is_integer(frame: &[u8], kind: Member<'_>) -> bool {
    let is_one = |value: RawJson<'_>| value.string().is_some_and(|of| of == *"integer");
    match kind.value.kind() {
        Kind::Array => places::elements(frame, kind.at).any(|(_, value)| is_one(value)),
        _ => is_one(kind.value),
    }
}

impl Conversation {
    /// Checks the integers in the arguments of a tool that go into headers.
    pub(super) fn check_header_integers(
        &self,
        method: Option<KnownMethod>,
        params: &Params<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        let Some(KnownMethod::ToolsCall) = method else { return };
        let Some(tool) = text(params.name).and_then(|name| self.tools.get(&name)) else { return };
        for path in &tool.integers {
            let mut place = params.member(notice.frame, "arguments");
            for name in path {
                let object = place.and_then(Member::object);
                // A long name is kept as a hash, so it is not found.
                place = object.and_then(|object| places::member(notice.frame, object.at, name));
            }
            let Some(argument) = place else { continue };
            let number = argument.value.number().filter(|number| number.is_integer());
            let number = number.and_then(|number| number.as_str()?.parse::<f64>().ok());
            if number.is_some_and(|number| !(-LARGEST..=LARGEST).contains(&number)) {
                notice.at(rule::HEADER_INTEGER_RANGE, argument.at);
            }
        }
    }
}
