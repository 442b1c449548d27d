//! Volatile reads and writes, which the optimiser can't see through.

/// The word that every shown value is written to.
static mut SINK: u32 = 0;

/// Returns the value, with only its type known to the optimiser.
#[inline(always)]
pub fn hide<T: Copy>(value: T) -> T {
    // SAFETY: the pointer comes from a reference to an initialised value, and `Copy` allows reading it while it stays
    // in place.
    unsafe { core::ptr::read_volatile(&value) }
}

/// A value that can be shown, so that the optimiser has to compute it.
pub trait Show {
    /// Writes the value where the optimiser must assume it is read.
    fn show(self);
}

impl Show for u32 {
    #[inline(always)]
    fn show(self) {
        // SAFETY: `SINK` is a valid place for a word, nothing reads it, no reference to it is ever made, and the
        // board has one core with all interrupts off.
        unsafe { (&raw mut SINK).write_volatile(self) }
    }
}

impl Show for bool {
    #[inline(always)]
    fn show(self) {
        u32::from(self).show();
    }
}

impl Show for u8 {
    #[inline(always)]
    fn show(self) {
        u32::from(self).show();
    }
}

impl Show for char {
    #[inline(always)]
    fn show(self) {
        u32::from(self).show();
    }
}

impl Show for i32 {
    #[inline(always)]
    fn show(self) {
        self.cast_unsigned().show();
    }
}

impl Show for u64 {
    #[inline(always)]
    fn show(self) {
        (self as u32).show();
        ((self >> 32) as u32).show();
    }
}

impl Show for i64 {
    #[inline(always)]
    fn show(self) {
        self.cast_unsigned().show();
    }
}

impl Show for usize {
    #[inline(always)]
    fn show(self) {
        (self as u64).show();
    }
}

impl Show for &[u8] {
    #[inline(always)]
    fn show(self) {
        self.as_ptr().addr().show();
        self.len().show();
    }
}

impl Show for &str {
    #[inline(always)]
    fn show(self) {
        self.as_bytes().show();
    }
}

impl<T: Show> Show for Option<T> {
    #[inline(always)]
    fn show(self) {
        match self {
            Some(value) => value.show(),
            None => u32::MAX.show(),
        }
    }
}
