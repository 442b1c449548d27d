//! The contracts of audits, each in a module of its own.

mod examples;
mod formats;
mod recordings;
mod refusals;
mod requirements;
mod sources;
