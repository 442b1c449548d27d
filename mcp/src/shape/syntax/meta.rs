//! The keys of `_meta`.

use tautline::{RawStr, Rule};

use crate::rule;
use crate::shape::table::Reserved;

/// The prefix of the keys that revisions and official extensions define.
const OFFICIAL: &str = "io.modelcontextprotocol";

/// Returns the rule that a key of `_meta` breaks (basic, `_meta`).
pub(in crate::shape) fn broken_by(key: RawStr<'_>, reserved: Reserved) -> Option<Rule> {
    let mut characters = key.chars();
    let (mut slashes, mut is_decoded) = (0_u32, true);
    for character in characters.by_ref() {
        slashes = slashes.saturating_add(u32::from(character == Ok('/')));
        is_decoded &= character.is_ok();
    }
    if !is_decoded || slashes > 1 {
        return Some(rule::META_KEY);
    }
    let mut rest = key.chars().flatten();
    if slashes == 1 {
        match prefix(&mut rest, reserved) {
            None => return Some(rule::META_KEY),
            Some(true) if !is_official(key) => return Some(rule::META_PREFIX_RESERVED),
            Some(_) => {}
        }
    }
    (!is_name(rest)).then_some(rule::META_KEY)
}

/// Returns whether the text is the id of an extension: a name as in `_meta`, but with a prefix (2026-07-28,
/// basic/versioning, extension negotiation).
pub(in crate::shape) fn is_extension_id(text: RawStr<'_>) -> bool {
    let is_decoded = text.chars().all(|character| character.is_ok());
    let mut rest = text.chars().flatten();
    is_decoded && prefix(&mut rest, Reserved::SecondLabel).is_some() && is_name(rest)
}

/// Reads a prefix and its slash. Returns whether it is reserved, or `None` if it is not a prefix.
fn prefix(characters: &mut impl Iterator<Item = char>, reserved: Reserved) -> Option<bool> {
    let (mut label, mut number, mut is_reserved) = (Label::EMPTY, 0_u32, false);
    // True if the label before this one is one of MCP.
    let mut follows = false;
    loop {
        let character = characters.next()?;
        if !matches!(character, '.' | '/') {
            label.add(character)?;
            continue;
        }
        if !label.is_complete() {
            return None;
        }
        is_reserved |= match reserved {
            Reserved::AnyLabelButTheLast => follows,
            Reserved::SecondLabel => number == 1 && label.is_of_mcp(),
        };
        follows = label.is_of_mcp();
        if character == '/' {
            return Some(is_reserved);
        }
        number = number.saturating_add(1);
        label = Label::EMPTY;
    }
}

/// A part of a prefix, between two dots.
struct Label {
    length: usize,
    last: char,
    /// Bits for the names of MCP that the label is the beginning of.
    names: u8,
}

impl Label {
    const NAMES: [&str; 2] = ["mcp", "modelcontextprotocol"];
    const EMPTY: Self = Self { length: 0, last: '-', names: 0b11 };

    /// Adds a character, if it may follow.
    fn add(&mut self, character: char) -> Option<()> {
        let is_first = self.length == 0;
        let may_follow = character.is_ascii_alphabetic()
            || !is_first && (character.is_ascii_digit() || character == '-');
        if !may_follow {
            return None;
        }
        for (name, bit) in Self::NAMES.iter().zip([1, 2]) {
            let expected = name.as_bytes().get(self.length).copied().map(char::from);
            if expected != Some(character) {
                self.names &= !bit;
            }
        }
        self.last = character;
        self.length = self.length.saturating_add(1);
        Some(())
    }

    /// Returns whether the label has a beginning, and ends as it must.
    const fn is_complete(&self) -> bool {
        self.last.is_ascii_alphanumeric()
    }

    fn is_of_mcp(&self) -> bool {
        let [short, long] = Self::NAMES.map(str::len);
        self.names & 1 != 0 && self.length == short || self.names & 2 != 0 && self.length == long
    }
}

/// Returns whether the text is empty, or a name that begins and ends with a letter or digit.
fn is_name(characters: impl Iterator<Item = char>) -> bool {
    let mut ends = None;
    for character in characters {
        if !character.is_ascii_alphanumeric() && !matches!(character, '-' | '_' | '.') {
            return false;
        }
        let (first, _) = ends.unwrap_or((character, character));
        ends = Some((first, character));
    }
    ends.is_none_or(|(first, last)| first.is_ascii_alphanumeric() && last.is_ascii_alphanumeric())
}

/// Returns whether the prefix of a key is the prefix of MCP itself.
fn is_official(key: RawStr<'_>) -> bool {
    let prefix = key.chars().flatten().take_while(|character| *character != '/');
    prefix.eq(OFFICIAL.chars())
}

#[cfg(test)]
mod tests {
    use std::format;

    use tautline::Rule;

    use super::super::tests::text;
    use super::{Reserved, broken_by};
    use crate::rule;

    #[track_caller]
    fn check(reserved: Reserved, keys: &[&str], expected: Option<Rule>) {
        for key in keys {
            assert_eq!(broken_by(text(&format!("\"{key}\"")), reserved), expected, "{key}");
        }
    }

    #[test]
    fn a_key_has_a_name_and_maybe_a_prefix() {
        for reserved in [Reserved::AnyLabelButTheLast, Reserved::SecondLabel] {
            check(
                reserved,
                &[
                    "",
                    "a",
                    "traceparent",
                    "a-b_c.d",
                    "9",
                    "com.example/",
                    "com.example/a",
                    "a1-b/c",
                    "x/9",
                    "\\u0061",
                    "a\\/b",
                ],
                None,
            );
            check(
                reserved,
                &[
                    "-a",
                    "a-",
                    "_a",
                    "a.",
                    "a b",
                    "ä",
                    "/a",
                    "a./b",
                    ".a/b",
                    "1a/b",
                    "a-/b",
                    "a/b/c",
                    "a_b/c",
                    "a..b/c",
                    "\\ud800",
                    "-/a",
                    "com.example/-",
                ],
                Some(rule::META_KEY),
            );
        }
    }

    #[test]
    fn some_prefixes_belong_to_mcp() {
        let (own, reserved) = (None, Some(rule::META_PREFIX_RESERVED));
        let old = Reserved::AnyLabelButTheLast;
        check(
            old,
            &["modelcontextprotocol.io/a", "mcp.dev/a", "api.mcp.dev/", "com.mcp.tools/x"],
            reserved,
        );
        check(old, &["com.example.mcp/a", "mcp/a", "io.modelcontextprotocol/a", "mcp2.dev/a"], own);
        let new = Reserved::SecondLabel;
        check(new, &["dev.mcp/a", "org.modelcontextprotocol.api/a", "com.mcp.tools/a"], reserved);
        check(
            new,
            &["com.example.mcp/a", "mcp.dev/a", "io.modelcontextprotocol/related-task", "a.mcpx/b"],
            own,
        );
    }
}
