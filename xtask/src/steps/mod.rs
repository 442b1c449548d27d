//! The steps, one file for each subject.

pub mod rust;
