//! A second look at the names of an object: which ones repeat, which ones nobody can compare, and which
//! ones look alike.
//!
//! Only an object that has a member twice, or one that means nothing, is looked at again, and only for
//! those who want to hear of more than the first fault.

use core::ops::ControlFlow;

use super::Rule;
use super::judge::Flow;
use super::member::{Member, Set};
use crate::cast::u32_from;
use crate::json::{Glance, RawJson, RawStr};
use crate::scan::{Level, Span};

/// Reports each member behind this place that was there before, with the place of its name.
pub(super) fn duplicates_behind(
    place: u32,
    frame: &[u8],
    object: Span,
    level: Level,
    report: &mut dyn FnMut(Rule, u32) -> Flow,
) -> Flow {
    let mut seen = Set::default();
    each(frame, object, &mut |name, offset| match Member::named(level, name.glance()) {
        Some(member) if !seen.insert(member) && offset > place => {
            report(Rule::DuplicateMember, offset)
        }
        _ => ControlFlow::Continue(()),
    })
}

/// Reports each name that has an escape of half a character in it, with the place of the first one, if
/// that is behind this place.
pub(super) fn lone_surrogates_behind(
    place: u32,
    frame: &[u8],
    object: Span,
    report: &mut dyn FnMut(Rule, u32) -> Flow,
) -> Flow {
    each(frame, object, &mut |name, offset| match lone_surrogate(name.glance(), offset) {
        Some(lone) if lone > place => report(Rule::LoneSurrogate, lone),
        _ => ControlFlow::Continue(()),
    })
}

/// Where the first escape of half a character is in a string whose opening quote stands here.
pub(super) fn lone_surrogate(text: Glance, quote: u32) -> Option<u32> {
    let lone = text.lone_surrogate()?;
    Some(quote.saturating_add(1).saturating_add(u32_from(lone)))
}

/// Reports each member that breaks one of these two rules: it looks like one that means something, or
/// it means nothing at all.
pub(super) fn strangers(
    frame: &[u8],
    object: Span,
    level: Level,
    wanted: Rule,
    report: &mut dyn FnMut(Rule, u32) -> Flow,
) -> Flow {
    each(frame, object, &mut |name, offset| {
        if Member::named(level, name.glance()).is_some() {
            return ControlFlow::Continue(());
        }
        let alike = Member::all(level).iter().any(|known| looks_like(name, known));
        let rule = if alike { Rule::MemberLookalike } else { Rule::UnknownMember };
        if rule == wanted { report(rule, offset) } else { ControlFlow::Continue(()) }
    })
}

fn each(frame: &[u8], object: Span, look: &mut dyn FnMut(RawStr<'_>, u32) -> Flow) -> Flow {
    let Some(mut members) = RawJson::at(frame, object).members() else {
        return ControlFlow::Continue(());
    };
    while let Some((at, member)) = members.next_at() {
        look(member.name, object.start().saturating_add(u32_from(at)))?;
    }
    ControlFlow::Continue(())
}

/// Whether a careless comparison takes the name for a known one: without regard to case, as Unicode
/// folds it, or to characters that can't be seen. Letters of other scripts that look the same are not
/// looked for: no parser takes one for the other.
fn looks_like(name: RawStr<'_>, known: &str) -> bool {
    let folded = name.chars().filter_map(|c| match c {
        Ok('\u{17F}') => Some('s'),
        Ok('\u{212A}') => Some('k'),
        Ok(c) if is_invisible(c) => None,
        Ok(c) => Some(c.to_ascii_lowercase()),
        Err(_) => Some(char::REPLACEMENT_CHARACTER),
    });
    folded.eq(known.chars())
}

/// Control characters, spaces, and what Unicode has that takes no room: joiners, marks of direction,
/// variation selectors, tags.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\0'..=' '
            | '\u{7F}'..='\u{A0}'
            | '\u{AD}'
            | '\u{34F}'
            | '\u{61C}'
            | '\u{180E}'
            | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{E0000}'..='\u{E01EF}'
    )
}

#[cfg(test)]
mod tests {
    use crate::json::RawJson;

    #[test]
    fn near_misses_are_seen_and_others_are_not() {
        for (name, known, alike) in [
            (r#""Method""#, "method", true),
            (r#""METHOD""#, "method", true),
            (r#""method\u0000""#, "method", true),
            (r#"" method""#, "method", true),
            (r#""meth\u2060od""#, "method", true),
            (r#""i\u00add""#, "id", true),
            (r#""\ufeffid""#, "id", true),
            ("\"re\u{17F}ult\"", "result", true),
            (r#""param\u017f""#, "params", true),
            (r#""methods""#, "method", false),
            (r#""meth""#, "method", false),
            (r#""""#, "id", false),
            (r#""i\ud800d""#, "id", false),
        ] {
            let name = RawJson::parse(name.as_bytes()).unwrap().string().unwrap();
            assert_eq!(super::looks_like(name, known), alike, "{name:?}");
        }
    }
}
