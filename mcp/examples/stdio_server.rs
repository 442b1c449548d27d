//! An MCP server on standard input and output, for clients of both eras. It has three tools, a resource and
//! a prompt.
//!
//! Register it with any client as the command `stdio_server`, or talk to it by hand:
//!
//! ```sh
//! echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | cargo run -p tautline-mcp --example stdio_server
//! ```

use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::Duration;

use tautline_mcp::encode::{Array, Encoder, Object, Payload, array, object};
use tautline_mcp::endpoint::{Endpoint, Failure, Method, Responded, Responder, Traffic};
use tautline_mcp::frame::Splitter;
use tautline_mcp::io::MessageReader;
use tautline_mcp::session::{Session, Slot};
use tautline_mcp::{
    Call, Era, ErrorCode, ParamsView, Profile, RawJson, RawStr, Revision, Role, meta,
};

const SUPPORTED: &[Revision] =
    &[Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28];
const PROFILE: Profile = Revision::LATEST.profile();
/// The maximum length of a message, in bytes, without the newline.
const LONGEST_FRAME: u32 = 1 << 20;

const METHODS: &[Method<Server>] = &[
    Method::new("initialize", initialize),
    Method::new("server/discover", discover),
    Method::new("ping", |_, _, responder| Ok(responder.result(object(|_| {})))),
    Method::new("tools/list", list_tools),
    Method::new("tools/call", call_tool),
    Method::new("resources/list", list_resources),
    Method::new("resources/read", read_resource),
    Method::new("prompts/list", list_prompts),
    Method::new("prompts/get", get_prompt),
];

pub struct Server {
    session: Session<Vec<Slot>>,
    log: Log,
}

impl Default for Server {
    fn default() -> Self {
        Self::logging_to(io::stderr())
    }
}

impl Server {
    pub fn logging_to(log: impl Write + Send + 'static) -> Self {
        let session = Session::new(vec![Slot::EMPTY; 64]).supporting(SUPPORTED);
        Self { session, log: Log::to(log) }
    }
}

/// A log that never blocks the server, even if the client does not read it or has closed it. A thread
/// writes the lines; lines that it cannot keep up with are dropped.
struct Log {
    lines: SyncSender<String>,
    ended: Receiver<()>,
}

impl Log {
    fn to(mut log: impl Write + Send + 'static) -> Self {
        let (lines, waiting) = mpsc::sync_channel::<String>(256);
        let (end, ended) = mpsc::channel();
        thread::spawn(move || {
            for line in waiting {
                let _ = writeln!(log, "{line}");
            }
            let _ = end.send(());
        });
        Self { lines, ended }
    }

    fn line(&self, line: String) {
        let _ = self.lines.try_send(line);
    }

    /// Waits a short time for the last lines to be written.
    fn finish(self) {
        drop(self.lines);
        let _ = self.ended.recv_timeout(Duration::from_millis(200));
    }
}

pub const fn endpoint() -> Endpoint<Server> {
    Endpoint::new(METHODS, &PROFILE)
        .guarded_by(|server, received, responder| {
            // Messages that the session refuses do not reach their handlers.
            let report = |finding| server.log.line(format!("from the client: {finding}"));
            server.session.guard(Role::Client, received, responder, report)
        })
        .observed_by(observe)
}

type Outcome = Result<Responded, Failure>;

fn initialize(server: &mut Server, call: &Call<'_>, responder: Responder<'_, '_>) -> Outcome {
    let requested: RawStr<'_> = call.param(0, "protocolVersion")?;
    // The session has already refused the request if no version is supported by both sides.
    let revision = server.session.negotiate(Some(requested)).ok_or(Failure::INTERNAL)?;
    Ok(responder.result(object(|result| {
        result.member("protocolVersion", revision.name());
        result.member("capabilities", object(capabilities));
        result.member("serverInfo", object(server_info));
    })))
}

fn discover(_: &mut Server, call: &Call<'_>, responder: Responder<'_, '_>) -> Outcome {
    let modern = SUPPORTED.iter().filter(|revision| revision.era() == Era::Modern);
    cacheable(call, responder, |result| {
        result.member(
            "supportedVersions",
            array(|versions: &mut Array<'_, '_>| {
                modern.for_each(|revision| versions.element(revision.name()));
            }),
        );
        result.member("capabilities", object(capabilities));
        result.member("_meta", object(|meta| meta.member(meta::SERVER_INFO, object(server_info))));
    })
}

fn capabilities(capabilities: &mut Object<'_, '_>) {
    for name in ["tools", "resources", "prompts"] {
        capabilities.member(name, object(|_| {}));
    }
}

fn server_info(info: &mut Object<'_, '_>) {
    info.member("name", "tautline-stdio-server");
    info.member("version", env!("CARGO_PKG_VERSION"));
}

fn list_tools(_: &mut Server, call: &Call<'_>, responder: Responder<'_, '_>) -> Outcome {
    let tools = RawJson::parse(
        br#"[
            {"name":"add","description":"Adds two integers","inputSchema":{"type":"object",
             "properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}},
            {"name":"fail","description":"Fails","inputSchema":{"type":"object"}},
            {"name":"count","description":"Counts, and reports each step",
             "inputSchema":{"type":"object","properties":{"steps":{"type":"integer",
             "minimum":1,"maximum":100}},"required":["steps"]}}
        ]"#,
    );
    let tools = tools.map_err(|_| Failure::INTERNAL)?;
    cacheable(call, responder, |result| result.member("tools", tools))
}

fn call_tool(_: &mut Server, call: &Call<'_>, responder: Responder<'_, '_>) -> Outcome {
    let params = params(call)?;
    let argument = |name| params.object().member("arguments")?.member(name)?.number()?.as_i64();
    // A failing tool is a result, for the model to read, not a protocol error. So are wrong arguments (2025-11-25,
    // server/tools, error handling).
    let text = match params.name() {
        Some(name) if name == "add" => argument("a")
            .zip(argument("b"))
            .and_then(|(a, b)| a.checked_add(b))
            .map(|sum| sum.to_string())
            .ok_or("a and b must be integers, and so must be their sum"),
        Some(name) if name == "fail" => Err("it failed, as it was asked to"),
        Some(name) if name == "count" => match argument("steps") {
            Some(steps @ 1..=100) => {
                count(&params, steps).map_err(|_| Failure::INTERNAL)?;
                Ok(format!("counted to {steps}"))
            }
            _ => Err("steps must be an integer from 1 to 100"),
        },
        _ => return Err(Failure::new(ErrorCode::INVALID_PARAMS, "Unknown tool")),
    };
    complete(call, responder, |result| {
        result.member(
            "content",
            array(|content: &mut Array<'_, '_>| {
                content.element(text_content(text.as_deref().unwrap_or_else(|why| why)));
            }),
        );
        if text.is_err() {
            result.member("isError", true);
        }
    })
}

/// Reports progress, if the client has asked for it.
fn count(params: &ParamsView<'_>, steps: i64) -> io::Result<()> {
    let Some(token) = params.meta().and_then(|meta| meta.progress_token()) else { return Ok(()) };
    let mut lines = Encoder::new(Vec::new());
    for step in 1..=steps {
        let progress = object(|progress| {
            progress.member("progressToken", token);
            progress.member("progress", step);
            progress.member("total", steps);
        });
        lines.notification("notifications/progress", Some(progress)).map_err(io::Error::other)?;
    }
    io::stdout().write_all(lines.output())
}

fn list_resources(_: &mut Server, call: &Call<'_>, responder: Responder<'_, '_>) -> Outcome {
    cacheable(call, responder, |result| {
        result.member(
            "resources",
            one(|resource| {
                resource.member("uri", "info://server");
                resource.member("name", "server");
                resource.member("mimeType", "text/plain");
            }),
        );
    })
}

fn read_resource(_: &mut Server, call: &Call<'_>, responder: Responder<'_, '_>) -> Outcome {
    // A request without a URI is wrong; one with another URI asks for a resource that is not there.
    let uri = params(call)?.uri().ok_or(Failure::INVALID_PARAMS)?;
    if uri != "info://server" {
        return Err(Failure::new(era(call).resource_not_found(), "Unknown resource"));
    }
    cacheable(call, responder, |result| {
        result.member(
            "contents",
            one(|content| {
                content.member("uri", uri);
                content.member("mimeType", "text/plain");
                content.member("text", "An MCP server built on tautline.");
            }),
        );
    })
}

fn list_prompts(_: &mut Server, call: &Call<'_>, responder: Responder<'_, '_>) -> Outcome {
    cacheable(call, responder, |result| {
        result.member(
            "prompts",
            one(|prompt| {
                prompt.member("name", "greet");
                prompt.member(
                    "arguments",
                    one(|argument| {
                        argument.member("name", "name");
                        argument.member("required", true);
                    }),
                );
            }),
        );
    })
}

fn get_prompt(_: &mut Server, call: &Call<'_>, responder: Responder<'_, '_>) -> Outcome {
    let params = params(call)?;
    if params.name().is_none_or(|name| name != "greet") {
        return Err(Failure::new(ErrorCode::INVALID_PARAMS, "Unknown prompt"));
    }
    let name = params.object().member("arguments").and_then(|arguments| arguments.member("name"));
    let name = name.and_then(|name| name.string()).ok_or(Failure::INVALID_PARAMS)?;
    let text = format!("Greet {name}, in one sentence.");
    complete(call, responder, |result| {
        result.member(
            "messages",
            one(|message| {
                message.member("role", "user");
                message.member("content", text_content(&text));
            }),
        );
    })
}

fn params<'buf>(call: &Call<'buf>) -> Result<ParamsView<'buf>, Failure> {
    call.params().and_then(ParamsView::of).ok_or(Failure::INVALID_PARAMS)
}

/// Returns the era of a call. One connection may carry both eras; a modern request names its version.
fn era(call: &Call<'_>) -> Era {
    let version = || params(call).ok()?.meta()?.protocol_version();
    if version().is_some() { Era::Modern } else { Era::Legacy }
}

/// Returns a result with the cache hints that modern clients expect.
fn cacheable(
    call: &Call<'_>,
    responder: Responder<'_, '_>,
    members: impl FnOnce(&mut Object<'_, '_>),
) -> Outcome {
    complete(call, responder, |result| {
        members(result);
        if era(call) == Era::Modern {
            result.member("ttlMs", 0);
            result.member("cacheScope", "public");
        }
    })
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
        }
    })))
}

fn text_content(text: &str) -> impl Payload {
    object(move |content| {
        content.member("type", "text");
        content.member("text", text);
    })
}

/// Returns an array of one object.
fn one(members: impl FnOnce(&mut Object<'_, '_>)) -> impl Payload {
    array(|array| array.element(object(members)))
}

/// Passes the replies to the session, and logs frames that could not be read.
fn observe(server: &mut Server, traffic: Traffic<'_>) {
    if let Traffic::In(Err(fault)) = traffic {
        server.log.line(format!("from the client: {fault}"));
    }
    let report = |finding| server.log.line(format!("from the server: {finding}"));
    server.session.observe_traffic(Role::Client, traffic, &PROFILE, report);
}

fn main() -> ExitCode {
    let mut server = Server::default();
    let served = serve(&mut server, &mut io::stdin().lock(), &mut io::stdout());
    if let Err(error) = &served {
        server.log.line(format!("cannot go on: {error}"));
    }
    server.log.finish();
    if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Answers messages until the end of the input. An oversized request is answered with its id; an oversized
/// notification or response is not answered.
pub fn serve(
    server: &mut Server,
    input: &mut impl Read,
    output: &mut impl Write,
) -> io::Result<()> {
    let endpoint = endpoint();
    let framing = Splitter::new(LONGEST_FRAME);
    let mut reader = MessageReader::with_framing(input, framing, endpoint.profile());
    let mut reply = Vec::new();
    while let Some(received) = reader.next()? {
        reply.clear();
        endpoint.answer_into(&received, server, &mut reply).map_err(io::Error::other)?;
        output.write_all(&reply)?;
        output.flush()?;
    }
    Ok(())
}
