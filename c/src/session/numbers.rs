//! The numbers of methods, revisions, capabilities, phases and severities in the header. They never change.

use tautline::envelope::Batches;
use tautline::{Profile, Severity};
use tautline_mcp::session::{Capabilities, Capability, Early, Phase};
use tautline_mcp::{KnownMethod, Revision, Role};

use super::abi::{tl_early, tl_phase, tl_role, tl_severity};
use crate::abi::tl_error;

/// Returns the number of a method, which is its place in the table, counted from 1.
#[expect(clippy::as_conversions, reason = "there are few methods")]
#[must_use]
pub const fn of_method(method: KnownMethod) -> i32 {
    method as i32 + 1
}

/// Returns the number of a method, or 0 for an unknown one.
pub(crate) fn of_method_if_any(method: Option<KnownMethod>) -> i32 {
    method.map_or(0, of_method)
}

/// Returns the method with this number.
pub(crate) fn method(number: i32) -> Option<KnownMethod> {
    KnownMethod::ALL.iter().copied().find(|method| of_method(*method) == number)
}

/// Returns the number of a revision, which is a bit of its own.
#[expect(clippy::as_conversions, reason = "there are few revisions")]
#[must_use]
pub const fn of_revision(revision: Revision) -> i32 {
    1 << revision as u8
}

/// Returns the revision with this number.
pub(crate) fn revision(number: i32) -> Option<Revision> {
    Revision::ALL.iter().copied().find(|revision| of_revision(*revision) == number)
}

/// The number of revisions.
const REVISIONS: usize = Revision::ALL.len();

/// All sets of revisions, one after another, in the order of the numbers of the sets.
static SETS: [Revision; REVISIONS << (REVISIONS - 1)] = {
    let mut sets = [Revision::LATEST; REVISIONS << (REVISIONS - 1)];
    let (mut set, mut rest): (i32, &mut [Revision]) = (0, &mut sets);
    while set < 1 << REVISIONS {
        let mut all = Revision::ALL;
        while let [revision, others @ ..] = all {
            all = others;
            if set & of_revision(*revision) != 0
                && let [place, after @ ..] = rest
            {
                *place = *revision;
                rest = after;
            }
        }
        set += 1;
    }
    sets
};

/// Returns a set of revisions, in their order, or `None` if it has none or unknown ones.
pub(crate) fn revisions(set: i32) -> Option<&'static [Revision]> {
    let number = u32::try_from(set).ok().filter(|&set| set != 0 && set < 1 << REVISIONS)?;
    let before: u32 = (0..number).map(u32::count_ones).sum();
    let start = usize::try_from(before).ok()?;
    let length = usize::try_from(number.count_ones()).ok()?;
    SETS.get(start..start.checked_add(length)?)
}

/// Returns the revisions that a server supports by default: those whose messages the profile allows. Only one revision
/// has batches.
pub(crate) fn supported_by(profile: &Profile) -> &'static [Revision] {
    let without = of_revisions(Revision::ALL) & !of_revision(Revision::V2025_03_26);
    let forbids = profile.batches() == Batches::Forbidden;
    Some(without).filter(|_| forbids).and_then(revisions).unwrap_or(Revision::ALL)
}

/// Returns the number of a set of revisions.
pub(crate) fn of_revisions(revisions: &[Revision]) -> i32 {
    revisions.iter().fold(0, |set, revision| set | of_revision(*revision))
}

/// Returns the number of a capability, which is a bit of its own.
#[expect(clippy::as_conversions, reason = "there are 20 capabilities")]
#[must_use]
pub const fn of_capability(capability: Capability) -> u32 {
    1 << capability as u8
}

/// Returns the number of a set of capabilities.
pub(crate) fn of_capabilities(declared: Capabilities) -> u32 {
    let declared = Capability::ALL.iter().filter(|capability| declared.has(**capability));
    declared.fold(0, |set, capability| set | of_capability(*capability))
}

pub(crate) const fn of_role(role: Role) -> i32 {
    tl_role::of(role).number()
}

pub(crate) const fn role(number: i32) -> Result<Role, tl_error> {
    if number == tl_role::Client.number() {
        Ok(Role::Client)
    } else if number == tl_role::Server.number() {
        Ok(Role::Server)
    } else {
        Err(tl_error::Range)
    }
}

pub(crate) const fn early(number: i32) -> Result<Early, tl_error> {
    if number == tl_early::Serve.number() {
        Ok(Early::Serve)
    } else if number == tl_early::Refuse.number() {
        Ok(Early::Refuse)
    } else {
        Err(tl_error::Range)
    }
}

pub(crate) const fn of_phase(phase: Phase) -> i32 {
    match phase {
        Phase::Initializing => tl_phase::Initializing.number(),
        Phase::AwaitingInitialized => tl_phase::AwaitingInitialized.number(),
        Phase::Operating => tl_phase::Operating.number(),
        Phase::Probing => tl_phase::Probing.number(),
        Phase::Modern => tl_phase::Modern.number(),
        _ => tl_phase::Opening.number(),
    }
}

pub(crate) const fn of_severity(severity: Severity) -> u8 {
    match severity {
        Severity::Note => 1,
        Severity::Warning => 2,
        _ => 3,
    }
}

impl tl_role {
    const fn of(role: Role) -> Self {
        match role {
            Role::Client => Self::Client,
            Role::Server => Self::Server,
        }
    }
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl $type {
            /// Returns the number, which never changes.
            #[expect(clippy::as_conversions, reason = "the enum is an i32")]
            #[must_use]
            pub const fn number(self) -> i32 {
                self as i32
            }
        }
    )*};
}

numbers!(
    tl_role,
    tl_phase,
    tl_early,
    tl_severity,
    super::abi::tl_meaning,
    super::abi::tl_completion
);
