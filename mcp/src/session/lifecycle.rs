//! The transitions between the phases of a session.

use tautline::{ErrorCode, Severity};

use super::{Capabilities, Capability, Phase, Requests, Session};
use crate::{
    CallKind, CallView, Era, KnownMethod, MetaView, Notice, ResultKind, ResultView, Revision, Role,
    is_of_modern_server, rule,
};

/// The revision in force before anything is settled: the latest one with a handshake.
const LATEST_LEGACY: Revision = Revision::V2025_11_25;

/// The revision in force if a request names none, or an unknown one.
const LATEST_MODERN: Revision = Revision::V2026_07_28;

impl<S: Requests> Session<S> {
    /// Returns the era, once it is chosen.
    #[must_use]
    pub const fn era(&self) -> Option<Era> {
        self.phase.era()
    }

    /// Returns the revision in force, or the revision that applies until one is settled.
    fn revision_in_force(&self) -> Revision {
        self.revision.unwrap_or(match self.era() {
            Some(Era::Modern) => LATEST_MODERN,
            None if self.only == Some(Era::Modern) => LATEST_MODERN,
            _ => LATEST_LEGACY,
        })
    }

    /// Returns whether the server is modern, so that it neither sends requests nor accepts responses.
    pub(super) fn server_is_modern(&self) -> bool {
        self.phase == Phase::Modern || self.only == Some(Era::Modern)
    }

    /// Returns whether notifications of the server may be modern ones: it is modern, or it may be serving modern
    /// requests.
    pub(super) fn may_be_modern(&self) -> bool {
        self.server_is_modern()
            || self.phase == Phase::Probing
            || self.ledger.store.has_claimed()
            || self.ledger.has_untracked(Role::Client)
    }

    /// Returns the revision that applies to a result. `claimed` is true if the request named its version.
    pub(super) fn revision_of_result(&self, claimed: bool) -> Revision {
        match (claimed, self.revision) {
            (true, _) => LATEST_MODERN,
            (false, Some(revision)) if revision.era() == Era::Legacy => revision,
            (false, _) => LATEST_LEGACY,
        }
    }

    /// Returns the revision that applies to a call.
    pub(super) fn revision_for(&self, from: Role, call: &CallView<'_>) -> Revision {
        // There is one modern revision. A request for another one was refused before.
        if call.claims_version {
            return LATEST_MODERN;
        }
        // A client that speaks both eras uses `initialize` as the fallback.
        let initializes = from == Role::Client && call.method == Some(KnownMethod::Initialize);
        let revision = match self.phase {
            Phase::Probing if initializes || from == Role::Server => LATEST_LEGACY,
            Phase::Modern if initializes => LATEST_LEGACY,
            _ => self.revision_in_force(),
        };
        // While the client makes modern requests, the server may notify it by their revision too.
        let notifies = from == Role::Server && call.kind == CallKind::Notification;
        let is_other = |method: KnownMethod| match method {
            // A log message does not show which request it is for.
            KnownMethod::LoggingMessage => self.lacks(Era::Legacy, (from, Capability::Logging)),
            _ if method.use_in(revision).is_none() => true,
            _ => call.meta.as_ref().is_some_and(MetaView::is_subscribed),
        };
        let is_other = notifies && call.method.is_some_and(is_other);
        if is_other && self.may_be_modern() { LATEST_MODERN } else { revision }
    }

    /// Advances the session after a request was accepted.
    pub(super) fn advance_by_request(&mut self, from: Role, call: &CallView<'_>) {
        if from == Role::Server {
            return;
        }
        if call.method == Some(KnownMethod::Initialize) {
            let declared = call.params.as_ref().and_then(|params| params.capabilities());
            self.declaring = Capabilities::of_declared(declared);
            if matches!(self.phase, Phase::Opening | Phase::Probing) {
                self.phase = Phase::Initializing;
            }
        } else if self.phase == Phase::Opening && call.claims_version {
            self.phase = Phase::Probing;
        }
    }

    /// Advances the session after the server has answered a request with a result. `claimed` is true if the request
    /// named its version.
    pub(super) fn advance_by_result(
        &mut self,
        method: Option<KnownMethod>,
        claimed: bool,
        result: &ResultView<'_>,
        kind: ResultKind,
        notice: &mut Notice<'_>,
    ) {
        let declared = || Capabilities::of_declared(result.capabilities());
        match (method, self.phase) {
            (Some(KnownMethod::Initialize), phase) => {
                let version = result.protocol_version();
                let revision = version.and_then(Revision::named);
                self.revision = revision.filter(|revision| revision.era() == Era::Legacy);
                if let (Some(version), None) = (version, self.revision) {
                    let rule = rule::VERSION_UNSUPPORTED;
                    notice.string_with(rule, Severity::Warning, version);
                }
                self.declared.client = self.declaring;
                self.declared.server = declared();
                // A second handshake does not close the session that the first one has opened.
                if phase != Phase::Operating {
                    self.phase = Phase::AwaitingInitialized;
                }
            }
            // A server that does not know about versions may have served the request anyway. Its result then has no
            // `resultType`.
            (method, phase) if claimed && result.result_type().is_some() => {
                if matches!(phase, Phase::Probing | Phase::Modern) {
                    self.settle_modern();
                }
                if method == Some(KnownMethod::ServerDiscover) && kind == ResultKind::Complete {
                    self.discovered = declared();
                }
            }
            _ => {}
        }
    }

    /// Settles on the modern era, after the server has shown that it is modern.
    pub(super) const fn settle_modern(&mut self) {
        self.phase = Phase::Modern;
        self.revision = Some(LATEST_MODERN);
    }

    /// Advances the session after a request was answered with an error. `modern` is its code, if the request was
    /// modern.
    pub(super) fn advance_by_error(
        &mut self,
        from: Role,
        method: Option<KnownMethod>,
        modern: Option<ErrorCode>,
    ) {
        let is_modern = modern.is_some_and(is_of_modern_server);
        match (from, self.phase) {
            (Role::Server, Phase::Initializing) if method == Some(KnownMethod::Initialize) => {
                self.phase = Phase::Opening;
            }
            // A client must not treat this error as an error of a legacy server (2026-07-28, basic/transports, stdio,
            // backward compatibility).
            (Role::Server, Phase::Opening | Phase::Probing) if is_modern => self.settle_modern(),
            _ => {}
        }
    }

    /// Advances the session after `notifications/initialized`: the client has read the answer to `initialize`.
    pub(super) fn advance_by_initialized(
        &mut self,
        from: Role,
        call: &CallView<'_>,
        notice: &mut Notice<'_>,
    ) {
        match (from, self.phase) {
            (Role::Client, Phase::AwaitingInitialized) => self.phase = Phase::Operating,
            // The other era or the wrong sender was already reported.
            (Role::Server, _) | (_, Phase::Probing | Phase::Modern) => {}
            _ => notice.at_string(rule::INITIALIZED_UNEXPECTED, call.name),
        }
    }
}
