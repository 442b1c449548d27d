//! A stream without a fast path: every line is split first and then parsed.

use crate::envelope::{Fault, Layout, Message, Profile};
use crate::frame::Frame;

/// A fast path that tries no line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FastPath;

/// The layout of a message and the index of its newline; never found here.
pub(crate) type Attempt = Result<(Layout, usize), Fallback>;

/// The fast path's findings: none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fallback(());

impl FastPath {
    pub(crate) const NEW: Self = Self;

    #[inline(always)]
    pub(crate) const fn line(&mut self, input: &[u8], position: u64, profile: &Profile) -> Attempt {
        Self::any_line(input, position, profile)
    }

    #[inline(always)]
    pub(crate) const fn any_line(_input: &[u8], _position: u64, _profile: &Profile) -> Attempt {
        Err(Fallback(()))
    }

    #[cfg(any(feature = "std", feature = "embedded-io-v0_7"))]
    #[inline(always)]
    pub(crate) const fn ends_later(&self, _input: &[u8], _position: u64) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) const fn note_length(&mut self, _length: usize) {}
}

impl Fallback {
    #[inline]
    pub(crate) fn parse<'buf>(
        self,
        frame: &Frame<'buf>,
        profile: &Profile,
    ) -> Result<Message<'buf>, Fault<'buf>> {
        Message::parse_delimited(frame.bytes(), frame.delimiter(), profile)
    }
}
