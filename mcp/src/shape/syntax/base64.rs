//! Base64.

use tautline::RawStr;
use tautline::internal::bytes::run_of;
use tautline::internal::scan::base64_run;

/// Returns whether the text is Base64 with its padding (RFC 4648, section 4).
pub(super) fn is_base64(text: RawStr<'_>) -> bool {
    let bytes = text.escaped_bytes();
    // The vectors of the machine are faster, if it has some.
    let rest = bytes.get(base64_run(bytes)..).unwrap_or_default();
    match rest.get(run_of(rest, is_digit)..).unwrap_or_default() {
        b"" | b"=" | b"==" => bytes.len().is_multiple_of(4),
        _ => text.has_escapes() && is_escaped_base64(text),
    }
}

/// The same, for a text with escapes: some encoders escape each slash.
fn is_escaped_base64(text: RawStr<'_>) -> bool {
    let (mut length, mut padding) = (0_usize, 0_usize);
    for character in text.chars() {
        length = length.wrapping_add(1);
        match character.ok().and_then(|character| u8::try_from(character).ok()) {
            Some(b'=') => padding = padding.wrapping_add(1),
            Some(byte) if padding == 0 && is_digit(byte) => {}
            _ => return false,
        }
    }
    length.is_multiple_of(4) && padding <= 2
}

/// Returns whether the byte is of the alphabet. It has no early exit, so that a run of them is vectorised.
const fn is_digit(byte: u8) -> bool {
    // The slash comes right before the digits.
    ((byte | 0x20).wrapping_sub(b'a') < 26) | (byte.wrapping_sub(b'/') < 11) | (byte == b'+')
}

#[cfg(test)]
mod tests {
    use std::format;

    use super::super::Format;
    use super::super::tests::check;

    /// Long texts are read in blocks.
    #[test]
    fn one_other_byte_is_found_wherever_it_is() {
        let text = "aZ+/".repeat(200);
        for at in 0..text.len() {
            let mut broken = text.clone();
            broken.replace_range(at..=at, ["-", "=", "é", "~"][at % 4]);
            check(Format::Base64, &[], &[&format!("\"{broken}\"")]);
        }
    }

    #[test]
    fn base64_has_its_alphabet_and_its_padding() {
        let long = format!("\"{}\"", "aZ+/".repeat(100));
        let broken = format!("\"{}aZ-/\"", "aZ+/".repeat(100));
        check(
            Format::Base64,
            &[
                r#""""#,
                r#""aGk=""#,
                r#""aA==""#,
                r#""aGkh""#,
                r#""\/\u002baa""#,
                r#""\/\/\/=""#,
                &long,
            ],
            &[
                r#""a""#,
                r#""aGk""#,
                r#""aGk=aGk=""#,
                r#""a===""#,
                r#""====""#,
                r#""aG k""#,
                r#""aG-_""#,
                r#""aG\nk""#,
                r#""\/\/\/""#,
                r#""\/===""#,
                r#""\/=a=""#,
                &broken,
            ],
        );
    }
}
