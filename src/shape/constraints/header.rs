//! Parameters that a tool wants in HTTP headers (2026-07-28, server/tools, `x-mcp-header`).

use super::{elements, is_object, member};
use crate::cast::{index, u32_from};
use crate::json::{Kind, RawJson, RawStr, Walk};
use crate::rule::Rule;
use crate::shape::syntax::is_of_token;

/// The name of the annotation.
const ANNOTATION: &str = "x-mcp-header";

/// The largest number of containers that a message opens inside each other.
const DEEPEST: usize = 256;

/// The number of annotations of a tool that are compared with each other.
const COMPARED: usize = 64;

/// A container inside a schema.
#[derive(Clone, Copy)]
struct Part {
    kind: PartKind,
    /// The offset of its bracket.
    at: u32,
    /// True if the path from the root consists of `properties` alone.
    is_static: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PartKind {
    Root,
    /// The schema of a property.
    Property,
    /// Another schema.
    Schema,
    /// An object whose members are the schemas of properties.
    Properties,
    /// An object whose members are schemas.
    Schemas,
    /// An array of schemas.
    List,
}

/// Checks the tools in the result at this offset.
pub(super) fn check(frame: &[u8], result: usize, report: &mut impl FnMut(Rule, usize)) {
    let tools = member(frame, result, "tools");
    let Some(tools) = tools.filter(|tools| tools.value.kind() == Kind::Array) else { return };
    for (at, _) in elements(frame, tools.at).filter(|(_, tool)| is_object(tool)) {
        let schema = member(frame, at, "inputSchema");
        if let Some(schema) = schema.filter(|schema| is_object(&schema.value)) {
            check_schema(frame, schema.at, report);
        }
    }
}

/// Checks the annotations in the schema at this offset.
fn check_schema(frame: &[u8], at: usize, report: &mut impl FnMut(Rule, usize)) {
    let root = Part { kind: PartKind::Root, at: u32_from(at), is_static: true };
    let mut open = [root; DEEPEST];
    let mut depth = 0_usize;
    let mut seen = Seen { names: [None; COMPARED], count: 0 };
    let mut walk = Walk::within(frame, at);
    loop {
        let Some(part) = open.get(depth).copied() else { return };
        let Some(start) = walk.next_start() else {
            walk.go_on(walk.end());
            let Some(outer) = depth.checked_sub(1) else { return };
            depth = outer;
            continue;
        };
        let inner = if part.kind == PartKind::List {
            inner_kind(part.kind, None, walk.kind())
        } else {
            let Some(name) = walk.next_value().and_then(|(_, name)| name.string()) else { return };
            let Some(start) = walk.next_start() else { return };
            let is_schema =
                matches!(part.kind, PartKind::Root | PartKind::Property | PartKind::Schema);
            if is_schema && name == *ANNOTATION {
                let Some((_, value)) = walk.next_value() else { return };
                if !is_allowed(frame, part, value, &mut seen) {
                    report(Rule::HeaderAnnotation, start);
                }
                continue;
            }
            inner_kind(part.kind, Some(name), walk.kind())
        };
        let start = walk.next_start().unwrap_or(start);
        match (inner, open.get_mut(depth.wrapping_add(1))) {
            (Some(kind), Some(place)) => {
                let is_step = matches!(kind, PartKind::Properties | PartKind::Property);
                *place = Part { kind, at: u32_from(start), is_static: part.is_static && is_step };
                depth = depth.wrapping_add(1);
                walk.enter();
            }
            _ => walk.skip(),
        }
    }
}

/// Returns what a container is that has this name in another one. Returns `None` if no schemas are in it.
fn inner_kind(outer: PartKind, name: Option<RawStr<'_>>, kind: Kind) -> Option<PartKind> {
    const MAPS: [&str; 4] = ["patternProperties", "$defs", "definitions", "dependentSchemas"];
    const VALUES: [&str; 4] = ["const", "enum", "default", "examples"];
    let is_one_of =
        |names: &[&str]| name.is_some_and(|name| names.iter().any(|known| name == **known));
    let is_keyword = matches!(outer, PartKind::Root | PartKind::Property | PartKind::Schema);
    match kind {
        Kind::Object | Kind::Array if is_keyword && is_one_of(&VALUES) => None,
        Kind::Object if is_keyword && is_one_of(&["properties"]) => Some(PartKind::Properties),
        Kind::Object if is_keyword && is_one_of(&MAPS) => Some(PartKind::Schemas),
        Kind::Object if outer == PartKind::Properties => Some(PartKind::Property),
        Kind::Object => Some(PartKind::Schema),
        Kind::Array if is_keyword || outer == PartKind::List => Some(PartKind::List),
        _ => None,
    }
}

/// Returns whether a schema may have an annotation with this value.
fn is_allowed<'buf>(
    frame: &'buf [u8],
    part: Part,
    value: RawJson<'buf>,
    seen: &mut Seen<'buf>,
) -> bool {
    let Some(name) = value.string() else { return false };
    let is_token = !name.as_bytes().is_empty()
        && name.chars().all(|character| character.is_ok_and(is_of_token));
    let of = member(frame, index(part.at), "type").and_then(|of| of.value.string());
    let is_primitive = of.is_some_and(|of| {
        ["string", "integer", "boolean"].iter().any(|primitive| of == **primitive)
    });
    let is_property = part.kind == PartKind::Property && part.is_static;
    seen.is_new(name) && is_token && is_primitive && is_property
}

/// The names of the annotations so far.
struct Seen<'buf> {
    names: [Option<RawStr<'buf>>; COMPARED],
    count: usize,
}

impl<'buf> Seen<'buf> {
    /// Adds a name, and returns whether there is none like it, whatever the case.
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
