//! One scanner pass over a frame, and the members it recorded.

use super::member::lone_surrogate;
use super::{Each, Member, MemberSpans, Reading, Shape};
use crate::cast::index;
use crate::excerpt::Excerpt;
use crate::frame::Delimiter;
use crate::json::{RawJson, RawStr};
use crate::scan::{self, Descend, Level, Sink, Span, Syntax, SyntaxError};

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

impl<T> Each<T> {
    const fn of(&mut self, level: Level) -> &mut T {
        match level {
            Level::Top => &mut self.message,
            Level::Inner => &mut self.error,
        }
    }
}

impl MemberSpans {
    /// Records the name of a member, whose opening quote is at this offset, and returns whether to enter its value.
    #[inline(always)]
    fn name(&mut self, level: Level, name: RawStr<'_>, quote: u32) -> Descend {
        let name = name.glance();
        let member = Member::named(level, name);
        *self.under_way.of(level) = member;
        let Some(member) = member else {
            self.has_unknown = true;
            if level == Level::Top {
                self.count_other();
                if self.first_lone_surrogate == 0 {
                    self.first_lone_surrogate = lone_surrogate(name, quote).unwrap_or(0);
                }
            }
            return Descend::Skip;
        };
        if self.seen.insert(member) {
            return if member == Member::ERROR { Descend::Enter } else { Descend::Skip };
        }
        let first = self.first_repeated.of(level);
        if *first == 0 {
            *first = quote;
        }
        Descend::Skip
    }

    /// Records where the current member's value begins.
    #[inline]
    fn begin_value(&mut self, level: Level, start: usize) {
        if let Some(value) = self.value_under_way(level) {
            value.begin(start);
        }
    }

    /// Records where the current member's value ends.
    #[inline]
    fn end_value(&mut self, level: Level, end: usize, is_string: bool) {
        self.seen.string_method |=
            level == Level::Top && is_string && self.under_way.message == Some(Member::METHOD);
        if let Some(value) = self.value_under_way(level) {
            value.end_at(end);
        }
    }

    /// Returns the place for the current member's value, if the member is a standard one and the value is its first.
    #[cfg_attr(
        all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
        inline(never)
    )]
    fn value_under_way(&mut self, level: Level) -> Option<&mut Span> {
        let member = (*self.under_way.of(level))?;
        self.values.place(member.index()).filter(|value| value.end() == 0)
    }

    /// Counts an unknown member, or an element.
    const fn count_other(&mut self) {
        // There are fewer of them than bytes in the frame.
        self.others = self.others.wrapping_add(1);
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
