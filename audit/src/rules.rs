//! All rules by name, whatever they are about, and the severities that users set for them.

use std::collections::BTreeMap;
use std::fmt;

use tautline::{Rule, Severity};
use tautline_mcp::rule;

/// Returns the rule of this name.
///
/// # Errors
///
/// Returns [`UnknownRule`] if there is no such rule.
pub fn rule_named(name: &str) -> Result<Rule, UnknownRule> {
    rule::from_name(name).ok_or_else(|| UnknownRule { name: name.to_owned() })
}

/// The error for a name that no rule has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownRule {
    /// The name.
    pub name: String,
}

impl UnknownRule {
    /// Returns the name of the most similar rule, if one is similar enough.
    #[must_use]
    pub fn suggestion(&self) -> Option<&'static str> {
        let distance = |rule: &Rule| distance(&self.name, rule::name(*rule));
        let best = rule::all().min_by_key(distance)?;
        let is_near = distance(&best) <= rule::name(best).len() / 3
            || self.name.len() >= 4 && rule::name(best).contains(&self.name);
        let part = || {
            rule::all().find(|rule| self.name.len() >= 4 && rule::name(*rule).contains(&self.name))
        };
        Some(best).filter(|_| is_near).or_else(part).map(rule::name)
    }
}

impl fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no rule `{}`", self.name)?;
        match self.suggestion() {
            Some(name) => write!(f, "; did you mean `{name}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownRule {}

/// Returns the number of characters to insert, remove or replace to make one text of the other (Levenshtein).
fn distance(one: &str, other: &str) -> usize {
    // No rule has a name this long, so the rest does not matter.
    let one: Vec<char> = one.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=one.len()).collect();
    for (number, b) in (1..).zip(other.chars()) {
        let mut diagonal = std::mem::replace(&mut row[0], number);
        for (at, &a) in (1..).zip(&one) {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[at];
            row[at] = replaced.min(row[at - 1] + 1).min(diagonal + 1);
        }
    }
    row[one.len()]
}

/// The treatment of a rule's findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the levels of rustc and clippy")]
pub enum Level {
    /// They are errors.
    Deny,
    /// They are warnings.
    Warn,
    /// They are not reported.
    Allow,
}

/// The rules whose findings get another severity, or are not reported.
#[derive(Clone, Debug, Default)]
pub struct Policy(BTreeMap<Rule, Level>);

impl Policy {
    /// Sets the level of a rule. The last call for a rule counts.
    pub fn set(&mut self, rule: Rule, level: Level) {
        self.0.insert(rule, level);
    }

    /// Returns the severity of a finding, or `None` if it is not to be reported.
    #[must_use]
    pub fn severity(&self, rule: Rule, severity: Severity) -> Option<Severity> {
        match self.0.get(&rule) {
            None => Some(severity),
            Some(Level::Deny) => Some(Severity::Error),
            Some(Level::Warn) => Some(Severity::Warning),
            Some(Level::Allow) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use tautline::{Rule, Severity};
    use tautline_mcp::rule;

    use super::{Level, Policy, rule_named};

    #[test]
    fn every_name_is_found() {
        for rule in rule::all() {
            assert_eq!(rule_named(rule::name(rule)), Ok(rule));
        }
    }

    #[test]
    fn a_typing_error_gets_a_suggestion() {
        for (typed, meant) in [
            ("not-jsn", Some("not-json")),
            ("id-nul", Some("id-null")),
            ("unknown_method_code", Some("unknown-method-code")),
            ("unanswered", Some("unanswered-request")),
            ("xyzzy", None),
            ("", None),
        ] {
            assert_eq!(rule_named(typed).unwrap_err().suggestion(), meant, "{typed}");
        }
    }

    #[test]
    fn a_policy_changes_what_it_names() {
        let mut policy = Policy::default();
        let (id, log) = (Rule::ID_NULL, Rule::LOG_LINE);
        policy.set(id, Level::Deny);
        policy.set(id, Level::Allow);
        policy.set(log, Level::Deny);
        assert_eq!(policy.severity(id, Severity::Error), None);
        assert_eq!(policy.severity(log, Severity::Note), Some(Severity::Error));
        let other = Rule::UNFINISHED_FRAME;
        assert_eq!(policy.severity(other, Severity::Warning), Some(Severity::Warning));
    }
}
