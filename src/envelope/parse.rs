//! Parsing: a frame in, its message or its first fault out.

use super::fast::{self, Undecided};
use super::reading::Reading;
use super::validate::Validator;
use super::{Envelope, Fault, Message, Rules};
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
    /// use tautline::{Message, Rules};
    ///
    /// // Some receivers split this line at the CR, and see two messages.
    /// let bytes = b"{\"jsonrpc\":\"2.0\",\"method\":\"update\",\"params\":{\r}}";
    /// let rules = Rules::JSON_RPC.with_carriage_returns(CarriageReturns::Forbidden);
    /// let fault = Message::parse(Frame::from_line(bytes), &rules).unwrap_err();
    /// assert_eq!((fault.rule(), fault.offset()), (tautline::Rule::RAW_CARRIAGE_RETURN, 45));
    /// // The body of an HTTP request may hold one.
    /// assert!(Message::parse(bytes, &rules).is_ok());
    /// ```
    ///
    /// For warnings and notes as well, read an [`Envelope`] and ask for its [findings](Envelope::findings).
    ///
    /// # Errors
    ///
    /// Returns the first fault of the frame: what is wrong, where, and which reply is owed.
    #[inline(always)]
    pub fn parse(frame: impl Into<Frame<'buf>>, rules: &Rules) -> Result<Self, Fault<'buf>> {
        let frame = frame.into();
        Self::parse_delimited(frame.bytes(), frame.delimiter(), rules)
    }

    #[inline]
    pub(crate) fn parse_delimited(
        frame: &'buf [u8],
        delimiter: Delimiter,
        rules: &Rules,
    ) -> Result<Self, Fault<'buf>> {
        match delimiter {
            _ if !cfg!(feature = "fast") => Self::read(frame, delimiter, rules, None),
            Delimiter::Newline => Self::parse_line(frame, rules),
            Delimiter::Other => Self::parse_body(frame, rules),
        }
    }

    fn parse_body(frame: &'buf [u8], rules: &Rules) -> Result<Self, Fault<'buf>> {
        if IS_FETCHED {
            return fast::delimited(frame, rules)
                .or_else(|_| Self::read_plain(frame, Delimiter::Other, rules));
        }
        fast::message(frame, rules)
            .or_else(|undecided| Self::parse_undecided(frame, Delimiter::Other, rules, undecided))
    }

    fn parse_line(frame: &'buf [u8], rules: &Rules) -> Result<Self, Fault<'buf>> {
        fast::delimited(frame, rules)
            .or_else(|undecided| Self::parse_undecided(frame, Delimiter::Newline, rules, undecided))
    }

    /// Parses the frame, or the element of a batch that begins at this offset, and moves the offset to its end.
    #[cfg_attr(not(feature = "fast"), inline(never))]
    pub(super) fn read(
        frame: &'buf [u8],
        delimiter: Delimiter,
        rules: &Rules,
        element: Option<&mut usize>,
    ) -> Result<Self, Fault<'buf>> {
        // Step by step, so that the reading is never moved.
        let mut reading = Reading::unread(frame, delimiter);
        reading.scan(rules.max_depth(), element.as_deref().copied());
        if let Some(at) = element {
            *at = index(reading.value.end());
        }
        Validator::new(&reading, rules).message()
    }

    /// Parses a frame with the plain scanner.
    fn read_plain(
        frame: &'buf [u8],
        delimiter: Delimiter,
        rules: &Rules,
    ) -> Result<Self, Fault<'buf>> {
        Envelope::read_plain(frame, delimiter, rules).message()
    }

    /// Parses a frame that the fast path has left undecided, for this reason.
    pub(crate) fn parse_undecided(
        frame: &'buf [u8],
        delimiter: Delimiter,
        rules: &Rules,
        undecided: Undecided,
    ) -> Result<Self, Fault<'buf>> {
        match undecided {
            _ if IS_FETCHED => Self::read_plain(frame, delimiter, rules),
            // The fast scanner would reject the text again.
            Undecided::Text => Envelope::read_plain(frame, delimiter, rules).message(),
            Undecided::Members => Envelope::read_delimited(frame, delimiter, rules).message(),
        }
    }
}
