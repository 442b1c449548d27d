//! The ids of requests, as keys of a map.

use tautline::Id;

/// The length of a key that is remembered, in bytes.
const LONGEST: usize = 256;

/// Returns a key that is unique to the id: a number as it was written, or a quote followed by the decoded string.
/// Returns `None` for null, and for an id that is too long to be remembered.
pub(crate) fn key_of(id: &Id<'_>) -> Option<String> {
    key_of_any(id).filter(|key| key.len() <= LONGEST)
}

/// Returns [the key](key_of) of an id of any length.
pub(crate) fn key_of_any(id: &Id<'_>) -> Option<String> {
    match id {
        Id::String(text) => Some(format!("\"{}", text.decode().ok()?)),
        Id::Number(number) => Some(number.as_str()?.to_owned()),
        Id::Null => None,
    }
}

/// Returns the id of a key as JSON.
pub(crate) fn json(key: &str) -> String {
    let text = key.strip_prefix('"').map(|text| serde_json::Value::from(text).to_string());
    text.unwrap_or_else(|| key.to_owned())
}

/// Returns the id of a key in a form for human readers.
pub(crate) fn shown(key: &str) -> String {
    key.strip_prefix('"').map_or_else(|| key.to_owned(), |text| format!("{text:?}"))
}

/// Returns whether the ids of two keys differ only in how they are written.
pub(crate) fn is_like(one: &str, other: &str) -> bool {
    let (one, other) = (one.trim_start_matches('"'), other.trim_start_matches('"'));
    let numbers = one.parse::<f64>().ok().zip(other.parse::<f64>().ok());
    one == other || numbers.is_some_and(|(one, other)| one == other)
}
