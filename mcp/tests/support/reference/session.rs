//! The naive reference for sessions: a list of what was sent, and what the contract requires at each step.
//!
//! If the contract leaves something open, the reference takes it from the observed session, and checks that it is
//! allowed.

use std::collections::HashSet;

use tautline_mcp::Role::{self, Client, Server};
use tautline_mcp::session::{Phase, SLOT_TEXT};

use crate::support::talk::{Seen, Watched};

/// An id or a token: its spelling, its value, and the number it may be mistaken for.
#[derive(Clone, Copy, Debug)]
pub struct Name(pub &'static str, &'static str, Option<u8>);

const LONG: &str = r#""0123456789012345678901234567890123456789012345678901234567890123456789""#;

pub const IDS: &[Name] = &[
    Name("1", "number 1", Some(1)),
    Name("2", "number 2", Some(2)),
    Name("1.0", "number 1.0", Some(1)),
    Name(r#""1""#, "text 1", Some(1)),
    Name(r#""\u0031""#, "text 1", Some(1)),
    Name(r#""a""#, "text a", None),
    Name(r#""\u0061""#, "text a", None),
    Name(r#""b""#, "text b", None),
    Name(LONG, "long", None),
];

/// Returns the value of an id for a peer that stores numbers as numbers.
fn value(key: &'static str) -> &'static str {
    if key == "number 1.0" { "number 1" } else { key }
}

pub const TOKENS: &[Name] = &[
    Name("1", "number 1", None),
    Name(r#""1""#, "text 1", None),
    Name(r#""\u0074""#, "text t", None),
    Name(r#""t""#, "text t", None),
    Name("9", "number 9", None),
];

/// Returns the token of a request with this id: the id itself, another value, another request's token, or none.
pub fn token_of(id: Name) -> Option<Name> {
    match id.1 {
        "number 1" | "number 2" => Some(TOKENS[0]),
        "text 1" => Some(TOKENS[1]),
        "text a" => Some(TOKENS[2]),
        "text b" => Some(TOKENS[3]),
        "long" => Some(TOKENS[4]),
        _ => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Initialize,
    Ping,
    /// A request of the legacy era only.
    Legacy,
    Discover,
    Listen,
    /// Any other modern request.
    Modern,
}

pub const WHATS: &[What] =
    &[What::Initialize, What::Ping, What::Legacy, What::Discover, What::Listen, What::Modern];

impl What {
    pub fn is_modern(self) -> bool {
        matches!(self, Self::Discover | Self::Listen | Self::Modern)
    }

    pub fn method(self, from: Role) -> &'static str {
        match (self, from) {
            (Self::Initialize, _) => "initialize",
            (Self::Ping, _) => "ping",
            (Self::Legacy, Client) => "logging/setLevel",
            (Self::Legacy, Server) => "roots/list",
            (Self::Discover, _) => "server/discover",
            (Self::Listen, _) => "subscriptions/listen",
            (Self::Modern, _) => "tools/call",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Result,
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    pub from: Role,
    key: &'static str,
    like: Option<u8>,
    what: What,
    cancelled: bool,
    /// True if the server has cancelled it. `None` if it may have been this request or an identical one, because one
    /// of them was forgotten or cancelled twice.
    ended: Option<bool>,
    /// True if the session keeps it.
    is_kept: bool,
}

/// The visible facts of a request in flight: its sender, its id, its method, whether it is cancelled.
type Facts = (Role, &'static str, &'static str, bool);

impl Sent {
    pub fn id(&self) -> Name {
        *IDS.iter().find(|id| id.1 == self.key).unwrap()
    }

    fn facts(&self) -> Facts {
        (self.from, self.key, self.what.method(self.from), self.cancelled)
    }
}

/// How long the session remembers what was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// There are slots for all requests.
    Exact,
    Short,
}

pub struct Model {
    memory: Memory,
    pub phase: Phase,
    pub sent: Vec<Sent>,
    answered: HashSet<(Role, &'static str)>,
    /// The ids of legacy requests, which must not be used again.
    used: HashSet<(Role, &'static str)>,
    /// The ids of subscriptions among those.
    closed: HashSet<&'static str>,
    /// The sides that have too many requests in flight for all of them to be kept, and for which a response arrived
    /// that the session may have matched to one of these requests. Their answers may be mistaken.
    strayed: HashSet<Role>,
    /// The sides whose answers were mistaken in this way: the session may wait for them for ever.
    vague: HashSet<Role>,
}

impl Model {
    pub fn new(memory: Memory) -> Self {
        Self {
            memory,
            phase: Phase::Opening,
            sent: Vec::new(),
            answered: HashSet::new(),
            used: HashSet::new(),
            closed: HashSet::new(),
            strayed: HashSet::new(),
            vague: HashSet::new(),
        }
    }

    fn legacy(&self) -> bool {
        !matches!(self.phase, Phase::Probing | Phase::Modern)
    }

    fn kept(&self, from: Role, key: &str) -> impl Iterator<Item = &Sent> {
        self.sent.iter().filter(move |sent| sent.is_kept && sent.from == from && sent.key == key)
    }

    fn has_unkept(&self, from: Role) -> bool {
        self.vague.contains(&from)
            || self.sent.iter().any(|sent| sent.from == from && !sent.is_kept)
    }

    /// Returns whether a request with this id is in flight that the session can't have forgotten, although it does
    /// not keep it.
    fn is_unkept(&self, from: Role, key: &str) -> bool {
        let mut sent = self.sent.iter();
        let is_it = |sent: &Sent| sent.from == from && !sent.is_kept && sent.key == key;
        sent.any(|sent| is_it(sent) && !sent.cancelled) && !self.strayed.contains(&from)
    }

    pub fn request(&mut self, from: Role, what: What, id: Name, seen: &Seen) {
        use Phase::{AwaitingInitialized, Initializing, Modern, Opening, Operating, Probing};
        // A modern server must not send requests, so the client does not answer them.
        if from == Server && self.phase == Modern {
            assert_eq!(seen.event, "ignored: wrong-direction");
            assert_eq!(seen.rules(), ["wrong-direction"]);
            return;
        }
        let is_served = match (from, what, self.phase) {
            (Client, What::Initialize, _) | (Server, What::Ping, _) => true,
            (_, What::Ping, _) => self.legacy(),
            (_, What::Legacy, phase) => matches!(phase, AwaitingInitialized | Operating),
            // Both eras in one process.
            (Client, ..) => true,
            (Server, ..) => false,
        };
        assert_eq!(seen.event == "request", is_served);
        assert_eq!(seen.event.starts_with("refused"), !is_served);
        let mixed = from == Client
            && match what {
                What::Initialize => self.phase == Modern,
                _ => {
                    what.is_modern()
                        && matches!(self.phase, Initializing | AwaitingInitialized | Operating)
                }
            };
        has(seen, "era-mixed", mixed);

        let same_value =
            |sent: &&Sent| sent.is_kept && sent.from == from && value(sent.key) == value(id.1);
        let by_legacy = !(from == Client && what.is_modern())
            && (self.legacy()
                || what == What::Initialize
                || self.phase == Probing && from == Server);
        // A cancelled request need not be answered, but a modern id is not free before the answer.
        let mut unanswered = self.sent.iter().filter(same_value);
        let in_use = unanswered.clone().any(|sent| !by_legacy || !sent.cancelled);
        has(seen, "id-in-use", in_use);
        let was_cancelled = unanswered.any(|sent| sent.cancelled);
        let mut used = self.used.iter();
        let was_used = used.any(|(side, key)| *side == from && value(key) == value(id.1));
        let reused = by_legacy && !in_use && (was_cancelled || was_used);
        if self.memory == Memory::Exact || !reused || was_cancelled {
            has(seen, "id-reused", reused);
        }
        let token = token_of(id);
        let same_token = |sent: &&Sent| {
            let other = token_of(sent.id());
            sent.from == from && other.map(|other| other.1) == token.map(|token| token.1)
        };
        let mut waiting = self.sent.iter().filter(|sent| sent.is_kept && !sent.cancelled);
        let token_in_use = waiting.any(|sent| same_token(&sent));
        has(seen, "progress-token-in-use", token.is_some() && token_in_use);
        if self.memory == Memory::Exact {
            has(seen, "untracked-request", id.0.len() > SLOT_TEXT);
        }

        let is_kept = !seen.rules().contains(&"untracked-request");
        let mut same_id = self.sent.iter().filter(|s| s.from == from && s.key == id.1);
        if self.memory == Memory::Short && same_id.any(|other| !is_kept || !other.is_kept) {
            // The answer to the one may look like a second answer to the other.
            self.strayed.insert(from);
        }
        let (key, like, cancelled, ended) = (id.1, id.2, false, Some(false));
        self.sent.push(Sent { from, key, like, what, cancelled, ended, is_kept });
        if is_served && from == Client {
            self.phase = match (what, self.phase) {
                (What::Initialize, Opening | Probing) => Initializing,
                (What::Discover | What::Listen | What::Modern, Opening) => Probing,
                (_, phase) => phase,
            };
        }
    }

    /// Returns the phase after the server has answered a request in this way.
    fn phase_after(&self, sent: &Sent, outcome: Outcome) -> Phase {
        match (sent.from, sent.what, outcome, self.phase) {
            (Client, What::Initialize, Outcome::Result, phase) => match phase {
                Phase::Operating => phase,
                _ => Phase::AwaitingInitialized,
            },
            (Client, What::Initialize, Outcome::Error, Phase::Initializing) => Phase::Opening,
            (Client, what, Outcome::Result, Phase::Probing) if what.is_modern() => Phase::Modern,
            (_, _, _, phase) => phase,
        }
    }

    pub fn answer(
        &mut self,
        from: Role,
        id: Name,
        outcome: Outcome,
        seen: &Seen,
        session: &Watched,
    ) {
        let now = session.phase();
        let asker = from.other();
        let answers = |sent: &Sent, key: &str| sent.from == asker && sent.key == key;
        let waits = self.kept(asker, id.1).any(|sent| !sent.cancelled);
        let is_exact = self.kept(asker, id.1).next().is_some();
        let is_answered = self.answered.contains(&(asker, id.1));
        // The method and the lateness identify the request; any that remain look exactly alike.
        let taken = self.sent.iter().position(|sent| {
            let is_it = if is_exact {
                answers(sent, id.1) && sent.cancelled != waits
            } else {
                sent.from == asker && sent.like.is_some() && sent.like == id.2
            };
            let method = format!(": {}", sent.what.method(asker));
            let late = seen.event.starts_with("late ");
            // Of several requests with the same spelling changed, it may be any.
            let is_gone = || {
                let is_alike = |other: &&Sent| other.is_kept && other.facts() == sent.facts();
                let before = self.sent.iter().filter(is_alike).count();
                in_flight(session).filter(|left| left == &sent.facts()).count() < before
            };
            let is_late = sent.ended.map(|ended| sent.cancelled && !ended);
            let is_it = sent.is_kept && is_it && is_late.is_none_or(|is_late| is_late == late);
            is_it && seen.event.ends_with(&method) && (is_exact || is_gone())
        });
        let could_be_alike = self.sent.iter().any(|sent| {
            sent.is_kept && sent.from == asker && sent.like.is_some() && sent.like == id.2
        });
        // Of several identical requests, it is the one that is waited for.
        let unkept = |sent: &Sent| !sent.is_kept && answers(sent, id.1);
        let waits = self.sent.iter().position(|sent| unkept(sent) && !sent.cancelled);
        let unkept = waits.or_else(|| self.sent.iter().position(unkept));
        let unmatched = matches!(&*seen.event, "unmatched" | "untracked");
        has(seen, "response-late", seen.event.starts_with("late "));
        has(seen, "response-ambiguous", self.kept(asker, id.1).count() > 1);
        if is_exact || !unmatched {
            // If requests were not kept, and unexpected answers were matched to them, this may be the answer to one of
            // them, or an answer whose id is respelled.
            assert!(is_exact || could_be_alike && !(is_answered && self.memory == Memory::Exact));
            has(seen, "response-id-rewritten", !is_exact);
            has(seen, "response-unexpected", false);
            has(seen, "response-duplicate", false);
            let sent = self.sent.remove(taken.expect("a response to one of those in flight"));
            self.answered.insert((asker, sent.key));
            if asker == Server || !sent.what.is_modern() {
                self.used.insert((asker, sent.key));
            }
            if (sent.from, sent.what) == (Client, What::Listen) {
                self.closed.insert(sent.key);
            }
            self.phase = self.phase_after(&sent, outcome);
            return;
        }
        has(seen, "response-id-rewritten", false);
        // If the handshake is not kept, the session treats a result that settles on a revision as its answer. It does
        // the same with the last error that can be the answer.
        let is_handshake =
            |sent: &Sent| sent.from == Client && matches!(sent.what, What::Initialize);
        let after = match outcome {
            Outcome::Result => Phase::AwaitingInitialized,
            Outcome::Error => Phase::Opening,
        };
        if self.phase == Phase::Initializing
            && now == after
            && from == Server
            && self.has_unkept(Client)
            && !self.sent.iter().any(|sent| sent.is_kept && is_handshake(sent))
        {
            self.phase = now;
        }
        let complained = seen
            .rules()
            .iter()
            .any(|rule| matches!(*rule, "response-unexpected" | "response-duplicate"));
        if let Some(unkept) = unkept {
            let may_be_forgotten = self.strayed.contains(&asker) || self.sent[unkept].cancelled;
            assert!(
                !complained || self.memory == Memory::Short && may_be_forgotten,
                "its request is in flight"
            );
            if complained {
                self.vague.insert(asker);
            } else if self.memory == Memory::Short && self.sent[unkept].cancelled {
                // Cancelled requests need not be remembered, so the session may have treated this answer as the answer
                // to another request.
                self.strayed.insert(asker);
            }
            let sent = self.sent.remove(unkept);
            if self.phase != now {
                assert_eq!(now, self.phase_after(&sent, outcome));
                self.phase = now;
            }
        } else if self.memory == Memory::Exact && is_answered {
            has(seen, "response-duplicate", true);
            has(seen, "response-unexpected", false);
        } else if self.has_unkept(asker) && self.memory == Memory::Short {
            self.strayed.insert(asker);
        } else {
            assert!(!could_be_alike || is_answered, "it was rewritten");
            assert!(complained, "nobody waits for it");
            assert!(is_answered || !seen.rules().contains(&"response-duplicate"));
        }
        if !self.has_unkept(asker) {
            self.strayed.remove(&asker);
        }
    }

    pub fn cancel(&mut self, from: Role, id: Name, seen: &Seen) {
        // The server ends subscriptions of the client, and may cancel requests of its own in the legacy era.
        let is_own = self.kept(from, id.1).next().is_some();
        let own_waits = self.kept(from, id.1).any(|sent| !sent.cancelled);
        let was_own = self.has_unkept(from) || self.answered.contains(&(from, id.1));
        let is_foreign = !self.legacy() && !is_own && !was_own;
        let subscribes = self.kept(Client, id.1).any(|sent| sent.what == What::Listen);
        let closed = self.closed.contains(id.1);
        let of_client = from == Server && !own_waits;
        let ends_subscription = of_client && (subscribes || closed || is_foreign);
        // How long answered requests are remembered is unspecified.
        let is_open = closed || !self.legacy() && !is_own && was_own;
        if self.memory == Memory::Short && of_client && !subscribes && is_open {
            for sent in self.sent.iter_mut().filter(|sent| !sent.is_kept && sent.key == id.1) {
                sent.cancelled = true;
            }
            return;
        }
        let asker = if ends_subscription { Client } else { from };
        let Some(_) = self.kept(asker, id.1).next() else {
            assert_eq!(seen.event, "notification");
            if ends_subscription && closed {
                has(seen, "cancel-unknown", false);
                return;
            }
            if self.is_unkept(asker, id.1) || !self.has_unkept(asker) {
                has(seen, "cancel-unknown", !self.has_unkept(asker));
            }
            for sent in &mut self.sent {
                sent.cancelled |= !sent.is_kept && sent.from == asker && sent.key == id.1;
            }
            return;
        };
        has(seen, "cancel-unknown", false);
        let waits = self.kept(asker, id.1).any(|sent| !sent.cancelled);
        let mut named = self.sent.iter_mut().filter(|sent| {
            sent.is_kept && sent.from == asker && sent.key == id.1 && sent.cancelled != waits
        });
        let named = named.find(|sent| {
            let ignored: &[_] = match sent.what {
                What::Initialize => &["cancel-initialize"],
                What::Listen => return seen.event.starts_with("cancelled subscriptions"),
                _ if !ends_subscription => {
                    return seen.event == format!("cancelled {}", sent.what.method(asker));
                }
                // It was the subscription of that id.
                _ if subscribes || closed => &[],
                _ => &["wrong-direction"],
            };
            seen.event == "notification" && seen.rules() == ignored
        });
        let named = named.expect("one of those with this id");
        let is_cancelled = seen.event != "notification";
        named.cancelled |= is_cancelled;
        if !is_cancelled || !ends_subscription {
            return;
        }
        named.ended = Some(true);
        let facts = named.facts();
        let mut alike: Vec<_> =
            self.sent.iter_mut().filter(|sent| sent.is_kept && sent.facts() == facts).collect();
        if !waits && alike.len() > 1 {
            alike.iter_mut().for_each(|sent| sent.ended = None);
        }
    }

    pub fn progress(&self, from: Role, token: Name, seen: &Seen) {
        if from == Client && !self.legacy() {
            assert_eq!(seen.event, "ignored: wrong-direction");
            return;
        }
        assert_eq!(seen.event, "notification");
        let asker = from.other();
        let with_token = |sent: &&Sent| {
            let own = token_of(sent.id());
            sent.from == asker && own.is_some_and(|own| own.1 == token.1)
        };
        let mut asked = self.sent.iter().filter(with_token);
        let kept = asked.clone().any(|sent| sent.is_kept);
        let unkept = asked.any(|sent| self.is_unkept(asker, sent.key));
        if kept || unkept || !self.has_unkept(asker) {
            has(seen, "progress-unknown", !kept && !unkept);
        }
    }

    /// Checks that the session is in the model's phase, and knows the same requests.
    pub fn check(&self, session: &Watched) {
        assert_eq!(session.phase(), self.phase);
        let settled =
            matches!(self.phase, Phase::AwaitingInitialized | Phase::Operating | Phase::Modern);
        assert_eq!(session.revision().is_some(), settled);

        let mut kept: Vec<_> =
            self.sent.iter().filter(|sent| sent.is_kept).map(Sent::facts).collect();
        for request in in_flight(session) {
            let it = kept.iter().position(|sent| *sent == request);
            kept.swap_remove(it.expect("it was sent, and not answered"));
        }
        // Cancelled requests make room for those waited for.
        kept.retain(|sent| self.memory == Memory::Exact || !sent.3);
        assert!(kept.is_empty(), "the session has forgotten {kept:?}");
    }

    /// Forgets cancelled requests, as a session does that has no other slots.
    pub fn forget(&mut self, session: &Watched) {
        let mut left: Vec<_> = in_flight(session).collect();
        let mut forgotten = Vec::new();
        self.sent.retain(|sent| {
            if !sent.is_kept || !sent.cancelled {
                return true;
            }
            let place = left.iter().position(|left| *left == sent.facts());
            match place {
                Some(place) => drop(left.swap_remove(place)),
                None => forgotten.push(*sent),
            }
            place.is_some()
        });
        for sent in &mut self.sent {
            let mut alike = forgotten.iter().filter(|other| other.facts() == sent.facts());
            if alike.any(|other| other.ended != sent.ended) {
                sent.ended = None;
            }
        }
    }
}

/// Returns the requests in flight according to the session.
fn in_flight(session: &Watched) -> impl Iterator<Item = Facts> {
    session.in_flight().map(|request| {
        let id = request.id().to_string();
        let key = IDS.iter().find(|name| name.0 == id).unwrap().1;
        (request.from(), key, request.method().unwrap().name(), request.is_cancelled())
    })
}

fn has(seen: &Seen, rule: &str, expected: bool) {
    assert_eq!(seen.rules().contains(&rule), expected, "{rule}: {seen:?}");
}
