//! What is found in a frame, the first fault, and the reply it is owed.

use core::fmt;

use super::{ErrorCode, Rule, Severity};
use crate::scan::{Span, Syntax};

/// One thing that was found in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    pub(super) rule: Rule,
    pub(super) severity: Severity,
    pub(super) syntax: Option<Syntax>,
    pub(super) offset: u32,
}

impl Finding {
    /// What a later stage finds.
    pub(crate) const fn new(rule: Rule, severity: Severity, offset: u32) -> Self {
        Self { rule, severity, syntax: None, offset }
    }

    /// Which rule is broken.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        self.rule
    }

    /// How much that matters, under the rules in force.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        self.severity
    }

    /// Where in the frame, as an offset in bytes. What is missing from an object is missing at its
    /// opening brace, and what a method requires where the method stands.
    #[must_use]
    pub const fn offset(&self) -> u32 {
        self.offset
    }

    /// What exactly does not fit, if the frame is not JSON.
    #[must_use]
    pub const fn syntax(&self) -> Option<Syntax> {
        self.syntax
    }

    /// What it means, in one line.
    #[must_use]
    pub const fn message(&self) -> &'static str {
        message(self.rule, self.syntax)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_finding(f, self.rule, self.syntax, self.offset)
    }
}

/// What it means that a rule is broken; of bytes that are not JSON, what exactly does not fit.
const fn message(rule: Rule, syntax: Option<Syntax>) -> &'static str {
    match syntax {
        Some(syntax) => syntax.description(),
        None => rule.meaning(),
    }
}

fn write_finding(
    f: &mut fmt::Formatter<'_>,
    rule: Rule,
    syntax: Option<Syntax>,
    offset: u32,
) -> fmt::Result {
    f.write_str(rule.name())?;
    f.write_str(" at byte ")?;
    fmt::Display::fmt(&offset, f)?;
    f.write_str(": ")?;
    f.write_str(message(rule, syntax))
}

/// Why a frame is not a message: the first error in it, in the order of the table of
/// [rules](Rule), those of the text by offset.
///
/// A fault borrows nothing: it is `Copy`, 16 bytes long, and can be kept when the frame is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub(super) rule: Rule,
    pub(super) syntax: Option<Syntax>,
    pub(super) owed: Owed,
    pub(super) offset: u32,
    /// Empty where no id was read.
    pub(super) id: Span,
}

impl Fault {
    /// Which rule is broken.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        self.rule
    }

    /// Where in the frame, as an offset in bytes. What is missing from an object is missing at its
    /// opening brace.
    #[must_use]
    pub const fn offset(&self) -> u32 {
        self.offset
    }

    /// What exactly does not fit, if the frame is not JSON.
    #[must_use]
    pub const fn syntax(&self) -> Option<Syntax> {
        self.syntax
    }

    /// What it means, in one line.
    #[must_use]
    pub const fn message(&self) -> &'static str {
        message(self.rule, self.syntax)
    }

    /// Where in the frame the id is, legal or not, if exactly one could be read.
    #[must_use]
    pub const fn id(&self) -> Option<Span> {
        self.id.if_any()
    }

    /// The text of the id, as it stands in the frame that has this fault.
    #[must_use]
    pub fn id_in<'buf>(&self, frame: &'buf [u8]) -> Option<&'buf [u8]> {
        self.id()?.of(frame)
    }

    /// The error reply that is owed to the sender, if any is.
    ///
    /// | the frame | is owed |
    /// |---|---|
    /// | is not JSON, or not UTF-8 | -32700 with no id that was guessed, or, if the [rules](super::Unparseable) say so, silence |
    /// | has a `result` or an `error` | silence: it may be a response |
    /// | has a string `method` and no `id` | silence: it is a notification, however broken |
    /// | is a batch that is not allowed, empty, too long, mixed or too deep | -32600, as for what has no id, whatever is in it |
    /// | is anything else | -32600 with its id, if that is legal, the only one, and stands before any part that is too deep; else as the [rules](super::Uncorrelated) say |
    ///
    /// A frame that is too deep is judged by what could be read of it: members behind the deep part
    /// count for silence, and whether all of it is JSON is not known.
    ///
    /// A `method` that appears several times is a string if any of them is.
    #[must_use]
    pub const fn reply(&self) -> Option<Reply> {
        let id = match self.owed {
            Owed::Silence => return None,
            Owed::InvalidEcho => ReplyId::Echo(self.id),
            Owed::ParseErrorNull | Owed::InvalidNull => ReplyId::Null,
            Owed::ParseErrorNoId | Owed::InvalidNoId => ReplyId::Omitted,
        };
        let code = match self.owed {
            Owed::ParseErrorNull | Owed::ParseErrorNoId => ErrorCode::PARSE_ERROR,
            _ => ErrorCode::INVALID_REQUEST,
        };
        Some(Reply { code, id })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_finding(f, self.rule, self.syntax, self.offset)
    }
}

impl core::error::Error for Fault {}

const _: () = assert!(size_of::<Fault>() == 16, "a fault is handed around in registers");

/// The replies there are, each in one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owed {
    Silence,
    ParseErrorNull,
    ParseErrorNoId,
    InvalidEcho,
    InvalidNull,
    InvalidNoId,
}

/// The error reply that a frame is owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Reply {
    code: ErrorCode,
    id: ReplyId,
}

impl Reply {
    /// The error code: -32700 or -32600.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// Which id it carries.
    #[must_use]
    pub const fn id(&self) -> ReplyId {
        self.id
    }

    /// The text to put for the id, if the frame is the one that the reply is owed to; `None` where
    /// the member is left out.
    #[must_use]
    pub fn id_in<'buf>(&self, frame: &'buf [u8]) -> Option<&'buf [u8]> {
        match self.id {
            ReplyId::Echo(span) => span.of(frame),
            ReplyId::Null => Some(b"null"),
            ReplyId::Omitted => None,
        }
    }
}

/// The id of an error reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[expect(clippy::exhaustive_enums, reason = "an id is there, null or left out")]
pub enum ReplyId {
    /// The id of the frame, byte for byte as it stands there.
    Echo(Span),
    /// `null`.
    Null,
    /// The reply has no member `id`.
    Omitted,
}
