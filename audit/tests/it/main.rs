//! The contracts of audits, each in its own module.

mod breaches;
mod breaks;
mod causes;
mod check;
#[allow(dead_code, reason = "these tests do not need the numbers of lines")]
#[path = "../../../mcp/tests/support/dialogues.rs"]
mod dialogues;
mod examples;
mod exchanges;
mod formats;
mod http;
mod linear;
mod logs;
mod one_cause;
mod recordings;
mod refusals;
mod requirements;
mod sink;
mod sources;
mod truth;

#[path = "../support/sources.rs"]
mod support;
