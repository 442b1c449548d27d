//! What is found in one message, on its way to whoever listens.

use crate::bytes::offset_in;
use crate::envelope::{Finding, Id, Message, Rule, Severity};
use crate::json::RawStr;

/// Passes findings in one message on, and keeps the first one that a request is refused for.
pub(crate) struct Notice<'a> {
    frame: &'a [u8],
    report: &'a mut dyn FnMut(Finding),
    refusal: Option<Rule>,
}

impl<'a> Notice<'a> {
    pub(crate) fn new(message: &Message<'a>, report: &'a mut dyn FnMut(Finding)) -> Self {
        Self { frame: message.frame(), report, refusal: None }
    }

    /// The first rule that a request is [refused](Rule::request_error) for.
    pub(crate) const fn refusal(&self) -> Option<Rule> {
        self.refusal
    }

    /// Where a part of the frame begins. The part was borrowed from it, so its address says where: a view
    /// that carries its offset as well would take three registers instead of two.
    pub(crate) fn at(&mut self, rule: Rule, part: &[u8]) {
        self.say(rule, rule.severity(), offset_in(self.frame, part));
    }

    /// At the opening quote of a string.
    pub(crate) fn at_string(&mut self, rule: Rule, string: RawStr<'_>) {
        self.string_with(rule, rule.severity(), string);
    }

    pub(crate) fn string_with(&mut self, rule: Rule, severity: Severity, string: RawStr<'_>) {
        self.say(rule, severity, string.quote_in(self.frame));
    }

    pub(crate) fn at_id(&mut self, rule: Rule, id: &Id<'_>) {
        match id {
            Id::String(text) => self.at_string(rule, *text),
            Id::Number(number) => self.at(rule, number.as_bytes()),
            // Ids of MCP are never null.
            Id::Null => self.at(rule, self.frame),
        }
    }

    fn say(&mut self, rule: Rule, severity: Severity, offset: u32) {
        let refuses = severity == Severity::Error && rule.request_error().is_some();
        if refuses && self.refusal.is_none() {
            self.refusal = Some(rule);
        }
        (self.report)(Finding::new(rule, severity, offset));
    }
}
