//! The findings that the dialogues of `tests/data/dialogues.txt` expect, and the check that they are made.

use tautline::frame::Frame;
use tautline::json::Path;
use tautline::{Envelope, Message, RawJson, Rule, Severity};
use tautline_mcp::conversation::Conversation;
use tautline_mcp::session::{Event, Heap, Session};
use tautline_mcp::{Finding, Revision, Role, rule};

use super::dialogues::{Action, Dialogue};

/// The state of the checks, between the frames of a dialogue.
struct Checks {
    revision: Revision,
    session: Session<Heap>,
    conversation: Conversation,
}

/// Runs a dialogue, and compares what is found in each frame.
pub fn check(dialogue: &Dialogue<'_>) {
    let revision = dialogue.revision;
    let session = Session::new(Heap::new());
    let mut checks = Checks { revision, session, conversation: Conversation::new() };
    for step in &dialogue.steps_in(revision) {
        let mut found = Found::default();
        match &step.action {
            Action::Send(frames) => {
                for (from, frame) in frames {
                    found.seen.clear();
                    checks.observe(*from, frame, &mut found);
                }
            }
            Action::End => {
                checks
                    .session
                    .end(|_, finding| found.expected.push(rule::name(finding.rule()).to_owned()));
                checks.conversation.finish(|finding| {
                    let (_, method) = finding.expected().unwrap().message().unwrap();
                    let rule = rule::name(finding.rule());
                    found.expected.push(format!("{rule} {}", method.name()));
                });
            }
        }
        found.expected.sort();
        let mut expected = step.expected.clone();
        expected.sort();
        let place = format!("line {}, {}", step.line, dialogue.id);
        assert_eq!(found.expected, expected, "{place}: {}", step.action);
        for note in &step.notes {
            assert!(found.notes.contains(note), "{place}: {note} is not among {:?}", found.notes);
        }
    }
}

impl Checks {
    fn observe(&mut self, from: Role, frame: &[u8], found: &mut Found) {
        let profile = self.revision.profile();
        let envelope = Envelope::read(Frame::from_line(frame), &profile);
        envelope.findings(|finding| found.add(frame, finding.into()));
        let Ok(message) = Message::parse(Frame::from_line(frame), &profile) else { return };
        let mut of_session = Vec::new();
        let event = self.session.observe(from, &message, |finding| of_session.push(finding));
        let pairing = self.session.pairing();
        self.conversation.observe(from, &message, self.revision, &pairing, |finding| {
            found.add(frame, finding);
        });
        // The session knows which extensions may have results of their own type.
        let knows_kind = matches!(event, Event::Response { .. });
        self.revision.findings(&message, |finding| {
            if !(knows_kind && finding.rule() == rule::UNKNOWN_RESULT_TYPE) {
                found.add(frame, finding);
            }
        });
        of_session.into_iter().for_each(|finding| found.add(frame, finding));
        for name in RawJson::parse(frame).map(|frame| frame.repeated_names()).unwrap_or_default() {
            let (rule, offset) = (Rule::DUPLICATE_INNER_MEMBER, name.offset());
            // A member with a meaning has a rule of its own.
            if !found.seen.contains(&(Rule::DUPLICATE_NESTED_MEMBER, offset)) {
                found.push(frame, rule, rule::severity(rule), offset);
            }
        }
    }
}

/// The findings of one step.
#[derive(Default)]
struct Found {
    /// The rule and the offset of each finding in the frame, so that each is reported only once.
    seen: Vec<(Rule, u32)>,
    expected: Vec<String>,
    notes: Vec<String>,
}

impl Found {
    fn add(&mut self, frame: &[u8], finding: Finding) {
        self.push(frame, finding.rule(), finding.severity(), finding.offset().unwrap());
    }

    fn push(&mut self, frame: &[u8], rule: Rule, severity: Severity, offset: u32) {
        if self.seen.contains(&(rule, offset)) {
            return;
        }
        self.seen.push((rule, offset));
        let path = Path::at(frame, offset);
        let list = match severity {
            Severity::Note => &mut self.notes,
            Severity::Warning | Severity::Error => &mut self.expected,
        };
        list.push(format!("{} {path}", rule::name(rule)).trim_end().to_owned());
    }
}
