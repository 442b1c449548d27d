//! Cursors (server/utilities/pagination).

use alloc::string::String;

use super::{Answer, Conversation, Notice, Params, name, text};
use crate::{Era, KnownMethod, Role, rule};

impl Conversation {
    /// Keeps the cursor in a result that side `to` receives.
    pub(super) fn keep_cursor(
        &mut self,
        to: Role,
        method: Option<KnownMethod>,
        answer: &Answer<'_>,
    ) {
        if let (Some(method), Some(cursor)) = (method, text(answer.next_cursor)) {
            self.cursor_forms.insert(key(to, method, &plain(&cursor)), ());
            self.cursors.insert(key(to, method, &cursor), ());
        }
    }

    /// Checks that a cursor is one that was given or, since 2026-07-28, that it is not an encoded or trimmed form of one:
    /// others may then come from an earlier session.
    pub(super) fn check_cursor(
        &self,
        from: Role,
        (method, era): (Option<KnownMethod>, Era),
        params: &Params<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        let (Some(method), Some(member)) = (method, params.cursor) else { return };
        let Some(cursor) = text(Some(member)) else { return };
        let is_judged = match era {
            Era::Legacy => self.is_whole,
            Era::Modern => self.cursor_forms.get(&key(from, method, &plain(&cursor))).is_some(),
        };
        if is_judged && self.cursors.surely_lacks(&key(from, method, &cursor)) {
            notice.at(rule::CURSOR_UNKNOWN, member.at);
        }
    }
}

fn key(side: Role, method: KnownMethod, cursor: &str) -> String {
    name(&[side.name(), method.name(), cursor])
}

/// Returns a cursor in a plain form: URL escapes are resolved, the URL-safe characters of Base64 are replaced, and
/// spaces and the padding of Base64 are removed.
fn plain(cursor: &str) -> String {
    let mut plain = String::with_capacity(cursor.len());
    let mut characters = cursor.chars();
    while let Some(character) = characters.next() {
        let character = match character {
            '%' => {
                let mut rest = characters.clone();
                let digits = [rest.next(), rest.next()]
                    .map(|digit| digit.and_then(|digit| digit.to_digit(16)));
                match digits {
                    [Some(high), Some(low)] => {
                        characters = rest;
                        let byte = high.wrapping_mul(16).wrapping_add(low);
                        char::from_u32(byte).unwrap_or(character)
                    }
                    _ => character,
                }
            }
            '-' => '+',
            '_' => '/',
            character => character,
        };
        if !character.is_whitespace() && character != '=' {
            plain.push(character);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn encodings_of_a_cursor_have_one_form() {
        for (one, other) in
            [("eyJ+/w==", "eyJ-_w"), ("a b=", "a%20b%3D"), ("%3", "%3"), ("page:2", " page%3A2 ")]
        {
            assert_eq!(plain(one), plain(other), "{one}");
        }
        for (one, other) in [("a", "A"), ("2", "3"), ("page2", "page:2")] {
            assert_ne!(plain(one), plain(other), "{one}");
        }
    }
}
