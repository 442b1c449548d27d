//! The shapes of payloads: what the schema and the text of each revision of MCP demand of `params`, results and the
//! data of errors.
//!
//! [`Shapes::of`] returns the shapes of a revision, and [`Shapes::check`] validates a message against them, without a
//! tree, a heap or recursion. It looks for members that are missing, that have a type or a value that the schema does
//! not allow, that appear twice, or whose names resemble the names of known members. Each [`Finding`] has the rule, the
//! place, and what is [expected](Finding::expected) there.
//!
//! The text of the specification demands more than the schemas express: the keys of `_meta` have a grammar, roots are
//! files, tool uses and their results are in pairs, and so on. This is checked as well, as far as one message shows it.
//!
//! ```
//! use tautline_mcp::shape::Shapes;
//! use tautline_mcp::{Message, Revision};
//!
//! let frame = br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",
//!     "capabilities":{},"clientInfo":{"name":"editor","version":1}}}"#;
//! let message = Message::parse(frame, &Revision::V2025_11_25.profile()).unwrap();
//! let mut found = Vec::new();
//! Shapes::of(Revision::V2025_11_25).check(&message, None, |finding| {
//!     found.push(format!("{}: {finding}", finding.path(frame)));
//! });
//! assert_eq!(found, ["params.clientInfo.version: member-type at byte 150: expected a string"]);
//! ```
//!
//! # What is not checked
//!
//! A response doesn't name the method that it answers, so the caller has to know it. Results of unknown methods and
//! data of unknown errors may have any shape. So may members that the schema doesn't mention, because the schemas are
//! open, and results whose `resultType` is not in the schema, because extensions add some.
//!
//! If several types are allowed, an object is checked against the one from which it differs least. An object that mixes
//! members of two types may be legal as the other one.
//!
//! [`Revision::findings`](crate::Revision::findings) makes the checks that don't depend on the schema.
//!
//! # Cost
//!
//! Work is linear in the payload. A byte is visited once, and once more for each object around it that may have one of
//! several types, which only its other members tell apart. In the latest revision, such objects are nested at most five
//! deep, however deep the message is. If the distinguishing member, such as `type`, comes first, the second visit ends
//! there.
//!
//! A payload that may itself have one of several types is first treated as the first of them. The payload is read again
//! from its start only if this finds a fault. Microcontrollers skip this step.
//!
//! Lists of tools, prompts, elicitations, messages for sampling and metadata are read once or twice more, to check the
//! relations between their parts and what the schemas leave open. Only the first 64 `x-mcp-header` annotations of a
//! tool are compared with the others.
//!
//! Writing a [path](Finding::path) reads the frame again up to its place. To write the paths of many findings in one
//! frame, pass their offsets to [`Paths`](tautline::json::Paths), which finds all paths in one pass.

mod constraints;
mod expected;
mod syntax;
mod table;
#[rustfmt::skip]
mod tables;
mod validate;

pub use expected::Expected;
pub(crate) use expected::Missed;
pub use table::Shapes;
use tautline::scan::Span;
use tautline::{ErrorCode, ErrorObject, Message, Outcome, RawJson};

use self::table::Type;
use crate::{Finding, KnownMethod, Revision};

impl Shapes {
    /// Returns the shapes of a revision.
    ///
    /// The tables of a revision are linked into a program only if it can ask for them, so use a constant where
    /// size matters.
    #[must_use]
    pub const fn of(revision: Revision) -> &'static Self {
        match revision {
            Revision::V2024_11_05 => &tables::V2024_11_05,
            Revision::V2025_03_26 => &tables::V2025_03_26,
            Revision::V2025_06_18 => &tables::V2025_06_18,
            Revision::V2025_11_25 => &tables::V2025_11_25,
            Revision::V2026_07_28 => &tables::V2026_07_28,
        }
    }

    /// Validates the payload of a message: `params` of a call, the result of a response to `answered`, or the data of
    /// an error. Reports findings in the order of the text. Members that are missing from an object are reported
    /// after the findings inside it.
    ///
    /// `answered` is the method of the request that a response answers. Without it, results are not checked.
    /// Each element of a batch is validated, except for results.
    ///
    /// Params that are missing altogether are a finding of [`Revision::findings`].
    pub fn check(
        &self,
        message: &Message<'_>,
        answered: Option<KnownMethod>,
        mut report: impl FnMut(Finding),
    ) {
        match message {
            Message::Batch(batch) => {
                for message in batch.iter().filter_map(|element| element.message().ok()) {
                    self.check_one(&message, None, &mut report);
                }
            }
            message => self.check_one(message, answered, &mut report),
        }
    }

    fn check_one(
        &self,
        message: &Message<'_>,
        answered: Option<KnownMethod>,
        report: &mut dyn FnMut(Finding),
    ) {
        // The method is looked up once.
        let method = match message {
            Message::Request(request) => KnownMethod::named(request.method()),
            Message::Notification(note) => KnownMethod::named(note.method()),
            _ => answered,
        };
        if let Some((of, span)) = self.payload(message, method) {
            validate::check(message.frame(), span, of, report);
        }
        if let Message::Response(response) = message
            && let Some(error) = response.error()
            && let Some(of) = self.data_of(&error)
        {
            constraints::check_data(&error, of, report);
        }
        constraints::check(message, method, self.revision, report);
    }

    /// Returns whether results have a type (2026-07-28, basic, responses).
    const fn is_modern(&self) -> bool {
        !self.result_types.is_empty()
    }

    /// Returns the type of the data that the code of an error requires.
    fn data_of(&self, error: &ErrorObject<'_>) -> Option<&'static Type> {
        let code = error.code()?;
        let is_code = |known: i32| code == ErrorCode::new(known.into());
        self.errors.iter().find(|(known, _)| is_code(*known)).map(|(_, of)| *of)
    }

    /// Returns whether the result has a type that an extension has added (2026-07-28, basic, responses).
    fn is_of_extension(&self, result: RawJson<'_>) -> bool {
        let kind = || result.member("resultType")?.string();
        self.is_modern()
            && kind().is_some_and(|kind| !self.result_types.iter().any(|known| kind == **known))
    }

    /// Returns the part of the message that has a shape, and its type. `method` is the method of the call, or of the
    /// answered request.
    fn payload(
        &self,
        message: &Message<'_>,
        method: Option<KnownMethod>,
    ) -> Option<(&'static Type, Span)> {
        match message {
            Message::Request(request) => {
                let shape = self.requests.iter().find(|shape| Some(shape.method) == method)?;
                Some((shape.params?, request.call().params_span()?))
            }
            Message::Notification(note) => {
                let mut known = self.notifications.iter();
                let (_, of) = known.find(|(known, _)| Some(*known) == method)?;
                Some((of, note.call().params_span()?))
            }
            Message::Response(response) => match response.outcome() {
                Outcome::Result(result) => {
                    let method = method?;
                    if self.is_of_extension(result) {
                        return None;
                    }
                    let shape = self.requests.iter().find(|shape| shape.method == method)?;
                    Some((shape.result, response.result_span()?))
                }
                Outcome::Error(error) => Some((self.data_of(&error)?, error.data_span()?)),
            },
            // A batch never contains batches.
            Message::Batch(_) => None,
        }
    }
}
