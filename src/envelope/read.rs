//! Reading a frame: one pass of the scanner, and what it took down.

use super::judge::Judge;
use super::member::{Member, Members, Shape};
use super::{Fault, Finding, Message, Rules};
use crate::cast::{index, u32_within};
use crate::frame::{Delimiter, Frame};
use crate::json::{RawJson, RawStr};
use crate::scan::{self, Descend, Level, Sink, Span, Syntax, SyntaxError};

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
    pub(super) reading: Reading<'buf>,
    pub(super) rules: Rules,
}

/// What was taken down of a frame. The rules are lent to those who need them: a microcontroller feels it
/// on its stack if they are copied.
#[derive(Clone, Debug)]
pub(super) struct Reading<'buf> {
    pub(super) frame: &'buf [u8],
    pub(super) members: Members,
    pub(super) delimiter: Delimiter,
    /// Where the value is; of a faulty frame, where in it the fault is.
    pub(super) value: Span,
}

impl<'buf> Envelope<'buf> {
    /// Reads bytes that should be one message, every byte once, as [`Message::parse`].
    #[must_use]
    pub fn read(frame: &'buf [u8], rules: &Rules) -> Self {
        Self::read_delimited(frame, Delimiter::Other, rules)
    }

    /// Reads a frame, every byte of it once, as [`Message::parse_frame`].
    #[must_use]
    pub fn read_frame(frame: &Frame<'buf>, rules: &Rules) -> Self {
        Self::read_delimited(frame.bytes(), frame.delimiter(), rules)
    }

    /// Reads a line of newline-delimited JSON, without the newline, as [`Message::parse_line`].
    #[must_use]
    pub fn read_line(frame: &'buf [u8], rules: &Rules) -> Self {
        Self::read_delimited(frame, Delimiter::Newline, rules)
    }

    pub(super) fn read_delimited(frame: &'buf [u8], delimiter: Delimiter, rules: &Rules) -> Self {
        let mut envelope = Self::unread(frame, delimiter, rules);
        envelope.reading.scan(rules, None);
        envelope
    }

    /// Reads a frame with the plain scanner.
    #[cfg(feature = "fast")]
    pub(crate) fn read_plain(frame: &'buf [u8], delimiter: Delimiter, rules: &Rules) -> Self {
        let mut envelope = Self::unread(frame, delimiter, rules);
        envelope.reading.scan_plain(rules);
        envelope
    }

    /// Reads an element of a batch that was found to be valid, from some place in front of it.
    pub(super) fn read_element(frame: &'buf [u8], rules: &Rules, from: usize) -> Self {
        // What the delimiter asks for was asked of the whole batch.
        let mut envelope = Self::unread(frame, Delimiter::Other, rules);
        envelope.reading.scan(rules, Some(from));
        envelope
    }

    #[inline(always)]
    fn unread(frame: &'buf [u8], delimiter: Delimiter, rules: &Rules) -> Self {
        Self { reading: Reading::unread(frame, delimiter), rules: *rules }
    }

    /// The frame that was read, whole.
    #[must_use]
    pub const fn frame(&self) -> &'buf [u8] {
        self.reading.frame
    }

    /// Where in the frame the message is: without the whitespace around it, and in a batch, without
    /// the other elements.
    #[must_use]
    pub const fn span(&self) -> Span {
        match self.reading.members.shape {
            Shape::Faulty(_) => Span::between(0, u32_within(self.reading.frame.len())),
            _ => self.reading.value,
        }
    }

    /// The message, or the first fault of the frame.
    ///
    /// # Errors
    ///
    /// The first fault, as [`Message::parse`].
    pub fn message(&self) -> Result<Message<'buf>, Fault> {
        self.judge().message()
    }

    /// Reports everything that is found in the frame, in the order of the table of
    /// [rules](super::Rule): what is wrong, what is a trap, what is worth knowing.
    ///
    /// Of the elements of a batch, each one's [own](super::Batch::iter) findings are to be asked for.
    pub fn findings(&self, mut report: impl FnMut(Finding)) {
        self.judge().report(&mut |finding| report(finding));
    }

    /// The id, legal or not, if the frame is JSON, or is JSON up to a part that is too deep, and has
    /// exactly one.
    #[must_use]
    pub fn id(&self) -> Option<RawJson<'buf>> {
        self.id_span().map(|span| RawJson::at(self.reading.frame, span))
    }

    /// The method, if it is a string and can be read as [the id](Self::id).
    #[must_use]
    pub fn method(&self) -> Option<RawStr<'buf>> {
        if self.reading.only(Member::METHOD).is_empty() {
            return None;
        }
        self.reading.string(Member::METHOD)
    }

    /// Where in the frame [the id](Self::id) is.
    #[must_use]
    pub fn id_span(&self) -> Option<Span> {
        self.reading.only(Member::ID).if_any()
    }

    const fn judge(&self) -> Judge<'_, 'buf> {
        Judge::new(&self.reading, &self.rules)
    }
}

impl<'buf> Reading<'buf> {
    /// The reading of a frame in which nothing was taken down: that of one too long to be read.
    ///
    /// Others are scanned next, where they lie. To hand one on by value takes its size on the stack
    /// twice.
    #[inline(always)]
    pub(super) fn unread(frame: &'buf [u8], delimiter: Delimiter) -> Self {
        Self { frame, members: Members::default(), delimiter, value: Span::default() }
    }

    /// Reads the frame, every byte of it once; or the element of a batch that was found to be valid, from
    /// some place in front of it.
    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    pub(super) fn scan(&mut self, rules: &Rules, element: Option<usize>) {
        if u32::try_from(self.frame.len()).is_err() {
            return;
        }
        let scanned = scan::text(self.frame, element, rules.max_depth(), self);
        self.settle(scanned);
        if let (Some(_), Shape::Array) = (element, self.members.shape) {
            // There are no batches in batches.
            self.members.shape = Shape::Scalar;
        }
    }

    /// Reads the frame with the plain scanner.
    #[cfg(feature = "fast")]
    fn scan_plain(&mut self, rules: &Rules) {
        if u32::try_from(self.frame.len()).is_ok() {
            let scanned = scan::plain(self.frame, None, rules.max_depth(), self);
            self.settle(scanned);
        }
    }

    /// Takes down what the scanner says of the frame.
    #[inline(always)]
    fn settle(&mut self, scanned: Result<Span, SyntaxError>) {
        (self.value, self.members.shape) = match scanned {
            Ok(span) => {
                let shape = match self.frame.get(index(span.start())) {
                    Some(b'{') => Shape::Object,
                    Some(b'[') => Shape::Array,
                    _ => Shape::Scalar,
                };
                (span, shape)
            }
            Err(error) => {
                (Span::between(error.offset(), error.offset()), Shape::Faulty(error.kind()))
            }
        };
    }

    /// The value of a member, if it was read.
    #[inline(never)]
    pub(super) fn member(&self, member: Member) -> Option<RawJson<'buf>> {
        RawJson::present(self.frame, self.members.value(member))
    }

    /// The text of a member, if it was read, and is a string.
    #[inline(never)]
    pub(super) fn string(&self, member: Member) -> Option<RawStr<'buf>> {
        self.member(member)?.string()
    }

    /// Where the member is, if it was read once, and can be relied on; else an empty stretch.
    #[inline(never)]
    pub(super) fn only(&self, member: Member) -> Span {
        let members = &self.members;
        let only = members.reliable.has(member) && !members.repeated.has(member);
        let value = members.value(member);
        if only && self.is_read() && !value.is_empty() { value } else { Span::default() }
    }

    /// Whether what was taken down is known to be in the frame: nothing is, of bytes that are not JSON.
    const fn is_read(&self) -> bool {
        match self.members.shape {
            Shape::Faulty(syntax) => matches!(syntax, Syntax::TooDeep),
            _ => true,
        }
    }

    /// Where the message begins: at its opening brace, if it has one. Of a faulty frame, where the fault is.
    pub(super) const fn start(&self) -> u32 {
        self.value.start()
    }
}

/// What the scanner reports is taken down.
impl Sink for Reading<'_> {
    #[inline(always)]
    fn name(&mut self, level: Level, span: Span) -> Descend {
        self.members.name(level, RawStr::at(self.frame, span), span.start())
    }

    fn begin_value(&mut self, level: Level, start: usize) {
        self.members.begin_value(level, start);
    }

    fn end_value(&mut self, level: Level, end: usize) {
        // Nothing but a string ends with a quote.
        let is_string = self.frame.get(end.wrapping_sub(1)) == Some(&b'"');
        self.members.end_value(level, end, is_string);
    }

    fn element(&mut self) {
        self.members.count_other();
    }

    fn too_deep(&mut self) {
        self.members.too_deep = true;
    }

    #[cfg(feature = "fast")]
    fn reset(&mut self) {
        self.members = Members::default();
    }
}
