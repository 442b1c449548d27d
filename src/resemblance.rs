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
    use super::{contains_nul, resembles};
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
