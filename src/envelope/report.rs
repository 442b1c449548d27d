//! Reports of the checks, and their receivers.

use core::ops::ControlFlow;

use super::Profile;
use crate::rule::Rule;

/// The result of a check: to continue, or the violation after which the reporter stops.
pub(super) type Flow = ControlFlow<Violation>;

/// A rule is broken at this offset in the frame.
pub(super) struct Violation {
    pub(super) rule: Rule,
    pub(super) offset: u32,
}

/// Receives what the checks find.
///
/// The compiler knows which reporter is used, so a program that asks only for faults links nothing else.
pub(super) trait Reporter {
    /// True if it needs only errors.
    const ERRORS_ALONE: bool;

    fn report(&mut self, violation: Violation) -> Flow;
}

/// Stops at the first error.
pub(super) struct FirstError;

impl Reporter for FirstError {
    const ERRORS_ALONE: bool = true;

    fn report(&mut self, violation: Violation) -> Flow {
        ControlFlow::Break(violation)
    }
}

/// Passes everything on, until the closure breaks.
pub(super) struct Everything<'f>(pub(super) &'f mut dyn FnMut(Violation) -> Flow);

impl Reporter for Everything<'_> {
    const ERRORS_ALONE: bool = false;

    fn report(&mut self, violation: Violation) -> Flow {
        (self.0)(violation)
    }
}

/// Passes violations to a reporter, unless the profile tolerates them.
pub(super) struct Report<'r, R> {
    pub(super) profile: &'r Profile,
    pub(super) reporter: R,
}

impl<R: Reporter> Report<'_, R> {
    /// Reports that the rule is broken at this offset. The profile in force decides whether this is an error.
    pub(super) fn at(&mut self, rule: Rule, offset: u32) -> Flow {
        // Before the traps, everything that is not tolerated is an error.
        if R::ERRORS_ALONE && self.profile.tolerates_id(rule) {
            return ControlFlow::Continue(());
        }
        self.reporter.report(Violation { rule, offset })
    }
}
