//! Past a value in text that is known to be valid: only brackets and strings need a look.

/// The index behind the string whose opening quote stands `at` this index.
pub(super) fn string(text: &[u8], at: usize) -> usize {
    let mut at = at.saturating_add(1);
    loop {
        match text.get(at) {
            Some(b'\\') => at = at.saturating_add(2),
            Some(b'"') | None => return at.saturating_add(1).min(text.len()),
            Some(_) => at = at.saturating_add(1),
        }
    }
}

/// The index behind the value that begins `at` this index.
pub(super) fn value(text: &[u8], at: usize) -> usize {
    let mut at = at;
    let mut open: usize = 0;
    loop {
        match text.get(at) {
            Some(b'"') => at = string(text, at),
            Some(b'{' | b'[') => {
                open = open.saturating_add(1);
                at = at.saturating_add(1);
                continue;
            }
            Some(b'}' | b']') => {
                open = open.saturating_sub(1);
                at = at.saturating_add(1);
            }
            Some(_) if open > 0 => {
                at = at.saturating_add(1);
                continue;
            }
            Some(_) => return scalar(text, at),
            None => return text.len(),
        }
        if open == 0 {
            return at;
        }
    }
}

/// The index behind the number or word that begins `at` this index.
fn scalar(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or(b"");
    let ends = |&byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r');
    rest.iter().position(ends).map_or(text.len(), |length| at.saturating_add(length))
}
