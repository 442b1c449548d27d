//! Profiles of a protocol on JSON-RPC, with its versions: those of MCP, made of what the core offers.
//!
//! The tests of the core use them, so that they need no crate for MCP. Another test compares them with the rules of the
//! revisions.

use std::fmt;

use tautline::Profile;
use tautline::envelope::{
    Batches, CarriageReturns, ErrorIds, GuardedNames, Ids, Params, Results, Uncorrelated,
    Unparseable,
};
use tautline::rule::{CodeClass, CodeRange};

/// A revision of MCP, as far as its rules go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Revision {
    V2024_11_05,
    V2025_03_26,
    V2025_06_18,
    V2025_11_25,
    V2026_07_28,
}

impl Revision {
    pub const ALL: &[Self] = &[
        Self::V2024_11_05,
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
        Self::V2026_07_28,
    ];
    pub const LATEST: Self = Self::V2026_07_28;

    pub const fn profile(self) -> Profile {
        let profile = Profile::JSON_RPC
            .with_params(Params::Object)
            .with_results(Results::Object)
            .with_ids(Ids::StringOrInteger)
            .with_unparseable(Unparseable::Silent)
            .with_carriage_returns(CarriageReturns::Forbidden);
        let unanswered =
            profile.with_error_ids(ErrorIds::AsRequest).with_uncorrelated(Uncorrelated::Silent);
        let without_id =
            profile.with_error_ids(ErrorIds::OrAbsent).with_uncorrelated(Uncorrelated::NoId);
        match self {
            Self::V2024_11_05 | Self::V2025_06_18 => {
                unanswered.with_batches(Batches::Forbidden).with_codes(EARLY_CODES)
            }
            Self::V2025_03_26 => unanswered.with_batches(Batches::Unmixed).with_codes(EARLY_CODES),
            Self::V2025_11_25 => {
                without_id.with_batches(Batches::Forbidden).with_codes(CODES_OF_2025_11_25)
            }
            Self::V2026_07_28 => {
                without_id.with_batches(Batches::Forbidden).with_codes(CODES_OF_2026_07_28)
            }
        }
    }
}

const EARLY_CODES: &[CodeRange] = &[CodeRange::one(-32002, CodeClass::Protocol)];
const CODES_OF_2025_11_25: &[CodeRange] =
    &[CodeRange::one(-32002, CodeClass::Protocol), CodeRange::one(-32042, CodeClass::Protocol)];
const CODES_OF_2026_07_28: &[CodeRange] = &[
    CodeRange::new(-32022, -32020, CodeClass::Protocol),
    CodeRange::one(-32002, CodeClass::Retired),
    CodeRange::one(-32042, CodeClass::Retired),
    CodeRange::new(-32019, -32000, CodeClass::Legacy),
    CodeRange::new(-32099, -32020, CodeClass::Reserved),
];

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        })
    }
}

/// The names of parameters that gateways of MCP act on.
pub const PARAMS: &[&str] = &[
    "_meta",
    "name",
    "uri",
    "arguments",
    "requestId",
    "progressToken",
    "protocolVersion",
    "capabilities",
    "clientInfo",
    "cursor",
    "level",
    "ref",
    "argument",
    "task",
    "taskId",
    "requestState",
    "inputResponses",
];

/// The names in `_meta` that they act on.
pub const IN_META: &[&str] = &[
    "progressToken",
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/logLevel",
    "io.modelcontextprotocol/subscriptionId",
    "io.modelcontextprotocol/serverInfo",
    "io.modelcontextprotocol/related-task",
];

/// All of them.
pub static GUARDED_NAMES: GuardedNames = GuardedNames::new(PARAMS).within("_meta", IN_META);
