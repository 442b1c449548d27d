//! The contracts of audits, each in its own module.

mod examples;
mod formats;
mod logs;
mod recordings;
mod refusals;
mod requirements;
mod sources;

#[path = "../support/sources.rs"]
mod support;
