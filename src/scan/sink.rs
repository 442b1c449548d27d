//! Sinks, which receive the scanner's reports.

use super::Span;

/// Receives the scanner's reports.
///
/// The default methods do nothing.
#[cfg_attr(not(feature = "fast"), expect(dead_code, reason = "some is for the fast scanner alone"))]
pub(crate) trait Sink {
    /// The name of a member, quotes included, of the object at this level.
    ///
    /// Returning [`Enter`](Descend::Enter) asks for the members of a member of the top object, if it is an
    /// object. They are reported at the [inner](Level::Inner) level.
    fn name(&mut self, level: Level, name: Span) -> Descend {
        let _ = (level, name);
        Descend::Skip
    }

    /// A value begins here. It belongs to the last name reported at this level. Without such a name it is an
    /// element of an array, whose end is not reported.
    fn begin_value(&mut self, level: Level, start: usize) {
        let _ = (level, start);
    }

    /// The value ends here.
    fn end_value(&mut self, level: Level, end: usize) {
        let _ = (level, end);
    }

    /// An element of the top array.
    fn element(&mut self) {}

    /// The depth limit was exceeded. Later reports are approximate, because the part that was too deep was
    /// skipped without checking its grammar.
    fn too_deep(&mut self) {}

    /// Recognises a name or a whole member from the eight bytes after the opening quote and the eight that
    /// follow. Other names are reported to [`name`](Self::name).
    #[inline(always)]
    fn known(&mut self, level: Level, word: u64, following: impl FnOnce() -> u64) -> Known {
        let _ = (level, word, following);
        Known::Nothing
    }

    /// The beginning and the end of a value.
    #[inline(always)]
    fn value(&mut self, level: Level, value: Span) {
        self.begin_value(level, crate::cast::index(value.start()));
        self.end_value(level, crate::cast::index(value.end()));
    }

    /// A [value](Self::value) that is a string without escapes, or consists only of digits.
    #[inline(always)]
    fn plain(&mut self, level: Level, value: Span) {
        self.value(level, value);
    }

    /// The text is scanned again from its start. Discard all reports.
    fn reset(&mut self) {}
}

/// The owner of a reported member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// The top object.
    Top,
    /// An object that is a member of the top object.
    Inner,
}

/// The decision to report the members of a member, or to skip them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Descend {
    Enter,
    Skip,
}

/// The result of recognising a member by its first bytes, from after its opening quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    Nothing,
    /// A name, with its length including the closing quote and the colon.
    Name(usize, Descend),
    /// A member, with its length including the value.
    Member(usize),
}

/// A sink that ignores all reports, for callers that need only the verdict.
pub(crate) struct Ignore;

impl Sink for Ignore {}
