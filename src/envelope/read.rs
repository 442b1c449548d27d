//! Reading a frame: one pass of the scanner, and what it took down.

use super::judge::{self, Judge};
use super::member::{Collector, Member, Members};
use super::{Finding, Message, Rules};
use crate::bytes::is_whitespace;
use crate::cast::{index, u32_from};
use crate::json::{RawJson, RawStr};
use crate::scan::{self, Span, SyntaxError};

/// A frame that was read, and not yet judged: where its members are, healthy or not.
///
/// [`Message::parse`] is `Envelope::read(frame, rules).message()`. What is between those two calls is
/// for whoever wants to say more of a faulty frame than its fault.
///
/// ```
/// use tautline::{Envelope, Rules};
///
/// let frame = br#"{"jsonrpc":"1.0","method":"subtract","id":[]}"#;
/// let envelope = Envelope::read(frame, &Rules::JSON_RPC);
/// assert_eq!(envelope.method().unwrap(), "subtract");
/// assert_eq!(envelope.id().unwrap().as_bytes(), b"[]");
/// let mut found = Vec::new();
/// envelope.findings(|finding| found.push(finding.rule().name()));
/// assert_eq!(found, ["wrong-version", "id-type"]);
/// ```
#[derive(Clone, Debug)]
pub struct Envelope<'buf> {
    pub(super) frame: &'buf [u8],
    pub(super) rules: Rules,
    pub(super) members: Members,
    /// The value that the frame is, or the whole frame if it is none.
    pub(super) value: Span,
    pub(super) shape: Shape,
}

/// What the frame is as JSON.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Object,
    Array,
    /// Anything else: in a batch, an array too.
    Scalar,
    /// It has a fault of syntax, or is too deep.
    Faulty(SyntaxError),
    /// It is longer than offsets in a frame can say.
    TooLong,
}

impl<'buf> Envelope<'buf> {
    /// Reads a frame, every byte of it once.
    #[must_use]
    pub fn read(frame: &'buf [u8], rules: &Rules) -> Self {
        Self::read_by(frame, rules, scan::document)
    }

    /// Reads a frame with the plain scanner.
    #[cfg(feature = "fast")]
    pub(crate) fn read_plain(frame: &'buf [u8], rules: &Rules) -> Self {
        Self::read_by(frame, rules, scan::plain_document)
    }

    #[inline(always)]
    fn read_by(
        frame: &'buf [u8],
        rules: &Rules,
        scan: impl FnOnce(&'buf [u8], u8, &mut Collector<'buf>) -> Result<Span, SyntaxError>,
    ) -> Self {
        if u32::try_from(frame.len()).is_err() {
            return Self {
                frame,
                rules: *rules,
                members: Members::default(),
                value: Span::default(),
                shape: Shape::TooLong,
            };
        }
        let mut collector = Collector::new(frame);
        let scanned = scan(frame, rules.max_depth(), &mut collector);
        Self::new(collector, rules, scanned)
    }

    /// Reads an element of a batch that was found to be valid, and says where it ends.
    pub(super) fn read_element(frame: &'buf [u8], from: usize, rules: &Rules) -> (Self, usize) {
        let mut collector = Collector::new(frame);
        let scanned = scan::value(frame, from, rules.max_depth(), &mut collector);
        let end = scanned.map_or(frame.len(), |span| index(span.end()));
        let mut element = Self::new(collector, rules, scanned);
        if let Shape::Array = element.shape {
            // There are no batches in batches.
            element.shape = Shape::Scalar;
        }
        (element, end)
    }

    fn new(collector: Collector<'buf>, rules: &Rules, scanned: Result<Span, SyntaxError>) -> Self {
        let Collector { frame, members, .. } = collector;
        let (value, shape) = match scanned {
            Ok(span) => {
                let shape = match frame.get(index(span.start())) {
                    Some(b'{') => Shape::Object,
                    Some(b'[') => Shape::Array,
                    _ => Shape::Scalar,
                };
                (span, shape)
            }
            Err(error) => (Span::new(0, frame.len()), Shape::Faulty(error)),
        };
        Self { frame, rules: *rules, members, value, shape }
    }

    /// The frame that was read, whole.
    #[must_use]
    pub const fn frame(&self) -> &'buf [u8] {
        self.frame
    }

    /// Where in the frame the message is: without the whitespace around it, and in a batch, without
    /// the other elements.
    #[must_use]
    pub const fn span(&self) -> Span {
        self.value
    }

    /// The message, or the first fault of the frame.
    ///
    /// # Errors
    ///
    /// The first fault, as [`Message::parse`].
    pub fn message(&self) -> Result<Message<'buf>, super::Fault> {
        match Judge::new(self).first_fault() {
            Some(fault) => Err(fault),
            None => Ok(judge::build(self)),
        }
    }

    /// Reports everything that is found in the frame, in the order of the table of
    /// [rules](super::Rule): what is wrong, what is a trap, what is worth knowing.
    ///
    /// Of the elements of a batch, each one's [own](super::Batch::iter) findings are to be asked for.
    pub fn findings(&self, mut report: impl FnMut(Finding)) {
        Judge::new(self).report(&mut |finding| report(finding));
    }

    /// The id, legal or not, if the frame is JSON, or is JSON up to a part that is too deep, and has
    /// exactly one.
    #[must_use]
    pub fn id(&self) -> Option<RawJson<'buf>> {
        self.id_span().map(|span| RawJson::at(self.frame, span))
    }

    /// The method, if it is a string and can be read as [the id](Self::id).
    #[must_use]
    pub fn method(&self) -> Option<RawStr<'buf>> {
        self.only(Member::METHOD)?;
        self.member(Member::METHOD)?.string()
    }

    /// The value of a member, if it was read.
    pub(super) fn member(&self, member: Member) -> Option<RawJson<'buf>> {
        let span = self.members.value(member);
        (!span.is_empty()).then(|| RawJson::at(self.frame, span))
    }

    /// Where in the frame [the id](Self::id) is.
    #[must_use]
    pub fn id_span(&self) -> Option<Span> {
        self.only(Member::ID)
    }

    /// Where the member is, if it was read once, and can be relied on.
    fn only(&self, member: Member) -> Option<Span> {
        let members = &self.members;
        let only = members.reliable.has(member) && !members.repeated.has(member);
        (only && self.is_read()).then(|| members.value(member)).filter(|span| !span.is_empty())
    }

    /// Whether what was taken down is known to be in the frame: nothing is, of bytes that are not JSON.
    const fn is_read(&self) -> bool {
        match self.shape {
            Shape::Faulty(error) => matches!(error.kind(), scan::Syntax::TooDeep),
            _ => true,
        }
    }

    /// Where the message begins: at its opening brace, if it has one.
    pub(super) fn start(&self) -> u32 {
        match self.shape {
            Shape::Faulty(_) | Shape::TooLong => {
                let blank = self.frame.iter().take_while(|&&byte| is_whitespace(byte)).count();
                u32_from(blank)
            }
            _ => self.value.start(),
        }
    }
}
