//! The competitors and the recorded corpus, as a library that tests can use.

pub mod competitors;
pub mod faults;
pub mod recorded;
