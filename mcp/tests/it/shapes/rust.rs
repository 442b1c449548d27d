//! The table of shapes as Rust: `src/shape/tables.rs`.

use std::collections::BTreeMap;
use std::fmt::Write;

use tautline_mcp::KnownMethod;

use crate::support::shapes::document::{Bounds, Document, Format, Member, REVISIONS, Type};

const HEADER: &str = "\
//! The tables of shapes, generated from `shapes.txt` by `tests/it/shapes`.

use tautline::internal::envelope::Kinds;

use super::table::{Detail, Format, Object, Reserved, Shapes, Type, may, must, request};
use crate::{KnownMethod as Method, Revision};
";

/// Returns the source of the tables. Types and objects that several revisions share are there once.
pub fn tables() -> String {
    let mut items = Items::default();
    let mut roots = String::new();
    for revision in REVISIONS {
        let document = Document::of(revision);
        let mut writer = Writer {
            document: &document,
            items: &mut items,
            open: Vec::new(),
            meta: meta(revision),
        };
        roots += &writer.shapes(revision);
    }
    let mut source = HEADER.to_owned();
    writeln!(source, "\n/// How deep values with a type of their own are nested in a payload.")
        .unwrap();
    writeln!(source, "pub(super) const DEPTH: usize = {};\n", items.deepest).unwrap();
    source += &roots;
    source.truncate(source.trim_end().len());
    source += "\n\n";
    for (_, item) in items.written {
        source.push_str(&item);
    }
    source
}

/// The statics by their contents, so that equal ones get one name.
#[derive(Default)]
struct Items {
    names: BTreeMap<String, String>,
    /// The number of objects with the same name.
    variants: BTreeMap<String, usize>,
    written: BTreeMap<String, String>,
    deepest: usize,
}

impl Items {
    /// Returns the name of the static with these contents.
    fn name(&mut self, kind: &str, wanted: &str, contents: String) -> String {
        if let Some(name) = self.names.get(&contents) {
            return name.clone();
        }
        let variant = self.variants.entry(wanted.to_owned()).or_default();
        *variant += 1;
        let name = if *variant == 1 { wanted.to_owned() } else { format!("{wanted}_{variant}") };
        let item = format!("static {name}: {kind} = {contents};\n");
        self.written.insert(name.clone(), item);
        self.names.insert(contents, name.clone());
        name
    }
}

struct Writer<'a> {
    document: &'a Document,
    items: &'a mut Items,
    /// The objects that the current one is part of.
    open: Vec<String>,
    /// The revision's requirement on the names in `_meta`, as Rust source.
    meta: Option<&'static str>,
}

/// Returns a revision's requirement on the names in `_meta`, as Rust source.
fn meta(revision: &str) -> Option<&'static str> {
    match revision {
        "2024-11-05" | "2025-03-26" => None,
        "2025-06-18" => Some("Detail::Meta(Reserved::AnyLabelButTheLast)"),
        _ => Some("Detail::Meta(Reserved::SecondLabel)"),
    }
}

impl Writer<'_> {
    fn shapes(&mut self, revision: &str) -> String {
        let roots = &self.document.roots;
        let (mut requests, mut notifications, mut errors) = <(String, String, String)>::default();
        for ((kind, name), root) in roots {
            let method = || {
                let method = KnownMethod::ALL.iter().find(|method| method.name() == name);
                format!("Method::{:?}", method.unwrap())
            };
            let mut part = |part: &str| root.parts.get(part).map(|of| self.of(of));
            match kind.as_str() {
                "request" => {
                    let params = match part("params") {
                        Some(params) => format!("Some(&{params})"),
                        None => "None".to_owned(),
                    };
                    let (method, result) = (method(), part("result").unwrap());
                    requests += &format!("        request({method}, {params}, &{result}),\n");
                }
                "notification" => {
                    notifications +=
                        &format!("        ({}, &{}),\n", method(), part("params").unwrap());
                }
                _ => errors += &format!("        ({name}, &{}),\n", part("data").unwrap()),
            }
        }
        let name = revision.replace('-', "_");
        let list = |name: &str, rows: String| match rows.is_empty() {
            true => format!("    {name}: &[],\n"),
            false => format!("    {name}: &[\n{rows}    ],\n"),
        };
        // The schema has no enumeration of them, because extensions may add others.
        let types = match self.document.objects.contains_key("InputRequiredResult") {
            true => "        \"complete\",\n        \"input_required\",\n",
            false => "",
        };
        let lists = list("requests", requests)
            + &list("notifications", notifications)
            + &list("errors", errors)
            + &list("result_types", types.to_owned());
        let head = format!("    revision: Revision::V{name},\n");
        format!("pub(super) static V{name}: Shapes = Shapes {{\n{head}{lists}}};\n\n")
    }

    /// Returns the name of the static for a type.
    fn of(&mut self, of: &Type) -> String {
        self.of_with(of, None)
    }

    /// Returns the name of the static for a type with another detail.
    fn of_with(&mut self, of: &Type, detail: Option<&str>) -> String {
        let alternatives = self.document.alternatives(of);
        let mut kinds = Vec::new();
        let mut details: Vec<_> = detail.map(str::to_owned).into_iter().collect();
        let (mut constants, mut members) = (Vec::new(), Vec::new());
        let mut names = Vec::new();
        for one in &alternatives {
            let (kind, name) = match one {
                Type::Any => ("ANY", "ANY".to_owned()),
                Type::Null => ("NULL", "NULL".to_owned()),
                Type::Boolean => ("BOOL", "BOOLEAN".to_owned()),
                Type::Integer(bounds) => {
                    details.extend(bounds_of(bounds));
                    ("INTEGER", named("INTEGER", bounds))
                }
                Type::Number(bounds) => {
                    details.extend(bounds_of(bounds));
                    ("NUMBER", named("NUMBER", bounds))
                }
                Type::String(format) => {
                    let name = match format {
                        Format::None => "STRING",
                        Format::Uri => "URI",
                        Format::UriTemplate => "URI_TEMPLATE",
                        Format::RootUri => "ROOT_URI",
                        Format::IconUri => "ICON_URI",
                        Format::MediaType => "MEDIA_TYPE",
                        Format::ToolName => "TOOL_NAME",
                        Format::Timestamp => "TIMESTAMP",
                        Format::LastModified => "LAST_MODIFIED",
                        Format::Base64 => "BASE64",
                    };
                    if *format != Format::None {
                        details.push(format!("Detail::Format(Format::{format:?})"));
                    }
                    ("STRING", name.to_owned())
                }
                Type::Constant(constant) => {
                    constants.push(format!("{constant:?}"));
                    ("STRING", screaming(constant))
                }
                Type::Array(of, (_, most)) => {
                    self.open.push("[]".to_owned());
                    let of = self.of(of);
                    self.open.pop();
                    details.push(format!("Detail::Items(&{of})"));
                    details.extend(most.map(|most| format!("Detail::Length({most})")));
                    ("ARRAY", format!("LIST_OF_{of}"))
                }
                Type::AnyArray => ("ARRAY", "ARRAY".to_owned()),
                Type::Map(of) => {
                    self.open.push("{}".to_owned());
                    let of = self.of(of);
                    self.open.pop();
                    details.push(format!("Detail::Members(&{of})"));
                    ("OBJECT", format!("MAP_OF_{of}"))
                }
                Type::AnyObject => ("OBJECT", "OBJECT".to_owned()),
                Type::Named(name) => {
                    members.push((name.clone(), self.document.objects[name].clone()));
                    ("OBJECT", screaming(name))
                }
                Type::OneOf(_) => unreachable!("alternatives have no alternatives"),
            };
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
            names.push(name);
        }
        self.items.deepest = self.items.deepest.max(self.open.len());
        if !constants.is_empty() {
            assert!(!alternatives.iter().any(|one| matches!(one, Type::String(_))));
            details.push(format!("Detail::Constants(&[{}])", constants.join(", ")));
        }
        merge(&mut members);
        for (name, members) in &members {
            if let [rest] = members.as_slice()
                && rest.name == "*"
            {
                self.open.push(name.clone());
                details.push(format!("Detail::Members(&{})", self.of(&rest.of)));
                self.open.pop();
                continue;
            }
            details.push(format!("Detail::Object(&{})", self.object(name, members)));
        }
        let plain = match of {
            Type::Named(name) => screaming(name),
            Type::AnyObject if detail.is_some() => "META".to_owned(),
            _ => names.join("_OR_"),
        };
        let kinds: Vec<_> = kinds.iter().map(|kind| format!("Kinds::{kind}")).collect();
        let all =
            kinds.iter().skip(1).fold(kinds[0].clone(), |all, kind| format!("{all}.union({kind})"));
        let contents = format!("Type::new({all}, &[{}])", details.join(", "));
        let name = if plain.len() > 60 { "ONE_OF".to_owned() } else { plain };
        self.items.name("Type", &name, contents)
    }

    fn object(&mut self, name: &str, members: &[Member]) -> String {
        assert!(!self.open.contains(&name.to_owned()), "{name} is part of itself: {:?}", self.open);
        assert!(members.len() <= 32, "{name} has {} members", members.len());
        self.open.push(name.to_owned());
        let rows: Vec<_> = members
            .iter()
            .map(|Member { name, is_required, of }| {
                let meta = self.meta.filter(|_| name == "_meta");
                let of = self.of_with(of, meta);
                format!("    {}({name:?}, &{of}),\n", if *is_required { "must" } else { "may" })
            })
            .collect();
        self.open.pop();
        let contents = format!("Object::new(&[\n{}])", rows.concat());
        self.items.name("Object", &format!("{}_MEMBERS", screaming(name)), contents)
    }
}

/// Merges alternatives that differ in the type of one member only: the union of both types takes its place. Alternatives
/// are then told apart by their own members.
fn merge(alternatives: &mut Vec<(String, Vec<Member>)>) {
    let mut at = 0;
    while at < alternatives.len() {
        let other = (at + 1..alternatives.len()).find_map(|other| {
            let (one, another) = (&alternatives[at].1, &alternatives[other].1);
            let is_same = one.len() == another.len()
                && one
                    .iter()
                    .zip(another)
                    .all(|(a, b)| a.name == b.name && a.is_required == b.is_required);
            let mut differing = (0..one.len()).filter(|&i| is_same && one[i].of != another[i].of);
            let only = differing.next()?;
            let is_object = |of: &Type| matches!(of, Type::Named(_));
            let both = is_object(&one[only].of) && is_object(&another[only].of);
            (both && differing.next().is_none()).then_some((other, only))
        });
        match other {
            Some((other, member)) => {
                let (_, removed) = alternatives.remove(other);
                let of = &mut alternatives[at].1[member].of;
                *of = Type::OneOf(vec![of.clone(), removed[member].of.clone()]);
            }
            None => at += 1,
        }
    }
}

fn bounds_of((least, most): &Bounds) -> Vec<String> {
    let least = least.map(|least| format!("Detail::Least({least})"));
    least.into_iter().chain(most.map(|most| format!("Detail::Most({most})"))).collect()
}

fn named(name: &str, bounds: &Bounds) -> String {
    match bounds {
        (None, None) => name.to_owned(),
        (Some(least), None) => format!("{name}_FROM_{least}"),
        (least, Some(most)) => format!("{name}_{}_TO_{most}", least.unwrap_or_default()),
    }
}

/// Returns a name in the spelling of constants.
fn screaming(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase()
            && out.ends_with(|last: char| last.is_ascii_lowercase() || last == '-')
        {
            out.push('_');
        }
        out.push(if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' });
    }
    out.replace('-', "_").to_ascii_uppercase()
}
