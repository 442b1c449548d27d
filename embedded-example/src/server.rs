//! The MCP server: takes received lines and returns the lines to send.
//!
//! It accesses the board only through the trait that the [tools](crate::tools) require, and does no I/O. The same
//! code therefore runs on the board and on a host, where it can be tested. It serves clients of both eras: those that
//! open with `initialize`, and those that state their version in every request.

use heapless::Vec;
use tautline::encode::{Array, Encoder, Object, Payload, Slice, array, object};
use tautline::endpoint::{Endpoint, Failure, Method, Responded, Responder, Traffic};
use tautline::json::Kind;
use tautline::stream::Received;
use tautline::{Call, ErrorCode, Fault, Id, Message, Profile, RawJson, RawStr};
use tautline_mcp::session::{Event, Session, Slot};
use tautline_mcp::{Era, Finding, ParamsView, Revision, Role, meta};

use crate::tools::{self, Board, Counters, Done, Log, Sampling, Text};

/// The longest line that is read, in bytes without the newline. A longer one is answered with an error.
pub const LONGEST_FRAME: usize = 1024;
/// The longest line that is sent, in bytes with the newline. The list of the tools is the longest.
pub const LONGEST_REPLY: usize = 1536;

/// The profile for parsing lines. It also accepts the messages of older revisions.
pub const PROFILE: Profile = Revision::LATEST.profile();

const SUPPORTED: &[Revision] =
    &[Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28];

/// The number of requests in flight. Each is answered before the next is read, except for a long call.
const SLOTS: usize = 3;

type ClientSession = Session<[Slot; SLOTS]>;

/// The server on a board.
#[derive(Debug)]
pub struct Server<B> {
    board: B,
    session: ClientSession,
    /// The session of the previous client, kept until it is clear whether another one has connected.
    before: ClientSession,
    counters: Counters,
    /// The long call, if one is running.
    running: Option<Running>,
}

/// A call that is answered once its readings are taken.
#[derive(Debug)]
struct Running {
    /// The id of the request.
    id: Kept,
    /// The progress token, if the client asked for progress.
    token: Kept,
    sampling: Sampling,
}

/// The JSON text of an id, or empty. A UUID in quotes has 38 bytes.
type Kept = Vec<u8, 64>;

type Outcome = Result<Responded, Failure>;

impl<B: Board + 'static> Server<B> {
    const METHODS: &'static [Method<Self>] = &[
        Method::new("initialize", initialize),
        Method::new("server/discover", discover),
        Method::new("ping", |_, _, responder| Ok(responder.result(object(|_| {})))),
        Method::new("tools/list", list),
        Method::new("tools/call", call_tool),
        Method::new("resources/list", list),
        Method::new("resources/read", read_resource),
        Method::new("notifications/cancelled", cancel),
    ];

    const ENDPOINT: Endpoint<Self> =
        Endpoint::new(Self::METHODS, &PROFILE).guarded_by(guard).observed_by(observe);

    /// Creates a server that no client has contacted yet.
    #[must_use]
    pub const fn new(board: B) -> Self {
        // Any frame can be answered in this room, if only with an error.
        const { assert!(Self::ENDPOINT.min_reply_len(LONGEST_FRAME as u32) <= LONGEST_REPLY) };
        Self {
            board,
            session: unopened(),
            before: unopened(),
            counters: Counters { frames: 0, messages: 0, faults: 0, oversized: 0, sent: 0 },
            running: None,
        }
    }

    /// Answers a received line, and returns the bytes to send.
    // Not inlined, like `tick`: in a function with a large frame, each step takes longer instructions.
    #[inline(never)]
    pub fn receive<'out>(&mut self, received: &Received<'_>, room: &'out mut [u8]) -> &'out [u8] {
        let counter = match received {
            Received::Message { .. } => &mut self.counters.messages,
            Received::Fault { .. } => &mut self.counters.faults,
            Received::Oversized { .. } => &mut self.counters.oversized,
            _ => return &[],
        };
        *counter = counter.wrapping_add(1);
        self.counters.frames = self.counters.frames.wrapping_add(1);
        match Self::ENDPOINT.answer(received, self, room) {
            Ok(reply) => reply.bytes(),
            Err(error) => {
                self.board.log(Log::NotWritten(error));
                &[]
            }
        }
    }

    /// Continues the long call when it is time to, and returns the bytes to send. Must be called repeatedly.
    #[inline(never)]
    pub fn tick<'out>(&mut self, room: &'out mut [u8]) -> &'out [u8] {
        let Some(running) = &mut self.running else { return &[] };
        let mut lines = Encoder::with_profile(Slice::new(room), &PROFILE);
        let mut text = Text::default();
        let written = if let Some(done) = running.sampling.finish(&mut text) {
            let result = tool_result(&done, self.session.era());
            let written = Id::parse(&running.id).map(|id| lines.result(id, result));
            self.running = None;
            written
        } else {
            let Some(taken) = running.sampling.step(&mut self.board) else { return &[] };
            Id::parse(&running.token).map(|token| {
                let progress = object(|progress| {
                    progress.member("progressToken", token);
                    progress.member("progress", taken);
                    progress.member("total", running.sampling.count());
                });
                lines.notification("notifications/progress", Some(progress))
            })
        };
        if let Some(Err(error)) = written {
            self.board.log(Log::NotWritten(error));
        }
        let lines = lines.into_output().into_written();
        self.see_sent(lines);
        lines
    }

    /// Shows the session a line that was sent.
    fn see_sent(&mut self, line: &[u8]) {
        let Ok(message) = Message::parse(line, &PROFILE) else { return };
        // As in `guard`.
        if let Message::Batch(_) = message {
            return;
        }
        self.counters.sent = self.counters.sent.wrapping_add(1);
        self.session.observe(Role::Server, &message, |_| {});
    }

    /// Answers with a result, and adds the cache hints if the client is modern.
    fn cacheable(
        &self,
        responder: Responder<'_, '_>,
        members: impl FnOnce(&mut Object<'_, '_>),
    ) -> Outcome {
        Ok(responder.result(object(|result| {
            members(result);
            self.say_how_long(result);
        })))
    }

    /// Adds the cache hints of the modern era: the result expires at once and is the same for every client.
    // Not inlined: every result would hold a copy in flash.
    #[inline(never)]
    fn say_how_long(&self, result: &mut Object<'_, '_>) {
        if self.session.era() == Some(Era::Modern) {
            result.member("ttlMs", 0);
            result.member("cacheScope", "public");
            result.member("resultType", "complete");
        }
    }
}

fn initialize<B: Board + 'static>(
    server: &mut Server<B>,
    call: &Call<'_>,
    responder: Responder<'_, '_>,
) -> Outcome {
    let requested = handshake(call.params()).ok_or(Failure::INVALID_PARAMS)?;
    // The session has already refused the request if no version can be negotiated.
    let revision = server.session.negotiate(Some(requested)).ok_or(Failure::INTERNAL)?;
    Ok(responder.result(object(|result| {
        result.member("protocolVersion", revision.name());
        say_of_self(result, "capabilities");
        say_of_self(result, "serverInfo");
    })))
}

fn discover<B: Board + 'static>(
    server: &mut Server<B>,
    _: &Call<'_>,
    responder: Responder<'_, '_>,
) -> Outcome {
    let modern = SUPPORTED.iter().filter(|revision| revision.era() == Era::Modern);
    server.cacheable(responder, |result| {
        result.member(
            "supportedVersions",
            array(|versions: &mut Array<'_, '_>| {
                modern.for_each(|revision| versions.element(revision.name()));
            }),
        );
        say_of_self(result, "capabilities");
        result
            .member("_meta", object(|meta| meta.member(meta::SERVER_INFO, of_self("serverInfo"))));
    })
}

/// Answers with a list from the server's [description](tools::SELF): tools or resources.
fn list<B: Board + 'static>(
    server: &mut Server<B>,
    call: &Call<'_>,
    responder: Responder<'_, '_>,
) -> Outcome {
    let name = if call.method() == "tools/list" { "tools" } else { "resources" };
    server.cacheable(responder, |result| say_of_self(result, name))
}

// Not inlined: every member would hold a copy in flash.
#[inline(never)]
fn say_of_self(object: &mut Object<'_, '_>, name: &str) {
    object.member(name, of_self(name));
}

/// Returns a member of the server's [description](tools::SELF).
fn of_self(name: &str) -> Option<RawJson<'static>> {
    match Message::parse(tools::SELF, &PROFILE) {
        Ok(Message::Response(whole)) => whole.result()?.member(name),
        _ => None,
    }
}

fn call_tool<B: Board + 'static>(
    server: &mut Server<B>,
    call: &Call<'_>,
    responder: Responder<'_, '_>,
) -> Outcome {
    let params = params(call).ok_or(Failure::INVALID_PARAMS)?;
    let name = params.name().ok_or(Failure::INVALID_PARAMS)?;
    let arguments = params.arguments();
    // The session has already refused duplicates of `arguments`. Here, a value that is not an object is refused.
    if arguments.is_none() && params.object().member("arguments").is_some() {
        return Err(Failure::INVALID_PARAMS);
    }
    let mut room = Text::default();
    let done = tools::call(&mut server.board, name, arguments, &mut room);
    let mut done = done.ok_or(Failure::new(ErrorCode::INVALID_PARAMS, "Unknown tool"))?;
    if let Done::Sampling(sampling) = done {
        match start(server, call, &params, sampling) {
            // A deferred answer is refused only in a batch, which this profile forbids.
            Ok(()) => return responder.later(),
            Err(why) => done = Done::Failed(why),
        }
    }
    Ok(responder.result(tool_result(&done, server.session.era())))
}

/// Keeps what the later answer needs.
fn start<B>(
    server: &mut Server<B>,
    call: &Call<'_>,
    params: &ParamsView<'_>,
    sampling: Sampling,
) -> Result<(), &'static str> {
    if server.running.is_some() {
        return Err("the sensor is being sampled already");
    }
    let running = server.running.insert(Running { id: Kept::new(), token: Kept::new(), sampling });
    keep(&mut running.id, call.id());
    // Without a token, no progress is reported.
    keep(&mut running.token, params.meta().and_then(|meta| meta.progress_token()));
    if running.id.is_empty() {
        server.running = None;
        return Err("the id is too long to be kept");
    }
    Ok(())
}

/// Keeps an id; keeps nothing if it is absent or too long.
fn keep(kept: &mut Kept, id: Option<Id<'_>>) {
    let (quote, text): (&[u8], &[u8]) = match id {
        Some(Id::String(text)) => (b"\"", text.escaped_bytes()),
        Some(Id::Number(number)) => (b"", number.as_bytes()),
        Some(Id::Null) | None => return,
    };
    let fits = [quote, text, quote].iter().all(|part| kept.extend_from_slice(part).is_ok());
    if !fits {
        kept.clear();
    }
}

/// Drops the long call if it is the one cancelled: the client no longer waits for its answer.
fn cancel<B: Board + 'static>(
    server: &mut Server<B>,
    call: &Call<'_>,
    responder: Responder<'_, '_>,
) -> Outcome {
    let params = params(call).ok_or(Failure::INVALID_PARAMS)?;
    if let Some(running) = &server.running
        && params.request_id() == Id::parse(&running.id)
    {
        server.running = None;
    }
    Ok(responder.ignore())
}

fn tool_result(done: &Done<'_>, era: Option<Era>) -> impl Payload {
    object(move |result| {
        result.member(
            "content",
            one(|content| {
                content.member("type", "text");
                match done {
                    Done::Said(text) | Done::Failed(text) => content.member("text", *text),
                    Done::Echo(text) => content.member("text", *text),
                    // Answered when it is done.
                    Done::Sampling(_) => {}
                }
            }),
        );
        if matches!(done, Done::Failed(_)) {
            result.member("isError", true);
        }
        if era == Some(Era::Modern) {
            result.member("resultType", "complete");
        }
    })
}

fn read_resource<B: Board + 'static>(
    server: &mut Server<B>,
    call: &Call<'_>,
    responder: Responder<'_, '_>,
) -> Outcome {
    let params = params(call).ok_or(Failure::INVALID_PARAMS)?;
    let uri = params.uri().ok_or(Failure::INVALID_PARAMS)?;
    if uri != tools::INFO {
        let code = server.session.era().map_or(ErrorCode::INVALID_PARAMS, Era::resource_not_found);
        return Err(Failure::new(code, "Unknown resource"));
    }
    let mut text = Text::default();
    tools::info(&server.board, &server.counters, &mut text);
    server.cacheable(responder, |result| {
        result.member(
            "contents",
            one(|content| {
                content.member("uri", uri);
                content.member("mimeType", "application/json");
                content.member("text", text.as_str());
            }),
        );
    })
}

fn params<'buf>(call: &Call<'buf>) -> Option<ParamsView<'buf>> {
    call.params().and_then(ParamsView::of)
}

/// An array of one object.
fn one(members: impl FnOnce(&mut Object<'_, '_>)) -> impl Payload {
    array(|array| array.element(object(members)))
}

const fn unopened() -> ClientSession {
    Session::new([Slot::EMPTY; SLOTS]).supporting(SUPPORTED)
}

/// Returns the version that an `initialize` asks for, if its params are complete.
fn handshake(params: Option<RawJson<'_>>) -> Option<RawStr<'_>> {
    let params = params.and_then(ParamsView::of)?;
    let client = params.object().member("clientInfo")?;
    params.capabilities()?;
    params.protocol_version().filter(|_| client.kind() == Kind::Object)
}

/// Returns whether a request opens a session. On a serial port, this is the only sign that another client has
/// connected: `initialize` starts anew, and a client that states its version within a handshake session has not made
/// that handshake.
// Not inlined: the guard checks the kind of message only once (see there).
#[inline(never)]
fn opens(message: &Message<'_>, era: Option<Era>) -> bool {
    let Message::Request(request) = message else { return false };
    let version = || request.params().and_then(ParamsView::of)?.meta()?.protocol_version();
    request.method() == "initialize" && handshake(request.params()).is_some()
        || era == Some(Era::Legacy) && version().is_some()
}

/// Begins a session and keeps the previous one, which is restored if the new client is refused.
// Not inlined: the new session would stay on the stack during all later calls.
#[inline(never)]
fn set_aside(session: &mut ClientSession, before: &mut ClientSession) {
    core::mem::swap(session, before);
    *session = unopened();
}

/// Shows the session what was received, and refuses or ignores it if the session does.
fn guard<'a, 'out, B: Board + 'static>(
    server: &mut Server<B>,
    received: Result<&Message<'_>, &Fault<'_>>,
    responder: Responder<'a, 'out>,
) -> Result<Responder<'a, 'out>, Responded> {
    let message = match received {
        Ok(message) => message,
        Err(fault) => {
            let is_answered = server.session.receive_fault(Role::Client, fault);
            return if is_answered { Ok(responder) } else { Err(responder.ignore()) };
        }
    };
    let anew = opens(message, server.session.era());
    // The profile admits no batch. As the compiler sees that here, the session's code for batches is not linked.
    if let Message::Batch(_) = message {
        return Err(responder.ignore());
    }
    let Server { session, before, board, .. } = server;
    if anew {
        set_aside(session, before);
    }
    let report = |finding: Finding| {
        board.log(Log::Wrong(finding.rule(), finding.offset().unwrap_or_default()))
    };
    match session.receive(Role::Client, message, report) {
        Event::Refused(refusal) => {
            let answered = responder.error(refusal.error(session.supported()));
            if anew {
                core::mem::swap(session, before);
            }
            Err(answered)
        }
        event => {
            if anew {
                // A new client does not inherit the long call of the previous one.
                server.running = None;
            }
            if let Event::Ignored(_) = event { Err(responder.ignore()) } else { Ok(responder) }
        }
    }
}

/// Shows the session each answer, and logs what could not be read or written.
fn observe<B: Board + 'static>(server: &mut Server<B>, traffic: Traffic<'_>) {
    match traffic {
        Traffic::In(Err(fault)) => {
            server.board.log(Log::Wrong(fault.rule(), fault.offset()));
        }
        Traffic::NotWritten { error, .. } => server.board.log(Log::NotWritten(error)),
        Traffic::Out(line) => server.see_sent(line),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use tautline::stream::Messages;

    use super::{LONGEST_REPLY, PROFILE, Server, of_self};
    use crate::host::Host;

    const OPEN: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
"#;

    fn sample(id: &str, count: u8) -> String {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"sample_temperature","arguments":{{"count":{count}}},"_meta":{{"progressToken":7}}}}}}"#
        )
    }

    /// Returns what the server sends after these lines, and then during this many idle ticks.
    fn talk(server: &mut Server<Host>, lines: &str, ticks: u32) -> String {
        let mut room = [0; LONGEST_REPLY];
        let mut sent = Vec::new();
        for received in Messages::new(lines.as_bytes(), 1024, &PROFILE) {
            sent.extend_from_slice(server.receive(&received, &mut room));
        }
        for _ in 0..ticks {
            sent.extend_from_slice(server.tick(&mut room));
        }
        String::from_utf8(sent).unwrap()
    }

    fn opened() -> Server<Host> {
        let mut server = Server::new(Host::new(()));
        assert!(talk(&mut server, OPEN, 0).contains("2025-11-25"));
        server
    }

    #[test]
    fn what_it_says_of_itself_is_there() {
        for name in ["capabilities", "serverInfo", "tools", "resources"] {
            assert!(of_self(name).is_some(), "{name}");
        }
    }

    #[test]
    fn a_long_call_reports_its_progress_and_is_answered_once() {
        let mut server = opened();
        let sent = talk(&mut server, &sample(r#""\u0061-1""#, 2), 10);
        let lines: Vec<&str> = sent.lines().collect();
        assert_eq!(lines.len(), 3, "{sent}");
        assert!(lines[0].ends_with(r#""params":{"progressToken":7,"progress":1,"total":2}}"#));
        assert!(lines[1].ends_with(r#""params":{"progressToken":7,"progress":2,"total":2}}"#));
        assert!(lines[2].starts_with(r#"{"jsonrpc":"2.0","id":"\u0061-1","result":"#), "{sent}");
    }

    #[test]
    fn a_count_is_an_integer_from_1_to_255_however_it_is_spelled() {
        for (count, is_one) in [
            ("3", true),
            ("3e0", true),
            ("3.0", true),
            ("255", true),
            ("256", false),
            ("0", false),
            ("-3", false),
            ("3.5", false),
            ("65539", false),
            ("\"3\"", false),
        ] {
            let call = sample("1", 3).replace(r#""count":3"#, &format!(r#""count":{count}"#));
            let sent = talk(&mut opened(), &call, 0);
            assert_eq!(sent.is_empty(), is_one, "{count}: {sent}");
        }
    }

    #[test]
    fn a_long_call_that_is_cancelled_is_not_answered() {
        let mut server = opened();
        let other =
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"5"}}"#;
        assert!(
            talk(&mut server, &format!("{}\n{other}\n", sample("5", 9)), 1).contains("progress")
        );
        let cancel =
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#;
        assert_eq!(talk(&mut server, cancel, 20), "");
        assert!(talk(&mut server, &sample("6", 1), 20).contains(r#""id":6,"result":"#));
    }

    #[test]
    fn a_client_that_opens_anew_finds_no_call_of_the_last_one() {
        let versioned = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
        let modern = sample("2", 9).replace(r#""_meta":{"progressToken":7}"#, versioned);
        let legacy = format!("{OPEN}{}\n", sample("2", 9));
        let mut server = opened();
        talk(&mut server, &legacy, 3);
        // To the other era, back, and to another client of the same era.
        assert_eq!(talk(&mut server, &modern, 0), "");
        for _ in 0..2 {
            let sent = talk(&mut server, &legacy, 0);
            assert!(sent.starts_with(r#"{"jsonrpc":"2.0","id":0,"result":"#), "{sent}");
            assert_eq!(sent.lines().count(), 1, "{sent}");
        }
    }

    #[test]
    fn no_error_answers_a_long_call() {
        let mut server = opened();
        assert_eq!(talk(&mut server, &sample("5", 1), 0), "");
        for wrong in [
            r#"{"jsonrpc":"2.0","id":5,"method":"ping","params":7}"#,
            r#"{"jsonrpc":"2.0","id":5,"method":"ping","method":"ping"}"#,
            r#"{"id":5,"method":"ping"}"#,
            // A request that is refused.
            r#"{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","params":{}}"#,
        ] {
            assert_eq!(talk(&mut server, &format!("{wrong}\n"), 0), "", "{wrong}");
            let other = wrong.replacen(r#""id":5"#, r#""id":6"#, 1);
            let sent = talk(&mut server, &format!("{other}\n"), 0);
            assert!(sent.starts_with(r#"{"jsonrpc":"2.0","id":6,"error":"#), "{sent}");
        }
        let sent = talk(&mut server, "", 10);
        assert!(sent.ends_with('\n') && sent.contains(r#""id":5,"result":"#), "{sent}");
    }

    #[test]
    fn of_two_long_calls_one_is_refused_and_so_is_one_whose_id_can_not_be_kept() {
        let mut server = opened();
        let two = format!("{}\n{}\n", sample("1", 9), sample("2", 9));
        let sent = talk(&mut server, &two, 0);
        assert!(
            sent.starts_with(r#"{"jsonrpc":"2.0","id":2,"#) && sent.contains("isError"),
            "{sent}"
        );

        let mut server = opened();
        let id = format!("\"{}\"", "x".repeat(63));
        assert!(talk(&mut server, &sample(&id, 9), 0).contains("isError"));
    }

    #[test]
    fn what_is_there_twice_is_not_called() {
        let mut server = Server::new(Host::new(()));
        let call = r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"set_led","arguments":{"on":true},"arguments":{"on":false}}}"#;
        let sent = talk(&mut server, &format!("{OPEN}{call}\n"), 0);
        assert!(sent.contains(r#""id":4,"error":{"code":-32602"#), "{sent}");
    }

    #[test]
    fn a_client_that_is_refused_takes_nothing_from_the_one_before() {
        for refused in [
            r#"{"jsonrpc":"2.0","id":9,"method":"initialize"}"#,
            r#"{"jsonrpc":"2.0","id":9,"method":"initialize","params":{"protocolVersion":5,"capabilities":{},"clientInfo":{}}}"#,
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
            r#"{"jsonrpc":"2.0","id":9,"method":"initialize","params":{"protocolVersion":"2026-07-28","capabilities":{},"clientInfo":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
        ] {
            let mut server = Server::new(Host::new(()));
            let running = sample("3", 1);
            let ping = r#"{"jsonrpc":"2.0","id":10,"method":"ping"}"#;
            let sent = talk(&mut server, &format!("{OPEN}{running}\n{refused}\n{ping}\n"), 10);
            assert!(sent.contains(r#""id":9,"error""#), "{sent}");
            assert!(sent.contains(r#""id":10,"result""#), "{refused} {sent}");
            assert!(sent.contains(r#""id":3,"result""#), "{refused} {sent}");
        }
    }

    #[test]
    fn a_handshake_has_all_its_members() {
        for params in [
            r"{}",
            r#"{"protocolVersion":5,"capabilities":{},"clientInfo":{}}"#,
            r#"{"protocolVersion":"2025-11-25","capabilities":5,"clientInfo":{}}"#,
            r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#,
        ] {
            let open =
                format!(r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{params}}}"#);
            let mut server = Server::new(Host::new(()));
            let sent = talk(&mut server, &format!("{open}\n{OPEN}"), 0);
            assert!(
                sent.starts_with(r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32602"#),
                "{sent}"
            );
            assert!(sent.contains(r#""protocolVersion":"2025-11-25""#), "{sent}");
        }
    }
}
