//! Each requirement that a rule checks has a recording that breaks it, in `mcp/tests/data/dialogues.txt`, `refusals.txt`
//! or `exchanges.txt`. An audit of the recording finds a breach of a rule of the requirement, and fails the requirement.

use tautline::Severity;
use tautline_audit::document::Finding;
use tautline_audit::source::{Ending, Event, Place};
use tautline_audit::tally::requirements::{Requirement, Status, all};
use tautline_audit::{Audit, Document, Options};
use tautline_mcp::{Revision, Role};

use super::dialogues::{self, Action, DIALOGUES, Dialogue};
use super::{exchanges, refusals};

const REFUSALS: &str = include_str!("refusals.txt");

/// A recording that breaks a requirement.
#[derive(Clone)]
struct Recording {
    /// The file and the line.
    name: String,
    /// The revision that it was written for.
    revision: Revision,
    frames: Vec<(Role, Vec<u8>)>,
    times: Vec<Option<i64>>,
    has_end: bool,
    /// The HTTP exchanges, instead of frames.
    exchanges: Option<String>,
}

impl Recording {
    fn of_dialogue(dialogue: &Dialogue<'_>, revision: Revision) -> Self {
        let (mut frames, mut has_end) = (Vec::new(), false);
        for step in dialogue.steps_in(revision) {
            match step.action {
                Action::Send(sent) => frames.extend(sent),
                Action::End => has_end = true,
            }
        }
        let name = format!("dialogues.txt, line {}", dialogue.line);
        let times = vec![None; frames.len()];
        Self { name, revision: dialogue.revision, frames, times, has_end, exchanges: None }
    }

    /// Reads a dialogue that fails its requirement, as it would be in this revision of the same era.
    fn of_refusal(dialogue: &refusals::Dialogue<'_>, revision: Revision) -> Option<Self> {
        let names_one = |revision: &Revision| {
            dialogue.frames.iter().any(|(_, text)| text.contains(revision.name()))
        };
        let all = || Revision::ALL.iter().copied();
        let own = std::iter::once(revision).chain(all()).find(names_one)?;
        let frame = |(from, text): &(Role, String)| {
            (*from, text.replace(own.name(), revision.name()).into_bytes())
        };
        (own.era() == revision.era()).then(|| Self {
            name: format!("refusals.txt, line {}", dialogue.line),
            revision: own,
            frames: dialogue.frames.iter().map(frame).collect(),
            times: dialogue.times.clone(),
            has_end: false,
            exchanges: None,
        })
    }

    /// Reads exchanges that break their requirement, as they would be in this revision of the same era.
    fn of_exchanges(dialogue: &exchanges::Dialogue, revision: Revision) -> Option<Self> {
        let mut all = Revision::ALL.iter().rev().copied();
        let own = all.find(|revision| dialogue.text.contains(revision.name()))?;
        (own.era() == revision.era()).then(|| Self {
            name: format!("exchanges.txt, line {}", dialogue.line),
            revision: own,
            frames: Vec::new(),
            times: Vec::new(),
            has_end: false,
            exchanges: Some(dialogue.text.replace(own.name(), revision.name())),
        })
    }

    fn audit(&self, is_http: bool) -> Document {
        if let Some(exchanges) = &self.exchanges {
            return exchanges::audit(exchanges.clone());
        }
        let mut audit = Audit::new(Options::default());
        if is_http {
            audit.event(Event::Http, Place::default(), &mut ()).unwrap();
        }
        for ((from, frame), time) in self.frames.iter().zip(&self.times) {
            let line = [frame.as_slice(), b"\n"].concat();
            let place = Place { time: *time, ..Place::default() };
            audit.event(Event::Bytes { from: *from, bytes: &line }, place, &mut ()).unwrap();
        }
        if self.has_end {
            let event = Event::End { how: "exited".to_owned(), ending: Ending::Normal };
            audit.event(event, Place::default(), &mut ()).unwrap();
        }
        audit.finish(Vec::new(), &mut ()).unwrap()
    }
}

/// Returns the recordings that break a requirement, as they would be in this revision.
fn recordings(one: &Requirement, revision: Revision) -> Vec<Recording> {
    let breaks = |dialogue: &Dialogue<'_>| {
        dialogue.id == one.id
            && dialogue.rules().any(|rule| one.rules.iter().any(|own| own == rule))
    };
    let is_of_era = |dialogue: &&Dialogue<'_>| dialogue.revision.era() == revision.era();
    let dialogues = dialogues::read(DIALOGUES);
    let dialogues = dialogues.iter().filter(|dialogue| breaks(dialogue));
    // The same messages mean something else in the other era, but not those of the base protocol.
    let has_own = dialogues.clone().any(|dialogue| is_of_era(&dialogue));
    let dialogues = dialogues.filter(|dialogue| !has_own || is_of_era(dialogue));
    let mut recordings: Vec<_> =
        dialogues.map(|dialogue| Recording::of_dialogue(dialogue, revision)).collect();
    let refusals = refusals::dialogues(REFUSALS);
    let refusals = refusals.iter().filter(|dialogue| dialogue.fails(&one.id));
    recordings.extend(refusals.filter_map(|dialogue| Recording::of_refusal(dialogue, revision)));
    let exchanges = exchanges::dialogues(exchanges::EXCHANGES);
    let exchanges =
        exchanges.iter().filter(|dialogue| dialogue.requirement == one.id && dialogue.is_breach());
    recordings.extend(exchanges.filter_map(|one| Recording::of_exchanges(one, revision)));
    recordings
}

/// Rules that an audit reports as one of the schema, which names the member.
const INCLUDED: [(&str, &str); 4] = [
    ("missing-params", "missing-member"),
    ("missing-meta", "missing-member"),
    ("missing-result-type", "missing-member"),
    ("meta-type", "member-type"),
];

/// Returns whether a finding is of a rule of the requirement.
fn is_of(one: &Requirement, finding: &Finding) -> bool {
    let lists = |name: &str| one.rules.iter().any(|rule| rule == name);
    let mut included = INCLUDED.iter().filter(|(_, schema)| *schema == finding.rule);
    lists(finding.rule) || included.any(|(rule, _)| lists(rule))
}

#[test]
fn no_recording_that_breaks_a_requirement_passes_it() {
    for one in all().iter().filter(|one| !one.rules.is_empty()) {
        let is_http = one.clause.contains("streamable-http");
        for &revision in Revision::ALL.iter().filter(|&&revision| one.holds_in(revision)) {
            let mut is_broken = false;
            for recording in recordings(one, revision) {
                let document = recording.audit(is_http);
                let row = document.requirements.iter().find(|row| row.id == one.id);
                let found = document.findings.iter().filter(|finding| is_of(one, finding));
                let severity = found.map(|finding| finding.severity).max();
                let expected = match severity {
                    Some(Severity::Error | Severity::Warning) => Status::Failed,
                    // A note may be about something legal, or have another cause.
                    Some(Severity::Note) | None => Status::NotObserved,
                };
                let about = || {
                    let found = document.findings.iter().map(|finding| finding.rule);
                    let found: Vec<&str> = found.collect();
                    format!("{} in {}: {}, {found:?}", one.id, revision.name(), recording.name)
                };
                assert_eq!(row.map(|row| row.verdict), Some(expected), "{}", about());
                assert!(severity.is_some() || recording.revision != revision, "{}", about());
                is_broken |= severity.is_some();
            }
            assert!(is_broken, "nothing breaks {} in {}", one.id, revision.name());
        }
    }
}
