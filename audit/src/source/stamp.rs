//! The time at the start of a line in a log, and the head of lines in the logs of VS Code:
//! `2026-11-23 17:54:59.980 [info] `.

/// A line that begins a record, in its two parts.
pub(super) struct Stamp<'a> {
    /// The local time, without its zone.
    pub time: &'a str,
    pub level: &'a str,
    /// The text after the level.
    pub text: &'a str,
}

/// Splits a line into its time and its text. Returns `None` if it does not begin a record.
pub(super) fn split(line: &str) -> Option<Stamp<'_>> {
    let (time, rest) = split_time(line, "0000-00-00 00:00:00.000")?;
    let (level, text) = rest.strip_prefix(" [")?.split_once("] ")?;
    let is_level = matches!(level, "trace" | "debug" | "info" | "warning" | "error");
    is_level.then_some(Stamp { time, level, text })
}

/// Splits a line after a time of this shape, in which a 0 stands for any digit. Returns `None` if it begins with
/// something else.
pub(super) fn split_time<'a>(line: &'a str, shape: &str) -> Option<(&'a str, &'a str)> {
    let (time, rest) = line.split_at_checked(shape.len())?;
    let fits = |(byte, shape): (u8, u8)| match shape {
        b'0' => byte.is_ascii_digit(),
        _ => byte == shape,
    };
    time.bytes().zip(shape.bytes()).all(fits).then_some((time, rest))
}
