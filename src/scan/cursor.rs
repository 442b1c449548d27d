//! The only place that moves a position in the text.

use super::{Syntax, SyntaxError};
use crate::bytes::is_whitespace;
use crate::cast::u32_from;

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

    /// The position does not fit, for this reason.
    pub(super) fn fault(&self, kind: Syntax) -> SyntaxError {
        SyntaxError::new(kind, u32_from(self.at))
    }

    /// The byte at the position can't stand outside of a string: for this reason, or because it is
    /// not even UTF-8.
    pub(super) fn unexpected(&self, kind: Syntax) -> SyntaxError {
        let utf8 = match self.peek() {
            Some(0x80..) => super::utf8::sequence(self.text, self.at).is_some(),
            _ => true,
        };
        self.fault(if utf8 { kind } else { Syntax::InvalidUtf8 })
    }

    /// A value that is neither an array nor an object.
    #[inline]
    pub(super) fn scalar(&mut self) -> Result<(), SyntaxError> {
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.literal(b"true"),
            Some(b'f') => self.literal(b"false"),
            Some(b'n') => self.literal(b"null"),
            _ => Err(self.unexpected(Syntax::ExpectedValue)),
        }
    }

    /// The rest of `true`, `false` or `null`, whose first letter was looked at.
    pub(super) fn literal(&mut self, word: &[u8]) -> Result<(), SyntaxError> {
        for &byte in word {
            if !self.eat(byte) {
                return Err(self.unexpected(Syntax::InvalidLiteral));
            }
        }
        Ok(())
    }
}
