//! Everything worth logging has a format for `defmt`. This test compiles it for the host; only a log shows that the
//! output is right.

use defmt::Format;
use tautline::encode::{EncodeError, NewId, Refused};
use tautline::endpoint::{Failure, Traffic};
use tautline::envelope::{
    Batches, ErrorIds, Ids, Params, Results, Skimmed, Uncorrelated, Unparseable,
};
use tautline::frame::{
    Desynchronised, Ended, Found, Frame, FrameEvent, FramingKind, Oversized, Piece, Step, TooLong,
    Unfinished,
};
use tautline::json::{DecodeError, Expected, Kind, LoneSurrogate, Member, Mismatch};
use tautline::rule::CodeClass;
use tautline::scan::{Span, Syntax, SyntaxError};
use tautline::stream::Received;
use tautline::{
    Batch, Call, ErrorCode, ErrorObject, Fault, Finding, Id, Message, Notification, Outcome,
    RawJson, RawNumber, RawStr, Reply, Request, Response, Rule, Severity,
};

/// Compiles for types that can be logged.
fn is_format<T: Format>() {}

macro_rules! are_formats {
    ($($type:ty)*) => { [$(is_format::<$type> as fn()),*] };
}

#[test]
fn what_one_would_log_can_be_logged() {
    let mut types = are_formats! {
        Batch<'_> Batches Call<'_> CodeClass DecodeError EncodeError Ended ErrorCode ErrorIds Expected
        ErrorObject<'_> Failure Fault<'_> Finding Found Frame<'_> FrameEvent<'_> FramingKind Id<'_> Ids Kind
        LoneSurrogate Member<'_> Mismatch Message<'_> NewId<'_> Notification<'_> Outcome<'_> Oversized
        Desynchronised Unfinished Params Piece RawJson<'_> RawNumber<'_> RawStr<'_> Received<'_>
        Refused Reply<'_> Request<'_> Response<'_> Results Rule Severity tautline::endpoint::Status Skimmed<'_> Span Step
        Syntax SyntaxError TooLong Traffic<'_> Uncorrelated Unparseable
    }
    .to_vec();
    #[cfg(feature = "embedded-io-v0_7")]
    types.extend(are_formats! { tautline::io::ReadError<u8> tautline::io::WriteError<u8> });
    #[cfg(feature = "serde-json-core-v0_7")]
    types.extend(are_formats! { tautline::json::CoreError });
    assert!(types.len() >= 49);
}
