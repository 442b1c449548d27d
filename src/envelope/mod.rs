//! Envelopes: frames as messages of JSON-RPC 2.0, or what is wrong with them.
//!
//! # What is guaranteed
//!
//! A [`Message`] is exactly one of request, notification, response and batch. Its `jsonrpc` is `"2.0"`, unless [a
//! changed severity](Profile::with_severity) tolerates others, its id is legal under the [`Profile`], and no standard
//! member appears twice. Anything else is a [`Fault`], with the rule that is broken, its offset in bytes, the id if one
//! could be read, and the [reply](Fault::reply) that is owed.
//!
//! - Members are matched by exact name after unescaping, in any order, in the outermost object alone.
//!   Names that merely look alike are warnings.
//! - The presence of members decides what a message is. One that has an `id` is never a notification,
//!   whatever the id holds.
//! - Unknown members are accepted and counted.
//! - Ids keep their spelling and never pass through a float.
//! - An oversized frame that a [`Skimmer`] has observed is owed the same reply as an invalid frame within the limit,
//!   with the same id, up to a length of [`Skimmer::LONGEST_ID`].
//!
//! Both borrow the frame. A [`MessageBuf`] and a [`FaultBuf`] keep the buffer that contains it.
//!
//! # Where peers disagree
//!
//! | input | some peers | here, and why |
//! |---|---|---|
//! | a request with an illegal id | treat it as a notification, and the caller hangs | `id-type`, -32600: the sender waits for an answer |
//! | a request whose id is null or a fraction | treat it as a notification, or truncate it to an integer | an error under MCP and LSP; legal under JSON-RPC, with a warning, and echoed as it came |
//! | a member twice | use the last one, or reject it | `duplicate-member`: two peers would see two messages |
//! | `"Method"`, `"param\u017f"` | match it | `member-lookalike`, and no match: names are case-sensitive |
//! | an unknown member | drop the message | accepted, `unknown-member` as a note: the schemas do not forbid it |
//! | `"id":1.0` | rewrite it to 1, or treat it as a notification | legal, `id-not-plain-integer`: echoed as it came |
//! | a result beside `"error":null` | treat it as a result, or drop it | `result-and-error`: the member must not exist |
//! | `"params":null` | treat it as absent | `params-type`, except under LSP, whose clients send it |
//! | bytes that are not JSON | crash, answer or stay silent | silence on MCP's pipes, -32700 elsewhere |
//!
//! # What is not checked
//!
//! The envelope does not check whether an unknown member appears twice, whether the method exists, or whether a response
//! answers a request. Only [strict](Profile::strict) profiles look inside `params`, `result` and `data`: for names that an
//! object repeats and, in `params`, for the [guarded names](GuardedNames) and for U+0000 in their values.

mod buf;
mod elements;
#[expect(clippy::module_inception, reason = "the type that the stage is named for")]
pub(crate) mod envelope;
pub(crate) mod fast;
pub(crate) mod fault;
mod foreign;
pub(crate) mod id;
mod kinds;
mod layout;
mod member;
pub(crate) mod message;
mod names;
mod nested;
mod outline;
mod parse;
pub(crate) mod profile;
mod reading;
mod report;
mod severity;
mod skim;
mod traps;
mod validate;

pub use buf::{FaultBuf, MessageBuf};
pub use elements::BatchIter;
pub(crate) use envelope::Envelope;
#[cfg(feature = "tokio-util-v0_7")]
pub(crate) use fault::FaultLayout;
pub(crate) use fault::{Fault, Reply};
#[doc(hidden)]
pub use foreign::is_header;
#[doc(hidden)]
pub(crate) use id::Id;
pub use kinds::Kinds;
pub(crate) use layout::Layout;
pub(crate) use message::{Batch, Call, Message, Request, Response};
#[doc(hidden)]
pub use outline::{Outlined, message_at, outline};
pub(crate) use profile::Profile;
pub use profile::{
    Batches, CarriageReturns, DEFAULT_MAX_BATCH, ErrorIds, GuardedNames, Ids, Params, Results,
    Uncorrelated, Unparseable,
};
pub use skim::{Outline, Skimmed, Skimmer};
