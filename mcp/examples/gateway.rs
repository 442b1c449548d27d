//! A gateway: several clients share one MCP server, each as if it were alone.
//!
//! It listens on an address, and starts the server, which talks on its standard input and output:
//!
//! ```sh
//! cargo run -p tautline-mcp --example gateway -- 127.0.0.1:7000 path/to/server
//! ```
//!
//! It is for clients that need no handshake, as of 2026-07-28. It refuses requests of the server.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tautline_mcp::client::{Answer, BeginError, ForwardedRequests, HeapSlots};
use tautline_mcp::encode::{EncodeError, Encoder, Forward, NewError, object};
use tautline_mcp::io::MessageReader;
use tautline_mcp::owned::Id;
use tautline_mcp::stream::Received;
use tautline_mcp::{ErrorCode, KnownMethod, Message, Profile, ReferenceKind, Revision, references};

/// Messages that two receivers may read differently are refused.
pub const PROFILE: Profile = Revision::LATEST.strict_profile();
/// The number of requests that may be pending, of all clients and of each.
const LIMITS: (usize, usize) = (1024, 64);

pub struct Gateway<W> {
    /// The pending requests, with their progress tokens.
    pub requests: ForwardedRequests<u64, Option<Id>>,
    clients: BTreeMap<u64, W>,
    server: W,
}

impl<W: Write> Gateway<W> {
    pub fn new(server: W) -> Self {
        let requests = ForwardedRequests::new(HeapSlots::new(LIMITS.0)).with_client_limit(LIMITS.1);
        Self { requests, clients: BTreeMap::new(), server }
    }

    pub fn connect(&mut self, client: u64, output: W) {
        self.clients.insert(client, output);
    }

    /// Ends a client, and cancels its requests.
    pub fn disconnect(&mut self, client: u64) -> io::Result<()> {
        self.clients.remove(&client);
        let ended: Vec<u64> = self.requests.drain_client(&client).map(|(own, _)| own).collect();
        ended.into_iter().try_for_each(|own| {
            let params = object(|params| params.member("requestId", own));
            self.send(None, |line| line.notification(KnownMethod::Cancelled.name(), Some(params)))
        })
    }

    pub fn client_sent(&mut self, client: u64, received: &Received<'_>) -> io::Result<()> {
        let Received::Message { message, .. } = received else {
            let Some(fault) = received.fault() else { return Ok(()) };
            return self.send(Some(client), |line| line.fault(fault));
        };
        let mut forward = Forward::new(message);
        match message {
            Message::Request(request) => {
                let token = references(message).next();
                let kept = token.map(|token| token.id().into());
                let own = match self.requests.begin(client, &request.id(), kept) {
                    Ok(own) => own,
                    // An error with this id would answer the other request.
                    Err(BeginError::IdInUse) => return Ok(()),
                    Err(error) => {
                        let text = error.to_string();
                        let error = NewError::new(ErrorCode::new(-32000), &text);
                        return self.send(Some(client), |line| line.error(request.id(), error));
                    }
                };
                forward = forward.and_then(|it| it.with_id(own));
                if let Some(token) = token {
                    forward = forward.and_then(|it| it.with_reference(token.value(), own));
                }
            }
            Message::Notification(_) => {
                if is_about_one(message) && references(message).next().is_none() {
                    return Ok(());
                }
                for reference in references(message) {
                    // A request that is not pending any more was answered in the meantime.
                    let found = self.requests.find(&client, &reference.id());
                    let Some(own) = found else { return Ok(()) };
                    forward = forward.and_then(|it| it.with_reference(reference.value(), own));
                    if reference.kind() == ReferenceKind::CancelledRequest {
                        self.requests.cancel(own);
                    }
                }
            }
            // No request of the server is forwarded, and this revision has no batches.
            Message::Response(_) | Message::Batch(_) => return Ok(()),
        }
        let Some(forward) = forward else { return Ok(()) };
        self.send(None, |line| line.forward(&forward))
    }

    pub fn server_sent(&mut self, received: &Received<'_>) -> io::Result<()> {
        match (self.requests.receive(received), received) {
            (Some(Answer::Response { request, response, .. }), _) => {
                let message = Message::Response(response);
                let mut forward = Forward::new(&message).and_then(|it| it.with_id(request.id()));
                // The result of a subscription refers to its own request.
                for reference in references(&message) {
                    forward =
                        forward.and_then(|it| it.with_reference(reference.value(), request.id()));
                }
                let Some(forward) = forward else { return Ok(()) };
                self.send(Some(request.client), |line| line.forward(&forward))
            }
            (Some(Answer::Broken { request, .. }), _) => {
                let error = NewError::new(ErrorCode::INTERNAL_ERROR, "The response is invalid");
                self.send(Some(request.client), |line| line.error(request.id(), error))
            }
            (None, Received::Message { message: Message::Request(request), .. }) => {
                let error = NewError::new(ErrorCode::METHOD_NOT_FOUND, "Method not found");
                self.send(None, |line| line.error(request.id(), error))
            }
            (None, Received::Message { message: message @ Message::Notification(_), .. }) => {
                self.notify(message)
            }
            // A late answer, or an invalid message that answers nothing.
            _ => Ok(()),
        }
    }

    /// Forwards a notification of the server: to the client whose request it refers to, or else to all.
    fn notify(&mut self, message: &Message<'_>) -> io::Result<()> {
        let (mut forward, mut to) = (Forward::new(message), None);
        for reference in references(message) {
            let Some(request) = self.requests.get(&reference.id()) else { return Ok(()) };
            let original = match (reference.kind(), &request.value) {
                (ReferenceKind::ProgressToken, Some(token)) => token.as_borrowed(),
                _ => request.id(),
            };
            forward = forward.and_then(|it| it.with_reference(reference.value(), original));
            to = Some(request.client);
        }
        // A message about one request goes to no client if its reference can't be read.
        if to.is_none() && is_about_one(message) {
            return Ok(());
        }
        let Some(forward) = forward else { return Ok(()) };
        let mut line = Encoder::new(Vec::new());
        line.forward(&forward).map_err(io::Error::other)?;
        for (client, output) in &mut self.clients {
            if to.is_none_or(|to| to == *client) {
                let _ = output.write_all(line.output());
            }
        }
        Ok(())
    }

    /// Sends a line to a client, or to the server.
    fn send(
        &mut self,
        client: Option<u64>,
        encode: impl FnOnce(&mut Encoder<Vec<u8>>) -> Result<usize, EncodeError>,
    ) -> io::Result<()> {
        let mut line = Encoder::new(Vec::new());
        encode(&mut line).map_err(io::Error::other)?;
        match client {
            None => self.server.write_all(line.output())?,
            // If a client can't be written to, reading from it ends as well.
            Some(client) => {
                drop(self.clients.get_mut(&client).map(|it| it.write_all(line.output())))
            }
        }
        Ok(())
    }
}

/// Returns whether the message is about one request.
fn is_about_one(message: &Message<'_>) -> bool {
    let Message::Notification(note) = message else { return false };
    let method = KnownMethod::named(note.method());
    matches!(method, Some(KnownMethod::Progress | KnownMethod::Cancelled))
}

fn lock<T>(gateway: &Mutex<T>) -> MutexGuard<'_, T> {
    gateway.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads messages until the end of the input.
fn each(input: impl Read, mut take: impl FnMut(&Received<'_>) -> io::Result<()>) -> io::Result<()> {
    let mut reader = MessageReader::new(input, &PROFILE);
    while let Some(received) = reader.next()? {
        take(&received)?;
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(address), Some(program)) = (arguments.next(), arguments.next()) else {
        return Err(io::Error::other("usage: gateway ADDRESS PROGRAM [ARGUMENT]..."));
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
    let gateway = Arc::new(Mutex::new(Gateway::new(input)));
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
            let _ = each(stream, |received| lock(&gateway).client_sent(client, received));
            let _ = lock(&gateway).disconnect(client);
        });
    }
    Ok(())
}
