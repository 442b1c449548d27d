//! Errors of readers and writers without std.

use core::fmt;

/// The reason why no message could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ReadError<E> {
    /// The reader failed. Nothing is lost; call again.
    Reader(E),
    /// There is no room to read into, because the storage is empty.
    NoRoom,
}

/// The reason why not all bytes could be written. The rest is kept; try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum WriteError<E> {
    /// The writer failed.
    Writer(E),
    /// The writer accepted no bytes, and returned no error.
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

impl<E: core::error::Error + 'static> core::error::Error for ReadError<E> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Reader(error) => Some(error),
            Self::NoRoom => None,
        }
    }
}

impl<E: core::error::Error + 'static> core::error::Error for WriteError<E> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Writer(error) => Some(error),
            Self::TookNothing => None,
        }
    }
}
