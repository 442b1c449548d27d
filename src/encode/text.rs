//! The pieces of a message: text that is escaped, numbers, and how much was put.

use super::{Allowed, Draft, EncodeError, Ends, Output, Refused, Value};
use crate::json::RawJson;

/// Puts the pieces of one message, and remembers the first thing that went wrong.
///
/// Behind that nothing more is put, but the length is counted on, so that it is known how much room
/// the message would have needed.
///
/// What is not [finished](Self::finish) is taken back, even when a payload panics.
pub(crate) struct Pieces<'out> {
    out: &'out mut dyn Output,
    /// What the rules say of the message.
    pub(super) allowed: &'out Allowed,
    ends: &'static Ends,
    mark: usize,
    committed: bool,
    /// How many values were begun and not ended. Some stay if a payload panics and the panic is caught within the
    /// payload of the same message.
    #[cfg(panic = "unwind")]
    open: usize,
    length: usize,
    failure: Option<EncodeError>,
    /// The bytes that the next piece may begin with, and the failure if it begins with another.
    first: Option<(&'static [u8], EncodeError)>,
}

impl<'out> Pieces<'out> {
    /// Room for a message between these ends.
    ///
    /// This and the [end](Self::finish) are compiled once, and not for every type of payload.
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

    /// Begins the message.
    pub(crate) fn draft(&mut self) -> Draft<'_, 'out> {
        self.put(self.ends.before);
        Draft { pieces: self }
    }

    /// The place for a value in it.
    pub(crate) const fn value(&mut self) -> Value<'_, 'out> {
        Value::new(self)
    }

    /// The message is complete: its length, or what went wrong.
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
            // Only now it is known how much there was to come.
            Some(EncodeError::DoesNotFit { .. }) => {
                Err(EncodeError::DoesNotFit { needed: self.length })
            }
            Some(other) => Err(other),
        }
    }

    const fn refused(&mut self, refused: Refused) {
        self.fail(match refused {
            Refused::Full => EncodeError::DoesNotFit { needed: 0 },
            Refused::Failed => EncodeError::Output,
        });
    }

    pub(super) const fn fail(&mut self, error: EncodeError) {
        if self.failure.is_none() {
            self.failure = Some(error);
        }
    }

    /// A value is being written.
    pub(super) const fn begin_value(&mut self) {
        #[cfg(panic = "unwind")]
        {
            self.open = self.open.saturating_add(1);
        }
    }

    /// The value that was begun last is complete.
    pub(super) const fn end_value(&mut self) {
        #[cfg(panic = "unwind")]
        {
            self.open = self.open.saturating_sub(1);
        }
    }

    /// Demands that this holds.
    pub(super) const fn demand(&mut self, holds: bool, error: EncodeError) {
        if !holds {
            self.fail(error);
        }
    }

    /// Demands that the next piece begins with one of these bytes.
    pub(super) const fn expect(&mut self, first: &'static [u8], error: EncodeError) {
        self.first = Some((first, error));
    }

    pub(super) fn put(&mut self, bytes: &[u8]) {
        let Some(first) = bytes.first() else { return };
        self.length = self.length.saturating_add(bytes.len());
        if let Some((allowed, error)) = self.first.take()
            && !allowed.iter().any(|byte| byte == first)
        {
            self.fail(error);
        }
        if self.failure.is_none()
            && let Err(refused) = self.out.put(bytes)
        {
            self.refused(refused);
        }
    }

    /// One byte: to call this is shorter than to say where the byte stands.
    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    pub(super) fn byte(&mut self, byte: u8) {
        self.put(&[byte]);
    }

    /// A value as it was written elsewhere, on one line.
    pub(super) fn raw(&mut self, value: RawJson<'_>) {
        for line in lines(value) {
            self.put(line);
        }
    }

    /// What `serde_json` says is a value.
    #[cfg(feature = "std")]
    pub(super) fn foreign(&mut self, text: &[u8]) {
        match RawJson::parse(text) {
            Ok(value) => self.raw(value),
            Err(_) => self.fail(EncodeError::Payload),
        }
    }

    /// What `serde-json-core` says is a value. It does not escape all that is escaped [here](Self::string); beyond
    /// ASCII there is nothing but the text of strings.
    #[cfg(feature = "serde-json-core-v0_7")]
    pub(super) fn foreign_to_escape(&mut self, text: &[u8]) {
        match RawJson::parse(text) {
            Ok(value) => lines(value).for_each(|line| self.escaped(line, 0x80)),
            Err(_) => self.fail(EncodeError::Payload),
        }
    }

    /// A string as it was written elsewhere, without its quotes.
    pub(super) fn quoted(&mut self, text: &[u8]) {
        self.byte(b'"');
        self.put(text);
        self.byte(b'"');
    }

    /// A string in quotes, with everything escaped that ends a line for some readers.
    pub(super) fn string(&mut self, text: &str) {
        self.byte(b'"');
        self.escaped(text.as_bytes(), 0);
        self.byte(b'"');
    }

    /// Text with the characters escaped that must be, unless their bytes are below `lowest`.
    fn escaped(&mut self, text: &[u8], lowest: u8) {
        let mut rest = text;
        while !rest.is_empty() {
            // The loop below would find it too, but not as fast.
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

    /// The escape of the character with this last byte and this length in bytes.
    fn escape(&mut self, last: u8, length: usize) {
        let short = match last {
            b'"' | b'\\' => last,
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            _ => b'u',
        };
        // U+2028 and U+2029 are those of three bytes.
        let (page, unit) = if length == 3 { (b'2', last & 0x7F) } else { (b'0', last) };
        let digit = unit & 15;
        let low = if digit < 10 { b'0' + digit } else { b'a' - 10 + digit };
        let escape = [b'\\', short, page, b'0', b'0' | unit >> 4, low];
        let length = if short == b'u' { escape.len() } else { 2 };
        self.put(escape.get(..length).unwrap_or_default());
    }

    /// An integer in decimal.
    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    pub(super) fn signed(&mut self, value: i64) {
        self.integer(value < 0, value.unsigned_abs());
    }

    /// An integer in decimal, by its sign and its magnitude.
    pub(super) fn integer(&mut self, negative: bool, magnitude: u64) {
        // Divided by hand, byte by byte: to divide 64 bits takes a library function where registers have 32.
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
    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
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

/// The lines of a value: newlines in JSON text are whitespace between tokens, because in strings they are escaped.
fn lines<'buf>(value: RawJson<'buf>) -> impl Iterator<Item = &'buf [u8]> {
    value.as_bytes().split(|byte| matches!(byte, b'\n' | b'\r'))
}

/// Whether a character that begins with this byte must be escaped; of those beyond ASCII, some.
#[cfg(feature = "fast")]
const fn begins_escaped(byte: u8) -> bool {
    matches!(byte, 0..0x20 | b'"' | b'\\' | 0xC2 | 0xE2)
}

/// The length in bytes of the character that these bytes end with, the last of which is given again, if it must be
/// escaped; else 0. Beyond ASCII, those are the characters that end a line for some readers: U+0085, U+2028 and U+2029.
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

/// How many digits the largest number has.
const LONGEST: usize = 20;
