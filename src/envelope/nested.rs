//! Names in `params` that gateways act on, and names that resemble them.
//!
//! Only [strict profiles](super::Profile::strict) look below the envelope, and the protocol says which names matter. Their
//! types, and the methods that have them, are up to the protocol as well.

use core::ops::ControlFlow;

use super::profile::GuardedNames;
use super::report::Flow;
use crate::cast::u32_from;
use crate::json::RawJson;
use crate::resemblance::{contains_nul, resembles};
use crate::rule::Rule;

/// A check of the members of one object, which begins at this offset in the frame, against names.
pub(super) type Check = fn(RawJson<'_>, u32, &[&str], &mut dyn FnMut(Rule, u32) -> Flow) -> Flow;

/// Checks `params`, which begin at `start`, and every object in them whose members are guarded.
pub(super) fn each_object(
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
pub(super) fn lookalikes(
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
pub(super) fn duplicates(
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
pub(super) fn values_with_nul(
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
