//! An rmcp transport on top of tautline's codec. Copy this file to use it.
//!
//! tautline splits the lines and validates them. serde then parses a valid message from the same bytes for
//! rmcp. An invalid frame is logged, and its sender gets the error that it is owed, with the id of its
//! request if one can be read. Neither ends the session. If a request of rmcp's waits with this id, the error would
//! answer it, so none is sent.

use std::io;
use std::sync::{Arc, Mutex as Lock, MutexGuard, PoisonError};

use futures_util::{SinkExt, StreamExt};
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta, ProtocolVersion};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use tautline::codec::{EncodedLines, MessageCodec, ReceivedBuf};
use tautline::encode::{EncodeError, Encoder, NewError};
use tautline::envelope::Batches;
use tautline::frame::DEFAULT_LIMIT;
use tautline::json::Kind;
use tautline::stream::Received;
use tautline::{ErrorCode, Fault, Message, Profile, RawJson};
use tautline_mcp::Role;
use tautline_mcp::session::{Heap, Session};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Mutex;
use tokio_util::codec::{FramedRead, FramedWrite};
use tracing::{error, warn};

/// The server side of a connection with one message per line.
pub struct LineTransport<R, W> {
    input: FramedRead<R, MessageCodec>,
    /// Shared with the outgoing messages, because rmcp sends several at once.
    output: Arc<Mutex<FramedWrite<W, MessageCodec>>>,
    profile: Profile,
    /// The requests in flight.
    session: Arc<Lock<Session<Heap>>>,
    /// The reply to the last line, until the output has taken it.
    owed: Vec<u8>,
    /// True if the output may still hold part of a reply.
    unflushed: bool,
    /// True if rmcp was given the request that opens the session.
    opened: bool,
}

impl<R: AsyncRead, W: AsyncWrite> LineTransport<R, W> {
    /// Creates a transport for messages under this profile, in lines of at most [`DEFAULT_LIMIT`] bytes.
    pub fn new(input: R, output: W, profile: &Profile) -> Self {
        Self::with_limit(input, output, DEFAULT_LIMIT, profile)
    }

    /// Creates a transport for messages under this profile, in lines of at most `limit` bytes.
    pub fn with_limit(input: R, output: W, limit: u32, profile: &Profile) -> Self {
        // rmcp does not support batches, so a batch is answered with an error.
        let profile = profile.with_batches(Batches::Forbidden);
        let codec = MessageCodec::with_limit(limit, &profile);
        Self {
            input: FramedRead::new(input, codec.clone()),
            output: Arc::new(Mutex::new(FramedWrite::new(output, codec))),
            profile,
            session: Arc::new(Lock::new(Session::new(Heap::new()))),
            owed: Vec::new(),
            unflushed: false,
            opened: false,
        }
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (output, session, profile) =
            (Arc::clone(&self.output), Arc::clone(&self.session), self.profile);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut output = output.lock().await;
            // Replies to later faults wait for the output.
            see_sent(&session, &line, &profile);
            output.send(EncodedLines(&line)).await
        }
    }

    /// rmcp drops this future at any await point, as soon as it has other work. Nothing is lost: the
    /// codec's buffer keeps the bytes read, and a reply is kept until the output has taken it.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Err(error) = self.settle().await {
                error!("nothing can be sent any more: {error}");
                return None;
            }
            match self.input.next().await? {
                Ok(line) => {
                    if let Some(message) = self.judge(&line) {
                        return Some(message);
                    }
                }
                Err(error) => {
                    error!("nothing can be received any more: {error}");
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        SinkExt::<EncodedLines<'_>>::close(&mut *self.output.lock().await).await
    }
}

impl<R, W: AsyncWrite + Unpin> LineTransport<R, W> {
    /// Returns the message in this line, if rmcp should get it.
    fn judge(&mut self, line: &ReceivedBuf) -> Option<ClientJsonRpcMessage> {
        match line.received() {
            Received::Message { frame, message, .. } => {
                let code = match serde_json::from_slice(frame.bytes()) {
                    Ok(typed) if is_removed(&typed) => ErrorCode::METHOD_NOT_FOUND,
                    Ok(typed) if self.admit(&typed) => {
                        let _event = lock(&self.session).receive(Role::Client, &message, |_| {});
                        return Some(typed);
                    }
                    Ok(_) => {
                        warn!("line {}: dropped, as the session is not open", frame.line());
                        return None;
                    }
                    // A valid message that rmcp has no type for, for example because its id is an integer
                    // beyond 64 bits. If it is a request, the sender still expects an answer.
                    Err(error) => {
                        warn!("line {}: {error}", frame.line());
                        match metadata(&message).map(|value| value.kind()) {
                            None | Some(Kind::Object) => ErrorCode::INTERNAL_ERROR,
                            Some(_) => ErrorCode::INVALID_PARAMS,
                        }
                    }
                };
                self.refuse(&message, code);
            }
            Received::Fault { frame, fault, .. } => {
                warn!("line {}: {fault}", frame.line());
                self.answer(&fault);
            }
            // Only the id and the method of such a line are kept.
            Received::Oversized { oversized, fault, .. } => {
                warn!("line {}: {fault}", oversized.line());
                self.answer(&fault);
            }
            // Newline-delimited JSON has no other events.
            _ => {}
        }
        None
    }

    /// Returns whether rmcp can take the message now. It ends a session that does not begin with a request.
    fn admit(&mut self, message: &ClientJsonRpcMessage) -> bool {
        if let ClientJsonRpcMessage::Request(request) = message {
            self.opened |= opens(&request.request);
            return true;
        }
        self.opened
    }

    fn refuse(&mut self, message: &Message<'_>, code: ErrorCode) {
        if let Message::Request(request) = message
            && !lock(&self.session).is_owed(Role::Client, &request.id())
        {
            let error = NewError::new(code, "Unsupported request");
            self.owe(|encoder| encoder.error(request.id(), error));
        }
    }

    /// Sends the reply to a fault, unless the reply would answer a request that waits.
    fn answer(&mut self, fault: &Fault<'_>) {
        if lock(&self.session).receive_fault(Role::Client, fault) {
            self.owe(|encoder| encoder.fault(fault));
            see_sent(&self.session, &self.owed, &self.profile);
        }
    }

    fn owe(
        &mut self,
        write: impl FnOnce(&mut Encoder<&mut Vec<u8>>) -> Result<usize, EncodeError>,
    ) {
        if let Err(error) = write(&mut Encoder::with_profile(&mut self.owed, &self.profile)) {
            error!("a reply can't be written: {error}");
        }
    }

    /// Sends a reply that is owed, before another line is read. If a client does not read its replies, the
    /// server stops reading from it, and keeps at most one reply for it.
    async fn settle(&mut self) -> io::Result<()> {
        if self.owed.is_empty() && !self.unflushed {
            return Ok(());
        }
        let mut output = self.output.lock().await;
        if !self.owed.is_empty() {
            output.feed(EncodedLines(&self.owed)).await?;
            self.owed.clear();
            self.unflushed = true;
        }
        SinkExt::<EncodedLines<'_>>::flush(&mut *output).await?;
        self.unflushed = false;
        Ok(())
    }
}

/// Shows the session a line that is sent.
fn see_sent(session: &Lock<Session<Heap>>, line: &[u8], profile: &Profile) {
    if let Ok(message) = Message::parse(line, profile) {
        lock(session).observe(Role::Server, &message, |_| {});
    }
}

fn lock(session: &Lock<Session<Heap>>) -> MutexGuard<'_, Session<Heap>> {
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns whether rmcp opens a session for this request: the handshake, or a request with the metadata
/// that replaces it. A client may send pings and discovery requests before it.
fn opens(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => {
            let meta = other.get_meta();
            let version = meta.protocol_version();
            version.is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
                && meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
        }
    }
}

/// Returns whether this is a ping of a revision that has none. rmcp answers each ping that comes before its session.
fn is_removed(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(request) = message else { return false };
    let version = request.request.get_meta().protocol_version();
    matches!(request.request, ClientRequest::PingRequest(_))
        && version.is_some_and(|version| !version.has_initialize())
}

fn metadata<'buf>(message: &Message<'buf>) -> Option<RawJson<'buf>> {
    let Message::Request(request) = message else { return None };
    request.params()?.member("_meta")
}
