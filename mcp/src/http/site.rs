//! `Origin` and `Host`: their syntax, and whom the caller allows.

use core::fmt;

/// The sites whose requests are allowed, by `Origin` or by `Host`.
///
/// A value that is malformed is never allowed.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Allowed<'a> {
    /// All of them.
    Any,
    /// `localhost`, 127.0.0.0/8 and `[::1]`, with any port, and with `http` or `https`.
    Loopback,
    /// These. An origin has a scheme, as in `https://app.example.com`; without a port it stands for the scheme's own port.
    /// A host without a port, as in `example.com`, stands for the host with any port. Case does not matter.
    Listed(&'a [&'a str]),
    /// Those for which the function returns `true`. The function receives the value as it came.
    Judged(&'a (dyn Fn(&[u8]) -> bool + Sync)),
}

impl fmt::Debug for Allowed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("Any"),
            Self::Loopback => f.write_str("Loopback"),
            Self::Listed(sites) => f.debug_tuple("Listed").field(sites).finish(),
            Self::Judged(_) => f.write_str("Judged"),
        }
    }
}

impl Allowed<'_> {
    /// Returns whether the value of `Origin` is well-formed and allowed (RFC 6454, section 7).
    pub(super) fn has_origin(&self, value: &[u8]) -> bool {
        let origin = Site::of_origin(value);
        if origin.is_none() && value != b"null" {
            return false;
        }
        match self {
            Self::Any => true,
            Self::Loopback => origin.is_some_and(|origin| origin.is_web() && origin.is_loopback()),
            Self::Listed(sites) => sites.iter().any(|site| match &origin {
                Some(origin) => Site::of_origin(site.as_bytes()).is_some_and(|site| {
                    site.scheme.eq_ignore_ascii_case(origin.scheme)
                        && site.host.eq_ignore_ascii_case(origin.host)
                        && site.port_or_default() == origin.port_or_default()
                }),
                None => *site == "null",
            }),
            Self::Judged(judge) => judge(value),
        }
    }

    /// Returns whether the value of `Host` is well-formed and allowed (RFC 9110, section 7.2).
    pub(super) fn has_host(&self, value: &[u8]) -> bool {
        let Some(host) = Site::of_host(value) else { return false };
        match self {
            Self::Any => true,
            Self::Loopback => host.is_loopback(),
            Self::Listed(sites) => {
                sites.iter().filter_map(|site| Site::of_host(site.as_bytes())).any(|site| {
                    site.host.eq_ignore_ascii_case(host.host)
                        && (site.port.is_empty() || site.port == host.port)
                })
            }
            Self::Judged(judge) => judge(value),
        }
    }
}

/// The parts of an origin or of a host. A scheme or a port that is absent is empty.
#[derive(Clone, Copy, Debug)]
struct Site<'h> {
    scheme: &'h [u8],
    host: &'h [u8],
    port: &'h [u8],
}

impl<'h> Site<'h> {
    /// Reads an origin: a scheme, a host and maybe a port, and nothing else.
    fn of_origin(value: &'h [u8]) -> Option<Self> {
        let end = value.windows(3).position(|window| window == b"://")?;
        let (scheme, rest) = value.split_at_checked(end)?;
        let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
            && scheme.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte));
        let site = Self::of_host(rest.get(3..)?)?;
        is_scheme.then_some(Self { scheme, ..site })
    }

    /// Reads a host and maybe a port.
    fn of_host(value: &'h [u8]) -> Option<Self> {
        let end = match value.first()? {
            b'[' => value.iter().position(|byte| *byte == b']')?.wrapping_add(1),
            _ => value.iter().position(|byte| *byte == b':').unwrap_or(value.len()),
        };
        let (host, port) = value.split_at_checked(end)?;
        let port = match port {
            [] => port,
            [b':', port @ ..] => port,
            _ => return None,
        };
        let is_host = match host {
            [b'[', address @ .., b']'] => is_ipv6(address),
            name => is_name(name),
        };
        let is_port = port.len() <= 5
            && port.iter().all(u8::is_ascii_digit)
            && number(port) <= u16::MAX.into();
        (is_host && is_port).then_some(Self { scheme: b"", host, port })
    }

    fn is_web(&self) -> bool {
        self.scheme.eq_ignore_ascii_case(b"http") || self.scheme.eq_ignore_ascii_case(b"https")
    }

    fn is_loopback(&self) -> bool {
        if self.host.eq_ignore_ascii_case(b"localhost") {
            return true;
        }
        if let [b'[', address @ .., b']'] = self.host {
            let text = core::str::from_utf8(address).ok();
            let address = text.and_then(|text| text.parse::<core::net::Ipv6Addr>().ok());
            return address.is_some_and(|address| address.is_loopback());
        }
        let text = core::str::from_utf8(self.host).ok();
        let address = text.and_then(|text| text.parse::<core::net::Ipv4Addr>().ok());
        address.is_some_and(|address| address.is_loopback())
    }

    /// Returns the number of the port, or else that of the scheme. It is 0 if the scheme is not known.
    fn port_or_default(&self) -> u32 {
        match self.port {
            [] if self.scheme.eq_ignore_ascii_case(b"http") => 80,
            [] if self.scheme.eq_ignore_ascii_case(b"https") => 443,
            port => number(port),
        }
    }
}

/// Returns the value of at most five digits.
fn number(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |number: u32, digit| {
        number.wrapping_mul(10).wrapping_add(digit.wrapping_sub(b'0').into())
    })
}

/// Returns whether the text is an IPv6 address, as it stands between brackets.
fn is_ipv6(address: &[u8]) -> bool {
    let text = core::str::from_utf8(address).ok();
    text.is_some_and(|text| text.parse::<core::net::Ipv6Addr>().is_ok())
}

/// Returns whether the text is a registered name or an IPv4 address (RFC 3986, section 3.2.2).
fn is_name(mut name: &[u8]) -> bool {
    if name.is_empty() {
        return false;
    }
    loop {
        name = match name {
            [] => return true,
            [b'%', high, low, rest @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                rest
            }
            [byte, rest @ ..]
                if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(byte) =>
            {
                rest
            }
            _ => return false,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::Allowed;

    #[test]
    fn malformed_origins_are_never_allowed() {
        for value in [
            "",
            "localhost",
            "http://",
            "http://a/",
            "http://a b",
            "http://a, http://b",
            "http://a http://b",
            "://a",
            "1http://a",
            "http://user@a",
            "http://a:70000",
            "http://a:8o",
            "http://[::1",
            "http://[::g]",
            "http://a?b",
            "http://é",
            "NULL",
        ] {
            for allowed in
                [Allowed::Any, Allowed::Judged(&|_| true), Allowed::Listed(&["null", ""])]
            {
                assert!(!allowed.has_origin(value.as_bytes()), "{value}");
            }
        }
    }

    #[test]
    fn origins_compare_by_scheme_host_and_port() {
        let listed = Allowed::Listed(&["https://App.example.com", "http://a:8080", "null"]);
        for (value, expected) in [
            ("https://app.example.com", true),
            ("HTTPS://app.EXAMPLE.com:443", true),
            ("http://app.example.com", false),
            ("https://app.example.com:8443", false),
            ("https://app.example.com.evil.net", false),
            ("https://evil.net#app.example.com", false),
            ("http://a:8080", true),
            ("http://a", false),
            ("null", true),
        ] {
            assert_eq!(listed.has_origin(value.as_bytes()), expected, "{value}");
        }
        for (value, expected) in [
            ("http://localhost:3000", true),
            ("https://127.0.0.1", true),
            ("http://127.8.9.1:1", true),
            ("http://[::1]:5173", true),
            ("http://[0:0:0:0:0:0:0:1]", true),
            ("http://localhost.evil.net", false),
            ("http://127.0.0.1.evil.net", false),
            ("http://[::2]", false),
            ("file://localhost", false),
            ("null", false),
        ] {
            assert_eq!(Allowed::Loopback.has_origin(value.as_bytes()), expected, "{value}");
        }
    }

    #[test]
    fn hosts_compare_with_the_port_that_is_listed() {
        let listed = Allowed::Listed(&["example.com", "[::1]:80", "b:1"]);
        for (value, expected) in [
            ("example.com", true),
            ("EXAMPLE.com:8080", true),
            ("example.com.", false),
            ("[::1]:80", true),
            ("[::1]", false),
            ("b:1", true),
            ("b:2", false),
            ("evil.net", false),
        ] {
            assert_eq!(listed.has_host(value.as_bytes()), expected, "{value}");
        }
        for value in ["", ":80", "a:b", "a@b", "a/b", "a b", "[::1]x", "::1", "%zz"] {
            assert!(!Allowed::Any.has_host(value.as_bytes()), "{value}");
        }
        assert!(Allowed::Loopback.has_host(b"LOCALHOST:1"));
        assert!(!Allowed::Loopback.has_host(b"localhost.evil.net"));
    }
}
