//! Versions that a server has offered (2026-07-28, basic/versioning, protocol version negotiation).

use alloc::string::String;
use alloc::vec::Vec;

use tautline::{ErrorCode, ErrorObject};

use super::{Conversation, Notice, Params, text};
use crate::hash::name_of;
use crate::places::{self, Member};
use crate::{KnownMethod, Role, rule};

/// The code of an error that refuses a version.
const UNSUPPORTED: ErrorCode = ErrorCode::new(-32022);

/// The number of versions that are remembered.
const MOST: usize = 64;

impl Conversation {
    /// Keeps the versions in an error that refuses the version of a request. They are kept only if no other request is
    /// pending, apart from subscriptions, because the client may have sent others before it saw the error.
    pub(super) fn keep_offer(&mut self, from: Role, error: &ErrorObject<'_>) {
        if from != Role::Server || error.code() != Some(UNSUPPORTED) {
            return;
        }
        let is_alone = self.has_none_waiting(|call| {
            call.from == Role::Client && call.method != Some(KnownMethod::SubscriptionsListen)
        });
        let supported = error.data().and_then(|data| data.member("supported"));
        let supported = supported.and_then(|supported| supported.elements());
        self.offered = match supported {
            Some(versions) if is_alone => {
                let versions = versions.filter_map(|version| version.string());
                let versions: Vec<String> = versions.map(name_of).take(MOST).collect();
                (versions.len() < MOST).then_some(versions)
            }
            _ => None,
        };
    }

    /// Checks that a client whose version was refused continues with a version that the server has offered.
    pub(super) fn check_offer(&mut self, params: &Params<'_>, notice: &mut Notice<'_, '_>) {
        let meta = params.meta.and_then(Member::object);
        let member = meta.and_then(|meta| {
            places::member(notice.frame, meta.at, "io.modelcontextprotocol/protocolVersion")
        });
        let Some(member) = member else { return };
        let Some(version) = text(Some(member)) else { return };
        if let Some(offered) = self.offered.take()
            && !offered.contains(&version)
        {
            notice.at(rule::VERSION_NOT_OFFERED, member.at);
        }
    }
}
