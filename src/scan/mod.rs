//! The scanner: checks in one pass that a frame is one JSON value.
//!
//! It follows RFC 8259 exactly, requires valid UTF-8, and limits nesting. The scanner builds no tree. It
//! reports the members of the top object to a sink, as spans of the frame, and attaches no meaning to them.
//! It does not recurse, and its memory is fixed.
//!
//! # What is guaranteed
//!
//! A text that passes is exactly one JSON value with only whitespace around it. The offset of a
//! [`SyntaxError`] is the offset of the first byte that no valid text could have there. It is the length of
//! the text if the text is a prefix of a valid one. For invalid UTF-8 it is the offset of the sequence's
//! first byte.
//!
//! A text that arrives in pieces and is not kept goes through a second scanner, the resumable one. It accepts
//! the same texts and reports no offsets. A [skimmer](crate::envelope::Skimmer) is built on it.
//!
//! # What is not checked
//!
//! - Duplicate member names, which the grammar allows.
//! - Unpaired surrogate escapes (`"\ud800"`), which the grammar allows as well.
//! - The range of numbers, which are kept as text.

mod cursor;
mod error;
#[cfg_attr(not(feature = "fast"), path = "fast/absent.rs")]
mod fast;
#[cfg(any(test, feature = "simd"))]
mod marks;
mod nesting;
mod number;
mod plain;
mod resumable;
mod sink;
mod span;
mod string;
mod utf8;

#[doc(hidden)]
pub use fast::base64_run;
#[cfg(all(feature = "simd", target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) use fast::find;
pub(crate) use fast::{container, document, has_backslash, is_digits, line, string_end};
#[doc(hidden)]
#[cfg(all(feature = "simd", target_arch = "x86_64", target_feature = "sse2"))]
pub use fast::{set_avx512, set_fast_pext};
pub(crate) use plain::scalar;
pub(crate) use resumable::{Outer, Resumable, Watcher};
pub(crate) use sink::{Descend, Ignore, Known, Level, Sink};
pub(crate) use utf8::character;
#[doc(hidden)]
pub use utf8::is_utf8;
pub use {
    error::{Syntax, SyntaxError},
    span::{Span, offset_of},
};
#[cfg(feature = "simd")]
pub(crate) use {
    fast::visit_marks,
    marks::{Marks, MarksVisitor},
};

/// The default nesting limit, which counts the outermost container too. It is the same as in `serde_json`.
pub const DEFAULT_MAX_DEPTH: u8 = 127;

/// True on targets where programs are fetched before they run, as on web pages. The fast scanner is then compiled once,
/// for lines with requests, notifications and results. It leaves error responses, batches and deep nesting to the plain
/// scanner, whose code is there in any case.
pub(crate) const IS_FETCHED: bool = cfg!(all(target_arch = "wasm32", target_os = "unknown"));

/// Validates that the text is one JSON value, with at most whitespace around it.
///
/// # Errors
///
/// Returns the first error in the text: in its syntax, in its UTF-8, or a container nested more than
/// `max_depth` deep.
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

/// Scans a text that is one value, or an [element](plain::text) of it, by the fastest path to the verdict of
/// the plain scanner.
#[inline]
pub(crate) fn text(
    text: &[u8],
    element: Option<usize>,
    max_depth: u8,
    sink: &mut impl Sink,
) -> Result<Span, SyntaxError> {
    if cfg!(feature = "fast") && element.is_none() {
        if let Some(span) = document(text, max_depth, sink) {
            return Ok(span);
        }
        sink.reset();
    }
    plain(text, element, max_depth, sink)
}

/// The fallback for texts that the fast scanner has not passed.
pub(crate) use plain::text as plain;

/// The back ends of the fast scanner, for the [differential tests](crate::twins).
#[cfg(all(feature = "std", feature = "fast", any(test, fuzzing)))]
pub(crate) use fast::BackEnd;
