//! Two files, one for each direction, without times.
//!
//! The order within each file is known. The order across the files is inferred: a response comes after its request,
//! progress after the request with its token, and a notification of a subscription after the request that opened it.
//! Otherwise everything comes as early as possible: the server first while it owes an answer, because the client may
//! wait for it, and else the client.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{self, Read};

use tautline::frame::FramingKind;
use tautline::{Id, Message, Profile};
use tautline_mcp::{KnownMethod, ParamsView, Role};

use super::{Ending, Event, Place, Receive, SourceError};
use crate::document::Order;
use crate::frame::{FrameReport, MaxFindings, Piece, Reporter};
use crate::wire::{Around, Wire, WireEvent};
use crate::{Options, ids};

/// The number of bytes to read at once.
const AT_ONCE: usize = 64 * 1024;

/// The number of requests and tokens that are remembered for each side.
const MOST: usize = 1 << 16;

/// Two files, one for each direction, that are merged.
///
/// [Prepare](Pair::prepare) the options of the audit, because the order across the files is inferred.
pub struct Pair<'a> {
    client: Side<'a>,
    server: Side<'a>,
    /// The id of the last `initialize`.
    opened: Option<String>,
}

impl std::fmt::Debug for Pair<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pair").finish_non_exhaustive()
    }
}

struct Side<'a> {
    role: Role,
    source: usize,
    reader: &'a mut dyn Read,
    wire: Wire,
    profile: Profile,
    room: Vec<u8>,
    heads: VecDeque<Head>,
    is_done: bool,
    /// The requests that wait for an answer, with their progress tokens.
    asked: HashMap<String, Option<String>>,
    tokens: HashSet<String>,
    /// The progress tokens of requests that were answered. A task continues to report progress after the answer.
    ended: HashSet<String>,
}

/// The next frame of a file, which was not emitted yet.
struct Head {
    cut: Cut,
    relation: Relation,
}

enum Cut {
    /// The bytes of a frame, and a piece without bytes that has its place.
    Frame(Vec<u8>, Piece<'static>),
    Report(FrameReport<'static>),
}

/// The relation to other frames that decides when a frame can be emitted.
enum Relation {
    /// A request to initialize, with this id and progress token.
    Opening(String, Option<String>),
    /// Requests with these ids and progress tokens.
    Requests(Vec<(String, Option<String>)>),
    /// Responses with these ids.
    Responses(Vec<String>),
    Progress(String),
    /// A notification of the subscription that the request with this id opened.
    Subscribed(String),
    Other,
}

impl<'a> Pair<'a> {
    /// Creates a source from the messages of the client and the messages of the server.
    #[must_use]
    pub fn new(
        client: &'a mut dyn Read,
        server: &'a mut dyn Read,
        framing: FramingKind,
        limit: u32,
        profile: &Profile,
    ) -> Self {
        let side = |role, source, reader| Side {
            role,
            source,
            reader,
            wire: Wire::new(framing, limit, profile),
            profile: *profile,
            room: vec![0; AT_ONCE],
            heads: VecDeque::new(),
            is_done: false,
            asked: HashMap::new(),
            tokens: HashSet::new(),
            ended: HashSet::new(),
        };
        Self {
            client: side(Role::Client, 0, client),
            server: side(Role::Server, 1, server),
            opened: None,
        }
    }

    /// Sets the options that depend on two files: their order is inferred.
    pub const fn prepare(options: &mut Options) {
        options.order = Order::Causal;
    }

    /// Reads both files to the end.
    ///
    /// # Errors
    ///
    /// Returns an error if a file can't be read or neither has a message, and errors of `receive`.
    pub fn read(mut self, receive: &mut Receive<'_>) -> Result<(), SourceError> {
        let mut has_any = false;
        loop {
            self.client.fill()?;
            self.server.fill()?;
            let Some(role) = self.next() else { break };
            let (side, other) = match role {
                Role::Client => (&mut self.client, &mut self.server),
                Role::Server => (&mut self.server, &mut self.client),
            };
            let Some(head) = side.heads.pop_front() else { break };
            has_any = true;
            let place = Place { source: side.source, line: None, time: None };
            if let Relation::Opening(id, _) = &head.relation {
                // A client uses an id only once within a session, so the files contain several sessions.
                if self.opened.as_ref() == Some(id) {
                    let how = "followed by another session in the same files".to_owned();
                    let end = Event::End { how, ending: Ending::Normal };
                    receive(end, place).map_err(SourceError::Receive)?;
                    for side in [&mut *side, &mut *other] {
                        side.asked.clear();
                        side.tokens.clear();
                        side.ended.clear();
                    }
                }
                self.opened = Some(id.clone());
            }
            match head.relation {
                Relation::Opening(id, token) => side.remember(id, token),
                Relation::Requests(requests) => {
                    requests.into_iter().for_each(|(id, token)| side.remember(id, token));
                }
                Relation::Responses(ids) => {
                    for id in ids {
                        other.answered(&id);
                    }
                }
                Relation::Progress(_) | Relation::Subscribed(_) | Relation::Other => {}
            }
            let from = side.role;
            let event = match &head.cut {
                Cut::Frame(bytes, piece) => Event::Frame { from, piece: piece.with_bytes(bytes) },
                Cut::Report(report) => Event::Broken { from, report: Box::new(report.clone()) },
            };
            receive(event, place).map_err(SourceError::Receive)?;
        }
        if has_any {
            return Ok(());
        }
        let why = "no message was found in either file, so nothing was judged".to_owned();
        Err(SourceError::Format { line: 1, why })
    }

    /// Returns the side whose frame comes next, or `None` at the end of both files.
    fn next(&self) -> Option<Role> {
        let (client, server) = (self.client.heads.front(), self.server.heads.front());
        let (Some(client), Some(server)) = (client, server) else {
            return client.map(|_| Role::Client).or_else(|| server.map(|_| Role::Server));
        };
        let client = client.relation.readiness(&self.server);
        let server = server.relation.readiness(&self.client);
        Some(match (client, server) {
            // The server often waits for the client's answer before it answers the client.
            (Readiness::Due, _) => Role::Client,
            (_, Readiness::Due) => Role::Server,
            // The client may wait for an answer that comes after this frame of the server.
            (Readiness::Ready, Readiness::Ready) if !self.client.asked.is_empty() => Role::Server,
            (Readiness::Ready, _) => Role::Client,
            (Readiness::Last | Readiness::Blocked, Readiness::Ready) => Role::Server,
            (Readiness::Last, _) => Role::Client,
            (Readiness::Blocked, Readiness::Last) => Role::Server,
            // Neither file contains what the other one waits for.
            (Readiness::Blocked, Readiness::Blocked) => Role::Client,
        })
    }
}

#[derive(Clone, Copy)]
enum Readiness {
    /// The frame that it depends on was emitted.
    Due,
    /// It does not depend on another frame.
    Ready,
    /// Everything in the previous session comes first.
    Last,
    /// The frame that it depends on was not emitted yet.
    Blocked,
}

impl Relation {
    fn of(bytes: &[u8]) -> Self {
        // Some revisions have batches, and the revision is not known yet.
        match Message::parse(bytes, &Profile::JSON_RPC) {
            Ok(Message::Batch(batch)) => {
                let (mut requests, mut responses) = (Vec::new(), Vec::new());
                for element in batch.iter().filter_map(|element| element.message().ok()) {
                    match Self::of_message(&element) {
                        Self::Requests(more) => requests.extend(more),
                        Self::Responses(more) => responses.extend(more),
                        _ => {}
                    }
                }
                if responses.is_empty() {
                    Self::Requests(requests)
                } else {
                    Self::Responses(responses)
                }
            }
            Ok(message) => Self::of_message(&message),
            // An invalid request that is still answered.
            Err(fault) => match fault.reply().and_then(|reply| reply.id()) {
                Some(id) if id != Id::Null => {
                    Self::Requests(ids::key_of(&id).map(|id| (id, None)).into_iter().collect())
                }
                _ => Self::Other,
            },
        }
    }

    fn of_message(message: &Message<'_>) -> Self {
        match message {
            Message::Request(request) => {
                // Nothing can wait for a request whose id is not remembered.
                let Some(id) = ids::key_of(&request.id()) else { return Self::Other };
                let params = request.params().and_then(ParamsView::of);
                let token = params.and_then(|params| params.meta()?.progress_token());
                let token = token.and_then(|token| ids::key_of(&token));
                if KnownMethod::named(request.method()) == Some(KnownMethod::Initialize) {
                    return Self::Opening(id, token);
                }
                Self::Requests(vec![(id, token)])
            }
            Message::Response(response) => match response.id() {
                Some(id) if id != Id::Null => {
                    Self::Responses(ids::key_of(&id).into_iter().collect())
                }
                _ => Self::Other,
            },
            Message::Notification(note)
                if KnownMethod::named(note.method()) == Some(KnownMethod::Progress) =>
            {
                let params = note.params().and_then(ParamsView::of);
                let token = params.and_then(|params| params.progress_token());
                token.and_then(|token| ids::key_of(&token)).map_or(Self::Other, Self::Progress)
            }
            Message::Notification(note) => {
                let params = note.params().and_then(ParamsView::of);
                let id = params.and_then(|params| params.meta()?.subscription_id());
                id.and_then(|id| ids::key_of(&id)).map_or(Self::Other, Self::Subscribed)
            }
            _ => Self::Other,
        }
    }

    fn readiness(&self, other: &Side<'_>) -> Readiness {
        let has_come = match self {
            Self::Responses(ids) => ids.iter().any(|id| other.asked.contains_key(id)),
            Self::Progress(token) if other.ended.contains(token) => return Readiness::Ready,
            Self::Progress(token) => other.tokens.contains(token),
            Self::Subscribed(id) => other.asked.contains_key(id),
            Self::Opening(..) => return Readiness::Last,
            Self::Requests(_) | Self::Other => return Readiness::Ready,
        };
        if has_come { Readiness::Due } else { Readiness::Blocked }
    }
}

impl Side<'_> {
    /// Remembers a request and its progress token, if there is room.
    fn remember(&mut self, id: String, token: Option<String>) {
        if self.asked.len() < MOST && self.tokens.len() < MOST {
            if let Some(token) = &token {
                self.ended.remove(token);
                self.tokens.insert(token.clone());
            }
            self.asked.insert(id, token);
        }
    }

    /// Notes that a request was answered.
    fn answered(&mut self, id: &str) {
        if let Some(token) = self.asked.remove(id).flatten() {
            self.tokens.remove(&token);
            if self.ended.len() < MOST {
                self.ended.insert(token);
            }
        }
    }

    /// Reads until there is a frame, or to the end.
    fn fill(&mut self) -> Result<(), SourceError> {
        while self.heads.is_empty() && !self.is_done {
            let source = self.source;
            let read = loop {
                match self.reader.read(&mut self.room) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    read => break read.map_err(|error| SourceError::Read { source, error })?,
                }
            };
            let Self { wire, profile, heads, .. } = self;
            let mut reporter = Reporter::new(wire.framing(), MaxFindings::All);
            let mut keep = |event: WireEvent<'_>, around: &Around<'_>| {
                heads.extend(Head::of(&event, around, profile, &mut reporter));
                Ok(())
            };
            let bytes = self.room.get(..read).unwrap_or_default();
            let goes_on = wire.push(bytes, &mut keep);
            if read == 0 || !goes_on.unwrap_or(false) {
                self.is_done = true;
                // Keeping a frame in memory does not fail.
                let _ = wire.finish(&mut keep);
            }
        }
        Ok(())
    }
}

impl Head {
    fn of(
        event: &WireEvent<'_>,
        around: &Around<'_>,
        profile: &Profile,
        reporter: &mut Reporter,
    ) -> Option<Self> {
        if let Some(frame) = event.frame() {
            let relation = Relation::of(frame.bytes());
            let place = Piece::of_frame(frame).with_bytes(b"");
            return Some(Self { cut: Cut::Frame(frame.bytes().to_vec(), place), relation });
        }
        let report = reporter.event(event, profile, around)?;
        Some(Self { cut: Cut::Report(report.into_owned()), relation: Relation::Other })
    }
}
