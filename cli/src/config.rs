//! `tautline.toml`: the settings of a project.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tautline::Rule;
use tautline_audit::{Level, Policy, rule_named};
use tautline_mcp::rule;

/// The name of the file that is read by default.
const NAME: &str = "tautline.toml";

/// The settings in a file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    #[serde(default)]
    pub rules: Levels,
    #[serde(default)]
    pub audit: AuditConfig,
}

/// The rules whose findings get another severity, or are not reported.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Levels {
    deny: Vec<String>,
    warn: Vec<String>,
    allow: Vec<String>,
}

/// The settings of `tautline audit`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AuditConfig {
    /// The baseline. A relative path starts from the folder of the settings file.
    pub baseline: Option<PathBuf>,
}

/// The error for settings that cannot be used.
#[derive(Debug)]
pub struct ConfigError {
    path: PathBuf,
    why: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.why)
    }
}

impl Config {
    /// Reads the named file, or `tautline.toml` in the current folder, if it exists.
    pub fn read(path: Option<&Path>) -> Result<Self, ConfigError> {
        let is_named = path.is_some();
        let path = path.unwrap_or_else(|| Path::new(NAME));
        let fail = |why: String| ConfigError { path: path.to_owned(), why };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !is_named => {
                return Ok(Self::default());
            }
            Err(error) => return Err(fail(format!("cannot read it: {error}"))),
        };
        let mut config: Self = toml::from_str(&text).map_err(|error| fail(error.to_string()))?;
        config.rules.policy().map_err(&fail)?;
        if let (Some(baseline), Some(folder)) = (&mut config.audit.baseline, path.parent()) {
            *baseline = folder.join(&*baseline);
        }
        Ok(config)
    }
}

impl Levels {
    /// Returns the levels of all rules in the settings.
    pub fn policy(&self) -> Result<Policy, String> {
        let mut levels = Vec::new();
        for (names, level) in
            [(&self.deny, Level::Deny), (&self.warn, Level::Warn), (&self.allow, Level::Allow)]
        {
            for name in names {
                levels.push((rule_named(name).map_err(|error| error.to_string())?, level));
            }
        }
        let mut policy = Policy::default();
        distinct(levels)?.into_iter().for_each(|(rule, level)| policy.set(rule, level));
        Ok(policy)
    }
}

/// Returns the level of each rule, or an error if a rule has two.
pub fn distinct(
    levels: impl IntoIterator<Item = (Rule, Level)>,
) -> Result<BTreeMap<Rule, Level>, String> {
    let mut distinct = BTreeMap::new();
    for (rule, level) in levels {
        if distinct.insert(rule, level).is_some_and(|other| other != level) {
            let rule = rule::name(rule);
            return Err(format!("the rule {rule} is in two of deny, warn and allow; keep one"));
        }
    }
    Ok(distinct)
}
