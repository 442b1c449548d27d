//! A request, as the judges of its answer see it, and the place of a frame.

use tautline::Request;
use tautline_mcp::{KnownMethod, ParamsView, Revision, Role};

use crate::frame::FindingReport;
use crate::source::Place;

/// The place of a frame: its number in the audit from 1, and where and when it was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct At {
    pub number: u64,
    pub place: Place,
}

/// A request, and what was found in it.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a, 'buf> {
    pub from: Role,
    pub request: &'a Request<'buf>,
    /// Its params, if they are an object.
    pub params: Option<&'a ParamsView<'buf>>,
    /// Its method, if MCP has it.
    pub method: Option<KnownMethod>,
    pub at: At,
    /// The frame that the positions of the findings refer to.
    pub frame: &'buf [u8],
    pub found: &'a [FindingReport],
    /// The revision that it is checked against, unless the protocol is not MCP.
    pub revision: Option<Revision>,
    /// True if the protocol is MCP, so that all methods are known.
    pub is_mcp: bool,
}
