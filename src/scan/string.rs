//! Strings (RFC 8259, section 7).

use super::cursor::{Cursor, Scanned};
use super::{Syntax, utf8};
use crate::cast::index;

impl Cursor<'_> {
    /// Scans a string from its opening quote to after its closing one.
    pub(super) fn string(&mut self) -> Scanned {
        self.bump();
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.bump();
                    return Ok(());
                }
                Some(b'\\') => {
                    self.bump();
                    self.escape()?;
                }
                Some(0..=0x1F) => return Err(Syntax::ControlCharacter),
                Some(0x20..=0x7F) => self.bump(),
                Some(first @ 0x80..) => match utf8::character(self.text, self.at) {
                    // The number of leading ones is the length of the character in bytes.
                    Some(_) => self.at = self.at.wrapping_add(index(first.leading_ones())),
                    None => return Err(Syntax::InvalidUtf8),
                },
                None => return Err(Syntax::UnterminatedString),
            }
        }
    }

    /// Scans an escape from after its backslash. The pairing of surrogates is not part of the grammar.
    fn escape(&mut self) -> Scanned {
        let digits = match self.peek() {
            Some(b'u') => 4,
            Some(byte) if is_escape(byte) => 0,
            None => return Err(Syntax::UnterminatedString),
            Some(_) => return Err(Syntax::InvalidEscape),
        };
        self.bump();
        for _ in 0..digits {
            match self.peek() {
                Some(b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => self.bump(),
                None => return Err(Syntax::UnterminatedString),
                Some(_) => return Err(Syntax::InvalidEscape),
            }
        }
        Ok(())
    }
}

/// Returns whether the byte after a backslash completes an escape.
#[cfg_attr(
    all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
    inline(never)
)]
pub(super) const fn is_escape(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')
}
