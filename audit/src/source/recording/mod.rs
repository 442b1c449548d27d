//! The format of tautline's own recordings: `docs/recording.md`.

mod reader;
mod record;
mod writer;

pub(super) use reader::is_recording;
pub use reader::read_recording;
pub use record::{Header, Record};
pub use writer::{RecordingWriter, Stream};
