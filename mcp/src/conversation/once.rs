//! Advice about a whole session, which is given once (2026-07-28).

use super::{Answer, Conversation, Notice, Params};
use crate::places::{self, Member};
use crate::{KnownMethod, Role, rule};

/// A piece of advice.
#[derive(Clone, Copy)]
enum Advice {
    ClientUnnamed,
    ServerUnnamed,
    Probe,
    Roots,
    Sampling,
    Logging,
    LogLevel,
}

impl Advice {
    const fn bit(self) -> u8 {
        match self {
            Self::ClientUnnamed => 1,
            Self::ServerUnnamed => 2,
            Self::Probe => 4,
            Self::Roots => 8,
            Self::Sampling => 16,
            Self::Logging => 32,
            Self::LogLevel => 64,
        }
    }

    /// Adds the advice to what was given, and returns whether it is new.
    const fn is_first(self, given: &mut u8) -> bool {
        let is_first = *given & self.bit() == 0;
        *given |= self.bit();
        is_first
    }
}

impl Conversation {
    /// Advises on a request of a client.
    pub(super) fn advise_client(
        &mut self,
        method: Option<KnownMethod>,
        params: &Params<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        let is_probe = method == Some(KnownMethod::ServerDiscover);
        // Only the first request shows whether the client probes.
        if Advice::Probe.is_first(&mut self.given) && self.is_whole && !self.is_http && !is_probe {
            notice.at(rule::NO_PROBE, params.at);
        }
        let Some(meta) = params.meta.and_then(Member::object) else { return };
        let names = [
            "io.modelcontextprotocol/clientInfo",
            "io.modelcontextprotocol/clientCapabilities",
            "io.modelcontextprotocol/logLevel",
        ];
        let [info, declared, level] = places::pick(notice.frame, meta.at, names);
        if info.is_none() && Advice::ClientUnnamed.is_first(&mut self.given) {
            notice.at(rule::CLIENT_UNNAMED, meta.at);
        }
        if let Some(declared) = declared.and_then(Member::object) {
            let [roots, sampling] = places::pick(notice.frame, declared.at, ["roots", "sampling"]);
            self.advise_against(roots, Advice::Roots, notice);
            self.advise_against(sampling, Advice::Sampling, notice);
        }
        self.advise_against(level, Advice::LogLevel, notice);
    }

    /// Advises on a result of a server.
    pub(super) fn advise_server(
        &mut self,
        from: Role,
        method: Option<KnownMethod>,
        answer: &Answer<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        if from != Role::Server {
            return;
        }
        let meta = answer.meta.and_then(Member::object);
        let info = meta.and_then(|meta| {
            places::member(notice.frame, meta.at, "io.modelcontextprotocol/serverInfo")
        });
        if info.is_none() && Advice::ServerUnnamed.is_first(&mut self.given) {
            notice.at(rule::SERVER_UNNAMED, answer.at);
        }
        if method == Some(KnownMethod::ServerDiscover)
            && let Some(capabilities) = answer.capabilities.and_then(Member::object)
        {
            let logging = places::member(notice.frame, capabilities.at, "logging");
            self.advise_against(logging, Advice::Logging, notice);
        }
    }

    fn advise_against(
        &mut self,
        feature: Option<Member<'_>>,
        advice: Advice,
        notice: &mut Notice<'_, '_>,
    ) {
        if let Some(feature) = feature
            && advice.is_first(&mut self.given)
        {
            notice.at(rule::DEPRECATED_FEATURE, feature.name_at);
        }
    }
}
