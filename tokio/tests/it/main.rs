//! The contracts of the async peer, and of the codec that it stands on, each in a module of its own.

mod broken_answers;
mod calls;
#[cfg(unix)]
mod child;
mod closing;
mod crossing;
mod examples;
mod framed;
mod handlers;
mod payload;
mod support;
