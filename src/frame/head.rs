//! The bytes that precede an outgoing message.

use crate::bytes::copy;

/// The bytes before an outgoing message, at most [`Self::LONGEST`].
#[derive(Clone, Copy)]
#[expect(unnameable_types, reason = "only a sealed trait names it")]
pub struct Head {
    bytes: [u8; Self::LONGEST],
    /// The index of the first byte. The text grows towards the front, since numbers are written from the
    /// last digit.
    start: usize,
}

impl Head {
    /// The length of a `Content-Length` header with the largest possible length.
    const LONGEST: usize = 40;

    /// No bytes.
    pub(super) const NONE: Self = Self { bytes: [0; Self::LONGEST], start: Self::LONGEST };

    /// Inserts text at the front.
    pub(super) fn push_front(&mut self, text: &[u8]) {
        let start = self.start.saturating_sub(text.len());
        copy(text, self.bytes.get_mut(start..self.start).unwrap_or_default());
        self.start = start;
    }

    /// Inserts decimal digits at the front.
    pub(super) fn push_number(&mut self, mut number: usize) {
        loop {
            let digit = b"0123456789".get(number % 10).copied().unwrap_or_default();
            self.push_front(&[digit]);
            number /= 10;
            if number == 0 {
                return;
            }
        }
    }

    #[cfg(any(feature = "std", feature = "embedded-io-v0_7"))]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }
}

impl core::fmt::Debug for Head {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        crate::excerpt::Excerpt(self.bytes.get(self.start..).unwrap_or_default()).fmt(f)
    }
}
