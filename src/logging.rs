//! `defmt` formats for types whose derived format would print bytes as numbers, or would leave out
//! information.

use defmt::{Format, Formatter, write};

use crate::endpoint::{Failure, Traffic};
use crate::envelope::{Batch, Call, Fault, Id, Message, Request, Response, Skimmed};
use crate::frame::{Desynchronised, Ended, Frame, FrameEvent, Oversized, TooLong, Unfinished};
use crate::json::{Member, Mismatch, RawJson, RawNumber, RawStr};
use crate::rule::{self, ErrorCode, Finding, Rule, Severity};
use crate::stream::Received;
use crate::{ErrorObject, Notification, Outcome};

/// The number of received bytes shown. The log may be slower than the connection.
const SHOWN: usize = 64;

/// Bytes that are mostly text.
struct Shown<'a>(&'a [u8]);

impl Format for Shown<'_> {
    fn format(&self, f: Formatter<'_>) {
        match self.0.get(..SHOWN) {
            Some(shown) if shown.len() < self.0.len() => {
                write!(f, "{=[u8]:a}… ({=usize} bytes)", shown, self.0.len());
            }
            _ => write!(f, "{=[u8]:a}", self.0),
        }
    }
}

/// Implements `Format` for types that are shown by their parts.
macro_rules! formats {
    ($($type:ty: |$this:ident| $format:literal, $($part:expr),+;)*) => {$(
        impl Format for $type {
            fn format(&self, f: Formatter<'_>) {
                let $this = self;
                write!(f, $format, $($part),+);
            }
        }
    )*};
}

formats! {
    Severity: |this| "{=str}", this.name();
    ErrorCode: |this| "{=i64}", this.value();
    Finding: |this| "{}: {} at byte {=u32}", this.severity(), this.rule(), this.offset();

    RawJson<'_>: |this| "{}", Shown(this.as_bytes());
    RawStr<'_>: |this| "{}", Shown(this.escaped_bytes());
    RawNumber<'_>: |this| "{}", Shown(this.as_bytes());
    Member<'_>: |this| "{}: {}", this.name, this.value;

    Request<'_>: |this| "Request {{ id: {}, method: {}, params: {} }}",
        this.id(), this.method(), this.params();
    Notification<'_>: |this| "Notification {{ method: {}, params: {} }}",
        this.method(), this.params();
    Response<'_>: |this| "Response {{ id: {}, outcome: {} }}", this.id(), this.outcome();
    ErrorObject<'_>: |this| "Error {{ code: {}, message: {}, data: {} }}",
        this.raw_code(), this.message(), this.data();
    Batch<'_>: |this| "Batch {{ elements: {=u32} }}", this.len();

    Ended: |this| "line {=u64} at byte {=u64}, {=u64} bytes", this.line, this.offset, this.length;
    Frame<'_>: |this| "line {=u64} at byte {=u64}: {}",
        this.line(), this.offset(), Shown(this.bytes());
    Oversized: |this| "line {=u64} at byte {=u64}: {=u64} bytes, over the limit of {=u32}",
        this.line(), this.offset(), this.length(), this.limit();
    Unfinished: |this| "unfinished at byte {=u64}, {=u64} bytes", this.offset(), this.length();
    Desynchronised: |this| "{} at byte {=u64}: {=str}",
        this.rule(), this.offset(), rule::summary(this.rule());

    TooLong: |_this| "{=str}", "longer than what is kept";
    Skimmed<'_>: |this| "{}: {=u64} bytes, id {}, method {}",
        this.outline(), this.length(), this.id(), this.method();

    Call<'_>: |this| "Call {{ id: {}, method: {}, params: {} }}",
        this.id(), this.method(), this.params();
    Mismatch: |this| "{=str} at byte {=u32}", this.expected().description(), this.offset();
    Failure: |this| "{} {=str}", this.code(), this.message();
}

impl Format for Fault<'_> {
    fn format(&self, f: Formatter<'_>) {
        match self.syntax() {
            Some(syntax) => write!(f, "{}, {}, at byte {=u32}", self.rule(), syntax, self.offset()),
            None => write!(f, "{} at byte {=u32}", self.rule(), self.offset()),
        }
    }
}

impl Format for Id<'_> {
    /// Strings are shown in quotes, so that `"1"` and `1` differ.
    fn format(&self, f: Formatter<'_>) {
        match self {
            Self::String(text) => write!(f, "\"{}\"", text),
            Self::Number(number) => write!(f, "{}", number),
            Self::Null => write!(f, "null"),
        }
    }
}

impl Format for Outcome<'_> {
    fn format(&self, f: Formatter<'_>) {
        match self {
            Self::Result(result) => write!(f, "Result({})", result),
            Self::Error(error) => write!(f, "{}", error),
        }
    }
}

impl Format for Message<'_> {
    fn format(&self, f: Formatter<'_>) {
        match self {
            Self::Request(request) => request.format(f),
            Self::Notification(notification) => notification.format(f),
            Self::Response(response) => response.format(f),
            Self::Batch(batch) => batch.format(f),
        }
    }
}

impl Format for FrameEvent<'_> {
    fn format(&self, f: Formatter<'_>) {
        match self {
            Self::Frame(frame) => frame.format(f),
            Self::Oversized(oversized) => oversized.format(f),
            Self::Unfinished(unfinished) => unfinished.format(f),
            Self::Desynchronised(lost) => lost.format(f),
        }
    }
}

impl Format for Received<'_> {
    fn format(&self, f: Formatter<'_>) {
        match self {
            Self::Message { frame, message } => write!(f, "line {=u64}: {}", frame.line(), message),
            Self::Fault { frame, fault } => write!(f, "{}: {}", fault, frame),
            Self::NoMessage(event) => write!(f, "no message: {}", event),
            Self::Oversized { oversized, skimmed: Some(skimmed), .. } => {
                write!(f, "{}; {}", oversized, skimmed);
            }
            Self::Oversized { oversized, skimmed: None, .. } => oversized.format(f),
            Self::Unfinished(unfinished) => unfinished.format(f),
            Self::Desynchronised(lost) => lost.format(f),
        }
    }
}

impl Format for Traffic<'_> {
    fn format(&self, f: Formatter<'_>) {
        match self {
            Self::In(Ok(message)) => write!(f, "in: {}", Shown(message.frame())),
            Self::In(Err(fault)) => write!(f, "in: {}: {}", fault, Shown(fault.frame())),
            Self::Element(fault) => write!(f, "in a batch: {}", fault),
            Self::NotWritten { request, error } => {
                write!(f, "not written: {} to {}", error, request)
            }
            Self::InvalidParams { call, failure } => {
                write!(f, "{}: {}", call, failure.mismatch())
            }
            Self::Out(reply) => write!(f, "out: {}", Shown(reply)),
        }
    }
}

/// Logs the name of a rule of [`rule`], and the number of any other rule.
impl Format for Rule {
    fn format(&self, f: Formatter<'_>) {
        rule::log(*self, f);
    }
}
