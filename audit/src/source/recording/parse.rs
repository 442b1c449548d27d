//! The parts of a record that need more than JSON.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tautline_mcp::Role;

use super::Record;

/// Why a record was not passed on.
pub(super) enum Failure {
    Receive(std::io::Error),
    Record(String),
}

/// Returns the bytes of a record, if it has any.
pub(super) fn bytes_of<'a>(record: &'a Record<'_>) -> Result<Option<Cow<'a, [u8]>>, Failure> {
    match (&record.text, &record.base64) {
        (Some(text), None) => Ok(Some(Cow::Borrowed(text.as_bytes()))),
        (None, Some(encoded)) => match STANDARD.decode(encoded.as_bytes()) {
            Ok(bytes) => Ok(Some(Cow::Owned(bytes))),
            Err(error) => Err(Failure::Record(format!("the Base64 is invalid: {error}"))),
        },
        (None, None) => Ok(None),
        _ => Err(Failure::Record("a record has either text or base64".to_owned())),
    }
}

pub(super) fn role(name: &str) -> Result<Role, Failure> {
    match name {
        "client" => Ok(Role::Client),
        "server" => Ok(Role::Server),
        _ => Err(Failure::Record(format!(
            "unknown writer {name:?}: expected client, server or stderr"
        ))),
    }
}
