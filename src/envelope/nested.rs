//! The payload: names in `params` that gateways act on, names that resemble them, and names that an object repeats.
//!
//! Only [strict profiles](super::Profile::strict) look below the envelope, and the protocol says which names matter. Their
//! types, and the methods that have them, are up to the protocol as well.

use core::ops::ControlFlow;

use super::{Flow, Member, Report, Reporter, Validator};
use crate::cast::u32_from;
use crate::json::RawJson;
use crate::resemblance::{contains_nul, resembles};
use crate::rule::{Rule, Severity};

/// Names below the envelope that peers and gateways act on: of members of `params`, and of members of an object in it.
///
/// ```
/// use tautline::envelope::GuardedNames;
/// use tautline::{Message, Rule, Profile};
///
/// static NAMES: GuardedNames = GuardedNames::new(&["textDocument", "position"]);
/// let profile = Profile::LSP.strict(&NAMES);
/// let frame = br#"{"jsonrpc":"2.0","method":"a","params":{"textdocument":{}}}"#;
/// assert_eq!(Message::parse(frame, &profile).unwrap_err().rule(), Rule::NESTED_MEMBER_LOOKALIKE);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardedNames {
    params: &'static [&'static str],
    object: &'static str,
    members: &'static [&'static str],
}

impl GuardedNames {
    /// No names.
    pub const NONE: Self = Self::new(&[]);

    /// Guards these members of `params`. Names are visible ASCII. Of more than 64 names, the later ones can be
    /// repeated.
    #[must_use]
    pub const fn new(params: &'static [&'static str]) -> Self {
        Self { params, object: "", members: &[] }
    }

    /// Guards these members of each object in `params` that has this name as well. List the name in [`new`](Self::new)
    /// too, since names that resemble it pass otherwise. A later call replaces an earlier one. Of more than 64 names,
    /// the later ones can be repeated.
    #[must_use]
    pub const fn within(self, object: &'static str, members: &'static [&'static str]) -> Self {
        Self { object, members, ..self }
    }
}

impl Validator<'_, '_> {
    /// Checks the payload for names and values that peers and gateways act on, and for repeated names, if the profile
    /// asks for it.
    pub(super) fn check_payload<R: Reporter>(&self, report: &mut Report<'_, R>) -> Flow {
        let is_guarded = self.profile.changed_severity(Rule::NESTED_MEMBER_LOOKALIKE).is_some();
        let (repeated, lone_surrogate, out_of_range) =
            match self.profile.changed_severity(Rule::DUPLICATE_INNER_MEMBER) {
                Some(_) => self.first_ambiguities(),
                None => (None, None, None),
            };
        let mut is_reported = false;
        let mut guarded = |rule, at| {
            is_reported |= repeated == Some((Rule::DUPLICATE_INNER_MEMBER, at))
                && self.profile.severity(rule) == Severity::Error;
            report.at(rule, at)
        };
        if is_guarded {
            self.check_guarded(lookalikes, &mut guarded)?;
            self.check_guarded(duplicates, &mut guarded)?;
        }
        if let Some((rule @ Rule::DUPLICATE_INNER_MEMBER, at)) = repeated
            && !is_reported
        {
            report.at(rule, at)?;
        }
        if is_guarded {
            self.check_nul(report)?;
        }
        if let Some((rule @ Rule::TOO_MANY_NAMES, at)) = repeated {
            report.at(rule, at)?;
        }
        if let Some(at) = lone_surrogate {
            report.at(Rule::LONE_INNER_SURROGATE, at)?;
        }
        match out_of_range {
            Some(at) => report.at(Rule::NUMBER_OUT_OF_RANGE, at),
            None => ControlFlow::Continue(()),
        }
    }

    /// Finds the first name that an object in the payload repeats, or the first value with too many names to compare; and
    /// the first unpaired surrogate and the first number out of range, in the error itself as well.
    fn first_ambiguities(&self) -> (Option<(Rule, u32)>, Option<u32>, Option<u32>) {
        let mut repeated = None;
        let mut lone_surrogate = self.lone_surrogate(Member::MESSAGE);
        let code = self.reading.member(Member::CODE).map(|code| code.first_ambiguities());
        let code = code.and_then(|code| code.out_of_range);
        let mut out_of_range = code.map(|at| self.offset(Member::CODE).saturating_add(at));
        for member in [Member::PARAMS, Member::RESULT, Member::DATA] {
            let Some(value) = self.reading.member(member) else { continue };
            let start = self.offset(member);
            let found = value.first_ambiguities();
            repeated = repeated.or(match found.repeated {
                Ok(at) => at.map(|at| (Rule::DUPLICATE_INNER_MEMBER, start.saturating_add(at))),
                Err(_) => Some((Rule::TOO_MANY_NAMES, start)),
            });
            let first = |first: Option<u32>, at: Option<u32>| {
                first.into_iter().chain(at.map(|at| start.saturating_add(at))).min()
            };
            lone_surrogate = first(lone_surrogate, found.lone_surrogate);
            out_of_range = first(out_of_range, found.out_of_range);
        }
        (repeated, lone_surrogate, out_of_range)
    }

    /// Reports texts with U+0000 that peers and gateways act on.
    fn check_nul<R: Reporter>(&self, report: &mut Report<'_, R>) -> Flow {
        for member in [Member::ID, Member::METHOD] {
            if let Some(text) = self.reading.member(member).and_then(|value| value.string())
                && contains_nul(text)
            {
                report.at(Rule::NUL_CHARACTER, self.offset(member))?;
            }
        }
        self.check_guarded(values_with_nul, &mut |rule, at| report.at(rule, at))
    }

    /// Checks the guarded names in `params`, if there are params.
    fn check_guarded(&self, check: Check, report: &mut dyn FnMut(Rule, u32) -> Flow) -> Flow {
        let Some(params) = self.reading.member(Member::PARAMS) else {
            return ControlFlow::Continue(());
        };
        let (start, guarded) = (self.offset(Member::PARAMS), self.profile.guarded());
        each_object(params, start, guarded, check, report)
    }
}

/// A check of the members of one object, which begins at this offset in the frame, against names.
type Check = fn(RawJson<'_>, u32, &[&str], &mut dyn FnMut(Rule, u32) -> Flow) -> Flow;

/// Checks `params`, which begin at `start`, and every object in them whose members are guarded.
fn each_object(
    params: RawJson<'_>,
    start: u32,
    guarded: &GuardedNames,
    check: Check,
    report: &mut dyn FnMut(Rule, u32) -> Flow,
) -> Flow {
    check(params, start, guarded.params, report)?;
    if guarded.members.is_empty() {
        return ControlFlow::Continue(());
    }
    let Some(mut members) = params.members() else { return ControlFlow::Continue(()) };
    while let Some((_, at, member)) = members.next_places() {
        if member.name == *guarded.object {
            check(member.value, start.saturating_add(u32_from(at)), guarded.members, report)?;
        }
    }
    ControlFlow::Continue(())
}

/// Reports each name that resembles one of these.
fn lookalikes(
    object: RawJson<'_>,
    start: u32,
    names: &[&str],
    report: &mut dyn FnMut(Rule, u32) -> Flow,
) -> Flow {
    let Some(mut members) = object.members() else { return ControlFlow::Continue(()) };
    while let Some((at, member)) = members.next_at() {
        let is_one = || names.iter().any(|name| member.name == **name);
        if names.iter().any(|name| resembles(member.name, name)) && !is_one() {
            report(Rule::NESTED_MEMBER_LOOKALIKE, start.saturating_add(u32_from(at)))?;
        }
    }
    ControlFlow::Continue(())
}

/// Reports each of these names that appears again.
fn duplicates(
    object: RawJson<'_>,
    start: u32,
    names: &[&str],
    report: &mut dyn FnMut(Rule, u32) -> Flow,
) -> Flow {
    let Some(mut members) = object.members() else { return ControlFlow::Continue(()) };
    let mut seen = 0_u64;
    while let Some((at, member)) = members.next_at() {
        let Some(index) = names.iter().position(|name| member.name == **name) else { continue };
        let bit = 1_u64.checked_shl(u32_from(index)).unwrap_or(0);
        if seen & bit != 0 {
            report(Rule::DUPLICATE_NESTED_MEMBER, start.saturating_add(u32_from(at)))?;
        }
        seen |= bit;
    }
    ControlFlow::Continue(())
}

/// Reports each string with one of these names that contains U+0000.
fn values_with_nul(
    object: RawJson<'_>,
    start: u32,
    names: &[&str],
    report: &mut dyn FnMut(Rule, u32) -> Flow,
) -> Flow {
    let Some(mut members) = object.members() else { return ControlFlow::Continue(()) };
    while let Some((_, at, member)) = members.next_places() {
        if member.value.string().is_some_and(contains_nul)
            && names.iter().any(|name| member.name == **name)
        {
            report(Rule::NUL_CHARACTER, start.saturating_add(u32_from(at)))?;
        }
    }
    ControlFlow::Continue(())
}
