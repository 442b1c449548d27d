//! `tautline probe --url`, against servers that use the layer of `tautline-http`: one without mistakes, and others.

mod clients;
#[path = "../examples.rs"]
mod examples;
mod hostile;
mod probe;
mod server;
#[cfg(all(feature = "tls", unix))]
mod tls;
