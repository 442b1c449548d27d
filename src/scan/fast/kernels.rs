//! Kernels, which scan long stretches of one kind of byte.

/// Scans long stretches of one kind of byte.
///
/// A kernel over a stretch never rejects. It stops where the valid part ends, and the scanner continues from
/// there one token at a time.
pub(crate) trait Kernels: Copy {
    /// The state kept from one string to the next, which makes the next string cheaper.
    type Near: Default;

    /// Scans the contents of a string up to a quote, a backslash, a control character or a byte beyond ASCII.
    /// It also stops once the string is long.
    fn short(self, text: &[u8], from: usize, near: &mut Self::Near) -> usize;

    /// Scans string contents without quotes, escapes and control characters. Returns where it stopped, and
    /// whether there were bytes beyond ASCII.
    fn clean(self, text: &[u8], from: usize) -> (usize, bool);

    /// Like [`clean`](Self::clean), but scans escapes too. It starts and stops outside an escape.
    fn escaped(self, text: &[u8], from: usize) -> (usize, bool);

    /// Scans numbers separated by commas, and nothing else. It starts and stops right after a comma.
    fn numbers(self, text: &[u8], from: usize) -> usize;

    /// Returns whether the contents of a string are valid UTF-8. Outside strings only ASCII passes.
    #[inline(never)]
    fn is_utf8(self, string: &[u8]) -> bool {
        core::str::from_utf8(string).is_ok()
    }
}

/// The longest text: offsets in a frame have 32 bits. Longer texts are left to the caller.
pub(super) const LONGEST: usize = crate::cast::index(u32::MAX);

/// The number of clean bytes in a string before a kernel is called.
pub(super) const LONG: usize = 48;
