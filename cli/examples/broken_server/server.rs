//! The server without a defect: the handshake of all revisions, and requests with metadata.

use tautline::encode::{Array, Object, array, object};
use tautline::endpoint::{Endpoint, Failure, Method, Responded, Responder, Traffic};
use tautline::envelope::Batches;
use tautline::frame::Frame;
use tautline::stream::Received;
use tautline::{Call, ErrorCode, Fault, Message, Profile, RawJson};
use tautline_mcp::session::{Session, Slot};
use tautline_mcp::{Era, ParamsView, Revision, Role};

const METHODS: &[Method<Server>] = &[
    Method::new("initialize", initialize),
    Method::new("server/discover", discover),
    Method::new("ping", |_, _, responder| Ok(responder.result(object(|_| {})))),
    Method::new("tools/list", list_tools),
    Method::new("tools/call", call_tool),
    Method::new("resources/list", |_, call, responder| list(call, responder, "resources")),
    Method::new("resources/read", |_, call, _| {
        params(call)?.uri().ok_or(Failure::INVALID_PARAMS)?;
        Err(Failure::new(era(call).resource_not_found(), "Unknown resource"))
    }),
    Method::new("prompts/list", |_, call, responder| list(call, responder, "prompts")),
    Method::new("prompts/get", |_, _, _| {
        Err(Failure::new(ErrorCode::INVALID_PARAMS, "Unknown prompt"))
    }),
    Method::new("logging/setLevel", set_level),
];

const LEVELS: &[&str] =
    &["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

type Outcome = Result<Responded, Failure>;

pub struct Server {
    session: Session<Vec<Slot>>,
}

impl Default for Server {
    fn default() -> Self {
        Self { session: Session::new(vec![Slot::EMPTY; 64]) }
    }
}

impl Server {
    /// Returns the profile of the revision in use. A client that is about to ask for a revision with batches may send one
    /// before there is an answer.
    pub fn profile(&self) -> Profile {
        match self.session.revision() {
            Some(revision) => revision.profile(),
            None => Revision::V2025_11_25.profile().with_batches(Batches::Unmixed),
        }
    }

    pub fn takes_batches(&self) -> bool {
        self.profile().batches() != Batches::Forbidden
    }

    /// Returns the answer to an item that a stream has yielded.
    pub fn receive(&mut self, received: &Received<'_>) -> Vec<u8> {
        let mut reply = Vec::new();
        let profile = self.profile();
        // This can't fail, because the output grows as needed.
        let _ = endpoint(&profile).answer_into(received, self, &mut reply);
        reply
    }

    /// Returns the answer to a line.
    pub fn line(&mut self, line: &[u8]) -> Vec<u8> {
        let mut reply = Vec::new();
        let profile = self.profile();
        if !line.trim_ascii().is_empty() {
            let _ = endpoint(&profile).answer_into(Frame::from_line(line), self, &mut reply);
        }
        reply
    }
}

fn endpoint(profile: &Profile) -> Endpoint<Server> {
    Endpoint::new(METHODS, profile).guarded_by(guard).observed_by(observe)
}

fn guard<'a, 'out>(
    server: &mut Server,
    received: Result<&Message<'_>, &Fault<'_>>,
    responder: Responder<'a, 'out>,
) -> Result<Responder<'a, 'out>, Responded> {
    server.session.guard(Role::Client, received, responder, |_| {})
}

fn observe(server: &mut Server, traffic: Traffic<'_>) {
    let profile = server.profile();
    server.session.observe_traffic(Role::Client, traffic, &profile, |_| {});
}

fn initialize(server: &mut Server, call: &Call<'_>, responder: Responder<'_, '_>) -> Outcome {
    let params = params(call)?;
    let requested = params.protocol_version().ok_or(Failure::INVALID_PARAMS)?;
    let is_object =
        |value: Option<RawJson<'_>>| value.is_some_and(|value| value.members().is_some());
    if !is_object(params.capabilities()) || !is_object(params.client_info()) {
        return Err(Failure::INVALID_PARAMS);
    }
    let revision = server.session.negotiate(Some(requested)).ok_or(Failure::INTERNAL)?;
    Ok(responder.result(object(|result| {
        result.member("protocolVersion", revision.name());
        result.member("capabilities", object(capabilities));
        result.member(
            "serverInfo",
            object(|info| {
                info.member("name", "broken-server");
                info.member("version", "1");
            }),
        );
    })))
}

fn discover(_: &mut Server, call: &Call<'_>, responder: Responder<'_, '_>) -> Outcome {
    complete(call, responder, |result| {
        result.member(
            "supportedVersions",
            array(|versions: &mut Array<'_, '_>| {
                versions.element(Revision::V2026_07_28.name());
            }),
        );
        result.member("capabilities", object(capabilities));
    })
}

fn capabilities(capabilities: &mut Object<'_, '_>) {
    for name in ["tools", "resources", "prompts", "logging"] {
        capabilities.member(name, object(|_| {}));
    }
}

fn list_tools(_: &mut Server, call: &Call<'_>, responder: Responder<'_, '_>) -> Outcome {
    refuse_cursor(call)?;
    let tools = RawJson::parse(br#"[{"name":"echo","inputSchema":{"type":"object"}}]"#);
    let tools = tools.map_err(|_| Failure::INTERNAL)?;
    complete(call, responder, |result| result.member("tools", tools))
}

fn call_tool(_: &mut Server, call: &Call<'_>, responder: Responder<'_, '_>) -> Outcome {
    let params = params(call)?;
    if params.name().is_none_or(|name| name != "echo") {
        return Err(Failure::new(ErrorCode::INVALID_PARAMS, "Unknown tool"));
    }
    complete(call, responder, |result| {
        result.member(
            "content",
            array(|content: &mut Array<'_, '_>| {
                content.element(object(|text| {
                    text.member("type", "text");
                    text.member("text", "echo");
                }));
            }),
        );
    })
}

fn list(call: &Call<'_>, responder: Responder<'_, '_>, name: &'static str) -> Outcome {
    refuse_cursor(call)?;
    complete(call, responder, |result| result.member(name, array(|_: &mut Array<'_, '_>| {})))
}

/// Every list has one page, so the server has never issued a cursor.
fn refuse_cursor(call: &Call<'_>) -> Result<(), Failure> {
    let cursor = call.params().and_then(|params| params.member("cursor"));
    cursor.map_or(Ok(()), |_| Err(Failure::INVALID_PARAMS))
}

fn set_level(_: &mut Server, call: &Call<'_>, responder: Responder<'_, '_>) -> Outcome {
    let level = params(call)?.object().member("level").and_then(|level| level.string());
    let level = level.ok_or(Failure::INVALID_PARAMS)?;
    match LEVELS.iter().any(|known| level == **known) {
        true => Ok(responder.result(object(|_| {}))),
        false => Err(Failure::INVALID_PARAMS),
    }
}

fn params<'buf>(call: &Call<'buf>) -> Result<ParamsView<'buf>, Failure> {
    call.params().and_then(ParamsView::of).ok_or(Failure::INVALID_PARAMS)
}

fn era(call: &Call<'_>) -> Era {
    let version = || params(call).ok()?.meta()?.protocol_version();
    if version().is_some() { Era::Modern } else { Era::Legacy }
}

fn complete(
    call: &Call<'_>,
    responder: Responder<'_, '_>,
    members: impl FnOnce(&mut Object<'_, '_>),
) -> Outcome {
    Ok(responder.result(object(|result| {
        members(result);
        if era(call) == Era::Modern {
            result.member("resultType", "complete");
            result.member("ttlMs", 0);
            result.member("cacheScope", "public");
        }
    })))
}
