//! UTF-8, one character at a time (Unicode, table 3-7; RFC 3629, section 4).

/// Returns the character at offset `at`, if it is well formed: not overlong, no surrogate, and at most
/// U+10FFFF.
pub(crate) fn character(text: &[u8], at: usize) -> Option<char> {
    let mut bytes = text.get(at..)?.iter().copied();
    let first = bytes.next()?;
    if first.is_ascii() {
        return Some(char::from(first));
    }
    // 0xC0 and 0xC1 would begin overlong encodings of ASCII.
    if !matches!(first, 0xC2..=0xF7) {
        return None;
    }
    let length = 2 + u32::from(first >= 0xE0) + u32::from(first >= 0xF0);
    let mut value = u32::from(first & (0x7F >> length));
    for _ in 1..length {
        let byte = bytes.next().filter(|byte| matches!(byte, 0x80..=0xBF))?;
        value = value << 6 | u32::from(byte & 0x3F);
    }
    // An encoding longer than necessary is overlong: three bytes are for values from 2^11 on, and four from 2^16 on.
    char::from_u32(value).filter(|_| value >> (5 * length - 4) != 0)
}

/// Returns whether the text is UTF-8. The code is smaller than that of the standard library, and slower.
#[must_use]
pub fn is_utf8(text: &[u8]) -> bool {
    let mut at = 0_usize;
    while at < text.len() {
        let Some(character) = character(text, at) else { return false };
        at = at.wrapping_add(character.len_utf8());
    }
    true
}

#[cfg(test)]
mod tests {
    /// Every sequence of one to four bytes that are at, or next to, the edge of some range.
    #[test]
    fn agrees_with_the_standard_library_at_every_edge() {
        const EDGES: [u8; 26] = [
            0x22, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1,
            0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF7, 0xFE, 0xFF,
        ];
        let mut well_formed = 0;
        for first in EDGES.into_iter().filter(|&byte| byte >= 0x80) {
            for second in EDGES {
                for third in EDGES {
                    for fourth in EDGES {
                        let bytes = [first, second, third, fourth];
                        let expected = (2..=4).find(|&length| {
                            let text = core::str::from_utf8(&bytes[..length]);
                            text.is_ok_and(|text| text.chars().count() == 1)
                        });
                        assert_eq!(
                            super::character(&bytes, 0).map(char::len_utf8),
                            expected,
                            "{bytes:x?}"
                        );
                        let is_utf8 = core::str::from_utf8(&bytes).is_ok();
                        assert_eq!(super::is_utf8(&bytes), is_utf8, "{bytes:x?}");
                        well_formed += u32::from(expected.is_some());
                        for cut in 1..4 {
                            let expected = expected.filter(|&length| length <= cut);
                            assert_eq!(
                                super::character(&bytes[..cut], 0).map(char::len_utf8),
                                expected
                            );
                        }
                    }
                }
            }
        }
        assert!(well_formed > 1000);
    }

    #[test]
    fn takes_every_character_there_is() {
        for character in ('\u{80}'..=char::MAX).filter(|c| c.len_utf8() > 1) {
            let mut buffer = [0; 4];
            let text = character.encode_utf8(&mut buffer);
            assert_eq!(super::character(text.as_bytes(), 0), Some(character));
        }
    }
}
