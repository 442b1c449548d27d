//! Kernels, which scan long stretches of one kind of byte.

/// Scans long stretches of one kind of byte.
///
/// A kernel over a stretch never rejects. It stops where the valid part ends, and the scanner continues from
/// there one token at a time.
pub(crate) trait Kernels: Copy {
    /// The state kept from one string to the next, which makes the next string cheaper.
    type Near: Default;

    /// True if [`rest`](Self::rest) may take over.
    const HAS_WINDOWS: bool = false;

    /// Scans the contents of a string up to a quote, a backslash, a control character or a byte beyond ASCII.
    /// It also stops once the string is long.
    fn short(self, text: &[u8], from: usize, near: &mut Self::Near) -> usize;

    /// Scans the contents of a string, including UTF-8. It starts and stops outside an escape and at a character, and
    /// stops before the string ends.
    fn text(self, text: &[u8], from: usize) -> usize;

    /// Scans numbers separated by commas, and nothing else. It starts and stops right after a comma.
    fn numbers(self, text: &[u8], from: usize) -> usize;

    /// Returns the number of bytes of a container that are scanned token by token before [`rest`](Self::rest) takes
    /// over.
    #[inline(always)]
    fn patience(self) -> usize {
        usize::MAX
    }

    /// Scans the rest of a container, from an element of an array that is not its first, or from a name. Returns the
    /// offset after the bracket that closes the outermost of the open containers. With `LINES`, an LF ends the text.
    #[inline(always)]
    fn rest<const LINES: bool>(
        self,
        text: &[u8],
        from: usize,
        open: Open,
    ) -> Result<usize, Unclear> {
        let _ = (text, from, open);
        Err(Unclear::Other)
    }
}

/// The longest text: offsets in a frame have 32 bits. Longer texts are left to the caller.
pub(super) const LONGEST: usize = crate::cast::index(u32::MAX);

/// The number of clean bytes in a string before a kernel is called.
pub(super) const LONG: usize = 48;

/// The containers that are open where the [rest](Kernels::rest) of one begins.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "simd"), allow(dead_code, reason = "nobody takes over"))]
pub(crate) struct Open {
    /// One bit for each of them, the innermost lowest, set for an array. A marker bit lies above them.
    pub(super) arrays: u64,
    /// The number of containers that may be open at the same time.
    pub(super) levels: u8,
}

/// The reason why the [rest](Kernels::rest) of a container was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "simd"), allow(dead_code, reason = "nobody takes over"))]
pub(crate) enum Unclear {
    /// Something in the rest is invalid.
    Fault,
    /// Containers are nested too deep for a clear verdict or for the limit, or the rest is short.
    Other,
}
