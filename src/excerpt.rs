//! Bytes in the `Debug` output of the types that hold or borrow them.

use core::fmt::{self, Write};

/// The maximum number of bytes shown. A message is recognized by its beginning.
const SHOWN: usize = 256;

/// Bytes that are mostly text. A long text is cut between two characters, and its length in bytes follows.
///
/// `Debug` writes a string literal. `Display` writes JSON text: quotes and backslashes are not escaped.
/// Both escape control characters, invisible characters and invalid UTF-8.
pub(crate) struct Excerpt<'a>(pub(crate) &'a [u8]);

impl<'a> Excerpt<'a> {
    /// Returns the part that is shown, and whether it is all there is.
    fn shown(&self) -> (&'a [u8], bool) {
        let starts_character =
            |&end: &usize| self.0.get(end).is_none_or(|byte| byte & 0xC0 != 0x80);
        // A character has at most three bytes after its first one. Text without characters is cut anywhere.
        let end = (SHOWN - 3..=SHOWN).rev().find(starts_character).unwrap_or(SHOWN);
        match self.0.get(..end) {
            Some(shown) if self.0.len() > SHOWN => (shown, false),
            _ => (self.0, true),
        }
    }
}

impl fmt::Debug for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shown, is_all) = self.shown();
        f.write_char('"')?;
        for chunk in shown.utf8_chunks() {
            write!(f, "{}{}", chunk.valid().escape_debug(), chunk.invalid().escape_ascii())?;
        }
        f.write_char('"')?;
        if is_all { Ok(()) } else { write!(f, "… ({} bytes)", self.0.len()) }
    }
}

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shown, is_all) = self.shown();
        for chunk in shown.utf8_chunks() {
            for c in chunk.valid().chars() {
                match c {
                    '"' | '\\' | '\'' => f.write_char(c)?,
                    _ => fmt::Display::fmt(&c.escape_debug(), f)?,
                }
            }
            fmt::Display::fmt(&chunk.invalid().escape_ascii(), f)?;
        }
        if is_all { Ok(()) } else { write!(f, "… ({} bytes)", self.0.len()) }
    }
}
