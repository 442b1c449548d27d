//! The scanner: whether a frame is one JSON value, in one pass over every byte of it.
//!
//! RFC 8259 to the letter, in valid UTF-8, and no deeper than a limit. The scanner builds no tree: it
//! reports the members of the top object to whoever asked, as places in the frame, and knows nothing
//! of what they mean. It does not recurse, and its memory is fixed.
//!
//! # What is guaranteed
//!
//! A text that passes is exactly one JSON value with nothing but whitespace around it. The offset of
//! a [`SyntaxError`] is that of the first byte that no valid text could have there, or the length of
//! the text if it could have gone on; where bytes are not UTF-8, that of the sequence's first byte.
//!
//! A text that comes in pieces and is not kept is gone over by a second scanner, the resumable one, which
//! accepts the same texts and has no offsets. It is what a [skimmer](crate::envelope::Skimmer) is made of.
//!
//! # What is not checked
//!
//! Duplicate member names, which the grammar allows; escapes of lone surrogates (`"\ud800"`), which it
//! allows as well; and the range of numbers, whose text is kept.

mod cursor;
mod error;
#[cfg(feature = "fast")]
mod fast;
mod nesting;
mod number;
mod plain;
mod resumable;
mod span;
mod string;
mod utf8;

#[cfg(feature = "fast")]
use fast::Kernels;
#[cfg(feature = "fast")]
pub(crate) use fast::{has_backslash, is_digits};
pub(crate) use plain::scalar;
#[cfg(not(feature = "fast"))]
pub(crate) use plain::text;
pub(crate) use resumable::{Outer, Resumable, Watcher};
pub(crate) use utf8::character;
pub use {
    error::{Syntax, SyntaxError},
    span::Span,
};

/// The default limit on nesting, in containers, the outermost included: what `serde_json` accepts.
pub const DEFAULT_MAX_DEPTH: u8 = 127;

/// What the scanner reports to.
///
/// The defaults report to nobody.
pub(crate) trait Sink {
    /// The name of a member, quotes included, of the object at this level.
    ///
    /// Of a member of the top object whose value is an object, the members are reported as well, at
    /// the [inner](Level::Inner) level, if the answer is to enter it.
    fn name(&mut self, level: Level, name: Span) -> Descend {
        let _ = (level, name);
        Descend::Skip
    }

    /// The value of the member whose name was reported last at this level begins here; or, if none was, an
    /// element of an array, of which no end is reported.
    fn begin_value(&mut self, level: Level, start: usize) {
        let _ = (level, start);
    }

    /// That value ends here.
    fn end_value(&mut self, level: Level, end: usize) {
        let _ = (level, end);
    }

    /// An element of the top array.
    fn element(&mut self) {}

    /// The depth limit was passed. What is reported from here on is where it seems to be: the part
    /// that was too deep was skipped without a look at its grammar.
    fn too_deep(&mut self) {}

    /// Takes a name, or the whole member, by the eight bytes behind the opening quote and the eight that
    /// follow, if that is enough to know it. Others are reported as [names](Self::name).
    #[cfg(feature = "fast")]
    #[inline(always)]
    fn known(&mut self, level: Level, word: u64, following: impl FnOnce() -> u64) -> Known {
        let _ = (level, word, following);
        Known::Nothing
    }

    /// A value that has begun and ended.
    #[cfg(feature = "fast")]
    #[inline(always)]
    fn value(&mut self, level: Level, value: Span) {
        self.begin_value(level, crate::cast::index(value.start()));
        self.end_value(level, crate::cast::index(value.end()));
    }

    /// A [value](Self::value) that is a string without escapes, or nothing but digits.
    #[cfg(feature = "fast")]
    #[inline(always)]
    fn plain(&mut self, level: Level, value: Span) {
        self.value(level, value);
    }

    /// The text is gone over once more, from its start: nothing was reported.
    #[cfg(feature = "fast")]
    fn reset(&mut self) {}
}

/// Whose member is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// The top object's.
    Top,
    /// That of an object which is a member of the top object.
    Inner,
}

/// Whether to report the members of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Descend {
    Enter,
    Skip,
}

/// What a sink knows by the first bytes of a member, from behind its opening quote.
#[cfg(feature = "fast")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    Nothing,
    /// The name, which is so long with its closing quote and the colon.
    Name(usize, Descend),
    /// The member, which is so long with its value.
    Member(usize),
}

/// A sink for those who want the verdict alone.
pub(crate) struct Ignore;

impl Sink for Ignore {}

/// Says whether the text is one JSON value, with whitespace around it at most.
///
/// # Errors
///
/// The first fault in it: of syntax, of UTF-8, or a container nested more than `max_depth` deep.
///
/// ```
/// use tautline::scan::{self, Syntax};
///
/// assert!(scan::validate(b" [1, {\"a\": null}]", 2).is_ok());
///
/// let error = scan::validate(b"[1, 2", 2).unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (Syntax::ExpectedCommaOrEnd, 5));
///
/// let error = scan::validate(b"[[[]]]", 2).unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (Syntax::TooDeep, 2));
/// ```
pub fn validate(text: &[u8], max_depth: u8) -> Result<(), SyntaxError> {
    self::text(text, None, max_depth, &mut Ignore).map(|_| ())
}

/// Goes over a text that is one value, or over an [element](plain::text) of it, by the fastest way there is
/// to the verdict of the plain scanner.
#[cfg(feature = "fast")]
pub(crate) fn text(
    text: &[u8],
    element: Option<usize>,
    max_depth: u8,
    sink: &mut impl Sink,
) -> Result<Span, SyntaxError> {
    if element.is_none() {
        if let Some(span) = healthy(text, max_depth, sink) {
            return Ok(span);
        }
        sink.reset();
    }
    plain(text, element, max_depth, sink)
}

/// Goes over a text that is one object or array, if nothing is wrong with it.
#[cfg(feature = "fast")]
#[inline]
pub(crate) fn healthy(text: &[u8], max_depth: u8, sink: &mut impl Sink) -> Option<Span> {
    #[cfg(feature = "simd")]
    if let Some(unit) = fast::Unit::detect() {
        return unit.document(text, max_depth, sink);
    }
    if fast::HAS_VECTORS {
        fast::Portable.document(text, max_depth, sink)
    } else {
        fast::Scalar.document(text, max_depth, sink)
    }
}

/// Goes over the line that the bytes begin with, if nothing is wrong with it and no CR stands in it but before
/// its LF, and gives its value, and where its LF is, or the bytes end.
#[cfg(feature = "fast")]
#[inline]
pub(crate) fn line(bytes: &[u8], max_depth: u8, sink: &mut impl Sink) -> Option<(Span, usize)> {
    #[cfg(feature = "simd")]
    if let Some(unit) = fast::Unit::detect() {
        return unit.line(bytes, max_depth, sink);
    }
    if fast::HAS_VECTORS {
        fast::Portable.line(bytes, max_depth, sink)
    } else {
        fast::Scalar.line(bytes, max_depth, sink)
    }
}

/// For texts that the fast scanner has not passed.
#[cfg(feature = "fast")]
pub(crate) use plain::text as plain;

/// The fast scanner by what it is made of: for the [twins](crate::twins).
#[cfg(all(feature = "std", feature = "fast", any(test, fuzzing)))]
pub(crate) use fast::BackEnd;
