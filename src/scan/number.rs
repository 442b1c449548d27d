//! Numbers (RFC 8259, section 6): the grammar, and not the range.

use super::Syntax;
use super::cursor::{Cursor, Scanned};

impl Cursor<'_> {
    /// A number, from its sign or first digit to behind its last digit.
    pub(super) fn number(&mut self) -> Scanned {
        self.eat(b'-');
        // A leading zero stands alone; a digit behind it is found by whoever expects a comma.
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        Ok(())
    }

    /// One digit or more.
    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    fn digits(&mut self) -> Scanned {
        if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(Syntax::ExpectedDigit);
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.bump();
        }
        Ok(())
    }
}
