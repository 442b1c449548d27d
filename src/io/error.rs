//! What can go wrong with a reader or a writer without std.

use core::fmt;

/// Why no message could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ReadError<E> {
    /// The reader failed. Nothing is lost; ask again.
    Reader(E),
    /// The storage has not the room to read into: it is empty.
    NoRoom,
}

/// Why not all could be written. What was not is kept; try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum WriteError<E> {
    /// The writer failed.
    Writer(E),
    /// The writer took nothing, and did not say why.
    TookNothing,
}

impl<E: fmt::Display> fmt::Display for ReadError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reader(error) => fmt::Display::fmt(error, f),
            Self::NoRoom => f.write_str("there is no room to read into"),
        }
    }
}

impl<E: fmt::Display> fmt::Display for WriteError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Writer(error) => fmt::Display::fmt(error, f),
            Self::TookNothing => f.write_str("the writer took nothing"),
        }
    }
}

impl<E: core::error::Error> core::error::Error for ReadError<E> {}
impl<E: core::error::Error> core::error::Error for WriteError<E> {}
