//! Each back end by name, with a count of how often its kernels were entered, for tests.

use core::sync::atomic::{AtomicU64, Ordering};

#[cfg(feature = "simd")]
use super::Unit;
use super::entry::Entry;
use super::kernels::{Kernels, Open, Unclear};
use super::{Portable, Scalar, Sink, Span};

/// A set of kernels that this machine can run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BackEnd {
    Scalar(Scalar),
    Portable(Portable),
    #[cfg(feature = "simd")]
    Unit(Unit),
    /// The vector unit with windows, which take over as early as they can.
    #[cfg(feature = "simd")]
    Windows(Unit),
}

/// The smallest offset at which a window may begin: characters are checked from three bytes before.
#[cfg(feature = "simd")]
const SOON: usize = 3;

impl BackEnd {
    /// Returns every back end that this machine can run.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let safe = [Self::Scalar(Scalar), Self::Portable(Portable)].into_iter();
        #[cfg(feature = "simd")]
        let safe = safe.chain(Unit::detect().into_iter().flat_map(|unit| {
            // With wider vectors and without.
            [Some(unit), unit.narrow()].into_iter().flatten().flat_map(|unit| {
                let never = unit.with_patience(usize::MAX);
                [Self::Unit(never), Self::Windows(unit.with_patience(SOON))]
            })
        }));
        safe
    }

    pub(crate) fn document(self, text: &[u8], max_depth: u8, sink: &mut impl Sink) -> Option<Span> {
        let entered = self.counts();
        match self {
            Self::Scalar(kernels) => Counted { kernels, entered }.document(text, max_depth, sink),
            Self::Portable(kernels) => Counted { kernels, entered }.document(text, max_depth, sink),
            #[cfg(feature = "simd")]
            Self::Unit(kernels) => Counted { kernels, entered }.document(text, max_depth, sink),
            #[cfg(feature = "simd")]
            Self::Windows(kernels) => Counted { kernels, entered }.document(text, max_depth, sink),
        }
    }

    pub(crate) fn line(
        self,
        bytes: &[u8],
        max_depth: u8,
        sink: &mut impl Sink,
    ) -> Option<(Span, usize)> {
        let entered = self.counts();
        match self {
            Self::Scalar(kernels) => Counted { kernels, entered }.line(bytes, max_depth, sink),
            Self::Portable(kernels) => Counted { kernels, entered }.line(bytes, max_depth, sink),
            #[cfg(feature = "simd")]
            Self::Unit(kernels) => Counted { kernels, entered }.line(bytes, max_depth, sink),
            #[cfg(feature = "simd")]
            Self::Windows(kernels) => Counted { kernels, entered }.line(bytes, max_depth, sink),
        }
    }

    fn counts(self) -> &'static Counts {
        static SCALAR: Counts = Counts::new();
        static PORTABLE: Counts = Counts::new();
        #[cfg(feature = "simd")]
        static UNITS: [Counts; 2] = [Counts::new(), Counts::new()];
        #[cfg(feature = "simd")]
        static WINDOWS: [Counts; 2] = [Counts::new(), Counts::new()];
        #[cfg(feature = "simd")]
        let of = |[usual, wide]: &'static [Counts; 2], unit: Unit| {
            if unit.is_wide() { wide } else { usual }
        };
        match self {
            Self::Scalar(_) => &SCALAR,
            Self::Portable(_) => &PORTABLE,
            #[cfg(feature = "simd")]
            Self::Unit(unit) => of(&UNITS, unit),
            #[cfg(feature = "simd")]
            Self::Windows(unit) => of(&WINDOWS, unit),
        }
    }
}

#[cfg(test)]
impl BackEnd {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Scalar(_) => "scalar",
            Self::Portable(_) => "portable",
            #[cfg(feature = "simd")]
            Self::Unit(unit) if unit.is_wide() => "avx512",
            #[cfg(feature = "simd")]
            Self::Windows(unit) if unit.is_wide() => "wide windows",
            #[cfg(feature = "simd")]
            Self::Unit(_) if cfg!(target_arch = "x86_64") => "avx2",
            #[cfg(feature = "simd")]
            Self::Unit(_) if cfg!(target_arch = "aarch64") => "neon",
            #[cfg(feature = "simd")]
            Self::Unit(_) => "simd128",
            #[cfg(feature = "simd")]
            Self::Windows(_) => "windows",
        }
    }

    /// Returns the kernels of the back end.
    pub(crate) const fn kernels(self) -> &'static [Kernel] {
        match self {
            Self::Scalar(_) => &[Kernel::Short],
            #[cfg(feature = "simd")]
            Self::Windows(_) => &[Kernel::Short, Kernel::Text, Kernel::Windows],
            _ => &[Kernel::Short, Kernel::Text, Kernel::Numbers],
        }
    }

    /// Returns how often a kernel made progress.
    pub(crate) fn entered(self, kernel: Kernel) -> u64 {
        self.counts().of(kernel).load(Ordering::Relaxed)
    }
}

/// The kernels, by their input.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kernel {
    Short,
    Text,
    Numbers,
    Windows,
}

struct Counts([AtomicU64; 4]);

impl Counts {
    const fn new() -> Self {
        Self([const { AtomicU64::new(0) }; 4])
    }

    const fn of(&self, kernel: Kernel) -> &AtomicU64 {
        let [short, text, numbers, windows] = &self.0;
        match kernel {
            Kernel::Short => short,
            Kernel::Text => text,
            Kernel::Numbers => numbers,
            Kernel::Windows => windows,
        }
    }
}

#[derive(Clone, Copy)]
struct Counted<K> {
    kernels: K,
    entered: &'static Counts,
}

impl<K> Counted<K> {
    fn count(&self, kernel: Kernel, got_on: bool) {
        self.entered.of(kernel).fetch_add(u64::from(got_on), Ordering::Relaxed);
    }
}

impl<K: Kernels> Entry for Counted<K> {}

impl<K: Kernels> Kernels for Counted<K> {
    type Near = K::Near;

    const HAS_WINDOWS: bool = K::HAS_WINDOWS;

    fn patience(self) -> usize {
        self.kernels.patience()
    }

    fn rest<const LINES: bool>(
        self,
        text: &[u8],
        from: usize,
        open: Open,
    ) -> Result<usize, Unclear> {
        let end = self.kernels.rest::<LINES>(text, from, open);
        self.count(Kernel::Windows, end.is_ok());
        end
    }

    fn short(self, text: &[u8], from: usize, near: &mut Self::Near) -> usize {
        let at = self.kernels.short(text, from, near);
        self.count(Kernel::Short, at > from);
        at
    }

    fn text(self, text: &[u8], from: usize) -> usize {
        let at = self.kernels.text(text, from);
        self.count(Kernel::Text, at > from);
        at
    }

    fn numbers(self, text: &[u8], from: usize) -> usize {
        let at = self.kernels.numbers(text, from);
        self.count(Kernel::Numbers, at > from);
        at
    }
}
