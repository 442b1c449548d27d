//! Additions of MCP and LSP to a connection: progress, `_meta`, and `ping`.

use std::borrow::Cow;

#[cfg(feature = "mcp")]
use memchr::memmem;
use tautline::encode::EncodeError;
#[cfg(feature = "mcp")]
use tautline::encode::{Encoder, Payload, object};
use tautline::{Message, Notification, Profile, RawStr};
#[cfg(feature = "mcp")]
use tautline_mcp::{Era, Id, KnownMethod, ParamsView, Revision, meta};

/// The protocol of a connection, beyond its profile.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Protocol {
    JsonRpc,
    Lsp,
    #[cfg(feature = "mcp")]
    Mcp(Revision),
}

/// The prefix of the tokens that this side gives to its calls. A language server can create tokens too, and callers can
/// choose their own. Those are often plain numbers.
const TOKEN: &str = "call-";

/// Returns the token of the call with this id, as JSON.
fn token_of(id: u64) -> String {
    format!("\"{TOKEN}{id}\"")
}

/// Returns the id of the call with this token.
fn id_of(token: RawStr<'_>) -> Option<u64> {
    let token = token.decode().ok()?;
    let id = token.strip_prefix(TOKEN)?.parse().ok()?;
    (*token == *format!("{TOKEN}{id}")).then_some(id)
}

impl Protocol {
    /// Returns the method that is answered without a handler, if there is one.
    pub(crate) fn ping(self) -> Option<&'static str> {
        match self {
            Self::JsonRpc | Self::Lsp => None,
            #[cfg(feature = "mcp")]
            Self::Mcp(revision) => {
                KnownMethod::Ping.use_in(revision).map(|_| KnownMethod::Ping.name())
            }
        }
    }

    /// Returns the id of the call that a progress notification is about. The call may have ended.
    pub(crate) fn call_of(self, notification: &Notification<'_>) -> Option<u64> {
        match self {
            Self::JsonRpc => None,
            Self::Lsp => {
                let params = (notification.method() == "$/progress").then(|| notification.params());
                id_of(params??.member("token")?.string()?)
            }
            #[cfg(feature = "mcp")]
            Self::Mcp(_) => {
                let is_progress = notification.method() == KnownMethod::Progress.name();
                let params = is_progress.then(|| notification.params())??;
                match ParamsView::of(params)?.progress_token()? {
                    Id::String(token) => id_of(token),
                    _ => None,
                }
            }
        }
    }

    /// Adds the member that the protocol demands to an encoded result, if the handler has left it out.
    pub(crate) fn complete_result(self, line: Vec<u8>) -> Vec<u8> {
        match self {
            #[cfg(feature = "mcp")]
            Self::Mcp(revision) if revision.era() == Era::Modern => with_result_type(line),
            _ => line,
        }
    }

    /// Adds the members that the protocol demands to an encoded request: the token for progress, if the call with this
    /// id asks for it, and the members of `_meta`.
    pub(crate) fn complete(
        self,
        line: Vec<u8>,
        listener: Option<u64>,
        defaults: &[Member],
    ) -> Result<Vec<u8>, EncodeError> {
        // Members that come first are preferred.
        match self {
            Self::JsonRpc => insert(line, Place::Meta, defaults.iter()),
            Self::Lsp => {
                let token = |id| Member::plain("workDoneToken", &token_of(id));
                let line = insert(line, Place::Params, listener.map(token).iter())?;
                insert(line, Place::Meta, defaults.iter())
            }
            #[cfg(feature = "mcp")]
            Self::Mcp(revision) => {
                let token = |id: u64| Member::plain(meta::PROGRESS_TOKEN, &token_of(id));
                let token = listener.map(token);
                if revision.era() == Era::Legacy {
                    let legal = |member: &&Member| !MODERN.contains(&&*member.name);
                    let members = token.iter().chain(defaults.iter().filter(legal));
                    return insert(line, Place::Meta, members);
                }
                let version = format!("\"{}\"", revision.name());
                let required = [
                    Member::plain(meta::PROTOCOL_VERSION, &version),
                    Member::plain(meta::CLIENT_CAPABILITIES, "{}"),
                ];
                insert(line, Place::Meta, token.iter().chain(defaults).chain(&required))
            }
        }
    }
}

/// The result type of a result that asks for nothing (MCP 2026-07-28, basic, result types).
#[cfg(feature = "mcp")]
const COMPLETE: &[u8] = b"\"resultType\":\"complete\"";

/// Adds the result type to an encoded result that has none. Results that are no objects stay as they are.
#[cfg(feature = "mcp")]
fn with_result_type(mut line: Vec<u8>) -> Vec<u8> {
    const END: &[u8] = b"}}\n";
    if !line.ends_with(END) || has_result_type(&line) {
        return line;
    }
    line.truncate(line.len().saturating_sub(END.len()));
    if !line.ends_with(b"{") {
        line.push(b',');
    }
    line.extend_from_slice(COMPLETE);
    line.extend_from_slice(END);
    line
}

/// Returns whether the result in this line has a result type.
#[cfg(feature = "mcp")]
fn has_result_type(line: &[u8]) -> bool {
    // A search is faster than a parser. A name that is written with escapes is possible.
    if memmem::find(line, b"resultType").is_none() && memmem::find(line, b"\\u").is_none() {
        return false;
    }
    let Ok(Message::Response(response)) = Message::parse(line, &Profile::JSON_RPC) else {
        return false;
    };
    response.result().and_then(|result| result.member("resultType")).is_some()
}

/// The members of `_meta` that mark a request as one of 2026-07-28.
#[cfg(feature = "mcp")]
const MODERN: [&str; 4] =
    [meta::PROTOCOL_VERSION, meta::CLIENT_CAPABILITIES, meta::CLIENT_INFO, meta::LOG_LEVEL];

/// A member of an object.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    name: Cow<'static, str>,
    /// The name, a colon and the value, as JSON on one line.
    text: Vec<u8>,
}

impl Member {
    /// Encodes a member of `_meta`. Returns `None` if the value is nested too deep to be sent there.
    #[cfg(feature = "mcp")]
    pub(crate) fn new(name: Cow<'static, str>, value: impl Payload) -> Option<Self> {
        let mut line = Encoder::new(Vec::new());
        let meta = object(|meta| meta.member(&name, value));
        line.notification("", Some(object(|params| params.member("_meta", meta)))).ok()?;
        let line = line.into_output();
        let Ok(Message::Notification(notification)) = Message::parse(&line, &Profile::JSON_RPC)
        else {
            return None;
        };
        let text = notification.params()?.member("_meta")?.as_bytes();
        let text = text.strip_prefix(b"{")?.strip_suffix(b"}")?.to_vec();
        Some(Self { name, text })
    }

    /// Creates a member with a name that needs no escapes, and this JSON text.
    fn plain(name: &'static str, value: &str) -> Self {
        Self { name: Cow::Borrowed(name), text: format!("\"{name}\":{value}").into_bytes() }
    }

    #[cfg(feature = "mcp")]
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// The object that gets new members.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// The params of a request.
    Params,
    /// The member `_meta` of the params.
    Meta,
}

/// Inserts members into the text of a request. The object is created if it is absent, and left alone if something else
/// is in its place. Members that are already there are kept.
fn insert<'a>(
    mut line: Vec<u8>,
    place: Place,
    members: impl Iterator<Item = &'a Member> + Clone,
) -> Result<Vec<u8>, EncodeError> {
    if members.clone().next().is_none() {
        return Ok(line);
    }
    let message = Message::parse(&line, &Profile::JSON_RPC).map_err(|_| EncodeError::Payload)?;
    let Message::Request(request) = message else { return Ok(line) };
    let params = request.params();
    let mut existing = params.and_then(|params| params.members()).into_iter().flatten();
    let meta = existing.find(|member| member.name == *"_meta");
    // The object that exists, and what is written around the new members.
    let (object, open, close) = match (params, place) {
        (None, Place::Params) => (None, ",\"params\":{", "}"),
        (None, Place::Meta) => (None, ",\"params\":{\"_meta\":{", "}}"),
        (Some(params), Place::Params) => (Some(params), "", ""),
        (Some(params), Place::Meta) => match meta {
            Some(meta) => (Some(meta.value), "", ""),
            None => (Some(params), "\"_meta\":{", "}"),
        },
    };
    let mut known: Vec<RawStr<'_>> = Vec::new();
    let (at, comma) = match object {
        // The line ends with a brace and the LF.
        None => (line.len().saturating_sub(2), ""),
        Some(object) => {
            let (Some(existing), Some(at)) =
                (object.members(), message.offset_of(object.as_bytes()))
            else {
                return Ok(line);
            };
            let comma = if existing.clone().next().is_some() { "," } else { "" };
            if open.is_empty() {
                known.extend(existing.map(|member| member.name));
            }
            (usize::try_from(at).unwrap_or(usize::MAX).saturating_add(1), comma)
        }
    };
    let mut added: Vec<&Member> = Vec::new();
    for member in members {
        let is_known = known.iter().any(|name| *name == *member.name);
        if !is_known && added.iter().all(|other| other.name != member.name) {
            added.push(member);
        }
    }
    if added.is_empty() {
        return Ok(line);
    }
    let texts: Vec<&[u8]> = added.iter().map(|member| &*member.text).collect();
    let new = [open.as_bytes(), &texts.join(&b','), close.as_bytes(), comma.as_bytes()].concat();
    line.splice(at..at, new);
    Ok(line)
}
