//! A pseudorandom generator, and the ways it corrupts bytes.

/// Pieces inserted into frames to corrupt them.
const PIECES: &[&[u8]] = &[
    b"\"id\":1,", b"\"result\":1,", b"\"error\":{},", b"\"method\":\"x\",", b"{", b"}", b"[", b"]", b",", b":",
    b"\"", b"\\", b"\\ud800", b"\xFF", b"\xC3", b"\0", b"\r", b"1e999", b"-", b"null", b"true",
    b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
];

/// A pseudorandom generator (xorshift), so that every run is the same.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }

    pub fn pick<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.roll(choices.len())]
    }

    /// Writes one of these frames to `frame`, corrupted in up to three places, or not at all.
    pub fn break_one(&mut self, seeds: &[&str], frame: &mut Vec<u8>) {
        frame.clear();
        frame.extend_from_slice(self.pick(seeds).as_bytes());
        self.break_bytes(seeds, frame);
    }

    /// Corrupts a frame in up to three places, or not at all.
    pub fn break_bytes(&mut self, seeds: &[&str], frame: &mut Vec<u8>) {
        for _ in 0..self.roll(4) {
            let at = self.roll(frame.len() + 1);
            match self.roll(6) {
                0 => frame.truncate(at),
                1 => drop(frame.drain(at..(at + self.roll(9)).min(frame.len()))),
                2 => drop(frame.splice(at..at, self.pick(PIECES).iter().copied())),
                3 if at < frame.len() => frame[at] ^= 1 << self.roll(8),
                4 => drop(frame.splice(at..at, self.pick(seeds).bytes())),
                _ => frame.extend_from_within(at..),
            }
        }
        frame.retain(|&byte| byte != b'\n');
    }
}
