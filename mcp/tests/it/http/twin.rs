//! The rules against the naive judge.

use std::collections::BTreeMap;

use crate::support::checks::http_vs_naive::{Outcome, compare, generate};
use crate::support::dice::Dice;
use crate::support::volume::volume;

#[test]
fn both_judges_agree() {
    let mut dice = Dice(0x005E_ED47);
    let mut seen: BTreeMap<Outcome, u32> = BTreeMap::new();
    let rounds = volume(20_000);
    for _ in 0..rounds {
        *seen.entry(compare(&generate(&mut dice))).or_default() += 1;
    }
    // Each outcome came often enough, so that agreement means something.
    let refusals = [400, 403, 404, 405, 406, 415].map(Outcome::Refused);
    for outcome in refusals.into_iter().chain([Outcome::Accepted]) {
        let count = seen.get(&outcome).copied().unwrap_or(0);
        assert!(count >= rounds / 1000, "{outcome:?}: {count} of {seen:?}");
    }
    assert!(seen.get(&Outcome::NotCompared).copied().unwrap_or(0) < rounds / 4, "{seen:?}");
}
