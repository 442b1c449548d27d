//! Messages: what a frame that broke no rule is.

#[cfg(feature = "fast")]
use super::healthy::{self, Unclear};
use super::judge::Judge;
use super::layout::Layout;
use super::read::Reading;
use super::{Batch, Envelope, Fault, Finding, Notification, Request, Response, Rules};
use crate::cast::index;
use crate::frame::{Delimiter, Frame};

/// A message of JSON-RPC 2.0, valid under the rules that it was parsed with.
///
/// It borrows the frame and knows where the members are. Accessors make views of them on demand.
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
    /// The message with this layout, in the frame that the layout was made of.
    #[inline]
    pub(crate) const fn new(frame: &'buf [u8], layout: Layout) -> Self {
        match layout {
            Layout::Request(call) => Self::Request(Request::new(frame, call)),
            Layout::Notification(call) => Self::Notification(Notification::new(frame, call)),
            Layout::Response(response) => Self::Response(Response::new(frame, response)),
            Layout::Batch(batch) => Self::Batch(Batch::new(frame, batch)),
        }
    }

    /// Where the members are: what outlives the borrow of the frame.
    #[cfg(any(test, feature = "tokio-util-v0_7"))]
    pub(crate) const fn layout(&self) -> Layout {
        match self {
            Self::Request(request) => Layout::Request(request.layout()),
            Self::Notification(notification) => Layout::Notification(notification.layout()),
            Self::Response(response) => Layout::Response(response.layout()),
            Self::Batch(batch) => Layout::Batch(batch.layout()),
        }
    }

    /// Returns the frame that it was parsed from, whole. For an element of a batch, this is the frame of the
    /// batch.
    #[must_use]
    pub const fn frame(&self) -> &'buf [u8] {
        match self {
            Self::Request(request) => request.frame(),
            Self::Notification(notification) => notification.frame(),
            Self::Response(response) => response.frame(),
            Self::Batch(batch) => batch.frame(),
        }
    }

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
