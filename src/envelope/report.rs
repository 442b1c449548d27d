//! Reports of the checks, and who receives them.

use core::ops::ControlFlow;

use super::Rules;
use crate::rule::Rule;

/// The result of a check: to go on, or the violation after which the reporter wants no more.
pub(super) type Flow = ControlFlow<Violation>;

/// A rule is broken at this offset in the frame.
pub(super) struct Violation {
    pub(super) rule: Rule,
    pub(super) offset: u32,
}

/// Receives what the checks find.
///
/// The compiler knows which one is used, so a program that asks for faults alone links nothing of the rest.
pub(super) trait Reporter {
    /// It wants nothing but errors.
    const ERRORS_ALONE: bool;

    fn report(&mut self, violation: Violation) -> Flow;
}

/// Receives the first error, and no more.
pub(super) struct FirstError;

impl Reporter for FirstError {
    const ERRORS_ALONE: bool = true;

    fn report(&mut self, violation: Violation) -> Flow {
        ControlFlow::Break(violation)
    }
}

/// Passes everything on, until it is told to stop.
pub(super) struct Everything<'f>(pub(super) &'f mut dyn FnMut(Violation) -> Flow);

impl Reporter for Everything<'_> {
    const ERRORS_ALONE: bool = false;

    fn report(&mut self, violation: Violation) -> Flow {
        (self.0)(violation)
    }
}

/// Passes violations to a reporter, unless the rules tolerate them.
pub(super) struct Report<'r, R> {
    pub(super) rules: &'r Rules,
    pub(super) reporter: R,
}

impl<R: Reporter> Report<'_, R> {
    /// Reports that the rule is broken here: an error or less, as the rules in force say.
    pub(super) fn at(&mut self, rule: Rule, offset: u32) -> Flow {
        // Up to the traps, whatever is not tolerated is an error.
        if R::ERRORS_ALONE && self.rules.tolerate_id(rule) {
            return ControlFlow::Continue(());
        }
        self.reporter.report(Violation { rule, offset })
    }
}
