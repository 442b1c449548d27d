//! The replacement of credentials in the heads of HTTP.

use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};

use tautline_mcp::http::Field;

use crate::redaction::MARKER;
use crate::source::{Fields, RequestHead, ResponseHead};

/// Parts of the names of headers and parameters that suggest a credential.
const SECRET_PARTS: [&str; 16] = [
    "token",
    "key",
    "secret",
    "passw",
    "passphrase",
    "pwd",
    "auth",
    "sig",
    "credential",
    "cookie",
    "session",
    "jwt",
    "code",
    "assertion",
    "verifier",
    "state",
];

/// Headers with challenges, which hold no credentials.
const CHALLENGES: [&str; 2] = ["www-authenticate", "proxy-authenticate"];

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
        // The names of MCP's own headers are known. Those of parameters are not.
        let is_known = Field::named(name.as_bytes()).is_some_and(|one| one != Field::Parameter);
        if !is_known && !CHALLENGES.iter().any(is) && suggests_secret(name) {
            return Some(MARKER.to_owned());
        }
        URLS.iter().any(is).then(|| without_secrets(value))
    }
}

/// Returns a URL or a target with the values of suspicious parameters replaced, and without user and password. A fragment
/// may have parameters, too.
#[must_use]
pub fn without_secrets(url: &str) -> String {
    let (rest, fragment) = split(url, '#');
    let (address, query) = split(rest, '?');
    let mut text = without_user(address);
    for (mark, parameters) in [('?', query), ('#', fragment)] {
        if let Some(parameters) = parameters {
            text.push(mark);
            text.push_str(&parameters_without_secrets(parameters));
        }
    }
    text
}

fn split(text: &str, mark: char) -> (&str, Option<&str>) {
    text.split_once(mark).map_or((text, None), |(before, after)| (before, Some(after)))
}

fn without_user(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let end = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
    match authority.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://{MARKER}@{host}{path}"),
        None => address.to_owned(),
    }
}

fn parameters_without_secrets(parameters: &str) -> String {
    let replaced = parameters.split('&').map(|parameter| match parameter.split_once('=') {
        Some((name, _)) if suggests_secret(name) => format!("{name}={MARKER}"),
        _ => parameter.to_owned(),
    });
    replaced.collect::<Vec<_>>().join("&")
}

/// Returns whether the name of a header or a parameter suggests a credential.
fn suggests_secret(name: &str) -> bool {
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
            ("X-Functions-Key", "abc", "[redacted]"),
            ("Ocp-Apim-Subscription-Key", "abc", "[redacted]"),
            ("X-Auth-Key", "abc", "[redacted]"),
            ("X-Access-Key", "abc", "[redacted]"),
            ("X-Forwarded-Authorization", "abc", "[redacted]"),
            ("Proxy-Authentication-Info", "abc", "[redacted]"),
            ("Set-Cookie", "a=b", "[redacted]"),
            ("Mcp-Param-Api-Key", "abc", "[redacted]"),
            ("WWW-Authenticate", "Bearer realm=a", "Bearer realm=a"),
            ("Mcp-Name", "get_token", "get_token"),
            ("Mcp-Method", "tools/call", "tools/call"),
            ("MCP-Protocol-Version", "2025-06-18", "2025-06-18"),
            ("Last-Event-ID", "7", "7"),
            ("Content-Encoding", "gzip", "gzip"),
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
            ("https://a/cb#access_token=x&a=1", "https://a/cb#access_token=[redacted]&a=1"),
            ("/cb?a=1#access_token=x", "/cb?a=1#access_token=[redacted]"),
            ("/cb?key=x#top", "/cb?key=[redacted]#top"),
        ] {
            assert_eq!(without_secrets(target), expected);
        }
    }
}
