//! Each back end by its name, with a count of how often its kernels were entered: for tests.

use core::sync::atomic::{AtomicU64, Ordering};

use super::{Kernels, Portable, Sink, Span};

/// A set of kernels that this machine can run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BackEnd {
    Portable(Portable),
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    Avx2(super::Avx2),
}

impl BackEnd {
    /// Every one that there is.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let portable = core::iter::once(Self::Portable(Portable));
        #[cfg(all(feature = "simd", target_arch = "x86_64"))]
        let portable = portable.chain(super::Avx2::detect().map(Self::Avx2));
        portable
    }

    pub(crate) fn document(self, text: &[u8], max_depth: u8, sink: &mut impl Sink) -> Option<Span> {
        match self {
            Self::Portable(kernels) => super::document(Counted(kernels), text, max_depth, sink),
            #[cfg(all(feature = "simd", target_arch = "x86_64"))]
            Self::Avx2(kernels) => super::document(Counted(kernels), text, max_depth, sink),
        }
    }

    pub(crate) fn line(
        self,
        bytes: &[u8],
        max_depth: u8,
        sink: &mut impl Sink,
    ) -> Option<(Span, usize)> {
        match self {
            Self::Portable(kernels) => super::line(Counted(kernels), bytes, max_depth, sink),
            #[cfg(all(feature = "simd", target_arch = "x86_64"))]
            Self::Avx2(kernels) => super::line(Counted(kernels), bytes, max_depth, sink),
        }
    }
}

static ENTERED: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];

/// How often the kernels got on: over clean text, over escapes, over numbers,
/// over characters beyond ASCII.
#[cfg(test)]
pub(crate) fn entered() -> [u64; 4] {
    ENTERED.each_ref().map(|count| count.load(Ordering::Relaxed))
}

#[derive(Clone, Copy)]
struct Counted<K>(K);

impl<K: Kernels> Kernels for Counted<K> {
    type Near = K::Near;

    fn short(self, text: &[u8], from: usize, near: &mut Self::Near) -> usize {
        self.0.short(text, from, near)
    }

    fn clean(self, text: &[u8], from: usize) -> (usize, bool) {
        let (at, beyond) = self.0.clean(text, from);
        count(0, at > from);
        (at, beyond)
    }

    fn escaped(self, text: &[u8], from: usize) -> (usize, bool) {
        let (at, beyond) = self.0.escaped(text, from);
        count(1, at > from);
        (at, beyond)
    }

    fn numbers(self, text: &[u8], from: usize) -> usize {
        let at = self.0.numbers(text, from);
        count(2, at > from);
        at
    }

    fn is_utf8(self, string: &[u8]) -> bool {
        count(3, string.len() >= 64);
        self.0.is_utf8(string)
    }
}

fn count(kernel: usize, got_on: bool) {
    if let Some(count) = ENTERED.get(kernel) {
        count.fetch_add(u64::from(got_on), Ordering::Relaxed);
    }
}
