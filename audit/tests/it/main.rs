//! The contracts of audits, each in its own module.

mod causes;
mod examples;
mod formats;
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
