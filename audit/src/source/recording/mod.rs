//! The format of tautline's own recordings: `docs/recording.md`.

mod http;
mod parse;
mod reader;
mod record;
mod writer;

pub use reader::read_recording;
pub(super) use reader::{is_recording, read_limited};
pub use record::{Fields, Header, Record, RequestHead, ResponseHead};
pub use writer::{RecordingWriter, Stream};
