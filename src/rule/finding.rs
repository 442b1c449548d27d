//! Findings: a rule, and where it is broken.

use core::fmt;

use super::{Rule, Severity, name, summary};
use crate::scan::Syntax;

/// A rule that is broken, and where.
///
/// ```
/// use tautline::{Envelope, Rule, Profile, Severity};
///
/// let envelope = Envelope::read(br#"{"jsonrpc":"2.0","id":1.0,"method":"sum"}"#, &Profile::JSON_RPC);
/// envelope.findings(|finding| {
///     assert_eq!((finding.severity(), finding.offset()), (Severity::Warning, 22));
///     assert_eq!(finding.rule(), Rule::ID_NOT_PLAIN_INTEGER);
/// });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Finding {
    rule: Rule,
    severity: Severity,
    syntax: Option<Syntax>,
    offset: u32,
}

impl Finding {
    /// Creates a finding of a later stage.
    #[doc(hidden)]
    pub const fn new(rule: Rule, severity: Severity, offset: u32) -> Self {
        Self { rule, severity, syntax: None, offset }
    }

    /// Creates a finding with what is wrong with the syntax, if anything.
    pub(crate) const fn with_syntax(
        rule: Rule,
        severity: Severity,
        syntax: Option<Syntax>,
        offset: u32,
    ) -> Self {
        Self { rule, severity, syntax, offset }
    }

    /// Returns the rule that is broken.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        self.rule
    }

    /// Returns the severity under the profile in force.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        self.severity
    }

    /// Returns the place in the frame, as an offset in bytes. If a member is missing from an object, this is the
    /// object's opening brace. If the params that a method requires are missing, it is the method.
    #[must_use]
    pub const fn offset(&self) -> u32 {
        self.offset
    }

    /// Returns what is wrong with the syntax, if the frame is not JSON.
    #[must_use]
    pub const fn syntax(&self) -> Option<Syntax> {
        self.syntax
    }

    /// Returns what is wrong, in one line.
    #[must_use]
    pub const fn message(&self) -> &'static str {
        describe(self.rule, self.syntax)
    }
}

/// Writes the name of the rule, the offset, and what is wrong.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name(self.rule))?;
        f.write_str(" at byte ")?;
        fmt::Display::fmt(&self.offset, f)?;
        f.write_str(": ")?;
        f.write_str(self.message())
    }
}

impl core::error::Error for Finding {}

/// Describes what is wrong: for bytes that are not JSON, what is wrong with the syntax.
pub(crate) const fn describe(rule: Rule, syntax: Option<Syntax>) -> &'static str {
    match syntax {
        Some(syntax) => syntax.description(),
        None => summary(rule),
    }
}
