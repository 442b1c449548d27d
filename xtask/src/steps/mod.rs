//! The steps, one file for each subject.

pub mod api;
pub mod arrows;
pub mod board;
pub mod c;
pub mod clients;
pub mod counts;
pub mod envoy;
pub mod feature_table;
pub mod footprint;
pub mod fuzz;
pub mod limits;
pub mod machines;
pub mod msrv;
pub mod names;
pub mod reports;
pub mod rust;
pub mod sabotage;
pub mod suite;
pub mod tests;
pub mod verdicts;
