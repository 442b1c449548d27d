//! The request of an exchange.

use std::rc::Rc;

use proxy_wasm::hostcalls;
use proxy_wasm::types::{Action, BufferType, MapType};
use tautline::Profile;
use tautline::envelope::Skimmer;
use tautline_mcp::http::Finding;

use super::shared::Share;
use super::{Exchange, bytes, send};
use crate::reply::Reply;
use crate::report::{Cause, Line, Outcome, STATES, Side, rule, state};
use crate::request::{Body, Decision, Head, Judged, Reported};
use crate::settings::{Mode, Unjudged};

/// The stage of a request.
pub(super) enum Stage {
    /// Nothing is to be judged, or all was.
    Passing,
    /// The body is read.
    Uploading(Box<Upload>),
    /// The filter has answered.
    Refused,
}

/// A request whose body is read.
pub(super) struct Upload {
    head: Head,
    reported: Reported,
    /// The number of bytes so far, without those that the proxy holds.
    length: usize,
    /// The number of bytes that the proxy holds.
    held: usize,
    /// The body so far, if the proxy holds nothing.
    kept: Vec<u8>,
    /// Set when the body is known to be longer than the limit.
    skimmer: Option<Box<Skimmer>>,
    is_at_head: bool,
    share: Share,
}

const BODY: BufferType = BufferType::HttpRequestBody;

/// The number of bytes that are read from the proxy at a time if they are not kept.
const PIECE: usize = 64 << 10;

impl Exchange {
    pub(super) fn request_head(&mut self, ended: bool) -> Action {
        let shared = Rc::clone(&self.shared);
        let settings = &shared.settings;
        if settings.requests == Mode::Off {
            return Action::Continue;
        }
        let pairs = hostcalls::get_map_bytes(MapType::HttpRequestHeaders).unwrap_or_default();
        let head = Head::new(pairs);
        if settings.request_headers {
            for name in STATES {
                let _ = hostcalls::remove_map_value(MapType::HttpRequestHeaders, name.header);
            }
        }
        if !head.is_served(settings) {
            self.count(Outcome::Elsewhere, None, None);
            return Action::Continue;
        }
        if settings.responses == Mode::Enforce {
            // An encoded response cannot be judged.
            let _ = hostcalls::remove_map_value(MapType::HttpRequestHeaders, "accept-encoding");
        }
        let report = &mut |finding: Finding| shared.count_rule(finding.rule());
        if ended {
            let judged = head.judge_with(Body::Whole(b""), settings, Reported::No, report);
            return self.decide(judged);
        }
        let enforces = settings.requests == Mode::Enforce;
        let is_encoded = head.is_encoded();
        let mut reported = Reported::No;
        if is_encoded || (enforces && !head.is_short()) {
            // A GET or a DELETE is accepted if no body follows.
            if let Some(judged) = head.judge(settings, report)
                && matches!(judged.decision, Decision::Refuse(..))
            {
                return self.decide(judged);
            }
            reported = Reported::Yes;
        }
        if is_encoded {
            return self.unjudged(rule::BODY_ENCODED.into(), settings.compressed);
        }
        // Nothing of a body that is known to be too long is held: with what the proxy reads next, it could be more than its
        // buffer may have, and the proxy would refuse it without an id.
        let limit = u64::try_from(settings.limits.request).unwrap_or(u64::MAX);
        let is_long = head.length().is_some_and(|length| length > limit);
        let skimmer = is_long.then(|| Box::new(Skimmer::new(&Profile::JSON_RPC)));
        self.stage = Stage::Uploading(Box::new(Upload {
            head,
            reported,
            length: 0,
            held: 0,
            kept: Vec::new(),
            skimmer,
            is_at_head: enforces,
            share: Share::none(&shared),
        }));
        if enforces {
            shared.hold();
            return Action::Pause;
        }
        Action::Continue
    }

    pub(super) fn request_body(&mut self, size: usize, ended: bool) -> Action {
        let upload = match &mut self.stage {
            Stage::Passing => return Action::Continue,
            Stage::Refused => return Action::Pause,
            Stage::Uploading(upload) => upload,
        };
        if std::mem::take(&mut upload.is_at_head) {
            self.shared.release(true);
        }
        let settings = &self.shared.settings;
        let holds = settings.requests == Mode::Enforce;
        if !upload.read(size, holds, settings.limits.request) {
            return self.unjudged(rule::BODY_UNSEEN.into(), settings.unjudged);
        }
        if !upload.share.set(upload.kept.capacity()) {
            return self.unjudged(rule::MEMORY_FULL.into(), Unjudged::Pass);
        }
        if ended || upload.length > settings.limits.skim {
            return self.judge_body(ended);
        }
        if holds { Action::Pause } else { Action::Continue }
    }

    pub(super) fn request_trailers(&mut self) -> Action {
        match &self.stage {
            Stage::Passing => Action::Continue,
            Stage::Refused => Action::Pause,
            Stage::Uploading(_) => self.judge_body(true),
        }
    }

    /// Judges the request, whose body has ended or is not read any further.
    fn judge_body(&mut self, ended: bool) -> Action {
        let stage = std::mem::replace(&mut self.stage, Stage::Passing);
        let Stage::Uploading(mut upload) = stage else { return Action::Continue };
        let shared = Rc::clone(&self.shared);
        let settings = &shared.settings;
        let held;
        let body = match &mut upload.skimmer {
            Some(_) if !ended => Body::Unread,
            Some(skimmer) => Body::Skimmed(skimmer),
            None if upload.held > 0 => {
                held = bytes(BODY, 0, upload.held);
                if held.len() != upload.held {
                    return self.unjudged(rule::BODY_UNSEEN.into(), settings.unjudged);
                }
                Body::Whole(&held)
            }
            None => Body::Whole(&upload.kept),
        };
        let report = &mut |finding: Finding| shared.count_rule(finding.rule());
        let judged = upload.head.judge_with(body, settings, upload.reported, report);
        self.decide(judged)
    }

    /// Returns the reply to a request whose body the proxy has refused by itself, and counts it.
    pub(super) fn refuse_unread(&mut self) -> Option<Reply> {
        let stage = std::mem::replace(&mut self.stage, Stage::Refused);
        let Stage::Uploading(upload) = stage else { return None };
        let shared = Rc::clone(&self.shared);
        let report = &mut |finding: Finding| shared.count_rule(finding.rule());
        let judged =
            upload.head.judge_with(Body::Unread, &shared.settings, upload.reported, report);
        self.facts = judged.facts;
        let Decision::Refuse(cause, reply) = judged.decision else { return None };
        self.conclude(Outcome::Refused, Some(cause), Some(reply.status));
        Some(reply)
    }

    /// Carries out a decision.
    fn decide(&mut self, judged: Judged) -> Action {
        let Judged { decision, facts } = judged;
        self.facts = facts;
        let settings = &self.shared.settings;
        match decision {
            Decision::Accept(asked) => {
                self.conclude(Outcome::Accepted, None, None);
                self.asked = Some(asked);
                self.stage = Stage::Passing;
                Action::Continue
            }
            Decision::Refuse(cause, reply) => {
                if settings.requests == Mode::Enforce {
                    self.refuse(cause, &reply)
                } else {
                    self.conclude(Outcome::WouldRefuse, Some(cause), Some(reply.status));
                    self.stage = Stage::Passing;
                    Action::Continue
                }
            }
        }
    }

    /// Refuses or passes a request that cannot be judged.
    fn unjudged(&mut self, cause: Cause, choice: Unjudged) -> Action {
        let enforces = self.shared.settings.requests == Mode::Enforce;
        let reply = Reply::unjudged(cause.rule);
        match choice {
            Unjudged::Refuse if enforces => return self.refuse(cause, &reply),
            Unjudged::Refuse => {
                self.conclude(Outcome::WouldRefuse, Some(cause), Some(reply.status));
            }
            Unjudged::Pass => self.conclude(Outcome::Unjudged, Some(cause), None),
        }
        self.stage = Stage::Passing;
        Action::Continue
    }

    /// Answers the request.
    fn refuse(&mut self, cause: Cause, reply: &Reply) -> Action {
        self.conclude(Outcome::Refused, Some(cause), Some(reply.status));
        self.stage = Stage::Refused;
        send(reply)
    }

    fn count(&self, outcome: Outcome, cause: Option<Cause>, status: Option<u16>) {
        let (facts, settings) = (&self.facts, &self.shared.settings);
        let side = Side::Request;
        self.shared.conclude(&Line { side, outcome, cause, status, facts, settings });
    }

    /// Counts the outcome, and makes it known to the proxy and, if the settings want it, to the server.
    fn conclude(&self, outcome: Outcome, cause: Option<Cause>, status: Option<u16>) {
        self.count(outcome, cause, status);
        let has_headers = self.shared.settings.request_headers && outcome != Outcome::Refused;
        for (name, value) in STATES.iter().zip(state(outcome, cause, &self.facts)) {
            if value.is_empty() {
                continue;
            }
            let _ = hostcalls::set_property(vec![name.state], Some(value.as_bytes()));
            if has_headers {
                let map = MapType::HttpRequestHeaders;
                let _ = hostcalls::set_map_value(map, name.header, Some(value));
            }
        }
    }

    /// Counts a request that has ended before its body.
    pub(super) fn request_log(&mut self) {
        if let Stage::Uploading(upload) = &self.stage {
            if upload.is_at_head {
                self.shared.release(false);
            }
            self.count(Outcome::Aborted, None, None);
            self.stage = Stage::Passing;
        }
    }
}

impl Upload {
    /// Reads what the proxy has of the body, which are all the bytes that it holds, or the next piece. Returns `false` if the
    /// proxy does not show them.
    fn read(&mut self, size: usize, holds: bool, limit: usize) -> bool {
        if holds && self.skimmer.is_none() && size <= limit {
            // They are read when all have arrived.
            self.held = size;
            return true;
        }
        if !holds && self.skimmer.is_none() && size <= limit.saturating_sub(self.length) {
            let piece = bytes(BODY, 0, size);
            self.kept.extend_from_slice(&piece);
            self.length = self.length.saturating_add(size);
            return piece.len() == size;
        }
        let skimmer = self.skimmer.get_or_insert_with(|| {
            let mut skimmer = Box::new(Skimmer::new(&Profile::JSON_RPC));
            skimmer.push(&self.kept);
            self.kept = Vec::new();
            skimmer
        });
        let mut start = 0;
        while start < size {
            let piece = bytes(BODY, start, size.saturating_sub(start).min(PIECE));
            if piece.is_empty() {
                return false;
            }
            skimmer.push(&piece);
            start = start.saturating_add(piece.len());
        }
        self.length = self.length.saturating_add(size);
        self.held = 0;
        if holds {
            let _ = hostcalls::set_buffer(BODY, 0, size, b"");
        }
        true
    }
}
