//! Strays: what a response, progress or a cancellation was probably meant for that fits nothing.

use std::collections::VecDeque;
use std::fmt;

use tautline::{Id, Message, Rule};
use tautline_mcp::session::Pairing;
use tautline_mcp::{KnownMethod, Role, rule};

use crate::excerpt::token_length;
use crate::frame::FindingReport;
use crate::ids;

/// The number of calls of each side that are remembered.
const MOST: usize = 256;
/// The length of a method that is remembered, in characters.
const LONGEST: usize = 60;

/// The last calls of both sides.
#[derive(Debug, Default)]
pub(super) struct Recent {
    client: VecDeque<Recalled>,
    server: VecDeque<Recalled>,
}

#[derive(Debug)]
struct Recalled {
    frame: u64,
    /// The number of a request.
    number: Option<u64>,
    method: String,
    is_notification: bool,
    /// The id of a request, unless it is null or too long.
    id: Option<String>,
    token: Option<String>,
    end: End,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Pending,
    Answered(u64),
    Cancelled(u64),
}

impl fmt::Display for Recalled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { frame, method, .. } = self;
        match self.end {
            End::Pending => write!(f, "{method} in frame {frame}"),
            End::Answered(by) => {
                write!(f, "{method} in frame {frame}, which was answered in frame {by}")
            }
            End::Cancelled(by) => {
                write!(f, "{method} in frame {frame}, which was cancelled in frame {by}")
            }
        }
    }
}

/// The remedy for an answer to a notification.
const DO_NOT_ANSWER: &str = "do not answer notifications";

impl Recent {
    /// Remembers a message of this frame, with the progress token of a request.
    pub fn observe(
        &mut self,
        from: Role,
        frame: u64,
        message: &Message<'_>,
        (pairing, token): (&Pairing, Option<Id<'_>>),
    ) {
        let call = match message {
            Message::Request(request) => request.call(),
            Message::Notification(note) => note.call(),
            Message::Response(_) => {
                self.end(from.other(), pairing, End::Answered(frame));
                return;
            }
            Message::Batch(_) => return,
        };
        if call.id().is_none() && KnownMethod::named(call.method()) == Some(KnownMethod::Cancelled)
        {
            self.end(from, pairing, End::Cancelled(frame));
        }
        let recalled = Recalled {
            frame,
            number: pairing.number().filter(|_| call.id().is_some()),
            method: match call.method().unescaped() {
                Some(method) if method.len() <= LONGEST => method.to_owned(),
                _ => call.method().chars().flatten().take(LONGEST).collect(),
            },
            is_notification: call.id().is_none(),
            id: call.id().and_then(|id| ids::key_of(&id)),
            token: token.filter(|_| call.id().is_some()).and_then(|token| ids::key_of(&token)),
            end: End::Pending,
        };
        let calls = self.of_mut(from);
        if calls.len() >= MOST {
            calls.pop_front();
        }
        calls.push_back(recalled);
    }

    const fn of(&self, side: Role) -> &VecDeque<Recalled> {
        match side {
            Role::Client => &self.client,
            Role::Server => &self.server,
        }
    }

    const fn of_mut(&mut self, side: Role) -> &mut VecDeque<Recalled> {
        match side {
            Role::Client => &mut self.client,
            Role::Server => &mut self.server,
        }
    }

    /// Notes how a request ended. The newest match ends.
    fn end(&mut self, side: Role, pairing: &Pairing, end: End) {
        let Some(number) = pairing.number() else { return };
        let mut calls = self.of_mut(side).iter_mut().rev();
        let is_it = |one: &&mut Recalled| one.number == Some(number) && one.end == End::Pending;
        if let Some(request) = calls.find(is_it) {
            request.end = end;
        }
    }

    /// Adds to a finding what its message was probably meant for. The finding is on a frame of this side, with these
    /// bytes. Returns whether the message answers a notification.
    pub fn explain(&self, finding: &mut FindingReport, from: Role, frame: &[u8]) -> bool {
        let at = usize::try_from(finding.column - 1).unwrap_or(usize::MAX);
        let rest = frame.get(at..).unwrap_or_default();
        let key = rest.get(..token_length(rest)).and_then(|id| ids::key_of(&Id::parse(id)?));
        let key = key.as_deref();
        let mut answers_notification = false;
        let words = match finding.rule {
            Rule::RESPONSE_WITHOUT_ID | rule::ERROR_WITHOUT_CAUSE | rule::RESPONSE_UNEXPECTED => {
                match self.answered_notification(from) {
                    Some(note) => {
                        finding.help = DO_NOT_ANSWER;
                        answers_notification = true;
                        Some(format!("it answers the notification {note}"))
                    }
                    None => self.like_response(finding.rule, from, key),
                }
            }
            rule::RESPONSE_DUPLICATE => self
                .with_id(from.other(), key)
                .map(|request| format!("its id is that of {request}")),
            rule::PROGRESS_UNKNOWN => self.like_token(from.other(), key),
            rule::CANCEL_UNKNOWN => self.like_id(from, key),
            _ => None,
        };
        if let Some(words) = words {
            finding.explain(format!("{}: {words}", finding.message));
        }
        answers_notification
    }

    /// Returns the keys of the ids of the requests of this side that wait, as `waits` knows, if all of them are in one
    /// frame.
    pub fn waiting_in_one_frame(&self, side: Role, waits: impl Fn(&Id<'_>) -> bool) -> Vec<String> {
        let is_pending = |one: &&Recalled| one.end == End::Pending;
        let requests = self.of(side).iter().filter(is_pending);
        let requests = requests.filter_map(|one| Some((one.frame, ids::json(one.id.as_deref()?))));
        let waits = |(_, id): &(u64, String)| Id::parse(id.as_bytes()).is_some_and(|id| waits(&id));
        let mut waiting = requests.filter(waits).peekable();
        let Some(&(frame, _)) = waiting.peek() else { return Vec::new() };
        let ids = waiting.map(|(other, id)| (other == frame).then_some(id));
        ids.collect::<Option<_>>().unwrap_or_default()
    }

    /// Returns the last call of the other side, if it is a notification and no request of that side waits.
    fn answered_notification(&self, from: Role) -> Option<&Recalled> {
        let calls = self.of(from.other());
        let is_waiting = |one: &Recalled| !one.is_notification && one.end == End::Pending;
        calls.back().filter(|last| last.is_notification && !calls.iter().any(is_waiting))
    }

    fn with_id(&self, side: Role, key: Option<&str>) -> Option<&Recalled> {
        let key = key?;
        self.of(side).iter().rev().find(|one| one.id.as_deref() == Some(key))
    }

    /// Returns the words for a response that fits no request.
    fn like_response(&self, rule: Rule, from: Role, key: Option<&str>) -> Option<String> {
        let calls = self.of(from.other());
        let mut waiting =
            calls.iter().rev().filter(|one| one.id.is_some() && one.end == End::Pending);
        if rule == rule::RESPONSE_UNEXPECTED
            && let Some(words) = self.like_id(from.other(), key)
        {
            return Some(words);
        }
        let (only, None) = (waiting.next()?, waiting.next()) else { return None };
        let id = only.id.as_deref().map(ids::shown)?;
        Some(format!("the one request that waits is {only}, with the id {id}"))
    }

    /// Returns the words for an id that no request of this side in flight has.
    fn like_id(&self, side: Role, key: Option<&str>) -> Option<String> {
        if let Some(request) = self.with_id(side, key) {
            return Some(format!("the id is that of {request}"));
        }
        let key = key?;
        let is_like = |one: &&Recalled| one.id.as_deref().is_some_and(|id| ids::is_like(id, key));
        let request = self.of(side).iter().rev().find(is_like)?;
        let (id, own) = (ids::shown(request.id.as_deref()?), ids::shown(key));
        Some(format!("the id is {own}, and {request} has the id {id}"))
    }

    /// Returns the words for a progress token that no request of this side in flight has.
    fn like_token(&self, side: Role, key: Option<&str>) -> Option<String> {
        let (calls, key) = (self.of(side), key?);
        let mut newest = calls.iter().rev();
        if let Some(request) = newest.clone().find(|one| one.token.as_deref() == Some(key)) {
            return Some(format!("the token is that of {request}"));
        }
        let is_like =
            |one: &&Recalled| one.token.as_deref().is_some_and(|token| ids::is_like(token, key));
        if let Some(request) = newest.clone().find(is_like) {
            let token = ids::shown(request.token.as_deref()?);
            let own = ids::shown(key);
            return Some(format!("the token is {own}, and {request} has the token {token}"));
        }
        let request = newest.find(|one| one.id.as_deref() == Some(key))?;
        let has = if request.token.is_some() { "another token" } else { "no token" };
        Some(format!("the token is the id of {request}, which has {has}"))
    }
}
