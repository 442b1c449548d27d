//! A gateway: several clients share one MCP server, each as if it were alone.
//!
//! It listens on an address, and starts the server, which talks on its standard input and output:
//!
//! ```sh
//! cargo run -p tautline-mcp --example gateway -- 127.0.0.1:7000 --deny rm path/to/server
//! ```
//!
//! It opens the session with the server, and answers the handshakes of its clients with what the server said. A server
//! that has no handshake gets messages of 2026-07-28 only. A request of the server goes to the client that the server is
//! working for, if that is only one, and so do messages about a request or a task. All else that the server says goes to
//! every client, and what a client sets, such as the level of the log, is set for all.
//!
//! The names of denied tools are compared exactly. A server that ignores case needs a list of what is allowed instead.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tautline_mcp::client::{Answer, Forwarded, ForwardedRequests, HeapSlots};
use tautline_mcp::encode::{EncodeError, Encoder, Forward, NO_PARAMS, NewError, NewId, object};
use tautline_mcp::io::MessageReader;
use tautline_mcp::owned::Id;
use tautline_mcp::stream::Received;
use tautline_mcp::{
    Call, Era, ErrorCode, KnownMethod, Message, ParamsView, Profile, RawJson, Reference,
    ReferenceKind, Request, Response, ResultView, Revision, Role, references,
};

/// Messages that two receivers may read differently are refused.
pub const PROFILE: Profile = Revision::LATEST.strict_profile();
/// The number of requests that may be pending, of all clients and of each.
const LIMITS: (usize, usize) = (1024, 64);
/// The id of the gateway's own `initialize`.
const HANDSHAKE: &str = "handshake";
/// Its params. It does not declare tasks, so the server asks for none.
const OPEN: &[u8] = br#"{
    "protocolVersion": "2025-11-25",
    "capabilities": {"roots": {}, "sampling": {}, "elicitation": {}},
    "clientInfo": {"name": "tautline-gateway", "version": "0.1.0"}
}"#;
/// The text of the error that replaces a response which another receiver may read differently.
const BROKEN: &str = "The response is invalid";

type Requests<C> = ForwardedRequests<C, Option<Id>>;

pub struct Gateway<W> {
    /// The pending requests of the clients, with their progress tokens.
    pub requests: Requests<u64>,
    clients: BTreeMap<u64, Client<W>>,
    server: W,
    revision: Revision,
    /// The result of `initialize`, once the server has answered. A modern server has none.
    welcome: Option<Option<Vec<u8>>>,
    /// The tasks of the clients, by their ids.
    tasks: BTreeMap<String, Task>,
    denied: Vec<String>,
}

struct Client<W> {
    /// `None` after it could not be written to: the next line would continue one that was cut off.
    output: Option<W>,
    /// The pending requests of the server that this client is to answer, with their progress tokens.
    requests: Requests<()>,
}

/// A task that a request has made. It may outlive the request, whose progress continues until the task ends.
struct Task {
    client: u64,
    /// The gateway's id of the request.
    own: u64,
    token: Option<Id>,
}

impl<W: Write> Gateway<W> {
    /// Creates a gateway that refuses calls of the denied tools.
    pub fn new(server: W, denied: Vec<String>) -> Self {
        let requests = ForwardedRequests::new(HeapSlots::new(LIMITS.0)).with_client_limit(LIMITS.1);
        let (clients, tasks) = (BTreeMap::new(), BTreeMap::new());
        Self { requests, clients, server, revision: Revision::LATEST, welcome: None, tasks, denied }
    }

    /// Begins the handshake. No client may connect until it [is open](Self::is_open).
    pub fn open(&mut self) -> io::Result<()> {
        let params = RawJson::parse(OPEN).map_err(io::Error::other)?;
        self.send(None, |line| line.request(HANDSHAKE, "initialize", Some(params)))
    }

    pub fn is_open(&self) -> bool {
        self.welcome.is_some()
    }

    /// Ends the handshake with what the server has answered.
    fn opened(&mut self, response: &Response<'_>) -> io::Result<()> {
        let Some(result) = response.result().and_then(ResultView::of) else {
            self.welcome = Some(None);
            return Ok(());
        };
        let revision = result.protocol_version().and_then(Revision::named);
        self.revision = revision.ok_or(io::Error::other("the server's revision is not known"))?;
        self.welcome = Some(Some(result.object().as_bytes().to_vec()));
        self.send(None, |line| line.notification("notifications/initialized", NO_PARAMS))
    }

    pub fn connect(&mut self, client: u64, output: W) {
        let requests = ForwardedRequests::new(HeapSlots::new(LIMITS.1));
        self.clients.insert(client, Client { output: Some(output), requests });
    }

    /// Ends a client, cancels its requests, and answers those of the server to it.
    pub fn disconnect(&mut self, client: u64) -> io::Result<()> {
        self.tasks.retain(|_, task| task.client != client);
        let ended: Vec<u64> = self.requests.drain_client(&client).map(|(own, _)| own).collect();
        for own in ended {
            let params = object(|params| params.member("requestId", own));
            self.send(None, |line| line.notification("notifications/cancelled", Some(params)))?;
        }
        let Some(mut client) = self.clients.remove(&client) else { return Ok(()) };
        client.requests.drain().try_for_each(|(_, request)| {
            self.fail(None, request.id(), ErrorCode::INTERNAL_ERROR, "The client is gone")
        })
    }

    pub fn client_sent(&mut self, client: u64, received: &Received<'_>) -> io::Result<()> {
        let Some(it) = self.clients.get_mut(&client).filter(|_| is_whole(received)) else {
            return Ok(());
        };
        if it.output.is_none() {
            return Err(io::Error::other("the client does not read"));
        }
        match (it.requests.receive(received), received) {
            (Some(Answer::Response { id, request, response, .. }), _) => {
                self.respond(None, id, request.id(), response)
            }
            (Some(Answer::Broken { request, .. }), _) => {
                self.fail(None, request.id(), ErrorCode::INTERNAL_ERROR, BROKEN)
            }
            (None, Received::Message { message: message @ Message::Request(request), .. }) => {
                self.client_asks(client, message, request)
            }
            (None, Received::Message { message: message @ Message::Notification(_), .. }) => {
                self.notify(Some(client), message)
            }
            _ => self.answer_fault(Some(client), received),
        }
    }

    pub fn server_sent(&mut self, received: &Received<'_>) -> io::Result<()> {
        if !is_whole(received) {
            return Ok(());
        }
        match (self.requests.receive(received), received) {
            (Some(Answer::Unknown(response)), _) if !self.is_open() => match response.id() {
                Some(tautline_mcp::Id::String(id)) if id == *HANDSHAKE => self.opened(&response),
                _ => Ok(()),
            },
            (Some(Answer::Response { id, request, response, .. }), _) => {
                self.keep_task(id, &request, &response);
                self.respond(Some(request.client), id, request.id(), response)
            }
            (Some(Answer::Broken { request, .. }), _) => {
                let to = Some(request.client);
                self.fail(to, request.id(), ErrorCode::INTERNAL_ERROR, BROKEN)
            }
            (None, Received::Message { message: message @ Message::Request(request), .. }) => {
                self.server_asks(message, request)
            }
            (None, Received::Message { message: message @ Message::Notification(_), .. }) => {
                self.notify(None, message)
            }
            (None, _) if !self.is_open() => Err(io::Error::other("the server can't be understood")),
            _ => self.answer_fault(None, received),
        }
    }

    /// Answers a faulty frame, unless the reply would answer the pending request with the same id.
    fn answer_fault(&mut self, to: Option<u64>, received: &Received<'_>) -> io::Result<()> {
        let Some(fault) = received.fault() else { return Ok(()) };
        let is_pending = |id| match to {
            Some(client) => self.requests.may_answer(&client, &id),
            None => self.clients.values().any(|it| it.requests.may_answer(&(), &id)),
        };
        // A modern server gets no responses.
        let is_modern = to.is_none() && self.is_modern();
        if is_modern || fault.reply().and_then(|reply| reply.id()).is_some_and(is_pending) {
            return Ok(());
        }
        self.send(to, |line| line.fault(fault))
    }

    fn client_asks(
        &mut self,
        client: u64,
        message: &Message<'_>,
        request: &Request<'_>,
    ) -> io::Result<()> {
        let (id, to) = (request.id(), Some(client));
        if self.requests.find(&client, &id).is_some() {
            // An error with this id would answer the other request.
            return Ok(());
        }
        if let (Some(KnownMethod::Initialize), Some(Some(welcome))) =
            (KnownMethod::named(request.method()), &self.welcome)
        {
            let result = RawJson::parse(welcome).map_err(io::Error::other)?;
            let line = encoded(|line| line.result(id, result))?;
            return self.write(to, &line);
        }
        if let Some((code, text)) = self.refusal(client, message, request.call()) {
            return self.fail(to, id, code, text);
        }
        let token = references(message).next().map(|token| token.id().into());
        match self.requests.begin(client, &id, token) {
            Ok(own) => self.forward_as(None, message, own),
            Err(error) => self.fail(to, id, ErrorCode::new(-32000), &error.to_string()),
        }
    }

    /// Returns the error for a request that is not forwarded to the server.
    fn refusal(
        &self,
        client: u64,
        message: &Message<'_>,
        call: &Call<'_>,
    ) -> Option<(ErrorCode, &'static str)> {
        if let Some((code, finding)) = self.revision.refusal(message) {
            return Some((code, finding.message()));
        }
        let method = KnownMethod::named(call.method())?;
        let name = || Some(call.params().and_then(ParamsView::of)?.name()?.to_string());
        if !method.use_in(self.revision).is_some_and(|it| it.is_for(Role::Client)) {
            return Some((ErrorCode::METHOD_NOT_FOUND, "The method is the server's"));
        }
        match method {
            KnownMethod::ToolsCall if name().is_none_or(|name| self.denied.contains(&name)) => {
                Some((ErrorCode::INVALID_PARAMS, "The tool is not available"))
            }
            KnownMethod::TasksList => {
                Some((ErrorCode::METHOD_NOT_FOUND, "The list has tasks of other clients"))
            }
            KnownMethod::TasksGet
            | KnownMethod::TasksResult
            | KnownMethod::TasksCancel
            | KnownMethod::TasksUpdate => {
                let task = call.params().and_then(task_id).and_then(|id| self.tasks.get(&id));
                let is_own = task.is_some_and(|task| task.client == client);
                (!is_own).then_some((ErrorCode::INVALID_PARAMS, "The task is not known"))
            }
            _ => None,
        }
    }

    fn server_asks(&mut self, message: &Message<'_>, request: &Request<'_>) -> io::Result<()> {
        let id = request.id();
        // A modern server gets no responses, and an error would answer the pending request with this id.
        if self.is_modern() || self.asked(&id).is_some() {
            return Ok(());
        }
        if request.method() == KnownMethod::Ping.name() {
            return self.send(None, |line| line.result(id, object(|_| {})));
        }
        let to = self.client_for(request);
        let Some(it) = to.and_then(|to| self.clients.get_mut(&to)) else {
            let (code, text) = (ErrorCode::INTERNAL_ERROR, "It is not known for which client");
            return self.fail(None, id, code, text);
        };
        let token = references(message).next().map(|token| token.id().into());
        match it.requests.begin((), &id, token) {
            Ok(own) => self.forward_as(to, message, own),
            Err(error) => self.fail(None, id, ErrorCode::new(-32000), &error.to_string()),
        }
    }

    /// Returns the client that is to answer a request of the server. Only tasks are named in it, so it is otherwise the
    /// one that the server is working for, or the one that is there.
    fn client_for(&self, request: &Request<'_>) -> Option<u64> {
        if let Some(id) = request.params().and_then(task_id) {
            return Some(self.tasks.get(&id)?.client);
        }
        let working: BTreeSet<u64> = self.requests.iter().map(|(_, it)| it.client).collect();
        let all = || self.clients.keys().copied().collect();
        let mut able = if working.is_empty() { all() } else { working };
        able.pop_first().filter(|_| able.is_empty())
    }

    /// Forwards a notification of a client, or of the server. If it is about a request or a task, only the client of that
    /// request or task gets it, and only until the request or the task ends.
    fn notify(&mut self, from: Option<u64>, message: &Message<'_>) -> io::Result<()> {
        let Message::Notification(note) = message else { return Ok(()) };
        let method = KnownMethod::named(note.method());
        // The gateway has sent its own `notifications/initialized`.
        if self.revision.refusal(message).is_some() || method == Some(KnownMethod::Initialized) {
            return Ok(());
        }
        let (mut forward, mut found) = (Forward::new(message), Vec::new());
        for reference in references(message) {
            let Some(one) = self.find(from, &reference) else { return Ok(()) };
            found.push((reference, one));
        }
        for (reference, one) in &found {
            forward = forward.and_then(|it| it.with_reference(reference.value(), &one.known_as));
        }
        let mut about: BTreeSet<u64> = found.iter().map(|(_, one)| one.client).collect();
        if let Some(id) = note.params().filter(|_| from.is_none()).and_then(task_id) {
            let Some(task) = self.tasks.get(&id) else { return Ok(()) };
            about.insert(task.client);
        }
        let to = about.pop_first();
        let is_about_one = matches!(
            method,
            Some(
                KnownMethod::Progress
                    | KnownMethod::Cancelled
                    | KnownMethod::TasksStatus
                    | KnownMethod::Tasks
            )
        );
        if !about.is_empty() || to.is_none() && is_about_one {
            return Ok(());
        }
        let Some(forward) = forward else { return Ok(()) };
        let line = encoded(|line| line.forward(&forward))?;
        for (reference, one) in found {
            match (reference.kind(), one.owner, self.clients.get_mut(&one.client)) {
                (ReferenceKind::CancelledRequest, Role::Client, _) => {
                    self.requests.cancel(one.own);
                }
                (ReferenceKind::CancelledRequest, Role::Server, Some(it)) => {
                    it.requests.cancel(one.own);
                }
                _ => {}
            }
        }
        if let Some(params) = note.params().filter(|_| from.is_none()) {
            self.end_task(params);
        }
        match (from, to) {
            (Some(_), _) => self.write(None, &line),
            (None, Some(client)) => self.write(Some(client), &line),
            (None, None) => {
                let all: Vec<u64> = self.clients.keys().copied().collect();
                all.into_iter().try_for_each(|client| self.write(Some(client), &line))
            }
        }
    }

    /// Finds the request that a reference means, if it has not ended.
    fn find(&self, from: Option<u64>, reference: &Reference<'_>) -> Option<Found> {
        let sender = if from.is_some() { Role::Client } else { Role::Server };
        let (id, owner) = (reference.id(), reference.owner(sender, self.revision));
        let issued = || id.integer().filter(|(is_negative, _)| !is_negative).map(|(_, own)| own);
        let is_token = reference.kind() == ReferenceKind::ProgressToken;
        let (client, own, known_as) = match (from, owner) {
            (Some(client), Role::Client) => {
                let own = self.requests.find(&client, &id)?;
                (client, own, own.into())
            }
            (Some(client), Role::Server) => {
                let request = self.clients.get(&client)?.requests.get(&id)?;
                (client, issued()?, request.value.clone()?)
            }
            (None, Role::Server) => {
                let (client, own) = self.asked(&id)?;
                (client, own, own.into())
            }
            (None, Role::Client) => match self.requests.get(&id) {
                Some(request) if is_token => (request.client, issued()?, request.value.clone()?),
                Some(request) => (request.client, issued()?, request.id().into()),
                None => {
                    let own = issued().filter(|_| is_token)?;
                    let task = self.tasks.values().find(|task| task.own == own)?;
                    (task.client, own, task.token.clone()?)
                }
            },
        };
        Some(Found { client, owner, own, known_as })
    }

    /// Returns the client that is to answer the request of the server with this id, and the id that it has there.
    fn asked(&self, id: &tautline_mcp::Id<'_>) -> Option<(u64, u64)> {
        self.clients.iter().find_map(|(client, it)| Some((*client, it.requests.find(&(), id)?)))
    }

    fn is_modern(&self) -> bool {
        self.is_open() && self.revision.era() == Era::Modern
    }

    /// Keeps the task that a response has made, instead of the oldest one if the client has too many.
    fn keep_task(
        &mut self,
        own: u64,
        request: &Forwarded<u64, Option<Id>>,
        response: &Response<'_>,
    ) {
        let Some(result) = response.result() else { return };
        let is_task =
            ResultView::of(result).and_then(|it| it.result_type()).is_some_and(|it| it == "task");
        let made = result.member("task").or(Some(result).filter(|_| is_task));
        if let Some(id) = made.and_then(task_id) {
            let client = request.client;
            let of_client = || self.tasks.iter().filter(|(_, task)| task.client == client);
            if of_client().count() >= LIMITS.1 {
                let oldest = of_client().min_by_key(|(_, task)| task.own).map(|(id, _)| id.clone());
                oldest.and_then(|id| self.tasks.remove(&id));
            }
            let task = Task { client, own, token: request.value.clone() };
            self.tasks.entry(id).or_insert(task);
        }
        self.end_task(made.unwrap_or(result));
    }

    /// Ends the progress of a task if this is its last status.
    fn end_task(&mut self, payload: RawJson<'_>) {
        let status = payload.member("status").and_then(|status| status.string());
        let is_last = |it| ["completed", "failed", "cancelled"].iter().any(|last| it == **last);
        if status.is_some_and(is_last)
            && let Some(task) = task_id(payload).and_then(|id| self.tasks.get_mut(&id))
        {
            task.token = None;
        }
    }

    /// Forwards a response with the id that the sender of the request knows.
    fn respond(
        &mut self,
        to: Option<u64>,
        own: u64,
        id: tautline_mcp::Id<'_>,
        response: Response<'_>,
    ) -> io::Result<()> {
        let message = Message::Response(response);
        // The result that ends a subscription refers to its own request. No result refers to another.
        match references(&message).all(|it| it.id().integer() == Some((false, own))) {
            true => self.forward_as(to, &message, id),
            false => self.fail(to, id, ErrorCode::INTERNAL_ERROR, BROKEN),
        }
    }

    /// Forwards a message with this id, which is also that of its references.
    fn forward_as<'a>(
        &mut self,
        to: Option<u64>,
        message: &Message<'a>,
        id: impl Into<NewId<'a>>,
    ) -> io::Result<()> {
        let id = id.into();
        let mut forward = Forward::new(message).and_then(|it| it.with_id(id));
        for reference in references(message) {
            forward = forward.and_then(|it| it.with_reference(reference.value(), id));
        }
        let Some(forward) = forward else { return Ok(()) };
        self.send(to, |line| line.forward(&forward))
    }

    /// Answers a request with an error.
    fn fail(
        &mut self,
        to: Option<u64>,
        id: tautline_mcp::Id<'_>,
        code: ErrorCode,
        text: &str,
    ) -> io::Result<()> {
        self.send(to, |line| line.error(id, NewError::new(code, text)))
    }

    /// Sends a line to a client, or to the server.
    fn send(
        &mut self,
        to: Option<u64>,
        encode: impl FnOnce(&mut Encoder<Vec<u8>>) -> Result<usize, EncodeError>,
    ) -> io::Result<()> {
        let line = encoded(encode)?;
        self.write(to, &line)
    }

    fn write(&mut self, to: Option<u64>, line: &[u8]) -> io::Result<()> {
        match to {
            None => self.server.write_all(line)?,
            Some(client) => {
                if let Some(it) = self.clients.get_mut(&client) {
                    it.output.take_if(|output| output.write_all(line).is_err());
                }
            }
        }
        Ok(())
    }
}

/// The request that a reference means.
struct Found {
    client: u64,
    owner: Role,
    /// The gateway's id of the request.
    own: u64,
    /// The id or the token that the receiver of the message knows.
    known_as: Id,
}

/// Returns whether this is not a last line that was cut off: only a newline shows that a message is whole.
fn is_whole(received: &Received<'_>) -> bool {
    received.frame().is_none_or(|frame| frame.is_terminated())
}

/// Returns the id of the task that a payload is about.
fn task_id(payload: RawJson<'_>) -> Option<String> {
    let related = || {
        payload.member("_meta")?.member("io.modelcontextprotocol/related-task")?.member("taskId")
    };
    Some(payload.member("taskId").or_else(related)?.string()?.to_string())
}

fn encoded(
    encode: impl FnOnce(&mut Encoder<Vec<u8>>) -> Result<usize, EncodeError>,
) -> io::Result<Vec<u8>> {
    let mut line = Encoder::new(Vec::new());
    encode(&mut line).map_err(io::Error::other)?;
    Ok(line.into_output())
}

fn lock<T>(gateway: &Mutex<T>) -> MutexGuard<'_, T> {
    gateway.lock().unwrap_or_else(PoisonError::into_inner)
}

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1).peekable();
    let (address, mut denied) = (arguments.next(), Vec::new());
    while arguments.next_if(|argument| argument == "--deny").is_some() {
        denied.extend(arguments.next());
    }
    let (Some(address), Some(program)) = (address, arguments.next()) else {
        return Err(io::Error::other(
            "usage: gateway ADDRESS [--deny TOOL]... PROGRAM [ARGUMENT]...",
        ));
    };
    let listener = TcpListener::bind(address)?;
    let mut server = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (Some(input), Some(output)) = (server.stdin.take(), server.stdout.take()) else {
        return Err(io::Error::other("the server has no pipes"));
    };
    let input: Box<dyn Write + Send> = Box::new(input);
    let mut gateway = Gateway::new(input, denied);
    let mut output = MessageReader::new(output, &PROFILE);
    gateway.open()?;
    while !gateway.is_open() {
        let received = output.next()?.ok_or(io::ErrorKind::UnexpectedEof)?;
        gateway.server_sent(&received)?;
    }
    let gateway = Arc::new(Mutex::new(gateway));
    let of_server = Arc::clone(&gateway);
    thread::spawn(move || {
        let ended = each(output, |received| lock(&of_server).server_sent(received));
        std::process::exit(i32::from(ended.is_err()));
    });
    for (client, stream) in (1..).zip(listener.incoming()) {
        let (stream, gateway) = (stream?, Arc::clone(&gateway));
        // A client that does not read must not stop the others.
        stream.set_write_timeout(Some(Duration::from_secs(1)))?;
        lock(&gateway).connect(client, Box::new(stream.try_clone()?));
        thread::spawn(move || {
            let input = MessageReader::new(stream, &PROFILE);
            let _ = each(input, |received| lock(&gateway).client_sent(client, received));
            let _ = lock(&gateway).disconnect(client);
        });
    }
    Ok(())
}

/// Reads messages until the end of the input.
fn each(
    mut reader: MessageReader<impl Read>,
    mut take: impl FnMut(&Received<'_>) -> io::Result<()>,
) -> io::Result<()> {
    while let Some(received) = reader.next()? {
        take(&received)?;
    }
    Ok(())
}
