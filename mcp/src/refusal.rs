//! The rules that a request can be refused for, and the error that answers it.

use tautline::{ErrorCode, Rule};

use super::rule;

macro_rules! refusals {
    ($($($rule:expr),+ => $code:expr;)*) => {
        /// The rules that a request is refused for. A program that answers requests links the texts of these rules
        /// only.
        const REFUSALS: &[Refusal] = &[$($(Refusal::new($rule, $code),)+)*];
    };
}

refusals! {
    rule::METHOD_NOT_IN_REVISION, rule::METHOD_KIND, rule::WRONG_DIRECTION, rule::UNDECLARED_CAPABILITY
        => ErrorCode::METHOD_NOT_FOUND;
    rule::MISSING_PARAMS, rule::MISSING_META, rule::META_TYPE, Rule::DUPLICATE_NESTED_MEMBER
        => ErrorCode::INVALID_PARAMS;
    rule::INITIALIZE_IN_BATCH, rule::REQUEST_BEFORE_INITIALIZE, rule::REQUEST_BEFORE_INITIALIZED
        => ErrorCode::INVALID_REQUEST;
    // MCP 2026-07-28, basic/versioning.
    rule::VERSION_UNSUPPORTED => ErrorCode::new(-32022);
}

/// A rule about the session or about what is below the envelope, and the error that answers a request that breaks it.
struct Refusal {
    rule: Rule,
    code: i16,
    message: &'static str,
}

impl Refusal {
    const fn new(rule: Rule, code: ErrorCode) -> Self {
        #[expect(clippy::as_conversions, reason = "the codes of this table have 16 bits")]
        let code = code.value() as i16;
        Self { rule, code, message: rule::summary(rule) }
    }
}

/// Returns the error code of the answer to a request that breaks this rule, if the rule is about the session or about
/// what is below the envelope.
///
/// The reply to a faulty frame does not depend on the rule alone: see [`Fault::reply`](tautline::Fault::reply).
#[must_use]
pub const fn request_error(rule: Rule) -> Option<ErrorCode> {
    match refusal(rule) {
        #[expect(clippy::as_conversions, reason = "`From` is no function for constants yet")]
        Some(refusal) => Some(ErrorCode::new(refusal.code as i64)),
        None => None,
    }
}

/// Returns the message of that answer, which is the summary of the rule.
pub(crate) fn request_message(rule: Rule) -> &'static str {
    refusal(rule).map_or("", |refusal| refusal.message)
}

#[inline(never)]
const fn refusal(rule: Rule) -> Option<&'static Refusal> {
    let mut rest = REFUSALS;
    while let [first, others @ ..] = rest {
        if first.rule.number() == rule.number() {
            return Some(first);
        }
        rest = others;
    }
    None
}
