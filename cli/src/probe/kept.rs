//! Bytes that are kept for a report, within a limit.

use std::collections::VecDeque;

/// The first bytes of a stream, and the number of the others.
#[derive(Clone, Debug, Default)]
pub struct Head {
    bytes: Vec<u8>,
    left_out: u64,
}

impl Head {
    const LIMIT: usize = 64 * 1024;

    pub fn push(&mut self, bytes: &[u8]) {
        let room = Self::LIMIT - self.bytes.len();
        let (kept, left_out) = bytes.split_at(room.min(bytes.len()));
        self.bytes.extend_from_slice(kept);
        self.left_out += left_out.len() as u64;
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the number of bytes that were not kept.
    pub const fn left_out(&self) -> u64 {
        self.left_out
    }
}

/// The last bytes of a stream.
#[derive(Clone, Debug, Default)]
pub struct Tail {
    bytes: VecDeque<u8>,
}

impl Tail {
    const LIMIT: usize = 4 * 1024;

    pub fn push(&mut self, bytes: &[u8]) {
        let start = bytes.len().saturating_sub(Self::LIMIT);
        self.bytes.extend(&bytes[start..]);
        let surplus = self.bytes.len().saturating_sub(Self::LIMIT);
        self.bytes.drain(..surplus);
    }

    /// Returns the bytes since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes).into()
    }
}

#[cfg(test)]
mod tests {
    use super::{Head, Tail};

    #[test]
    fn the_start_is_kept_and_the_rest_is_counted() {
        let mut head = Head::default();
        for _ in 0..3 {
            head.push(&[7; 30_000]);
        }
        assert_eq!((head.bytes().len(), head.left_out()), (64 * 1024, 90_000 - 64 * 1024));
    }

    #[test]
    fn the_end_is_kept() {
        let mut tail = Tail::default();
        tail.push(&[1; 10_000]);
        tail.push(b"abc");
        let bytes = tail.take();
        assert_eq!(bytes.len(), 4096);
        assert!(bytes.ends_with(b"\x01abc"));
        assert!(tail.take().is_empty());
    }
}
