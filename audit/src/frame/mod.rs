//! The report of one frame, for every format.

mod finding;
mod findings;
pub(crate) mod judge;
mod report;
mod reporter;
mod run;

pub(crate) use finding::severity_name;
pub use finding::{FindingKind, FindingReport, Text};
pub use findings::{LeftOut, MaxFindings};
pub(crate) use judge::params_of;
pub use report::{FrameReport, Kind, MessageReport, Piece, ReplyReport};
pub use reporter::Reporter;
