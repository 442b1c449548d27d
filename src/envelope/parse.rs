//! Parsing: a frame in, its message or its first fault out.

use super::fast::{self, Undecided};
use super::reading::Reading;
use super::validate::Validator;
use super::{Envelope, Fault, Message, Rules};
use crate::cast::index;
use crate::frame::{Delimiter, Frame};
use crate::rule::Finding;
use crate::scan::IS_FETCHED;

impl<'buf> Message<'buf> {
    /// Parses bytes that are one message, such as the body of an HTTP request or the data of an event.
    ///
    /// They may have whitespace around them and line breaks in them. A line of newline-delimited JSON must
    /// not: parse it with [`parse_frame`](Self::parse_frame) or [`parse_line`](Self::parse_line).
    ///
    /// # Errors
    ///
    /// Returns the first fault of the bytes: what is wrong, where, and which reply is owed.
    pub fn parse(frame: &'buf [u8], rules: &Rules) -> Result<Self, Fault<'buf>> {
        if !cfg!(feature = "fast") {
            return Self::read(frame, Delimiter::Other, rules, None);
        }
        if IS_FETCHED {
            return fast::delimited(frame, rules)
                .or_else(|_| Self::read_plain(frame, Delimiter::Other, rules));
        }
        fast::message(frame, rules)
            .or_else(|undecided| Self::parse_undecided(frame, Delimiter::Other, rules, undecided))
    }

    /// Parses a frame that a driver of [frames](crate::frame) has returned.
    ///
    /// If a newline delimits the frame, a raw CR in it breaks the rule
    /// [`RAW_CARRIAGE_RETURN`](crate::Rule::RAW_CARRIAGE_RETURN).
    ///
    /// ```
    /// use tautline::frame::{FrameEvent, Frames};
    /// use tautline::envelope::CarriageReturns;
    /// use tautline::{Message, Rules};
    ///
    /// // Some receivers split this line at the CR, and see two messages.
    /// let wire = b"{\"jsonrpc\":\"2.0\",\"method\":\"update\",\"params\":{\r}}\n";
    /// let Some(FrameEvent::Frame(frame)) = Frames::new(wire, 1024).next() else { panic!() };
    /// let rules = Rules::JSON_RPC.with_carriage_returns(CarriageReturns::Forbidden);
    /// let fault = Message::parse_frame(&frame, &rules).unwrap_err();
    /// assert_eq!((fault.rule(), fault.offset()), (tautline::Rule::RAW_CARRIAGE_RETURN, 45));
    /// // The body of an HTTP request may hold one.
    /// assert!(Message::parse(frame.bytes(), &rules).is_ok());
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the first fault of the frame, as [`parse`](Self::parse) does.
    pub fn parse_frame(frame: &Frame<'buf>, rules: &Rules) -> Result<Self, Fault<'buf>> {
        match frame.delimiter() {
            _ if !cfg!(feature = "fast") => {
                Self::read(frame.bytes(), frame.delimiter(), rules, None)
            }
            Delimiter::Newline => Self::parse_line(frame.bytes(), rules),
            Delimiter::Other => Self::parse(frame.bytes(), rules),
        }
    }

    /// Parses a line of newline-delimited JSON, without the newline, as [`parse_frame`](Self::parse_frame)
    /// does. It is for lines whose bytes you have put together yourself.
    ///
    /// # Errors
    ///
    /// Returns the first fault of the line, as [`parse`](Self::parse) does.
    pub fn parse_line(frame: &'buf [u8], rules: &Rules) -> Result<Self, Fault<'buf>> {
        if !cfg!(feature = "fast") {
            return Self::read(frame, Delimiter::Newline, rules, None);
        }
        fast::delimited(frame, rules)
            .or_else(|undecided| Self::parse_undecided(frame, Delimiter::Newline, rules, undecided))
    }

    /// Parses the frame, or the element of a batch that begins at this offset, and moves the offset to its end.
    #[cfg_attr(
        all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
        inline(never)
    )]
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

    /// Parses a frame like [`parse`](Self::parse), and reports everything that is found in it, warnings and notes as
    /// well.
    ///
    /// ```
    /// use tautline::{Message, Rule, Rules};
    ///
    /// let frame = br#"{"jsonrpc":"2.0","id":1.0,"method":"shutdown","extra":true}"#;
    /// let mut found = Vec::new();
    /// let message = Message::parse_with(frame, &Rules::LSP, |finding| found.push(finding.rule()));
    /// assert!(message.is_ok());
    /// assert_eq!(found, [Rule::ID_NOT_PLAIN_INTEGER, Rule::UNKNOWN_MEMBER]);
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the first fault of the frame, as [`parse`](Self::parse) does.
    pub fn parse_with(
        frame: &'buf [u8],
        rules: &Rules,
        report: impl FnMut(Finding),
    ) -> Result<Self, Fault<'buf>> {
        let envelope = Envelope::read(frame, rules);
        envelope.findings(report);
        envelope.message()
    }

    /// Parses a frame like [`parse_frame`](Self::parse_frame), and reports everything that is found in it,
    /// warnings and notes as well.
    ///
    /// # Errors
    ///
    /// Returns the first fault of the frame, as [`parse`](Self::parse) does.
    pub fn parse_frame_with(
        frame: &Frame<'buf>,
        rules: &Rules,
        report: impl FnMut(Finding),
    ) -> Result<Self, Fault<'buf>> {
        let envelope = Envelope::read_frame(frame, rules);
        envelope.findings(report);
        envelope.message()
    }
}
