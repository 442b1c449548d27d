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

/// The last lines of a stream.
#[derive(Clone, Debug, Default)]
pub struct Tail {
    bytes: VecDeque<u8>,
    /// True if the bytes before are gone, so that the first line may lack its start.
    is_cut: bool,
}

impl Tail {
    const LIMIT: usize = 16 * 1024;

    pub fn push(&mut self, bytes: &[u8]) {
        let start = bytes.len().saturating_sub(Self::LIMIT);
        self.bytes.extend(&bytes[start..]);
        let surplus = self.bytes.len().saturating_sub(Self::LIMIT);
        self.bytes.drain(..surplus);
        self.is_cut |= start + surplus > 0;
    }

    /// Returns the end of the bytes since the last call: whole lines, or the end of the last line if it is too long.
    pub fn take(&mut self) -> Vec<u8> {
        let Self { bytes, is_cut } = std::mem::take(self);
        let mut bytes: Vec<u8> = bytes.into();
        let line_feed = bytes.iter().position(|&byte| byte == b'\n');
        if let (true, Some(end)) = (is_cut, line_feed.filter(|end| end + 1 < bytes.len())) {
            bytes.drain(..=end);
        }
        bytes
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
        assert_eq!(bytes.len(), 10_003);
        assert!(bytes.ends_with(b"\x01abc"));
        assert!(tail.take().is_empty());
        tail.push(&[1; 100_000]);
        assert_eq!(tail.take().len(), 16 * 1024);
    }

    #[test]
    fn the_end_consists_of_whole_lines() {
        let mut tail = Tail::default();
        for number in 0..10_000 {
            tail.push(format!("line {number}\n").as_bytes());
        }
        let bytes = tail.take();
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.starts_with("line ") && text.ends_with("line 9999\n"), "{text}");
        assert!(text.len() > 16_000, "{}", text.len());
    }
}
