//! The two entry points of the fast scanner: a whole text, or the line at the start of some bytes.

use super::kernels::{Kernels, LONGEST};
use super::token::Scanner;
use crate::scan::{Sink, Span};

/// Scans whole texts and lines with a set of kernels.
pub(crate) trait Entry: Kernels {
    /// Scans a text that is one object or array with only whitespace around it. It reports to the sink as the plain
    /// scanner does. `None` means that there is no verdict. The sink may then have received part of the reports.
    ///
    /// Neither function is inlined, because inlining would leave them fewer registers.
    #[inline(never)]
    fn document(self, text: &[u8], max_depth: u8, sink: &mut impl Sink) -> Option<Span> {
        one_document(self, text, max_depth, sink)
    }

    /// Scans the line at the start of `bytes`. Returns its value and the offset of its LF, or of the end of
    /// the bytes. A line with a CR before its line end gets no verdict.
    #[inline(never)]
    fn line(self, bytes: &[u8], max_depth: u8, sink: &mut impl Sink) -> Option<(Span, usize)> {
        one_line(self, bytes, max_depth, sink)
    }
}

#[inline(always)]
pub(super) fn one_document(
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
pub(super) fn one_line(
    kernels: impl Kernels,
    bytes: &[u8],
    max_depth: u8,
    sink: &mut impl Sink,
) -> Option<(Span, usize)> {
    // A line longer than `LONGEST` exceeds every limit, and the caller checks the limit.
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
