//! The steps, one file for each subject.

pub mod api;
pub mod counts;
pub mod feature_table;
pub mod fuzz;
pub mod limits;
pub mod msrv;
pub mod reports;
pub mod rust;
pub mod sabotage;
pub mod verdicts;
