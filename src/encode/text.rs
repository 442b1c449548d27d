//! The pieces of a message: escaped text, numbers, and the count of written bytes.

use super::{Allowed, EncodeError, Ends, Output, Pieces, Refused};
use crate::envelope::Kinds;
use crate::json::RawJson;

impl<'out> Pieces<'out> {
    /// Begins a message between these ends.
    ///
    /// This function and [`finish`](Self::finish) are compiled once, not once for each type of payload.
    #[inline(never)]
    pub(super) fn new(
        out: &'out mut dyn Output,
        allowed: &'out Allowed,
        ends: &'static Ends,
    ) -> Self {
        Self {
            mark: out.mark(),
            out,
            allowed,
            ends,
            committed: false,
            #[cfg(panic = "unwind")]
            open: 0,
            length: 0,
            failure: None,
            first: None,
        }
    }

    /// Completes the message, and returns its length or the first error.
    #[inline(never)]
    pub(crate) fn finish(&mut self) -> Result<usize, EncodeError> {
        self.put(self.ends.behind);
        #[cfg(panic = "unwind")]
        self.demand(self.open == 0, EncodeError::Payload);
        if self.failure.is_none() {
            match self.out.commit() {
                Ok(()) => self.committed = true,
                Err(refused) => self.refused(refused),
            }
        }
        match self.failure {
            None => Ok(self.length),
            // The required length is known only now.
            Some(EncodeError::DoesNotFit { .. }) => {
                let error = EncodeError::does_not_fit(self.length);
                // The message's own bytes are still in the output.
                #[cfg(feature = "alloc")]
                let error =
                    error.beside(self.out.room().map(|room| {
                        room.saturating_add(self.out.mark().saturating_sub(self.mark))
                    }));
                Err(error)
            }
            Some(other) => Err(other),
        }
    }

    const fn refused(&mut self, refused: Refused) {
        // The required length is known only at the end.
        self.fail(refused.error(0));
    }

    pub(super) const fn fail(&mut self, error: EncodeError) {
        if matches!(self.failure, None | Some(EncodeError::DoesNotFit { .. })) {
            self.failure = Some(error);
        }
    }

    /// Fails with `error` unless `holds` is true.
    pub(super) const fn demand(&mut self, holds: bool, error: EncodeError) {
        if !holds {
            self.fail(error);
        }
    }

    pub(super) fn put(&mut self, bytes: &[u8]) {
        let Some(first) = bytes.first() else { return };
        self.count(*first, bytes.len());
        if self.failure.is_none()
            && let Err(refused) = self.out.put(bytes)
        {
            self.refused(refused);
        }
    }

    /// Counts a piece of this length, and checks the kind of the value that it begins with.
    fn count(&mut self, first: u8, length: usize) {
        self.length = self.length.saturating_add(length);
        if let Some((allowed, error)) = self.first.take()
            && !allowed.intersects(Kinds::begun_by(first))
        {
            self.fail(error);
        }
    }

    /// Writes one byte. A call is smaller than the address and length of a slice.
    #[cfg_attr(
        all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
        inline(never)
    )]
    pub(super) fn byte(&mut self, byte: u8) {
        self.put(&[byte]);
    }

    /// Writes a value that was written elsewhere, on one line.
    pub(super) fn raw(&mut self, value: RawJson<'_>) {
        for line in lines(value) {
            self.put(line);
        }
    }

    /// Writes text that `serde_json` produces. The function appends it to a vector, and returns whether it could.
    #[cfg(feature = "std")]
    pub(super) fn foreign(&mut self, write: impl FnOnce(&mut alloc::vec::Vec<u8>) -> bool) {
        let mut text = alloc::vec::Vec::new();
        let out = if self.failure.is_none() { self.out.vec() } else { None };
        let Some(out) = out else {
            let is_written = write(&mut text);
            return self.checked(is_written.then_some(&*text));
        };
        let start = out.len();
        let is_written = write(out);
        let new = out.get(start..).unwrap_or_default();
        if is_written && let Some(first) = one_line(new) {
            let length = new.len();
            return self.count(first, length);
        }
        // Text with raw newlines or with whitespace around it is written again.
        text.extend_from_slice(new);
        out.truncate(start);
        self.checked(is_written.then_some(&*text));
    }

    /// Writes text that was produced elsewhere, if it is valid.
    #[cfg(feature = "std")]
    fn checked(&mut self, text: Option<&[u8]>) {
        match text.map(RawJson::parse) {
            Some(Ok(value)) => self.raw(value),
            _ => self.fail(EncodeError::Payload),
        }
    }

    /// Writes text that `serde-json-core` has produced. It escapes fewer characters than
    /// [`string`](Self::string). The missing ones are beyond ASCII, so they occur only in strings.
    #[cfg(feature = "serde-json-core-v0_7")]
    pub(super) fn foreign_to_escape(&mut self, text: &[u8]) {
        match RawJson::parse(text) {
            Ok(value) => lines(value).for_each(|line| self.escaped(line, 0x80)),
            Err(_) => self.fail(EncodeError::Payload),
        }
    }

    /// Writes the contents of a string that was written elsewhere, with quotes around them.
    pub(super) fn quoted(&mut self, text: &[u8]) {
        self.byte(b'"');
        self.put(text);
        self.byte(b'"');
    }

    /// Writes a string in quotes, and escapes all characters that end a line for some readers.
    pub(super) fn string(&mut self, text: &str) {
        self.byte(b'"');
        self.escaped(text.as_bytes(), 0);
        self.byte(b'"');
    }

    /// Writes text inside a string, and escapes the same characters.
    pub(super) fn inside_string(&mut self, text: &str) {
        self.escaped(text.as_bytes(), 0);
    }

    /// Writes text with the necessary escapes, except for bytes below `lowest`.
    fn escaped(&mut self, text: &[u8], lowest: u8) {
        let mut rest = text;
        while !rest.is_empty() {
            // The loop below would find it too, but more slowly.
            #[cfg(feature = "fast")]
            let mut end = {
                let special = |byte: &u8| *byte >= lowest && begins_escaped(*byte);
                rest.iter().position(special).unwrap_or(rest.len())
            };
            #[cfg(not(feature = "fast"))]
            let mut end = 0_usize;
            let (mut last_bytes, mut escape) = (0, None);
            for &byte in rest.get(end..).unwrap_or_default() {
                last_bytes = last_bytes << 8 | u32::from(byte);
                end = end.wrapping_add(1);
                let length = if byte < lowest { 0 } else { length_to_escape(last_bytes, byte) };
                if length > 0 {
                    escape = Some((byte, length));
                    break;
                }
            }
            let length = escape.map_or(0, |(_, length)| length);
            self.put(rest.get(..end.wrapping_sub(length)).unwrap_or_default());
            if let Some((byte, length)) = escape {
                self.escape(byte, length);
            }
            rest = rest.get(end..).unwrap_or_default();
        }
    }

    /// Writes the escape of the character with this last byte and this length in bytes.
    fn escape(&mut self, last: u8, length: usize) {
        let short = match last {
            b'"' | b'\\' => last,
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            _ => b'u',
        };
        // U+2028 and U+2029 are the ones with three bytes.
        let (page, unit) = if length == 3 { (b'2', last & 0x7F) } else { (b'0', last) };
        let digit = unit & 15;
        let low = if digit < 10 { b'0' + digit } else { b'a' - 10 + digit };
        let escape = [b'\\', short, page, b'0', b'0' | unit >> 4, low];
        let length = if short == b'u' { escape.len() } else { 2 };
        self.put(escape.get(..length).unwrap_or_default());
    }

    /// Writes an integer in decimal.
    #[inline(never)]
    pub(super) fn signed(&mut self, value: i64) {
        self.integer(value < 0, value.unsigned_abs());
    }

    /// Writes an integer in decimal, from its sign and its magnitude.
    pub(super) fn integer(&mut self, negative: bool, magnitude: u64) {
        // Divide by hand, byte by byte: on machines with 32-bit registers a 64-bit division needs a library
        // function.
        let mut left = magnitude.to_be_bytes();
        let mut digits = [0; LONGEST];
        let mut first = LONGEST;
        for place in digits.iter_mut().rev() {
            let mut rest: u16 = 0;
            for byte in &mut left {
                let [_, quotient] = ((rest << 8 | u16::from(*byte)) / 10).to_be_bytes();
                rest = (rest << 8 | u16::from(*byte)) % 10;
                *byte = quotient;
            }
            let [_, digit] = rest.to_be_bytes();
            *place = b'0' + digit;
            first = first.wrapping_sub(1);
            if u64::from_be_bytes(left) == 0 {
                break;
            }
        }
        if negative {
            self.byte(b'-');
        }
        self.put(digits.get(first..).unwrap_or_default());
    }
}

impl Drop for Pieces<'_> {
    #[inline(never)]
    fn drop(&mut self) {
        if !self.committed {
            self.out.rewind(self.mark);
        }
    }
}

impl core::fmt::Debug for Pieces<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Pieces").field("length", &self.length).finish_non_exhaustive()
    }
}

/// Splits a value into its lines. Raw newlines in JSON text are whitespace between tokens, since strings
/// escape them.
fn lines<'buf>(value: RawJson<'buf>) -> impl Iterator<Item = &'buf [u8]> {
    crate::bytes::lines(value.as_bytes())
}

/// Returns the first byte of a text that is one value on one line, without whitespace around it.
#[cfg(feature = "std")]
fn one_line(text: &[u8]) -> Option<u8> {
    let value = RawJson::parse(text).ok()?;
    let is_one = lines(value).next().is_some_and(|line| line.len() == text.len());
    is_one.then(|| text.first().copied())?
}

/// Returns whether a character that begins with this byte must be escaped. Beyond ASCII this holds only for
/// some of the characters with that byte.
#[cfg(feature = "fast")]
const fn begins_escaped(byte: u8) -> bool {
    matches!(byte, 0..0x20 | b'"' | b'\\' | 0xC2 | 0xE2)
}

/// Returns the length in bytes of the character at the end of these bytes, if it must be escaped, and 0
/// otherwise. `last` repeats the last byte. Beyond ASCII, the characters that end a line for some readers are
/// escaped: U+0085, U+2028 and U+2029.
const fn length_to_escape(last_bytes: u32, last: u8) -> usize {
    if matches!(last, 0..0x20 | b'"' | b'\\') {
        1
    } else if last_bytes & 0xFFFF == 0xC285 {
        2
    } else if last_bytes & 0xFF_FFFE == 0xE2_80A8 {
        3
    } else {
        0
    }
}

/// The number of digits of the largest number.
const LONGEST: usize = 20;
