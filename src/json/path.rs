//! The path of a place in a JSON text.

use core::fmt;

use super::{RawStr, skip};
use crate::cast::index;

/// The path of a place in a JSON text, as in `params.tools[3].name`: the names and the indexes of the members and
/// elements that contain it.
///
/// It is found when it is written, in one pass over the text before the place. Names that are not of letters, digits,
/// `_`, `-` and `/` are written in brackets, as in `params["a b"]`, with the escapes that they have in the text. Of a
/// path that is longer than 64 steps, the first 64 are written, and `…`. The path of the text's outermost value
/// is empty.
///
/// ```
/// use tautline::json::Path;
/// use tautline::{Envelope, Rules};
///
/// let frame = br#"{"jsonrpc":"2.0","id":1,"error":{"code":"-32601","message":"?"}}"#;
/// Envelope::read(frame, &Rules::JSON_RPC).findings(|finding| {
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

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut steps = [Step::BeforeName; MOST_STEPS];
        let mut depth = 0_usize;
        let mut place = skip::Place::before(self.text, 0);
        let end = index(self.offset);
        loop {
            let at = place.at;
            // A container that begins at the place is not part of the path to it, but a name is.
            let is_name = |steps: &[Step<'_>; MOST_STEPS]| {
                let step = depth.checked_sub(1).and_then(|depth| steps.get(depth));
                matches!(step, Some(Step::BeforeName)) && self.text.get(at) == Some(&b'"')
            };
            if at > end || at == end && !is_name(&steps) {
                break;
            }
            let Some(byte) = place.step() else { break };
            // Whitespace around the value, or text that is not JSON.
            place.at = place.at.max(at.wrapping_add(1));
            let step = depth.checked_sub(1).and_then(|depth| steps.get_mut(depth));
            match (byte, step) {
                (b'{' | b'[', _) => {
                    if let Some(step) = steps.get_mut(depth) {
                        *step = if byte == b'{' { Step::BeforeName } else { Step::Index(0) };
                    }
                    depth = depth.wrapping_add(1);
                }
                (b'}' | b']', _) => depth = depth.saturating_sub(1),
                (b'"', Some(step @ Step::BeforeName)) => {
                    let inside = at.wrapping_add(1)..place.at.wrapping_sub(1);
                    *step = Step::Name(RawStr::new(self.text.get(inside).unwrap_or_default()));
                }
                (b',', Some(step @ Step::Name(_))) => *step = Step::BeforeName,
                (b',', Some(Step::Index(index))) => *index = index.wrapping_add(1),
                _ => {}
            }
        }
        let mut is_first = true;
        for step in steps.iter().take(depth) {
            match step {
                Step::BeforeName => {}
                Step::Name(name) if is_plain(name.as_bytes()) => {
                    f.write_str(if is_first { "" } else { "." })?;
                    fmt::Display::fmt(name, f)?;
                }
                Step::Name(name) => {
                    f.write_str("[\"")?;
                    f.write_str(crate::bytes::as_str(name.as_bytes()).unwrap_or_default())?;
                    f.write_str("\"]")?;
                }
                Step::Index(index) => write!(f, "[{index}]")?,
            }
            is_first = false;
        }
        if depth > MOST_STEPS {
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

impl fmt::Debug for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Path({self})")
    }
}

#[cfg(test)]
mod tests {
    use std::format;
    use std::string::ToString;

    use super::Path;

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
    fn texts_that_are_not_json_and_places_outside_do_no_harm() {
        for text in ["", "}", "]]]", "{", "{\"", "[1,", "{\"a\"", "\u{0}", "{:,}"] {
            for offset in [0, 1, 2, 3, 100, u32::MAX] {
                let _path = Path::at(text.as_bytes(), offset).to_string();
            }
        }
        assert_eq!(Path::at(br#"{"a":1}"#, 100).to_string(), "");
    }

    #[test]
    fn a_long_path_is_cut() {
        let text = "[".repeat(200);
        let path = Path::at(text.as_bytes(), 200).to_string();
        assert_eq!(path, "[0]".repeat(64) + "…");
    }
}
