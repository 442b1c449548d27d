//! The competitors and the corpora, as a library that tests can use.

#[path = "../../baseline/mod.rs"]
pub mod baseline;
pub mod competitors;
#[path = "../../corpora/mod.rs"]
pub mod corpora;
pub mod faults;
