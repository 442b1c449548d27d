//! Where a session stands, and what moves it on.

use super::{Capabilities, Early, Session, Slot};
use crate::envelope::{Rule, Severity};
use crate::json::RawStr;
use crate::mcp::{CallView, Era, Method, Notice, Peer, ResultView, Revision};

/// Where a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Phase {
    /// Neither era was chosen yet.
    Opening,
    /// `initialize` is on its way.
    Initializing,
    /// `initialize` was answered; `notifications/initialized` is to follow.
    AwaitingInitialized,
    /// The legacy session is open.
    Operating,
    /// Modern requests were sent, and none was answered with a result: a client that speaks both eras
    /// may still fall back to `initialize`.
    Probing,
    /// A modern request was served.
    Modern,
}

impl Phase {
    /// The era, once it is chosen.
    #[must_use]
    pub const fn era(self) -> Option<Era> {
        match self {
            Self::Opening => None,
            Self::Initializing | Self::AwaitingInitialized | Self::Operating => Some(Era::Legacy),
            Self::Probing | Self::Modern => Some(Era::Modern),
        }
    }
}

/// What is in force before anything is settled: the latest revision with a handshake.
pub(super) const LATEST_LEGACY: Revision = Revision::V2025_11_25;

/// What is in force if a request does not say, or says something that is not known.
const LATEST_MODERN: Revision = Revision::V2026_07_28;

impl<S: AsRef<[Slot]> + AsMut<[Slot]>> Session<S> {
    /// The era, once it is chosen.
    #[must_use]
    pub const fn era(&self) -> Option<Era> {
        self.phase.era()
    }

    /// The revision by which responses are judged.
    pub(super) fn revision_in_force(&self) -> Revision {
        self.revision.unwrap_or(match self.era() {
            Some(Era::Modern) => LATEST_MODERN,
            _ => LATEST_LEGACY,
        })
    }

    /// The revision by which the result is judged of a request that said its version, or did not.
    pub(super) fn revision_of_result(&self, claimed: bool) -> Revision {
        match (claimed, self.revision) {
            (true, _) => LATEST_MODERN,
            (false, Some(revision)) if revision.era() == Era::Legacy => revision,
            (false, _) => LATEST_LEGACY,
        }
    }

    /// The revision by which a call is judged.
    pub(super) fn revision_for(&self, from: Peer, call: &CallView<'_>) -> Revision {
        let requested = requested_version(call).and_then(Revision::named);
        let claimed = requested.filter(|revision| revision.era() == Era::Modern);
        match call.claims_version.then_some(claimed) {
            Some(claimed) => claimed.unwrap_or(LATEST_MODERN),
            // The fallback of a client that speaks both eras, and a server that knows of one alone.
            None if self.phase == Phase::Probing
                && (call.method == Some(Method::Initialize) || from == Peer::Server) =>
            {
                LATEST_LEGACY
            }
            None => self.revision_in_force(),
        }
    }

    /// Whether a request fits to where the session stands.
    pub(super) fn note_early_or_mixed(
        &self,
        from: Peer,
        call: &CallView<'_>,
        notice: &mut Notice<'_>,
    ) {
        let initializes = call.method == Some(Method::Initialize);
        let early = match (from, self.phase, call.claims_version) {
            (Peer::Client, Phase::Opening | Phase::Probing | Phase::Modern, true) => {
                return self.note_version(call, notice);
            }
            (Peer::Client, Phase::Modern, false) if initializes => {
                return notice.at_string(Rule::EraMixed, call.name);
            }
            // Without a version it lacks what the revision requires, and that is said then.
            (_, Phase::Modern, _) => return,
            (Peer::Client, _, true) => return notice.at_string(Rule::EraMixed, call.name),
            (Peer::Client, Phase::Opening | Phase::Probing, false) if initializes => {
                return self.note_handshake(call, notice);
            }
            (Peer::Client, _, false) if initializes => {
                return notice.at_string(Rule::InitializeAgain, call.name);
            }
            (Peer::Client, Phase::Probing, _) | (_, Phase::Operating, _) => return,
            (_, Phase::Opening | Phase::Initializing | Phase::Probing, _) => {
                (Rule::RequestBeforeInitialize, self.before_initialize)
            }
            (_, Phase::AwaitingInitialized, _) => {
                (Rule::RequestBeforeInitialized, self.before_initialized)
            }
        };
        if call.method != Some(Method::Ping) {
            let (rule, early) = early;
            let severity = match early {
                Early::Serve => Severity::Warning,
                Early::Refuse => Severity::Error,
            };
            notice.string_with(rule, severity, call.name);
        }
    }

    /// Whether the version that a request claims is supported.
    fn note_version(&self, call: &CallView<'_>, notice: &mut Notice<'_>) {
        if let Some(version) = requested_version(call) {
            let revision = Revision::named(version).filter(|r| r.era() == Era::Modern);
            if !revision.is_some_and(|revision| self.supported().contains(&revision)) {
                notice.at_string(Rule::VersionUnsupported, version);
            }
        }
    }

    /// Whether there is a revision with a handshake to settle on.
    fn note_handshake(&self, call: &CallView<'_>, notice: &mut Notice<'_>) {
        if self.negotiate(None).is_none() {
            notice
                .at_string(Rule::VersionUnsupported, requested_version(call).unwrap_or(call.name));
        }
    }

    /// A request was accepted.
    pub(super) fn advance_by_request(&mut self, from: Peer, call: &CallView<'_>) {
        if from == Peer::Server {
            return;
        }
        if call.method == Some(Method::Initialize) {
            let declared = call.params.and_then(|params| params.capabilities());
            self.declaring = Capabilities::of_declared(declared);
            if matches!(self.phase, Phase::Opening | Phase::Probing) {
                self.phase = Phase::Initializing;
            }
        } else if self.phase == Phase::Opening && call.claims_version {
            self.phase = Phase::Probing;
        }
    }

    /// The server answered a request with a result. The request said its version, or it did not.
    pub(super) fn advance_by_result(
        &mut self,
        method: Option<Method>,
        claimed: bool,
        result: &ResultView<'_>,
        notice: &mut Notice<'_>,
    ) {
        let declared = || Some(Capabilities::of_declared(result.capabilities()));
        match (method, self.phase) {
            (Some(Method::Initialize), Phase::Modern) => {}
            (Some(Method::Initialize), phase) => {
                let version = result.protocol_version();
                let revision = version.and_then(Revision::named);
                self.revision = revision.filter(|revision| revision.era() == Era::Legacy);
                if let (Some(version), None) = (version, self.revision) {
                    let rule = Rule::VersionUnsupported;
                    notice.string_with(rule, Severity::Warning, version);
                }
                self.declared.client = Some(self.declaring);
                self.declared.server = declared();
                // A second handshake does not close what the first has opened.
                if phase != Phase::Operating {
                    self.phase = Phase::AwaitingInitialized;
                }
            }
            // A server that knows nothing of versions may have served the request all the same, and then
            // it has not said what kind of result it is.
            (method, Phase::Probing | Phase::Modern)
                if claimed && result.result_type().is_some() =>
            {
                self.phase = Phase::Modern;
                self.revision = Some(LATEST_MODERN);
                if method == Some(Method::ServerDiscover) {
                    self.declared.server = declared();
                }
            }
            _ => {}
        }
    }

    /// A request was answered with an error.
    pub(super) fn advance_by_error(&mut self, from: Peer, method: Option<Method>) {
        let refused = from == Peer::Server && method == Some(Method::Initialize);
        if refused && self.phase == Phase::Initializing {
            self.phase = Phase::Opening;
        }
    }

    /// The client says that it has read the answer to `initialize`.
    pub(super) fn advance_by_initialized(
        &mut self,
        from: Peer,
        call: &CallView<'_>,
        notice: &mut Notice<'_>,
    ) {
        match (from, self.phase) {
            (Peer::Client, Phase::AwaitingInitialized) => self.phase = Phase::Operating,
            // That it is of the other era, or from the wrong side, was said already.
            (Peer::Server, _) | (_, Phase::Probing | Phase::Modern) => {}
            _ => notice.at_string(Rule::InitializedUnexpected, call.name),
        }
    }
}

/// The version that a modern request says it is made under, or else that a handshake asks for.
pub(super) fn requested_version<'buf>(call: &CallView<'buf>) -> Option<RawStr<'buf>> {
    match call.method {
        Some(Method::Initialize) if !call.claims_version => call.params?.protocol_version(),
        _ => call.meta?.protocol_version(),
    }
}
