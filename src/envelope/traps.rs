//! Legal things that some peers handle wrongly.

use super::names::{self, Lookalikes};
use super::{Flow, Member, Report, Reporter, Validator};
use crate::json::RawNumber;
use crate::rule::{CodeClass, ErrorCode, Rule};
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
