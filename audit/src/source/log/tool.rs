//! The lines beside messages in the logs of certain programs.

use std::borrow::Cow;

use tautline_mcp::Role;

use super::mark::Mark;
use crate::source::sides::Way;
use crate::source::text;

/// A line that is not a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Special<'a> {
    /// A line of the server's standard error.
    Stderr(Cow<'a, str>),
    /// A line that the server wrote instead of a message.
    BadLine(Cow<'a, str>),
    /// The process of the server has exited with this status.
    Exit { code: &'a str },
}

/// Returns what a line has beside messages, if a known program wrote it.
pub(super) fn special(line: &str) -> Option<Special<'_>> {
    if let Some(rest) = helix(line) {
        return of_helix(rest);
    }
    if let Some(rest) = line.strip_prefix("[stderr]") {
        return Some(Special::Stderr(rest.trim_start().into()));
    }
    let rest = gateway(line)?;
    let of_child = rest.strip_prefix("Child ")?;
    if let Some(text) = of_child.strip_prefix("stderr: ") {
        return Some(Special::Stderr(text.into()));
    }
    let text = of_child.strip_prefix("non-JSON: ").or_else(|| {
        let text = of_child.strip_prefix("stdout: ")?;
        (!text.starts_with(['{', '['])).then_some(text)
    });
    if let Some(text) = text {
        return Some(Special::BadLine(text.into()));
    }
    let status = of_child
        .strip_prefix("exited: code=")
        .or_else(|| of_child.strip_prefix("exited with code "))?;
    let end = status.find(|c: char| !c.is_ascii_digit()).unwrap_or(status.len());
    status.get(..end).filter(|code| !code.is_empty()).map(|code| Special::Exit { code })
}

/// Returns the name of the server in a line of a log that mixes several.
pub(super) fn server(line: &str) -> Option<&str> {
    let rest = helix(line)?;
    let (at, _) =
        [" -> ", " <- "].iter().filter_map(|arrow| Some((rest.find(arrow)?, arrow))).min()?;
    let name = rest.get(..at)?;
    let name = [" err", " err:"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    // Errors of the transport have no name.
    (!name.is_empty() && name != "err:" && !name.contains(['{', '"'])).then_some(name)
}

/// Returns the mark of a line that begins with one, in the format of Eglot's older buffers.
pub(super) fn head(line: &str) -> Option<Mark> {
    let (kind, _) = line.strip_prefix('[')?.split_once(']')?;
    let (side, noun) = kind.split_once('-')?;
    let role = match side {
        "client" => Role::Client,
        "server" => Role::Server,
        _ => return None,
    };
    let is_message = matches!(noun, "request" | "reply" | "response" | "notification");
    is_message.then_some(Mark { way: Way::Of(role), is_adjacent: true, is_name: false })
}

/// Returns the text after the level, in a line of Helix.
fn helix(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("helix_lsp::transport [")?;
    rest.split_once("] ").map(|(_, rest)| rest)
}

fn of_helix(rest: &str) -> Option<Special<'_>> {
    let (name, text) = rest.split_once(" <- ")?;
    if name.contains(['{', '"']) {
        return None;
    }
    if name.ends_with(" err") {
        return Some(Special::Stderr(unquoted(text)?));
    }
    // The line that stands where a header is due.
    let (_, text) = text.split_once("Failed to parse header: ")?;
    name.ends_with("err:").then(|| unquoted(text).map(Special::BadLine))?
}

/// Returns the text of a string that Rust has quoted, without its line end.
fn unquoted(quoted: &str) -> Option<Cow<'_, str>> {
    let decoded = text::first_value(quoted).and_then(|(value, _)| text::unescaped(value));
    let text = match decoded {
        Some(text) => Cow::Owned(String::from_utf8_lossy(&text).into_owned()),
        // Rust's escapes are not all those of JSON.
        None => {
            let rest = quoted.strip_prefix('"')?;
            Cow::Borrowed(rest.rsplit_once('"').map_or(rest, |(text, _)| text))
        }
    };
    Some(match text {
        Cow::Borrowed(text) => text.trim_end_matches(['\r', '\n']).into(),
        Cow::Owned(text) => text.trim_end_matches(['\r', '\n']).to_owned().into(),
    })
}

/// Returns the text after the name of a gateway between stdio and HTTP.
fn gateway(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("[supergateway] ")?;
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::{Special, server, special};

    #[test]
    fn lines_beside_messages_are_understood() {
        let helix =
            |rest: &str| format!("2026-01-02T03:04:05.678 helix_lsp::transport [ERROR] {rest}");
        for (line, expected) in [
            (helix(r#"zls err <- "warn: \"x\"\n""#), Special::Stderr("warn: \"x\"".into())),
            (
                helix(r#"err: <- Other(Failed to parse header: "up\ton :3")"#),
                Special::BadLine("up\ton :3".into()),
            ),
            (
                helix(r#"zls err: <- Other(Failed to parse header: "\u{1b}[1mhi")"#),
                Special::BadLine(r"\u{1b}[1mhi".into()),
            ),
            ("[stderr]  starting".to_owned(), Special::Stderr("starting".into())),
            ("[supergateway] Child non-JSON: hi {".to_owned(), Special::BadLine("hi {".into())),
            ("9:00 [supergateway] Child stdout: hi".to_owned(), Special::BadLine("hi".into())),
            ("[supergateway] Child stderr: oh".to_owned(), Special::Stderr("oh".into())),
            (
                "[supergateway] Child exited: code=3, signal=null".to_owned(),
                Special::Exit { code: "3" },
            ),
        ] {
            assert_eq!(special(&line), Some(expected), "{line}");
        }
        assert_eq!(special(&helix("zls <- {\"a\":\" <- \"}")), None);
        assert_eq!(special("[supergateway] Child stdout: {\"jsonrpc\":\"2.0\"}"), None);
        assert_eq!(server(&helix("zls <- {}")), Some("zls"));
        assert_eq!(server(&helix("zls err <- \"a -> b\"")), Some("zls"));
        assert_eq!(server(&helix("zls err: <- StreamClosed")), Some("zls"));
        assert_eq!(server(&helix("err: <- StreamClosed")), None);
    }
}
