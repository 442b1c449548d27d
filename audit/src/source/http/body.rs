//! The body of a request or a response that is one message.

use super::super::out::Long;

/// A body, kept up to the limit on frames.
#[derive(Debug)]
pub(super) struct Body {
    limit: usize,
    kept: Vec<u8>,
    long: Option<Box<Long>>,
    is_cut: bool,
}

/// A body at its end.
#[derive(Debug)]
pub(super) enum Whole {
    Bytes(Vec<u8>),
    Empty,
    /// It exceeds the limit on frames.
    Long(Box<Long>),
    /// Bytes are missing.
    Cut,
}

impl Body {
    pub fn new(limit: u32) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Self { limit, kept: Vec::new(), long: None, is_cut: false }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        if self.is_cut {
            return;
        }
        if let Some(long) = &mut self.long {
            return long.push(bytes);
        }
        if self.kept.len() + bytes.len() <= self.limit {
            return self.kept.extend_from_slice(bytes);
        }
        let mut long = Box::new(Long::new(u32::try_from(self.limit).unwrap_or(u32::MAX)));
        long.push(&std::mem::take(&mut self.kept));
        long.push(bytes);
        self.long = Some(long);
    }

    /// Returns the number of bytes that are kept.
    pub fn kept(&self) -> usize {
        self.kept.len()
    }

    /// Notes that bytes are missing, so that the rest is useless.
    pub fn cut(&mut self) {
        *self = Self { is_cut: true, ..Self::new(0) };
    }

    /// Returns the body, and leaves an empty one.
    pub fn take(&mut self) -> Whole {
        if self.is_cut {
            return Whole::Cut;
        }
        let bytes = std::mem::take(&mut self.kept);
        match self.long.take() {
            Some(long) => Whole::Long(long),
            None if bytes.trim_ascii().is_empty() => Whole::Empty,
            None => Whole::Bytes(bytes),
        }
    }
}
