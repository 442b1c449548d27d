//! Envelopes: frames that were read, whether they are messages or not.

use super::{Fault, Member, Message, Profile, Reading, Shape, Validator};
use crate::cast::u32_within;
use crate::frame::{Delimiter, Frame};
use crate::json::{RawJson, RawStr};
use crate::rule::Finding;
use crate::scan::Span;

/// A frame that was read but not yet validated: its members, valid or not.
///
/// [`Message::parse`] is `Envelope::read(frame, profile).message()`. Use an envelope if you want more of a
/// faulty frame than its first fault.
///
/// ```
/// use tautline::{Envelope, Profile};
///
/// let frame = br#"{"jsonrpc":"1.0","method":"subtract","id":[]}"#;
/// let envelope = Envelope::read(frame, &Profile::JSON_RPC);
/// assert_eq!(envelope.method().unwrap(), "subtract");
/// assert_eq!(envelope.id().unwrap().as_bytes(), b"[]");
/// let mut found = Vec::new();
/// envelope.findings(|finding| found.push(tautline::rule::name(finding.rule())));
/// assert_eq!(found, ["wrong-version", "id-type"]);
/// ```
#[derive(Clone, Debug)]
pub struct Envelope<'buf> {
    reading: Reading<'buf>,
    profile: Profile,
}

impl<'buf> Envelope<'buf> {
    /// Reads a frame, every byte of it once, as [`Message::parse`] does.
    #[must_use]
    #[inline]
    pub fn read(frame: impl Into<Frame<'buf>>, profile: &Profile) -> Self {
        let frame = frame.into();
        Self::read_delimited(frame.bytes(), frame.delimiter(), profile)
    }

    pub(super) fn read_delimited(
        frame: &'buf [u8],
        delimiter: Delimiter,
        profile: &Profile,
    ) -> Self {
        let mut envelope = Self::unread(frame, delimiter, profile);
        envelope.reading.scan(profile.max_depth(), None);
        envelope
    }

    /// Reads a frame with the plain scanner.
    pub(crate) fn read_plain(frame: &'buf [u8], delimiter: Delimiter, profile: &Profile) -> Self {
        let mut envelope = Self::unread(frame, delimiter, profile);
        envelope.reading.scan_plain(profile.max_depth());
        envelope
    }

    /// Reads an element of a valid batch, which begins at offset `from`, possibly after whitespace.
    pub(super) fn read_element(frame: &'buf [u8], profile: &Profile, from: usize) -> Self {
        // The rules for the delimiter were checked for the whole batch.
        let mut envelope = Self::unread(frame, Delimiter::Other, profile);
        envelope.reading.scan(profile.max_depth(), Some(from));
        envelope
    }

    #[inline(always)]
    fn unread(frame: &'buf [u8], delimiter: Delimiter, profile: &Profile) -> Self {
        Self { reading: Reading::unread(frame, delimiter), profile: *profile }
    }

    /// Returns the whole frame.
    #[must_use]
    pub const fn frame(&self) -> &'buf [u8] {
        self.reading.frame
    }

    /// Returns the span of the message in the frame, without the whitespace around it. For an element of a batch, this
    /// is the span of the element alone.
    #[must_use]
    pub const fn span(&self) -> Span {
        match self.reading.members.shape {
            Shape::Faulty(_) => Span::between(0, u32_within(self.reading.frame.len())),
            _ => self.reading.value,
        }
    }

    /// Returns the message, or the first fault of the frame.
    ///
    /// # Errors
    ///
    /// Returns the first fault, as [`Message::parse`] does.
    pub fn message(&self) -> Result<Message<'buf>, Fault<'buf>> {
        self.validator().message()
    }

    /// Reports everything that is found in the frame, in the order of the table of
    /// [rules](crate::Rule): errors, warnings and notes.
    ///
    /// The [elements](super::Batch::iter) of a batch have findings of their own.
    pub fn findings(&self, mut report: impl FnMut(Finding)) {
        self.validator().findings(&mut |finding| report(finding));
    }

    /// Returns the id, legal or not, if there is exactly one. The frame must be JSON, at least up to a part that is too
    /// deep.
    #[must_use]
    pub fn id(&self) -> Option<RawJson<'buf>> {
        self.id_span().map(|span| RawJson::at(self.reading.frame, span))
    }

    /// Returns the method, if it is a string and can be read like [the id](Self::id).
    #[must_use]
    pub fn method(&self) -> Option<RawStr<'buf>> {
        if self.reading.only(Member::METHOD).is_empty() {
            return None;
        }
        self.reading.string(Member::METHOD)
    }

    /// Returns the span of [the id](Self::id) in the frame.
    #[must_use]
    pub fn id_span(&self) -> Option<Span> {
        self.reading.only(Member::ID).if_any()
    }

    const fn validator(&self) -> Validator<'_, 'buf> {
        Validator { reading: &self.reading, profile: &self.profile }
    }
}
