//! Skips through text that is known to be valid, where only brackets and strings matter.
//!
//! Text that is not validated yet has its own code. `scan` skips values nested too deep but still validates
//! their strings. Text that arrives in pieces (`scan/resumable.rs`, `frame/concatenated.rs`) can pause at any
//! byte.

use crate::bytes::run_of;

/// A position in the text of a value, outside strings.
#[derive(Clone, Debug)]
pub(super) struct Place<'text> {
    text: &'text [u8],
    pub(super) at: usize,
    /// The number of containers open at the position.
    pub(super) depth: usize,
}

impl<'text> Place<'text> {
    /// Creates a position at the start of a value.
    pub(super) const fn before(text: &'text [u8], at: usize) -> Self {
        Self { text, at, depth: 0 }
    }

    /// Skips the string, bracket or other byte at the position, and returns its first byte. Returns `None` at
    /// the end of the text.
    #[inline]
    pub(super) fn step(&mut self) -> Option<u8> {
        let first = *self.text.get(self.at)?;
        match first {
            b'"' => self.at = string(self.text, self.at),
            b'{' | b'[' => {
                self.depth = self.depth.wrapping_add(1);
                self.at = self.at.wrapping_add(1);
            }
            b'}' | b']' => {
                self.depth = self.depth.wrapping_sub(1);
                self.at = self.at.wrapping_add(1);
            }
            _ if self.depth == 0 => self.at = scalar(self.text, self.at),
            // Skipping a whole number is faster than stepping through it.
            b'0'..=b'9' if crate::bytes::FAST => self.at = scalar(self.text, self.at),
            _ => self.at = self.at.wrapping_add(1),
        }
        Some(first)
    }
}

/// Returns the index after the string whose opening quote is at index `at`.
pub(super) fn string(text: &[u8], at: usize) -> usize {
    let mut at = at.wrapping_add(1);
    loop {
        match text.get(at) {
            Some(b'\\') => at = at.wrapping_add(2),
            Some(b'"') => return at.wrapping_add(1),
            Some(_) => at = at.wrapping_add(1),
            None => return text.len(),
        }
    }
}

/// Returns the index after the value that begins at index `at`.
pub(super) fn value(text: &[u8], at: usize) -> usize {
    let mut place = Place::before(text, at);
    while place.step().is_some() {
        if place.depth == 0 {
            return place.at;
        }
    }
    text.len()
}

/// Returns the index after the number or literal that contains index `at`.
fn scalar(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or(b"");
    // In valid text, only whitespace is not above a space.
    let length = run_of(rest, |byte| !matches!(byte, 0..=b' ' | b',' | b'}' | b']'));
    at.wrapping_add(length)
}
