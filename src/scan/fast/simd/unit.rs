//! The kernels for a machine with vectors.

use super::super::base64;
use super::super::blocks::{self, Near};
use super::super::entry::{self, Entry};
use super::super::kernels::{Kernels, Open, Unclear};
use super::super::lanes::Lanes as _;
use super::super::structure::{self, MarksIn};
use super::super::windows;
use super::Machine;
use crate::scan::marks::MarksVisitor;
use crate::scan::{Sink, Span};

/// The kernels for a machine with vectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    machine: Machine,
    /// As in [`Lanes::PATIENCE`](super::super::lanes::Lanes::PATIENCE).
    patience: usize,
}

/// Wraps functions that are compiled for some features of the machine.
macro_rules! compiled {
    ($features:literal: $($function:item)*) => {
        $(#[cfg_attr(
            all(target_arch = "x86_64", target_feature = "sse2"),
            target_feature(enable = $features)
        )]
        $function)*
    };
}

/// Calls such a function.
macro_rules! enter {
    ($call:expr) => {
        // SAFETY: a `Unit` has a `Machine`, so the function is compiled for instructions that are here.
        unsafe { $call }
    };
}

// Here, BMI2 would make short messages slower by one to three percent.
compiled! { "avx2,bmi1,lzcnt":
    fn document(unit: impl Kernels, text: &[u8], max_depth: u8, sink: &mut impl Sink) -> Option<Span> {
        entry::one_document(unit, text, max_depth, sink)
    }

    fn line(
        unit: impl Kernels,
        bytes: &[u8],
        max_depth: u8,
        sink: &mut impl Sink,
    ) -> Option<(Span, usize)> {
        entry::one_line(unit, bytes, max_depth, sink)
    }
}

compiled! { "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq":
    fn rest<const LINES: bool>(
        machine: Machine,
        text: &[u8],
        from: usize,
        open: Open,
    ) -> Result<usize, Unclear> {
        windows::rest::<LINES>(machine, text, from, open)
    }

    fn text(machine: Machine, bytes: &[u8], from: usize) -> usize {
        windows::text(machine, bytes, from)
    }

    fn numbers(machine: Machine, bytes: &[u8], from: usize) -> usize {
        blocks::numbers(machine, bytes, from)
    }

    fn base64_run(machine: Machine, bytes: &[u8]) -> usize {
        base64::run(machine, bytes)
    }

    fn container(
        machine: Machine,
        text: &[u8],
        at: usize,
        open: u8,
        depth: usize,
    ) -> usize {
        structure::container(machine, text, at, open, depth)
    }

    fn string_end(machine: Machine, text: &[u8], at: usize) -> usize {
        structure::string_end(machine, text, at)
    }

    fn visit<V: MarksVisitor>(machine: Machine, text: &[u8], visitor: &mut V) {
        visitor.visit(MarksIn::new(machine, text, V::WITH_QUOTES));
    }
}

impl Unit {
    #[inline(always)]
    pub(crate) fn detect() -> Option<Self> {
        Machine::detect().map(|machine| Self { machine, patience: Machine::PATIENCE })
    }

    /// Returns the kernels with another patience, for tests.
    #[cfg(all(feature = "std", any(test, fuzzing)))]
    pub(in super::super) const fn with_patience(self, patience: usize) -> Self {
        Self { patience, ..self }
    }

    /// Returns the end of a [run of Base64](base64::run).
    #[inline]
    pub(crate) fn base64_run(self, bytes: &[u8]) -> usize {
        enter!(base64_run(self.machine, bytes))
    }

    /// Returns the index after a [container](structure::container).
    #[inline]
    pub(crate) fn container(self, text: &[u8], at: usize, open: u8, depth: usize) -> usize {
        enter!(container(self.machine, text, at, open, depth))
    }

    /// Returns the index of the [end of a string](structure::string_end).
    #[inline]
    pub(crate) fn string_end(self, text: &[u8], at: usize) -> usize {
        enter!(string_end(self.machine, text, at))
    }

    /// Visits the marks of a text.
    #[inline]
    pub(crate) fn visit_marks(self, text: &[u8], visitor: &mut impl MarksVisitor) {
        enter!(visit(self.machine, text, visitor));
    }
}

/// The whole scanner is compiled for the machine, so that short strings are inlined.
impl Entry for Unit {
    #[inline(always)]
    fn document(self, text: &[u8], max_depth: u8, sink: &mut impl Sink) -> Option<Span> {
        enter!(document(self, text, max_depth, sink))
    }

    #[inline(always)]
    fn line(self, bytes: &[u8], max_depth: u8, sink: &mut impl Sink) -> Option<(Span, usize)> {
        enter!(line(self, bytes, max_depth, sink))
    }
}

impl Kernels for Unit {
    type Near = Near;

    const HAS_WINDOWS: bool = Machine::PATIENCE < usize::MAX || cfg!(any(test, fuzzing));

    #[inline(always)]
    fn patience(self) -> usize {
        self.patience
    }

    #[inline(always)]
    fn rest<const LINES: bool>(
        self,
        text: &[u8],
        from: usize,
        open: Open,
    ) -> Result<usize, Unclear> {
        // The rest must be long enough to be worth it. In tests with little patience it always is.
        let worthwhile = from.wrapping_add(self.patience.wrapping_mul(2));
        let is_worth_it = text
            .get(from..worthwhile)
            .is_some_and(|more| !LINES || crate::bytes::find(b'\n', more).is_none());
        if !is_worth_it {
            return Err(Unclear::Other);
        }
        enter!(rest::<LINES>(self.machine, text, from, open))
    }

    #[inline(always)]
    fn short(self, text: &[u8], from: usize, near: &mut Near) -> usize {
        blocks::short(self.machine, text, from, near)
    }

    #[inline(always)]
    fn text(self, bytes: &[u8], from: usize) -> usize {
        enter!(text(self.machine, bytes, from))
    }

    #[inline(always)]
    fn numbers(self, bytes: &[u8], from: usize) -> usize {
        enter!(numbers(self.machine, bytes, from))
    }
}
