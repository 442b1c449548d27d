//! Baselines: findings that were accepted, so that only new ones fail.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

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
        let before = before.map(|before| before.accepted.as_slice()).unwrap_or_default();
        let reasons: BTreeMap<&str, &Option<String>> =
            before.iter().map(|one| (one.fingerprint.as_str(), &one.reason)).collect();
        let accepted: BTreeSet<Accepted> = findings
            .map(|finding| Accepted {
                rule: finding.rule.to_owned(),
                from: finding.from.map(str::to_owned),
                method: finding.method.clone(),
                path: without_indexes(&finding.path),
                reason: reasons.get(finding.fingerprint.as_str()).and_then(|&one| one.clone()),
                fingerprint: finding.fingerprint.clone(),
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

/// A baseline that findings are compared with.
#[derive(Debug, Default)]
pub(crate) struct Accepting {
    accepted: BTreeMap<String, Accepted>,
    used: BTreeSet<String>,
}

impl Accepting {
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
