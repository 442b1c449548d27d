//! What is found in one message, on its way to whoever listens.

use crate::bytes::offset_in;
use crate::envelope::{ErrorCode, Finding, Id, Message, Rule, Severity};
use crate::json::RawStr;
use crate::mcp::{CallView, Checker, ResultView, Revision};

/// Passes findings on, and keeps the first one that a request is refused for.
pub(super) struct Notice<'a> {
    frame: &'a [u8],
    report: &'a mut dyn FnMut(Finding),
    refusal: Option<(Rule, ErrorCode)>,
}

impl<'a> Notice<'a> {
    pub(super) fn new(frame: &'a [u8], report: &'a mut dyn FnMut(Finding)) -> Self {
        Self { frame, report, refusal: None }
    }

    /// The first error that a request is refused for, and the code of the answer.
    pub(super) const fn refusal(&self) -> Option<(Rule, ErrorCode)> {
        self.refusal
    }

    fn say(&mut self, finding: Finding) {
        if finding.severity() == Severity::Error && self.refusal.is_none() {
            self.refusal = finding.rule().request_error().map(|code| (finding.rule(), code));
        }
        (self.report)(finding);
    }

    /// Has a message held to a revision.
    fn check(&mut self, revision: Revision, check: impl FnOnce(&mut Checker<'_>)) {
        let frame = self.frame;
        check(&mut Checker { revision, frame, report: &mut |finding| self.say(finding) });
    }

    /// What a revision finds in a call.
    pub(super) fn call(&mut self, revision: Revision, call: &CallView<'_>) {
        self.check(revision, |checker| checker.call(call));
    }

    /// What a revision finds in a result.
    pub(super) fn result(&mut self, revision: Revision, result: &ResultView<'_>) {
        self.check(revision, |checker| checker.result(result));
    }

    /// Whether the frame holds more than the message: it is an array.
    pub(super) fn is_batch(&self) -> bool {
        self.frame.trim_ascii_start().first() == Some(&b'[')
    }

    /// What a revision finds wrong with a message because it is in a batch.
    pub(super) fn batched(&mut self, revision: Revision, message: &Message<'_>) {
        self.check(revision, |checker| checker.batched(message));
    }

    /// Where a part of the frame begins.
    pub(super) fn at(&mut self, rule: Rule, part: &[u8]) {
        self.say(Finding::new(rule, rule.severity(), offset_in(self.frame, part)));
    }

    /// At the opening quote of a string.
    pub(super) fn at_string(&mut self, rule: Rule, string: RawStr<'_>) {
        self.string_with(rule, rule.severity(), string);
    }

    pub(super) fn string_with(&mut self, rule: Rule, severity: Severity, string: RawStr<'_>) {
        self.say(Finding::new(rule, severity, string.quote_in(self.frame)));
    }

    pub(super) fn at_id(&mut self, rule: Rule, id: &Id<'_>) {
        match id {
            Id::String(text) => self.at_string(rule, *text),
            Id::Number(number) => self.at(rule, number.as_bytes()),
            // Ids of MCP are never null.
            Id::Null => self.at(rule, self.frame),
        }
    }
}
