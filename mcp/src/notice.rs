//! Reporting the findings of one message.

use tautline::{Id, Message, RawStr, Rule, Severity};

use crate::{Finding, rule};

/// Reports the findings of one message, and keeps the first one for which a request is refused.
pub(crate) struct Notice<'a> {
    message: &'a Message<'a>,
    report: &'a mut dyn FnMut(Finding),
    refusal: Option<Rule>,
}

impl<'a> Notice<'a> {
    pub(crate) fn new(message: &'a Message<'a>, report: &'a mut dyn FnMut(Finding)) -> Self {
        Self { message, report, refusal: None }
    }

    /// Returns the first rule for which a request is [refused](super::request_error).
    pub(crate) const fn refusal(&self) -> Option<Rule> {
        self.refusal
    }

    /// Reports a finding at the start of a part of the frame.
    pub(crate) fn at(&mut self, rule: Rule, part: &[u8]) {
        self.say(rule, rule::severity(rule), self.offset_of(part));
    }

    /// Reports a finding at the opening quote of a string.
    pub(crate) fn at_string(&mut self, rule: Rule, string: RawStr<'_>) {
        self.string_with(rule, rule::severity(rule), string);
    }

    pub(crate) fn string_with(&mut self, rule: Rule, severity: Severity, string: RawStr<'_>) {
        self.say(rule, severity, self.offset_of(string.escaped_bytes()).saturating_sub(1));
    }

    pub(crate) fn at_id(&mut self, rule: Rule, id: &Id<'_>) {
        match id {
            Id::String(text) => self.at_string(rule, *text),
            Id::Number(number) => self.at(rule, number.as_bytes()),
            // MCP ids are never null.
            Id::Null => self.at(rule, self.message.frame()),
        }
    }

    /// Returns the offset of a part of the message, and 0 for any other slice.
    fn offset_of(&self, part: &[u8]) -> u32 {
        self.message.offset_of(part).unwrap_or(0)
    }

    fn say(&mut self, rule: Rule, severity: Severity, offset: u32) {
        let refuses = severity == Severity::Error && super::request_error(rule).is_some();
        if refuses && self.refusal.is_none() {
            self.refusal = Some(rule);
        }
        (self.report)(Finding::new(rule, severity, offset));
    }
}
