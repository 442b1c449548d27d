//! The marks of direction in the lines of a log: arrows, and words such as `Send` and `received`.
//!
//! A mark stands before the message. Names, levels and methods may stand around it.

use tautline_mcp::Role;

use crate::source::sides::Way;

/// A mark in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub way: Way,
    /// True if nothing but a noun, such as `message`, stands between the mark and the message.
    pub is_adjacent: bool,
    /// True if the mark is only the name of a side.
    pub is_name: bool,
}

/// A part of the text before a message.
struct Token<'a> {
    kind: Kind<'a>,
    /// The text between this token and the next one.
    gap: &'a str,
    /// True if a word ends where the token begins.
    is_joined: bool,
}

#[derive(Clone, Copy)]
enum Kind<'a> {
    Word(&'a str),
    Arrow { is_right: bool, is_single: bool },
}

/// The length of the text in which a mark is searched, in bytes.
const LONGEST: usize = 256;

/// The number of words between a mark and the message.
const MOST: usize = 8;

const RIGHT: [char; 6] = ['>', '→', '⟶', '⇒', '➡', '↑'];
const LEFT: [char; 6] = ['<', '←', '⟵', '⇐', '⬅', '↓'];

fn is_of_arrow(c: char) -> bool {
    matches!(c, '-' | '=' | '–' | '—') || RIGHT.contains(&c) || LEFT.contains(&c)
}

/// Returns the last tokens of a text, the last one first.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while tokens.len() < MOST + 4 {
        let is_separator = |c: char| !c.is_alphanumeric() && !is_of_arrow(c);
        let end = rest.trim_end_matches(is_separator).len();
        let (before, gap) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let Some(last) = before.chars().next_back() else { break };
        let is_word = last.is_alphanumeric();
        let belongs = |c: char| if is_word { c.is_alphanumeric() } else { is_of_arrow(c) };
        let start = before.trim_end_matches(belongs).len();
        let (others, token) = before.split_at_checked(start).unwrap_or((before, ""));
        rest = others;
        let kind = if is_word {
            Kind::Word(token)
        } else {
            let is_right = token.contains(RIGHT);
            if is_right == token.contains(LEFT) {
                // Dashes, or an arrow in both directions.
                continue;
            }
            Kind::Arrow { is_right, is_single: token.len() == 1 }
        };
        let is_joined = others.chars().next_back().is_some_and(char::is_alphanumeric);
        tokens.push(Token { kind, gap, is_joined });
    }
    tokens
}

/// Returns the mark in the text before a message.
pub(super) fn mark_of(text: &str) -> Option<Mark> {
    let mut start = text.len().saturating_sub(LONGEST);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let tokens = tokens(text.get(start..)?);
    let mut is_adjacent = true;
    let mut name = None;
    for (index, token) in tokens.iter().take(MOST).enumerate() {
        let before = tokens.get(index + 1..).unwrap_or_default();
        let mark = |way| Some(Mark { way, is_adjacent, is_name: false });
        match token.kind {
            Kind::Arrow { is_right, is_single } => {
                let after = index.checked_sub(1).and_then(|index| tokens.get(index));
                if let Some(way) = between(before.first(), token, after, is_right, index == 1) {
                    return mark(way);
                }
                let is_mark = !token.is_joined && (!is_single || index == 0);
                if is_mark {
                    return mark(if is_right { Way::Out } else { Way::In });
                }
            }
            Kind::Word(word) => {
                if let Some(way) = way_of_word(word, before, is_adjacent) {
                    return mark(way);
                }
                if is_adjacent && name.is_none() && !token.is_joined {
                    name = role_of(word).or(match word {
                        "C" => Some(Role::Client),
                        "S" => Some(Role::Server),
                        _ => None,
                    });
                }
                is_adjacent &= is_noun(word);
            }
        }
    }
    name.map(|role| Mark { way: Way::Of(role), is_adjacent: true, is_name: true })
}

/// Returns the side that a word names.
fn role_of(word: &str) -> Option<Role> {
    match word.to_ascii_lowercase().as_str() {
        "client" | "editor" | "ide" | "frontend" => Some(Role::Client),
        "server" | "child" | "backend" | "subprocess" | "langserver" => Some(Role::Server),
        _ => None,
    }
}

/// Returns whether a word may stand between a mark and its message.
fn is_noun(word: &str) -> bool {
    matches!(
        word.to_ascii_lowercase().as_str(),
        "message"
            | "messages"
            | "msg"
            | "request"
            | "response"
            | "notification"
            | "result"
            | "reply"
            | "error"
            | "rpc"
            | "jsonrpc"
            | "json"
            | "lsp"
            | "mcp"
            | "data"
            | "raw"
            | "line"
            | "payload"
            | "body"
            | "text"
            | "packet"
            | "frame"
    )
}

/// Returns what a verb says about the direction: true if its subject sends.
fn sends(word: &str) -> Option<bool> {
    let is_out = match word.to_ascii_lowercase().as_str() {
        "send" | "sends" | "sent" | "sending" | "outgoing" | "outbound" | "tx" | "transmit"
        | "transmitted" | "transmitting" | "wrote" | "writes" | "writing" => true,
        "recv" | "recvd" | "rcvd" | "receive" | "receives" | "received" | "receiving"
        | "incoming" | "inbound" | "rx" | "got" => false,
        _ => return None,
    };
    Some(is_out)
}

/// Returns the first part of a word in camel case.
fn first_part(word: &str) -> &str {
    let mut chars = word.char_indices().skip(1);
    let end = chars.find(|(_, c)| c.is_uppercase()).map_or(word.len(), |(at, _)| at);
    word.get(..end).unwrap_or(word)
}

/// Returns the direction that a word gives, with the words before it, the last one first.
fn way_of_word(word: &str, before: &[Token<'_>], is_adjacent: bool) -> Option<Way> {
    let word_at = |index: usize| match before.get(index)? {
        Token { kind: Kind::Word(word), gap, .. } => Some((*word, *gap)),
        Token { kind: Kind::Arrow { .. }, .. } => None,
    };
    let way = |is_out| if is_out { Way::Out } else { Way::In };
    if let Some(role) = role_of(word) {
        // `to the language server`
        let is_adjective = |word: &str| {
            ["the", "language", "mcp", "lsp", "remote", "stdio"]
                .iter()
                .any(|one| word.eq_ignore_ascii_case(one))
        };
        let at =
            (0..3).find(|&index| word_at(index).is_some_and(|(word, _)| !is_adjective(word)))?;
        let (preposition, _) = word_at(at)?;
        return match preposition.to_ascii_lowercase().as_str() {
            "from" => Some(Way::Of(role)),
            "to" => Some(Way::Of(role.other())),
            "by" => {
                let is_out = sends(word_at(at + 1)?.0)?;
                Some(Way::Of(if is_out { role } else { role.other() }))
            }
            _ => None,
        };
    }
    // `Failed to send message`: nothing was sent.
    let fails = |word: &str| {
        ["failed", "cannot", "unable", "retrying"].iter().any(|one| word.eq_ignore_ascii_case(one))
    };
    if (0..3).filter_map(word_at).any(|(word, _)| fails(word)) {
        return None;
    }
    let lower = word.to_ascii_lowercase();
    let is_out = sends(word).or_else(|| sends(first_part(word)));
    // `Client says`, `the server received`: the subject is next to its verb.
    let subject = word_at(0).filter(|(_, gap)| *gap == " ").and_then(|(word, _)| role_of(word));
    match (is_out, subject) {
        (Some(is_out), Some(role)) => {
            return Some(Way::Of(if is_out { role } else { role.other() }));
        }
        (Some(is_out), None) => return Some(way(is_out)),
        (None, Some(role)) if matches!(&*lower, "says" | "said") => return Some(Way::Of(role)),
        _ => {}
    }
    match lower.as_str() {
        "c2s" => Some(Way::Of(Role::Client)),
        "s2c" => Some(Way::Of(Role::Server)),
        "stdin" if is_adjacent => Some(Way::Of(Role::Client)),
        "stdout" if is_adjacent => Some(Way::Of(Role::Server)),
        "out" | "write" | "output" if is_adjacent => Some(Way::Out),
        "in" | "read" | "input" if is_adjacent => Some(Way::In),
        _ => None,
    }
}

/// Returns the direction that an arrow between two names gives.
fn between(
    left: Option<&Token<'_>>,
    arrow: &Token<'_>,
    right: Option<&Token<'_>>,
    is_right: bool,
    is_last: bool,
) -> Option<Way> {
    let (left, right) = (left?, right?);
    let (Kind::Word(from), Kind::Word(to)) = (left.kind, right.kind) else { return None };
    // The gap of a token comes after it.
    if !is_blank(left.gap) || !is_blank(arrow.gap) {
        return None;
    }
    let [left_role, right_role] = [from, to].map(role_in_pair);
    let left_role = match (left_role, right_role) {
        (Some(left), Some(right)) => strongest(left, right),
        _ => None,
    };
    if let Some(role) = left_role {
        return Some(Way::Of(if is_right { role } else { role.other() }));
    }
    let is_name = |word: &str| {
        word.len() > 1 && word.chars().any(char::is_alphabetic) && !is_level(word) && !is_noun(word)
    };
    // Other names: the order of the names is the same for both directions.
    let are_names = is_last && is_name(from) && is_name(to) && from != to && sends(from).is_none();
    are_names.then_some(if is_right == (from < to) { Way::Out } else { Way::In })
}

fn is_blank(gap: &str) -> bool {
    gap.bytes().all(|byte| byte == b' ')
}

fn is_level(word: &str) -> bool {
    let levels = ["trace", "debug", "info", "notice", "warn", "warning", "error", "fatal"];
    levels.iter().any(|level| word.eq_ignore_ascii_case(level))
}

/// A name at one end of an arrow.
#[derive(Clone, Copy)]
enum End {
    /// The name of a side.
    Side(Role),
    /// A transport on the machine of the client.
    Local,
    /// A transport, or a program between the sides.
    Other,
}

fn role_in_pair(word: &str) -> Option<End> {
    let end = match word.to_ascii_lowercase().as_str() {
        "c" => End::Side(Role::Client),
        "s" => End::Side(Role::Server),
        "stdio" | "stdin" | "local" => End::Local,
        "sse" | "ws" | "websocket" | "http" | "streamablehttp" | "remote" | "proxy" | "bridge"
        | "gateway" => End::Other,
        _ => End::Side(role_of(word)?),
    };
    Some(end)
}

/// Returns the role of the left end.
fn strongest(left: End, right: End) -> Option<Role> {
    match (left, right) {
        (End::Side(left), End::Side(right)) if left == right => None,
        (End::Side(role), _) => Some(role),
        (_, End::Side(role)) => Some(role.other()),
        (End::Local, End::Other) => Some(Role::Client),
        (End::Other, End::Local) => Some(Role::Server),
        (End::Local, End::Local) | (End::Other, End::Other) => None,
    }
}

#[cfg(test)]
mod tests {
    use tautline_mcp::Role;

    use super::{Way, mark_of};

    const CLIENT: Way = Way::Of(Role::Client);
    const SERVER: Way = Way::Of(Role::Server);

    #[test]
    fn marks_are_found() {
        for (text, way) in [
            ("2026-01-02T03:04:05Z gate::wire [INFO] taplo -> ", Way::Out),
            ("--> ", Way::Out),
            ("[jsonrpc] e[12:34:56.789] --> initialize[1] ", Way::Out),
            ("[jsonrpc] e[12:34:56.789] <-- textDocument/publishDiagnostics ", Way::In),
            ("[jsonrpc] e[12:34:56.789]   <-- notifications/tools/list_changed ", Way::In),
            ("> ", Way::Out),
            ("DEBUG lsp_server::msg < ", Way::In),
            ("←", Way::In),
            ("==> request: ", Way::Out),
            ("10:00 DEBUG [Wallet] Send: ", Way::Out),
            ("10:00 DEBUG [Wallet] Recv: ", Way::In),
            ("Sent ", Way::Out),
            ("INFO received message: ", Way::In),
            ("\"type\":\"send-request\" ", Way::Out),
            ("recv_response ", Way::In),
            ("sendRequest(", Way::Out),
            ("Sending notification 'a/b': ", Way::Out),
            ("[IN] ", Way::In),
            ("out: ", Way::Out),
            ("RX ", Way::In),
            ("Message from client: ", CLIENT),
            ("sending reply to client ", SERVER),
            ("request received by server: ", CLIENT),
            ("[Client Says] ", CLIENT),
            ("[server says] ", SERVER),
            ("The server received ", CLIENT),
            ("[c2s] ", CLIENT),
            ("C->S ", CLIENT),
            ("S -> C: ", SERVER),
            ("[client -> server] ", CLIENT),
            ("client <- server: ", SERVER),
            ("[editor → langserver] ", CLIENT),
            ("[x] Child → SSE: ", SERVER),
            ("[x] SSE → Child (session 4f): ", CLIENT),
            ("[x] StreamableHttp → Child ", CLIENT),
            ("Stdio → SSE: ", CLIENT),
            ("[Remote→Local] ", SERVER),
            ("Child stdout: ", SERVER),
            ("nvim -> pyright ", Way::Out),
            ("pyright -> nvim: ", Way::In),
            ("nvim <- pyright ", Way::In),
            ("INFO -> shutdown ", Way::Out),
            ("DEBG To language server: ", CLIENT),
            ("DEBG From the MCP server `x`: ", SERVER),
            ("10:00 - wire - DEBUG - Sending: ", Way::Out),
            ("[10:00 DBG] <<< ", Way::In),
            ("Client request: ", CLIENT),
            ("S: ", SERVER),
            ("client: ", CLIENT),
            ("10:00 [server] ", SERVER),
        ] {
            assert_eq!(mark_of(text).map(|mark| mark.way), Some(way), "{text}");
        }
    }

    #[test]
    fn other_text_is_no_mark() {
        for text in [
            "",
            "data: ",
            "2026-01-02 03:04:05 INFO module ",
            "<info> ",
            "key=> ",
            "a <-> b ",
            "--- ",
            "----------",
            "INFO in module loader: ",
            "sender ",
            "observer ",
            "HTTPS: ",
            "the server of: ",
            "params: ",
            "Failed to send message: ",
            "unable to write: ",
            "Content-Length: 52",
        ] {
            assert_eq!(mark_of(text), None, "{text}");
        }
        assert!(mark_of("client: ").unwrap().is_name);
        assert!(mark_of("Send request: ").unwrap().is_adjacent);
        assert!(!mark_of("--> initialize[1] ").unwrap().is_adjacent);
    }
}
