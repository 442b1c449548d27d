//! The object or array after a mark, on one line or several.

/// Finds the end of a value that arrives in pieces.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Brackets {
    depth: u64,
    /// The quote that ends the string, if the last piece ended in one.
    quote: Option<u8>,
    is_escaped: bool,
}

impl Brackets {
    /// Returns the length of the part that belongs to the value, if it ends in this piece.
    pub fn end_in(&mut self, piece: &[u8]) -> Option<usize> {
        for (index, &byte) in piece.iter().enumerate() {
            if let Some(quote) = self.quote {
                if self.is_escaped {
                    self.is_escaped = false;
                } else if byte == b'\\' {
                    self.is_escaped = true;
                } else if byte == quote {
                    self.quote = None;
                }
                continue;
            }
            match byte {
                // JavaScript prints objects with other quotes.
                b'"' | b'\'' | b'`' => self.quote = Some(byte),
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(index + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// The number of braces in a line that are tried.
const MOST: usize = 4;

/// Returns the places in a line at which an object, or an array of objects, may begin.
pub(super) fn starts(line: &str) -> impl Iterator<Item = usize> + '_ {
    let braces = line.match_indices('{').filter(|&(at, _)| {
        let rest = line.get(at + 1..).unwrap_or_default().trim_start();
        rest.is_empty() || rest.starts_with('"') || rest.starts_with("jsonrpc:")
    });
    let starts = braces.take(MOST).map(|(at, _)| {
        let before = line.get(..at).unwrap_or_default().trim_end();
        before.strip_suffix('[').map_or(at, str::len)
    });
    // The objects of an array may begin on the next line.
    starts.chain(line.trim_end().strip_suffix('[').map(str::len))
}

/// Returns whether a text may be a message of JSON-RPC.
pub(super) fn is_message(text: &[u8]) -> bool {
    let has = |name: &str| memchr::memmem::find(text, name.as_bytes()).is_some();
    has("\"jsonrpc\"")
        || has("\"method\"")
        || (has("\"id\"") && (has("\"result\"") || has("\"error\"")))
}

/// Returns the id of a response that JavaScript has printed as an object, or `None` for any other text.
pub(super) fn printed_id(text: &str) -> Option<&str> {
    if text.contains(" method: ") {
        return None;
    }
    let (_, rest) = text.split_once(" id: ")?;
    let end = rest.find([',', ' ', '}', '\n']).unwrap_or(rest.len());
    rest.get(..end).filter(|id| id.parse::<i64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::{Brackets, printed_id, starts};

    #[test]
    fn values_end_with_their_last_bracket() {
        let end = |pieces: &[&str]| {
            let mut brackets = Brackets::default();
            pieces.iter().map(|piece| brackets.end_in(piece.as_bytes())).collect::<Vec<_>>()
        };
        assert_eq!(end(&[r#"{"a":[1,"}\"]"]} rest"#]), [Some(16)]);
        assert_eq!(end(&["[{", " \"a\": \"{\"", "}", "]"]), [None, None, None, Some(1)]);
        assert_eq!(end(&["{ a: '}', b: `{` }"]), [Some(18)]);
    }

    #[test]
    fn places_where_a_value_may_begin_are_found() {
        let all = |line: &str| starts(line).collect::<Vec<_>>();
        assert_eq!(all("[T{1}] Send: [ {\"a\":{}}]"), [13]);
        assert_eq!(all("--> {"), [4]);
        assert_eq!(all("--> [ "), [4]);
        assert_eq!(all("Child: { jsonrpc: '2.0' }"), [7]);
        assert_eq!(all("fn() {x}"), [0; 0]);
    }

    #[test]
    fn the_id_of_a_printed_response_is_found() {
        let response = "{\n  jsonrpc: '2.0',\n  id: 12,\n  result: { a: [Object] }\n}";
        assert_eq!(printed_id(response), Some("12"));
        assert_eq!(printed_id("{ jsonrpc: '2.0', id: 1, method: 'a' }"), None);
        assert_eq!(printed_id("{ jsonrpc: '2.0' }"), None);
    }
}
