//! Skips through text that is known to be valid, where only brackets and strings matter.
//!
//! Text that is not validated yet has its own code. `scan` skips values nested too deep but still validates
//! their strings. Text that arrives in pieces (`scan/resumable.rs`, `frame/concatenated.rs`) can pause at any
//! byte.

use crate::bytes::{FAST, run_of};

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
            b'0'..=b'9' if FAST => self.at = scalar(self.text, self.at),
            _ => self.at = self.at.wrapping_add(1),
        }
        Some(first)
    }
}

/// Returns the index after the string whose opening quote is at index `at`.
pub(super) fn string(text: &[u8], at: usize) -> usize {
    let start = at.wrapping_add(1);
    let mut at = start;
    while FAST {
        at = next(text, at, |byte| byte == b'"', |rest| memchr::memchr(b'"', rest));
        // The quote is part of an escape after an odd number of backslashes.
        let before = text.get(start..at).unwrap_or_default();
        let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
        if backslashes % 2 == 0 {
            return at.wrapping_add(1).min(text.len());
        }
        at = at.wrapping_add(1);
    }
    loop {
        match text.get(at) {
            Some(b'\\') => at = at.wrapping_add(2),
            Some(b'"') => return at.wrapping_add(1),
            Some(_) => at = at.wrapping_add(1),
            None => return text.len(),
        }
    }
}

/// Returns the index after the container whose opening bracket is at index `at`.
///
/// Brackets of the other kind are in pairs, so they need no look. Numbers and literals need none either.
fn container(text: &[u8], at: usize, open: u8, close: u8) -> usize {
    let (mut at, mut depth) = (at, 0_usize);
    loop {
        let is_end = |byte| byte == b'"' || byte == open || byte == close;
        at = next(text, at, is_end, |rest| memchr::memchr3(b'"', open, close, rest));
        match text.get(at) {
            Some(b'"') => {
                at = string(text, at);
                continue;
            }
            Some(byte) if *byte == open => depth = depth.wrapping_add(1),
            Some(_) => depth = depth.wrapping_sub(1),
            None => return text.len(),
        }
        at = at.wrapping_add(1);
        if depth == 0 {
            return at;
        }
    }
}

/// Returns the index of the next byte for which `is_end` holds. `find` returns it for a rest of the text, and is faster
/// where the byte is far away.
#[inline]
fn next(
    text: &[u8],
    at: usize,
    is_end: impl Fn(u8) -> bool,
    find: impl Fn(&[u8]) -> Option<usize>,
) -> usize {
    const NEAR: usize = 16;
    let rest = text.get(at..).unwrap_or_default();
    let (near, far) = rest.split_at_checked(NEAR).unwrap_or((rest, &[]));
    let found = near.iter().position(|&byte| is_end(byte));
    let found = found.or_else(|| Some(find(far)?.wrapping_add(NEAR)));
    at.wrapping_add(found.unwrap_or(rest.len()))
}

/// Returns the index after the value that begins at index `at`.
pub(super) fn value(text: &[u8], at: usize) -> usize {
    match text.get(at) {
        Some(b'"') if FAST => return string(text, at),
        Some(b'{') if FAST => return container(text, at, b'{', b'}'),
        Some(b'[') if FAST => return container(text, at, b'[', b']'),
        _ => {}
    }
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
