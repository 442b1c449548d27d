//! The length of the event at the end of a stream of server-sent events.

/// The event that has not ended.
#[derive(Debug, Default)]
pub(super) struct Tail {
    /// Its length in bytes.
    pub length: usize,
    is_in_line: bool,
    /// True after a carriage return, which a line feed may follow.
    is_after_return: bool,
}

impl Tail {
    /// Observes bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            let is_second = std::mem::replace(&mut self.is_after_return, byte == b'\r');
            let is_end = matches!(byte, b'\n' | b'\r');
            match (is_end, self.is_in_line) {
                (true, _) if is_second && byte == b'\n' => {}
                // An empty line ends the event.
                (true, false) => self.length = 0,
                (is_end, _) => {
                    self.is_in_line = !is_end;
                    self.length = self.length.saturating_add(1);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tail;

    #[test]
    fn an_event_is_kept_until_an_empty_line() {
        for (text, length) in [
            ("", 0),
            ("data: 1", 7),
            ("data: 1\n", 8),
            ("data: 1\n\n", 0),
            ("data: 1\r\n", 8),
            ("data: 1\r\n\r\n", 0),
            ("data: 1\r\r", 0),
            ("data: 1\r\n\r\ndata: 22", 8),
            (": ping\n\n: ping\n\nid: 1", 5),
        ] {
            for size in [1, 2, 100] {
                let mut tail = Tail::default();
                text.as_bytes().chunks(size).for_each(|bytes| tail.push(bytes));
                assert_eq!(tail.length, length, "{text:?} by {size}");
            }
        }
    }
}
