//! The parts of the tables: types, objects and members.

use core::fmt;

use tautline::internal::envelope::Kinds;
#[cfg(not(any(target_os = "none", target_os = "unknown")))]
use tautline::internal::json::Name;
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
    pub method: KnownMethod,
    pub params: Option<&'static Type>,
    pub result: &'static Type,
}

/// The values that are allowed in one place.
#[derive(Debug)]
pub(crate) struct Type {
    kinds: Kinds,
    details: &'static [Detail],
    // Tables have no more than they need where memory is scarce.
    #[cfg(not(any(target_os = "none", target_os = "unknown")))]
    parts: Parts,
}

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

/// The details of a type by the kind of value that they restrict.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    /// The first of the objects.
    pub object: Option<&'static Object>,
    /// Set if the type has several objects.
    pub has_choice: bool,
    /// The type of the members that the object does not name.
    pub others: Option<&'static Type>,
    pub meta: Option<Reserved>,
    /// The type of the elements of an array.
    pub items: Option<&'static Type>,
    /// The maximum number of elements of an array.
    pub most: u32,
    /// Set if strings or numbers are restricted.
    pub has_scalars: bool,
}

impl Parts {
    const fn of(mut details: &'static [Detail]) -> Self {
        let mut parts = Self {
            object: None,
            has_choice: false,
            others: None,
            meta: None,
            items: None,
            most: u32::MAX,
            has_scalars: false,
        };
        while let [detail, rest @ ..] = details {
            match detail {
                Detail::Constants(_) | Detail::Format(_) | Detail::Least(_) | Detail::Most(_) => {
                    parts.has_scalars = true;
                }
                Detail::Items(items) => parts.items = Some(items),
                Detail::Length(most) => parts.most = *most,
                Detail::Members(others) => parts.others = Some(others),
                Detail::Meta(reserved) => parts.meta = Some(*reserved),
                Detail::Object(_) if parts.object.is_some() => parts.has_choice = true,
                Detail::Object(object) => parts.object = Some(object),
            }
            details = rest;
        }
        parts
    }
}

/// An object with known members, at most 32. It may have others.
#[derive(Debug)]
pub(super) struct Object {
    pub members: &'static [Member],
    #[cfg(not(any(target_os = "none", target_os = "unknown")))]
    required: u32,
}

impl Object {
    /// An object without known members.
    pub(super) const OPEN: &'static Self = &Self::new(&[]);

    pub(super) const fn new(members: &'static [Member]) -> Self {
        Self {
            members,
            #[cfg(not(any(target_os = "none", target_os = "unknown")))]
            required: required(members),
        }
    }

    /// Returns the members that are required, one bit each.
    pub(super) const fn required(&self) -> u32 {
        #[cfg(not(any(target_os = "none", target_os = "unknown")))]
        return self.required;
        #[cfg(any(target_os = "none", target_os = "unknown"))]
        required(self.members)
    }
}

/// Returns which of these members are required, one bit each.
const fn required(mut members: &[Member]) -> u32 {
    let mut required = 0;
    while let [before @ .., last] = members {
        required = required << 1 | if last.is_required { 1 } else { 0 };
        members = before;
    }
    required
}

#[derive(Debug)]
pub(super) struct Member {
    pub name: &'static str,
    pub is_required: bool,
    pub of: &'static Type,
    /// The [key](Name::key_of) of the name. It is 0 if the name is too long for one.
    #[cfg(not(any(target_os = "none", target_os = "unknown")))]
    pub key: u128,
}

impl Member {
    const fn new(name: &'static str, is_required: bool, of: &'static Type) -> Self {
        Self {
            name,
            is_required,
            of,
            #[cfg(not(any(target_os = "none", target_os = "unknown")))]
            key: Name::key_of(name),
        }
    }
}

/// Returns a member that is required.
pub(super) const fn must(name: &'static str, of: &'static Type) -> Member {
    Member::new(name, true, of)
}

/// Returns a member that may be absent.
pub(super) const fn may(name: &'static str, of: &'static Type) -> Member {
    Member::new(name, false, of)
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
    pub(super) const fn new(kinds: Kinds, details: &'static [Detail]) -> Self {
        Self {
            kinds,
            details,
            #[cfg(not(any(target_os = "none", target_os = "unknown")))]
            parts: Parts::of(details),
        }
    }

    const fn kinds(&self) -> Kinds {
        self.kinds
    }

    /// Returns the details by the kind of value.
    pub(super) const fn parts(&self) -> Parts {
        #[cfg(not(any(target_os = "none", target_os = "unknown")))]
        return self.parts;
        #[cfg(any(target_os = "none", target_os = "unknown"))]
        Parts::of(self.details)
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
        self.details
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

#[cfg(test)]
mod tests {
    use tautline::internal::envelope::Kinds;

    use super::{Detail, Object, Type, may, must};

    static ANY: Type = Type::new(Kinds::ANY, &[]);

    #[test]
    fn parts_are_the_details_of_each_kind() {
        static FIRST: Object = Object::new(&[may("a", &ANY), must("b", &ANY), must("c", &ANY)]);
        static SECOND: Object = Object::new(&[must("d", &ANY)]);
        assert_eq!((FIRST.required(), SECOND.required(), Object::OPEN.required()), (6, 1, 0));
        static PLAIN: Type =
            Type::new(Kinds::ANY, &[Detail::Members(&ANY), Detail::Object(&FIRST)]);
        let parts = PLAIN.parts();
        assert!(parts.others == Some(&ANY) && !parts.has_choice && !parts.has_scalars);
        assert!(parts.object.is_some_and(|object| core::ptr::eq(object, &FIRST)));
        assert!(parts.items.is_none() && parts.most == u32::MAX);
        static FULL: Type = Type::new(
            Kinds::ANY,
            &[
                Detail::Items(&PLAIN),
                Detail::Length(2),
                Detail::Object(&FIRST),
                Detail::Object(&SECOND),
                Detail::Most(1),
            ],
        );
        let parts = FULL.parts();
        assert!(parts.items == Some(&PLAIN) && parts.most == 2 && parts.others.is_none());
        assert!(parts.object.is_some_and(|object| core::ptr::eq(object, &FIRST)));
        assert!(parts.has_choice && parts.has_scalars);
    }
}
