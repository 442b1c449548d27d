//! The validator: it checks what was read of a frame against the profile, in the order of the table of rules.

use core::ops::ControlFlow;

use super::kinds::Kinds;
use super::profile::{Batches, CarriageReturns, Profile, Uncorrelated, Unparseable};
use super::{
    BatchLayout, Each, Everything, Fault, FaultLayout, FirstError, Flow, Layout, Member,
    MemberSpans, Message, Owed, Reading, Report, Reporter, Shape, Validator, Violation, foreign,
    member, names,
};
use crate::bytes::{find, find_line_separator, is_whitespace};
use crate::cast::{index, u32_from};
use crate::frame::Delimiter;
use crate::json::RawJson;
use crate::rule::{Finding, Rule, Severity};
use crate::scan::{Level, Span, Syntax};

impl<'a, 'buf> Validator<'a, 'buf> {
    /// Returns the message, or the first error.
    // Not inlined: the stack frame of its caller is live while the scanner runs.
    #[cfg_attr(
        all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
        inline(never)
    )]
    pub(super) fn message(self) -> Result<Message<'buf>, Fault<'buf>> {
        match self.first_fault() {
            Some(fault) => Err(Fault::new(self.reading.frame, fault)),
            None => Ok(build(self.reading, self.profile)),
        }
    }

    /// Returns the first error, with the reply that is owed.
    pub(super) fn first_fault(&self) -> Option<FaultLayout> {
        let (rule, offset, id) = match self.profile.first_error() {
            Some(first_error) => first_error(self.reading, self.profile)?,
            None => self.first_error().map(|(rule, offset)| (rule, offset, None))?,
        };
        let (id, owed) = match id {
            Some(id) => (id, Owed::InvalidEcho),
            None => (self.reading.only(Member::ID), self.owed()),
        };
        Some(FaultLayout { rule, syntax: self.syntax(rule), offset, owed, id })
    }

    /// Returns the first error, if every rule has its usual severity.
    #[inline(always)]
    fn first_error(&self) -> Option<(Rule, u32)> {
        let mut report = Report { profile: self.profile, reporter: FirstError };
        let Violation { rule, offset } = self.run(&mut report).break_value()?;
        Some((rule, offset))
    }

    /// Reports everything that is found.
    pub(super) fn findings(&self, found: &mut dyn FnMut(Finding)) {
        let profile = self.profile;
        let mut pass_on = |Violation { rule, offset }| {
            found(Finding::with_syntax(rule, profile.severity(rule), self.syntax(rule), offset));
            ControlFlow::Continue(())
        };
        let _ = self.run(&mut Report { profile, reporter: Everything(&mut pass_on) });
    }

    /// Returns what is wrong with the syntax, if the rule is that the frame is not JSON.
    fn syntax(&self, rule: Rule) -> Option<Syntax> {
        match self.reading.members.shape {
            Shape::Faulty(syntax) if rule == Rule::NOT_JSON => Some(syntax),
            _ => None,
        }
    }

    fn run<R: Reporter>(&self, report: &mut Report<'_, R>) -> Flow {
        self.check_line(report)?;
        match self.reading.members.shape {
            Shape::Faulty(syntax) => {
                self.check_syntax(syntax, report)?;
                self.check_split(syntax, report)
            }
            Shape::TooLong => report.at(Rule::FRAME_TOO_LONG, 0),
            Shape::Array => self.check_batch(report),
            Shape::Scalar => report.at(Rule::NOT_AN_OBJECT, self.reading.start()),
            Shape::Object => {
                self.check_members(report)?;
                self.check_shape(report)?;
                self.check_id(report)?;
                self.check_types(report)?;
                self.check_error(report)?;
                if R::ERRORS_ALONE { ControlFlow::Continue(()) } else { self.check_traps(report) }
            }
        }
    }

    fn check_syntax<R: Reporter>(&self, syntax: Syntax, report: &mut Report<'_, R>) -> Flow {
        let rule = match syntax {
            Syntax::InvalidUtf8 => Rule::INVALID_UTF8,
            Syntax::TooDeep => Rule::TOO_DEEP,
            _ => Rule::NOT_JSON,
        };
        report.at(rule, self.reading.start())?;
        if R::ERRORS_ALONE || rule == Rule::TOO_DEEP {
            return ControlFlow::Continue(());
        }
        match foreign::recognize(self.reading.frame) {
            Some(rule) => {
                let blank = self.reading.frame.iter().take_while(|&&byte| is_whitespace(byte));
                report.at(rule, u32_from(blank.count()))
            }
            None => ControlFlow::Continue(()),
        }
    }

    /// Checks for characters at which some receivers split a line. In valid JSON, a raw CR is whitespace, and a line
    /// separator is part of a string.
    fn check_line<R: Reporter>(&self, report: &mut Report<'_, R>) -> Flow {
        let Reading { frame, delimiter, .. } = *self.reading;
        let is_json = !matches!(self.reading.members.shape, Shape::Faulty(_) | Shape::TooLong);
        if delimiter == Delimiter::Other || !is_json {
            return ControlFlow::Continue(());
        }
        let is_error = self.profile.carriage_returns() == CarriageReturns::Forbidden;
        if (is_error || !R::ERRORS_ALONE)
            && let Some(at) = find(b'\r', frame)
        {
            report.at(Rule::RAW_CARRIAGE_RETURN, u32_from(at))?;
        }
        if !R::ERRORS_ALONE
            && let Some((at, _)) = find_line_separator(frame)
        {
            report.at(Rule::LINE_SEPARATOR, u32_from(at))?;
        }
        ControlFlow::Continue(())
    }

    /// Checks whether a raw CR separates a whole value from what follows it in the line. Some receivers split the line
    /// there, and treat both parts as messages.
    fn check_split<R: Reporter>(&self, syntax: Syntax, report: &mut Report<'_, R>) -> Flow {
        let Reading { frame, delimiter, .. } = *self.reading;
        if R::ERRORS_ALONE || delimiter == Delimiter::Other || syntax != Syntax::TrailingBytes {
            return ControlFlow::Continue(());
        }
        let before = frame.get(..index(self.reading.start())).unwrap_or_default();
        let blank = before.iter().rev().take_while(|&&byte| is_whitespace(byte)).count();
        let blank_start = before.len().saturating_sub(blank);
        match before.get(blank_start..).and_then(|blank| find(b'\r', blank)) {
            Some(at) => {
                let offset = u32_from(blank_start.saturating_add(at));
                report.at(Rule::RAW_CARRIAGE_RETURN, offset)
            }
            None => ControlFlow::Continue(()),
        }
    }

    #[inline(always)]
    fn check_batch<R: Reporter>(&self, report: &mut Report<'_, R>) -> Flow {
        let start = self.reading.start();
        let elements = self.reading.members.others;
        if self.profile.batches() == Batches::Forbidden {
            report.at(Rule::BATCH_NOT_ALLOWED, start)?;
        }
        if elements == 0 {
            report.at(Rule::BATCH_EMPTY, start)?;
        }
        if elements > self.profile.max_batch() {
            report.at(Rule::BATCH_TOO_LONG, start)?;
        }
        if !R::ERRORS_ALONE
            && self.profile.batches() == Batches::Unmixed
            && let Some(at) = self.first_mixed()
        {
            report.at(Rule::BATCH_MIXED, at)?;
        }
        ControlFlow::Continue(())
    }

    /// Returns the offset of the first element of a batch whose kind differs from the elements before it: a response in
    /// a batch of calls, or a call in a batch of responses. A faulty element counts too, if it has a `result`, an
    /// `error` or a `method`.
    fn first_mixed(&self) -> Option<u32> {
        let mut first = None;
        let mut elements = RawJson::at(self.reading.frame, self.reading.value).elements()?;
        while let Some((at, element)) = elements.next_at() {
            let mut names = ["result", "error", "method"].iter();
            // A repeated member counts too, although a lookup gives no value for it.
            let has = |name: &str| element.members()?.next_named(name);
            if names.any(|name| has(name).is_some()) {
                // The method comes last.
                let is_response = names.len() > 0;
                if *first.get_or_insert(is_response) != is_response {
                    return Some(self.reading.start().saturating_add(u32_from(at)));
                }
            }
        }
        None
    }

    #[cfg_attr(
        all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
        inline(never)
    )]
    fn check_members<R: Reporter>(&self, report: &mut Report<'_, R>) -> Flow {
        let Reading { frame, ref members, value, .. } = *self.reading;
        // The scan kept the first fault of each kind. To report all of them, the names are looked at again.
        for (first, level) in members.first_repeated() {
            if first > 0 {
                report.at(Rule::DUPLICATE_MEMBER, first)?;
                if !R::ERRORS_ALONE {
                    let object = match level {
                        Level::Top => value,
                        Level::Inner => members.values.of(Member::ERROR),
                    };
                    let each = &mut |rule, offset| report.at(rule, offset);
                    names::duplicates_behind(first, frame, object, level, each)?;
                }
            }
        }
        if let Some(first) = members.first_lone_surrogate() {
            report.at(Rule::LONE_SURROGATE, first)?;
            if !R::ERRORS_ALONE {
                let each = &mut |rule, offset| report.at(rule, offset);
                names::lone_surrogates_behind(first, frame, value, each)?;
            }
        }
        for &member in TEXTS {
            if let Some(offset) = self.lone_surrogate(member) {
                report.at(Rule::LONE_SURROGATE, offset)?;
            }
        }
        match self.reading.member(Member::JSONRPC) {
            None => report.at(Rule::MISSING_JSONRPC, self.reading.start()),
            Some(_) if self.reading.string(Member::JSONRPC).is_some_and(|text| text == "2.0") => {
                ControlFlow::Continue(())
            }
            Some(_) => report.at(Rule::WRONG_VERSION, self.offset(Member::JSONRPC)),
        }
    }

    fn check_shape<R: Reporter>(&self, report: &mut Report<'_, R>) -> Flow {
        let result = self.has(Member::RESULT);
        let error = self.has(Member::ERROR);
        let method = self.has(Member::METHOD);
        if result && error {
            let second = self.offset(Member::RESULT).max(self.offset(Member::ERROR));
            report.at(Rule::RESULT_AND_ERROR, second)?;
        }
        if method && (result || error) {
            report.at(Rule::METHOD_IN_RESPONSE, self.offset(Member::METHOD))?;
        }
        if !(result || error || method) {
            report.at(Rule::NO_SHAPE, self.reading.start())?;
        }
        ControlFlow::Continue(())
    }

    fn check_id<R: Reporter>(&self, report: &mut Report<'_, R>) -> Flow {
        let is_error = self.has(Member::ERROR) && !self.has(Member::RESULT);
        let besides = if is_error { self.profile.error_ids } else { Kinds::NONE };
        let kind = self.kind(Member::ID);
        if (Kinds::ID | besides).intersects(kind) {
            return ControlFlow::Continue(());
        }
        let rule = match kind {
            Kinds::ABSENT if self.has(Member::RESULT) || self.has(Member::ERROR) => {
                return report.at(Rule::RESPONSE_WITHOUT_ID, self.reading.start());
            }
            Kinds::ABSENT => return ControlFlow::Continue(()),
            Kinds::NULL => Rule::ID_NULL,
            Kinds::FRACTION => Rule::ID_FRACTION,
            _ => Rule::ID_TYPE,
        };
        report.at(rule, self.offset(Member::ID))
    }

    #[inline(always)]
    fn check_types<R: Reporter>(&self, report: &mut Report<'_, R>) -> Flow {
        let profile = self.profile;
        self.check_kind(Member::METHOD, Kinds::STRING, Rule::METHOD_TYPE, report)?;
        self.check_kind(Member::PARAMS, profile.params, Rule::PARAMS_TYPE, report)?;
        self.check_kind(Member::RESULT, profile.results, Rule::RESULT_TYPE, report)
    }

    #[cfg_attr(
        all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
        inline(never)
    )]
    fn check_kind<R: Reporter>(
        &self,
        member: Member,
        allowed: Kinds,
        rule: Rule,
        report: &mut Report<'_, R>,
    ) -> Flow {
        match (allowed | Kinds::ABSENT).intersects(self.kind(member)) {
            true => ControlFlow::Continue(()),
            false => report.at(rule, self.offset(member)),
        }
    }

    fn check_error<R: Reporter>(&self, report: &mut Report<'_, R>) -> Flow {
        let brace = self.offset(Member::ERROR);
        match self.kind(Member::ERROR) {
            Kinds::ABSENT => return ControlFlow::Continue(()),
            Kinds::OBJECT => {}
            _ => return report.at(Rule::ERROR_TYPE, brace),
        }
        match self.kind(Member::CODE) {
            Kinds::ABSENT => report.at(Rule::ERROR_CODE_MISSING, brace)?,
            Kinds::INTEGER => {}
            _ => report.at(Rule::ERROR_CODE_TYPE, self.offset(Member::CODE))?,
        }
        match self.kind(Member::MESSAGE) {
            Kinds::ABSENT => report.at(Rule::ERROR_MESSAGE_MISSING, brace),
            Kinds::STRING => ControlFlow::Continue(()),
            _ => report.at(Rule::ERROR_MESSAGE_TYPE, self.offset(Member::MESSAGE)),
        }
    }

    /// Returns the reply that is owed if there is an error. The table is in [`Fault::reply`].
    pub(super) fn owed(&self) -> Owed {
        let reading = self.reading;
        let uncorrelated = self.profile.uncorrelated();
        if let Shape::Faulty(syntax) = reading.members.shape
            && syntax != Syntax::TooDeep
        {
            return match (self.profile.unparseable(), uncorrelated) {
                (Unparseable::Silent, _) | (_, Uncorrelated::Silent) => Owed::Silence,
                (Unparseable::Answered, Uncorrelated::NullId) => Owed::ParseErrorNull,
                (Unparseable::Answered, Uncorrelated::NoId) => Owed::ParseErrorNoId,
            };
        }
        if self.has(Member::RESULT) || self.has(Member::ERROR) {
            return Owed::Silence;
        }
        if reading.members.seen.string_method && !self.has(Member::ID) {
            return Owed::Silence;
        }
        if self.id_can_be_echoed() {
            return Owed::InvalidEcho;
        }
        Owed::invalid_uncorrelated(self.profile)
    }

    /// Returns the value of the only member of a call that resembles `id`, if there is no `id` and the value is a string or
    /// an integer, which are legal ids under every profile.
    fn misspelled_id(&self) -> Option<Span> {
        let Reading { frame, value, .. } = *self.reading;
        let is_known =
            [Member::ID, Member::RESULT, Member::ERROR].into_iter().any(|one| self.has(one));
        let id = names::only_like(Member::ID, frame, value).filter(|_| !is_known)?;
        let value = RawJson::at(frame, id);
        let is_legal = match (value.string(), value.number()) {
            (Some(text), _) => member::lone_surrogate(text.glance(), 0).is_none(),
            (None, number) => number.is_some_and(|number| number.is_integer()),
        };
        is_legal.then_some(id)
    }

    fn id_can_be_echoed(&self) -> bool {
        !self.reading.only(Member::ID).is_empty()
            && self.profile.ids.intersects(self.kind(Member::ID))
            && self.lone_surrogate(Member::ID).is_none()
    }

    /// Returns the kind of the member.
    #[cfg_attr(
        all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
        inline(never)
    )]
    fn kind(&self, member: Member) -> Kinds {
        let Some(value) = self.reading.member(member) else { return Kinds::ABSENT };
        match value.number() {
            Some(number) if number.is_integer() => Kinds::INTEGER,
            Some(_) => Kinds::FRACTION,
            None => value.as_bytes().first().map_or(Kinds::ABSENT, |&first| Kinds::begun_by(first)),
        }
    }

    fn has(&self, member: Member) -> bool {
        self.reading.members.seen.has(member)
    }

    /// Returns the offset of the member's value.
    pub(super) fn offset(&self, member: Member) -> u32 {
        self.reading.members.values.of(member).start()
    }

    /// Returns the offset of the first unpaired surrogate escape, if the member is a string that has one.
    pub(super) fn lone_surrogate(&self, member: Member) -> Option<u32> {
        member::lone_surrogate(self.reading.string(member)?.glance(), self.offset(member))
    }
}

/// Returns the first error under a profile that forbids mixing calls and responses in a batch (MCP 2025-03-26).
pub(super) fn first_error_or_mixed(
    reading: &Reading<'_>,
    profile: &Profile,
) -> Option<(Rule, u32, Option<Span>)> {
    let validator = Validator { reading, profile };
    let first_mixed = || match reading.members.shape {
        Shape::Array => validator.first_mixed().map(|at| (Rule::BATCH_MIXED, at)),
        _ => None,
    };
    let (rule, offset) = validator.first_error().or_else(first_mixed)?;
    Some((rule, offset, None))
}

/// Returns the first error under a profile with changed severities: all checks report, and the severity decides.
pub(super) fn first_by_severity(
    reading: &Reading<'_>,
    profile: &Profile,
) -> Option<(Rule, u32, Option<Span>)> {
    let mut stop_at_error = |violation: Violation| match profile.severity(violation.rule) {
        Severity::Error => ControlFlow::Break(violation),
        Severity::Warning | Severity::Note => ControlFlow::Continue(()),
    };
    let mut report = Report { profile, reporter: Everything(&mut stop_at_error) };
    let validator = Validator { reading, profile };
    let Violation { rule, offset } = validator.run(&mut report).break_value()?;
    // A sender that misspells `id` waits for a response to it.
    let answers_it = profile.severity(Rule::MEMBER_LOOKALIKE) == Severity::Error;
    Some((rule, offset, answers_it.then(|| validator.misspelled_id()).flatten()))
}

impl MemberSpans {
    /// Returns the offset of the first name that repeats, for the message and for its error object; 0 if there
    /// is none.
    const fn first_repeated(&self) -> [(u32, Level); 2] {
        let Each { message, error } = self.first_repeated;
        [(message, Level::Top), (error, Level::Inner)]
    }

    /// Returns the offset of the first unpaired surrogate escape in a name of the message.
    fn first_lone_surrogate(&self) -> Option<u32> {
        (self.first_lone_surrogate > 0).then_some(self.first_lone_surrogate)
    }
}

/// The members that must not contain an unpaired surrogate escape.
const TEXTS: &[Member] = &[Member::JSONRPC, Member::ID, Member::METHOD];

/// Builds the message of a frame without errors.
#[cfg_attr(
    all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
    inline(never)
)]
fn build<'buf>(reading: &Reading<'buf>, profile: &Profile) -> Message<'buf> {
    let Reading { frame, ref members, value, .. } = *reading;
    let layout = match members.shape {
        Shape::Array => {
            Layout::Batch(BatchLayout { array: value, elements: members.others, profile: *profile })
        }
        // The required members are present. Otherwise there would have been an error.
        _ => Layout::of_object(&members.values, members.others),
    };
    Message::new(frame, layout)
}
