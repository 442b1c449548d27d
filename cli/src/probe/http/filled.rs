//! The bytes of the corpus with the address and the session of a server in them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use tautline_conformance::Step;

use super::url::Url;

/// The values of the placeholders.
#[derive(Clone, Copy)]
pub struct Filling<'a> {
    pub url: &'a Url,
    pub revision: &'a str,
    pub session: Option<&'a str>,
}

impl Filling<'_> {
    /// Replaces the placeholders in the steps of a case.
    pub fn steps(&self, steps: &[Step]) -> Vec<Step> {
        let filled = steps.iter().map(|step| match step {
            Step::Text(text) => match String::from_utf8(self.fill(text.as_bytes())) {
                Ok(text) => Step::Text(text),
                Err(error) => Step::Base64(STANDARD.encode(error.as_bytes())),
            },
            Step::Base64(_) => match step.bytes() {
                Some((bytes, _)) => Step::Base64(STANDARD.encode(self.fill(&bytes))),
                None => step.clone(),
            },
            other => other.clone(),
        });
        filled.collect()
    }

    /// Replaces the placeholders.
    pub fn fill(&self, bytes: &[u8]) -> Vec<u8> {
        let session =
            self.session.map_or_else(String::new, |id| format!("Mcp-Session-Id: {id}\r\n"));
        let mut out = Vec::with_capacity(bytes.len() + 64);
        let mut rest = bytes;
        while let Some(at) = memchr::memchr(b'{', rest) {
            let (before, after) = rest.split_at(at);
            out.extend_from_slice(before);
            let value = |name: &[u8]| match name {
                b"{HOST}" => Some(self.url.authority.clone()),
                b"{PATH}" => Some(self.url.path.clone()),
                b"{URL}" => Some(self.url.absolute()),
                b"{ORIGIN}" => Some(self.url.origin()),
                b"{REVISION}" => Some(self.revision.to_owned()),
                b"{SESSION}" => Some(session.clone()),
                b"{SESSIONID}" => self.session.map(str::to_owned),
                _ => None,
            };
            let end = after.iter().take(16).position(|&byte| byte == b'}');
            let name = end.map(|end| &after[..=end]);
            match name.and_then(|name| Some((name.len(), value(name)?))) {
                Some((length, value)) => {
                    out.extend_from_slice(value.as_bytes());
                    rest = &after[length..];
                }
                None => {
                    out.push(b'{');
                    rest = &after[1..];
                }
            }
        }
        out.extend_from_slice(rest);
        out
    }

    /// Returns the survival request of a revision, with an id and the length of its body.
    pub fn request(&self, survival: &str, id: &str) -> Vec<u8> {
        let (head, body) = survival.split_once("\r\n\r\n").unwrap_or((survival, ""));
        self.with_body(head, &body.replace("{ID}", id))
    }

    /// Returns a request with another message as its body, whose headers are those of the survival request.
    pub fn of_message(&self, survival: &str, message: &str) -> Vec<u8> {
        let (head, usual) = survival.split_once("\r\n\r\n").unwrap_or((survival, ""));
        let method = |text: &str| -> Option<String> {
            let value: Value = serde_json::from_str(text).ok()?;
            Some(value.get("method")?.as_str()?.to_owned())
        };
        let head = match (method(&usual.replace("{ID}", "0")), method(message)) {
            (Some(usual), Some(method)) => {
                head.replace(&format!("Mcp-Method: {usual}"), &format!("Mcp-Method: {method}"))
            }
            _ => head.to_owned(),
        };
        self.with_body(&head, message)
    }

    fn with_body(&self, head: &str, body: &str) -> Vec<u8> {
        let head = head.replace("{LENGTH}", &body.len().to_string());
        let mut request = self.fill(head.as_bytes());
        request.extend_from_slice(b"\r\n\r\n");
        request.extend_from_slice(body.as_bytes());
        request
    }
}

/// Adds header lines to the requests that begin in a step. A step without a request line stays as it is.
pub fn with_lines(step: &Step, lines: &[String]) -> Step {
    if lines.is_empty() {
        return step.clone();
    }
    match (step, step.bytes()) {
        (Step::Text(_) | Step::Base64(_), Some((bytes, _))) => {
            Step::Base64(STANDARD.encode(with_lines_in(&bytes, lines)))
        }
        _ => step.clone(),
    }
}

fn with_lines_in(bytes: &[u8], lines: &[String]) -> Vec<u8> {
    let blank = bytes.iter().take_while(|byte| b"\r\n".contains(byte)).count();
    let end = bytes.iter().skip(blank).position(|&byte| byte == b'\n').map(|end| blank + end + 1);
    let (first, rest) = bytes.split_at(end.unwrap_or(0));
    let is_request = first.windows(6).any(|window| window == b" HTTP/");
    if !is_request {
        return bytes.to_vec();
    }
    let line_end = if first.ends_with(b"\r\n") { "\r\n" } else { "\n" };
    let lines: String = lines.iter().map(|line| format!("{line}{line_end}")).collect();
    [first, lines.as_bytes(), rest].concat()
}

/// Reads a header line, such as `Authorization: Bearer x`.
///
/// # Errors
///
/// Returns the reason in words.
pub fn header_line(text: &str) -> Result<String, String> {
    let (name, value) = text.split_once(':').ok_or("expected a name, a colon and a value")?;
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(format!("`{name}` is not the name of a header"));
    }
    let is_visible = |byte: u8| matches!(byte, b' '..=b'~' | b'\t');
    match value.bytes().all(is_visible) {
        true => Ok(format!("{name}: {}", value.trim())),
        false => Err("a value consists of visible ASCII characters, spaces and tabs".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use tautline_conformance::Step;

    use super::{Filling, Url, header_line, with_lines};

    #[test]
    fn header_lines_are_added_to_requests_only() {
        let lines = [header_line("X-Key:  a b ").unwrap(), header_line("Y: c").unwrap()];
        let added = |text: &str| {
            let step = with_lines(&Step::Text(text.to_owned()), &lines);
            String::from_utf8(step.bytes().unwrap().0.into_owned()).unwrap()
        };
        let head = "X-Key: a b\r\nY: c\r\n";
        for (text, expected) in [
            (
                "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
                format!("GET / HTTP/1.1\r\n{head}Host: a\r\n\r\n"),
            ),
            ("\r\nGET / HTTP/1.1\r\n\r\n", format!("\r\nGET / HTTP/1.1\r\n{head}\r\n")),
            ("GET / HTTP/1.1\n\n", "GET / HTTP/1.1\nX-Key: a b\nY: c\n\n".to_owned()),
            ("{\"a\":1}\r\n", "{\"a\":1}\r\n".to_owned()),
            ("hello", "hello".to_owned()),
        ] {
            assert_eq!(added(text), expected);
        }
        let close = Step::PauseMs(7);
        assert_eq!(with_lines(&close, &lines), close);
        for wrong in ["X-Key", ": a", "X Key: a", "X: a\r\nY: b", "X: é"] {
            assert!(header_line(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn placeholders_are_replaced_and_nothing_else() {
        let url = Url::parse("http://[::1]:80/mcp?a").unwrap();
        let mut filling = Filling { url: &url, revision: "2025-11-25", session: None };
        let text = b"POST {PATH} HTTP/1.1\r\nHost: {HOST}\r\n{SESSION}Origin: {ORIGIN}\r\n\r\n{\"a\":{PATHS}{\xFF";
        let head = "POST /mcp?a HTTP/1.1\r\nHost: [::1]:80\r\nOrigin: http://[::1]:80\r\n\r\n";
        assert_eq!(filling.fill(text), [head.as_bytes(), b"{\"a\":{PATHS}{\xFF"].concat());
        filling.session = Some("s");
        assert_eq!(filling.fill(b"{SESSION}{URL}"), b"Mcp-Session-Id: s\r\nhttp://[::1]:80/mcp?a");
    }

    #[test]
    fn lengths_and_methods_follow_the_message() {
        let url = Url::parse("http://a/").unwrap();
        let filling = Filling { url: &url, revision: "", session: None };
        let usual =
            "X\r\nMcp-Method: b\r\nContent-Length: {LENGTH}\r\n\r\n{\"id\":{ID},\"method\":\"b\"}";
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let expected =
            "X\r\nMcp-Method: b\r\nContent-Length: 21\r\n\r\n{\"id\":\"7\",\"method\":\"b\"}";
        assert_eq!(text(filling.request(usual, "\"7\"")), expected.replace("21", "23"));
        let other = "{\"id\":1,\"method\":\"other\"}";
        let expected = format!("X\r\nMcp-Method: other\r\nContent-Length: 25\r\n\r\n{other}");
        assert_eq!(text(filling.of_message(usual, other)), expected);
    }
}
