//! The pieces of a message: text that is escaped, numbers, and how much was put.

use super::{EncodeError, Full, Output};
use crate::json::RawJson;

/// Puts the pieces of one message, and remembers the first thing that went wrong.
///
/// Behind that nothing more is put, but the length is counted on, so that it is known how much room
/// the message would have needed.
pub(super) struct Pieces<'out> {
    out: &'out mut dyn Output,
    pub(super) length: usize,
    failure: Option<EncodeError>,
    /// What the next piece must not begin with anything but, and the failure if it does.
    first: Option<(&'static [u8], EncodeError)>,
}

impl<'out> Pieces<'out> {
    pub(super) const fn new(out: &'out mut dyn Output) -> Self {
        Self { out, length: 0, failure: None, first: None }
    }

    /// What went wrong, if anything did.
    pub(super) const fn failure(&self) -> Option<EncodeError> {
        match self.failure {
            Some(EncodeError::DoesNotFit { .. }) => {
                Some(EncodeError::DoesNotFit { needed: self.length })
            }
            other => other,
        }
    }

    pub(super) const fn fail(&mut self, error: EncodeError) {
        if self.failure.is_none() {
            self.failure = Some(error);
        }
    }

    /// Demands that the next piece begins with one of these bytes.
    pub(super) const fn expect(&mut self, first: &'static [u8], error: EncodeError) {
        self.first = Some((first, error));
    }

    pub(super) fn put(&mut self, bytes: &[u8]) {
        let Some(first) = bytes.first() else { return };
        if let Some((allowed, error)) = self.first.take()
            && !allowed.contains(first)
        {
            self.fail(error);
        }
        self.length = self.length.saturating_add(bytes.len());
        if self.failure.is_none()
            && let Err(Full) = self.out.put(bytes)
        {
            self.fail(EncodeError::DoesNotFit { needed: 0 });
        }
    }

    /// A value as it was written elsewhere, on one line: newlines in JSON text are whitespace between
    /// tokens, because in strings they are escaped.
    pub(super) fn raw(&mut self, value: RawJson<'_>) {
        self.on_one_line(value.as_bytes());
    }

    /// Text without the newlines in it.
    pub(super) fn on_one_line(&mut self, text: &[u8]) {
        for piece in text.split(|byte| matches!(byte, b'\n' | b'\r')) {
            self.put(piece);
        }
    }

    /// A string as it was written elsewhere, without its quotes.
    pub(super) fn quoted(&mut self, text: &[u8]) {
        self.put(b"\"");
        self.put(text);
        self.put(b"\"");
    }

    /// A string in quotes.
    pub(super) fn string(&mut self, text: &str) {
        self.put(b"\"");
        let mut rest = text.as_bytes();
        while let Some(at) = rest.iter().position(|&byte| must_be_escaped(byte)) {
            let (clean, behind) = rest.split_at_checked(at).unwrap_or((rest, b""));
            self.put(clean);
            let Some((&byte, behind)) = behind.split_first() else { break };
            self.escape(byte);
            rest = behind;
        }
        self.put(rest);
        self.put(b"\"");
    }

    fn escape(&mut self, byte: u8) {
        let digit = |digit: u8| if digit < 10 { b'0' + digit } else { b'a' - 10 + digit };
        match byte {
            b'"' => self.put(b"\\\""),
            b'\\' => self.put(b"\\\\"),
            b'\n' => self.put(b"\\n"),
            b'\r' => self.put(b"\\r"),
            b'\t' => self.put(b"\\t"),
            _ => self.put(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 15)]),
        }
    }

    /// An integer in decimal.
    pub(super) fn integer(&mut self, negative: bool, magnitude: u64) {
        // Counted down by powers of ten: division by them takes a library function where registers
        // have 32 bits.
        let mut digits = [b'0'; POWERS_OF_TEN.len()];
        let mut left = magnitude;
        for (digit, power) in digits.iter_mut().zip(POWERS_OF_TEN) {
            while let Some(less) = left.checked_sub(power) {
                left = less;
                *digit = digit.wrapping_add(1);
            }
        }
        let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
        let digits = digits.get(zeros..).filter(|digits| !digits.is_empty());
        if negative {
            self.put(b"-");
        }
        self.put(digits.unwrap_or(b"0"));
    }
}

impl core::fmt::Debug for Pieces<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Pieces").field("length", &self.length).finish_non_exhaustive()
    }
}

const fn must_be_escaped(byte: u8) -> bool {
    matches!(byte, 0..0x20 | b'"' | b'\\')
}

/// The powers of ten that a `u64` can hold, the largest first.
const POWERS_OF_TEN: [u64; 20] = {
    let mut powers = [1; 20];
    let mut rest: &mut [u64] = &mut powers;
    let mut power: u64 = 1;
    while let Some((last, before)) = rest.split_last_mut() {
        *last = power;
        power = power.saturating_mul(10);
        rest = before;
    }
    powers
};
