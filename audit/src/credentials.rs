//! The replacement of credentials in the heads of HTTP.

use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};

use crate::redaction::MARKER;
use crate::source::{Fields, RequestHead, ResponseHead};

/// Headers that hold credentials.
const SECRET: [&str; 9] = [
    "authorization",
    "proxy-authorization",
    "authentication-info",
    "proxy-authentication-info",
    "cookie",
    "set-cookie",
    "x-api-key",
    "api-key",
    "x-auth-token",
];

/// Parts of the names of parameters, in queries and forms, that hold credentials.
const SECRET_PARTS: [&str; 14] = [
    "token",
    "key",
    "secret",
    "passw",
    "pwd",
    "auth",
    "sig",
    "credential",
    "session",
    "jwt",
    "code",
    "assertion",
    "verifier",
    "state",
];

/// The header whose values tell sessions apart.
const SESSION: &str = "mcp-session-id";

/// Headers whose values are URLs.
const URLS: [&str; 4] = ["referer", "location", "content-location", "origin"];

/// Replaces credentials. The ids of sessions are replaced by hashes, under a key that is drawn for each recording.
#[derive(Clone, Debug, Default)]
pub struct Credentials {
    key: RandomState,
}

impl Credentials {
    /// Returns the head of a request without credentials.
    #[must_use]
    pub fn request<'a>(&self, head: &RequestHead<'a>) -> RequestHead<'a> {
        RequestHead {
            method: head.method.clone(),
            target: without_secrets(&head.target).into(),
            headers: self.fields(&head.headers),
        }
    }

    /// Returns the head of a response without credentials.
    #[must_use]
    pub fn response<'a>(&self, head: &ResponseHead<'a>) -> ResponseHead<'a> {
        ResponseHead { status: head.status, headers: self.fields(&head.headers) }
    }

    /// Returns header fields without credentials.
    #[must_use]
    pub fn fields<'a>(&self, fields: &Fields<'a>) -> Fields<'a> {
        let field = |(name, value): &(Cow<'a, str>, Cow<'a, str>)| {
            (name.clone(), self.value(name, value).map_or_else(|| value.clone(), Cow::Owned))
        };
        fields.iter().map(field).collect()
    }

    /// Returns what takes the place of the value of a header, if it is replaced.
    fn value(&self, name: &str, value: &str) -> Option<String> {
        let is = |other: &&str| name.eq_ignore_ascii_case(other);
        if is(&SESSION) {
            // A malformed id must not look like one that is well-formed, nor the other way round.
            let value = value.trim_matches([' ', '\t']);
            let is_well_formed =
                !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_graphic());
            let gap = if is_well_formed { "" } else { " malformed " };
            return Some(format!("[redacted:{gap}{:016x}]", self.key.hash_one(value)));
        }
        if SECRET.iter().any(&is) || is_secret_header(name) {
            return Some(MARKER.to_owned());
        }
        URLS.iter().any(is).then(|| without_secrets(value))
    }
}

/// Returns whether the name of a custom header suggests a credential. Those of MCP are known.
fn is_secret_header(name: &str) -> bool {
    const PARTS: [&str; 5] = ["token", "secret", "password", "api-key", "apikey"];
    let name = name.to_ascii_lowercase();
    PARTS.iter().any(|part| name.contains(part))
}

/// Returns a URL or a target with the values of suspicious parameters replaced, and without user and password.
#[must_use]
pub fn without_secrets(url: &str) -> String {
    let (before, query) = match url.split_once('?') {
        Some((before, query)) => (before, Some(query)),
        None => (url, None),
    };
    let before = match before.split_once("://") {
        Some((scheme, rest)) => {
            let end = rest.find('/').unwrap_or(rest.len());
            let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
            match authority.rsplit_once('@') {
                Some((_, host)) => format!("{scheme}://{MARKER}@{host}{path}"),
                None => before.to_owned(),
            }
        }
        None => before.to_owned(),
    };
    let Some(query) = query else { return before };
    let parameters: Vec<String> = query
        .split('&')
        .map(|parameter| match parameter.split_once('=') {
            Some((name, _)) if is_secret_parameter(name) => format!("{name}={MARKER}"),
            _ => parameter.to_owned(),
        })
        .collect();
    format!("{before}?{}", parameters.join("&"))
}

fn is_secret_parameter(name: &str) -> bool {
    // An encoded name may hide what it is.
    let name = name.to_ascii_lowercase();
    name.contains('%') || SECRET_PARTS.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::{Credentials, without_secrets};

    #[test]
    fn credentials_are_replaced_and_nothing_else() {
        let credentials = Credentials::default();
        for (name, value, expected) in [
            ("Authorization", "Bearer abc", "[redacted]"),
            ("COOKIE", "a=b", "[redacted]"),
            ("X-Gitlab-Token", "abc", "[redacted]"),
            ("Mcp-Name", "get_token", "get_token"),
            ("Accept", "*/*", "*/*"),
            (
                "Referer",
                "https://u:p@h/x?access_token=s&a=1",
                "https://[redacted]@h/x?access_token=[redacted]&a=1",
            ),
        ] {
            let fields = vec![(Cow::Borrowed(name), Cow::Borrowed(value))];
            assert_eq!(credentials.fields(&fields), [(name.into(), expected.into())]);
        }
    }

    #[test]
    fn sessions_can_be_told_apart() {
        let of = |credentials: &Credentials, id: &'static str| {
            let fields = vec![(Cow::Borrowed("Mcp-Session-Id"), Cow::Borrowed(id))];
            credentials.fields(&fields).remove(0).1.into_owned()
        };
        let one = Credentials::default();
        assert_eq!(of(&one, "abc"), of(&one, " abc"));
        assert_ne!(of(&one, "abc"), of(&one, "abd"));
        assert!(of(&one, "abc").bytes().all(|byte| byte.is_ascii_graphic()));
        assert!(of(&one, "a\u{e9}c").contains(' '));
        // Each recording has its own key.
        assert_ne!(of(&one, "abc"), of(&Credentials::default(), "abc"));
    }

    #[test]
    fn targets_keep_what_is_harmless() {
        for (target, expected) in [
            ("/mcp", "/mcp"),
            ("/mcp?a=1&API_KEY=x&%74oken=y&b", "/mcp?a=1&API_KEY=[redacted]&%74oken=[redacted]&b"),
            ("http://user:pw@host:1/mcp", "http://[redacted]@host:1/mcp"),
        ] {
            assert_eq!(without_secrets(target), expected);
        }
    }
}
