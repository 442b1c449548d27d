//! Messages that their receiver may not have been able to read: what they explain is not blamed on the other side.

use tautline::frame::{Concatenated, FrameEvent, Frames};
use tautline::{Id, Message, Profile, Rule};
use tautline_mcp::cause::{LostKind, rule};
use tautline_mcp::session::Pairing;
use tautline_mcp::{KnownMethod, Role};

use super::TwoSides;
use super::asked::At;
use super::correlation::Expected;
use crate::frame::FrameReport;

impl TwoSides {
    /// Notes the messages of this side that are lost with a frame: its requests were sent, and those of the other side were
    /// answered, but perhaps not readably. Takes them out of the report.
    pub(crate) fn note_unread(&mut self, from: Role, report: &mut FrameReport<'_>, frame: &[u8]) {
        for finding in report.messages_mut().flat_map(|message| &mut message.findings) {
            if finding.rule == rule::GLUED_MESSAGES {
                self.note_glued(from, frame);
            }
            for lost in std::mem::take(&mut finding.lost) {
                let id = lost.id().unwrap_or_default();
                let Some(id) = Id::parse(id.as_bytes()) else { continue };
                match (lost.kind(), lost.method()) {
                    (LostKind::Request, Some(method)) => {
                        self.sent_unread(from, &id, method, self.at);
                    }
                    (_, None) => self.answered_badly(from, &id),
                    _ => {}
                }
            }
            if finding.rule == Rule::UNTERMINATED_FRAME
                && let Ok(Message::Request(request)) = Message::parse(frame, &Profile::JSON_RPC)
            {
                // A receiver of lines waits for the end of this one.
                let opening = &mut self.opening;
                let session = self.judge.session_mut();
                session.excuse_alike(from, &request.id(), |number| opening.sent_unended(number));
            }
        }
    }

    /// Notes the messages in a frame that follow each other without a delimiter.
    fn note_glued(&mut self, from: Role, frame: &[u8]) {
        for event in Frames::with_framing(frame, Concatenated::new(u32::MAX)) {
            let FrameEvent::Frame(one) = event else { continue };
            let Ok(message) = Message::parse(one.bytes(), &Profile::JSON_RPC) else { return };
            match &message {
                Message::Request(request) => {
                    let method = request.method().decode().unwrap_or_default();
                    let pairing = self.sent_unread(from, &request.id(), &method, self.at);
                    if KnownMethod::named(request.method()) == Some(KnownMethod::Initialize) {
                        self.peers.observe(from, &message);
                        self.opening.observe(from, self.at, &message, &pairing);
                        if let Some(number) = pairing.number() {
                            self.opening.answered_badly(number);
                        }
                        self.has_unread_opening = true;
                    }
                }
                Message::Response(response) => {
                    if let Some(id) = response.id() {
                        self.answered_badly(from, &id);
                    }
                }
                Message::Notification(_) | Message::Batch(_) => {}
            }
        }
    }

    /// Notes a request whose line has not ended, so that it has no number of a frame.
    pub(crate) fn note_open(&mut self, from: Role, frame: &[u8]) {
        if let Ok(Message::Request(request)) = Message::parse(frame, &Profile::JSON_RPC) {
            let method = request.method().decode().unwrap_or_default();
            self.sent_unread(from, &request.id(), &method, At::default());
        }
    }

    /// Notes a request that its receiver may not have been able to read, so that it may be answered and need not be.
    fn sent_unread(&mut self, from: Role, id: &Id<'_>, method: &str, at: At) -> Pairing {
        let pairing = self.judge.session_mut().observe_unread(from, id);
        self.correlation.request(&pairing, method, at, Expected::default());
        pairing
    }
}
