//! The errors of `JSON.parse` in V8, which clients log instead of the line that they could not parse.
//!
//! If the text has a certain length, the error quotes ten characters on either side of the fault:
//!
//! ```text
//! Unexpected token 'S', "Server up on 3000"... is not valid JSON
//! Unexpected token 'N', ..."{"value":NaN}, "... is not valid JSON
//! Expected ',' or '}' after property value in JSON at position 12 (line 1 column 13)
//! ```

/// An error, and what it quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct JsonError<'a> {
    /// The error itself.
    pub words: &'a str,
    pub quote: Quote<'a>,
}

/// The part of a text that an error quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quote<'a> {
    /// All of it.
    Whole(&'a str),
    /// Its beginning, up to a few characters after the fault.
    Start(&'a str),
    /// Another part, or nothing.
    Other,
}

/// The error for a text that is empty, or ends too early.
const END: &str = "Unexpected end of JSON input";

/// The words at the start of an error that gives a position instead of a quote.
const STARTS: [&str; 6] =
    ["Unexpected ", "Expected ", "Unterminated ", "Bad ", "No number ", "Exponent "];

impl<'a> JsonError<'a> {
    /// Returns the first error in a text.
    pub fn first_in(text: &'a str) -> Option<Self> {
        quoting(text).or_else(|| at_position(text)).or_else(|| at_end(text))
    }
}

impl JsonError<'_> {
    /// Returns whether the text is empty, or ends too early.
    pub fn is_at_end(&self) -> bool {
        self.words == END
    }
}

/// Finds an error that quotes the text.
fn quoting(text: &str) -> Option<JsonError<'_>> {
    const TOKEN: &str = "Unexpected token '";
    const END: &str = " is not valid JSON";
    let (before, _) = text.split_once(END)?;
    let words_from = |start| text.get(start..before.len() + END.len());
    let (start, quoted) = match before.find(TOKEN) {
        Some(start) => {
            let mut rest = before.get(start + TOKEN.len()..)?.chars();
            rest.next()?;
            (start, rest.as_str().strip_prefix("', ")?)
        }
        // The whole text is a word, such as "undefined".
        None => {
            let start = before.find('"')?;
            (start, before.get(start..)?)
        }
    };
    let words = words_from(start)?;
    let (quoted, is_start) = match quoted.strip_prefix("...") {
        Some(quoted) => (quoted, false),
        None => (quoted, true),
    };
    let quoted = quoted.strip_prefix('"')?;
    let quote = match (quoted.strip_suffix("\"..."), quoted.strip_suffix('"')) {
        (Some(quoted), _) if is_start => Quote::Start(quoted),
        (None, Some(quoted)) if is_start => Quote::Whole(quoted),
        (None, None) => return None,
        _ => Quote::Other,
    };
    Some(JsonError { words, quote })
}

/// Finds an error that gives the position of the fault.
fn at_position(text: &str) -> Option<JsonError<'_>> {
    const POSITION: &str = " JSON at position ";
    let start = STARTS.iter().filter_map(|words| text.find(words)).min()?;
    let error = text.get(start..)?;
    let at = error.find(POSITION)? + POSITION.len();
    let digits = error.get(at..)?.bytes().take_while(u8::is_ascii_digit).count();
    let position = error.get(at..at + digits).filter(|digits| !digits.is_empty())?;
    let rest = error.get(at + digits..)?;
    // ` (line 1 column 2)`, in recent versions.
    let column = match rest.strip_prefix(" (line ").and_then(|rest| rest.find(')')) {
        Some(end) => " (line ".len() + end + 1,
        None => 0,
    };
    let words = error.get(..at + digits + column)?;
    // Older versions name the token, and nothing else.
    let token =
        words.strip_prefix("Unexpected token ").and_then(|rest| rest.split_once(" in JSON"));
    let quote = match token {
        Some((token, _)) if position == "0" => Quote::Start(token),
        _ => Quote::Other,
    };
    Some(JsonError { words, quote })
}

/// Finds the error for a text that is empty or ends too early.
fn at_end(text: &str) -> Option<JsonError<'_>> {
    let start = text.find(END)?;
    Some(JsonError { words: text.get(start..start + END.len())?, quote: Quote::Other })
}

#[cfg(test)]
mod tests {
    use super::{JsonError, Quote};

    #[test]
    fn errors_quote_what_they_can() {
        let long = r#"Unexpected token 'L', "Listening "... is not valid JSON"#;
        let short = r#"Unexpected token 'o', "ok" is not valid JSON"#;
        let middle = r#"Unexpected token 'N', ..."price": NaN, "x": "... is not valid JSON"#;
        let last = r#"Unexpected token '}', ..."", "a": 1,}" is not valid JSON"#;
        let quotes = r#"Unexpected token 'T', "The "best" se"... is not valid JSON"#;
        let apostrophe = r#"Unexpected token ''', "'up'" is not valid JSON"#;
        let word = r#""undefined" is not valid JSON"#;
        let column = "Expected property name or '}' in JSON at position 1 (line 1 column 2)";
        let old = "Unexpected token S in JSON at position 0";
        let later = "Unexpected token x in JSON at position 17";
        let end = "Unexpected end of JSON input";
        for (words, quote) in [
            (long, Quote::Start("Listening ")),
            (short, Quote::Whole("ok")),
            (middle, Quote::Other),
            (last, Quote::Other),
            (quotes, Quote::Start(r#"The "best" se"#)),
            (apostrophe, Quote::Whole("'up'")),
            (word, Quote::Whole("undefined")),
            (column, Quote::Other),
            (old, Quote::Start("S")),
            (later, Quote::Other),
            (end, Quote::Other),
        ] {
            for text in [words.to_owned(), format!("Client error: {words} {words}\n  at x")] {
                assert_eq!(JsonError::first_in(&text), Some(JsonError { words, quote }), "{text}");
            }
        }
        for text in
            ["", "Unexpected token", "the file is not valid JSON", "Expected JSON at position "]
        {
            assert_eq!(JsonError::first_in(text), None, "{text}");
        }
    }
}
