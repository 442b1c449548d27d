//! The table of shapes as data: `src/shape/shapes.txt`, parsed for one revision.

use std::collections::BTreeMap;

/// The whole file.
const TEXT: &str = include_str!("../../../src/shape/shapes.txt");

/// The revisions that the file knows, the oldest first.
pub const REVISIONS: [&str; 5] =
    ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// A type as it is written in the file.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    Any,
    Null,
    Boolean,
    Integer(Bounds),
    Number(Bounds),
    String(Format),
    Constant(String),
    Array(Box<Type>, Bounds),
    AnyArray,
    /// An object whose members all have this type.
    Map(Box<Type>),
    AnyObject,
    Named(String),
    OneOf(Vec<Type>),
}

/// The smallest and the largest, each if there is one.
pub type Bounds = (Option<i32>, Option<i32>);

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Format {
    None,
    Uri,
    UriTemplate,
    RootUri,
    IconUri,
    Base64,
    MediaType,
    ToolName,
    Timestamp,
    LastModified,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// `*` stands for all other members.
    pub name: String,
    pub is_required: bool,
    pub of: Type,
}

/// A root of the table: the payload of a method or of an error code.
#[derive(Clone, Debug, Default)]
pub struct Root {
    /// `params`, `result` and `data`, if they are present.
    pub parts: BTreeMap<String, Type>,
}

/// The shapes of one revision.
#[derive(Debug, Default)]
pub struct Document {
    pub objects: BTreeMap<String, Vec<Member>>,
    pub types: BTreeMap<String, Type>,
    /// By kind and name: `("request", "tools/call")`.
    pub roots: BTreeMap<(String, String), Root>,
}

impl Document {
    pub fn of(revision: &str) -> Self {
        let mut document = Self::default();
        // The paragraph that the lines belong to, and the revisions in which it holds.
        let mut paragraph: (&str, &str, bool) = ("", "", false);
        for line in TEXT.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let (text, holds) = match line.split_once("  @") {
                Some((text, revisions)) => (text, includes(revisions, revision)),
                None => (line, true),
            };
            if let Some(member) = text.strip_prefix("    ") {
                if paragraph.2 && holds {
                    document.add(paragraph.0, paragraph.1, member);
                }
                continue;
            }
            let (kind, rest) = text.split_once(' ').unwrap();
            if kind == "type" {
                let (name, of) = rest.split_once(" = ").unwrap();
                if holds {
                    let before = document.types.insert(name.to_owned(), Type::parse(of));
                    assert!(before.is_none(), "{name} has two types in {revision}");
                }
                continue;
            }
            paragraph = (kind, rest, holds);
            if holds && kind == "object" {
                document.objects.insert(rest.to_owned(), Vec::new());
            } else if holds {
                document.roots.insert((kind.to_owned(), rest.to_owned()), Root::default());
            }
        }
        document
    }

    fn add(&mut self, kind: &str, name: &str, line: &str) {
        let (member, of) = line.split_once(": ").unwrap();
        let of = Type::parse(of);
        if kind == "object" {
            let is_required = member.ends_with('!');
            let member = member.trim_end_matches('!').to_owned();
            self.objects.get_mut(name).unwrap().push(Member { name: member, is_required, of });
        } else {
            let root = self.roots.get_mut(&(kind.to_owned(), name.to_owned())).unwrap();
            root.parts.insert(member.to_owned(), of);
        }
    }

    /// Returns the alternatives of a type, with names of types resolved, and with none in another.
    pub fn alternatives(&self, of: &Type) -> Vec<Type> {
        match of {
            Type::OneOf(all) => all.iter().flat_map(|one| self.alternatives(one)).collect(),
            Type::Named(name) if self.types.contains_key(name) => {
                self.alternatives(&self.types[name])
            }
            other => vec![other.clone()],
        }
    }
}

/// Returns whether a list such as `2025-06-18..,2024-11-05` includes the revision.
fn includes(list: &str, revision: &str) -> bool {
    list.split(',').any(|run| match run.split_once("..") {
        Some((first, last)) => first <= revision && (last.is_empty() || revision <= last),
        None => run == revision,
    })
}

impl Type {
    fn parse(text: &str) -> Self {
        let (of, rest) = Self::union(text);
        assert_eq!(rest, "", "{text}");
        of
    }

    fn union(text: &str) -> (Self, &str) {
        let (first, mut rest) = Self::one(text);
        let mut all = vec![first];
        while let Some(next) = rest.strip_prefix(" | ") {
            let (another, after) = Self::one(next);
            all.push(another);
            rest = after;
        }
        match all.len() {
            1 => (all.remove(0), rest),
            _ => (Self::OneOf(all), rest),
        }
    }

    fn one(text: &str) -> (Self, &str) {
        if let Some(inside) = text.strip_prefix('"') {
            let (constant, rest) = inside.split_once('"').unwrap();
            return (Self::Constant(constant.to_owned()), rest);
        }
        if let Some(inside) = text.strip_prefix('[') {
            let (of, rest) = Self::union(inside);
            let (bounds, rest) = bounds(rest.strip_prefix(']').unwrap());
            return (Self::Array(of.into(), bounds), rest);
        }
        if let Some(inside) = text.strip_prefix('{') {
            let (of, rest) = Self::union(inside);
            return (Self::Map(of.into()), rest.strip_prefix('}').unwrap());
        }
        let end = text.find([' ', ']', '}', '(']).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        let (bounds, rest) = bounds(rest);
        let of = match word {
            "any" => Self::Any,
            "null" => Self::Null,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer(bounds),
            "number" => Self::Number(bounds),
            "string" => Self::String(Format::None),
            "string:uri" => Self::String(Format::Uri),
            "string:uri-template" => Self::String(Format::UriTemplate),
            "string:root-uri" => Self::String(Format::RootUri),
            "string:icon-uri" => Self::String(Format::IconUri),
            "string:byte" => Self::String(Format::Base64),
            "string:media-type" => Self::String(Format::MediaType),
            "string:tool-name" => Self::String(Format::ToolName),
            "string:timestamp" => Self::String(Format::Timestamp),
            "string:last-modified" => Self::String(Format::LastModified),
            "array" => Self::AnyArray,
            "object" => Self::AnyObject,
            name => Self::Named(name.to_owned()),
        };
        (of, rest)
    }
}

/// Parses `(m..n)`, if it is there.
fn bounds(text: &str) -> (Bounds, &str) {
    let Some((range, rest)) = text.strip_prefix('(').and_then(|inside| inside.split_once(')'))
    else {
        return ((None, None), text);
    };
    let (least, most) = range.split_once("..").unwrap();
    let number = |text: &str| (!text.is_empty()).then(|| text.parse().unwrap());
    ((number(least), number(most)), rest)
}
