//! The steps, one file for each subject.

pub mod clients;
pub mod machines;
pub mod rust;
pub mod tests;
