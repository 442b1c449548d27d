//! Reading a frame: one pass of the scanner, and what it took down.

use super::judge::{self, Judge};
use super::member::{Collector, Member, Members};
use super::{Finding, Message, Rules};
use crate::cast::index;
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
        let mut envelope = Self::unread(frame, rules);
        envelope.scan();
        envelope
    }

    /// Reads a frame with the plain scanner.
    #[cfg(feature = "fast")]
    pub(crate) fn read_plain(frame: &'buf [u8], rules: &Rules) -> Self {
        let mut envelope = Self::unread(frame, rules);
        envelope.scan_by(|text, depth, sink| scan::plain_document(text, depth, sink));
        envelope
    }

    /// An envelope that nothing was taken down in: that of a frame too long to be read.
    ///
    /// Others are scanned next, where they lie. To hand an envelope on by value takes its size on the
    /// stack twice, which a microcontroller feels.
    #[inline(always)]
    pub(super) fn unread(frame: &'buf [u8], rules: &Rules) -> Self {
        let members = Members::default();
        Self { frame, rules: *rules, members, value: Span::default(), shape: Shape::TooLong }
    }

    /// Reads the frame, every byte of it once.
    #[inline(always)]
    pub(super) fn scan(&mut self) {
        self.scan_by(|text, depth, sink| scan::document(text, depth, sink));
    }

    #[inline(always)]
    fn scan_by(
        &mut self,
        scan: impl FnOnce(&'buf [u8], u8, &mut Collector<'_, 'buf>) -> Result<Span, SyntaxError>,
    ) {
        if u32::try_from(self.frame.len()).is_ok() {
            let mut collector = Collector::new(self.frame, &mut self.members);
            let scanned = scan(self.frame, self.rules.max_depth(), &mut collector);
            self.settle(scanned);
        }
    }

    /// Reads an element of a batch that was found to be valid, from some place in front of it.
    pub(super) fn scan_element(&mut self, from: usize) {
        let mut collector = Collector::new(self.frame, &mut self.members);
        let scanned = scan::value(self.frame, from, self.rules.max_depth(), &mut collector);
        self.settle(scanned);
        if let Shape::Array = self.shape {
            // There are no batches in batches.
            self.shape = Shape::Scalar;
        }
    }

    /// Takes down what the scanner says of the frame.
    #[inline(always)]
    fn settle(&mut self, scanned: Result<Span, SyntaxError>) {
        (self.value, self.shape) = match scanned {
            Ok(span) => {
                let shape = match self.frame.get(index(span.start())) {
                    Some(b'{') => Shape::Object,
                    Some(b'[') => Shape::Array,
                    _ => Shape::Scalar,
                };
                (span, shape)
            }
            Err(error) => (Span::new(0, self.frame.len()), Shape::Faulty(error)),
        };
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
        if self.only(Member::METHOD).is_empty() {
            return None;
        }
        self.string(Member::METHOD)
    }

    /// The value of a member, if it was read.
    #[inline(never)]
    pub(super) fn member(&self, member: Member) -> Option<RawJson<'buf>> {
        let span = self.members.value(member);
        (!span.is_empty()).then(|| RawJson::at(self.frame, span))
    }

    /// The text of a member, if it was read, and is a string.
    #[inline(never)]
    pub(super) fn string(&self, member: Member) -> Option<RawStr<'buf>> {
        self.member(member)?.string()
    }

    /// Where in the frame [the id](Self::id) is.
    #[must_use]
    pub fn id_span(&self) -> Option<Span> {
        let id = self.only(Member::ID);
        (!id.is_empty()).then_some(id)
    }

    /// Where the member is, if it was read once, and can be relied on; else an empty stretch.
    #[inline(never)]
    pub(super) fn only(&self, member: Member) -> Span {
        let members = &self.members;
        let only = members.reliable.has(member) && !members.repeated.has(member);
        if only && self.is_read() { members.value(member) } else { Span::default() }
    }

    /// Whether what was taken down is known to be in the frame: nothing is, of bytes that are not JSON.
    const fn is_read(&self) -> bool {
        match self.shape {
            Shape::Faulty(error) => matches!(error.kind(), scan::Syntax::TooDeep),
            _ => true,
        }
    }

    /// Where the message begins: at its opening brace, if it has one.
    pub(super) const fn start(&self) -> u32 {
        self.value.start()
    }
}
