//! The judgement of the messages in a response.

use tautline::{Fault, Message, Profile, Rule};
use tautline_mcp::http::{Exchange, Progress, Received};
use tautline_mcp::rule;

use super::asked::Asked;
use super::{Note, Terms};

/// Judges the messages in a piece of a response.
pub(super) struct Judge<'a, 'r> {
    exchange: Exchange<'a>,
    profile: Profile,
    enforces: bool,
    owes_errors: bool,
    report: &'r mut dyn FnMut(Note),
}

/// The reason why a message must not reach the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bad {
    pub(super) rule: Rule,
    /// True unless it is known that the message is no answer.
    pub(super) may_be_answer: bool,
}

impl<'a, 'r> Judge<'a, 'r> {
    pub(super) fn new(
        asked: &'a Asked,
        terms: &Terms,
        so_far: Progress,
        report: &'r mut dyn FnMut(Note),
    ) -> Self {
        let exchange = asked.exchange().resumed(so_far);
        let profile = if terms.strict {
            asked.revision().strict_profile().http_response_body()
        } else {
            exchange.profile()
        };
        let owes_errors = asked.owes_errors();
        Self { exchange, profile, enforces: terms.enforces, owes_errors, report }
    }

    pub(super) const fn progress(&self) -> Progress {
        self.exchange.progress()
    }

    pub(super) fn note(&mut self, note: Note) {
        (self.report)(note);
    }

    /// Parses a message under the profile of the exchange.
    pub(super) fn parse<'m>(&self, text: &'m [u8]) -> Result<Message<'m>, Fault<'m>> {
        Message::parse(text, &self.profile)
    }

    /// Judges a message that is longer than the limit.
    pub(super) fn too_long(&mut self) -> Option<Bad> {
        let fault = Fault::of_unread(&self.profile);
        self.message(Err(fault))
    }

    /// Judges a message, and returns why it must not reach the client. If one element of a batch must not, the whole
    /// batch must not. The exchange then forgets it, unless it is passed on nevertheless.
    pub(super) fn message(&mut self, message: Result<Message<'_>, Fault<'_>>) -> Option<Bad> {
        let before = self.exchange.progress();
        let bad = match message {
            Ok(Message::Batch(batch)) => batch.iter().fold(None, |bad: Option<Bad>, element| {
                let one = self.one(element.message());
                bad.or(one)
            }),
            message => self.one(message),
        };
        if bad.is_some() && self.enforces {
            self.exchange = self.exchange.resumed(before);
        }
        bad
    }

    /// Takes an error of the filter as the answer to a request, if that has none yet.
    pub(super) fn is_due(&mut self, error: &[u8]) -> bool {
        let mut exchange = self.exchange;
        exchange.message(self.parse(error), |_| {});
        let is_due = exchange.progress() != self.exchange.progress();
        self.exchange = exchange;
        is_due
    }

    /// Ends the response.
    pub(super) fn end(&mut self) {
        self.exchange.end(|finding| (self.report)(Note::Finding(finding)));
    }

    fn one(&mut self, message: Result<Message<'_>, Fault<'_>>) -> Option<Bad> {
        let is_fault = message.is_err();
        let is_call = matches!(message, Ok(Message::Request(_) | Message::Notification(_)));
        // Of several findings, the last one is the reason.
        let mut last = rule::RESPONSE_UNEXPECTED;
        // A client that compares ids does not find its request.
        let mut is_rewritten = false;
        let received = self.exchange.message(message, |finding| {
            last = finding.rule();
            is_rewritten |= last == rule::RESPONSE_ID_REWRITTEN;
            (self.report)(Note::Finding(finding));
        });
        let is_stray = received == Received::Stray && !self.owes_errors;
        let is_bad = is_fault || is_stray || is_rewritten;
        is_bad.then_some(Bad { rule: last, may_be_answer: !is_call })
    }
}
