//! The contracts of the corpus, each in a module of its own.

mod core;
mod corpus;
mod http;
mod http_verdicts;
mod schema;
