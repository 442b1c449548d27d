//! The judge: what the rules say of an envelope, in the order of their table.

use core::ops::ControlFlow;

use super::fault::Owed;
use super::layout::{BatchLayout, CallLayout, ErrorLayout, OutcomeLayout, ResponseLayout};
use super::member::{Member, Shape};
use super::names::Lookalikes;
use super::read::Reading;
use super::rules::{
    Batches, CarriageReturns, ErrorIds, Ids, Params, Results, Rules, Uncorrelated, Unparseable,
};
use super::{
    Batch, CodeClass, Fault, Finding, Message, Notification, Request, Response, Rule, foreign,
    names,
};
use crate::bytes::{find, find_line_separator, is_whitespace};
use crate::cast::{index, u32_from};
use crate::frame::{Delimiter, Oversized};
use crate::json::{Kind, RawJson, RawNumber};
use crate::scan::{Level, Span, Syntax};

/// The largest integer up to which a double can hold each one, 2^53 - 1.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// What a check says: to go on, or that whoever listens wants to hear no more than this.
pub(super) type Flow = ControlFlow<Heard>;

#[derive(Clone, Copy)]
pub(super) struct Judge<'a, 'buf> {
    reading: &'a Reading<'buf>,
    rules: &'a Rules,
}

impl<'a, 'buf> Judge<'a, 'buf> {
    pub(super) const fn new(reading: &'a Reading<'buf>, rules: &'a Rules) -> Self {
        Self { reading, rules }
    }

    /// The message, or the first error.
    ///
    /// Not in the frame of its caller, which is still there while the scanner runs.
    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    pub(super) fn message(self) -> Result<Message<'buf>, Fault> {
        match self.first_fault() {
            Some(fault) => Err(fault),
            None => Ok(build(self.reading, self.rules)),
        }
    }

    /// The first error, with the reply that is owed.
    fn first_fault(&self) -> Option<Fault> {
        let mut found = Found { rules: self.rules, listener: FirstError };
        let Heard { rule, offset } = self.run(&mut found).break_value()?;
        let id = self.reading.only(Member::ID);
        Some(Fault { rule, syntax: self.syntax(rule), offset, owed: self.owed(), id })
    }

    /// Everything that is found.
    pub(super) fn report(&self, report: &mut dyn FnMut(Finding)) {
        let rules = self.rules;
        let mut hear = |Heard { rule, offset }| {
            let (severity, syntax) = (rules.severity(rule), self.syntax(rule));
            report(Finding { rule, severity, syntax, offset });
        };
        let _ = self.run(&mut Found { rules, listener: Everything(&mut hear) });
    }

    /// What exactly does not fit, if the rule is that the frame is not JSON.
    fn syntax(&self, rule: Rule) -> Option<Syntax> {
        match self.reading.members.shape {
            Shape::Faulty(syntax) if rule == Rule::NotJson => Some(syntax),
            _ => None,
        }
    }

    fn run<L: Listener>(&self, found: &mut Found<'_, L>) -> Flow {
        self.check_line(found)?;
        match self.reading.members.shape {
            Shape::Faulty(syntax) => {
                self.check_syntax(syntax, found)?;
                self.check_split(syntax, found)
            }
            Shape::TooLong => found.at(Rule::FrameTooLong, 0),
            Shape::Array => self.check_batch(found),
            Shape::Scalar => found.at(Rule::NotAnObject, self.reading.start()),
            Shape::Object => {
                self.check_members(found)?;
                self.check_shape(found)?;
                self.check_id(found)?;
                self.check_types(found)?;
                self.check_error(found)?;
                if L::ERRORS_ALONE { ControlFlow::Continue(()) } else { self.check_traps(found) }
            }
        }
    }

    fn check_syntax<L: Listener>(&self, syntax: Syntax, found: &mut Found<'_, L>) -> Flow {
        let rule = match syntax {
            Syntax::InvalidUtf8 => Rule::InvalidUtf8,
            Syntax::TooDeep => Rule::TooDeep,
            _ => Rule::NotJson,
        };
        found.at(rule, self.reading.start())?;
        if L::ERRORS_ALONE || rule == Rule::TooDeep {
            return ControlFlow::Continue(());
        }
        match foreign::recognize(self.reading.frame) {
            Some(rule) => {
                let blank = self.reading.frame.iter().take_while(|&&byte| is_whitespace(byte));
                found.at(rule, u32_from(blank.count()))
            }
            None => ControlFlow::Continue(()),
        }
    }

    /// Checks for what must not stand in a line, because some receivers split it there. In a text that is
    /// JSON, a raw CR is whitespace, and a line separator is part of a string.
    fn check_line<L: Listener>(&self, found: &mut Found<'_, L>) -> Flow {
        let Reading { frame, delimiter, .. } = *self.reading;
        let is_json = !matches!(self.reading.members.shape, Shape::Faulty(_) | Shape::TooLong);
        if delimiter == Delimiter::Other || !is_json {
            return ControlFlow::Continue(());
        }
        let is_error = self.rules.carriage_returns() == CarriageReturns::Forbidden;
        if (is_error || !L::ERRORS_ALONE)
            && let Some(at) = find(b'\r', frame)
        {
            found.at(Rule::RawCarriageReturn, u32_from(at))?;
        }
        if !L::ERRORS_ALONE
            && let Some((at, _)) = find_line_separator(frame)
        {
            found.at(Rule::LineSeparator, u32_from(at))?;
        }
        ControlFlow::Continue(())
    }

    /// Checks whether something follows a whole value in the line after a raw CR: some receivers split the line
    /// there, and take both parts for messages.
    fn check_split<L: Listener>(&self, syntax: Syntax, found: &mut Found<'_, L>) -> Flow {
        let Reading { frame, delimiter, .. } = *self.reading;
        if L::ERRORS_ALONE || delimiter == Delimiter::Other || syntax != Syntax::TrailingBytes {
            return ControlFlow::Continue(());
        }
        let before = frame.get(..index(self.reading.start())).unwrap_or_default();
        let blank = before.iter().rev().take_while(|&&byte| is_whitespace(byte)).count();
        let blank_start = before.len().saturating_sub(blank);
        match before.get(blank_start..).and_then(|blank| find(b'\r', blank)) {
            Some(at) => {
                let offset = u32_from(blank_start.saturating_add(at));
                found.at(Rule::RawCarriageReturn, offset)
            }
            None => ControlFlow::Continue(()),
        }
    }

    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    fn check_batch<L: Listener>(&self, found: &mut Found<'_, L>) -> Flow {
        let start = self.reading.start();
        let elements = self.reading.members.others();
        if self.rules.batches() == Batches::Forbidden {
            found.at(Rule::BatchNotAllowed, start)?;
        }
        if elements == 0 {
            found.at(Rule::BatchEmpty, start)?;
        }
        if elements > self.rules.max_batch() {
            found.at(Rule::BatchTooLong, start)?;
        }
        let batch = RawJson::at(self.reading.frame, self.reading.value);
        if let Some(at) = self.rules.find_mixed(batch) {
            found.at(Rule::BatchMixed, start.saturating_add(u32_from(at)))?;
        }
        ControlFlow::Continue(())
    }

    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    fn check_members<L: Listener>(&self, found: &mut Found<'_, L>) -> Flow {
        let Reading { frame, ref members, value, .. } = *self.reading;
        // The scan has kept the first of each kind; whoever wants them all has the names looked at again.
        for (first, level) in members.first_repeated() {
            if first > 0 {
                found.at(Rule::DuplicateMember, first)?;
                if !L::ERRORS_ALONE {
                    let object = match level {
                        Level::Top => value,
                        Level::Inner => members.value(Member::ERROR),
                    };
                    let report = &mut |rule, offset| found.at(rule, offset);
                    names::duplicates_behind(first, frame, object, level, report)?;
                }
            }
        }
        if let Some(first) = members.first_lone_surrogate() {
            found.at(Rule::LoneSurrogate, first)?;
            if !L::ERRORS_ALONE {
                let report = &mut |rule, offset| found.at(rule, offset);
                names::lone_surrogates_behind(first, frame, value, report)?;
            }
        }
        for &member in TEXTS {
            if let Some(offset) = self.lone_surrogate(member) {
                found.at(Rule::LoneSurrogate, offset)?;
            }
        }
        match self.reading.member(Member::JSONRPC) {
            None => found.at(Rule::MissingJsonrpc, self.reading.start()),
            Some(_) if self.reading.string(Member::JSONRPC).is_some_and(|text| text == "2.0") => {
                ControlFlow::Continue(())
            }
            Some(_) => found.at(Rule::WrongVersion, self.offset(Member::JSONRPC)),
        }
    }

    fn check_shape<L: Listener>(&self, found: &mut Found<'_, L>) -> Flow {
        let result = self.has(Member::RESULT);
        let error = self.has(Member::ERROR);
        let method = self.has(Member::METHOD);
        if result && error {
            let second = self.offset(Member::RESULT).max(self.offset(Member::ERROR));
            found.at(Rule::ResultAndError, second)?;
        }
        if method && (result || error) {
            found.at(Rule::MethodInResponse, self.offset(Member::METHOD))?;
        }
        if !(result || error || method) {
            found.at(Rule::NoShape, self.reading.start())?;
        }
        ControlFlow::Continue(())
    }

    fn check_id<L: Listener>(&self, found: &mut Found<'_, L>) -> Flow {
        let rules = self.rules;
        let error = self.has(Member::ERROR) && !self.has(Member::RESULT);
        let offset = self.offset(Member::ID);
        match self.kind(Member::ID) {
            None => {
                let response = self.has(Member::RESULT) || self.has(Member::ERROR);
                let may_be_absent = error && rules.error_ids() == ErrorIds::OrAbsent;
                match response && !may_be_absent {
                    true => found.at(Rule::ResponseWithoutId, self.reading.start()),
                    false => ControlFlow::Continue(()),
                }
            }
            Some(Kind::Null) if error && rules.error_ids() == ErrorIds::OrNull => {
                ControlFlow::Continue(())
            }
            Some(Kind::Null) => found.at(Rule::IdNull, offset),
            Some(Kind::Number) if !self.is_integer(Member::ID) => {
                found.at(Rule::IdFraction, offset)
            }
            Some(Kind::Number | Kind::String) => ControlFlow::Continue(()),
            Some(Kind::Bool | Kind::Array | Kind::Object) => found.at(Rule::IdType, offset),
        }
    }

    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(always))]
    fn check_types<L: Listener>(&self, found: &mut Found<'_, L>) -> Flow {
        let rules = self.rules;
        if self.kind(Member::METHOD).is_some_and(|kind| kind != Kind::String) {
            found.at(Rule::MethodType, self.offset(Member::METHOD))?;
        }
        let params_allowed = match (self.kind(Member::PARAMS), rules.params()) {
            (None | Some(Kind::Object), _) => true,
            (Some(Kind::Array), params) => params != Params::Object,
            (Some(Kind::Null), params) => params == Params::StructuredOrNull,
            (Some(Kind::Bool | Kind::Number | Kind::String), _) => false,
        };
        if !params_allowed {
            found.at(Rule::ParamsType, self.offset(Member::PARAMS))?;
        }
        if rules.results() == Results::Object
            && self.kind(Member::RESULT).is_some_and(|kind| kind != Kind::Object)
        {
            found.at(Rule::ResultType, self.offset(Member::RESULT))?;
        }
        ControlFlow::Continue(())
    }

    fn check_error<L: Listener>(&self, found: &mut Found<'_, L>) -> Flow {
        let brace = self.offset(Member::ERROR);
        match self.kind(Member::ERROR) {
            None => return ControlFlow::Continue(()),
            Some(Kind::Object) => {}
            Some(_) => return found.at(Rule::ErrorType, brace),
        }
        if !self.has(Member::CODE) {
            found.at(Rule::ErrorCodeMissing, brace)?;
        } else if !self.is_integer(Member::CODE) {
            found.at(Rule::ErrorCodeType, self.offset(Member::CODE))?;
        }
        match self.kind(Member::MESSAGE) {
            None => found.at(Rule::ErrorMessageMissing, brace),
            Some(Kind::String) => ControlFlow::Continue(()),
            Some(_) => found.at(Rule::ErrorMessageType, self.offset(Member::MESSAGE)),
        }
    }

    /// What is legal, and what peers trip over all the same.
    fn check_traps<L: Listener>(&self, found: &mut Found<'_, L>) -> Flow {
        let reading = self.reading;
        if let Some(id) = reading.member(Member::ID).and_then(|id| id.number())
            && id.is_integer()
        {
            if !id.is_plain_integer() || id.as_bytes() == b"-0" {
                found.at(Rule::IdNotPlainInteger, self.offset(Member::ID))?;
            }
            if !is_safe_integer(id) {
                found.at(Rule::IdUnsafeInteger, self.offset(Member::ID))?;
            }
        }
        if let Some(method) = reading.member(Member::METHOD).and_then(|method| method.string())
            && method.starts_with("rpc.")
        {
            found.at(Rule::MethodReserved, self.offset(Member::METHOD))?;
        }
        if let Some(code) = reading.member(Member::CODE).and_then(|code| code.number())
            && let Some(code) = code.as_i64()
        {
            let offset = self.offset(Member::CODE);
            let code = super::ErrorCode::new(code);
            match self.rules.code_class(code) {
                CodeClass::HttpStatus => found.at(Rule::ErrorCodeHttp, offset)?,
                // A code that a revision forbids is reported below the envelope.
                CodeClass::Reserved | CodeClass::Retired | CodeClass::Legacy
                    if !self.rules.forbid_code(code) =>
                {
                    found.at(Rule::ErrorCodeReserved, offset)?;
                }
                _ => {}
            }
        }
        let members = &reading.members;
        if members.has_unknown {
            let mut lookalikes = Lookalikes::None;
            for (object, level) in self.objects() {
                names::lookalikes(reading.frame, object, level, &mut |rule, offset| {
                    lookalikes = Lookalikes::Some;
                    found.at(rule, offset)
                })?;
            }
            for (object, level) in self.objects() {
                let report = &mut |rule, offset| found.at(rule, offset);
                names::unknown(reading.frame, object, level, lookalikes, report)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The message, and its error object if there is one.
    fn objects(&self) -> impl Iterator<Item = (Span, Level)> {
        let error = self.reading.members.value(Member::ERROR);
        let error = (!error.is_empty()).then_some((error, Level::Inner));
        [(self.reading.value, Level::Top)].into_iter().chain(error)
    }

    /// The reply that is owed if there is an error; the table stands at [`Fault::reply`].
    pub(super) fn owed(&self) -> Owed {
        let reading = self.reading;
        let uncorrelated = self.rules.uncorrelated();
        if let Shape::Faulty(syntax) = reading.members.shape
            && syntax != Syntax::TooDeep
        {
            return match (self.rules.unparseable(), uncorrelated) {
                (Unparseable::Silent, _) | (_, Uncorrelated::Silent) => Owed::Silence,
                (Unparseable::Answered, Uncorrelated::NullId) => Owed::ParseErrorNull,
                (Unparseable::Answered, Uncorrelated::NoId) => Owed::ParseErrorNoId,
            };
        }
        if self.has(Member::RESULT) || self.has(Member::ERROR) {
            return Owed::Silence;
        }
        if reading.members.string_method && !self.has(Member::ID) {
            return Owed::Silence;
        }
        if self.id_can_be_echoed() {
            return Owed::InvalidEcho;
        }
        invalid_uncorrelated(self.rules)
    }

    fn id_can_be_echoed(&self) -> bool {
        let any = self.rules.ids() == Ids::Any;
        !self.reading.only(Member::ID).is_empty()
            && match self.kind(Member::ID) {
                Some(Kind::String) => self.lone_surrogate(Member::ID).is_none(),
                Some(Kind::Number) => any || self.is_integer(Member::ID),
                Some(Kind::Null) => any,
                None | Some(Kind::Bool | Kind::Array | Kind::Object) => false,
            }
    }

    /// Of which kind the member is, if it is there.
    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    fn kind(&self, member: Member) -> Option<Kind> {
        self.reading.member(member).map(|value| value.kind())
    }

    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    fn is_integer(&self, member: Member) -> bool {
        let number = self.reading.member(member).and_then(|value| value.number());
        number.is_some_and(|number| number.is_integer())
    }

    fn has(&self, member: Member) -> bool {
        self.reading.members.present.has(member)
    }

    /// Where the member's value begins.
    fn offset(&self, member: Member) -> u32 {
        self.reading.members.value(member).start()
    }

    /// Where in the member, if it is a string, the first escape of half a character is.
    fn lone_surrogate(&self, member: Member) -> Option<u32> {
        names::lone_surrogate(self.reading.string(member)?.glance(), self.offset(member))
    }
}

/// Where in a batch of calls the first response begins, or in one of responses the first call. A faulty element is of
/// a kind as well, if it has the members for it.
pub(super) fn first_mixed(batch: RawJson<'_>) -> Option<usize> {
    let mut first = None;
    let mut elements = batch.elements()?;
    while let Some((at, element)) = elements.next_at() {
        let mut names = ["result", "error", "method"].iter();
        if names.any(|name| element.member(name).is_some()) {
            // The method comes last.
            let is_response = names.len() > 0;
            if *first.get_or_insert(is_response) != is_response {
                return Some(at);
            }
        }
    }
    None
}

/// The members that no escape of half a character may stand in.
const TEXTS: &[Member] = &[Member::JSONRPC, Member::ID, Member::METHOD];

/// Whoever is told what is found.
///
/// What is done with it is known when this is compiled: a program that asks for faults alone has none of
/// what the rest takes.
trait Listener {
    /// Nothing but errors is listened for.
    const ERRORS_ALONE: bool;

    fn hear(&mut self, heard: Heard) -> Flow;
}

/// What a check has to say.
pub(super) struct Heard {
    rule: Rule,
    offset: u32,
}

/// Hears the first error, and no more.
struct FirstError;

impl Listener for FirstError {
    const ERRORS_ALONE: bool = true;

    fn hear(&mut self, heard: Heard) -> Flow {
        ControlFlow::Break(heard)
    }
}

/// Passes everything on.
struct Everything<'f>(&'f mut dyn FnMut(Heard));

impl Listener for Everything<'_> {
    const ERRORS_ALONE: bool = false;

    fn hear(&mut self, heard: Heard) -> Flow {
        (self.0)(heard);
        ControlFlow::Continue(())
    }
}

/// Where the checks say what they find.
struct Found<'r, L> {
    rules: &'r Rules,
    listener: L,
}

impl<L: Listener> Found<'_, L> {
    /// The rule is broken here: an error or less, as the rules in force say.
    fn at(&mut self, rule: Rule, offset: u32) -> Flow {
        // Up to the traps, whatever is not tolerated is an error.
        if L::ERRORS_ALONE && self.rules.tolerate_id(rule) {
            return ControlFlow::Continue(());
        }
        self.listener.hear(Heard { rule, offset })
    }
}

impl Fault {
    /// The fault of a line that was too long to be a frame, and of which nothing is known.
    ///
    /// Of one that a [`Skimmer`](super::Skimmer) has seen, more is: see [`of_skimmed`](Self::of_skimmed).
    #[must_use]
    pub fn of_oversized(_oversized: &Oversized, rules: &Rules) -> Self {
        Self {
            rule: Rule::FrameTooLong,
            syntax: None,
            offset: 0,
            owed: invalid_uncorrelated(rules),
            id: Span::default(),
        }
    }
}

/// -32600 to nobody in particular.
const fn invalid_uncorrelated(rules: &Rules) -> Owed {
    match rules.uncorrelated() {
        Uncorrelated::NullId => Owed::InvalidNull,
        Uncorrelated::NoId => Owed::InvalidNoId,
        Uncorrelated::Silent => Owed::Silence,
    }
}

fn is_safe_integer(number: RawNumber<'_>) -> bool {
    number.integer().is_some_and(|(_, magnitude)| magnitude <= MAX_SAFE_INTEGER)
}

/// The message that an envelope without errors is.
#[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
fn build<'buf>(reading: &Reading<'buf>, rules: &Rules) -> Message<'buf> {
    let Reading { frame, ref members, value, .. } = *reading;
    let (id, unknown) = (members.value(Member::ID), members.others());
    if let Shape::Array = members.shape {
        let batch = BatchLayout { array: value, elements: unknown, rules: *rules };
        return Message::Batch(Batch::new(frame, batch));
    }
    // Members that must be there are, or the validator would have said so.
    if members.present.has(Member::METHOD) {
        let (method, params) = (members.value(Member::METHOD), members.value(Member::PARAMS));
        let call = CallLayout { id, method, params, unknown };
        return match id.is_empty() {
            true => Message::Notification(Notification::new(frame, call)),
            false => Message::Request(Request::new(frame, call)),
        };
    }
    let outcome = match members.present.has(Member::RESULT) {
        true => OutcomeLayout::Result(members.value(Member::RESULT)),
        false => OutcomeLayout::Error(ErrorLayout {
            code: members.value(Member::CODE),
            message: members.value(Member::MESSAGE),
            data: members.value(Member::DATA),
        }),
    };
    Message::Response(Response::new(frame, ResponseLayout { id, outcome, unknown }))
}
