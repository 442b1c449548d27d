//! What is said of one frame, whatever the format of the report.

mod finding;
mod findings;
mod report;

pub use finding::{FindingKind, FindingReport, Named, Text};
pub use findings::{LeftOut, MaxFindings};
pub use report::{FrameReport, Kind, MessageReport, Piece, ReplyReport};
