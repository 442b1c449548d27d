//! What MCP and LSP add to a connection: progress, and `ping`.

use tautline::encode::EncodeError;
use tautline::{Message, Notification, Profile, RawStr};
#[cfg(feature = "mcp")]
use tautline_mcp::{Id, KnownMethod, ParamsView, Revision, meta};

/// The protocol of a connection, beyond its profile.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Protocol {
    JsonRpc,
    Lsp,
    #[cfg(feature = "mcp")]
    Mcp(Revision),
}

/// The prefix of the tokens that this side gives to a language server. A server can create tokens too, and those are
/// often plain numbers.
const LSP_TOKEN: &str = "call-";

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
                let token = params??.member("token")?.string()?.decode().ok()?;
                token.strip_prefix(LSP_TOKEN)?.parse().ok()
            }
            #[cfg(feature = "mcp")]
            Self::Mcp(_) => {
                let is_progress = notification.method() == KnownMethod::Progress.name();
                let params = is_progress.then(|| notification.params())??;
                match ParamsView::of(params)?.progress_token()? {
                    Id::Number(number) if number.is_plain_integer() => number.as_u64(),
                    _ => None,
                }
            }
        }
    }

    /// Adds the token for progress to an encoded request, if the call with this id listens.
    pub(crate) fn complete(
        self,
        line: Vec<u8>,
        listener: Option<u64>,
    ) -> Result<Vec<u8>, EncodeError> {
        let Some(id) = listener else { return Ok(line) };
        match self {
            Self::JsonRpc => Ok(line),
            Self::Lsp => {
                let token = Member::plain("workDoneToken", &format!("\"{LSP_TOKEN}{id}\""));
                insert(line, Place::Params, [&token].into_iter())
            }
            #[cfg(feature = "mcp")]
            Self::Mcp(_) => {
                let token = Member::plain(meta::PROGRESS_TOKEN, &id.to_string());
                insert(line, Place::Meta, [&token].into_iter())
            }
        }
    }
}

/// A member of an object.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    name: &'static str,
    /// The name, a colon and the value, as JSON on one line.
    text: Vec<u8>,
}

impl Member {
    /// Creates a member with a name that needs no escapes, and this JSON text.
    fn plain(name: &'static str, value: &str) -> Self {
        Self { name, text: format!("\"{name}\":{value}").into_bytes() }
    }
}

/// The object that gets new members.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// The params of a request.
    Params,
    /// The member `_meta` of the params.
    #[cfg_attr(not(feature = "mcp"), expect(dead_code, reason = "only MCP has `_meta`"))]
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
