//! The server without connections: what it agrees on, judges and keeps.

mod batches;
mod calls;
mod memory;
mod owners;
mod revisions;
mod support;
mod tools;
