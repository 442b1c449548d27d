//! Findings about a message: of its envelope, its payload or its session.

use core::fmt;

use tautline::{Rule, Severity};

use super::rule;

/// A rule that is broken, and where: a [finding](tautline::Finding) with the texts of both tables.
///
/// ```
/// use tautline_mcp::{Message, Revision, rule};
///
/// let revision = Revision::V2026_07_28;
/// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;
/// let message = Message::parse(frame, &revision.profile()).unwrap();
/// revision.findings(&message, |finding| {
///     assert_eq!((finding.rule(), finding.offset()), (rule::MISSING_META, 55));
///     assert_eq!(finding.message(), "the request lacks metadata that it must carry");
/// });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Finding(tautline::Finding);

impl Finding {
    pub(crate) const fn new(rule: Rule, severity: Severity, offset: u32) -> Self {
        Self(tautline::Finding::new(rule, severity, offset))
    }

    /// Returns the rule that is broken.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        self.0.rule()
    }

    /// Returns the severity.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        self.0.severity()
    }

    /// Returns the place in the frame, as [`Finding::offset`](tautline::Finding::offset) of the core does.
    #[must_use]
    pub const fn offset(&self) -> u32 {
        self.0.offset()
    }

    /// Returns what is wrong, in one line.
    #[must_use]
    pub const fn message(&self) -> &'static str {
        match self.0.syntax() {
            Some(syntax) => syntax.description(),
            None => rule::summary(self.rule()),
        }
    }
}

impl From<tautline::Finding> for Finding {
    fn from(finding: tautline::Finding) -> Self {
        Self(finding)
    }
}

/// Writes the name of the rule, the offset, and what is wrong.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, offset) = (rule::name(self.rule()), self.offset());
        write!(f, "{name} at byte {offset}: {}", self.message())
    }
}

impl core::error::Error for Finding {}

/// Serializes a map with `severity`, the name of the `rule`, and `offset` in bytes.
#[cfg(feature = "serde")]
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl serde::Serialize for Finding {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("severity", &self.severity())?;
        map.serialize_entry("rule", rule::name(self.rule()))?;
        map.serialize_entry("offset", &self.offset())?;
        map.end()
    }
}
