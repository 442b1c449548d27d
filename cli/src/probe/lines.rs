//! Cuts the output of a peer into lines, in bounded memory.
//!
//! The corpus tests where lines end, so this module does not use the core either.

/// The maximum length of a line, in bytes.
const LONGEST: usize = 16 * 1024 * 1024;

#[derive(Debug, Default)]
pub struct Lines {
    /// The start of a line whose end was not received yet.
    start: Vec<u8>,
    /// True while the rest of a line that is too long is discarded.
    discards: bool,
}

/// A piece of the output.
#[derive(Debug, PartialEq, Eq)]
pub enum Cut<'a> {
    /// A line, without its line feed.
    Line(&'a [u8]),
    /// A line that is too long.
    TooLong,
}

impl Lines {
    /// Calls a function for each line that these bytes end.
    pub fn push(&mut self, mut bytes: &[u8], mut call: impl FnMut(Cut<'_>)) {
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            let (line, rest) = bytes.split_at(end);
            bytes = &rest[1..];
            if std::mem::take(&mut self.discards) {
                continue;
            }
            match self.start.is_empty() {
                true => call(Cut::Line(line)),
                false => {
                    self.start.extend_from_slice(line);
                    call(Cut::Line(&self.start));
                    self.start.clear();
                    self.start.shrink_to(64 * 1024);
                }
            }
        }
        if self.discards {
            return;
        }
        self.start.extend_from_slice(bytes);
        if self.start.len() > LONGEST {
            self.discards = true;
            self.start = Vec::new();
            call(Cut::TooLong);
        }
    }

    /// Returns the line whose end was not received yet.
    pub fn unfinished(&self) -> &[u8] {
        &self.start
    }
}

#[cfg(test)]
mod tests {
    use super::{Cut, LONGEST, Lines};

    #[test]
    fn lines_are_the_same_however_they_come() {
        let wire = b"a\n\nbc\r\nd";
        for size in 1..=wire.len() {
            let (mut lines, mut seen) = (Lines::default(), Vec::new());
            for chunk in wire.chunks(size) {
                lines.push(chunk, |cut| match cut {
                    Cut::Line(line) => seen.push(line.to_vec()),
                    Cut::TooLong => panic!(),
                });
            }
            assert_eq!(seen, [&b"a"[..], b"", b"bc\r"]);
            assert_eq!(lines.unfinished(), b"d");
        }
    }

    #[test]
    fn an_endless_line_is_reported_once_and_not_kept() {
        let (mut lines, mut long, mut seen) = (Lines::default(), 0, 0);
        let mut count = |cut: Cut<'_>| match cut {
            Cut::TooLong => long += 1,
            Cut::Line(line) => {
                assert_eq!(line, b"b");
                seen += 1;
            }
        };
        let chunk = vec![b'a'; LONGEST / 4];
        for _ in 0..9 {
            lines.push(&chunk, &mut count);
            assert!(lines.start.capacity() <= 3 * LONGEST);
        }
        lines.push(b"a\nb\n", &mut count);
        assert_eq!((long, seen), (1, 1));
    }
}
