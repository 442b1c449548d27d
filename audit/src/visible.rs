//! Characters that are invisible or change how other characters look.

/// Returns whether the character has no width of its own, changes the direction of text or controls a
/// terminal.
///
/// These are control characters, separators of lines and paragraphs, and what Unicode calls default ignorable: joiners,
/// marks of direction, fillers, variation selectors and tags. Annotations and the format controls of hieroglyphs are
/// included, because few terminals draw them.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\0'..='\x1F'
            | '\x7F'..='\u{9F}'
            | '\u{AD}'
            | '\u{34F}'
            | '\u{61C}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}'
            | '\u{13430}'..='\u{1343F}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// Decodes the bytes as text in which every character is visible: control characters as their symbols, other
/// invisible characters and invalid UTF-8 as U+FFFD.
#[must_use]
pub fn printable(bytes: &[u8]) -> String {
    let visible = |c: char| match c {
        '\0'..='\x1F' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{FFFD}'),
        '\x7F' => '\u{2421}',
        c if is_invisible(c) => '\u{FFFD}',
        c => c,
    };
    String::from_utf8_lossy(bytes).chars().map(visible).collect()
}
