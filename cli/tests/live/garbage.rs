//! Pseudorandom bytes with valid and broken frames among them, and a hash that both ends can compare.

/// A stream of bytes that depends on its seed alone.
pub struct Garbage {
    state: u64,
    left: usize,
}

impl Garbage {
    pub fn new(seed: u64, length: usize) -> Self {
        Self { state: seed | 1, left: length }
    }

    fn next(&mut self) -> u64 {
        // Xorshift, by Marsaglia.
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }
}

/// Pieces of any length, up to a few times the capacity of a pipe.
impl Iterator for Garbage {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        if self.left == 0 {
            return None;
        }
        let length = match self.next() % 8 {
            0 => self.next() % 200_000,
            1 => 1,
            _ => self.next() % 3000,
        };
        let length = usize::try_from(length).unwrap().clamp(1, self.left);
        self.left -= length;
        let mut piece = Vec::with_capacity(length + 64);
        while piece.len() < length {
            match self.next() % 40 {
                0 => {
                    piece.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n")
                }
                1 => piece.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"res"),
                2 => piece.extend_from_slice("é\r\n\r\n\u{2028}\0".as_bytes()),
                3 => piece.extend_from_slice(b"\xEF\xBB\xBF\xC3\n"),
                4 => piece.extend_from_slice(b"Content-Length: 99999999\r\n\r\n"),
                _ => piece.extend_from_slice(&self.next().to_le_bytes()),
            }
        }
        piece.truncate(length);
        Some(piece)
    }
}

/// A hash of a stream, independent of how it is split into pieces, and its length.
pub struct Hash {
    state: u64,
    length: u64,
}

impl Default for Hash {
    fn default() -> Self {
        Self { state: 0xcbf2_9ce4_8422_2325, length: 0 }
    }
}

impl Hash {
    pub fn push(&mut self, bytes: &[u8]) {
        // FNV-1a: a few instructions a byte, even without optimizations.
        let step = |state: u64, &byte: &u8| (state ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        self.state = bytes.iter().fold(self.state, step);
        self.length += bytes.len() as u64;
    }

    pub fn text(&self) -> String {
        format!("{:016x} {}", self.state, self.length)
    }
}

/// Returns the hash of a stream that depends on its seed alone.
pub fn hash(seed: u64, length: usize) -> String {
    let mut hash = Hash::default();
    Garbage::new(seed, length).for_each(|piece| hash.push(&piece));
    hash.text()
}
