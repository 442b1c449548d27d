//! The settings of an audit.

use tautline::frame::FramingKind;
use tautline_mcp::Role;

use crate::baseline::Baseline;
use crate::document::Order;
use crate::frame::MaxFindings;
use crate::judge::Selection;
use crate::rules::Policy;

/// How to audit.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The rules that messages are checked against.
    pub selection: Selection,
    /// How both sides delimit their messages, if the source does not say.
    pub framing: FramingKind,
    /// True if `framing` replaces what a recording of bytes says.
    pub overrides_framing: bool,
    /// The maximum length of a frame, in bytes.
    pub max_frame: u32,
    /// The maximum number of findings of each message.
    pub max_findings: MaxFindings,
    /// The rules whose findings get another severity, or are not reported.
    pub policy: Policy,
    /// The findings that were accepted.
    pub baseline: Option<Baseline>,
    /// The side whose faults are reported, or `None` for both. Findings about the other side are only counted.
    pub side: Option<Role>,
    /// The origin of the order of the frames.
    pub order: Order,
    /// The number of findings that the document keeps.
    pub findings: usize,
    /// The number of frames that the document keeps. Their bytes are up to 64 MiB.
    pub frames: usize,
}

impl Default for Options {
    /// The rules of the revision that the sides agree on, and a document without frames.
    fn default() -> Self {
        Self {
            selection: Selection::Auto,
            framing: FramingKind::Ndjson,
            overrides_framing: false,
            max_frame: tautline::frame::DEFAULT_LIMIT,
            max_findings: MaxFindings::AtMost(100),
            policy: Policy::default(),
            baseline: None,
            side: None,
            order: Order::Recorded,
            findings: 20_000,
            frames: 0,
        }
    }
}
