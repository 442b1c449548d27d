//! Reports about a payload.

use core::fmt;

use tautline::Rule;
use tautline::json::Path;

use super::table::{Object, Type};
use crate::{Finding, rule};

/// A place where a payload does not have the shape that its schema demands.
#[derive(Clone, Copy)]
pub struct Violation<'buf> {
    frame: &'buf [u8],
    finding: Finding,
    expected: Expected,
}

/// The value or the name that is expected at the place of a [`Violation`]. It is written as a phrase, such as
/// `expected a string`.
#[derive(Clone, Copy)]
pub struct Expected(pub(super) Missed);

#[derive(Clone, Copy, Debug)]
pub(super) enum Missed {
    /// The summary of the rule is enough.
    Rule(Rule),
    /// A value of this type.
    Type(&'static Type),
    /// A number that is not below this.
    Least(i32),
    /// A number that is not above this.
    Most(i32),
    /// An array with no more elements.
    Length(u32),
    /// A constant for the member with this name, in one of these objects.
    Alternatives(&'static str, &'static Type),
    /// A member with this name, in this object.
    Member(&'static str),
    /// This name, exactly.
    Name(&'static str),
}

impl<'buf> Violation<'buf> {
    pub(super) fn new(frame: &'buf [u8], rule: Rule, offset: u32, missed: Missed) -> Self {
        let finding = Finding::new(rule, rule::severity(rule), offset);
        Self { frame, finding, expected: Expected(missed) }
    }

    /// Creates the violation of a rule whose summary is enough, at this offset. It is a warning, because only a
    /// "SHOULD" requires it here.
    #[cfg(feature = "alloc")]
    pub(crate) fn of_advice(frame: &'buf [u8], rule: Rule, offset: u32) -> Self {
        let finding = Finding::new(rule, tautline::Severity::Warning, offset);
        Self { frame, finding, expected: Expected(Missed::Rule(rule)) }
    }

    /// Creates the violation of a rule whose summary is enough, at this offset.
    #[cfg(feature = "alloc")]
    pub(crate) fn of_rule(frame: &'buf [u8], rule: Rule, offset: u32) -> Self {
        Self::new(frame, rule, offset, Missed::Rule(rule))
    }

    /// Returns the rule, its severity and the offset in the frame. A member that is missing from an object is missing
    /// at its opening brace.
    #[must_use]
    pub const fn finding(&self) -> Finding {
        self.finding
    }

    /// Returns the path of the place in the message, as in `params.clientInfo.version`.
    #[must_use]
    pub const fn path(&self) -> Path<'buf> {
        Path::at(self.frame, self.finding.offset())
    }

    /// Returns what is expected there.
    #[must_use]
    pub const fn expected(&self) -> Expected {
        self.expected
    }
}

impl Expected {
    /// Returns the name of the member that is missing, or that the name at the place resembles.
    #[must_use]
    pub const fn member(&self) -> Option<&'static str> {
        match self.0 {
            Missed::Member(name) | Missed::Name(name) => Some(name),
            _ => None,
        }
    }
}

impl fmt::Display for Violation<'_> {
    /// Writes the rule, the offset, the path, and what is expected.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rule, offset) = (self.finding.rule(), self.finding.offset());
        write!(f, "{} at byte {offset}, {}: {}", rule::name(rule), self.path(), self.expected)
    }
}

impl fmt::Debug for Violation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Violation({self})")
    }
}

impl core::error::Error for Violation<'_> {}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Missed::Rule(rule) => f.write_str(rule::summary(rule)),
            Missed::Type(of) => match of.constants() {
                Some(constants) => {
                    f.write_str("expected ")?;
                    list(f, constants.iter().copied())
                }
                None => write!(f, "expected {of}"),
            },
            Missed::Least(least) => write!(f, "expected a number from {least}"),
            Missed::Most(most) => write!(f, "expected a number up to {most}"),
            Missed::Length(most) => write!(f, "expected at most {most} elements"),
            Missed::Alternatives(name, of) => {
                f.write_str("expected ")?;
                let constants = |object: &'static Object| {
                    let member = object.0.iter().find(move |member| member.name == name);
                    member.and_then(|member| member.of.constants()).unwrap_or_default()
                };
                let all = move || of.objects().flat_map(constants).copied();
                let is_first =
                    |(at, constant): &(usize, _)| all().take(*at).all(|other| other != *constant);
                list(f, all().enumerate().filter(is_first).map(|(_, constant)| constant))
            }
            Missed::Member(name) => write!(f, "the required member \"{name}\" is missing"),
            Missed::Name(name) => write!(f, "the name resembles \"{name}\""),
        }
    }
}

impl fmt::Debug for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expected({self})")
    }
}

/// Writes constants as JSON, as in `"user" or "assistant"`. None of them needs an escape.
fn list(f: &mut fmt::Formatter<'_>, constants: impl Iterator<Item = &'static str>) -> fmt::Result {
    let mut constants = constants.peekable();
    let mut is_first = true;
    while let Some(constant) = constants.next() {
        f.write_str(match constants.peek() {
            _ if is_first => "",
            Some(_) => ", ",
            None => " or ",
        })?;
        write!(f, "\"{constant}\"")?;
        is_first = false;
    }
    Ok(())
}
