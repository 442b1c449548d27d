//! The requirements of the specification: which of them a session has met or broken, and which did not apply.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde_json::value::RawValue;
use tautline::{Rule, Severity};
use tautline_mcp::{Revision, Role, rule};

use super::Seen;
pub use super::table::{Requirement, RequirementRow, Status, all};
use super::table::{Trigger, without_indexes};
use super::undeclared::Undeclared;
use crate::frame::{FindingReport, Kind, MessageReport};
use crate::judge::observes;
use crate::source::http::{Checked, checks};

impl Trigger {
    /// Returns whether a message with the topic has the member that it needs.
    fn fits(&self, members: &Members<'_>) -> bool {
        self.with.as_ref().is_none_or(|path| members.has(path))
    }
}

/// Returns the topics of a message of this kind, as triggers name them. `called` is the method that it calls or answers.
fn topics(kind: Kind, called: Option<&str>) -> Vec<Cow<'_, str>> {
    let name = kind.as_str();
    let mut topics = vec!["frame".into(), "session".into(), name.into()];
    if kind == Kind::Invalid {
        return topics;
    }
    topics.push("message".into());
    if is_response(kind) {
        topics.push("response".into());
    }
    if let Some(method) = called {
        topics.push(format!("{method} {name}").into());
        topics.push(method.into());
    }
    topics
}

const fn is_response(kind: Kind) -> bool {
    matches!(kind, Kind::Result | Kind::Error)
}

/// Returns the method that a message calls or answers.
fn called<'a>(seen: &Seen<'a>, message: &'a MessageReport<'_>) -> Option<&'a str> {
    if is_response(message.kind) { seen.answered_method() } else { message.method.as_deref() }
}

/// Returns the topics of a message that a finding may be about. A frame that is not a message counts as what it was
/// meant to be, and so does a message with a method of the other kind.
fn topics_of_finding<'a>(
    rule: Rule,
    seen: &Seen<'a>,
    message: &'a MessageReport<'_>,
    members: &Members<'_>,
) -> Vec<Cow<'a, str>> {
    let mut topics = topics(message.kind, called(seen, message));
    if rule == rule::METHOD_KIND {
        let meant = match message.kind {
            Kind::Notification => Kind::Request,
            Kind::Request => Kind::Notification,
            other => other,
        };
        let kind = message.kind.as_str();
        topics.iter_mut().filter(|topic| *topic == kind).for_each(|topic| {
            *topic = meant.as_str().into();
        });
    }
    if message.kind != Kind::Invalid {
        return topics;
    }
    topics.push("message".into());
    let names: &[&str] = if members.has_own("error") || message.null_id == Some(Kind::Error) {
        &["response", "error"]
    } else if members.has_own("result") || message.null_id == Some(Kind::Result) {
        &["response", "result"]
    } else if members.has_own("id") {
        &["request"]
    } else {
        // Without a method, it may be anything.
        match message.method {
            Some(_) => &["notification"],
            None => &["request", "notification", "response"],
        }
    };
    for name in names {
        topics.push((*name).into());
        if let Some(method) = &message.method {
            topics.push(format!("{method} {name}").into());
        }
    }
    topics.extend(message.method.as_deref().map(Cow::Borrowed));
    topics
}

/// The members of a message, parsed on first use.
struct Members<'a> {
    message: &'a [u8],
    found: OnceCell<Option<(Object<'a>, Object<'a>)>>,
    has_escapes: OnceCell<bool>,
    /// Bits for the first 64 [`NAMES`]: those that were searched, and those that were found.
    searched: Cell<[u64; 2]>,
}

type Object<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

impl<'a> Members<'a> {
    const fn new(message: &'a [u8]) -> Self {
        Self {
            message,
            found: OnceCell::new(),
            has_escapes: OnceCell::new(),
            searched: Cell::new([0; 2]),
        }
    }

    /// Returns whether there may be a member with this name. Few messages have it, and its name is in the bytes, unless it
    /// is escaped. The letters of a name have no other escapes than [`ESCAPE`].
    fn may_have(&self, name: usize) -> bool {
        let [searched, found] = self.searched.get();
        let bit = u32::try_from(name).ok().and_then(|place| 1_u64.checked_shl(place)).unwrap_or(0);
        if searched & bit != 0 {
            return found & bit != 0;
        }
        let finder = NAMES.get(name).map(|(_, finder)| finder);
        let has = finder.is_none_or(|finder| finder.find(self.message).is_some())
            || *self.has_escapes.get_or_init(|| ESCAPE.find(self.message).is_some());
        self.searched.set([searched | bit, found | if has { bit } else { 0 }]);
        has
    }

    /// Returns whether there is a member at this path, starting from the message, its params or its result.
    fn has(&self, path: &str) -> bool {
        let found = self.objects();
        found.is_some_and(|(message, payload)| has(message, path) || has(payload, path))
    }

    /// Returns whether the message itself has a member of this name.
    fn has_own(&self, name: &str) -> bool {
        self.objects().is_some_and(|(message, _)| message.contains_key(name))
    }

    /// Returns the message, and its params or its result.
    fn objects(&self) -> Option<&(Object<'a>, Object<'a>)> {
        let found = self.found.get_or_init(|| {
            let message: Object<'a> = serde_json::from_slice(self.message).ok()?;
            let payload = message.get("params").or_else(|| message.get("result"));
            let payload = payload.and_then(|payload| object(payload));
            Some((message, payload.unwrap_or_default()))
        });
        found.as_ref()
    }
}

fn object(value: &RawValue) -> Option<Object<'_>> {
    serde_json::from_str(value.get()).ok()
}

fn has(object_of: &Object<'_>, path: &str) -> bool {
    // A name may contain dots, and `*` stands for any name.
    let after = |name: &str| path.strip_prefix(name).or_else(|| path.strip_prefix('*'));
    object_of.iter().any(|(name, value)| match after(name) {
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
    /// By their places in the table, as far as any was observed.
    observed: Vec<Option<Observed>>,
    undeclared: Undeclared,
    /// The numbers of the frames that are batches.
    batches: BTreeSet<u64>,
}

/// The maximum number of batches that are remembered.
const MOST_BATCHES: usize = 1024;

/// The observations of a requirement. A later one in this list outweighs an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Observed {
    /// Something could have broken it, and did not.
    Met,
    /// A rule that checks several requirements was broken, and it may have been this one; or a note is about it.
    Doubted,
    Broken,
}

/// The requirements of a revision that are checked, and those of them that were not observed yet.
#[derive(Debug)]
struct Waiting {
    by_topic: HashMap<String, Vec<Awaited>>,
    /// Those that a message of this kind, sender and method may show, for each of which a message was seen. The method is
    /// one of [`METHODS`], because no trigger names another one.
    by_message: BTreeMap<(Kind, bool, Option<usize>), Shown>,
}

/// A requirement that waits for a message.
#[derive(Clone, Copy, Debug)]
struct Awaited {
    at: usize,
    /// The path of the member that must be there, and the place of its name in [`NAMES`].
    with: Option<(&'static str, usize)>,
}

/// The requirements that messages of one kind, sender and method may show.
#[derive(Debug, Default)]
struct Shown {
    /// Those that any such message shows.
    by_any: Vec<usize>,
    /// Those that take a member, each with its path, by the place of its name in [`NAMES`].
    by_member: BTreeMap<usize, Vec<(usize, &'static str)>>,
}

/// The methods that triggers name, in the order of [`by_length`].
static METHODS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let triggers = all().iter().flat_map(|requirement| &requirement.on);
    let mut methods: Vec<&str> = triggers.map(|on| on.what.as_str()).collect();
    methods.sort_unstable_by_key(by_length);
    methods.dedup();
    methods
});

/// Orders methods: most differ in their lengths, which takes less to compare.
fn by_length<'a>(method: &&'a str) -> (usize, &'a str) {
    (method.len(), method)
}

/// The first requirement with each id.
static IDS: LazyLock<HashMap<&'static str, usize>> = LazyLock::new(|| {
    let requirements = all().iter().enumerate().rev();
    requirements.map(|(at, requirement)| (requirement.id.as_str(), at)).collect()
});

/// The names of the members that triggers look for, each once.
static NAMES: LazyLock<Vec<(&'static str, Finder<'static>)>> = LazyLock::new(|| {
    let triggers = all().iter().flat_map(|requirement| &requirement.on);
    let names: BTreeSet<&str> = triggers.filter_map(|on| on.with.as_deref().map(name_of)).collect();
    names.into_iter().map(|name| (name, Finder::new(name))).collect()
});

/// Returns the last name of a path.
fn name_of(path: &str) -> &str {
    path.rsplit(['.', '/']).next().unwrap_or(path)
}

/// Finds the beginning of an escape that may stand for any character.
static ESCAPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\\u"));

impl Awaited {
    fn new(at: usize, trigger: &'static Trigger) -> Self {
        let place = |path| NAMES.binary_search_by_key(&name_of(path), |(name, _)| name).ok();
        let with = trigger.with.as_deref().and_then(|path| Some((path, place(path)?)));
        Self { at, with }
    }
}

impl Shown {
    fn of<'a>(awaited: impl Iterator<Item = &'a Awaited>) -> Self {
        let mut shown = Self::default();
        for &Awaited { at, with } in awaited {
            match with {
                None => shown.by_any.push(at),
                Some((path, name)) => shown.by_member.entry(name).or_default().push((at, path)),
            }
        }
        shown
    }

    /// Notes the requirements that a message with these members meets. Later messages need not show them again.
    fn take(&mut self, members: &Members<'_>, observed: &mut Vec<Option<Observed>>) {
        for at in self.by_any.drain(..) {
            note(observed, at, Observed::Met);
        }
        self.by_member.retain(|&name, awaited| {
            if members.may_have(name) {
                awaited.retain(|&(at, path)| {
                    let is_new = observation(observed, at).is_none();
                    let is_met = is_new && members.has(path);
                    if is_met {
                        note(observed, at, Observed::Met);
                    }
                    is_new && !is_met
                });
            }
            !awaited.is_empty()
        });
    }
}

impl Waiting {
    fn new(revision: Revision) -> Self {
        let mut by_topic = HashMap::<String, Vec<Awaited>>::new();
        for (at, requirement) in all().iter().enumerate() {
            let is_special = observes(&requirement.id) || checks(&requirement.id);
            if requirement.not.is_some() || !requirement.holds_in(revision) || is_special {
                continue;
            }
            for trigger in &requirement.on {
                let topic = trigger.topic().into_owned();
                by_topic.entry(topic).or_default().push(Awaited::new(at, trigger));
            }
        }
        Self { by_topic, by_message: BTreeMap::new() }
    }

    /// Returns what a message of this kind and sender may show, which calls or answers this method.
    fn of_message(&mut self, kind: Kind, from: Role, called: Option<&str>) -> &mut Shown {
        let Self { by_topic, by_message } = self;
        let place = |method| METHODS.binary_search_by_key(&by_length(&method), by_length).ok();
        let method = called.and_then(place);
        by_message.entry((kind, from == Role::Client, method)).or_insert_with(|| {
            let binds =
                |awaited: &&Awaited| all().get(awaited.at).is_some_and(|one| one.binds(from));
            let topics = topics(kind, called);
            let awaited = topics.iter().filter_map(|topic| by_topic.get(topic.as_ref())).flatten();
            Shown::of(awaited.filter(binds))
        })
    }
}

impl Requirements {
    pub(crate) fn count(&mut self, seen: &Seen<'_>) {
        let Some(revision) = seen.revision else { return };
        let Self { revisions, observed, undeclared, batches } = self;
        if seen.report.message.kind == Kind::Batch {
            batches.insert(seen.number);
            if batches.len() > MOST_BATCHES {
                batches.pop_first();
            }
        }
        if !revisions.iter().any(|(other, _)| *other == revision) {
            revisions.push((revision, Waiting::new(revision)));
        }
        let Some((_, waiting)) = revisions.iter_mut().find(|(other, _)| *other == revision) else {
            return;
        };
        for id in seen.met {
            if let Some(&at) = IDS.get(id) {
                note(observed, at, Observed::Met);
            }
        }
        let members = Members::new(seen.bytes);
        for message in seen.report.messages() {
            let called = called(seen, message);
            waiting.of_message(message.kind, seen.from, called).take(&members, observed);
            if message.kind == Kind::Result {
                for at in undeclared.broken(revision, seen, message) {
                    note(observed, at, Observed::Broken);
                }
            }
            let left_out = message.left_out.iter().map(|left_out| &left_out.last);
            let is_around = |finding: &&FindingReport| {
                (rule::HTTP_METHOD..=rule::EVENTS_BUFFERED).contains(&finding.rule)
            };
            let findings = message.findings.iter().chain(left_out);
            // Those around the message were noted with its head.
            for finding in findings.filter(|finding| !is_around(finding)) {
                undeclared.add(seen.number, message, finding);
                // A note may be about something legal, or have another cause.
                let most = match finding.severity {
                    Severity::Note => Observed::Doubted,
                    _ => Observed::Broken,
                };
                for (at, verdict) in broken(finding, revision, seen, message) {
                    note(observed, at, verdict.min(most));
                }
            }
        }
    }

    /// Records what the rules of HTTP show about a requirement.
    pub(crate) fn note_checked(&mut self, checked: &Checked) {
        let Checked { check, revision, by, is_met } = *checked;
        let is_it = |one: &Requirement| {
            one.id == check.id && one.not.is_none() && one.binds(by) && one.holds_in(revision)
        };
        if let Some(at) = all().iter().position(is_it) {
            let now = if is_met { Observed::Met } else { Observed::Broken };
            note(&mut self.observed, at, now);
        }
    }

    /// Records a finding about a session under this revision: its rule, the side that broke it, and the method and the
    /// number of the frame that it is about.
    pub(crate) fn note_session(
        &mut self,
        rule: Rule,
        from: Role,
        (method, frame): (&str, Option<u64>),
        revision: Option<Revision>,
    ) {
        let Some(revision) = revision else { return };
        let name = rule::name(rule);
        let is_in_batch = frame.is_some_and(|frame| self.batches.contains(&frame));
        let batch = if is_in_batch { "batch" } else { "request" };
        let topics = ["session", "message", "request", batch, method, &format!("{method} request")];
        for (at, requirement) in all().iter().enumerate() {
            let is_broken = requirement.rules.iter().any(|rule| rule == name)
                && requirement.binds(from)
                && requirement
                    .on
                    .iter()
                    .any(|on| on.what == method || topics.contains(&on.topic().as_ref()))
                && requirement.holds_in(revision);
            if is_broken {
                note(&mut self.observed, at, Observed::Broken);
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
                verdict: match observation(&self.observed, at) {
                    Some(Observed::Met) => Status::Passed,
                    Some(Observed::Broken) => Status::Failed,
                    Some(Observed::Doubted) | None => Status::NotObserved,
                },
                rules: &requirement.rules,
                reason: requirement.why_not(),
            })
            .collect()
    }
}

fn note(observed: &mut Vec<Option<Observed>>, at: usize, now: Observed) {
    if observed.len() <= at {
        observed.resize(at + 1, None);
    }
    if let Some(before) = observed.get_mut(at) {
        *before = Some(now).max(*before);
    }
}

fn observation(observed: &[Option<Observed>], at: usize) -> Option<Observed> {
    observed.get(at).copied().flatten()
}

/// Returns the requirements that a finding shows to be broken, and those that it may have broken.
///
/// A rule may check many requirements. Those whose trigger matches the message are broken or, if there are none, all of
/// them: the finding may be on another message than the one that the requirement is about. A rule on the schema of
/// payloads is more general: if, for some requirements, the examples report a breach at this very place, the others are
/// only doubted.
fn broken(
    finding: &FindingReport,
    revision: Revision,
    seen: &Seen<'_>,
    message: &MessageReport<'_>,
) -> Vec<(usize, Observed)> {
    if let Some(id) = finding.requirement {
        let is_it = |one: &Requirement| one.id == id && one.holds_in(revision);
        let at = all().iter().position(is_it);
        return at.map(|at| (at, Observed::Broken)).into_iter().collect();
    }
    let name = rule::name(finding.rule);
    // A cause breaks what the fault breaks.
    let fault = finding.fault.map_or(name, rule::name);
    // And a finding on the schema what the rule about the member breaks.
    let part = finding.part.map(rule::name);
    let path = without_indexes(&finding.path);
    let members = Members::new(seen.bytes);
    let topics = topics_of_finding(finding.rule, seen, message, &members);
    let is_about = |on: &Trigger| topics.contains(&on.topic()) && on.fits(&members);
    // A line that is not JSON need not be part of a message that spans several lines.
    let has_hint = message.findings.iter().any(|finding| finding.rule == Rule::EMBEDDED_NEWLINE);
    let is_text = finding.fault.unwrap_or(finding.rule) == Rule::NOT_JSON && !has_hint;
    let lines = rule::name(Rule::EMBEDDED_NEWLINE);
    let lists = |one: &Requirement, name: &str| one.rules.iter().any(|rule| rule == name);
    let is_named = |one: &Requirement| finding.fault.is_some() && lists(one, name);
    let is_part = |one: &Requirement| part.is_some_and(|part| lists(one, part));
    let of_rule = all()
        .iter()
        .enumerate()
        .filter(|(_, one)| lists(one, name) || lists(one, fault) || is_part(one))
        .filter(|(_, one)| one.holds_in(revision))
        .filter(|(_, one)| is_named(one) || !(is_text && lists(one, lines)));
    let of_rule: Vec<(usize, &Requirement)> = of_rule.collect();
    let is_about_message = |one: &Requirement| one.binds(seen.from) && one.on.iter().any(is_about);
    let has_about = of_rule.iter().any(|(_, one)| is_about_message(one));
    let is_general = is_of_schema(finding.rule);
    let candidates = of_rule
        .into_iter()
        .filter(|(_, one)| is_about_message(one) || !has_about && !is_general)
        .map(|(at, one)| {
            let is_place = |(rule, place): &(String, String)| {
                (rule == name || Some(rule.as_str()) == part) && *place == path
            };
            (at, one.places.iter().any(is_place))
        });
    let candidates: Vec<(usize, bool)> = candidates.collect();
    let has_exact = is_general && candidates.iter().any(|&(_, is_exact)| is_exact);
    let verdict = |(at, is_exact): (usize, bool)| match is_exact || !has_exact {
        true => (at, Observed::Broken),
        false => (at, Observed::Doubted),
    };
    candidates.into_iter().map(verdict).collect()
}

/// Returns whether a rule is about the schema of any payload, so that it checks many requirements.
const fn is_of_schema(rule: Rule) -> bool {
    matches!(
        rule,
        rule::MISSING_MEMBER
            | rule::MEMBER_TYPE
            | rule::MEMBER_VALUE
            | rule::MEMBER_RANGE
            | rule::META_TYPE
            | rule::MISSING_PARAMS
            | Rule::DUPLICATE_NESTED_MEMBER
            | Rule::DUPLICATE_INNER_MEMBER
    )
}

#[cfg(test)]
mod tests {
    use super::{Awaited, Members, Shown, all, observation};
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
            ("params.*.b.c", true),
            ("*.*.b.c", true),
            ("params.*.c", false),
        ] {
            assert_eq!(Members::new(message).has(path), expected, "{path}");
        }
        assert!(!Members::new(b"not JSON").has("a"));
    }

    #[test]
    fn a_member_that_is_awaited_may_be_escaped() {
        let awaits = |one: &&Trigger| one.with.as_deref() == Some("inputRequests");
        let trigger = all().iter().flat_map(|one| &one.on).find(awaits).unwrap();
        let awaited = [Awaited::new(0, trigger)];
        for (result, expected) in [
            (r#"{"inputRequests":{}}"#, true),
            (r#"{"input\u0052equests":{}}"#, true),
            (r#"{"text":"say \"inputRequests\""}"#, false),
            (r#"{"text":"say \"hello\""}"#, false),
        ] {
            let message = format!(r#"{{"id":1,"result":{result}}}"#);
            let mut observed = Vec::new();
            let mut shown = Shown::of(awaited.iter());
            shown.take(&Members::new(message.as_bytes()), &mut observed);
            assert_eq!(observation(&observed, 0).is_some(), expected, "{result}");
            assert_eq!(shown.by_member.is_empty(), expected, "{result}");
        }
    }
}
