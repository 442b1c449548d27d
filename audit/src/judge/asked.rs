//! A request, as the judges of what it asks for see it.

use tautline::Request;
use tautline_mcp::{KnownMethod, ParamsView, Revision, Role};

use super::At;
use crate::frame::FindingReport;

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
