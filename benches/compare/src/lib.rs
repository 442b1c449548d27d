//! The competitors, as a library that tests can use.

pub mod competitors;
pub mod faults;
