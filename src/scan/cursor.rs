//! The only place that moves a position in the text.

use super::{Syntax, SyntaxError};
use crate::bytes::is_whitespace;
use crate::cast::u32_from;

/// Whether a part of the grammar is there. If it is not, the position is left at the first byte that does
/// not fit, which is where the [error](Cursor::error) is.
pub(super) type Scanned = Result<(), Syntax>;

/// A text and a position in it.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'text> {
    pub(super) text: &'text [u8],
    pub(super) at: usize,
}

impl Cursor<'_> {
    /// The byte at the position, if the text has not ended.
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Goes on by one byte.
    pub(super) const fn bump(&mut self) {
        self.at = self.at.wrapping_add(1);
    }

    /// Goes on by one byte if it is this one.
    ///
    /// On a microcontroller this is compiled once, and not at each of its callers: size counts there.
    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        if there {
            self.bump();
        }
        there
    }

    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    pub(super) fn skip_whitespace(&mut self) {
        while self.peek().is_some_and(is_whitespace) {
            self.bump();
        }
    }

    /// The first byte of what comes next, behind whitespace; at the end of the text 0, which nothing begins
    /// with.
    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    pub(super) fn token(&mut self) -> u8 {
        self.skip_whitespace();
        self.peek().unwrap_or(0)
    }

    /// The error that the byte at the position does not fit: for this reason, or because it is not even
    /// UTF-8.
    pub(super) fn error(&self, kind: Syntax) -> SyntaxError {
        let utf8 = match self.peek() {
            Some(0x80..) => super::utf8::character(self.text, self.at).is_some(),
            _ => true,
        };
        let kind = if utf8 { kind } else { Syntax::InvalidUtf8 };
        SyntaxError::new(kind, u32_from(self.at))
    }

    /// A value that is neither an array nor an object, and begins with this byte.
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
