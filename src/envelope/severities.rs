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
            Rule::RawCarriageReturn,
            Rule::IdUnsafeInteger,
            Rule::MemberLookalike,
            Rule::UnknownMember,
            Rule::NestedMemberLookalike,
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
        Rule::RawCarriageReturn => 0,
        Rule::LineSeparator => 1,
        Rule::MissingJsonrpc => 2,
        Rule::WrongVersion => 3,
        Rule::IdNull => 4,
        Rule::IdFraction => 5,
        Rule::IdNotPlainInteger => 6,
        Rule::IdUnsafeInteger => 7,
        Rule::MethodReserved => 8,
        Rule::ErrorCodeHttp => 9,
        Rule::ErrorCodeReserved => 10,
        Rule::MemberLookalike => 11,
        Rule::UnknownMember => 12,
        Rule::NestedMemberLookalike => 13,
        _ => return None,
    };
    Some(OTHERS + 2 * number)
}
