//! The senders of messages in a log that only says whether its writer sent or received them.
//!
//! The writer may be the client, the server, or a program between them. The first message that only one side sends
//! shows which; messages before it are held until then.

use tautline::{Envelope, Message, Profile, RawStr};
use tautline_mcp::{KnownMethod, Revision, Role};

use super::out::{At, Out};
use super::{Event, SourceError};
use crate::ids;

/// The direction of a message, seen by the writer of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// The writer sent the message.
    Out,
    /// The writer received it.
    In,
    /// This side sent it: the log names the sender.
    Of(Role),
}

/// The number of messages that are held.
const MOST: usize = 64;

/// The size of the messages that are held, in bytes.
const LARGEST: usize = 4 * 1024 * 1024;

/// The knowledge about the writer of a log.
#[derive(Default)]
pub(super) struct Sides {
    writer: Option<Role>,
    held: Vec<Held>,
    size: usize,
    /// The id of the last `initialize`.
    opened: Option<String>,
    /// True if the client has sent `exit` since then.
    has_exited: bool,
}

struct Held {
    way: Way,
    what: What,
    at: At,
}

enum What {
    Message(Vec<u8>),
    /// A message that the log does not have, and the id that it answers, as it was written.
    Missing(Option<String>),
}

/// The sign of its sender that a message gives.
enum Sign {
    /// It is a request to initialize, with this id.
    Initialize(Option<String>),
    Exit,
    /// Only this side sends it.
    Of(Role),
    /// It is another request.
    Request,
    None,
}

impl Sides {
    /// Emits a message, or holds it until its sender is known.
    pub fn message(
        &mut self,
        way: Way,
        message: &[u8],
        at: At,
        out: &mut Out<'_, '_>,
    ) -> Result<(), SourceError> {
        let sign = Sign::of(message);
        let sender = match &sign {
            _ if matches!(way, Way::Of(_)) => None,
            Sign::Initialize(_) => Some(Role::Client),
            Sign::Exit if self.writer.is_none() => Some(Role::Client),
            Sign::Of(role) if self.writer.is_none() => Some(*role),
            _ => None,
        };
        if let Some(sender) = sender {
            self.decide(writer_of(way, sender), out)?;
        }
        match sign {
            Sign::Initialize(id) => {
                // A client uses an id only once in a session.
                if self.opened.is_some() && (self.has_exited || self.opened == id) {
                    out.end("followed by another session in the same log", at)?;
                }
                self.opened = id;
                self.has_exited = false;
            }
            Sign::Exit => self.has_exited = true,
            Sign::Of(_) | Sign::Request | Sign::None => {}
        }
        match self.sender_of(way) {
            Some(from) => out.frame(from, message, at),
            None => self.hold(Held { way, what: What::Message(message.to_vec()), at }, out),
        }
    }

    /// Emits that the log lacks a message, which answers this id.
    pub fn missing(
        &mut self,
        way: Way,
        answers: Option<String>,
        at: At,
        out: &mut Out<'_, '_>,
    ) -> Result<(), SourceError> {
        match self.sender_of(way) {
            Some(from) => out.event(Event::Missing { from, answers }, at),
            None => self.hold(Held { way, what: What::Missing(answers), at }, out),
        }
    }

    /// Emits the messages that are held.
    pub fn finish(&mut self, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
        if self.writer.is_some() || self.held.is_empty() {
            return Ok(());
        }
        // The side that asks first is the client.
        let first = self.held.iter().find_map(|held| match &held.what {
            What::Message(message) if matches!(Sign::of(message), Sign::Request) => {
                (!matches!(held.way, Way::Of(_))).then_some(held.way)
            }
            _ => None,
        });
        self.decide(first.map_or(Role::Client, |way| writer_of(way, Role::Client)), out)
    }

    /// Returns the sender of a message, unless it or a message before it has to be held.
    fn sender_of(&self, way: Way) -> Option<Role> {
        match way {
            Way::Of(role) if self.held.is_empty() => Some(role),
            _ => self.writer.map(|writer| sender_of(way, writer)),
        }
    }

    fn hold(&mut self, held: Held, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
        self.size += match &held.what {
            What::Message(message) => message.len(),
            What::Missing(_) => 0,
        };
        self.held.push(held);
        if self.held.len() < MOST && self.size < LARGEST {
            return Ok(());
        }
        self.finish(out)
    }

    fn decide(&mut self, writer: Role, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
        self.writer = Some(writer);
        self.size = 0;
        std::mem::take(&mut self.held).into_iter().try_for_each(|held| {
            let from = sender_of(held.way, writer);
            match held.what {
                What::Message(message) => out.frame(from, &message, held.at),
                What::Missing(answers) => out.event(Event::Missing { from, answers }, held.at),
            }
        })
    }
}

const fn sender_of(way: Way, writer: Role) -> Role {
    match way {
        Way::Out => writer,
        Way::In => writer.other(),
        Way::Of(role) => role,
    }
}

const fn writer_of(way: Way, sender: Role) -> Role {
    // The relation is its own inverse: if the writer received the message, the writer is the other side.
    sender_of(way, sender)
}

impl Sign {
    fn of(message: &[u8]) -> Self {
        let envelope = Envelope::read(message, &Profile::JSON_RPC);
        let (method, id) = match envelope.message() {
            Ok(Message::Request(request)) => (request.method(), Some(request.id())),
            Ok(Message::Notification(note)) => (note.method(), None),
            _ => return Self::None,
        };
        let name = method.decode().unwrap_or_default();
        match (name.as_ref(), id) {
            ("initialize", Some(id)) => Self::Initialize(ids::key_of(&id)),
            ("exit", None) => Self::Exit,
            (name, id) => match only_sender(method, name) {
                Some(role) => Self::Of(role),
                None if id.is_some() => Self::Request,
                None => Self::None,
            },
        }
    }
}

/// Returns the only side that sends messages with this method of MCP or LSP.
fn only_sender(method: RawStr<'_>, name: &str) -> Option<Role> {
    let Some(known) = KnownMethod::named(method) else { return only_sender_in_lsp(name) };
    let uses = || Revision::ALL.iter().filter_map(|&revision| known.use_in(revision));
    let by = |role| uses().any(|one| one.is_for(role));
    match (by(Role::Client), by(Role::Server)) {
        (true, false) => Some(Role::Client),
        (false, true) => Some(Role::Server),
        _ => None,
    }
}

fn only_sender_in_lsp(name: &str) -> Option<Role> {
    let (folder, rest) = name.split_once('/').unwrap_or(("", name));
    let is_of_server = match (folder, rest) {
        ("", "initialized" | "shutdown" | "exit") => false,
        ("textDocument", "publishDiagnostics") => true,
        ("textDocument" | "notebookDocument" | "callHierarchy" | "typeHierarchy", _) => false,
        ("window", "workDoneProgress/cancel") => false,
        ("window" | "client" | "telemetry", _) => true,
        ("workspace", "configuration" | "workspaceFolders" | "applyEdit") => true,
        ("workspace", rest) if rest.ends_with("/refresh") => true,
        ("workspace", rest) => {
            let is_of_client = rest.starts_with("did") || rest.starts_with("will");
            if !is_of_client && !matches!(rest, "symbol" | "executeCommand" | "diagnostic") {
                return None;
            }
            false
        }
        (_, "resolve") => false,
        _ => return None,
    };
    Some(if is_of_server { Role::Server } else { Role::Client })
}
