//! The messages that Claude Desktop has cut in the middle.

use super::text;

/// The number of UTF-16 code units that are left at either end of a message that was cut.
const LEFT: usize = 256;

/// Returns both ends of a message that was cut in the middle, or `None` if it is whole.
pub(super) fn truncated(message: &str) -> Option<(&str, &str)> {
    let mut units = 0;
    // The cut may split a surrogate pair, so the length may be off by one.
    let at = message.char_indices().find_map(|(at, c)| {
        let here = units;
        units += c.len_utf16();
        (here >= LEFT - 1 && message.get(at..)?.starts_with("...[") || here > LEFT).then_some(at)
    })?;
    let (start, rest) = message.split_at_checked(at)?;
    let (count, end) = rest.strip_prefix("...[")?.split_once(" chars truncated]...")?;
    let is_count = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
    is_count.then_some((start, end))
}

/// Returns the id of the request that a truncated message answers, if it is known.
pub(super) fn answered(start: &str, end: &str) -> Option<String> {
    if let Some(rest) = start.strip_prefix(r#"{"jsonrpc":"2.0","id":"#) {
        let (id, rest) = text::first_value(rest)?;
        let is_response = rest.starts_with(r#","result":"#) || rest.starts_with(r#","error":"#);
        return is_response.then(|| id.get().to_owned());
    }
    // Servers with the TypeScript SDK write the id last. The log may add its metadata.
    let is_response = start.starts_with(r#"{"result":"#) || start.starts_with(r#"{"error":"#);
    let (_, rest) = end.rsplit_once(r#","jsonrpc":"2.0","id":"#).filter(|_| is_response)?;
    let (id, rest) = text::first_value(rest)?;
    rest.starts_with('}').then(|| id.get().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{answered, truncated};

    #[test]
    fn the_id_of_a_cut_response_is_found() {
        let fill = |start: &str| format!("{start}{}", "é".repeat(256 - start.len()));
        let cut = |start: &str, end: &str| {
            let message = format!("{}...[10 chars truncated]...{end}", fill(start));
            let (start, end) = truncated(&message).unwrap();
            answered(start, end)
        };
        let response = r#"{"jsonrpc":"2.0","id":7,"result":{"text":""#;
        assert_eq!(cut(response, "\"}}").as_deref(), Some("7"));
        let last = r#""},"jsonrpc":"2.0","id":"x"} { metadata: undefined }"#;
        assert_eq!(cut(r#"{"result":{"text":""#, last).as_deref(), Some("\"x\""));
        let request = r#"{"jsonrpc":"2.0","id":7,"method":"roots/list","params":{"a":""#;
        assert_eq!(cut(request, "\"}}"), None);
        assert_eq!(truncated(&fill("...[1 chars truncated]...")), None);
    }
}
