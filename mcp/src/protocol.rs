//! Protocols: which one the two sides of a session speak, as their first messages show.

use tautline::frame::FramingKind;
use tautline::internal::name::{display_name, named};
use tautline::json::Kind;
use tautline::{Call, Envelope, Message, Profile, RawJson, RawStr, Response};

use crate::{KnownMethod, MetaView, ParamsView};

/// A protocol of messages in JSON that a session may speak.
///
/// ```
/// use tautline_mcp::protocol::{Protocol, Sign};
/// use tautline_mcp::frame::FramingKind;
///
/// let frame = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":7,"rootUri":null,
///     "capabilities":{}}}"#;
/// let sign = Sign::of(frame, FramingKind::ContentLength).unwrap();
/// assert_eq!(sign.protocol(), Protocol::Lsp);
/// assert_eq!(sign.reason(), "initialize has the member processId");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Protocol {
    /// The Model Context Protocol.
    Mcp,
    /// The Language Server Protocol.
    Lsp,
    /// The Agent Client Protocol.
    Acp,
    /// JSON-RPC 2.0 with methods of its own, such as Ethereum's.
    JsonRpc,
    /// JSON-RPC 1.0, whose messages have no member `jsonrpc`.
    JsonRpc1,
    /// The Debug Adapter Protocol, which is not JSON-RPC.
    Dap,
}

display_name!(Protocol);
named!(Protocol, "a protocol");

impl Protocol {
    /// All protocols.
    pub const ALL: &[Self] =
        &[Self::Mcp, Self::Lsp, Self::Acp, Self::JsonRpc, Self::JsonRpc1, Self::Dap];

    /// Returns the stable name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::Lsp => "lsp",
            Self::Acp => "acp",
            Self::JsonRpc => "jsonrpc",
            Self::JsonRpc1 => "jsonrpc-1.0",
            Self::Dap => "dap",
        }
    }

    /// Returns the name for people, which fits into a sentence.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Mcp => "MCP",
            Self::Lsp => "LSP",
            Self::Acp => "the Agent Client Protocol",
            Self::JsonRpc => "JSON-RPC 2.0",
            Self::JsonRpc1 => "JSON-RPC 1.0",
            Self::Dap => "the Debug Adapter Protocol",
        }
    }

    /// Returns the profile for its envelopes, or `None` if each revision has its own, or if its messages are not
    /// JSON-RPC 2.0.
    #[must_use]
    pub const fn profile(self) -> Option<Profile> {
        match self {
            Self::Lsp => Some(Profile::LSP),
            Self::Acp | Self::JsonRpc => Some(Profile::JSON_RPC),
            Self::Mcp | Self::JsonRpc1 | Self::Dap => None,
        }
    }
}

/// What a frame shows about the protocol of its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sign {
    protocol: Protocol,
    reason: &'static str,
    is_certain: bool,
    is_handshake: bool,
}

/// The names before the slash in methods of LSP.
const LSP_FAMILIES: [&str; 16] = [
    "$",
    "textDocument",
    "workspace",
    "window",
    "client",
    "telemetry",
    "notebookDocument",
    "completionItem",
    "codeAction",
    "codeLens",
    "documentLink",
    "inlayHint",
    "workspaceSymbol",
    "callHierarchy",
    "typeHierarchy",
    "language",
];

/// The methods of LSP without a slash that other protocols do not share.
const LSP_METHODS: [&str; 3] = ["initialized", "shutdown", "exit"];

/// The methods of the Agent Client Protocol.
const ACP_METHODS: [&str; 18] = [
    "authenticate",
    "session/new",
    "session/load",
    "session/list",
    "session/resume",
    "session/prompt",
    "session/cancel",
    "session/update",
    "session/set_mode",
    "session/set_model",
    "session/request_permission",
    "fs/read_text_file",
    "fs/write_text_file",
    "terminal/create",
    "terminal/output",
    "terminal/release",
    "terminal/kill",
    "terminal/wait_for_exit",
];

/// The names before the slash in methods of MCP.
const MCP_FAMILIES: [&str; 12] = [
    "notifications",
    "tools",
    "prompts",
    "resources",
    "roots",
    "sampling",
    "elicitation",
    "completion",
    "logging",
    "server",
    "subscriptions",
    "tasks",
];

/// The members of a language server's capabilities that no other protocol has.
const LSP_PROVIDERS: [&str; 6] = [
    "textDocumentSync",
    "hoverProvider",
    "completionProvider",
    "definitionProvider",
    "documentSymbolProvider",
    "positionEncoding",
];

impl Sign {
    /// No sign at all: a session without one is treated as MCP.
    pub const NONE: Self = Self::hint(Protocol::Mcp, "nothing shows another protocol");

    const fn new(protocol: Protocol, reason: &'static str) -> Self {
        Self { protocol, reason, is_certain: true, is_handshake: false }
    }

    const fn hint(protocol: Protocol, reason: &'static str) -> Self {
        Self { protocol, reason, is_certain: false, is_handshake: false }
    }

    /// Returns what a frame shows, in this framing, or `None` if every protocol has such frames. It reads the whole
    /// frame, so ask only until the protocol is known.
    #[must_use]
    pub fn of(frame: &[u8], framing: FramingKind) -> Option<Self> {
        match Envelope::read(frame, &Profile::JSON_RPC).message() {
            Ok(Message::Batch(batch)) => {
                let mut signs = batch
                    .iter()
                    .filter_map(|element| Self::of_message(&element.message().ok()?, framing));
                let first = signs.next()?;
                // One call of a method that no other protocol has is only a hint. A batch of nothing else is more.
                let is_certain =
                    first.is_certain || signs.all(|sign| sign.protocol == first.protocol);
                Some(Self { is_certain, ..first })
            }
            Ok(message) => Self::of_message(&message, framing),
            Err(_) => Self::of_stranger(RawJson::parse(frame).ok()?),
        }
    }

    const fn as_hint_unless_mcp(self) -> Self {
        Self { is_certain: self.is_certain && matches!(self.protocol, Protocol::Mcp), ..self }
    }

    /// Returns whether it is an `initialize` request, which opens a session.
    #[must_use]
    pub const fn is_handshake(self) -> bool {
        self.is_handshake
    }

    /// Returns the protocol.
    #[must_use]
    pub const fn protocol(self) -> Protocol {
        self.protocol
    }

    /// Returns what shows it, as a clause such as `initialize has the member processId`.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        self.reason
    }

    /// Returns whether no other protocol has such a frame. If not, several of them decide.
    #[must_use]
    pub const fn is_certain(self) -> bool {
        self.is_certain
    }

    fn of_message(message: &Message<'_>, framing: FramingKind) -> Option<Self> {
        match message {
            Message::Request(request) => Self::of_call(request.call(), framing),
            // Anything may be notified by mistake.
            Message::Notification(note) => {
                Self::of_call(note.call(), framing).map(Self::as_hint_unless_mcp)
            }
            Message::Response(response) => Self::of_response(response),
            Message::Batch(_) => None,
        }
    }

    fn of_call(call: &Call<'_>, framing: FramingKind) -> Option<Self> {
        let (method, params) = (call.method(), call.params());
        if method == *"initialize" {
            return Some(Self { is_handshake: true, ..Self::of_initialize(params, framing) });
        }
        let meta = params.and_then(ParamsView::of).and_then(|params| params.meta());
        if meta.as_ref().is_some_and(has_version) {
            return Some(Self::new(
                Protocol::Mcp,
                "the metadata of a request has a version of MCP",
            ));
        }
        if ACP_METHODS.iter().any(|name| method == **name) {
            return Some(Self::new(Protocol::Acp, "a method of ACP is called"));
        }
        // Many protocols have a ping.
        if method == *"ping" {
            return None;
        }
        if is_of_family(method, &MCP_FAMILIES) || KnownMethod::named(method).is_some() {
            return Some(Self::new(Protocol::Mcp, "a method of MCP is called"));
        }
        if is_of_family(method, &LSP_FAMILIES) || LSP_METHODS.iter().any(|name| method == **name) {
            return Some(Self::new(Protocol::Lsp, "a method of LSP is called"));
        }
        if params.is_some_and(|params| params.kind() == Kind::Array) {
            let reason = "a method of its own is called, with params by position";
            return Some(Self::hint(Protocol::JsonRpc, reason));
        }
        Some(Self::hint(Protocol::JsonRpc, "only methods of its own are called"))
    }

    fn of_initialize(params: Option<RawJson<'_>>, framing: FramingKind) -> Self {
        let member = |name| params.and_then(|params| params.member(name));
        let kind = |name| member(name).map(|value| value.kind());
        if kind("processId").is_some() {
            return Self::new(Protocol::Lsp, "initialize has the member processId");
        }
        if kind("rootUri").is_some() || kind("rootPath").is_some() {
            return Self::new(Protocol::Lsp, "initialize has the root of a workspace");
        }
        if kind("clientCapabilities").is_some() {
            return Self::new(Protocol::Acp, "initialize has the member clientCapabilities");
        }
        match (kind("protocolVersion"), framing) {
            (Some(Kind::Number), _) => {
                Self::new(Protocol::Acp, "initialize has a number as protocolVersion")
            }
            (None, FramingKind::ContentLength) => {
                Self::new(Protocol::Lsp, "initialize comes with a Content-Length header")
            }
            (Some(_), _) => Self::new(Protocol::Mcp, "initialize has the member protocolVersion"),
            (None, _) => Self::new(Protocol::Mcp, "initialize is called"),
        }
    }

    fn of_response(response: &Response<'_>) -> Option<Self> {
        let result = response.result()?;
        let kind = |name| result.member(name).map(|value| value.kind());
        if kind("agentCapabilities").is_some() {
            return Some(Self::new(Protocol::Acp, "a result has the member agentCapabilities"));
        }
        match kind("protocolVersion") {
            Some(Kind::Number) => {
                return Some(Self::new(Protocol::Acp, "a result has a number as protocolVersion"));
            }
            Some(_) => {
                return Some(Self::new(Protocol::Mcp, "a result has the member protocolVersion"));
            }
            None => {}
        }
        if kind("resultType") == Some(Kind::String) {
            return Some(Self::new(Protocol::Mcp, "a result has the member resultType"));
        }
        let capabilities = result.member("capabilities")?;
        LSP_PROVIDERS.iter().any(|name| capabilities.member(name).is_some()).then_some(Self::new(
            Protocol::Lsp,
            "a result has the capabilities of a language server",
        ))
    }

    /// Returns what a JSON value shows that is not a message of JSON-RPC 2.0.
    fn of_stranger(value: RawJson<'_>) -> Option<Self> {
        let kind = |name| value.member(name).map(|value| value.kind());
        if kind("jsonrpc").is_some() {
            return None;
        }
        let is_type =
            |kind: RawStr<'_>| ["request", "response", "event"].iter().any(|name| kind == **name);
        if kind("seq") == Some(Kind::Number)
            && value.member("type").and_then(|kind| kind.string()).is_some_and(is_type)
        {
            return Some(Self::hint(Protocol::Dap, "a message has the members seq and type"));
        }
        let calls = kind("method") == Some(Kind::String) && kind("params") == Some(Kind::Array);
        let answers = kind("result").is_some() && kind("error").is_some();
        ((calls || answers) && kind("id").is_some())
            .then_some(Self::hint(Protocol::JsonRpc1, "messages have no member jsonrpc"))
    }
}

/// Returns whether the metadata names a revision.
fn has_version(meta: &MetaView<'_>) -> bool {
    meta.protocol_version().is_some()
}

/// Returns whether a method has one of these names before its first slash.
fn is_of_family(method: RawStr<'_>, families: &[&str]) -> bool {
    let bytes = method.escaped_bytes();
    let Some(end) = bytes.iter().position(|&byte| byte == b'/') else { return false };
    bytes.get(..end).is_some_and(|family| families.iter().any(|name| name.as_bytes() == family))
}

#[cfg(test)]
mod tests {
    use std::string::String;

    use tautline::frame::FramingKind;

    use super::{Protocol, Sign};

    fn of(frame: &str) -> Option<(Protocol, bool)> {
        let sign = Sign::of(frame.as_bytes(), FramingKind::Ndjson)?;
        Some((sign.protocol(), sign.is_certain()))
    }

    fn call(method: &str, params: &str) -> String {
        std::format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
    }

    #[test]
    fn initialize_shows_the_protocol_by_its_params() {
        for (params, protocol) in [
            (r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#, Protocol::Mcp),
            (r#"{"capabilities":{},"clientInfo":{"name":"a","version":"1"}}"#, Protocol::Mcp),
            (r#"{"processId":null,"rootUri":null,"capabilities":{}}"#, Protocol::Lsp),
            (r#"{"rootPath":"/a","capabilities":{},"clientInfo":{"name":"a"}}"#, Protocol::Lsp),
            (r#"{"protocolVersion":1}"#, Protocol::Acp),
            (r#"{"protocolVersion":"1","clientCapabilities":{"fs":{}}}"#, Protocol::Acp),
        ] {
            assert_eq!(of(&call("initialize", params)), Some((protocol, true)), "{params}");
        }
        let bare = call("initialize", "{}");
        let framed = Sign::of(bare.as_bytes(), FramingKind::ContentLength);
        assert_eq!(framed.map(Sign::protocol), Some(Protocol::Lsp));
    }

    #[test]
    fn methods_show_the_protocol_unless_others_may_have_them() {
        for (method, params, expected) in [
            ("tools/call", "{}", Some((Protocol::Mcp, true))),
            ("tools/frobnicate", "{}", Some((Protocol::Mcp, true))),
            ("textDocument/hover", "{}", Some((Protocol::Lsp, true))),
            ("$/cancelRequest", "{}", Some((Protocol::Lsp, true))),
            ("shutdown", "{}", Some((Protocol::Lsp, true))),
            ("session/prompt", "{}", Some((Protocol::Acp, true))),
            ("eth_blockNumber", "[]", Some((Protocol::JsonRpc, false))),
            ("add", r#"{"a":1}"#, Some((Protocol::JsonRpc, false))),
            ("ping", "{}", None),
        ] {
            assert_eq!(of(&call(method, params)), expected, "{method}");
        }
    }

    #[test]
    fn results_and_strangers_show_it_too() {
        for (frame, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"x"}}"#, Some(Protocol::Mcp)),
            (r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}"#, Some(Protocol::Mcp)),
            (r#"{"jsonrpc":"2.0","id":1,"result":{"agentCapabilities":{}}}"#, Some(Protocol::Acp)),
            (
                r#"{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"hoverProvider":true}}}"#,
                Some(Protocol::Lsp),
            ),
            (r#"{"jsonrpc":"2.0","id":1,"result":{"capabilities":{}}}"#, None),
            (r#"{"jsonrpc":"2.0","id":1,"result":"0x1"}"#, None),
            (r#"{"seq":1,"type":"request","command":"initialize"}"#, Some(Protocol::Dap)),
            (r#"{"id":1,"method":"echo","params":["a"]}"#, Some(Protocol::JsonRpc1)),
            (r#"{"id":1,"result":"a","error":null}"#, Some(Protocol::JsonRpc1)),
            (r#"{"seq":1,"type":"log"}"#, None),
            ("listening on 3000", None),
        ] {
            assert_eq!(of(frame).map(|(protocol, _)| protocol), expected, "{frame}");
        }
    }

    #[test]
    fn a_batch_of_foreign_methods_is_certain() {
        let batch =
            r#"[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"}]"#;
        assert_eq!(of(batch), Some((Protocol::JsonRpc, true)));
        let mcp = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/list"}]"#;
        assert_eq!(of(mcp), Some((Protocol::Mcp, true)));
    }
}
