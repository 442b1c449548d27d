//! The requirements of the specification: which of them a session has met or broken, and which did not apply.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde_json::value::RawValue;
use tautline::{Rule, Severity};
use tautline_mcp::{KnownMethod, Revision, Role, rule};

use super::Seen;
pub use super::table::{Requirement, RequirementRow, Status, all};
use super::table::{Trigger, without_indexes};
use crate::frame::{FindingReport, Kind, MessageReport};
use crate::judge::observes;

impl Trigger {
    /// Returns whether a message with the topic has the member that it needs.
    fn fits(&self, members: &Members<'_>) -> bool {
        self.with.as_ref().is_none_or(|path| members.has(path))
    }
}

/// Returns the topics of a message, as triggers name them.
fn topics<'a>(seen: &Seen<'a>, message: &'a MessageReport<'_>) -> Vec<Cow<'a, str>> {
    let kind = message.kind;
    let name = kind.as_str();
    let mut topics = vec!["frame".into(), "session".into(), name.into()];
    if kind == Kind::Invalid {
        return topics;
    }
    topics.push("message".into());
    let is_response = matches!(kind, Kind::Result | Kind::Error);
    if is_response {
        topics.push("response".into());
    }
    let called = if is_response { seen.answered } else { message.method.as_deref() };
    if let Some(method) = called {
        topics.push(format!("{method} {name}").into());
        topics.push(method.into());
    }
    topics
}

/// The members of a message, parsed on first use.
struct Members<'a> {
    message: &'a [u8],
    found: OnceCell<Option<(Object<'a>, Object<'a>)>>,
}

type Object<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

impl<'a> Members<'a> {
    const fn new(message: &'a [u8]) -> Self {
        Self { message, found: OnceCell::new() }
    }

    /// Returns whether there is a member at this path, starting from the message, its params or its result.
    fn has(&self, path: &str) -> bool {
        let found = self.found.get_or_init(|| {
            let message: Object<'a> = serde_json::from_slice(self.message).ok()?;
            let payload = message.get("params").or_else(|| message.get("result"));
            let payload = payload.and_then(|payload| object(payload));
            Some((message, payload.unwrap_or_default()))
        });
        found.as_ref().is_some_and(|(message, payload)| has(message, path) || has(payload, path))
    }
}

fn object(value: &RawValue) -> Option<Object<'_>> {
    serde_json::from_str(value.get()).ok()
}

fn has(object_of: &Object<'_>, path: &str) -> bool {
    // A name may contain dots.
    object_of.iter().any(|(name, value)| match path.strip_prefix(name.as_ref()) {
        Some("") => true,
        Some(rest) => rest
            .strip_prefix('.')
            .is_some_and(|rest| object(value).is_some_and(|inner| has(&inner, rest))),
        None => false,
    })
}

/// The requirements observed so far. Each is identified by its index in the table.
#[derive(Debug, Default)]
pub(crate) struct Requirements {
    /// The revisions in which messages were seen, each with the requirements that it still waits for.
    revisions: Vec<(Revision, Waiting)>,
    observed: BTreeMap<usize, Status>,
}

/// The requirements that are checked but were not observed yet, by topic.
type Waiting = HashMap<String, Vec<Awaited>>;

/// A requirement that waits for a message.
#[derive(Debug)]
struct Awaited {
    at: usize,
    /// The path of the member that must be there, and the end of the path.
    with: Option<(&'static str, Finder<'static>)>,
}

/// Finds the beginning of an escape that may stand for any character.
static ESCAPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\\u"));

impl Awaited {
    fn new(at: usize, trigger: &'static Trigger) -> Self {
        let with = trigger.with.as_deref().map(|path| {
            let end = path.rsplit(['.', '/']).next().unwrap_or(path);
            (path, Finder::new(end))
        });
        Self { at, with }
    }

    fn fits(&self, members: &Members<'_>) -> bool {
        let Some((path, finder)) = &self.with else { return true };
        // Few messages have the member, and its name is in the bytes, unless it is escaped. The letters of a name have no
        // other escapes than these.
        let message = members.message;
        let may_have = finder.find(message).is_some() || ESCAPE.find(message).is_some();
        may_have && members.has(path)
    }
}

fn waiting(revision: Revision) -> Waiting {
    let mut waiting = Waiting::new();
    for (at, requirement) in all().iter().enumerate() {
        if requirement.not.is_some() || !requirement.holds_in(revision) || observes(&requirement.id)
        {
            continue;
        }
        for trigger in &requirement.on {
            let topic = trigger.topic().into_owned();
            waiting.entry(topic).or_default().push(Awaited::new(at, trigger));
        }
    }
    waiting
}

impl Requirements {
    pub(super) fn count(&mut self, seen: &Seen<'_>) {
        let Some(revision) = seen.revision else { return };
        let Self { revisions, observed } = self;
        if !revisions.iter().any(|(other, _)| *other == revision) {
            revisions.push((revision, waiting(revision)));
        }
        let Some((_, waiting)) = revisions.iter_mut().find(|(other, _)| *other == revision) else {
            return;
        };
        for id in seen.met {
            if let Some(at) = all().iter().position(|one| one.id == *id) {
                observed.entry(at).or_insert(Status::Passed);
            }
        }
        let members = Members::new(seen.bytes);
        for message in seen.report.messages() {
            for topic in topics(seen, message) {
                let Some(requirements) = waiting.get_mut(topic.as_ref()) else { continue };
                requirements.retain(|awaited| {
                    let binds = |requirement: &Requirement| requirement.binds(seen.from);
                    let applies =
                        all().get(awaited.at).is_some_and(binds) && awaited.fits(&members);
                    if applies {
                        observed.entry(awaited.at).or_insert(Status::Passed);
                    }
                    !applies
                });
                if requirements.is_empty() {
                    waiting.remove(topic.as_ref());
                }
            }
            for finding in &message.findings {
                if finding.severity != Severity::Note {
                    for at in broken(finding, revision, seen, message) {
                        observed.insert(at, Status::Failed);
                    }
                }
            }
        }
    }

    /// Records a message that was missing at the end of a session under this revision.
    pub(crate) fn note_omission(
        &mut self,
        rule: Rule,
        from: Role,
        method: KnownMethod,
        revision: Option<Revision>,
    ) {
        let (rule, method) = (rule::name(rule), method.name());
        for (at, requirement) in all().iter().enumerate() {
            let is_broken = requirement.rules.iter().any(|name| name == rule)
                && requirement.binds(from)
                && requirement.on.iter().any(|on| on.what == method)
                && revision.is_some_and(|revision| requirement.holds_in(revision));
            if is_broken {
                self.observed.insert(at, Status::Failed);
            }
        }
    }

    /// Returns a row for each requirement of the revisions that were seen.
    pub fn rows(&self) -> Vec<RequirementRow> {
        let holds = |requirement: &Requirement| {
            self.revisions.iter().any(|&(revision, _)| requirement.holds_in(revision))
        };
        let table = all().iter().enumerate().filter(|(_, requirement)| holds(requirement));
        table
            .map(|(at, requirement)| RequirementRow {
                id: &requirement.id,
                level: &requirement.level,
                clause: &requirement.clause,
                by: &requirement.by,
                text: &requirement.text,
                verdict: self.observed.get(&at).copied().unwrap_or(Status::NotObserved),
                rules: &requirement.rules,
                reason: requirement.why_not(),
            })
            .collect()
    }
}

/// Returns the requirements that a finding shows to be broken.
///
/// A rule may check many requirements. Those whose trigger matches the message count. If, for some of them, the
/// examples report a breach at this very place, only those count.
fn broken(
    finding: &FindingReport,
    revision: Revision,
    seen: &Seen<'_>,
    message: &MessageReport<'_>,
) -> Vec<usize> {
    if let Some(id) = finding.requirement {
        let is_it = |one: &Requirement| one.id == id && one.holds_in(revision);
        return all().iter().position(is_it).into_iter().collect();
    }
    let name = rule::name(finding.rule);
    let path = without_indexes(&finding.path);
    let topics = topics(seen, message);
    let members = Members::new(seen.bytes);
    let is_about = |on: &Trigger| topics.contains(&on.topic()) && on.fits(&members);
    // A line that is not JSON need not be part of a message that spans several lines.
    let has_hint = message.findings.iter().any(|finding| finding.rule == Rule::EMBEDDED_NEWLINE);
    let is_text = finding.rule == Rule::NOT_JSON && !has_hint;
    let is_of_lines =
        |one: &Requirement| one.rules.iter().any(|rule| rule == rule::name(Rule::EMBEDDED_NEWLINE));
    let candidates: Vec<(usize, bool)> = all()
        .iter()
        .enumerate()
        .filter(|(_, one)| one.rules.iter().any(|rule| rule == name))
        .filter(|(_, one)| one.holds_in(revision) && one.binds(seen.from))
        .filter(|(_, one)| !(is_text && is_of_lines(one)))
        .filter(|(_, one)| one.on.iter().any(is_about))
        .map(|(at, one)| {
            (at, one.places.iter().any(|(rule, place)| rule == name && *place == path))
        })
        .collect();
    let has_exact = candidates.iter().any(|&(_, is_exact)| is_exact);
    let counts = |&(at, is_exact): &(usize, bool)| (is_exact || !has_exact).then_some(at);
    candidates.iter().filter_map(counts).collect()
}

#[cfg(test)]
mod tests {
    use super::{Awaited, Members, all};
    use crate::tally::table::Trigger;

    #[test]
    fn members_are_found_below_the_message_and_its_payload() {
        let message = br#"{"id":1,"params":{"a":{"b.c":null},"_meta":{"x.io/y":1}}}"#;
        for (path, expected) in [
            ("params", true),
            ("params.a", true),
            ("a", true),
            ("a.b.c", true),
            ("_meta.x.io/y", true),
            ("params._meta.x.io/y", true),
            ("b", false),
            ("a.b", false),
            ("params.a.b.c.d", false),
        ] {
            assert_eq!(Members::new(message).has(path), expected, "{path}");
        }
        assert!(!Members::new(b"not JSON").has("a"));
    }

    #[test]
    fn a_member_that_is_awaited_may_be_escaped() {
        let awaits = |one: &&Trigger| one.with.as_deref() == Some("inputRequests");
        let trigger = all().iter().flat_map(|one| &one.on).find(awaits).unwrap();
        let awaited = Awaited::new(0, trigger);
        for (result, expected) in [
            (r#"{"inputRequests":{}}"#, true),
            (r#"{"input\u0052equests":{}}"#, true),
            (r#"{"text":"say \"inputRequests\""}"#, false),
            (r#"{"text":"say \"hello\""}"#, false),
        ] {
            let message = format!(r#"{{"id":1,"result":{result}}}"#);
            assert_eq!(awaited.fits(&Members::new(message.as_bytes())), expected, "{result}");
        }
    }
}
