//! The elements of a JSON array, as values one after the other.

use std::io::{self, Read};

/// Reads one JSON array of messages, and replaces the brackets and commas around its elements by spaces.
///
/// The values that are left have the framing [`Concatenated`](tautline::frame::FramingKind::Concatenated), at the same
/// offsets as in the file. The array may be broken or have no end.
///
/// ```
/// use std::io::Read;
///
/// let mut text = String::new();
/// let array = &b"[{\"a\":[1,2]}, \"]\" ,3]\n"[..];
/// tautline_audit::source::Elements::new(array).read_to_string(&mut text)?;
/// assert_eq!(text, " {\"a\":[1,2]}  \"]\"  3 \n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Elements<R> {
    reader: R,
    depth: u64,
    in_string: bool,
    is_escaped: bool,
}

impl<R: Read> Elements<R> {
    /// Creates a reader of the elements of the array in this reader.
    pub const fn new(reader: R) -> Self {
        Self { reader, depth: 0, in_string: false, is_escaped: false }
    }

    fn replace(&mut self, byte: &mut u8) {
        match *byte {
            // A string has no newlines. One that was cut must not hide the rest of the array.
            b'\n' => (self.in_string, self.is_escaped) = (false, false),
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' => self.is_escaped = self.in_string,
            b'"' => self.in_string = !self.in_string,
            _ if self.in_string => {}
            b'{' | b'[' => {
                if self.depth == 0 && *byte == b'[' {
                    *byte = b' ';
                }
                self.depth += 1;
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 && *byte == b']' {
                    *byte = b' ';
                }
            }
            b',' if self.depth == 1 => *byte = b' ',
            _ => {}
        }
    }
}

impl<R: Read> Read for Elements<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(room)?;
        room.iter_mut().take(read).for_each(|byte| self.replace(byte));
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::Elements;

    fn elements(array: &str) -> String {
        let mut text = String::new();
        Elements::new(array.as_bytes()).read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn only_the_array_itself_is_replaced() {
        for (array, expected) in [
            (r#"[{"a":[1,{"b":"],["}]},[2,3]]"#, r#" {"a":[1,{"b":"],["}]} [2,3] "#),
            (r#" ["\"],", {"#, r#"  "\"],"  {"#),
            // A string that was cut.
            ("[{\"a\":\"b\n},\n{\"c\":1}]", " {\"a\":\"b\n} \n{\"c\":1} "),
            ("]],", "  ,"),
        ] {
            assert_eq!(elements(array), expected);
        }
    }
}
