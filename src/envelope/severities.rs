//! Severities that a caller has changed.

use crate::rule::{Rule, Severity};

/// The severities that differ from the table of rules: two bits for each rule that can be changed.
///
/// They share a word with two other choices of the rules, whose bits are the lowest and are zero here.
#[derive(Clone, Copy)]
pub(super) struct Severities(u32);

/// The bits of the other choices.
const OTHERS: u32 = 2;

impl Severities {
    pub(super) const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    pub(super) const fn bits(self) -> u32 {
        self.0
    }

    /// Returns the severity of the rule, if it was changed.
    pub(super) const fn of(self, rule: Rule) -> Option<Severity> {
        let Some(shift) = shift(rule) else { return None };
        match self.0 >> shift & 3 {
            1 => Some(Severity::Note),
            2 => Some(Severity::Warning),
            3 => Some(Severity::Error),
            _ => None,
        }
    }

    /// Sets this severity. Returns `None` if the severity of the rule can't be changed.
    pub(super) const fn with(self, rule: Rule, severity: Severity) -> Option<Self> {
        let Some(shift) = shift(rule) else { return None };
        let bits = match severity {
            Severity::Note => 1,
            Severity::Warning => 2,
            Severity::Error => 3,
        };
        Some(Self(self.without(rule).0 | bits << shift))
    }

    /// Resets the rule to the severity of the table.
    pub(super) const fn without(self, rule: Rule) -> Self {
        match shift(rule) {
            Some(shift) => Self(self.0 & !(3 << shift)),
            None => self,
        }
    }

    /// Makes everything that two peers could read differently an error.
    pub(super) const fn strict(self) -> Self {
        let mut severities = self;
        let mut rest: &[Rule] = &[
            Rule::RAW_CARRIAGE_RETURN,
            Rule::ID_NOT_PLAIN_INTEGER,
            Rule::ID_UNSAFE_INTEGER,
            Rule::MEMBER_LOOKALIKE,
            Rule::UNKNOWN_MEMBER,
            Rule::NESTED_MEMBER_LOOKALIKE,
        ];
        while let [rule, others @ ..] = rest {
            if let Some(changed) = severities.with(*rule, Severity::Error) {
                severities = changed;
            }
            rest = others;
        }
        severities
    }
}

/// Returns the position of the rule's bits, if its severity can be changed.
const fn shift(rule: Rule) -> Option<u32> {
    let number = match rule {
        Rule::RAW_CARRIAGE_RETURN => 0,
        Rule::LINE_SEPARATOR => 1,
        Rule::MISSING_JSONRPC => 2,
        Rule::WRONG_VERSION => 3,
        Rule::ID_NULL => 4,
        Rule::ID_FRACTION => 5,
        Rule::ID_NOT_PLAIN_INTEGER => 6,
        Rule::ID_UNSAFE_INTEGER => 7,
        Rule::METHOD_RESERVED => 8,
        Rule::ERROR_CODE_HTTP => 9,
        Rule::ERROR_CODE_RESERVED => 10,
        Rule::MEMBER_LOOKALIKE => 11,
        Rule::UNKNOWN_MEMBER => 12,
        Rule::NESTED_MEMBER_LOOKALIKE => 13,
        _ => return None,
    };
    Some(OTHERS + 2 * number)
}
