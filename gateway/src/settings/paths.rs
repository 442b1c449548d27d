//! The paths of the endpoint.

/// The paths whose requests are judged. An empty list stands for every path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Paths(Vec<Vec<u8>>);

impl Paths {
    pub(super) fn new(paths: &[String]) -> Self {
        Self(paths.iter().map(|path| plain(path.as_bytes())).collect())
    }

    /// Returns whether a server could treat this as one of the paths. The query is ignored.
    pub(super) fn have(&self, path: &[u8]) -> bool {
        if self.0.is_empty() {
            return true;
        }
        let path = path.split(|byte| matches!(byte, b'?' | b'#')).next().unwrap_or_default();
        let path = plain(path);
        self.0.contains(&path)
    }
}

/// Writes a path in one way: without escapes, upper case, empty segments, dots, parameters (`;`) and a slash at its end.
/// Servers differ in which of these they ignore, and a request that passes unjudged is worse than one that is judged.
fn plain(path: &[u8]) -> Vec<u8> {
    let path = unescaped(path);
    let mut segments: Vec<&[u8]> = Vec::new();
    for segment in path.split(|byte| matches!(byte, b'/' | b'\\')) {
        match segment.split(|byte| *byte == b';').next().unwrap_or_default() {
            b"" | b"." => {}
            b".." => drop(segments.pop()),
            segment => segments.push(segment),
        }
    }
    segments.join(&b'/')
}

/// Decodes escapes, and writes letters in lower case.
fn unescaped(path: &[u8]) -> Vec<u8> {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let mut plain = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((first, after)) = rest.split_first() {
        let escaped = match (first, digit(after.first()), digit(after.get(1))) {
            (b'%', Some(high), Some(low)) => u8::try_from(high.wrapping_mul(16) | low).ok(),
            _ => None,
        };
        let (byte, after) = match escaped {
            Some(byte) => (byte, after.get(2..).unwrap_or_default()),
            None => (*first, after),
        };
        plain.push(byte.to_ascii_lowercase());
        rest = after;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::Paths;

    #[test]
    fn a_path_is_known_however_it_is_written() {
        let paths = Paths::new(&["/a/MCP".to_owned(), "/".to_owned()]);
        for path in [
            "/a/mcp",
            "/A/mcp/",
            "//a///mcp",
            "/a/./mcp",
            "/a/b/../mcp",
            "/a/mcp;x=y",
            "/a;v=1/mcp?a=b",
            "/a/%6dcp",
            "/a%2Fmcp",
            "/a/%4D%43%50",
            "/a\\mcp",
            "/../a/mcp",
            "/a/mcp#x",
            "/",
            "",
            "/x/..",
        ] {
            assert!(paths.have(path.as_bytes()), "{path}");
        }
        for path in ["/a/mcp2", "/a", "/mcp", "/a/mcp/x", "/a/%", "/a/%6", "/a/%gg", "/a/mcp%00"] {
            assert!(!paths.have(path.as_bytes()), "{path}");
        }
        assert!(Paths::default().have(b"/anything"));
    }
}
