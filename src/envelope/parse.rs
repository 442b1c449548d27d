//! Parsing: a frame in, its message or its first fault out.

use super::fast::{self, Undecided};
use super::{Envelope, Fault, Message, Profile, Reading, Validator};
use crate::cast::index;
use crate::frame::{Delimiter, Frame};
use crate::scan::IS_FETCHED;

impl<'buf> Message<'buf> {
    /// Parses a frame: bytes, or what a driver of [frames](crate::frame) has returned.
    ///
    /// Bytes are a whole message, such as the body of an HTTP request or the data of an event. They may have whitespace
    /// around them and line breaks in them. A line of newline-delimited JSON must not: pass it as a
    /// [`Frame::from_line`], or as the frame of a driver. A raw CR in it breaks the rule
    /// [`RAW_CARRIAGE_RETURN`](crate::Rule::RAW_CARRIAGE_RETURN).
    ///
    /// ```
    /// use tautline::envelope::CarriageReturns;
    /// use tautline::frame::Frame;
    /// use tautline::{Message, Profile};
    ///
    /// // Some receivers split this line at the CR, and see two messages.
    /// let bytes = b"{\"jsonrpc\":\"2.0\",\"method\":\"update\",\"params\":{\r}}";
    /// let profile = Profile::JSON_RPC.with_carriage_returns(CarriageReturns::Forbidden);
    /// let fault = Message::parse(Frame::from_line(bytes), &profile).unwrap_err();
    /// assert_eq!((fault.rule(), fault.offset()), (tautline::Rule::RAW_CARRIAGE_RETURN, 45));
    /// // The body of an HTTP request may hold one.
    /// assert!(Message::parse(bytes, &profile).is_ok());
    /// ```
    ///
    /// For warnings and notes as well, read an [`Envelope`] and ask for its [findings](Envelope::findings).
    ///
    /// # Errors
    ///
    /// Returns the first fault of the frame: what is wrong, where, and which reply is owed.
    #[inline(always)]
    pub fn parse(frame: impl Into<Frame<'buf>>, profile: &Profile) -> Result<Self, Fault<'buf>> {
        let frame = frame.into();
        Self::parse_delimited(frame.bytes(), frame.delimiter(), profile)
    }

    #[inline]
    pub(crate) fn parse_delimited(
        frame: &'buf [u8],
        delimiter: Delimiter,
        profile: &Profile,
    ) -> Result<Self, Fault<'buf>> {
        match delimiter {
            _ if !cfg!(feature = "fast") => Self::read(frame, delimiter, profile, None),
            Delimiter::Newline => Self::parse_line(frame, profile),
            Delimiter::Other => Self::parse_body(frame, profile),
        }
    }

    fn parse_body(frame: &'buf [u8], profile: &Profile) -> Result<Self, Fault<'buf>> {
        if IS_FETCHED {
            return fast::delimited(frame, profile)
                .or_else(|_| Self::read_plain(frame, Delimiter::Other, profile));
        }
        fast::message(frame, profile)
            .or_else(|undecided| Self::parse_undecided(frame, Delimiter::Other, profile, undecided))
    }

    fn parse_line(frame: &'buf [u8], profile: &Profile) -> Result<Self, Fault<'buf>> {
        fast::delimited(frame, profile).or_else(|undecided| {
            Self::parse_undecided(frame, Delimiter::Newline, profile, undecided)
        })
    }

    /// Parses the frame, or the element of a batch that begins at this offset, and moves the offset to its end.
    #[cfg_attr(not(feature = "fast"), inline(never))]
    pub(super) fn read(
        frame: &'buf [u8],
        delimiter: Delimiter,
        profile: &Profile,
        element: Option<&mut usize>,
    ) -> Result<Self, Fault<'buf>> {
        // Step by step, so that the reading is never moved.
        let mut reading = Reading::unread(frame, delimiter);
        reading.scan(profile.max_depth(), element.as_deref().copied());
        if let Some(at) = element {
            *at = index(reading.value.end());
        }
        Validator { reading: &reading, profile }.message()
    }

    /// Parses a frame with the plain scanner.
    fn read_plain(
        frame: &'buf [u8],
        delimiter: Delimiter,
        profile: &Profile,
    ) -> Result<Self, Fault<'buf>> {
        Envelope::read_plain(frame, delimiter, profile).message()
    }

    /// Parses a frame that the fast path has left undecided, for this reason.
    pub(crate) fn parse_undecided(
        frame: &'buf [u8],
        delimiter: Delimiter,
        profile: &Profile,
        undecided: Undecided,
    ) -> Result<Self, Fault<'buf>> {
        match undecided {
            _ if IS_FETCHED => Self::read_plain(frame, delimiter, profile),
            // The fast scanner would reject the text again.
            Undecided::Text => Envelope::read_plain(frame, delimiter, profile).message(),
            Undecided::Members => Envelope::read_delimited(frame, delimiter, profile).message(),
        }
    }
}
