//! The place and time of a part of a recording.

/// The place and time of a part of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "sources outside this crate make them")]
pub struct Place {
    /// The index of the file, among those that make the source.
    pub source: usize,
    /// The line in the file, from 1; `None` if the stream itself is the file.
    pub line: Option<u64>,
    /// The time, in microseconds since a fixed point in time.
    pub time: Option<i64>,
}
