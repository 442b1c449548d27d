//! An empty crate for the tests beside it.
