//! The short way to a verdict: what is plainly healthy need not be judged.
//!
//! Nothing is said to be wrong here. What is not plainly a message goes to the judge, who says what it
//! is, and would have said the same of what passes here.

use super::member::{Member, Members};
use super::rules::{Params, Results, Rules};
use super::{ErrorObject, Id, Message, Notification, Outcome, Request, Response};
use crate::json::{RawJson, RawNumber, RawStr};
use crate::scan::{Span, has_backslash};

/// The message that an object is whose members these are, if that is plain to see.
#[inline(always)]
pub(super) fn message<'buf>(
    frame: &'buf [u8],
    rules: &Rules,
    members: &Members,
) -> Option<Message<'buf>> {
    let healthy = Healthy { frame, members };
    if !members.repeated.is_empty()
        || members.lone_surrogate
        || healthy.text(Member::JSONRPC)? != b"\"2.0\""
    {
        return None;
    }
    let has = |member| members.present.has(member);
    let unknown = members.unknown;
    let id = if has(Member::ID) { Some(healthy.id()?) } else { None };
    if has(Member::METHOD) {
        if has(Member::RESULT) || has(Member::ERROR) {
            return None;
        }
        let method = healthy.string(Member::METHOD)?;
        let params = if has(Member::PARAMS) { Some(healthy.params(rules)?) } else { None };
        return Some(match id {
            Some(id) => Message::Request(Request { id, method, params, unknown }),
            None => Message::Notification(Notification { method, params, unknown }),
        });
    }
    if id.is_none() || has(Member::PARAMS) {
        return None;
    }
    let outcome = match (has(Member::RESULT), has(Member::ERROR)) {
        (true, false) => Outcome::Result(healthy.result(rules)?),
        (false, true) => Outcome::Error(healthy.error()?),
        _ => return None,
    };
    Some(Message::Response(Response { id, outcome, unknown }))
}

/// Members, read one by one. `None` is for what is not plainly right, or not there.
#[derive(Clone, Copy)]
struct Healthy<'a, 'buf> {
    frame: &'buf [u8],
    members: &'a Members,
}

impl<'buf> Healthy<'_, 'buf> {
    #[inline(always)]
    fn span(self, member: Member) -> Span {
        self.members.value(member)
    }

    #[inline(always)]
    fn text(self, member: Member) -> Option<&'buf [u8]> {
        self.span(member).of(self.frame)
    }

    /// A string without escapes, which are where half a character could be.
    #[inline(always)]
    fn string(self, member: Member) -> Option<RawStr<'buf>> {
        let text = self.text(member)?;
        (text.first() == Some(&b'"') && !has_backslash(text))
            .then(|| RawStr::at(self.frame, self.span(member)))
    }

    /// A string without escapes, or an integer that is written as one: legal under all rules.
    #[inline(always)]
    fn id(self) -> Option<Id<'buf>> {
        match self.text(Member::ID)?.first()? {
            b'"' => self.string(Member::ID).map(Id::String),
            _ => self.integer(Member::ID).map(Id::Number),
        }
    }

    /// Digits, and maybe a minus.
    #[inline(always)]
    fn integer(self, member: Member) -> Option<RawNumber<'buf>> {
        let text = self.text(member)?;
        let (first, rest) = text.split_first()?;
        let is_integer = (first.is_ascii_digit() || *first == b'-' && !rest.is_empty())
            && rest.iter().all(u8::is_ascii_digit);
        is_integer.then(|| RawNumber::at(self.frame, self.span(member)))
    }

    #[inline(always)]
    fn params(self, rules: &Rules) -> Option<RawJson<'buf>> {
        let is_allowed = match self.text(Member::PARAMS)?.first()? {
            b'{' => true,
            b'[' => rules.params() != Params::Object,
            _ => false,
        };
        is_allowed.then(|| RawJson::at(self.frame, self.span(Member::PARAMS)))
    }

    #[inline(always)]
    fn result(self, rules: &Rules) -> Option<RawJson<'buf>> {
        let is_object = self.text(Member::RESULT)?.first() == Some(&b'{');
        (is_object || rules.results() == Results::Any)
            .then(|| RawJson::at(self.frame, self.span(Member::RESULT)))
    }

    #[inline(never)]
    fn error(self) -> Option<ErrorObject<'buf>> {
        if self.text(Member::ERROR)?.first() != Some(&b'{')
            || self.text(Member::MESSAGE)?.first() != Some(&b'"')
        {
            return None;
        }
        let data = self.members.present.has(Member::DATA);
        Some(ErrorObject {
            code: self.integer(Member::CODE)?,
            message: RawStr::at(self.frame, self.span(Member::MESSAGE)),
            data: data.then(|| RawJson::at(self.frame, self.span(Member::DATA))),
        })
    }
}
