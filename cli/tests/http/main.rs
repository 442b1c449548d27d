//! `tautline probe --url`, against servers behind the layer of `tautline-http`: one that makes no mistake, and others.

mod probe;
mod server;
