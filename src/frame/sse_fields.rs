//! The fields of an event stream other than its data: event types, ids and the reconnection time.

use crate::bytes::copy;
use crate::excerpt::Excerpt;

/// The fields with a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Data,
    Event,
    Id,
    Retry,
    /// A comment, or an unknown field.
    Other,
}

/// A text is longer than an [`EventStream`](super::EventStream) can store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing else to say")]
pub struct TooLong;

/// The values of all fields but `data`.
#[derive(Clone, Debug)]
pub(super) struct Fields {
    event_type: FieldValue<{ Self::LONGEST_TYPE }>,
    /// True if `event_type` is the type of the current event, and not of the previous one.
    is_typed: bool,
    /// The value of the current `id` line, which is ignored if it contains a NUL.
    id_line: FieldValue<{ Self::LONGEST_ID }>,
    /// The last id read, which takes effect at the end of the event.
    id: FieldValue<{ Self::LONGEST_ID }>,
    last_id: FieldValue<{ Self::LONGEST_ID }>,
    /// The value of the current `retry` line, which is ignored unless it consists of digits.
    retry_line: Digits,
    retry: Option<u64>,
}

/// A text of at most `N` bytes.
#[derive(Clone, Copy)]
struct FieldValue<const N: usize> {
    bytes: [u8; N],
    length: usize,
    is_too_long: bool,
    has_nul: bool,
}

/// A number being parsed.
#[derive(Clone, Copy, Debug)]
enum Digits {
    Empty,
    Number(u64),
    /// It contains something other than digits.
    Invalid,
}

impl Field {
    pub(super) fn named(name: Option<&[u8]>) -> Self {
        match name {
            Some(b"data") => Self::Data,
            Some(b"event") => Self::Event,
            Some(b"id") => Self::Id,
            Some(b"retry") => Self::Retry,
            _ => Self::Other,
        }
    }
}

impl Fields {
    /// In bytes.
    pub(super) const LONGEST_TYPE: usize = 32;
    /// In bytes.
    pub(super) const LONGEST_ID: usize = 128;

    pub(super) const fn new() -> Self {
        Self {
            event_type: FieldValue::EMPTY,
            is_typed: false,
            id_line: FieldValue::EMPTY,
            id: FieldValue::EMPTY,
            last_id: FieldValue::EMPTY,
            retry_line: Digits::Empty,
            retry: None,
        }
    }

    pub(super) fn event_type(&self) -> Result<&[u8], TooLong> {
        match self.event_type.text()? {
            b"" => Ok(b"message"),
            kind => Ok(kind),
        }
    }

    pub(super) fn last_id(&self) -> Result<&[u8], TooLong> {
        self.last_id.text()
    }

    pub(super) const fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// Begins a value.
    pub(super) fn begin(&mut self, field: Field) {
        match field {
            Field::Event => {
                self.event_type = FieldValue::EMPTY;
                self.is_typed = true;
            }
            Field::Id => self.id_line = FieldValue::EMPTY,
            Field::Retry => self.retry_line = Digits::Empty,
            Field::Data | Field::Other => {}
        }
    }

    /// Adds the next piece of the value.
    pub(super) fn push(&mut self, field: Field, piece: &[u8]) {
        match field {
            Field::Event => self.event_type.push(piece),
            Field::Id => self.id_line.push(piece),
            Field::Retry => self.retry_line.push(piece),
            Field::Data | Field::Other => {}
        }
    }

    /// Ends the value, at the end of its line.
    pub(super) fn end(&mut self, field: Field) {
        match (field, self.retry_line) {
            (Field::Id, _) if !self.id_line.has_nul => self.id = self.id_line,
            (Field::Retry, Digits::Number(milliseconds)) => self.retry = Some(milliseconds),
            _ => {}
        }
    }

    /// Ends the event, with data or without.
    pub(super) fn end_event(&mut self) {
        self.last_id = self.id;
        if !core::mem::take(&mut self.is_typed) {
            self.event_type = FieldValue::EMPTY;
        }
    }

    /// Drops the current event, because the stream has ended inside it.
    pub(super) fn drop_event(&mut self) {
        self.id = self.last_id;
        if core::mem::take(&mut self.is_typed) {
            self.event_type = FieldValue::EMPTY;
        }
    }
}

impl<const N: usize> core::fmt::Debug for FieldValue<N> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.is_too_long {
            false => Excerpt(self.bytes.get(..self.length).unwrap_or_default()).fmt(f),
            true => TooLong.fmt(f),
        }
    }
}

impl<const N: usize> FieldValue<N> {
    const EMPTY: Self = Self { bytes: [0; N], length: 0, is_too_long: false, has_nul: false };

    fn push(&mut self, piece: &[u8]) {
        self.has_nul |= memchr::memchr(0, piece).is_some();
        let end = self.length.saturating_add(piece.len());
        match self.bytes.get_mut(self.length..end) {
            Some(room) => {
                copy(piece, room);
                self.length = end;
            }
            None => self.is_too_long = true,
        }
    }

    fn text(&self) -> Result<&[u8], TooLong> {
        match self.is_too_long {
            true => Err(TooLong),
            false => Ok(self.bytes.get(..self.length).unwrap_or(b"")),
        }
    }
}

impl Digits {
    fn push(&mut self, piece: &[u8]) {
        for &byte in piece {
            let so_far = match self {
                Self::Empty => 0,
                Self::Number(number) => *number,
                Self::Invalid => return,
            };
            *self = match byte {
                b'0'..=b'9' => {
                    let digit = u64::from(byte - b'0');
                    Self::Number(so_far.saturating_mul(10).saturating_add(digit))
                }
                _ => Self::Invalid,
            };
        }
    }
}

impl core::fmt::Display for TooLong {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("the text is longer than what is kept of it")
    }
}

impl core::error::Error for TooLong {}
