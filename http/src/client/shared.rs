//! The state that the tasks of a connection share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::{HeaderValue, Request};
use http_body_util::Full;
use tautline::Message;
use tautline::encode::{Encoder, Forward};
use tautline_mcp::http::Finding;
use tautline_mcp::{Era, Revision};
use tautline_tokio::Peer;
use tokio::sync::mpsc;

use super::incident::Incident;
use super::sender::{Exchanged, Sender};
use super::settings::Settings;
use super::tools::Tools;

/// The ids of the client's own requests begin here. Those of calls begin with 1.
const OWN_IDS: u64 = 1 << 52;

pub(super) struct Shared {
    pub(super) settings: Settings,
    pub(super) peer: Peer,
    pub(super) tools: Tools,
    sender: Arc<Sender>,
    /// Lines for the peer.
    incoming: mpsc::Sender<Vec<u8>>,
    state: Mutex<State>,
    next_id: AtomicU64,
}

struct State {
    mode: Mode,
    /// The request that has begun the session.
    handshake: Option<Bytes>,
}

/// How requests are made at present.
#[derive(Clone, Debug)]
pub(super) struct Mode {
    pub(super) revision: Revision,
    /// The id of the session, which is a secret.
    pub(super) session: Option<HeaderValue>,
    /// The number of the session.
    pub(super) generation: u64,
}

impl Mode {
    pub(super) const fn is_modern(&self) -> bool {
        matches!(self.revision.era(), Era::Modern)
    }
}

impl Shared {
    pub(super) fn new(
        settings: Settings,
        sender: Arc<Sender>,
        peer: Peer,
        incoming: mpsc::Sender<Vec<u8>>,
    ) -> Self {
        let mode = Mode { revision: Revision::LATEST, session: None, generation: 0 };
        Self {
            settings,
            peer,
            tools: Tools::default(),
            sender,
            incoming,
            state: Mutex::new(State { mode, handshake: None }),
            next_id: AtomicU64::new(OWN_IDS),
        }
    }

    /// Sends a request over HTTP.
    pub(super) fn send(&self, request: Request<Full<Bytes>>) -> Exchanged {
        self.sender.send(request)
    }

    pub(super) fn mode(&self) -> Mode {
        self.state().mode.clone()
    }

    /// Sets the revision, without a session.
    pub(super) fn set_revision(&self, revision: Revision) {
        let mut state = self.state();
        state.mode.revision = revision;
        state.mode.session = None;
    }

    /// Records the session that this request has begun.
    pub(super) fn begin_session(
        &self,
        handshake: Bytes,
        revision: Revision,
        session: Option<HeaderValue>,
    ) {
        let mut state = self.state();
        state.mode.revision = revision;
        state.mode.session = session;
        state.handshake = Some(handshake);
    }

    /// Ends the session with this number. Returns the request that has begun it, or `None` if it has ended before.
    pub(super) fn end_session(&self, generation: u64) -> Option<Bytes> {
        let mut state = self.state();
        if state.mode.generation != generation {
            return None;
        }
        state.mode.generation = generation.wrapping_add(1);
        state.mode.session = None;
        state.handshake.clone()
    }

    /// Returns an id for a request of the client's own.
    pub(super) fn own_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn observe(&self, incident: &Incident<'_>) {
        (self.settings.observer)(incident);
    }

    pub(super) fn report(&self, finding: &Finding) {
        self.observe(&Incident::Finding(finding));
    }

    /// Passes a message on to the peer.
    pub(super) async fn pass_on(&self, message: &Message<'_>) {
        if let Some(line) = line_of(message) {
            self.pass_line(line).await;
        }
    }

    /// Passes a line on to the peer. It waits while the peer does not read.
    pub(super) async fn pass_line(&self, line: Vec<u8>) {
        // It fails only if the connection has ended.
        let _ = self.incoming.send(line).await;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a message as one line. In a valid message, a raw LF or CR can only be between tokens.
pub(super) fn line_of(message: &Message<'_>) -> Option<Vec<u8>> {
    let mut encoder = Encoder::new(Vec::with_capacity(message.frame().len().saturating_add(1)));
    encoder.forward(&Forward::new(message)?).ok()?;
    Some(encoder.into_output())
}
