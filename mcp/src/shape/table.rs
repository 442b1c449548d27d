//! The parts of the tables: types, objects and members.

use core::fmt;

use tautline::internal::envelope::Kinds;
use tautline::json::Kind;

use crate::{KnownMethod, Revision};

/// The shapes of the payloads of one revision.
#[derive(Debug)]
pub struct Shapes {
    pub(super) revision: Revision,
    pub(super) requests: &'static [RequestShape],
    pub(super) notifications: &'static [(KnownMethod, &'static Type)],
    pub(super) errors: &'static [(i32, &'static Type)],
    /// The values of `resultType` that the schema knows, if results have that member. Extensions may add others.
    pub(super) result_types: &'static [&'static str],
}

/// The payload of a request and of the response to it.
#[derive(Debug)]
pub(super) struct RequestShape {
    pub(super) method: KnownMethod,
    pub(super) params: Option<&'static Type>,
    pub(super) result: &'static Type,
}

/// The values that are allowed in one place.
#[derive(Debug)]
pub(crate) struct Type(pub(super) Kinds, pub(super) &'static [Detail]);

/// Types are equal if they are the same row of a table. A type may contain itself.
impl PartialEq for Type {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self, other)
    }
}

impl Eq for Type {}

/// A restriction of the values of one kind.
#[derive(Debug)]
pub(super) enum Detail {
    /// Strings are among these.
    Constants(&'static [&'static str]),
    /// Strings have this syntax.
    Format(Format),
    /// Numbers are not below this.
    Least(i32),
    /// Numbers are not above this.
    Most(i32),
    /// Elements of an array have this type.
    Items(&'static Type),
    /// Arrays have no more elements than this.
    Length(u32),
    /// Members of an object have this type.
    Members(&'static Type),
    /// Names of members are keys of `_meta`.
    Meta(Reserved),
    /// Objects are like this, or like another one of the same type.
    Object(&'static Object),
}

/// The syntax of a string: a format of the schema (JSON Schema, validation, section 7), or one that the specification
/// describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// A URI (RFC 3986), with its scheme.
    Uri,
    /// A template of URIs (RFC 6570).
    UriTemplate,
    /// The URI of a file (RFC 8089).
    RootUri,
    /// A URI from which an icon is safe to load.
    IconUri,
    /// Base64 (RFC 4648, section 4).
    Base64,
    /// A media type (RFC 6838, section 4.2).
    MediaType,
    /// The name of a tool (server/tools, tool names).
    ToolName,
    /// A date, and maybe a time (ISO 8601).
    Timestamp,
    /// The same, in an annotation.
    LastModified,
}

/// The prefixes that a revision reserves for MCP. The reserved labels are `modelcontextprotocol` and `mcp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reserved {
    /// Prefixes with a reserved label before the last label (2025-06-18).
    AnyLabelButTheLast,
    /// Prefixes whose second label is reserved (since 2025-11-25).
    SecondLabel,
}

/// An object with known members, at most 32. It may have others.
#[derive(Debug)]
pub(super) struct Object(pub(super) &'static [Member]);

#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: &'static str,
    pub(super) is_required: bool,
    pub(super) of: &'static Type,
}

/// Returns a member that is required.
pub(super) const fn must(name: &'static str, of: &'static Type) -> Member {
    Member { name, is_required: true, of }
}

/// Returns a member that may be absent.
pub(super) const fn may(name: &'static str, of: &'static Type) -> Member {
    Member { name, is_required: false, of }
}

/// Returns the shape of a request and its response.
pub(super) const fn request(
    method: KnownMethod,
    params: Option<&'static Type>,
    result: &'static Type,
) -> RequestShape {
    RequestShape { method, params, result }
}

impl Type {
    const fn kinds(&self) -> Kinds {
        self.0
    }

    /// Returns whether values of this kind have the type. `is_integer` is called for a number, if that matters.
    pub(super) fn allows(&self, kind: Kind, is_integer: impl FnOnce() -> bool) -> bool {
        let kinds = self.kinds();
        match kind {
            Kind::Null => kinds.contains(Kinds::NULL),
            Kind::Bool => kinds.contains(Kinds::BOOL),
            Kind::Number => {
                kinds.contains(Kinds::NUMBER) || kinds.contains(Kinds::INTEGER) && is_integer()
            }
            Kind::String => kinds.contains(Kinds::STRING),
            Kind::Array => kinds.contains(Kinds::ARRAY),
            Kind::Object => kinds.contains(Kinds::OBJECT),
        }
    }

    pub(super) const fn details(&self) -> &'static [Detail] {
        self.1
    }

    /// Returns the allowed strings, or `None` if all strings are allowed.
    pub(super) fn constants(&self) -> Option<&'static [&'static str]> {
        self.details().iter().find_map(|detail| match detail {
            Detail::Constants(constants) => Some(*constants),
            _ => None,
        })
    }

    /// Returns the allowed objects. There are none if all objects are allowed.
    pub(super) fn objects(&self) -> impl Iterator<Item = &'static Object> + Clone + use<> {
        self.details().iter().filter_map(|detail| match detail {
            Detail::Object(object) => Some(*object),
            _ => None,
        })
    }
}

impl fmt::Display for Type {
    /// Writes the allowed values, as in `a string or an integer`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: &[(Kinds, &str)] = &[
            (Kinds::OBJECT, "an object"),
            (Kinds::ARRAY, "an array"),
            (Kinds::STRING, "a string"),
            (Kinds::NUMBER, "a number"),
            (Kinds::INTEGER, "an integer"),
            (Kinds::BOOL, "a boolean"),
            (Kinds::NULL, "null"),
        ];
        let is_number = self.kinds().contains(Kinds::NUMBER);
        let shown = |kinds: &Kinds| {
            self.kinds().contains(*kinds) && !(is_number && *kinds == Kinds::INTEGER)
        };
        let mut left = NAMES.iter().filter(|(kinds, _)| shown(kinds)).count();
        let total = left;
        for (_, name) in NAMES.iter().filter(|(kinds, _)| shown(kinds)) {
            f.write_str(match left {
                _ if left == total => "",
                1 => " or ",
                _ => ", ",
            })?;
            f.write_str(name)?;
            left = left.saturating_sub(1);
        }
        Ok(())
    }
}
