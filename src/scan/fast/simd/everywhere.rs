//! The kernels for a vector unit that the whole crate is compiled for, which needs no run-time detection.

use super::super::blocks::{self, Near};
use super::super::entry::Entry;
use super::super::kernels::Kernels;
use super::super::structure::{self, Structure};
use super::vectors::{self, Vectors};
use crate::scan::StringEnd;
use crate::scan::marks::MarksVisitor;

/// A vector unit that the crate is compiled for, or `Absent`.
pub(super) trait Built: Vectors {
    /// The proof that the unit is available, if it is.
    const HERE: Option<Self>;
}

/// The kernels for such a unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Everywhere<V>(pub(super) V);

#[expect(private_bounds, reason = "vector units are named in this module alone")]
impl<V: Built> Everywhere<V> {
    #[inline(always)]
    pub(crate) fn detect() -> Option<Self> {
        V::HERE.map(Self)
    }

    /// Returns the index after a [container](structure::container).
    #[inline(never)]
    pub(crate) fn container(
        self,
        text: &[u8],
        at: usize,
        open: u8,
        depth: usize,
        string_end: StringEnd,
    ) -> usize {
        structure::container(self.0, text, at, open, depth, string_end)
    }

    /// Visits the quotes and curly brackets of a text.
    #[inline]
    pub(crate) fn visit_marks(
        self,
        text: &[u8],
        visitor: &mut impl MarksVisitor,
        string_end: StringEnd,
    ) {
        visitor.visit(Structure::new(self.0, text, 0, b'{', string_end));
    }
}

impl<V: Vectors> Entry for Everywhere<V> {}

impl<V: Vectors> Kernels for Everywhere<V> {
    type Near = Near;

    #[inline(always)]
    fn short(self, text: &[u8], from: usize, near: &mut Near) -> usize {
        blocks::short(self.0, text, from, near)
    }

    #[inline(never)]
    fn clean(self, text: &[u8], from: usize) -> (usize, bool) {
        vectors::clean(self.0, text, from)
    }

    #[inline(never)]
    fn escaped(self, text: &[u8], from: usize) -> (usize, bool) {
        vectors::text(self.0, text, from)
    }

    #[inline(never)]
    fn numbers(self, text: &[u8], from: usize) -> usize {
        blocks::numbers(self.0, text, from)
    }

    #[inline(never)]
    fn is_utf8(self, string: &[u8]) -> bool {
        vectors::is_utf8(self.0, string)
    }
}
