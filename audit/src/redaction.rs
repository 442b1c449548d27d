//! The replacement of values, so that a recording can be shared.
//!
//! A path names a member by the end of its place in a message: names from the outside in, joined by dots. So `token`
//! matches every member of that name, and `params.arguments.token` matches one directly inside `arguments` in `params`.
//! The elements of an array are named by their index. In a name, `*` matches any number of characters, so `*` alone
//! matches any member or element. Case is ignored. After a backslash, a dot, a star or a backslash stands for itself.
//! In doubt, too much is replaced rather than too little.

use std::borrow::Cow;
use std::ops::Range;
use std::{fmt, io};

use tautline::frame::FramingKind;
use tautline::scan::offset_of;
use tautline::stream::Received;
use tautline::{Profile, RawJson};
use tautline_mcp::Role;

use crate::wire::{Wire, WireEvent};

/// The text that takes the place of others.
pub const MARKER: &str = "[redacted]";

/// Returns whether a value begins with the marker, or with one that distinguishes values.
pub(crate) fn is_marked(value: &[u8]) -> bool {
    value.starts_with(b"[redacted")
}

/// The paths of the members whose values are replaced.
#[derive(Clone, Debug)]
pub struct Redaction {
    paths: Vec<Path>,
}

#[derive(Clone, Debug)]
struct Path {
    text: String,
    names: Vec<Vec<Part>>,
}

/// A part of the pattern of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Char(char),
    Any,
}

/// The error for a path that contains an empty name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PathError {
    /// The path.
    pub path: String,
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        write!(f, "a name is empty in the path {path:?}; join names by dots, as in params.token")
    }
}

impl std::error::Error for PathError {}

impl Redaction {
    /// Parses paths.
    ///
    /// # Errors
    ///
    /// Returns an error for the first path in which a name is empty.
    pub fn parse(paths: &[String]) -> Result<Self, PathError> {
        let paths = paths.iter().map(|path| Path::parse(path)).collect::<Result<_, _>>()?;
        Ok(Self { paths })
    }

    /// Returns the paths, as they were written.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(|path| path.text.as_str())
    }

    /// Returns whether the value at this place in a message is replaced.
    pub(crate) fn covers(&self, names: &[&str]) -> bool {
        let mut outer: Vec<Cow<'_, str>> = Vec::new();
        names.iter().any(|name| {
            outer.push(Cow::Borrowed(*name));
            self.paths.iter().any(|path| path.matches(&outer))
        })
    }

    /// Returns a frame with its values replaced; if it is not JSON, the marker alone.
    #[must_use]
    pub fn apply<'buf>(&self, frame: &'buf [u8]) -> Cow<'buf, [u8]> {
        let Ok(value) = RawJson::parse(frame) else { return marker().into() };
        let mut ranges = Vec::new();
        self.find(value, frame, &mut Vec::new(), &mut ranges);
        if ranges.is_empty() {
            return frame.into();
        }
        let mut redacted = Vec::with_capacity(frame.len());
        let mut end = 0;
        for range in ranges {
            redacted.extend_from_slice(frame.get(end..range.start).unwrap_or_default());
            redacted.extend(marker());
            end = range.end;
        }
        redacted.extend_from_slice(frame.get(end..).unwrap_or_default());
        redacted.into()
    }

    /// Finds the values to replace, in order. The recursion is bounded, because parsing limits the depth of the frame.
    fn find<'buf>(
        &self,
        value: RawJson<'buf>,
        frame: &[u8],
        names: &mut Vec<Cow<'buf, str>>,
        ranges: &mut Vec<Range<usize>>,
    ) {
        let mut visit = |name, value: RawJson<'buf>| {
            names.push(name);
            if self.paths.iter().any(|path| path.matches(names)) {
                let start = offset_of(value.as_bytes(), frame).unwrap_or_default();
                ranges.push(start..start + value.as_bytes().len());
            } else {
                self.find(value, frame, names, ranges);
            }
            names.pop();
        };
        for member in value.members().into_iter().flatten() {
            // A name with a lone surrogate is compared as it was written.
            let written = || String::from_utf8_lossy(member.name.escaped_bytes());
            visit(member.name.decode().unwrap_or_else(|_| written()), member.value);
        }
        for (index, element) in value.elements().into_iter().flatten().enumerate() {
            visit(index.to_string().into(), element);
        }
    }

    fn pass_on(
        &self,
        event: &WireEvent<'_>,
        handle: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let (mut line, is_terminated) = match event {
            WireEvent::Frame(frame) => {
                (self.apply(frame.bytes()).into_owned(), frame.is_terminated())
            }
            WireEvent::Other(Received::Oversized { oversized, .. }) => {
                (marker(), oversized.is_terminated())
            }
            // Lines have no other events.
            _ => return Ok(()),
        };
        line.extend(is_terminated.then_some(b'\n'));
        handle(&line)
    }
}

/// Returns the marker as JSON.
fn marker() -> Vec<u8> {
    format!("\"{MARKER}\"").into_bytes()
}

impl Path {
    fn parse(text: &str) -> Result<Self, PathError> {
        let mut names = Vec::new();
        let mut name = Vec::new();
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match c {
                '.' => names.push(std::mem::take(&mut name)),
                '*' => name.push(Part::Any),
                '\\' => name.push(Part::Char(chars.next().unwrap_or('\\'))),
                c => name.push(Part::Char(c)),
            }
        }
        names.push(name);
        if names.iter().any(Vec::is_empty) {
            return Err(PathError { path: text.to_owned() });
        }
        Ok(Self { text: text.to_owned(), names })
    }

    /// Returns whether a list of names, from the outside in, ends with this path.
    fn matches(&self, names: &[Cow<'_, str>]) -> bool {
        let Some(start) = names.len().checked_sub(self.names.len()) else { return false };
        let ends = names.get(start..).unwrap_or_default();
        self.names.iter().zip(ends).all(|(parts, name)| fits(parts, name))
    }
}

/// Returns whether a name fits a pattern. A star matches as few characters as possible, and more if the rest does not
/// match.
fn fits(parts: &[Part], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut next) = (0, 0);
    let mut star = None;
    while let Some(&c) = name.get(at) {
        match parts.get(next) {
            Some(Part::Any) => {
                star = Some((at, next));
                next += 1;
            }
            Some(&Part::Char(part)) if is_same(part, c) => {
                at += 1;
                next += 1;
            }
            _ => {
                let Some((taken, place)) = star else { return false };
                star = Some((taken + 1, place));
                at = taken + 1;
                next = place + 1;
            }
        }
    }
    parts.get(next..).is_some_and(|rest| rest.iter().all(|part| *part == Part::Any))
}

fn is_same(one: char, other: char) -> bool {
    one == other || one.to_lowercase().eq(other.to_lowercase())
}

/// Replaces values in the streams of both sides.
#[derive(Debug)]
pub(crate) struct Redactor {
    redaction: Redaction,
    client: Wire,
    server: Wire,
}

impl Redactor {
    pub fn new(redaction: Redaction, limit: u32) -> Self {
        let wire = || Wire::new(FramingKind::Ndjson, limit, &Profile::JSON_RPC);
        Self { redaction, client: wire(), server: wire() }
    }

    /// Emits the frames that these bytes complete, each with its newline.
    pub fn push(
        &mut self,
        from: Role,
        bytes: &[u8],
        handle: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let (redaction, wire) = self.side(from);
        wire.push(bytes, &mut |event, _| redaction.pass_on(&event, handle))?;
        Ok(())
    }

    /// Ends the stream of a side, and emits what is left of it.
    pub fn finish(
        &mut self,
        from: Role,
        handle: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let (redaction, wire) = self.side(from);
        wire.finish(&mut |event, _| redaction.pass_on(&event, handle))
    }

    fn side(&mut self, from: Role) -> (&Redaction, &mut Wire) {
        let Self { redaction, client, server } = self;
        match from {
            Role::Client => (redaction, client),
            Role::Server => (redaction, server),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PathError, Redaction};

    fn redacted(paths: &[&str], frame: &str) -> String {
        let paths: Vec<String> = paths.iter().map(|&path| path.to_owned()).collect();
        let redaction = Redaction::parse(&paths).unwrap();
        String::from_utf8(redaction.apply(frame.as_bytes()).into_owned()).unwrap()
    }

    /// `R` in the third column stands for the marker.
    #[test]
    fn values_are_replaced_and_nothing_else() {
        for (path, frame, expected) in [
            ("token", r#"{"token": 1 , "a":{"token":[{}]}}"#, r#"{"token": R , "a":{"token":R}}"#),
            ("a.token", r#"{"token":1,"a":{"token":2}}"#, r#"{"token":1,"a":{"token":R}}"#),
            ("p.a.b", r#"{"a":{"b":1},"p":{"a":{"b":2}}}"#, r#"{"a":{"b":1},"p":{"a":{"b":R}}}"#),
            ("*.token", r#"{"token":1,"x":{"token":2}}"#, r#"{"token":1,"x":{"token":R}}"#),
            ("*ke*", r#"{"Access_KEYS":1,"kx":2,"ke":3}"#, r#"{"Access_KEYS":R,"kx":2,"ke":R}"#),
            ("e.*.v", r#"{"e":[{"n":"k","v":"v"},{"v":1}]}"#, r#"{"e":[{"n":"k","v":R},{"v":R}]}"#),
            ("1", "[1,2,3]", "[1,R,3]"),
            // A name that is written in another way, and twice.
            ("token", r#"{"t\u006Fken":1,"token":2}"#, r#"{"t\u006Fken":R,"token":R}"#),
            (r"io\.x/a\*", r#"{"io.x/a*":1,"io.x/ab":2}"#, r#"{"io.x/a*":R,"io.x/ab":2}"#),
            ("É*", r#"{"éa":1}"#, r#"{"éa":R}"#),
            ("none", r#" {"a": "none"}"#, r#" {"a": "none"}"#),
            ("a", r#"{"a":1"#, "R"),
            ("a", "{\"b\":\"\u{0}\"}", "R"),
            ("a*b*c", r#"{"aXbXbc":1,"abcb":2,"abc":3}"#, r#"{"aXbXbc":R,"abcb":2,"abc":R}"#),
            ("x", r#"{"\uD800":{"x":1}}"#, r#"{"\uD800":{"x":R}}"#),
        ] {
            assert_eq!(redacted(&[path], frame), expected.replace('R', "\"[redacted]\""), "{path}");
        }
        let both = redacted(&["a", "b"], r#"{"a":1,"b":2}"#);
        assert_eq!(both, r#"{"a":"[redacted]","b":"[redacted]"}"#);
    }

    #[test]
    fn an_empty_name_is_a_mistake() {
        for path in ["", ".", "a..b", ".a", "a."] {
            let error = Redaction::parse(&[path.to_owned()]).unwrap_err();
            assert_eq!(error, PathError { path: path.to_owned() });
        }
    }
}
