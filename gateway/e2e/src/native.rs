//! The decisions of the native library about a request and its response. The filter must decide the same in any engine.

use tautline::Profile;
use tautline::envelope::Skimmer;
use tautline_gateway::reply;
use tautline_gateway::report::{Cause, Facts, Line, Outcome, STATES, Side, rule, state};
use tautline_gateway::request::{Body, Decision, Head, Judged, Reported};
use tautline_gateway::response::{Asked, BodyStep, HeadStep, Note, Piece, Response, Terms};
use tautline_gateway::settings::{Mode, Settings};

use crate::exchange::Ending;
use crate::host::{Fields, Reply};

/// Levels of the log.
const INFO: u32 = 2;
const WARN: u32 = 3;

/// The decision about a request.
#[derive(Clone, Debug)]
pub struct Request {
    outcome: Outcome,
    cause: Option<Cause>,
    /// The reply in place of the server's, also if it is only reported.
    refusal: Option<Reply>,
    facts: Facts,
    /// The request as its response is judged by it, if it was accepted.
    pub asked: Option<Asked>,
}

/// The decision about a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The head and the body that pass, or the reply in their place.
    pub sent: Result<(Fields, Vec<u8>), Reply>,
    /// The lines of the log, with their levels.
    pub lines: Vec<(u32, String)>,
}

impl Request {
    /// Judges a request, whose body comes in these pieces. Without any, the head has ended it.
    #[must_use]
    pub fn judge(settings: &Settings, fields: &Fields, pieces: &[&[u8]]) -> Self {
        let head = Head::new(fields.clone());
        let Judged { decision, facts } = if head.is_encoded() && !pieces.is_empty() {
            let refused = head.judge(settings, &mut |_| {});
            let refused = refused.filter(|one| matches!(one.decision, Decision::Refuse(..)));
            refused.unwrap_or_else(|| {
                let reply = reply::Reply::unjudged(rule::BODY_ENCODED);
                let decision = Decision::Refuse(rule::BODY_ENCODED.into(), reply);
                Judged { decision, facts: Facts::default() }
            })
        } else {
            let mut skimmer = Skimmer::new(&Profile::JSON_RPC);
            let body = pieces.concat();
            let last = pieces.last().map_or(0, |piece| piece.len());
            let body = if body.len() <= settings.limits.request {
                Body::Whole(&body)
            } else if body.len() - last > settings.limits.skim {
                Body::Unread
            } else {
                skimmer.push(&body);
                Body::Skimmed(&mut skimmer)
            };
            head.judge_with(body, settings, Reported::No, &mut |_| {})
        };
        match decision {
            Decision::Accept(asked) => {
                let asked = Some(asked);
                Self { outcome: Outcome::Accepted, cause: None, refusal: None, facts, asked }
            }
            Decision::Refuse(cause, refusal) => {
                let enforces = settings.requests == Mode::Enforce;
                let outcome = if enforces { Outcome::Refused } else { Outcome::WouldRefuse };
                let refusal = Some(written(&refusal));
                Self { outcome, cause: Some(cause), refusal, facts, asked: None }
            }
        }
    }

    /// Returns the reply, if the request does not pass.
    #[must_use]
    pub fn reply(&self) -> Option<&Reply> {
        self.refusal.as_ref().filter(|_| self.outcome == Outcome::Refused)
    }

    /// Returns the states that the filter sets.
    #[must_use]
    pub fn states(&self) -> Vec<(String, Vec<u8>)> {
        let values = state(self.outcome, self.cause, &self.facts);
        let states = STATES.iter().zip(values).filter(|(_, value)| !value.is_empty());
        let states = states.map(|(name, value)| (name.state.to_owned(), value.into()));
        states.collect()
    }

    /// Returns the head that passes.
    #[must_use]
    pub fn passed(&self, settings: &Settings, fields: &Fields) -> Fields {
        let mut fields = fields.clone();
        if settings.responses == Mode::Enforce {
            fields.retain(|(name, _)| name != "accept-encoding");
        }
        if settings.request_headers {
            fields.retain(|(name, _)| STATES.iter().all(|state| state.header != name));
            let header = |state: &str| {
                let state = STATES.iter().find(|name| name.state == state);
                state.map_or_else(String::new, |name| name.header.to_owned())
            };
            fields.extend(self.states().into_iter().map(|(name, value)| (header(&name), value)));
        }
        fields
    }

    /// Returns the lines of the log, with their levels.
    #[must_use]
    pub fn lines(&self, settings: &Settings) -> Vec<(u32, String)> {
        let status = self.refusal.as_ref().and_then(|reply| u16::try_from(reply.status).ok());
        let Self { outcome, cause, ref facts, .. } = *self;
        let line = Line { side: Side::Request, outcome, cause, status, facts, settings };
        let is_written = outcome != Outcome::Accepted;
        is_written.then(|| (level(outcome), line.to_string())).into_iter().collect()
    }

    /// Judges the response to this request, if it was accepted.
    #[must_use]
    pub fn answer(
        &self,
        settings: &Settings,
        fields: &Fields,
        pieces: &[&[u8]],
        ending: Ending,
    ) -> Answer {
        let mut lines = Vec::new();
        let mut report = |note: Note| {
            let enforces = settings.responses == Mode::Enforce;
            let (outcome, rule) = match note {
                Note::Refused(rule) | Note::Removed(rule) if enforces => (Outcome::Refused, rule),
                Note::Refused(rule) | Note::Removed(rule) => (Outcome::WouldRefuse, rule),
                Note::Unjudged(rule) => (Outcome::Unjudged, rule),
                _ => return,
            };
            let (side, cause, status) = (Side::Response, Some(rule.into()), None);
            let line = Line { side, outcome, cause, status, facts: &self.facts, settings };
            lines.push((level(outcome), line.to_string()));
        };
        let whole = || Ok((fields.clone(), pieces.concat()));
        let sent = match &self.asked {
            Some(asked) if settings.responses != Mode::Off => {
                let mut response = Response::new(asked.clone(), Terms::from(settings));
                let status = fields.iter().find(|(name, _)| name == ":status");
                let status = status.and_then(|(_, value)| str::from_utf8(value).ok()?.parse().ok());
                let headers = fields.iter().filter(|(name, _)| !name.starts_with(':'));
                let headers = headers.map(|(name, value)| (name.as_bytes(), value.as_slice()));
                let ended = pieces.is_empty() && ending == Ending::Piece;
                let status = status.unwrap_or_default();
                match response.head(status, headers, ended, &mut report) {
                    HeadStep::Pass => whole(),
                    HeadStep::Refuse(reply) => Err(written(&reply)),
                    HeadStep::Hold => match response.whole(&pieces.concat(), &mut report) {
                        BodyStep::Pass => whole(),
                        BodyStep::Refuse(reply) => Err(written(&reply)),
                    },
                    step => {
                        let mut fields = fields.clone();
                        if step == HeadStep::Stream {
                            fields.retain(|(name, _)| name != "content-length");
                        }
                        Ok((fields, pass(&mut response, pieces, ending, &mut report)))
                    }
                }
            }
            _ => whole(),
        };
        Answer { sent, lines }
    }
}

/// Returns what passes of a body that is not held.
fn pass(
    response: &mut Response,
    pieces: &[&[u8]],
    ending: Ending,
    report: &mut impl FnMut(Note),
) -> Vec<u8> {
    let mut passed = Vec::new();
    for (number, piece) in pieces.iter().enumerate() {
        let is_last = number + 1 == pieces.len() && ending == Ending::Piece;
        match response.piece(piece, is_last, &mut *report) {
            Piece::Keep => passed.extend_from_slice(piece),
            Piece::Replace(other) => passed.extend(other),
        }
    }
    if ending == Ending::Trailers {
        // Nothing can pass after the body.
        let _ = response.piece(b"", true, report);
    }
    passed
}

fn level(outcome: Outcome) -> u32 {
    if outcome == Outcome::Refused { WARN } else { INFO }
}

fn written(reply: &reply::Reply) -> Reply {
    let fields = reply.headers().into_iter();
    let fields = fields.map(|(name, value)| (name.to_owned(), value.into())).collect();
    Reply { status: reply.status.into(), fields, body: reply.body.clone() }
}
