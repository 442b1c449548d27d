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

    /// Scans string contents without quotes, escapes and control characters. Returns where it stopped, and
    /// whether there were bytes beyond ASCII.
    fn clean(self, text: &[u8], from: usize) -> (usize, bool);

    /// Like [`clean`](Self::clean), but scans escapes too. It starts and stops outside an escape.
    fn escaped(self, text: &[u8], from: usize) -> (usize, bool);

    /// Like [`escaped`](Self::escaped), but validates UTF-8 too. It starts and stops at a character. Back ends that
    /// make two passes over a string do not have this kernel.
    #[inline(always)]
    fn whole(self, text: &[u8], from: usize) -> usize {
        let _ = text;
        from
    }

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

/// The containers that are open where the [rest](Kernels::rest) of one begins.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(
    not(all(feature = "simd", target_arch = "x86_64")),
    allow(dead_code, reason = "nobody takes over")
)]
pub(crate) struct Open {
    /// One bit for each of them, the innermost lowest, set for an array. A marker bit lies above them.
    pub(super) arrays: u64,
    /// The number of containers that may be open at the same time.
    pub(super) levels: u8,
}

/// The reason why the [rest](Kernels::rest) of a container was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    not(all(feature = "simd", target_arch = "x86_64")),
    allow(dead_code, reason = "nobody takes over")
)]
pub(crate) enum Unclear {
    /// Something in the rest is invalid.
    Fault,
    /// Containers are nested too deep for a clear verdict or for the limit, or the rest is short.
    Other,
}
