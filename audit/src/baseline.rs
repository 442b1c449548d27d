//! Baselines: findings that were accepted, so that only new ones fail.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use tautline_mcp::Role;

use crate::document::{Accepted, Finding};
use crate::tally::table::without_indexes;

/// The version of the format that this crate writes, and the latest that it reads.
const VERSION: u32 = 1;

/// Findings that were accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Baseline {
    /// The version of the format.
    #[serde(rename = "tautline-baseline")]
    pub version: u32,
    /// The findings.
    pub accepted: Vec<Accepted>,
}

/// The error for a text that is not a valid baseline.
#[derive(Debug)]
#[non_exhaustive]
pub enum BaselineError {
    /// It is not the JSON of a baseline.
    Syntax(serde_json::Error),
    /// It was written by a later version.
    Version(u32),
}

impl fmt::Display for BaselineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => write!(f, "it is not a baseline: {error}"),
            Self::Version(version) => write!(
                f,
                "its format has the version {version}, and this tool reads up to {VERSION}"
            ),
        }
    }
}

impl std::error::Error for BaselineError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Syntax(error) => Some(error),
            Self::Version(_) => None,
        }
    }
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not the JSON of a baseline, or if its version is a later one.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let baseline: Self = serde_json::from_str(text).map_err(BaselineError::Syntax)?;
        match baseline.version {
            0..=VERSION => Ok(baseline),
            version => Err(BaselineError::Version(version)),
        }
    }

    /// Creates a baseline that accepts these findings. The reasons in `before` are kept.
    #[must_use]
    pub fn of<'a>(findings: impl Iterator<Item = &'a Finding>, before: Option<&Self>) -> Self {
        let accepted = findings.map(|finding| Accepted {
            rule: finding.rule.to_owned(),
            from: finding.from.map(str::to_owned),
            method: finding.method.clone(),
            path: without_indexes(&finding.path),
            message: None,
            reason: None,
            fingerprint: finding.fingerprint.clone(),
        });
        Self::new(accepted, before)
    }

    /// Creates a baseline with these entries, each once. The reasons in `before` are kept.
    #[must_use]
    pub fn new(accepted: impl Iterator<Item = Accepted>, before: Option<&Self>) -> Self {
        let before = before.map(|before| before.accepted.as_slice()).unwrap_or_default();
        let reasons: BTreeMap<&str, &String> = before
            .iter()
            .filter_map(|one| Some((one.fingerprint.as_str(), one.reason.as_ref()?)))
            .collect();
        let accepted: BTreeSet<Accepted> = accepted
            .map(|mut one| {
                let reason = reasons.get(one.fingerprint.as_str()).copied();
                one.reason = reason.cloned().or(one.reason);
                one
            })
            .collect();
        Self { version: VERSION, accepted: accepted.into_iter().collect() }
    }

    /// Returns the text of the baseline, to be kept in a file.
    #[must_use]
    pub fn to_text(&self) -> String {
        // It consists of strings and numbers only, so serialization does not fail.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

impl Accepted {
    /// Creates an entry for something that a test of a peer has found: the name of the test, the side under test, and
    /// what is wrong, in words that are the same in each run.
    #[must_use]
    pub fn of_test(name: &str, side: Role, message: &str) -> Self {
        Self {
            rule: name.to_owned(),
            from: Some(side.name().to_owned()),
            method: None,
            path: String::new(),
            message: Some(message.to_owned()),
            reason: None,
            fingerprint: fingerprint(name, side.name(), "", "", message),
        }
    }
}

/// A baseline that findings are compared with. It remembers which of its entries have occurred.
#[derive(Debug, Default)]
pub struct Accepting {
    accepted: BTreeMap<String, Accepted>,
    used: BTreeSet<String>,
}

impl Accepting {
    /// Creates the comparison with a baseline.
    #[must_use]
    pub fn new(baseline: Baseline) -> Self {
        let by_fingerprint = |one: Accepted| (one.fingerprint.clone(), one);
        Self {
            accepted: baseline.accepted.into_iter().map(by_fingerprint).collect(),
            used: BTreeSet::new(),
        }
    }

    /// Returns whether a finding is accepted, and remembers that it has occurred.
    pub fn accepts(&mut self, fingerprint: &str) -> bool {
        let accepts = self.accepted.contains_key(fingerprint);
        if accepts && !self.used.contains(fingerprint) {
            self.used.insert(fingerprint.to_owned());
        }
        accepts
    }

    /// Returns the accepted findings that did not occur.
    pub fn stale(&self) -> impl Iterator<Item = &Accepted> {
        self.accepted.values().filter(|one| !self.used.contains(&one.fingerprint))
    }
}

/// Returns a hash by which a finding is recognised in other recordings too. It covers the rule, the sender, the method,
/// the place without the numbers of array elements, and what is wrong, but no ids, lines or values.
pub(crate) fn fingerprint(
    rule: &str,
    from: &str,
    method: &str,
    path: &str,
    message: &str,
) -> String {
    // FNV-1a with 64 bits is stable, and there are few findings to distinguish.
    let mut hash: u64 = 0xCBF2_9CE4_8422_2325;
    let path = without_indexes(path);
    for part in [rule, from, method, &path, message] {
        for byte in part.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }
    format!("{hash:016x}")
}
