//! Storage for pending requests.

/// Storage for one pending request.
#[derive(Clone, Debug)]
pub struct Slot<T>(pub(super) Option<Waiting<T>>);

/// A pending request.
#[derive(Clone, Debug)]
pub(super) struct Waiting<T> {
    pub(super) id: u64,
    pub(super) request: T,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<T> Slot<T> {
    /// An empty slot.
    pub const EMPTY: Self = Self(None);
}

/// Storage for slots: an array, a `&mut` slice, or with `alloc` a `Vec`, which grows.
///
/// The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't store pending requests",
    label = "not a storage for slots",
    note = "use an array `[const {{ Slot::EMPTY }}; N]`, a `&mut [Slot<T>]` or a `Vec<Slot<T>>` (feature `alloc`)"
)]
pub trait Slots<T>: sealed::Slots<T> {}

pub(super) mod sealed {
    use super::Slot;

    #[expect(unnameable_types, reason = "that is what seals the trait above")]
    pub trait Slots<T> {
        fn slots(&self) -> &[Slot<T>];

        fn slots_mut(&mut self) -> &mut [Slot<T>];

        /// Returns the number of slots that may be in use before the storage grows.
        fn most_in_use(slots: usize) -> usize {
            slots
        }

        /// Doubles the number of slots, or creates the first ones, and returns whether it could. The new
        /// slots are empty and come last.
        fn grow(&mut self) -> bool {
            false
        }
    }
}

impl<T, const N: usize> Slots<T> for [Slot<T>; N] {}

impl<T, const N: usize> sealed::Slots<T> for [Slot<T>; N] {
    fn slots(&self) -> &[Slot<T>] {
        self
    }

    fn slots_mut(&mut self) -> &mut [Slot<T>] {
        self
    }
}

impl<T> Slots<T> for &mut [Slot<T>] {}

impl<T> sealed::Slots<T> for &mut [Slot<T>] {
    fn slots(&self) -> &[Slot<T>] {
        self
    }

    fn slots_mut(&mut self) -> &mut [Slot<T>] {
        self
    }
}

#[cfg(feature = "alloc")]
impl<T> Slots<T> for alloc::vec::Vec<Slot<T>> {}

#[cfg(feature = "alloc")]
impl<T> sealed::Slots<T> for alloc::vec::Vec<Slot<T>> {
    fn slots(&self) -> &[Slot<T>] {
        self
    }

    fn slots_mut(&mut self) -> &mut [Slot<T>] {
        self
    }

    /// A quarter of the slots stays free, so that a free one is always near.
    fn most_in_use(slots: usize) -> usize {
        slots.saturating_sub(slots / 4)
    }

    fn grow(&mut self) -> bool {
        let more = if self.is_empty() { FIRST_SLOTS } else { self.len() };
        if self.try_reserve(more).is_err() {
            return false;
        }
        self.extend(core::iter::repeat_with(|| Slot::EMPTY).take(more));
        true
    }
}

/// The number of slots that an empty vector grows to.
#[cfg(feature = "alloc")]
const FIRST_SLOTS: usize = 8;
