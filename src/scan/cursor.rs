//! The only place that moves a position in the text.

use super::{Syntax, SyntaxError};
use crate::bytes::is_whitespace;
use crate::cast::u32_from;

/// The result of scanning a part of the grammar. On an error the position is left at the first byte that does
/// not fit, which is where [`error`](Cursor::error) reports it.
pub(super) type Scanned = Result<(), Syntax>;

/// A text and a position in it.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'text> {
    pub(super) text: &'text [u8],
    pub(super) at: usize,
}

impl Cursor<'_> {
    /// Returns the byte at the position, or `None` at the end of the text.
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Advances by one byte.
    pub(super) const fn bump(&mut self) {
        self.at = self.at.wrapping_add(1);
    }

    /// Advances by one byte if it is `byte`, and returns whether it was.
    ///
    /// On a microcontroller this is not inlined: code size matters there.
    #[cfg_attr(
        all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
        inline(never)
    )]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        if there {
            self.bump();
        }
        there
    }

    #[cfg_attr(
        all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
        inline(never)
    )]
    pub(super) fn skip_whitespace(&mut self) {
        while self.peek().is_some_and(is_whitespace) {
            self.bump();
        }
    }

    /// Skips whitespace and returns the next byte. At the end of the text it returns 0, which begins no
    /// token.
    #[cfg_attr(
        all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
        inline(never)
    )]
    pub(super) fn token(&mut self) -> u8 {
        self.skip_whitespace();
        self.peek().unwrap_or(0)
    }

    /// Returns the error for the byte at the position: `kind`, or invalid UTF-8 if the byte begins no
    /// character.
    pub(super) fn error(&self, kind: Syntax) -> SyntaxError {
        let utf8 = match self.peek() {
            Some(0x80..) => super::utf8::character(self.text, self.at).is_some(),
            _ => true,
        };
        let kind = if utf8 { kind } else { Syntax::InvalidUtf8 };
        SyntaxError::new(kind, u32_from(self.at))
    }

    /// Scans a value that is neither an array nor an object and begins with `first`.
    #[inline]
    pub(super) fn scalar(&mut self, first: u8) -> Scanned {
        let word: &[u8] = match first {
            b'"' => return self.string(),
            b'-' | b'0'..=b'9' => return self.number(),
            b't' => b"true",
            b'f' => b"false",
            b'n' => b"null",
            _ => return Err(Syntax::ExpectedValue),
        };
        for &byte in word {
            if !self.eat(byte) {
                return Err(Syntax::InvalidLiteral);
            }
        }
        Ok(())
    }
}
