//! The head of a line in the logs of VS Code: `2026-11-23 17:54:59.980 [info] `.

/// A line that begins a record, in its two parts.
pub(super) struct Stamp<'a> {
    /// The local time, without its zone.
    pub time: &'a str,
    /// The text after the level.
    pub text: &'a str,
}

/// Splits a line into its time and its text; `None` if it does not begin a record.
pub(super) fn split(line: &str) -> Option<Stamp<'_>> {
    const SHAPE: &[u8] = b"0000-00-00 00:00:00.000";
    let (time, rest) = line.split_at_checked(SHAPE.len())?;
    let fits = time
        .bytes()
        .zip(SHAPE)
        .all(|(byte, &shape)| if shape == b'0' { byte.is_ascii_digit() } else { byte == shape });
    let (level, text) = rest.strip_prefix(" [")?.split_once("] ")?;
    let is_level = matches!(level, "trace" | "debug" | "info" | "warning" | "error");
    (fits && is_level).then_some(Stamp { time, text })
}
