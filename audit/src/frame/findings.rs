//! The findings of one message, up to a limit.

use std::str::FromStr;

use tautline::Severity;

use super::FindingReport;

/// A limit on findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is a limit or there is none")]
pub enum MaxFindings {
    /// At most this many.
    AtMost(usize),
    /// No limit.
    All,
}

impl MaxFindings {
    /// Returns whether the limit admits one more finding after `count`.
    #[must_use]
    pub fn has_room(self, count: usize) -> bool {
        match self {
            Self::AtMost(most) => count < most,
            Self::All => true,
        }
    }
}

impl FromStr for MaxFindings {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "all" => Ok(Self::All),
            _ => text.parse().map(Self::AtMost).map_err(|_| "expected a number or `all`"),
        }
    }
}

/// Collects findings. At the limit, a more severe finding replaces a less severe one.
#[derive(Debug)]
pub(super) struct Findings {
    limit: MaxFindings,
    /// The kept findings by severity, each with its number.
    kept: [Vec<(u64, FindingReport)>; 3],
    left_out: Vec<LeftOut>,
    count: u64,
}

/// Findings of the same kind that were left out.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LeftOut {
    /// The number of them.
    pub count: u64,
    /// The last of them.
    pub last: FindingReport,
}

impl Findings {
    pub(super) fn new(limit: MaxFindings) -> Self {
        Self { limit, kept: Default::default(), left_out: Vec::new(), count: 0 }
    }

    pub(super) fn push(&mut self, finding: FindingReport) {
        let level = level(finding.severity);
        if !self.limit.has_room(self.kept.iter().map(Vec::len).sum()) {
            let (lower, _) = self.kept.split_at_mut(level);
            match lower.iter_mut().find_map(Vec::pop) {
                Some((_, evicted)) => self.leave_out(evicted),
                None => return self.leave_out(finding),
            }
        }
        self.count += 1;
        if let Some(kept) = self.kept.get_mut(level) {
            kept.push((self.count, finding));
        }
    }

    fn leave_out(&mut self, finding: FindingReport) {
        // A finding of the same kind was probably the last to be left out.
        let of_kind = |other: &&mut LeftOut| other.last.kind() == finding.kind();
        match self.left_out.iter_mut().rev().find(of_kind) {
            Some(left_out) => {
                left_out.count += 1;
                if finding.column > left_out.last.column {
                    left_out.last = finding;
                }
            }
            None => self.left_out.push(LeftOut { count: 1, last: finding }),
        }
    }

    /// Returns the kept findings in their original order, and the others by kind.
    pub(super) fn finish(self) -> (Vec<FindingReport>, Vec<LeftOut>) {
        if self.count == 0 {
            // Most messages have none.
            return (Vec::new(), self.left_out);
        }
        let mut kept: Vec<_> = self.kept.into_iter().flatten().collect();
        kept.sort_by_key(|&(number, _)| number);
        (kept.into_iter().map(|(_, finding)| finding).collect(), self.left_out)
    }
}

/// Returns the severity as a number from 0, the lowest first.
fn level(severity: Severity) -> usize {
    match severity {
        Severity::Note => 0,
        Severity::Warning => 1,
        Severity::Error => 2,
    }
}

#[cfg(test)]
mod tests {
    use tautline::Rule;
    use tautline_mcp::rule;

    use super::{Findings, MaxFindings};
    use crate::frame::FindingReport;

    #[test]
    fn what_matters_more_takes_the_place_of_what_matters_less() {
        let rules = [
            Rule::UNKNOWN_MEMBER,
            Rule::MEMBER_LOOKALIKE,
            Rule::UNKNOWN_MEMBER,
            Rule::MEMBER_LOOKALIKE,
            Rule::UNKNOWN_MEMBER,
            rule::MISSING_PARAMS,
            rule::MISSING_PARAMS,
        ];
        for (limit, kept, left_out) in [
            (
                0,
                &[][..],
                &[("unknown-member", 3), ("member-lookalike", 2), ("missing-params", 2)][..],
            ),
            (
                2,
                &[(5, "missing-params"), (6, "missing-params")],
                &[("unknown-member", 3), ("member-lookalike", 2)],
            ),
            (
                4,
                &[
                    (1, "member-lookalike"),
                    (3, "member-lookalike"),
                    (5, "missing-params"),
                    (6, "missing-params"),
                ],
                &[("unknown-member", 3)],
            ),
            (
                6,
                &[
                    (0, "unknown-member"),
                    (1, "member-lookalike"),
                    (2, "unknown-member"),
                    (3, "member-lookalike"),
                    (5, "missing-params"),
                    (6, "missing-params"),
                ],
                &[("unknown-member", 1)],
            ),
        ] {
            let mut findings = Findings::new(MaxFindings::AtMost(limit));
            for (at, rule) in (0..).zip(rules) {
                findings.push(FindingReport::new(rule, at));
            }
            let (actual, others) = findings.finish();
            let actual: Vec<_> =
                actual.iter().map(|f| (f.column - 1, rule::name(f.rule))).collect();
            assert_eq!(actual, kept, "{limit}");
            let others: Vec<_> =
                others.iter().map(|l| (rule::name(l.last.rule), l.count)).collect();
            assert_eq!(others, left_out, "{limit}");
        }
    }
}
