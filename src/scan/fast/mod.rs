//! The fast scanner: the same verdict as the [plain](mod@super::plain) one on what is healthy, and no
//! verdict on anything else.
//!
//! It goes by the grammar one token at a time, which is what short messages are made of, with eight
//! bytes of a string or a number looked at together. Where a text is of one kind for long, a
//! [kernel](Kernels) takes over: on evidence alone, so that short messages do not pay for it.
//!
//! What it does not pass is not said to be wrong. The plain scanner is asked then, and says what and
//! where; so every offset is exact, and nothing here has to say it.

mod bits;
mod blocks;
#[cfg(all(feature = "std", any(test, fuzzing)))]
mod forced;
mod grammar;
mod portable;
mod scalar;
#[cfg(feature = "simd")]
mod simd;
mod token;
mod word;

#[cfg(all(feature = "std", any(test, fuzzing)))]
pub(crate) use forced::BackEnd;
pub(crate) use portable::Portable;
pub(crate) use scalar::Scalar;
#[cfg(feature = "simd")]
pub(crate) use simd::Unit;
pub(crate) use word::{has_backslash, is_digits};

use super::{Sink, Span};
use token::Scanner;

/// What goes over stretches of one kind, and the two ways in.
///
/// A kernel over a stretch never rejects. It stops at the last place up to which all is well, and the
/// scanner goes on from there one token at a time.
pub(crate) trait Kernels: Copy {
    /// What is remembered of the bytes around the last string, so that the next one has it cheaper.
    type Near: Default;

    /// Over the inside of a string, up to a quote, a backslash, a control character or a byte beyond
    /// ASCII, or so far that the string is long.
    fn short(self, text: &[u8], from: usize, near: &mut Self::Near) -> usize;

    /// Over the inside of a string that has no quotes, escapes and control characters in it. Says
    /// where it stopped, and whether there were bytes beyond ASCII.
    fn clean(self, text: &[u8], from: usize) -> (usize, bool);

    /// The same, over escapes as well, from outside of one to outside of one.
    fn escaped(self, text: &[u8], from: usize) -> (usize, bool);

    /// Over numbers with commas between them and nothing else, from behind a comma to behind a comma.
    fn numbers(self, text: &[u8], from: usize) -> usize;

    /// Whether the inside of a string is valid UTF-8, which nothing but strings has to be.
    #[inline(never)]
    fn is_utf8(self, string: &[u8]) -> bool {
        core::str::from_utf8(string).is_ok()
    }

    /// Goes over a text that is one object or array and nothing else but whitespace, reporting to the
    /// sink as the plain scanner does. `None` is no verdict, and leaves the sink with half of what there
    /// is.
    ///
    /// It is a function of its own, as is the next: inlined, they would have fewer registers.
    #[inline(never)]
    fn document(self, text: &[u8], max_depth: u8, sink: &mut impl Sink) -> Option<Span> {
        document(self, text, max_depth, sink)
    }

    /// Goes over the line that the bytes begin with, and gives its value, and where its LF is, or the bytes
    /// end. A line with a CR that is not part of its end is not passed.
    #[inline(never)]
    fn line(self, bytes: &[u8], max_depth: u8, sink: &mut impl Sink) -> Option<(Span, usize)> {
        line(self, bytes, max_depth, sink)
    }
}

#[inline(always)]
fn document(
    kernels: impl Kernels,
    text: &[u8],
    max_depth: u8,
    sink: &mut impl Sink,
) -> Option<Span> {
    if text.len() > LONGEST {
        return None;
    }
    let scanner = Scanner::<_, false> { text, kernels };
    let span = scanner.outermost(max_depth, sink)?;
    let end = crate::cast::index(span.end());
    (end == text.len() || scanner.space(end) == text.len()).then_some(span)
}

#[inline(always)]
fn line(
    kernels: impl Kernels,
    bytes: &[u8],
    max_depth: u8,
    sink: &mut impl Sink,
) -> Option<(Span, usize)> {
    // A line beyond `LONGEST` is over every limit, which whoever takes it sees.
    let scanner = Scanner::<_, true> { text: bytes, kernels };
    let span = scanner.outermost(max_depth, sink)?;
    let end = crate::cast::index(span.end());
    let end = if scanner.byte(end) == b'\n' { end } else { scanner.space(end) };
    match scanner.pair(end) {
        [b'\n', _] => Some((span, end)),
        [b'\r', b'\n'] => Some((span, end.wrapping_add(1))),
        _ => (end == bytes.len()).then_some((span, end)),
    }
}

/// Whether the machine that this is compiled for has vectors at all, of which compilers may make use.
pub(crate) const HAS_VECTORS: bool = cfg!(any(
    target_feature = "sse2",
    target_feature = "neon",
    target_feature = "simd128",
    target_feature = "vsx",
    target_feature = "vector",
));

/// Offsets in a frame have 32 bits. A longer text is left to whoever says so.
const LONGEST: usize = crate::cast::index(u32::MAX);

/// So many bytes of a string have to be clean before a kernel is called.
const LONG: usize = 48;

/// Behind the last comma before a place, if that is behind where a kernel began.
fn behind_last_comma(text: &[u8], from: usize, at: usize) -> usize {
    let run = text.get(from..at).unwrap_or(b"");
    let after = run.iter().rev().position(|&byte| byte == b',').unwrap_or(run.len());
    at.wrapping_sub(after)
}
