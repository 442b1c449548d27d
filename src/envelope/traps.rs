//! Legal things that some peers handle wrongly.

use core::ops::ControlFlow;

use super::member::Member;
use super::names::{self, Lookalikes};
use super::nested;
use super::report::{Flow, Report, Reporter};
use super::validate::Validator;
use crate::json::RawNumber;
use crate::resemblance::contains_nul;
use crate::rule::{CodeClass, ErrorCode, Rule, Severity};
use crate::scan::{Level, Span};

/// The largest integer up to which a double can hold each one, 2^53 - 1.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

impl Validator<'_, '_> {
    /// Checks for legal things that some peers handle wrongly.
    pub(super) fn check_traps<R: Reporter>(&self, report: &mut Report<'_, R>) -> Flow {
        let reading = self.reading;
        if let Some(id) = reading.member(Member::ID).and_then(|id| id.number())
            && id.is_integer()
        {
            if !id.is_plain_integer() || id.as_bytes() == b"-0" {
                report.at(Rule::ID_NOT_PLAIN_INTEGER, self.offset(Member::ID))?;
            }
            if !is_safe_integer(id) {
                report.at(Rule::ID_UNSAFE_INTEGER, self.offset(Member::ID))?;
            }
        }
        if let Some(method) = reading.member(Member::METHOD).and_then(|method| method.string())
            && method.starts_with("rpc.")
        {
            report.at(Rule::METHOD_RESERVED, self.offset(Member::METHOD))?;
        }
        if let Some(code) = reading.member(Member::CODE).and_then(|code| code.number())
            && let Some(code) = code.as_i64()
        {
            let offset = self.offset(Member::CODE);
            let code = ErrorCode::new(code);
            match self.profile.code_class(code) {
                CodeClass::HttpStatus => report.at(Rule::ERROR_CODE_HTTP, offset)?,
                // The codes that JSON-RPC leaves to servers are the protocol's to forbid, below the envelope.
                CodeClass::Reserved | CodeClass::Retired
                    if code.class() == CodeClass::ServerDefined => {}
                CodeClass::Reserved | CodeClass::Retired | CodeClass::Legacy => {
                    report.at(Rule::ERROR_CODE_RESERVED, offset)?;
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
                    report.at(rule, offset)
                })?;
            }
            for (object, level) in self.objects() {
                let each = &mut |rule, offset| report.at(rule, offset);
                names::unknown(reading.frame, object, level, lookalikes, each)?;
            }
        }
        self.check_payload(report)
    }

    /// Checks the payload for names and values that peers and gateways act on, and for repeated names, if the profile
    /// asks for it.
    fn check_payload<R: Reporter>(&self, report: &mut Report<'_, R>) -> Flow {
        let is_guarded = self.profile.severities().of(Rule::NESTED_MEMBER_LOOKALIKE).is_some();
        let (repeated, lone_surrogate, out_of_range) =
            match self.profile.severities().of(Rule::DUPLICATE_INNER_MEMBER) {
                Some(_) => self.first_ambiguities(),
                None => (None, None, None),
            };
        let mut is_reported = false;
        let mut guarded = |rule, at| {
            is_reported |= repeated == Some((Rule::DUPLICATE_INNER_MEMBER, at))
                && self.profile.severity(rule) == Severity::Error;
            report.at(rule, at)
        };
        if is_guarded {
            self.check_guarded(nested::lookalikes, &mut guarded)?;
            self.check_guarded(nested::duplicates, &mut guarded)?;
        }
        if let Some((rule @ Rule::DUPLICATE_INNER_MEMBER, at)) = repeated
            && !is_reported
        {
            report.at(rule, at)?;
        }
        if is_guarded {
            self.check_nul(report)?;
        }
        if let Some((rule @ Rule::TOO_MANY_NAMES, at)) = repeated {
            report.at(rule, at)?;
        }
        if let Some(at) = lone_surrogate {
            report.at(Rule::LONE_INNER_SURROGATE, at)?;
        }
        match out_of_range {
            Some(at) => report.at(Rule::NUMBER_OUT_OF_RANGE, at),
            None => ControlFlow::Continue(()),
        }
    }

    /// Finds the first name that an object in the payload repeats, or the first value with too many names to compare; and
    /// the first unpaired surrogate and the first number out of range, in the error itself as well.
    fn first_ambiguities(&self) -> (Option<(Rule, u32)>, Option<u32>, Option<u32>) {
        let mut repeated = None;
        let mut lone_surrogate = self.lone_surrogate(Member::MESSAGE);
        let code = self.reading.member(Member::CODE).map(|code| code.first_ambiguities());
        let code = code.and_then(|code| code.out_of_range);
        let mut out_of_range = code.map(|at| self.offset(Member::CODE).saturating_add(at));
        for member in [Member::PARAMS, Member::RESULT, Member::DATA] {
            let Some(value) = self.reading.member(member) else { continue };
            let start = self.offset(member);
            let found = value.first_ambiguities();
            repeated = repeated.or(match found.repeated {
                Ok(at) => at.map(|at| (Rule::DUPLICATE_INNER_MEMBER, start.saturating_add(at))),
                Err(_) => Some((Rule::TOO_MANY_NAMES, start)),
            });
            let first = |first: Option<u32>, at: Option<u32>| {
                first.into_iter().chain(at.map(|at| start.saturating_add(at))).min()
            };
            lone_surrogate = first(lone_surrogate, found.lone_surrogate);
            out_of_range = first(out_of_range, found.out_of_range);
        }
        (repeated, lone_surrogate, out_of_range)
    }

    /// Reports texts with U+0000 that peers and gateways act on.
    fn check_nul<R: Reporter>(&self, report: &mut Report<'_, R>) -> Flow {
        for member in [Member::ID, Member::METHOD] {
            if let Some(text) = self.reading.member(member).and_then(|value| value.string())
                && contains_nul(text)
            {
                report.at(Rule::NUL_CHARACTER, self.offset(member))?;
            }
        }
        self.check_guarded(nested::values_with_nul, &mut |rule, at| report.at(rule, at))
    }

    /// Checks the guarded names in `params`, if there are params.
    fn check_guarded(
        &self,
        check: nested::Check,
        report: &mut dyn FnMut(Rule, u32) -> Flow,
    ) -> Flow {
        let Some(params) = self.reading.member(Member::PARAMS) else {
            return ControlFlow::Continue(());
        };
        let (start, guarded) = (self.offset(Member::PARAMS), self.profile.guarded());
        nested::each_object(params, start, guarded, check, report)
    }

    /// The message, and its error object if there is one.
    fn objects(&self) -> impl Iterator<Item = (Span, Level)> {
        let error = self.reading.members.values.of(Member::ERROR);
        let error = (!error.is_empty()).then_some((error, Level::Inner));
        [(self.reading.value, Level::Top)].into_iter().chain(error)
    }
}

fn is_safe_integer(number: RawNumber<'_>) -> bool {
    number.integer().is_some_and(|(_, magnitude)| magnitude <= MAX_SAFE_INTEGER)
}
