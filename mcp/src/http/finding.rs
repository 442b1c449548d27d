//! The findings about an HTTP message, and their places.

use core::fmt;

use tautline::{Rule, Severity};

use super::Field;
use crate::rule;

/// A rule that an HTTP message breaks, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    rule: Rule,
    severity: Severity,
    place: Place,
}

impl Finding {
    pub(super) const fn new(rule: Rule, place: Place) -> Self {
        Self { rule, severity: rule::severity(rule), place }
    }

    pub(super) const fn in_body(rule: Rule, severity: Severity, offset: Option<u32>) -> Self {
        Self { rule, severity, place: Place::in_body(offset) }
    }

    /// Returns the rule that is broken.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        self.rule
    }

    /// Returns the severity.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        self.severity
    }

    /// Returns the header that is at fault, or that is missing.
    #[must_use]
    pub const fn field(&self) -> Option<Field> {
        self.place.field
    }

    /// Returns the place in the body, in bytes. If a header differs from the body, this is the member that it should
    /// repeat, such as the argument of an `Mcp-Param-*`: [`Path::at`](tautline::json::Path::at) returns the path.
    #[must_use]
    pub const fn offset(&self) -> Option<u32> {
        self.place.offset
    }

    /// Returns what is wrong in general, in one line.
    #[must_use]
    pub const fn message(&self) -> &'static str {
        rule::summary(self.rule)
    }
}

/// Writes the name of the rule, the place and the [message](Finding::message).
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(rule::name(self.rule))?;
        if let Some(field) = self.place.field {
            write!(f, " in {field}")?;
        }
        if let Some(offset) = self.place.offset {
            write!(f, " at byte {offset}")?;
        }
        write!(f, ": {}", self.message())
    }
}

impl core::error::Error for Finding {}

/// The place of a finding: a header, a place in the body, both if they differ, or neither if it is about the method or the
/// status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    field: Option<Field>,
    offset: Option<u32>,
}

impl Place {
    /// Creates a place in the body.
    pub(super) const fn in_body(offset: Option<u32>) -> Self {
        Self { field: None, offset }
    }

    /// Creates the place of a header that differs from this place in the body.
    pub(super) const fn of_both(field: Field, offset: Option<u32>) -> Self {
        Self { field: Some(field), offset }
    }
}

impl From<Field> for Place {
    fn from(field: Field) -> Self {
        Self { field: Some(field), offset: None }
    }
}
