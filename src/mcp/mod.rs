//! What the Model Context Protocol adds to JSON-RPC 2.0, revision by revision, as data.
//!
//! | | 2024-11-05 | 2025-03-26 | 2025-06-18 | 2025-11-25 | 2026-07-28 |
//! |---|---|---|---|---|---|
//! | ids | string or integer | = | = | = | = |
//! | `params`, `result` | object | = | = | = | = |
//! | batches | no | of calls, or of responses | no | no | no |
//! | id of an error that answers nothing that could be read | none is legal | = | = | absent | absent |
//! | bytes that are not JSON, on stdio | silence | = | = | = | = |
//! | the body of a POST | any message | = | = | = | a request or notification |
//! | the response to it | none | any message | = | = | a response or notification |
//!
//! [`Revision::rules`] gives the rules for messages on stdio, or on any other stream of lines.
//! [`Rules::http_request_body`] makes of them those for the body of a POST, and [`Rules::http_response_body`] those for
//! the response to it: one JSON body, or events. Both take messages of any kind, so a receiver under 2026-07-28 has to
//! refuse the kinds that the table leaves out.
//!
//! [`Revision::findings`] says what it asks of a message below the envelope, [`Method`] who may call
//! what, and the views of [`params`](ParamsView), [`_meta`](MetaView) and [`result`](ResultView) give
//! what gateways and servers look at, without a tree.

mod check;
mod code;
pub mod meta;
mod method;
mod notice;
mod revision;
mod view;

pub(crate) use check::{CallView, ResultKind};
pub use method::{CallKind, Method, MethodUse, Peer};
pub(crate) use notice::Notice;
pub use revision::{Era, Revision, UnknownRevision};
pub use view::{MetaView, ParamsView, ResultView};

use crate::envelope::{
    Batches, CarriageReturns, ErrorIds, Ids, Params, Results, Rules, Uncorrelated, Unparseable,
};

impl Revision {
    /// The rules for messages of this revision on a stream of lines.
    #[must_use]
    pub const fn rules(self) -> Rules {
        // No revision has positional params, and none a result that is not an object (MCP, basic).
        let rules = Rules::JSON_RPC
            .with_params(Params::Object)
            .with_results(Results::Object)
            .with_ids(Ids::StringOrInteger)
            .with_unparseable(Unparseable::Silent)
            // "Messages … MUST NOT contain embedded newlines" (basic/transports, stdio).
            .with_carriage_returns(CarriageReturns::Forbidden)
            .with_known_codes(code::codes(self));
        let rules = match self {
            // The receiving of batches came with 2025-03-26 and went with 2025-06-18 (basic, batching).
            Self::V2025_03_26 => rules.with_batches(Batches::Unmixed),
            _ => rules.with_batches(Batches::Forbidden),
        };
        match self {
            // The schema has the id of an error response as required, and never as null.
            Self::V2024_11_05 | Self::V2025_03_26 | Self::V2025_06_18 => {
                rules.with_error_ids(ErrorIds::AsRequest).with_uncorrelated(Uncorrelated::Silent)
            }
            // "Except in error cases where the ID could not be read" (basic, error responses).
            Self::V2025_11_25 | Self::V2026_07_28 => {
                rules.with_error_ids(ErrorIds::OrAbsent).with_uncorrelated(Uncorrelated::NoId)
            }
        }
    }
}
