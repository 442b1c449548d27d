//! What is compared and on what, as a library, so that tests can look at it.

#[path = "../../baseline/mod.rs"]
pub mod baseline;
pub mod competitors;
#[path = "../../corpora/mod.rs"]
pub mod corpora;
pub mod faults;
