//! Why a frame is not a message: what its bytes are instead.
//!
//! A [fault](tautline::Fault) is the first rule that the bytes break, and determines the reply. A `Cause` is the reason:
//! two writers, a code page, another protocol. It replaces the fault in a report for people. Only frames with a fault are
//! searched for a cause, so valid messages cost nothing. A cause needs the heap for its words, so it is not in the core.

pub mod rule;

#[cfg(feature = "alloc")]
use alloc::string::String;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use tautline::Rule;
#[cfg(feature = "alloc")]
use tautline::frame::FramingKind;
#[cfg(feature = "alloc")]
use tautline::internal::cast::u32_from;

/// The causes that have a rule in the core, where a hint is a note beside the error. As a cause, it is an error.
pub const HINTS: [Rule; 4] =
    [Rule::UTF16, Rule::CONTENT_LENGTH_HEADER, Rule::EMBEDDED_NEWLINE, Rule::LOG_LINE];

#[cfg(feature = "alloc")]
mod encoding;
#[cfg(feature = "alloc")]
mod foreign;
#[cfg(feature = "alloc")]
mod header;
#[cfg(feature = "alloc")]
mod lost;
#[cfg(feature = "alloc")]
mod message;
#[cfg(feature = "alloc")]
mod mixture;
#[cfg(feature = "alloc")]
mod object;
#[cfg(feature = "alloc")]
mod recognize;

#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
pub use lost::{LostKind, LostMessage};

/// The reason why a frame is not a message.
///
/// ```
/// use tautline_mcp::cause::{Cause, Surroundings, rule};
/// use tautline_mcp::{Envelope, Profile};
///
/// let frame = b"{'jsonrpc': '2.0', 'id': 7, 'result': None}";
/// let envelope = Envelope::read(frame, &Profile::JSON_RPC);
/// let cause = Cause::of(&envelope, &Surroundings::default()).unwrap();
/// assert_eq!(cause.rule(), rule::LANGUAGE_REPR);
/// assert_eq!(
///     cause.reason(),
///     "this is how Python prints a value, and not JSON; the response with the id 7 is lost",
/// );
/// assert_eq!(cause.lost()[0].id().as_deref(), Some("7"));
/// // The fault is what it was.
/// assert_eq!(envelope.message().unwrap_err().rule(), tautline_mcp::Rule::NOT_JSON);
/// ```
#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    rule: Rule,
    offset: u32,
    words: String,
    lost: Vec<LostMessage>,
    framing: Option<FramingKind>,
    explains_loss: bool,
    help: Option<&'static str>,
}

/// The stream around a frame, as far as it is known.
#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "a frame has nothing else around it")]
pub struct Surroundings<'a> {
    /// How the frame was delimited.
    pub framing: FramingKind,
    /// The bytes that follow it. They may be empty, or end anywhere.
    pub behind: &'a [u8],
}

/// A line, and nothing known to follow it.
#[cfg(feature = "alloc")]
impl Default for Surroundings<'_> {
    fn default() -> Self {
        Self { framing: FramingKind::Ndjson, behind: b"" }
    }
}

#[cfg(feature = "alloc")]
impl Cause {
    fn new(rule: Rule, at: usize, words: String) -> Self {
        let (offset, lost) = (u32_from(at), Vec::new());
        Self { rule, offset, words, lost, framing: None, explains_loss: false, help: None }
    }

    /// Adds the messages that are lost, and their names to the words. If the cause has no words, they are the summary of
    /// its rule.
    fn losing(mut self, messages: impl IntoIterator<Item = LostMessage>) -> Self {
        self.lost.extend(messages);
        if !self.lost.is_empty() {
            self.words = String::from(self.reason()) + &lost::words(&self.lost);
        }
        self
    }

    fn in_framing(self, framing: FramingKind) -> Self {
        Self { framing: Some(framing), ..self }
    }

    fn explaining_loss(self) -> Self {
        Self { explains_loss: true, ..self }
    }

    fn with_help(self, help: &'static str) -> Self {
        Self { help: Some(help), ..self }
    }

    /// Moves the cause, which was found in the rest of the frame after this many bytes.
    fn after(self, count: usize) -> Self {
        Self { offset: self.offset.saturating_add(u32_from(count)), ..self }
    }

    /// Returns the rule of the cause. The core has the rules of some causes, whose usual severity there is that of a
    /// hint beside an error. As a cause, it is as severe as the fault.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        self.rule
    }

    /// Returns the place in the frame, as an offset in bytes.
    #[must_use]
    pub const fn offset(&self) -> u32 {
        self.offset
    }

    /// Returns what has happened, in one line, with the messages that are lost. It contains parts of the frame, without
    /// control characters.
    #[must_use]
    pub fn reason(&self) -> &str {
        if self.words.is_empty() { crate::rule::summary(self.rule) } else { &self.words }
    }

    /// Returns the messages that are lost with the frame, in the order of the frame, as far as they are known. Of many,
    /// these are the first.
    #[must_use]
    pub fn lost(&self) -> &[LostMessage] {
        &self.lost
    }

    /// Returns the remedy, in one line: that of the rule, or one that fits this cause better.
    #[must_use]
    pub fn help(&self) -> &'static str {
        self.help.unwrap_or_else(|| crate::rule::help(self.rule))
    }

    /// Returns whether [`reason`](Self::reason) contains parts of the frame.
    #[must_use]
    pub const fn is_about_this_place(&self) -> bool {
        !self.words.is_empty()
    }

    /// Returns whether the cause replaces a finding of this rule on its frame. A few are about something else.
    #[must_use]
    pub fn replaces(&self, rule: Rule) -> bool {
        let is_other = matches!(
            rule,
            Rule::DUPLICATE_MEMBER | Rule::RAW_CARRIAGE_RETURN | Rule::LINE_SEPARATOR
        );
        rule == self.rule || !is_other
    }

    /// Returns the framing that would find the messages, if it is another one than the frame's.
    #[must_use]
    pub const fn framing(&self) -> Option<FramingKind> {
        self.framing
    }

    /// Returns whether the framing is desynchronised after this frame, for the same cause.
    #[must_use]
    pub const fn explains_loss(&self) -> bool {
        self.explains_loss
    }

    /// Forgets the framing that would find the messages, if it is the one in use.
    fn read_in(self, framing: FramingKind) -> Self {
        Self { framing: self.framing.filter(|&other| other != framing), ..self }
    }
}
