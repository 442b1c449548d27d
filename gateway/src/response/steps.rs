//! The settings, the reports and the steps of a response.

use tautline::Rule;
use tautline_mcp::http::Finding;

use crate::reply::Reply;
use crate::settings::{Mode, Settings, Unjudged};

/// The settings that a response is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// True to refuse what breaks the rules, and not only to report it.
    pub enforces: bool,
    /// True for the [strict profile](tautline_mcp::Revision::strict_profile).
    pub strict: bool,
    /// The maximum length of a JSON body, or of the data of an event, in bytes.
    pub limit: u32,
    /// True to pass bodies with a `Content-Encoding`, which cannot be judged.
    pub passes_compressed: bool,
    /// True to pass other bodies that cannot be judged.
    pub passes_unjudged: bool,
}

impl From<&Settings> for Terms {
    fn from(settings: &Settings) -> Self {
        Self {
            enforces: settings.responses == Mode::Enforce,
            strict: settings.strict,
            limit: u32::try_from(settings.limits.response).unwrap_or(u32::MAX),
            passes_compressed: settings.compressed == Unjudged::Pass,
            passes_unjudged: settings.unjudged == Unjudged::Pass,
        }
    }
}

/// A report about a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// A rule is broken. Offsets refer to the message.
    Finding(Finding),
    /// The body is passed on without a judgement.
    Unjudged(Rule),
    /// The response is refused, or would be if the rules were enforced.
    Refused(Rule),
    /// An event or a body is removed, or would be if the rules were enforced.
    Removed(Rule),
    /// An error is appended for a request without an answer, because an event was removed.
    Answered(Rule),
}

/// The step after the head of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeadStep {
    /// Pass everything on. There is nothing more to judge.
    Pass,
    /// Pass everything on, and show each piece of the body on the way.
    Observe,
    /// Hold the head and the body, and show the body when it has ended, or when it exceeds the limit.
    Hold,
    /// Pass the head on without `Content-Length`. Pass on what is returned for each piece of the body.
    Stream,
    /// Send this reply instead.
    Refuse(Reply),
}

/// The step after a piece of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Pass it on as it is.
    Keep,
    /// Pass these bytes on in its place. They may be empty.
    Replace(Vec<u8>),
}

/// The step after a body that was held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyStep {
    /// Pass the response on.
    Pass,
    /// Send this reply instead.
    Refuse(Reply),
}
