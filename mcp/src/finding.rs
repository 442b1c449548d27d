//! Findings: about an envelope, a payload or a session.

use core::fmt;

use tautline::json::Path;
use tautline::{Rule, Severity};

use crate::rule;
#[cfg(feature = "shapes")]
use crate::shape::Expected;

/// A rule that is broken, and where: a [finding](tautline::Finding) with the texts of both tables.
///
/// ```
/// use tautline_mcp::{Message, Revision, rule};
///
/// let revision = Revision::V2026_07_28;
/// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;
/// let message = Message::parse(frame, &revision.profile()).unwrap();
/// revision.findings(&message, |finding| {
///     assert_eq!((finding.rule(), finding.offset()), (rule::MISSING_META, Some(55)));
///     assert_eq!(finding.message(), "the request lacks metadata that it must carry");
/// });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    found: tautline::Finding,
    #[cfg(feature = "shapes")]
    expected: Option<Expected>,
    #[cfg(all(feature = "shapes", feature = "alloc"))]
    is_in_payload: bool,
    #[cfg(all(feature = "shapes", feature = "alloc"))]
    part: Option<Rule>,
}

impl Finding {
    pub(crate) const fn new(rule: Rule, severity: Severity, offset: u32) -> Self {
        Self::of(tautline::Finding::new(rule, severity, offset))
    }

    const fn of(found: tautline::Finding) -> Self {
        Self {
            found,
            #[cfg(feature = "shapes")]
            expected: None,
            #[cfg(all(feature = "shapes", feature = "alloc"))]
            is_in_payload: false,
            #[cfg(all(feature = "shapes", feature = "alloc"))]
            part: None,
        }
    }

    /// Creates a finding about a place where this is expected.
    #[cfg(feature = "shapes")]
    pub(crate) const fn expecting(rule: Rule, offset: u32, expected: Option<Expected>) -> Self {
        let found = tautline::Finding::new(rule, rule::severity(rule), offset);
        Self { expected, ..Self::of(found) }
    }

    /// Records that the place is in the payload.
    #[cfg(all(feature = "shapes", feature = "alloc"))]
    pub(crate) const fn in_payload(self) -> Self {
        Self { is_in_payload: true, ..self }
    }

    /// Records a rule about the same place that it stands for as well, unless it has one.
    #[cfg(all(feature = "shapes", feature = "alloc"))]
    pub(crate) fn standing_for(self, part: Option<Rule>) -> Self {
        Self { part: self.part.or(part), ..self }
    }

    /// Returns the rule about the same member that a finding on the schema stands for as well: a
    /// [judge](crate::judge::Judge) reports a `_meta` that is missing, for example, once.
    #[must_use]
    #[cfg(all(feature = "shapes", feature = "alloc"))]
    pub const fn part(&self) -> Option<Rule> {
        self.part
    }

    /// Returns whether the place is in the payload of the message, where the [path](Self::path) says more than the offset.
    /// A [judge](crate::judge::Judge) knows that.
    #[must_use]
    #[cfg(all(feature = "shapes", feature = "alloc"))]
    pub const fn has_path(&self) -> bool {
        self.is_in_payload || matches!(self.rule(), rule::META_TYPE | Rule::DUPLICATE_NESTED_MEMBER)
    }

    /// Returns the rule that is broken.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        self.found.rule()
    }

    /// Returns the severity.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        self.found.severity()
    }

    /// Returns the place in the frame, as [`Finding::offset`](tautline::Finding::offset) of the core does. It is `None`
    /// for a message that was due at the end of a session.
    #[must_use]
    pub const fn offset(&self) -> Option<u32> {
        #[cfg(all(feature = "shapes", feature = "alloc"))]
        if let Some(expected) = &self.expected
            && expected.message().is_some()
        {
            return None;
        }
        Some(self.found.offset())
    }

    /// Returns what is expected at the place, unless the [message](Self::message) says it.
    #[must_use]
    #[cfg(feature = "shapes")]
    pub const fn expected(&self) -> Option<Expected> {
        self.expected
    }

    /// Returns the path of the place in its frame, as in `params.clientInfo.version`.
    ///
    /// Writing it reads the frame up to the place. It is empty if there is no [offset](Self::offset).
    #[must_use]
    pub const fn path<'buf>(&self, frame: &'buf [u8]) -> Path<'buf> {
        Path::at(frame, self.found.offset())
    }

    /// Returns what is wrong at this place, in one line to write: what is expected, if that is known, and
    /// otherwise the [message](Self::message).
    #[must_use]
    pub fn reason(&self) -> impl fmt::Display + use<> {
        Reason(*self)
    }

    /// Returns what is wrong in general, in one line.
    #[must_use]
    pub const fn message(&self) -> &'static str {
        match self.found.syntax() {
            Some(syntax) => syntax.description(),
            None => rule::summary(self.rule()),
        }
    }
}

impl From<tautline::Finding> for Finding {
    fn from(finding: tautline::Finding) -> Self {
        Self::of(finding)
    }
}

/// Writes the name of the rule, the offset and the [reason](Finding::reason).
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(rule::name(self.rule()))?;
        if let Some(offset) = self.offset() {
            write!(f, " at byte {offset}")?;
        }
        write!(f, ": {}", self.reason())
    }
}

struct Reason(Finding);

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[cfg(feature = "shapes")]
        if let Some(expected) = self.0.expected {
            return expected.fmt(f);
        }
        f.write_str(self.0.message())
    }
}

impl core::error::Error for Finding {}

/// Serializes a map with `severity`, the name of the `rule`, and `offset` in bytes, or null if there is none.
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
