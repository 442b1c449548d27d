//! Past a value in text that is known to be valid: only brackets and strings need a look.

use crate::bytes::run_of;

/// The index behind the string whose opening quote stands `at` this index.
pub(super) fn string(text: &[u8], at: usize) -> usize {
    let mut at = at.wrapping_add(1);
    loop {
        match text.get(at) {
            Some(b'\\') => at = at.wrapping_add(2),
            Some(b'"') => return at.wrapping_add(1),
            Some(_) => at = at.wrapping_add(1),
            None => return text.len(),
        }
    }
}

/// The index behind the value that begins `at` this index.
pub(super) fn value(text: &[u8], at: usize) -> usize {
    let mut at = at;
    let mut open: usize = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => at = string(text, at),
            b'{' | b'[' => {
                open = open.wrapping_add(1);
                at = at.wrapping_add(1);
            }
            b'}' | b']' => {
                open = open.wrapping_sub(1);
                at = at.wrapping_add(1);
            }
            _ if open == 0 => return scalar(text, at),
            // A long number is passed faster so.
            #[cfg(any(feature = "fast", not(target_os = "none")))]
            b'0'..=b'9' => at = scalar(text, at),
            _ => at = at.wrapping_add(1),
        }
        if open == 0 {
            return at;
        }
    }
    text.len()
}

/// The index behind the number or word that `at` this index is in.
fn scalar(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or(b"");
    // Nothing is below a space but other whitespace.
    let length = run_of(rest, |byte| !matches!(byte, 0..=b' ' | b',' | b'}' | b']'));
    at.wrapping_add(length)
}
