//! Messages: what a frame that broke no rule is.

#[cfg(feature = "fast")]
use super::healthy::{self, Unclear};
use super::judge::Judge;
use super::read::Reading;
use super::{Batch, Envelope, ErrorObject, Fault, Finding, Id, Rules};
use crate::cast::index;
use crate::frame::{Delimiter, Frame};
use crate::json::{RawJson, RawStr};

/// A message of JSON-RPC 2.0, valid under the rules that it was parsed with.
///
/// It borrows the frame, and copies nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "JSON-RPC 2.0, sections 4 to 6, has these and no more")]
pub enum Message<'buf> {
    /// A call that is to be answered.
    Request(Request<'buf>),
    /// A call that is not to be answered.
    Notification(Notification<'buf>),
    /// An answer.
    Response(Response<'buf>),
    /// Several messages in one frame, each with a verdict of its own.
    Batch(Batch<'buf>),
}

impl<'buf> Message<'buf> {
    /// Parses bytes that are one message, such as the body of an HTTP request or the data of an event.
    ///
    /// They may have whitespace around them and line breaks in them. A line of newline-delimited JSON must
    /// not: parse it with [`parse_frame`](Self::parse_frame) or [`parse_line`](Self::parse_line).
    ///
    /// # Errors
    ///
    /// The first fault of the bytes: what is wrong, where, and which reply is owed.
    pub fn parse(frame: &'buf [u8], rules: &Rules) -> Result<Self, Fault> {
        #[cfg(feature = "fast")]
        return healthy::message(frame, rules)
            .or_else(|unclear| Self::parse_unclear(frame, Delimiter::Other, rules, unclear));
        #[cfg(not(feature = "fast"))]
        Self::read(frame, Delimiter::Other, rules, None)
    }

    /// Parses a frame, as a driver of [frames](crate::frame) gives it.
    ///
    /// If a newline delimits the frame, a raw CR in it breaks the rule
    /// [`RawCarriageReturn`](super::Rule::RawCarriageReturn).
    ///
    /// ```
    /// use tautline::frame::{FrameEvent, Frames};
    /// use tautline::{Message, Revision};
    ///
    /// // Some receivers split this line at the CR, and see two messages.
    /// let wire = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{\r}}\n";
    /// let Some(FrameEvent::Frame(frame)) = Frames::new(wire, 1024).next() else { panic!() };
    /// let rules = Revision::V2025_11_25.rules();
    /// let fault = Message::parse_frame(&frame, &rules).unwrap_err();
    /// assert_eq!((fault.rule().name(), fault.offset()), ("raw-carriage-return", 64));
    /// // The body of an HTTP request may hold one.
    /// assert!(Message::parse(frame.bytes(), &rules).is_ok());
    /// ```
    ///
    /// # Errors
    ///
    /// The first fault of the frame, as [`parse`](Self::parse).
    pub fn parse_frame(frame: &Frame<'buf>, rules: &Rules) -> Result<Self, Fault> {
        #[cfg(feature = "fast")]
        return match frame.delimiter() {
            Delimiter::Newline => Self::parse_line(frame.bytes(), rules),
            Delimiter::Other => Self::parse(frame.bytes(), rules),
        };
        #[cfg(not(feature = "fast"))]
        Self::read(frame.bytes(), frame.delimiter(), rules, None)
    }

    /// Parses a line of newline-delimited JSON, without the newline, as [`parse_frame`](Self::parse_frame)
    /// does. It is for lines whose bytes you have put together yourself.
    ///
    /// # Errors
    ///
    /// The first fault of the line, as [`parse`](Self::parse).
    pub fn parse_line(frame: &'buf [u8], rules: &Rules) -> Result<Self, Fault> {
        #[cfg(feature = "fast")]
        return healthy::delimited(frame, rules)
            .or_else(|unclear| Self::parse_unclear(frame, Delimiter::Newline, rules, unclear));
        #[cfg(not(feature = "fast"))]
        Self::read(frame, Delimiter::Newline, rules, None)
    }

    /// The message that the frame is, or the element of a batch that stands from some place on, which is
    /// moved behind it.
    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    pub(super) fn read(
        frame: &'buf [u8],
        delimiter: Delimiter,
        rules: &Rules,
        element: Option<&mut usize>,
    ) -> Result<Self, Fault> {
        // Step by step, so that the reading is never moved.
        let mut reading = Reading::unread(frame, delimiter);
        reading.scan(rules, element.as_deref().copied());
        if let Some(at) = element {
            *at = index(reading.value.end());
        }
        Judge::new(&reading, rules).message()
    }

    /// Parses what is not plainly a message, for this reason.
    #[cfg(feature = "fast")]
    pub(crate) fn parse_unclear(
        frame: &'buf [u8],
        delimiter: Delimiter,
        rules: &Rules,
        unclear: Unclear,
    ) -> Result<Self, Fault> {
        match unclear {
            // What the fast scanner has not passed it would not pass if it were asked again.
            Unclear::Text => Envelope::read_plain(frame, delimiter, rules).message(),
            Unclear::Members => Envelope::read_delimited(frame, delimiter, rules).message(),
        }
    }

    /// Like [`parse`](Self::parse), and reports everything that is found in the frame, warnings and
    /// notes as well.
    ///
    /// ```
    /// use tautline::{Message, Revision};
    ///
    /// let frame = br#"{"jsonrpc":"2.0","id":1.0,"method":"ping","extra":true}"#;
    /// let mut found = Vec::new();
    /// let rules = Revision::V2025_11_25.rules();
    /// let message = Message::parse_with(frame, &rules, |finding| found.push(finding.rule().name()));
    /// assert!(message.is_ok());
    /// assert_eq!(found, ["id-not-plain-integer", "unknown-member"]);
    /// ```
    ///
    /// # Errors
    ///
    /// The first fault of the frame, as [`parse`](Self::parse).
    pub fn parse_with(
        frame: &'buf [u8],
        rules: &Rules,
        report: impl FnMut(Finding),
    ) -> Result<Self, Fault> {
        let envelope = Envelope::read(frame, rules);
        envelope.findings(report);
        envelope.message()
    }

    /// Parses a frame like [`parse_frame`](Self::parse_frame), and reports everything that is found in it,
    /// warnings and notes as well.
    ///
    /// # Errors
    ///
    /// The first fault of the frame, as [`parse`](Self::parse).
    pub fn parse_frame_with(
        frame: &Frame<'buf>,
        rules: &Rules,
        report: impl FnMut(Finding),
    ) -> Result<Self, Fault> {
        let envelope = Envelope::read_frame(frame, rules);
        envelope.findings(report);
        envelope.message()
    }
}

/// A call that is to be answered (JSON-RPC 2.0, section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'buf> {
    pub(super) id: Id<'buf>,
    pub(super) method: RawStr<'buf>,
    pub(super) params: Option<RawJson<'buf>>,
    pub(super) unknown: u32,
}

impl<'buf> Request<'buf> {
    /// The id, to be sent back with the answer, byte for byte.
    #[must_use]
    pub const fn id(&self) -> Id<'buf> {
        self.id
    }

    /// The method to call.
    #[must_use]
    pub const fn method(&self) -> RawStr<'buf> {
        self.method
    }

    /// The parameters, if the member is there.
    #[must_use]
    pub const fn params(&self) -> Option<RawJson<'buf>> {
        self.params
    }

    /// How many members the message has that mean nothing to JSON-RPC.
    #[must_use]
    pub const fn unknown_members(&self) -> u32 {
        self.unknown
    }
}

/// A call that is not to be answered (JSON-RPC 2.0, section 4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notification<'buf> {
    pub(super) method: RawStr<'buf>,
    pub(super) params: Option<RawJson<'buf>>,
    pub(super) unknown: u32,
}

impl<'buf> Notification<'buf> {
    /// The method to call.
    #[must_use]
    pub const fn method(&self) -> RawStr<'buf> {
        self.method
    }

    /// The parameters, if the member is there.
    #[must_use]
    pub const fn params(&self) -> Option<RawJson<'buf>> {
        self.params
    }

    /// How many members the message has that mean nothing to JSON-RPC.
    #[must_use]
    pub const fn unknown_members(&self) -> u32 {
        self.unknown
    }
}

/// An answer (JSON-RPC 2.0, section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response<'buf> {
    pub(super) id: Option<Id<'buf>>,
    pub(super) outcome: Outcome<'buf>,
    pub(super) unknown: u32,
}

impl<'buf> Response<'buf> {
    /// The id of the request that it answers; `None` if the member is absent, as
    /// [some rules](super::ErrorIds::OrAbsent) allow for errors.
    #[must_use]
    pub const fn id(&self) -> Option<Id<'buf>> {
        self.id
    }

    /// What came of the request.
    #[must_use]
    pub const fn outcome(&self) -> Outcome<'buf> {
        self.outcome
    }

    /// The result, if it has one.
    #[must_use]
    pub const fn result(&self) -> Option<RawJson<'buf>> {
        match self.outcome {
            Outcome::Result(result) => Some(result),
            Outcome::Error(_) => None,
        }
    }

    /// The error, if it has one.
    #[must_use]
    pub const fn error(&self) -> Option<ErrorObject<'buf>> {
        match self.outcome {
            Outcome::Result(_) => None,
            Outcome::Error(error) => Some(error),
        }
    }

    /// How many members the message has that mean nothing to JSON-RPC.
    #[must_use]
    pub const fn unknown_members(&self) -> u32 {
        self.unknown
    }
}

/// What came of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "JSON-RPC 2.0, section 5: the one or the other")]
pub enum Outcome<'buf> {
    /// It was done.
    Result(RawJson<'buf>),
    /// It failed.
    Error(ErrorObject<'buf>),
}
