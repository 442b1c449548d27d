//! The fast scanner. On a valid text it gives the same verdict as the [plain](mod@super::plain) one. On
//! anything else it gives no verdict.
//!
//! It follows the grammar one token at a time, because short messages are mostly tokens, and looks at eight bytes of a
//! string or a number together. A [kernel](kernels::Kernels) handles long stretches of one kind. It is called only once
//! a stretch has proved long, so that short messages do not pay for it.
//!
//! A text that does not pass is not necessarily invalid. The fallback is the plain scanner, which reports the
//! error and its exact offset.

#[cfg(any(test, feature = "simd"))]
mod base64;
mod bits;
mod blocks;
#[cfg(any(test, feature = "simd"))]
mod decimals;
mod entry;
#[cfg(all(feature = "std", any(test, fuzzing)))]
mod forced;
mod grammar;
mod kernels;
#[cfg(any(test, feature = "simd"))]
mod lanes;
#[cfg(any(test, feature = "simd"))]
#[cfg_attr(not(test), allow(dead_code, reason = "targets with vectors need it for tests only"))]
mod one_by_one;
#[cfg(any(test, feature = "simd"))]
mod pairs;
mod portable;
mod scalar;
#[cfg(feature = "simd")]
mod simd;
#[cfg(any(test, feature = "simd"))]
mod structure;
mod token;
#[cfg(any(test, feature = "simd"))]
mod windows;
mod word;

#[cfg(all(feature = "std", any(test, fuzzing)))]
pub(crate) use forced::BackEnd;
pub(crate) use portable::Portable;
pub(crate) use scalar::Scalar;
#[cfg(feature = "simd")]
pub(crate) use simd::Unit;
#[cfg(all(feature = "simd", target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) use simd::find;
#[cfg(all(feature = "simd", target_arch = "x86_64", target_feature = "sse2"))]
pub use simd::{set_avx512, set_fast_pext};
pub(crate) use word::{has_backslash, is_digits};

#[cfg(feature = "simd")]
use super::marks::MarksVisitor;
use super::{Sink, Span};
use entry::Entry as _;

/// Scans a text that is one object or array, and returns its value if the text is valid.
#[inline]
pub(crate) fn document(text: &[u8], max_depth: u8, sink: &mut impl Sink) -> Option<Span> {
    #[cfg(feature = "simd")]
    if let Some(unit) = Unit::detect() {
        return unit.document(text, max_depth, sink);
    }
    if HAS_VECTORS {
        Portable.document(text, max_depth, sink)
    } else {
        Scalar.document(text, max_depth, sink)
    }
}

/// Scans the line at the start of `bytes`. Returns its value and the offset of its LF, or of the end of the
/// bytes. Returns `None` if the line is invalid or has a CR other than the one before its LF.
#[inline]
pub(crate) fn line(bytes: &[u8], max_depth: u8, sink: &mut impl Sink) -> Option<(Span, usize)> {
    #[cfg(feature = "simd")]
    if let Some(unit) = Unit::detect() {
        return unit.line(bytes, max_depth, sink);
    }
    if HAS_VECTORS {
        Portable.line(bytes, max_depth, sink)
    } else {
        Scalar.line(bytes, max_depth, sink)
    }
}

/// Returns the index after the bracket that closes the outermost of `depth` open brackets of the kind `open`, at least
/// one. The search begins at index `at` of a valid text, outside strings. Returns `None` without a vector unit.
#[inline]
pub(crate) fn container(text: &[u8], at: usize, open: u8, depth: usize) -> Option<usize> {
    #[cfg(feature = "simd")]
    if let Some(unit) = Unit::detect() {
        return Some(unit.container(text, at, open, depth));
    }
    let _ = (text, at, open, depth);
    None
}

/// Returns the index of the quote that ends a string, from an index in it that is not inside an escape. Returns the
/// length of the text if there is none, and `None` without a vector unit.
#[inline]
pub(crate) fn string_end(text: &[u8], at: usize) -> Option<usize> {
    #[cfg(feature = "simd")]
    if let Some(unit) = Unit::detect() {
        return Some(unit.string_end(text, at));
    }
    let _ = (text, at);
    None
}

/// Returns an index before which all bytes are of the alphabet of Base64. Without a vector unit it is 0.
#[inline]
#[must_use]
pub fn base64_run(bytes: &[u8]) -> usize {
    #[cfg(feature = "simd")]
    if let Some(unit) = Unit::detect() {
        return unit.base64_run(bytes);
    }
    let _ = bytes;
    0
}

/// Visits the marks of a valid text, and returns true. Returns false without a vector unit.
#[cfg(feature = "simd")]
#[inline]
pub(crate) fn visit_marks(text: &[u8], visitor: &mut impl MarksVisitor) -> bool {
    let unit = Unit::detect();
    if let Some(unit) = unit {
        unit.visit_marks(text, visitor);
    }
    unit.is_some()
}

/// True if the compilation target has vectors that the compiler may use.
pub(crate) const HAS_VECTORS: bool = cfg!(any(
    target_feature = "sse2",
    target_feature = "neon",
    target_feature = "simd128",
    target_feature = "vsx",
    target_feature = "vector",
));
