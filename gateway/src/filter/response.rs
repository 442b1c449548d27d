//! The response of an exchange.

use std::rc::Rc;

use proxy_wasm::hostcalls;
use proxy_wasm::types::{Action, BufferType, MapType};

use super::request::Stage;
use super::{Exchange, bytes, send};
use crate::reply::Reply;
use crate::report::{Cause, Line, Outcome, Side, rule};
use crate::response::{BodyStep, HeadStep, Note, Piece, Response, Terms};
use crate::settings::Mode;

/// The state of a response.
pub(super) enum Answer {
    /// Nothing is to be judged, or all was.
    Passing,
    /// The pieces of the body pass, or what is left of them.
    Shown(Box<Response>),
    /// The proxy holds the head and the body.
    Held(Box<Response>),
    /// The body is replaced by these bytes. After the first piece, there are none left.
    Replaced(Vec<u8>),
}

const HEADERS: MapType = MapType::HttpResponseHeaders;
const BODY: BufferType = BufferType::HttpResponseBody;

impl Exchange {
    pub(super) fn response_head(&mut self, ended: bool) -> Action {
        if let Stage::Uploading(_) = self.stage {
            return self.answered_early(ended);
        }
        let shared = Rc::clone(&self.shared);
        let settings = &shared.settings;
        if settings.responses == Mode::Off {
            return Action::Continue;
        }
        let Some(asked) = self.asked.take() else { return Action::Continue };
        let pairs = hostcalls::get_map_bytes(HEADERS).unwrap_or_default();
        let status = pairs.iter().find(|(name, _)| name == ":status");
        let status = status.and_then(|(_, value)| std::str::from_utf8(value).ok()?.parse().ok());
        let headers = pairs.iter().filter(|(name, _)| !name.starts_with(':'));
        let headers = headers.map(|(name, value)| (name.as_bytes(), value.as_slice()));
        let mut response = Box::new(Response::new(asked, Terms::from(settings)));
        let step = response.head(status.unwrap_or_default(), headers, ended, |note| {
            self.note(note);
        });
        match step {
            HeadStep::Pass => self.end(),
            HeadStep::Observe => self.answer = Answer::Shown(response),
            HeadStep::Hold => {
                self.answer = Answer::Held(response);
                return Action::Pause;
            }
            HeadStep::Stream => {
                let _ = hostcalls::remove_map_value(HEADERS, "content-length");
                self.answer = Answer::Shown(response);
            }
            HeadStep::Refuse(reply) => {
                self.end();
                return send(&reply);
            }
        }
        Action::Continue
    }

    pub(super) fn response_body(&mut self, size: usize, ended: bool) -> Action {
        match std::mem::replace(&mut self.answer, Answer::Passing) {
            Answer::Passing => {}
            Answer::Replaced(body) => {
                let _ = hostcalls::set_buffer(BODY, 0, size, &body);
                self.answer = Answer::Replaced(Vec::new());
            }
            Answer::Shown(mut response) => {
                let shown = bytes(BODY, 0, size);
                match response.piece(&shown, ended, |note| self.note(note)) {
                    Piece::Keep => {}
                    Piece::Replace(other) => {
                        let _ = hostcalls::set_buffer(BODY, 0, size, &other);
                    }
                }
                if ended {
                    self.end();
                } else if self.share.set(response.kept())
                    || self.shared.settings.responses == Mode::Enforce
                {
                    self.answer = Answer::Shown(response);
                } else {
                    self.note(Note::Unjudged(rule::MEMORY_FULL));
                }
            }
            Answer::Held(mut response) => {
                let is_long = size > self.shared.settings.limits.response;
                self.held = size;
                if !is_long && !ended {
                    self.answer = Answer::Held(response);
                    return Action::Pause;
                }
                let step = if is_long {
                    response.too_long(|note| self.note(note))
                } else {
                    response.whole(&bytes(BODY, 0, size), |note| self.note(note))
                };
                match step {
                    BodyStep::Pass => self.end(),
                    // The head is still held.
                    BodyStep::Refuse(reply) => {
                        self.end();
                        return send(&reply);
                    }
                }
            }
        }
        Action::Continue
    }

    pub(super) fn response_trailers(&mut self) -> Action {
        match std::mem::replace(&mut self.answer, Answer::Passing) {
            Answer::Passing | Answer::Replaced(_) => {}
            Answer::Shown(mut response) => {
                // The body has gone, so nothing can be appended.
                let _ = response.piece(b"", true, |note| self.note(note));
                self.end();
            }
            Answer::Held(response) => {
                self.answer = Answer::Held(response);
                return self.response_body(self.held, true);
            }
        }
        Action::Continue
    }

    /// Writes the reply in place of the response, whose body has not ended.
    fn rewrite(&mut self, reply: Reply) {
        for name in ["content-length", "content-encoding"] {
            let _ = hostcalls::remove_map_value(HEADERS, name);
        }
        let status = reply.status.to_string();
        let _ = hostcalls::set_map_value(HEADERS, ":status", Some(&status));
        for (name, value) in reply.headers() {
            let _ = hostcalls::set_map_value(HEADERS, name, Some(value));
        }
        self.answer = Answer::Replaced(reply.body);
    }

    /// Handles a response that has come before the body of the request has ended. If the proxy itself has refused a body that
    /// exceeds what it buffers, the client gets the error that it is owed.
    fn answered_early(&mut self, ended: bool) -> Action {
        let status = hostcalls::get_map_value(HEADERS, ":status").ok().flatten();
        if self.shared.settings.requests == Mode::Enforce
            && status.as_deref() == Some("413")
            && !ended
            && let Some(reply) = self.refuse_unread()
        {
            self.rewrite(reply);
        }
        Action::Continue
    }

    /// Counts what is reported of the response.
    fn note(&mut self, note: Note) {
        let shared = Rc::clone(&self.shared);
        let (outcome, rule) = match note {
            Note::Finding(finding) => return shared.count_rule(finding.rule()),
            Note::Answered(_) => return,
            Note::Unjudged(rule) => (Outcome::Unjudged, rule),
            Note::Refused(rule) | Note::Removed(rule) => {
                let enforces = shared.settings.responses == Mode::Enforce;
                (if enforces { Outcome::Refused } else { Outcome::WouldRefuse }, rule)
            }
        };
        self.is_clean = false;
        self.count_response(outcome, Some(rule.into()));
    }

    fn count_response(&self, outcome: Outcome, cause: Option<Cause>) {
        let (facts, settings) = (&self.facts, &self.shared.settings);
        let side = Side::Response;
        self.shared.conclude(&Line { side, outcome, cause, status: None, facts, settings });
    }

    /// Counts a response that has ended.
    fn end(&mut self) {
        if self.is_clean {
            self.count_response(Outcome::Accepted, None);
        }
    }

    /// Counts a response that was cut off.
    pub(super) fn response_log(&mut self) {
        let is_open = matches!(self.answer, Answer::Shown(_) | Answer::Held(_));
        let has_not_begun = self.asked.is_some() && self.shared.settings.responses != Mode::Off;
        if is_open || has_not_begun {
            self.count_response(Outcome::Aborted, None);
        }
        self.answer = Answer::Passing;
    }
}
