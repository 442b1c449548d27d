//! The contracts of the async peer and of the codec that it is built on, each in its own module.

mod broken_answers;
mod calls;
#[cfg(unix)]
mod child;
mod closing;
mod crossing;
mod examples;
mod exchange;
mod framed;
mod handlers;
mod in_flight;
mod incidents;
mod initialize;
mod meta;
mod negotiation;
mod payload;
mod progress;
mod server_info;
mod support;
mod tap;
