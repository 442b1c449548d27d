//! How a session begins: whether the two sides agree on a version.

use serde::Serialize;
use tautline::{ErrorCode, Message, Request, Response};
use tautline_mcp::session::Pairing;
use tautline_mcp::{KnownMethod, ParamsView, ResultView, Role};

use super::At;

/// The length of a version or method that is kept, in characters.
const LONGEST: usize = 60;
/// The number of versions that are kept.
const MOST: usize = 16;

/// The code of an error that refuses a version (2026-07-28, basic/versioning).
const UNSUPPORTED: ErrorCode = ErrorCode::new(-32022);

/// How a session began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verdict {
    /// Neither a handshake nor a request with its version was seen.
    #[default]
    NotSeen,
    /// Both sides have shown that they use the version.
    Agreed,
    /// The server has answered `initialize` with the version that the client asked for, and the client has sent nothing
    /// after that.
    Unconfirmed,
    /// The server has refused the handshake or the version.
    Refused,
    /// `initialize`, or the first request with a version, was not answered.
    Unanswered,
    /// The server has answered requests with their version with errors only.
    Failed,
    /// The server chose another version than the client asked for, and the client has sent nothing after that.
    GivenUp,
}

/// How a session began, and with which versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Opening {
    /// The verdict.
    pub verdict: Verdict,
    /// The version that the client asked for last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered: Option<String>,
    /// The version that the server has chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    /// The versions that the server supports, as its refusal lists them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supported: Vec<String>,
    /// The method of the first call of the client, if that did not open the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preceded_by: Option<String>,
    /// The number of the frame of the last message that the verdict is about.
    #[serde(skip)]
    pub(crate) frame: u64,
    /// The error with which the server has refused the session, in words.
    #[serde(skip)]
    refusal: String,
    /// True if the request that opens the session need not be answered: the client has cancelled it, or its answer was
    /// broken.
    #[serde(skip)]
    is_excused: bool,
    /// True if its answer was broken, or has begun and not ended.
    #[serde(skip)]
    is_answered_badly: bool,
    /// True if the stream has ended before the line of that request.
    #[serde(skip)]
    is_unended: bool,
    /// The [number](Pairing::number) of that request.
    #[serde(skip)]
    number: Option<u64>,
    /// The time of that request, in microseconds.
    #[serde(skip)]
    asked_at: Option<i64>,
    /// The number of the frame of that request.
    #[serde(skip)]
    asked: u64,
    /// True if that request does nothing else.
    #[serde(skip)]
    is_handshake: bool,
}

impl Opening {
    /// Observes a message.
    pub(super) fn observe(&mut self, from: Role, at: At, message: &Message<'_>, pairing: &Pairing) {
        if self.verdict == Verdict::Agreed {
            return;
        }
        match (from, message) {
            (Role::Client, Message::Request(request)) => self.request(at, request, pairing),
            (Role::Client, Message::Notification(note)) => {
                let method = KnownMethod::named(note.method());
                // A client that cancels or that reports progress need not have read the answer.
                if !matches!(method, Some(KnownMethod::Cancelled | KnownMethod::Progress)) {
                    self.confirm(|| note.method().to_string());
                }
            }
            (Role::Server, Message::Response(response)) => {
                self.response(at.number, response, pairing);
            }
            (Role::Server, Message::Notification(note))
                if self.verdict == Verdict::Unanswered
                    && KnownMethod::named(note.method())
                        == Some(KnownMethod::SubscriptionsAcknowledged) =>
            {
                self.agree();
            }
            _ => {}
        }
    }

    fn request(&mut self, at: At, request: &Request<'_>, pairing: &Pairing) {
        let params = request.params().and_then(ParamsView::of);
        let method = KnownMethod::named(request.method());
        let version = match method {
            Some(KnownMethod::Initialize) => params.as_ref().and_then(ParamsView::protocol_version),
            Some(KnownMethod::Ping) if self.verdict == Verdict::NotSeen => return,
            _ => params.as_ref().and_then(|params| params.meta()?.protocol_version()),
        };
        let opens = version.is_some() || method == Some(KnownMethod::Initialize);
        if !opens {
            self.confirm(|| request.method().to_string());
        } else {
            let preceded_by = self.preceded_by.take();
            let offered = version.map(|version| short(&version.to_string()));
            *self = Self {
                verdict: Verdict::Unanswered,
                offered,
                preceded_by,
                frame: at.number,
                number: pairing.number(),
                asked_at: at.place.time,
                asked: at.number,
                is_handshake: method == Some(KnownMethod::Initialize),
                ..Self::default()
            };
        }
    }

    fn response(&mut self, frame: u64, response: &Response<'_>, pairing: &Pairing) {
        let answers = pairing.number().is_some() && pairing.number() == self.number;
        let is_of_initialize = answers && self.is_handshake;
        if let Some(error) = response.error() {
            let refuses_version = error.code() == Some(UNSUPPORTED);
            if is_of_initialize || refuses_version && self.verdict == Verdict::Unanswered {
                self.verdict = Verdict::Refused;
                self.frame = frame;
                self.supported = versions(&error);
                let code =
                    error.code().map_or_else(String::new, |code| format!("{} ", code.value()));
                let message = error.message().decode().unwrap_or_default();
                self.refusal = format!("the error {code}{:?}", short(&message));
            } else if answers {
                self.verdict = Verdict::Failed;
            }
            return;
        }
        let Some(result) = response.result().and_then(ResultView::of) else { return };
        if is_of_initialize {
            self.chosen = result.protocol_version().map(|version| short(&version.to_string()));
            self.frame = frame;
            self.verdict = match self.chosen == self.offered {
                true => Verdict::Unconfirmed,
                false => Verdict::GivenUp,
            };
        } else if matches!(self.verdict, Verdict::Unanswered | Verdict::Failed)
            && result.result_type().is_some()
        {
            self.agree();
        }
    }

    fn agree(&mut self) {
        self.verdict = Verdict::Agreed;
        self.chosen.clone_from(&self.offered);
    }

    /// Notes that the request that opens the session need not be answered.
    pub(super) const fn excuse(&mut self) {
        self.is_excused = true;
    }

    /// Notes that the answer to the request with this number was broken.
    pub(super) fn answered_badly(&mut self, number: u64) {
        if self.number == Some(number) {
            self.is_excused = true;
            self.is_answered_badly = true;
        }
    }

    /// Returns whether the server has refused the session and the client continues.
    pub(super) fn is_refused(&self) -> bool {
        self.verdict == Verdict::Refused
    }

    /// Returns what has kept the session from opening, if it [is refused](Opening::is_refused).
    pub(super) fn refusal(&self) -> Option<String> {
        let Self { frame, refusal, .. } = self;
        self.is_refused()
            .then(|| format!("in frame {frame}, the server has refused the session with {refusal}"))
    }

    /// Notes that the stream has ended before the line of the request with this number.
    pub(super) fn sent_unended(&mut self, number: u64) {
        self.is_unended |= self.number == Some(number);
    }

    /// Returns whether the client has sent `initialize` after the request in this frame. A client of both eras falls back to
    /// it if nothing answers `server/discover`.
    pub(crate) const fn has_fallen_back(&self, frame: u64) -> bool {
        self.is_handshake && self.asked > frame
    }

    /// Returns whether the server could not know that the request that opens the session was whole.
    pub(crate) const fn is_unended(&self) -> bool {
        self.is_unended
    }

    /// Notes that the server has begun what may be an answer.
    pub(super) fn answer_begun(&mut self) {
        self.is_answered_badly |= self.verdict == Verdict::Unanswered;
    }

    /// Returns whether the request that opens the session was answered by nothing but a broken answer.
    pub(super) fn is_answered_badly(&self) -> bool {
        self.is_answered_badly && self.verdict == Verdict::Unanswered
    }

    /// Returns the time of the request that opens the session, if it was recorded, in microseconds.
    pub(crate) const fn asked_at(&self) -> Option<i64> {
        self.asked_at
    }

    /// Notes that the client calls a method that does not open a session: it continues with the version that the server
    /// has chosen, or it has not opened the session.
    fn confirm(&mut self, method: impl FnOnce() -> String) {
        match self.verdict {
            Verdict::Unconfirmed | Verdict::GivenUp => self.verdict = Verdict::Agreed,
            Verdict::NotSeen if self.preceded_by.is_none() => {
                self.preceded_by = Some(short(&method()));
            }
            _ => {}
        }
    }

    /// Returns whether the request that does nothing but open the session was not answered, and had to be.
    pub(crate) fn is_owed(&self) -> bool {
        self.verdict == Verdict::Unanswered && self.is_handshake && !self.is_excused
    }

    /// Returns the verdict in words, for a sentence about the session.
    #[must_use]
    pub fn words(&self) -> String {
        let offered = self.offered.as_deref().unwrap_or("no version");
        let chosen = self.chosen.as_deref().unwrap_or("no version");
        match self.verdict {
            Verdict::NotSeen => match &self.preceded_by {
                Some(method) => format!("no handshake, begun with {method}"),
                None => "no handshake".to_owned(),
            },
            Verdict::Agreed => format!("agreed on {chosen}"),
            Verdict::Unconfirmed => {
                format!("the server accepted {chosen}, and the client sent nothing after that")
            }
            Verdict::Refused if self.supported.is_empty() => {
                format!("no agreement: the client asked for {offered}, and the server refused")
            }
            Verdict::Refused => format!(
                "no agreement: the client asked for {offered}, and the server supports {}",
                self.supported.join(", ")
            ),
            Verdict::Unanswered if self.is_unended => format!(
                "no agreement: the client asked for {offered} in a line without its newline, and was never answered"
            ),
            Verdict::Unanswered => {
                let what =
                    if self.is_excused { "got no valid answer" } else { "was never answered" };
                format!("no agreement: the client asked for {offered}, and {what}")
            }
            Verdict::Failed => {
                format!(
                    "no agreement: the client asked for {offered}, and the server answered with errors"
                )
            }
            Verdict::GivenUp => format!(
                "no agreement: the client asked for {offered}, the server chose {chosen}, and the client left"
            ),
        }
    }
}

/// Returns the versions that an error lists.
fn versions(error: &tautline::ErrorObject<'_>) -> Vec<String> {
    let listed = error.data().and_then(|data| data.member("supported"));
    let listed = listed.and_then(|listed| listed.elements()).into_iter().flatten();
    listed.filter_map(|one| Some(short(&one.string()?.to_string()))).take(MOST).collect()
}

fn short(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}
