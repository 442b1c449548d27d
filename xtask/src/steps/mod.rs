//! The steps, one file for each subject.

pub mod footprint;
pub mod rust;
