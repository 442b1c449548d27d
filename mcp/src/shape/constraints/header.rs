//! Parameters that a tool wants in HTTP headers (2026-07-28, server/tools, `x-mcp-header`).

use tautline::internal::cast::{index, u32_from};
use tautline::internal::json::Walk;
use tautline::json::Kind;
use tautline::{RawJson, RawStr, Rule};

use crate::places::{elements, is_object, member, members, objects};
use crate::rule;
use crate::token::is_of_token;

/// The name of the annotation.
const ANNOTATION: &str = "x-mcp-header";

/// The largest number of containers that a message opens inside each other.
const DEEPEST: usize = 256;

/// The number of annotations of a tool that are compared with each other.
const COMPARED: usize = 64;

/// A container inside a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Root,
    /// The schema of a property that is reached from the root through `properties` alone.
    Property,
    /// The same, after its annotation. A second one is a repeated member, which has a rule of its own.
    Annotated,
    /// Any other schema.
    Schema,
    /// An object whose members are the schemas of such properties.
    Properties,
    /// An object whose members are other schemas.
    Schemas,
    /// An array of schemas.
    List,
}

impl Part {
    const fn is_schema(self) -> bool {
        matches!(self, Self::Root | Self::Property | Self::Annotated | Self::Schema)
    }
}

/// Checks the tools in the result at this offset.
pub(super) fn check(frame: &[u8], result: usize, report: &mut impl FnMut(Rule, usize)) {
    for at in objects(frame, member(frame, result, "tools")) {
        let schema = member(frame, at, "inputSchema");
        if let Some(schema) = schema.filter(|schema| is_object(&schema.value)) {
            check_schema(frame, schema.at, report);
        }
    }
}

/// Checks the annotations in the schema at this offset.
// Not inlined, so that its variables are not on the stack of other checks.
#[inline(never)]
fn check_schema(frame: &[u8], at: usize, report: &mut impl FnMut(Rule, usize)) {
    // The containers that are open, with the offsets of their brackets.
    let (mut open, mut starts) = ([Part::Root; DEEPEST], [u32_from(at); DEEPEST]);
    let mut depth = 0_usize;
    let mut seen = Seen { names: [None; COMPARED], count: 0 };
    let mut walk = Walk::within(frame, at);
    loop {
        let Some(part) = open.get(depth).copied() else { return };
        if walk.next_start().is_none() {
            walk.go_on(walk.end());
            let Some(outer) = depth.checked_sub(1) else { return };
            depth = outer;
            continue;
        }
        let name = if part == Part::List {
            None
        } else {
            let Some(name) = walk.next_value().and_then(|(_, name)| name.string()) else { return };
            Some(name)
        };
        let Some(start) = walk.next_start() else { return };
        if part.is_schema() && name.is_some_and(|name| name == *ANNOTATION) {
            let Some((_, value)) = walk.next_value() else { return };
            let schema = starts.get(depth).copied().unwrap_or_default();
            let is_right = match part {
                Part::Property => is_allowed(frame, index(schema), value, &mut seen),
                Part::Annotated => true,
                _ => false,
            };
            if !is_right {
                report(rule::HEADER_ANNOTATION, start);
            }
            if let Some(place) = open.get_mut(depth).filter(|_| part == Part::Property) {
                *place = Part::Annotated;
            }
            continue;
        }
        let inner = part_in(part, name, walk.kind());
        let place = open.iter_mut().zip(&mut starts).nth(depth.wrapping_add(1));
        match (inner, place) {
            (Some(inner), Some((place, place_start))) => {
                *place = inner;
                *place_start = u32_from(start);
                depth = depth.wrapping_add(1);
                walk.enter();
            }
            _ => walk.skip(),
        }
    }
}

/// Returns the role of a container with this name inside another container. Returns `None` if it contains no schemas.
fn part_in(outer: Part, name: Option<RawStr<'_>>, kind: Kind) -> Option<Part> {
    const SCHEMAS: [&str; 11] = [
        "items",
        "additionalItems",
        "contains",
        "additionalProperties",
        "unevaluatedItems",
        "unevaluatedProperties",
        "propertyNames",
        "not",
        "if",
        "then",
        "else",
    ];
    const LISTS: [&str; 5] = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
    const MAPS: [&str; 4] = ["patternProperties", "$defs", "definitions", "dependentSchemas"];
    let is_one_of =
        |names: &[&str]| name.is_some_and(|name| names.iter().any(|known| name == **known));
    match (outer, kind) {
        (Part::Properties, Kind::Object) => Some(Part::Property),
        (Part::Schemas | Part::List, Kind::Object) => Some(Part::Schema),
        (_, Kind::Object) if is_one_of(&["properties"]) => {
            Some(if outer == Part::Schema { Part::Schemas } else { Part::Properties })
        }
        (_, Kind::Object) if is_one_of(&MAPS) => Some(Part::Schemas),
        (_, Kind::Object) if is_one_of(&SCHEMAS) => Some(Part::Schema),
        (_, Kind::Array) if outer.is_schema() && is_one_of(&LISTS) => Some(Part::List),
        // Other members are data.
        _ => None,
    }
}

/// Returns whether the schema of a property, at this offset, may have an annotation with this value.
fn is_allowed<'buf>(
    frame: &'buf [u8],
    schema: usize,
    value: RawJson<'buf>,
    seen: &mut Seen<'buf>,
) -> bool {
    let Some(name) = value.string() else { return false };
    let is_token = !name.escaped_bytes().is_empty()
        && name.chars().all(|character| character.is_ok_and(is_of_token));
    seen.is_new(name) && is_token && is_primitive(frame, schema)
}

/// Returns whether the schema at this offset allows only strings, integers and booleans.
fn is_primitive(frame: &[u8], schema: usize) -> bool {
    let is_name = |value: RawJson<'_>| {
        value
            .string()
            .is_some_and(|of| ["string", "integer", "boolean"].iter().any(|name| of == **name))
    };
    match member(frame, schema, "type") {
        Some(of) if of.value.kind() == Kind::Array => {
            elements(frame, of.at).all(|(_, value)| is_name(value))
        }
        Some(of) => is_name(of.value),
        // The values show the type.
        None => {
            members(frame, schema).any(|member| member.name == *"enum" || member.name == *"const")
        }
    }
}

/// The names of the annotations so far.
struct Seen<'buf> {
    names: [Option<RawStr<'buf>>; COMPARED],
    count: usize,
}

impl<'buf> Seen<'buf> {
    /// Adds a name, and returns whether it is new, ignoring case.
    fn is_new(&mut self, name: RawStr<'buf>) -> bool {
        let lower = |name: RawStr<'buf>| {
            name.chars().map(|character| character.map(|character| character.to_ascii_lowercase()))
        };
        let seen = self.names.get(..self.count).unwrap_or_default();
        if seen.iter().flatten().any(|other| lower(*other).eq(lower(name))) {
            return false;
        }
        if let Some(place) = self.names.get_mut(self.count) {
            *place = Some(name);
            self.count = self.count.wrapping_add(1);
        }
        true
    }
}
