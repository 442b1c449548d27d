//! The syntax of strings and of names.

mod baggage;
mod base64;
mod media_type;
mod meta;
mod timestamp;
mod trace_context;
mod uri;

pub(super) use baggage::is_baggage;
pub(super) use meta::{broken_by, is_extension_id};
use tautline::{RawStr, Rule};
pub(super) use trace_context::{is_traceparent, is_tracestate};
pub(super) use uri::{contains_web_address, is_insecure};

use super::table::Format;
use crate::rule;

impl Format {
    /// Returns the rule that a string breaks.
    pub(super) fn broken_by(self, text: RawStr<'_>) -> Option<Rule> {
        let (rule, is_right) = match self {
            Self::RootUri if !uri::is_file(text) => (rule::ROOT_URI, false),
            Self::IconUri if !uri::is_icon(text) => (rule::ICON_URI, false),
            Self::Uri | Self::RootUri | Self::IconUri => (rule::URI_SYNTAX, uri::is_uri(text)),
            Self::UriTemplate => (rule::URI_TEMPLATE_SYNTAX, uri::is_uri_template(text)),
            Self::Base64 => (rule::BASE64_SYNTAX, base64::is_base64(text)),
            Self::MediaType => (rule::MEDIA_TYPE_SYNTAX, media_type::is_media_type(text)),
            Self::ToolName => (rule::TOOL_NAME, is_tool_name(text)),
            Self::Timestamp => (rule::TIMESTAMP_SYNTAX, timestamp::is_timestamp(text)),
            Self::LastModified => (rule::LAST_MODIFIED_SYNTAX, timestamp::is_timestamp(text)),
        };
        (!is_right).then_some(rule)
    }
}

/// Returns whether the text has 1 to 128 letters, digits, underscores, hyphens and dots (server/tools, tool names).
fn is_tool_name(text: RawStr<'_>) -> bool {
    // Most names are written without escapes, and have as many bytes as characters.
    let bytes = text.escaped_bytes();
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if cfg!(not(any(target_os = "none", target_os = "unknown")))
        && bytes.iter().fold(true, |all, byte| all & is_of_name(*byte))
    {
        return matches!(bytes.len(), 1..=128);
    }
    let mut length = 0_u8;
    let mut characters = text.chars();
    let are_of_name = characters.all(|character| {
        length = length.saturating_add(1);
        let byte = character.map(u8::try_from);
        byte.is_ok_and(|byte| byte.is_ok_and(is_of_name))
    });
    are_of_name && matches!(length, 1..=128)
}

#[cfg(test)]
mod tests {
    use std::format;

    use tautline::RawJson;

    use super::{Format, RawStr};

    pub(super) fn text(json: &str) -> RawStr<'_> {
        RawJson::parse(json.as_bytes()).unwrap().string().unwrap()
    }

    #[track_caller]
    pub(super) fn check(format: Format, legal: &[&str], illegal: &[&str]) {
        for (texts, expected) in [(legal, true), (illegal, false)] {
            for json in texts {
                assert_eq!(format.broken_by(text(json)).is_none(), expected, "{json}");
            }
        }
    }

    #[test]
    fn the_name_of_a_tool_has_few_characters() {
        let (longest, longer) = ("a".repeat(128), "a".repeat(129));
        check(
            Format::ToolName,
            &[r#""getUser""#, r#""DATA_EXPORT-v2.1""#, r#""\u0061""#, &format!("\"{longest}\"")],
            &[r#""""#, r#""a b""#, r#""a,b""#, r#""a/b""#, r#""ü""#, &format!("\"{longer}\"")],
        );
    }
}
