//! Names that a careless comparison confuses.

use crate::json::RawStr;

/// Returns whether a careless comparison would match the name with this one, or the name is this one. Letters of other
/// scripts that look the same do not count, because no parser confuses them.
#[doc(hidden)]
pub fn resembles(name: RawStr<'_>, known: &str) -> bool {
    let mut rest = known.bytes();
    for c in name.chars() {
        // A parser written in C reads the name up to here.
        if c == Ok('\0') && rest.len() == 0 {
            return true;
        }
        let Ok(c) = c.map(visible) else { return false };
        let Some(c) = c else { continue };
        if rest.next().map(|byte| byte.to_ascii_lowercase().into()) != Some(c) {
            return false;
        }
    }
    rest.next().is_none()
}

/// Returns whether the name [resembles] this one, except for one character that is missing, added or another, or for two
/// neighbours that changed places. The known name is lower-case ASCII.
pub(crate) fn misspells(name: RawStr<'_>, known: &str) -> bool {
    let (mut text, mut length, known) = ([0; LONGEST_MISSPELLED], 0_usize, known.as_bytes());
    for c in name.chars() {
        let Ok(c) = c.map(visible) else { return false };
        let Some(c) = c else { continue };
        let Some(place) = text.get_mut(length) else { return false };
        // No byte of a known name is 0.
        *place = u8::try_from(c).unwrap_or(0);
        length = length.saturating_add(1);
    }
    let text = text.get(..length).unwrap_or_default();
    let is_same = |(byte, known): &(&u8, &u8)| byte == known;
    let before = text.iter().zip(known).take_while(is_same).count();
    let behind = text.iter().rev().zip(known.iter().rev()).take_while(is_same).count();
    let same = before.saturating_add(behind);
    if text.len() != known.len() {
        return text.len().abs_diff(known.len()) == 1 && same >= text.len().min(known.len());
    }
    match text.len().saturating_sub(same) {
        0 | 1 => true,
        2 => match (text.get(before..), known.get(before..)) {
            (Some([a, b, ..]), Some([c, d, ..])) => (a, b) == (d, c),
            _ => false,
        },
        _ => false,
    }
}

/// The maximum number of characters in a name that misspells another.
const LONGEST_MISSPELLED: usize = 16;

/// Returns whether the text contains U+0000, at which parsers written in C end it.
pub(crate) fn contains_nul(text: RawStr<'_>) -> bool {
    text.has_escapes() && text.chars().any(|c| c == Ok('\0'))
}

/// Returns the character as a careless comparison sees it: folded to lower case, or `None` if it is invisible.
pub(crate) fn visible(c: char) -> Option<char> {
    match c {
        '\u{17F}' => Some('s'),
        '\u{212A}' => Some('k'),
        c if is_invisible(c) => None,
        c => Some(c.to_ascii_lowercase()),
    }
}

/// Returns whether the character is invisible: a control character, a space, a joiner, a mark of direction, a filler, a
/// variation selector or a tag.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\0'..=' '
            | '\u{7F}'..='\u{A0}'
            | '\u{AD}'
            | '\u{34F}'
            | '\u{61C}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

#[cfg(test)]
mod tests {
    use super::{contains_nul, misspells, resembles};
    use crate::json::RawJson;

    #[test]
    fn names_are_compared_without_what_is_invisible_and_up_to_nul() {
        for (name, is_like) in [
            (r#""name""#, true),
            (r#""Name""#, true),
            (r#""n\u200bame""#, true),
            (r#""name\u0000""#, true),
            (r#""name\u0000x""#, true),
            (r#""NAME\u0000\ud800""#, true),
            (r#""na\u0000me""#, true),
            (r#""na\u0000""#, false),
            (r#""names""#, false),
            (r#""name\\u0000x""#, false),
            (r#""""#, false),
        ] {
            let text = RawJson::parse(name.as_bytes()).unwrap().string().unwrap();
            assert_eq!(resembles(text, "name"), is_like, "{name}");
        }
    }

    #[test]
    fn a_name_with_one_mistake_is_misspelled() {
        for (name, is_misspelled) in [
            (r#""method""#, true),
            (r#""METHOD""#, true),
            (r#""metod""#, true),
            (r#""ethod""#, true),
            (r#""metho""#, true),
            (r#""methods""#, true),
            (r#""mmethod""#, true),
            (r#""meethod""#, true),
            (r#""mathod""#, true),
            (r#""mehtod""#, true),
            (r#""Emthod""#, true),
            (r#""m\u00e9thod""#, true),
            (r#""me thod""#, true),
            (r#""metd""#, false),
            (r#""methodes""#, false),
            (r#""mtehdo""#, false),
            (r#""mathad""#, false),
            (r#""dohtem""#, false),
            (r#""""#, false),
            (r#""m""#, false),
            (r#""method\ud800""#, false),
            (r#""methodmethodmethod""#, false),
        ] {
            let text = RawJson::parse(name.as_bytes()).unwrap().string().unwrap();
            assert_eq!(misspells(text, "method"), is_misspelled, "{name}");
        }
    }

    #[test]
    fn nul_is_found_where_it_is_one() {
        for (text, has_nul) in [
            (r#""a\u0000""#, true),
            (r#""a\\u0000""#, false),
            (r#""0""#, false),
            (r#""\n""#, false),
        ] {
            let text = RawJson::parse(text.as_bytes()).unwrap().string().unwrap();
            assert_eq!(contains_nul(text), has_nul);
        }
    }
}
