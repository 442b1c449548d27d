//! Numbers (RFC 8259, section 6). Only the grammar is checked, not the range.

use super::Syntax;
use super::cursor::{Cursor, Scanned};

impl Cursor<'_> {
    /// Scans a number from its sign or first digit to after its last digit.
    pub(super) fn number(&mut self) -> Scanned {
        self.eat(b'-');
        // No digit may follow a leading zero. The caller finds one, since it expects a comma there.
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

    /// Scans one digit or more.
    #[cfg_attr(
        all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
        inline(never)
    )]
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
