//! A second pass over an object's names, for duplicates, unpaired surrogates and lookalikes.
//!
//! It runs only for an object with a repeated or unknown member, and only if more than the first fault is needed.

use core::ops::ControlFlow;

use super::member::lone_surrogate;
use super::{Flow, Member, Set};
use crate::cast::u32_from;
use crate::json::{RawJson, RawStr};
use crate::resemblance::visible;
use crate::rule::Rule;
use crate::scan::{Level, Span};

/// Reports each member after this place that repeats an earlier one, at the offset of its name.
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
            report(Rule::DUPLICATE_MEMBER, offset)
        }
        _ => ControlFlow::Continue(()),
    })
}

/// Reports each name with an unpaired surrogate escape, at the first escape, if that is after this place.
pub(super) fn lone_surrogates_behind(
    place: u32,
    frame: &[u8],
    object: Span,
    report: &mut dyn FnMut(Rule, u32) -> Flow,
) -> Flow {
    each(frame, object, &mut |name, offset| match lone_surrogate(name.glance(), offset) {
        Some(lone) if lone > place => report(Rule::LONE_SURROGATE, lone),
        _ => ControlFlow::Continue(()),
    })
}

/// Reports each member that resembles a standard one.
pub(super) fn lookalikes(
    frame: &[u8],
    object: Span,
    level: Level,
    report: &mut dyn FnMut(Rule, u32) -> Flow,
) -> Flow {
    each(frame, object, &mut |name, offset| {
        if looks_like(level, name).is_some() && Member::named(level, name.glance()).is_none() {
            return report(Rule::MEMBER_LOOKALIKE, offset);
        }
        ControlFlow::Continue(())
    })
}

/// Reports each unknown member that does not resemble a standard one. The caller knows whether any does.
pub(super) fn unknown(
    frame: &[u8],
    object: Span,
    level: Level,
    lookalikes: Lookalikes,
    report: &mut dyn FnMut(Rule, u32) -> Flow,
) -> Flow {
    each(frame, object, &mut |name, offset| {
        let means_something = match lookalikes {
            Lookalikes::None => Member::named(level, name.glance()),
            Lookalikes::Some => looks_like(level, name),
        };
        match means_something {
            Some(_) => ControlFlow::Continue(()),
            None => report(Rule::UNKNOWN_MEMBER, offset),
        }
    })
}

/// The presence of members that resemble standard ones, in a message or its error object.
#[derive(Clone, Copy)]
pub(super) enum Lookalikes {
    None,
    Some,
}

/// Returns the value of the member of a message that resembles this one, if there is only one such member.
pub(super) fn only_like(known: Member, frame: &[u8], object: Span) -> Option<Span> {
    let mut members = RawJson::at(frame, object).members()?;
    let mut only = None;
    while let Some((_, at, member)) = members.next_places() {
        if looks_like(Level::Top, member.name) == Some(known) {
            let start = object.start().saturating_add(u32_from(at));
            let end = start.saturating_add(u32_from(member.value.as_bytes().len()));
            if only.replace(Span::between(start, end)).is_some() {
                return None;
            }
        }
    }
    only
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

/// Returns the member that a careless comparison would match with the name. Such a comparison ignores case, as Unicode
/// folds it, and characters that can't be seen. Letters of other scripts that look the same do not count, because no
/// parser confuses them.
fn looks_like(level: Level, name: RawStr<'_>) -> Option<Member> {
    // Packed as in a glance. No standard name is longer than the word holds, so a longer name need not be read to its
    // end.
    let mut packed = 1;
    for c in name.chars() {
        let c = c.ok()?;
        // A parser written in C reads the name up to here.
        if c == '\0'
            && let Some(member) = Member::packed(level, packed)
        {
            return Some(member);
        }
        let Some(c) = visible(c) else { continue };
        if !c.is_ascii() || packed >> 56 != 0 {
            return None;
        }
        packed = packed << 8 | u64::from(u32::from(c));
    }
    Member::packed(level, packed)
}

#[cfg(test)]
mod tests {
    use super::Member;
    use crate::json::RawJson;
    use crate::scan::Level;

    #[test]
    fn near_misses_are_seen_and_others_are_not() {
        for (name, known) in [
            (r#""Method""#, Some(Member::METHOD)),
            (r#""METHOD""#, Some(Member::METHOD)),
            (r#""method\u0000""#, Some(Member::METHOD)),
            (r#""method\u0000x""#, Some(Member::METHOD)),
            (r#""ID\u0000\ud800""#, Some(Member::ID)),
            (r#""meth\u0000od""#, Some(Member::METHOD)),
            (r#""me\u0000x""#, None),
            (r#"" method""#, Some(Member::METHOD)),
            (r#""meth\u2060od""#, Some(Member::METHOD)),
            (r#""i\u00add""#, Some(Member::ID)),
            (r#""\ufeffid""#, Some(Member::ID)),
            (r#""i\u3164d""#, Some(Member::ID)),
            ("\"JSONRPC\u{E0100}\"", Some(Member::JSONRPC)),
            ("\"re\u{17F}ult\"", Some(Member::RESULT)),
            (r#""param\u017f""#, Some(Member::PARAMS)),
            (r#""method\u2800""#, Some(Member::METHOD)),
            (r#""methods""#, None),
            (r#""meth""#, None),
            (r#""jsonrpcs""#, None),
            (r#""idjsonrpc""#, None),
            (r#""""#, None),
            (r#"" ""#, None),
            (r#""i\ud800d""#, None),
            (r#""\u0001id""#, Some(Member::ID)),
            (r#""\u0269d""#, None),
            (r#""code""#, None),
        ] {
            let text = RawJson::parse(name.as_bytes()).unwrap().string().unwrap();
            assert_eq!(super::looks_like(Level::Top, text), known, "{name}");
        }
        let text = RawJson::parse(br#""CODE""#).unwrap().string().unwrap();
        assert_eq!(super::looks_like(Level::Inner, text), Some(Member::CODE));
    }
}
