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

    /// A value as it was written elsewhere, on one line: newlines in JSON text are whitespace between
    /// tokens, because in strings they are escaped.
    pub(super) fn raw(&mut self, value: RawJson<'_>) {
        for piece in value.as_bytes().split(|byte| matches!(byte, b'\n' | b'\r')) {
            self.put(piece);
        }
    }

    /// What somebody else's code says is a value.
    #[cfg(any(feature = "std", feature = "serde-json-core-v0_7"))]
    pub(super) fn foreign(&mut self, text: &[u8]) {
        match RawJson::parse(text) {
            Ok(value) => self.raw(value),
            Err(_) => self.fail(EncodeError::Payload),
        }
    }

    /// A string as it was written elsewhere, without its quotes.
    pub(super) fn quoted(&mut self, text: &[u8]) {
        self.byte(b'"');
        self.put(text);
        self.byte(b'"');
    }

    /// A string in quotes.
    pub(super) fn string(&mut self, text: &str) {
        self.byte(b'"');
        let mut rest = text.as_bytes();
        while let Some(at) = rest.iter().position(|&byte| must_be_escaped(byte)) {
            let (clean, behind) = rest.split_at_checked(at).unwrap_or((rest, b""));
            self.put(clean);
            let Some((&byte, behind)) = behind.split_first() else { break };
            self.escape(byte);
            rest = behind;
        }
        self.put(rest);
        self.byte(b'"');
    }

    fn escape(&mut self, byte: u8) {
        let short = match byte {
            b'"' | b'\\' => byte,
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            // A control character, which is below 0x20.
            _ => {
                let (high, low) = (b'0' | byte >> 4, byte & 15);
                let low = if low < 10 { b'0' + low } else { b'a' - 10 + low };
                return self.put(&[b'\\', b'u', b'0', b'0', high, low]);
            }
        };
        self.put(&[b'\\', short]);
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

const fn must_be_escaped(byte: u8) -> bool {
    matches!(byte, 0..0x20 | b'"' | b'\\')
}

/// How many digits the largest number has.
const LONGEST: usize = 20;
