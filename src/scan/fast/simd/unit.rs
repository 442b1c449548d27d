//! The kernels for a machine with vectors.

use super::super::base64;
use super::super::blocks::{self, Near};
use super::super::entry::{self, Entry};
use super::super::kernels::{Kernels, Open, Unclear};
use super::super::lanes::Lanes;
use super::super::structure::{self, MarksIn};
use super::super::windows;
use super::Machine;
use crate::scan::marks::MarksVisitor;
use crate::scan::{Sink, Span};

/// The kernels for a machine with vectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    machine: Machine,
    /// As in [`Lanes::PATIENCE`].
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

/// The kernels for long stretches, in a module of their own for each width of vectors.
macro_rules! long {
    ($module:ident, $features:literal) => {
        mod $module {
            use super::*;

            compiled! { $features:
                pub(super) fn rest<const LINES: bool>(
                    machine: impl Lanes,
                    text: &[u8],
                    from: usize,
                    open: Open,
                ) -> Result<usize, Unclear> {
                    windows::rest::<LINES>(machine, text, from, open)
                }

                pub(super) fn text(machine: impl Lanes, bytes: &[u8], from: usize) -> usize {
                    windows::text(machine, bytes, from)
                }

                pub(super) fn numbers(machine: impl Lanes, bytes: &[u8], from: usize) -> usize {
                    blocks::numbers(machine, bytes, from)
                }

                pub(super) fn base64_run(machine: impl Lanes, bytes: &[u8]) -> usize {
                    base64::run(machine, bytes)
                }

                pub(super) fn container(
                    machine: impl Lanes,
                    text: &[u8],
                    at: usize,
                    open: u8,
                    depth: usize,
                ) -> usize {
                    structure::container(machine, text, at, open, depth)
                }

                pub(super) fn string_end(machine: impl Lanes, text: &[u8], at: usize) -> usize {
                    structure::string_end(machine, text, at)
                }

                pub(super) fn visit<V: MarksVisitor>(
                    machine: impl Lanes,
                    text: &[u8],
                    visitor: &mut V,
                ) {
                    visitor.visit(MarksIn::new(machine, text, V::WITH_QUOTES));
                }
            }
        }
    };
}

long!(usual, "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq");
long!(wide, "avx512f,avx512bw,avx512vl,bmi1,bmi2,lzcnt,popcnt,pclmulqdq");

/// Calls one of them with the widest vectors that are here.
macro_rules! enter_long {
    ($unit:ident, $kernel:ident$(::<$lines:ident>)?, $($argument:expr),*) => {
        match $unit.machine.wider() {
            Some(machine) => enter!(wide::$kernel$(::<$lines>)?(machine, $($argument),*)),
            None => enter!(usual::$kernel$(::<$lines>)?($unit.machine, $($argument),*)),
        }
    };
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

    /// Returns the kernels without wider vectors, if there are some.
    #[cfg(all(feature = "std", any(test, fuzzing)))]
    pub(in super::super) fn narrow(self) -> Option<Self> {
        self.is_wide().then(|| Self { machine: self.machine.narrow(), ..self })
    }

    /// Returns whether long stretches are scanned with wider vectors.
    #[cfg(all(feature = "std", any(test, fuzzing)))]
    pub(in super::super) fn is_wide(self) -> bool {
        self.machine.wider().is_some()
    }

    /// Returns the end of a [run of Base64](base64::run).
    #[inline]
    pub(crate) fn base64_run(self, bytes: &[u8]) -> usize {
        enter_long!(self, base64_run, bytes)
    }

    /// Returns the index after a [container](structure::container).
    #[inline]
    pub(crate) fn container(self, text: &[u8], at: usize, open: u8, depth: usize) -> usize {
        enter_long!(self, container, text, at, open, depth)
    }

    /// Returns the index of the [end of a string](structure::string_end).
    #[inline]
    pub(crate) fn string_end(self, text: &[u8], at: usize) -> usize {
        enter_long!(self, string_end, text, at)
    }

    /// Visits the marks of a text.
    #[inline]
    pub(crate) fn visit_marks(self, text: &[u8], visitor: &mut impl MarksVisitor) {
        enter_long!(self, visit, text, visitor);
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
        enter_long!(self, rest::<LINES>, text, from, open)
    }

    #[inline(always)]
    fn short(self, text: &[u8], from: usize, near: &mut Near) -> usize {
        blocks::short(self.machine, text, from, near)
    }

    #[inline(always)]
    fn text(self, bytes: &[u8], from: usize) -> usize {
        enter_long!(self, text, bytes, from)
    }

    #[inline(always)]
    fn numbers(self, bytes: &[u8], from: usize) -> usize {
        enter_long!(self, numbers, bytes, from)
    }
}
