//! One scanner pass over a frame, and the members it recorded.

use super::member::{Member, MemberSpans, Shape};
use crate::cast::index;
use crate::excerpt::Excerpt;
use crate::frame::Delimiter;
use crate::json::{RawJson, RawStr};
use crate::scan::{self, Descend, Level, Sink, Span, Syntax, SyntaxError};

/// A frame and the scanner's reports about it.
#[derive(Clone)]
pub(super) struct Reading<'buf> {
    pub(super) frame: &'buf [u8],
    pub(super) members: MemberSpans,
    pub(super) delimiter: Delimiter,
    /// The span of the value, or the place of the fault.
    pub(super) value: Span,
}

impl core::fmt::Debug for Reading<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Reading")
            .field("frame", &Excerpt(self.frame))
            .field("members", &self.members)
            .field("delimiter", &self.delimiter)
            .field("value", &self.value)
            .finish()
    }
}

impl<'buf> Reading<'buf> {
    /// Creates a reading with nothing recorded. A frame that is too long to be read keeps this state.
    ///
    /// Other frames are scanned next, in place. Passing a reading by value would take its size on the stack twice.
    #[inline(always)]
    pub(super) fn unread(frame: &'buf [u8], delimiter: Delimiter) -> Self {
        Self { frame, members: MemberSpans::default(), delimiter, value: Span::default() }
    }

    /// Scans the frame, every byte of it once. If `element` is given, scans an element of a valid batch instead, which
    /// begins at this offset, possibly after whitespace.
    #[cfg_attr(
        all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
        inline(never)
    )]
    pub(super) fn scan(&mut self, max_depth: u8, element: Option<usize>) {
        if u32::try_from(self.frame.len()).is_err() {
            return;
        }
        let scanned = scan::text(self.frame, element, max_depth, self);
        self.settle(scanned);
        if let (Some(_), Shape::Array) = (element, self.members.shape) {
            // A batch never contains batches.
            self.members.shape = Shape::Scalar;
        }
    }

    /// Scans the frame with the plain scanner.
    pub(super) fn scan_plain(&mut self, max_depth: u8) {
        if u32::try_from(self.frame.len()).is_ok() {
            let scanned = scan::plain(self.frame, None, max_depth, self);
            self.settle(scanned);
        }
    }

    /// Records the result of the scan.
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

    /// Returns the value of a member, if it was read.
    #[inline(never)]
    pub(super) fn member(&self, member: Member) -> Option<RawJson<'buf>> {
        RawJson::present(self.frame, self.members.values.of(member))
    }

    /// Returns the text of a member, if it was read and is a string.
    #[inline(never)]
    pub(super) fn string(&self, member: Member) -> Option<RawStr<'buf>> {
        self.member(member)?.string()
    }

    /// Returns the span of the member if it was read once and can be relied on, and an empty span otherwise.
    #[inline(never)]
    pub(super) fn only(&self, member: Member) -> Span {
        let members = &self.members;
        let only = members.seen.has_only(member);
        let value = members.values.of(member);
        if only && self.is_read() && !value.is_empty() { value } else { Span::default() }
    }

    /// Returns whether the reports can be trusted. They cannot if the bytes are not JSON.
    const fn is_read(&self) -> bool {
        match self.members.shape {
            Shape::Faulty(syntax) => matches!(syntax, Syntax::TooDeep),
            _ => true,
        }
    }

    /// Returns the offset where the message begins, which is its opening brace if it has one, or the offset of the
    /// fault.
    pub(super) const fn start(&self) -> u32 {
        self.value.start()
    }
}

/// Records the scanner's reports.
impl Sink for Reading<'_> {
    #[inline(always)]
    fn name(&mut self, level: Level, span: Span) -> Descend {
        self.members.name(level, RawStr::at(self.frame, span), span.start())
    }

    fn begin_value(&mut self, level: Level, start: usize) {
        self.members.begin_value(level, start);
    }

    fn end_value(&mut self, level: Level, end: usize) {
        // Only a string ends with a quote.
        let is_string = self.frame.get(end.wrapping_sub(1)) == Some(&b'"');
        self.members.end_value(level, end, is_string);
    }

    fn element(&mut self) {
        self.members.count_other();
    }

    fn too_deep(&mut self) {
        self.members.seen.too_deep = true;
    }

    fn reset(&mut self) {
        self.members = MemberSpans::default();
    }
}
