//! The address of a server.

use std::fmt;

use tautline_audit::credentials::without_secrets;

/// An address such as `http://127.0.0.1:8080/mcp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    text: String,
    /// True for https.
    pub is_https: bool,
    /// The value of `Host`: the name and the port, as they were written.
    pub authority: String,
    /// The name or the address, without brackets.
    pub name: String,
    pub port: u16,
    /// The path with its query, which begins with a slash.
    pub path: String,
}

impl Url {
    /// Reads an address.
    ///
    /// # Errors
    ///
    /// Returns the reason in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (scheme, rest) = text.split_once("://").ok_or("expected http://HOST:PORT/PATH")?;
        let is_https = match scheme.to_ascii_lowercase().as_str() {
            "http" => false,
            "https" if cfg!(feature = "tls") => true,
            "https" => return Err("this program was built without the feature `tls`".to_owned()),
            _ => return Err(format!("`{scheme}` is neither http nor https")),
        };
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let is_visible = |byte: u8| byte.is_ascii_graphic() && byte != b'#';
        if !rest.bytes().all(is_visible) {
            return Err("expected visible ASCII without a fragment".to_owned());
        }
        if authority.contains('@') {
            return Err("a user name is not supported".to_owned());
        }
        let (name, port) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((name, "")) => (name, None),
            Some((name, rest)) => (name, Some(rest.strip_prefix(':').ok_or("expected a port")?)),
            None => match authority.split_once(':') {
                Some((name, port)) => (name, Some(port)),
                None => (authority, None),
            },
        };
        let port = match port {
            Some(port) => port.parse().map_err(|_| format!("`{port}` is not a port"))?,
            None if is_https => 443,
            None => 80,
        };
        if name.is_empty() {
            return Err("the name of the server is missing".to_owned());
        }
        let slash = if path.starts_with('/') { "" } else { "/" };
        Ok(Self {
            text: text.to_owned(),
            is_https,
            authority: authority.to_owned(),
            name: name.to_owned(),
            port,
            path: format!("{slash}{path}"),
        })
    }

    /// Returns the origin of the server itself.
    pub fn origin(&self) -> String {
        format!("{}://{}", self.scheme(), self.authority)
    }

    /// Returns the address as a client writes it in the absolute form.
    pub fn absolute(&self) -> String {
        format!("{}{}", self.origin(), self.path)
    }

    /// Returns the address without credentials, for reports.
    pub fn shown(&self) -> Self {
        Self { text: self.to_string(), path: without_secrets(&self.path), ..self.clone() }
    }

    const fn scheme(&self) -> &'static str {
        if self.is_https { "https" } else { "http" }
    }
}

/// Writes the address as the user has, without credentials.
impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&without_secrets(&self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::Url;

    #[test]
    fn an_address_has_its_parts() {
        for (text, authority, name, port, path) in [
            ("http://127.0.0.1:8080/mcp", "127.0.0.1:8080", "127.0.0.1", 8080, "/mcp"),
            ("HTTP://localhost", "localhost", "localhost", 80, "/"),
            ("http://[::1]:7/a?b=c", "[::1]:7", "::1", 7, "/a?b=c"),
            ("http://[::1]?b", "[::1]", "::1", 80, "/?b"),
        ] {
            let url = Url::parse(text).unwrap();
            assert_eq!((&*url.authority, &*url.name), (authority, name), "{text}");
            assert_eq!((url.port, &*url.path), (port, path), "{text}");
            assert_eq!(url.to_string(), text);
            assert_eq!(url.absolute(), format!("http://{authority}{path}"));
        }
        let url = Url::parse("http://h/mcp?key=a&b=c").unwrap();
        assert_eq!(url.path, "/mcp?key=a&b=c");
        assert_eq!(url.to_string(), "http://h/mcp?key=[redacted]&b=c");
        assert_eq!(url.shown().path, "/mcp?key=[redacted]&b=c");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in [
            "localhost:80",
            "ftp://a",
            "http://",
            "http://:80",
            "http://a:99999",
            "http://a:b",
            "http://u@a",
            "http://a/#f",
            "http://a b",
            "http://[::1]x",
        ] {
            assert!(Url::parse(text).is_err(), "{text}");
        }
        assert_eq!(Url::parse("https://a").is_ok(), cfg!(feature = "tls"));
    }
}
