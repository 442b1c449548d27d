//! The parameters of tools that HTTP mirrors as `Mcp-Param-*` (2026-07-28, server/tools, `x-mcp-header`).

use core::fmt;

use tautline::json::Kind;
use tautline::{RawJson, RawStr};

/// The maximum number of names in the path of a parameter that [`parameters_of`] finds.
const DEEPEST: usize = 16;

/// A parameter that a tool marks with `x-mcp-header`.
#[derive(Clone, Copy, Debug)]
pub struct Parameter<'a> {
    header: Name<'a>,
    path: &'a [Name<'a>],
}

impl<'a> Parameter<'a> {
    /// Creates a parameter from the value of its `x-mcp-header`, and from the names that lead to it in the `arguments`.
    #[must_use]
    pub const fn new(header: Name<'a>, path: &'a [Name<'a>]) -> Self {
        Self { header, path }
    }

    /// Returns the value of `x-mcp-header`: what follows `Mcp-Param-` in the name of the header.
    #[must_use]
    pub const fn header(&self) -> Name<'a> {
        self.header
    }

    /// Returns the names that lead to the parameter, from the outermost one.
    #[must_use]
    pub const fn path(&self) -> &'a [Name<'a>] {
        self.path
    }
}

/// A name in a schema: plain, or as a string of JSON with its escapes.
#[derive(Clone, Copy, Debug)]
pub struct Name<'a>(Text<'a>);

#[derive(Clone, Copy, Debug)]
enum Text<'a> {
    Plain(&'a str),
    Json(RawStr<'a>),
}

impl<'a> Name<'a> {
    /// Creates a name from its text, without escapes.
    #[must_use]
    pub const fn new(text: &'a str) -> Self {
        Self(Text::Plain(text))
    }

    /// Returns whether this is the name of a member.
    fn is(&self, name: RawStr<'_>) -> bool {
        match self.0 {
            Text::Plain(text) => name == *text,
            Text::Json(text) => name == text,
        }
    }

    /// Returns whether the name of a header ends like this, ignoring case.
    pub(super) fn is_suffix(&self, suffix: &[u8]) -> bool {
        match self.0 {
            Text::Plain(text) => text.as_bytes().eq_ignore_ascii_case(suffix),
            Text::Json(text) => {
                let mut characters = text.chars();
                let is_same = |byte: &u8| {
                    let character = characters.next().and_then(Result::ok);
                    character
                        .is_some_and(|c| c.eq_ignore_ascii_case(&char::from(*byte)) && c.is_ascii())
                };
                suffix.iter().all(is_same) && characters.next().is_none()
            }
        }
    }
}

impl<'a> From<&'a str> for Name<'a> {
    fn from(text: &'a str) -> Self {
        Self::new(text)
    }
}

impl<'a> From<RawStr<'a>> for Name<'a> {
    fn from(text: RawStr<'a>) -> Self {
        Self(Text::Json(text))
    }
}

/// Writes the name. An unpaired surrogate becomes U+FFFD.
impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Text::Plain(text) => f.write_str(text),
            Text::Json(text) => text.chars().try_for_each(|character| {
                fmt::Write::write_char(f, character.unwrap_or(char::REPLACEMENT_CHARACTER))
            }),
        }
    }
}

/// Calls a function with each parameter that the `inputSchema` of a tool marks with `x-mcp-header`.
///
/// Only properties that `properties` alone lead to are found: a mark elsewhere makes the tool invalid, which
/// [`HEADER_ANNOTATION`](crate::rule::HEADER_ANNOTATION) reports. A server that stores the parameters of its tools needs
/// neither the schemas nor this function again.
///
/// Returns `false` if a property is nested more than 16 levels deep, so that not all were found. The tool is then to be
/// treated as [unknown](super::Tool::Unknown).
///
/// ```
/// use tautline_mcp::{RawJson, http};
///
/// let schema = RawJson::parse(br#"{"type":"object","properties":{
///     "place":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}}"#).unwrap();
/// let mut found = String::new();
/// http::parameters_of(schema, &mut |parameter| {
///     let path: Vec<_> = parameter.path().iter().map(ToString::to_string).collect();
///     found += &format!("Mcp-Param-{} is {}", parameter.header(), path.join("."));
/// });
/// assert_eq!(found, "Mcp-Param-Region is place.region");
/// ```
pub fn parameters_of(schema: RawJson<'_>, visit: &mut dyn FnMut(&Parameter<'_>)) -> bool {
    // The properties that are left at each level, and the names that lead there.
    let mut open = [const { None }; DEEPEST];
    let mut path = [Name::new(""); DEEPEST];
    let (mut depth, mut is_complete) = (0_usize, true);
    if let Some(first) = open.first_mut() {
        *first = properties(schema);
    }
    loop {
        let next = open.get_mut(depth).and_then(Option::as_mut).and_then(Iterator::next);
        let Some(property) = next else {
            let Some(outer) = depth.checked_sub(1) else { return is_complete };
            depth = outer;
            continue;
        };
        if property.value.kind() != Kind::Object {
            continue;
        }
        if let Some(name) = path.get_mut(depth) {
            *name = property.name.into();
        }
        let inner = depth.wrapping_add(1);
        if let Some(header) =
            property.value.member("x-mcp-header").and_then(|header| header.string())
        {
            visit(&Parameter::new(header.into(), path.get(..inner).unwrap_or_default()));
        }
        if let Some(members) = properties(property.value) {
            match open.get_mut(inner) {
                Some(place) => {
                    *place = Some(members);
                    depth = inner;
                }
                None => is_complete = false,
            }
        }
    }
}

/// Returns an iterator over the properties that a schema has.
fn properties(of: RawJson<'_>) -> Option<tautline::json::Members<'_>> {
    of.member("properties")?.members()
}

/// The value at the path of a parameter.
pub(super) enum Argument<'buf> {
    Absent,
    Value(RawJson<'buf>),
    /// A member on the way is there more than once, and this is its second name.
    Repeated(RawStr<'buf>),
}

impl<'buf> Argument<'buf> {
    /// Follows a path into the arguments. Null counts as absent.
    pub(super) fn at(arguments: Option<RawJson<'buf>>, path: &[Name<'_>]) -> Self {
        let Some(mut value) = arguments else { return Self::Absent };
        for name in path {
            let mut found = None;
            for member in
                value.members().into_iter().flatten().filter(|member| name.is(member.name))
            {
                if found.replace(member.value).is_some() {
                    return Self::Repeated(member.name);
                }
            }
            let Some(found) = found else { return Self::Absent };
            value = found;
        }
        if value.is_null() { Self::Absent } else { Self::Value(value) }
    }
}

#[cfg(test)]
mod tests {
    use std::format;
    use std::string::{String, ToString};
    use std::vec::Vec;

    use tautline::RawJson;

    use super::{Name, parameters_of};

    fn found(schema: &str) -> (Vec<String>, bool) {
        let mut found = Vec::new();
        let is_complete =
            parameters_of(RawJson::parse(schema.as_bytes()).unwrap(), &mut |parameter| {
                let path: Vec<_> = parameter.path().iter().map(ToString::to_string).collect();
                found.push(format!("{}={}", parameter.header(), path.join("/")));
            });
        (found, is_complete)
    }

    #[test]
    fn properties_alone_lead_to_parameters() {
        let schema = r#"{"x-mcp-header":"Root","properties":{"a":{"x-mcp-header":"A"},"b":{"properties":{
            "c":{"x-mcp-header":"C","properties":{"d":{"x-mcp-header":"D"}}},"e":7,"f":{}}},
            "g":{"items":{"properties":{"h":{"x-mcp-header":"H"}}}},"i":{"x-mcp-header":1},
            "\u006a":{"x-mcp-header":"\u004a"}},"$defs":{"k":{"x-mcp-header":"K"}}}"#;
        assert_eq!(
            found(schema),
            (["A=a", "C=b/c", "D=b/c/d", "J=j"].map(String::from).to_vec(), true)
        );
        assert_eq!(found("{}"), (Vec::new(), true));
        assert_eq!(found("true"), (Vec::new(), true));
    }

    #[test]
    fn what_is_too_deep_is_reported() {
        let nested = |levels: usize| {
            let inner = r#"{"properties":{"a":"#.repeat(levels);
            format!(r#"{inner}{{"x-mcp-header":"A"}}{}"#, "}}".repeat(levels))
        };
        assert_eq!(found(&nested(16)).0.len(), 1);
        assert!(found(&nested(16)).1);
        assert_eq!(found(&nested(17)), (Vec::new(), false));
    }

    #[test]
    fn suffixes_match_without_case() {
        let json = RawJson::parse(br#""Re\u0067ion""#).unwrap().string().unwrap();
        for name in [Name::new("Region"), json.into()] {
            assert!(name.is_suffix(b"REGION") && name.is_suffix(b"region"));
            assert!(
                !name.is_suffix(b"Regio") && !name.is_suffix(b"Regions") && !name.is_suffix(b"")
            );
        }
        // The Kelvin sign is no k.
        let kelvin = RawJson::parse("\"\u{212a}\"".as_bytes()).unwrap().string().unwrap();
        assert!(!Name::from(kelvin).is_suffix(b"k"));
    }
}
