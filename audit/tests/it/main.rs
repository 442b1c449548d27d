//! The contracts of audits, each in its own module.

mod causes;
mod examples;
mod formats;
mod recordings;
mod refusals;
mod requirements;
mod sources;
