//! The rules that a request can be refused for, and the error that answers it.

use super::{ErrorCode, Rule};

macro_rules! refusals {
    ($($($rule:ident)|+ => $code:expr,)*) => {
        /// The rules that a request is refused for. A program that answers requests links the texts of these rules
        /// only.
        const REFUSALS: &[Refusal] = &[$($(Refusal::new(Rule::$rule, $code),)+)*];
    };
}

refusals! {
    MethodNotInRevision | MethodKind | WrongDirection | UndeclaredCapability => ErrorCode::METHOD_NOT_FOUND,
    MissingParams | MissingMeta | MetaType | DuplicateNestedMember => ErrorCode::INVALID_PARAMS,
    InitializeInBatch | RequestBeforeInitialize | RequestBeforeInitialized => ErrorCode::INVALID_REQUEST,
    // MCP 2026-07-28, basic/versioning.
    VersionUnsupported => ErrorCode::new(-32022),
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
        Self { rule, code, message: rule.summary() }
    }
}

impl Rule {
    /// Returns the error code of the answer to a request that breaks this rule, if the rule is about the session or
    /// about what is below the envelope.
    ///
    /// The reply to a faulty frame does not depend on the rule alone: see
    /// [`Fault::reply`](crate::Fault::reply).
    #[must_use]
    pub const fn request_error(self) -> Option<ErrorCode> {
        match self.refusal() {
            #[expect(clippy::as_conversions, reason = "`From` is no function for constants yet")]
            Some(refusal) => Some(ErrorCode::new(refusal.code as i64)),
            None => None,
        }
    }

    /// Returns the message of that answer, which is the summary of the rule.
    pub(crate) fn request_message(self) -> &'static str {
        self.refusal().map_or("", |refusal| refusal.message)
    }

    #[inline(never)]
    const fn refusal(self) -> Option<&'static Refusal> {
        let mut rest = REFUSALS;
        while let [first, others @ ..] = rest {
            #[expect(
                clippy::as_conversions,
                reason = "which variant it is, since `==` is no function for constants"
            )]
            if first.rule as u8 == self as u8 {
                return Some(first);
            }
            rest = others;
        }
        None
    }
}
