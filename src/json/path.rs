//! The paths of places in a JSON text.

use core::fmt;
use core::ops::Range;

use super::{RawStr, skip};
use crate::cast::index;

/// The path of a place in a JSON text, as in `params.tools[3].name`: the names and the indexes of the members and
/// elements that contain it.
///
/// It is found when it is written, in one pass over the text before the place. [`Paths`] finds many in one pass.
///
/// Empty names, and names with characters other than letters, digits, `_`, `-`, `/` and `$`, are written in brackets,
/// as in `params["a b"]`, with the escapes that they have in the text. A path of more than 64 steps ends after the
/// first 64 with `…`. The path of the text's outermost value is empty.
///
/// ```
/// use tautline::json::Path;
/// use tautline::{Envelope, Profile};
///
/// let frame = br#"{"jsonrpc":"2.0","id":1,"error":{"code":"-32601","message":"?"}}"#;
/// Envelope::read(frame, &Profile::JSON_RPC).findings(|finding| {
///     assert_eq!(Path::at(frame, finding.offset()).to_string(), "error.code");
/// });
/// ```
#[derive(Clone, Copy)]
pub struct Path<'buf> {
    text: &'buf [u8],
    offset: u32,
}

/// The length of the longest path that is written.
const MOST_STEPS: usize = 64;

/// A container that ends within this many bytes is skipped. The path leads into others, or past their parts.
const NEAR: usize = 2048;

/// The number of bytes in which the ends of containers may be looked for without success, besides as many as the steps
/// go over.
const FREE: usize = 16 * NEAR;

impl<'buf> Path<'buf> {
    /// Returns the path of the value or the name at an offset in a text.
    ///
    /// Nothing is allocated. If the text is not JSON, the path ends where the text stops being JSON, or has a wrong
    /// step from there on.
    #[must_use]
    pub const fn at(text: &'buf [u8], offset: u32) -> Self {
        Self { text, offset }
    }
}

/// The paths of many places in a text, found in one pass if the places are in ascending order.
///
/// ```
/// use tautline::json::Paths;
///
/// let text = br#"{"a":[1,{"b":true}]}"#;
/// let mut paths = Paths::new(text);
/// let found: Vec<String> = [6, 13].map(|offset| paths.seek(offset).to_string()).into();
/// assert_eq!(found, ["a[0]", "a[1].b"]);
/// ```
#[derive(Clone)]
pub struct Paths<'buf> {
    text: &'buf [u8],
    place: skip::Place<'buf>,
    steps: [Step<'buf>; MOST_STEPS],
    depth: usize,
}

/// A container around the place, and where in it the place is.
#[derive(Clone, Copy)]
enum Step<'buf> {
    /// In an object, before the first name or after a comma.
    BeforeName,
    /// In the member with this name.
    Name(RawStr<'buf>),
    /// In the element with this index.
    Index(u32),
}

impl<'buf> Paths<'buf> {
    /// Creates paths that lead to the start of the text.
    #[must_use]
    pub const fn new(text: &'buf [u8]) -> Self {
        let place = skip::Place::before(text, 0);
        Self { text, place, steps: [Step::BeforeName; MOST_STEPS], depth: 0 }
    }

    /// Finds the path of the value or the name at an offset, which is then written by `Display`. See
    /// [`Path`] for what it looks like.
    ///
    /// The work grows with the distance from the place before. If the offset is before that, or inside the name that
    /// begins there, the text is read again from its start.
    pub fn seek(&mut self, offset: u32) -> &Self {
        let end = index(offset);
        if end < self.place.at {
            *self = Self::new(self.text);
        }
        // As local variables, they are not stored after each token.
        let (mut place, mut depth) = (self.place.clone(), self.depth);
        // Work remains linear: searches of no use read little more than the steps.
        let (begin, mut useless) = (place.at, 0_usize);
        while place.at < end || place.at == end && self.is_before_name(place.at, depth) {
            let at = place.at;
            let mut next = place.clone();
            let Some(byte) = next.step() else { break };
            if matches!(byte, b'{' | b'[')
                && !matches!(self.text.get(next.at), Some(b'}' | b']'))
                && depth > 1
                && useless <= at.wrapping_sub(begin).saturating_add(FREE)
            {
                if let Some(after) = next.past_container(byte, NEAR).filter(|after| *after <= end) {
                    place.at = after;
                    continue;
                }
                useless = useless.saturating_add(NEAR);
            }
            // Whitespace around the value, or text that is not JSON.
            next.at = next.at.max(at.wrapping_add(1));
            // A place within a string or a number belongs to it, and so does the next place.
            if next.at > end && !self.is_before_name(at, depth) {
                break;
            }
            place = next;
            depth = self.take(byte, at..place.at, depth);
        }
        (self.place, self.depth) = (place, depth);
        self
    }

    /// A container that begins at the place is not part of the path to it, but a name is.
    fn is_before_name(&self, at: usize, depth: usize) -> bool {
        let step = depth.checked_sub(1).and_then(|depth| self.steps.get(depth));
        matches!(step, Some(Step::BeforeName)) && self.text.get(at) == Some(&b'"')
    }

    /// Goes past the token that begins with this byte, and returns the depth after it.
    #[inline]
    fn take(&mut self, byte: u8, token: Range<usize>, depth: usize) -> usize {
        match byte {
            b'{' | b'[' => {
                if let Some(step) = self.steps.get_mut(depth) {
                    *step = if byte == b'{' { Step::BeforeName } else { Step::Index(0) };
                }
                return depth.wrapping_add(1);
            }
            b'}' | b']' => return depth.saturating_sub(1),
            b'"' | b',' => {}
            _ => return depth,
        }
        let step = depth.checked_sub(1).and_then(|depth| self.steps.get_mut(depth));
        match (byte, step) {
            (b'"', Some(step @ Step::BeforeName)) => {
                let inside = token.start.wrapping_add(1)..token.end.wrapping_sub(1);
                *step = Step::Name(RawStr::new(self.text.get(inside).unwrap_or_default()));
            }
            (b',', Some(step @ Step::Name(_))) => *step = Step::BeforeName,
            (b',', Some(Step::Index(index))) => *index = index.wrapping_add(1),
            _ => {}
        }
        depth
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(Paths::new(self.text).seek(self.offset), f)
    }
}

impl fmt::Display for Paths<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut is_first = true;
        for step in self.steps.iter().take(self.depth) {
            match step {
                Step::BeforeName => {}
                Step::Name(name) => {
                    let name = name.escaped_bytes();
                    let (before, after) = match is_plain(name) {
                        true if is_first => ("", ""),
                        true => (".", ""),
                        false => ("[\"", "\"]"),
                    };
                    f.write_str(before)?;
                    f.write_str(crate::bytes::as_str(name).unwrap_or_default())?;
                    f.write_str(after)?;
                }
                Step::Index(index) => write!(f, "[{index}]")?,
            }
            is_first = false;
        }
        if self.depth > MOST_STEPS {
            f.write_str("…")?;
        }
        Ok(())
    }
}

/// Returns whether the name is written without quotes.
fn is_plain(name: &[u8]) -> bool {
    let is_such =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/' | b'$');
    !name.is_empty() && name.iter().all(is_such)
}

impl fmt::Debug for Paths<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Paths({self})")
    }
}

impl fmt::Debug for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Path({self})")
    }
}

#[cfg(test)]
mod tests {
    use std::format;
    use std::string::{String, ToString};
    use std::time::Instant;
    use std::vec::Vec;

    use super::{Path, Paths};
    use crate::RawJson;

    /// Checks the path of the place before the mark.
    #[track_caller]
    fn check(marked: &str, path: &str) {
        let (before, after) = marked.split_once('^').unwrap();
        let text = format!("{before}{after}");
        assert_eq!(Path::at(text.as_bytes(), before.len() as u32).to_string(), path, "{marked}");
    }

    #[test]
    fn names_and_indexes_lead_to_the_place() {
        check(r#"^{"a":1}"#, "");
        check(r#"  ^{"a":1}"#, "");
        check(r#"{^"a":1}"#, "a");
        check(r#"{"a":^1}"#, "a");
        check(r#"{"a":1,^"b":2}"#, "b");
        check(r#"{"a":1, "b" : ^{"c":2}}"#, "b");
        check(r#"{"a":{"x":[1,{"y":"},[\""}]},"b":{"c":[0,[1,^2]]}}"#, "b.c[1][1]");
        check(r#"{"a":[1,2,^{"x":1}]}"#, "a[2]");
        check(r#"[{"params":{^"n m":1}}]"#, r#"[0].params["n m"]"#);
        check(r#"{"a":{"\u0062":^1}}"#, r#"a["\u0062"]"#);
        check(r#"{"":{"io.x/y":^1}}"#, r#"[""]["io.x/y"]"#);
        check(r#"{"a":"b^c"}"#, "a");
        check(r#"{"a":1234^5}"#, "a");
    }

    #[test]
    fn many_paths_are_those_of_each_place_by_itself() {
        let text = br#" {"a":[1,{"b":"c,[d"},[]],"x y":{"z":{}},"e":[[0,-12,"f"]], "g" : null} "#;
        let forward = 0..text.len() as u32 + 3;
        let mut paths = Paths::new(text);
        for offset in forward.clone().chain(forward.clone().rev()).chain(forward.step_by(7)) {
            let alone = Path::at(text, offset).to_string();
            assert_eq!(paths.seek(offset).to_string(), alone, "{offset}");
        }
    }

    /// Collects the paths of the names and values inside a value, which begins at an offset.
    fn collect(value: RawJson<'_>, at: usize, path: &str, found: &mut Vec<(u32, String)>) {
        found.push((at as u32, path.into()));
        if let Some(mut members) = value.members() {
            while let Some((name_at, value_at, member)) = members.next_places() {
                let path =
                    format!("{path}{}{}", if path.is_empty() { "" } else { "." }, member.name);
                found.push(((at + name_at) as u32, path.clone()));
                collect(member.value, at + value_at, &path, found);
            }
        }
        if let Some(mut elements) = value.elements() {
            let mut index = 0;
            while let Some((element_at, element)) = elements.next_at() {
                collect(element, at + element_at, &format!("{path}[{index}]"), found);
                index += 1;
            }
        }
    }

    /// Containers are shorter or longer than those that are skipped at once, and end before, at and after the place.
    #[test]
    fn containers_of_all_lengths_are_passed() {
        let mut text = r#"{"q":"}]","e":{}}"#.to_string();
        for turn in 0..22 {
            let long = "x".repeat(turn * 30);
            text = match turn % 3 {
                0 => format!(r#"{{"a":{text},"b":[{text},{{"c":["{long}"]}}],"d":[]}}"#),
                1 => format!(r#"[1,{{}},[{text}],{{"s":"{long}"}}]"#),
                _ => format!(r#"{{"k":[{{"n":{{"m":{text}}}}},"{{[\""],"l":2}}"#),
            };
        }
        let mut found = Vec::new();
        collect(RawJson::parse(text.as_bytes()).unwrap(), 0, "", &mut found);
        assert!(found.len() > 1000 && text.len() > 20 * super::NEAR, "{}", text.len());
        let mut paths = Paths::new(text.as_bytes());
        for (offset, path) in &found {
            assert_eq!(paths.seek(*offset).to_string(), *path, "{offset}");
        }
        for (offset, path) in found.iter().step_by(7) {
            assert_eq!(Path::at(text.as_bytes(), *offset).to_string(), *path, "{offset}");
        }
    }

    #[test]
    fn texts_that_are_not_json_and_places_outside_do_no_harm() {
        for text in ["", "}", "]]]", "{", "{\"", "[1,", "{\"a\"", "\u{0}", "{:,}"] {
            for offset in [0, 1, 2, 3, 100, u32::MAX] {
                let _path = Path::at(text.as_bytes(), offset).to_string();
            }
        }
        assert_eq!(Path::at(br#"{"a":1}"#, 100).to_string(), "");
    }

    /// No container of this text ends near its beginning. To search for the end of each takes about 100 times as long.
    #[test]
    fn useless_searches_are_few() {
        let time = |text: &str| {
            let times = (0..5).map(|_| {
                let begun = Instant::now();
                let _paths = Paths::new(text.as_bytes()).seek(text.len() as u32);
                begun.elapsed()
            });
            times.min().unwrap()
        };
        let [brackets, commas] =
            ["[", ","].map(|byte| time(&format!("[[{}", byte.repeat(100_000))));
        assert!(brackets < 8 * commas, "{brackets:?}, and {commas:?} without searches");
    }

    #[test]
    fn a_long_path_is_cut() {
        let text = "[".repeat(200);
        let path = Path::at(text.as_bytes(), 200).to_string();
        assert_eq!(path, "[0]".repeat(64) + "…");
    }
}
