//! Strings (RFC 8259, section 7).

use super::cursor::Cursor;
use super::{Syntax, SyntaxError, utf8};

impl Cursor<'_> {
    /// A string, from its opening quote to behind its closing one.
    pub(super) fn string(&mut self) -> Result<(), SyntaxError> {
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
                Some(0..=0x1F) => return Err(self.fault(Syntax::ControlCharacter)),
                Some(0x20..=0x7F) => self.bump(),
                Some(0x80..) => match utf8::sequence(self.text, self.at) {
                    Some(length) => self.at = self.at.wrapping_add(length),
                    None => return Err(self.fault(Syntax::InvalidUtf8)),
                },
                None => return Err(self.fault(Syntax::UnterminatedString)),
            }
        }
    }

    /// An escape, from behind its backslash. Whether surrogates come in pairs is not grammar.
    fn escape(&mut self) -> Result<(), SyntaxError> {
        let digits = match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 0,
            Some(b'u') => 4,
            None => return Err(self.fault(Syntax::UnterminatedString)),
            Some(_) => return Err(self.unexpected(Syntax::InvalidEscape)),
        };
        self.bump();
        for _ in 0..digits {
            match self.peek() {
                Some(b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => self.bump(),
                None => return Err(self.fault(Syntax::UnterminatedString)),
                Some(_) => return Err(self.unexpected(Syntax::InvalidEscape)),
            }
        }
        Ok(())
    }
}
