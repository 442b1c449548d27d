//! Elicitations that end outside of the session (2025-11-25, client/elicitation, completion notifications).

use tautline::internal::cast::index;
use tautline::{ErrorCode, ErrorObject};

use super::call::Params;
use super::{Conversation, Notice, text};
use crate::places::{self, Member};
use crate::{KnownMethod, Role, rule};

/// The code of an error that asks the user to visit a URL.
const URL_REQUIRED: ErrorCode = ErrorCode::new(-32042);

impl Conversation {
    /// Keeps the id of an elicitation that a server asks for.
    pub(super) fn keep_elicitation(
        &mut self,
        from: Role,
        method: Option<KnownMethod>,
        params: &Params<'_>,
        notice: &Notice<'_, '_>,
    ) {
        if from == Role::Server && method == Some(KnownMethod::ElicitationCreate) {
            let id = text(params.member(notice.frame, "elicitationId"));
            if let Some(id) = id {
                self.elicited.insert(id, ());
            }
        }
    }

    /// Keeps the ids of the elicitations in an error.
    pub(super) fn keep_elicitations_of(&mut self, error: &ErrorObject<'_>, frame: &[u8]) {
        if error.code() != Some(URL_REQUIRED) {
            return;
        }
        let (Some(data), Some(span)) = (error.data(), error.data_span()) else { return };
        if !places::is_object(&data) {
            return;
        }
        let all = places::member(frame, index(span.start()), "elicitations");
        for at in places::objects(frame, all) {
            if let Some(id) = text(places::member(frame, at, "elicitationId")) {
                self.elicited.insert(id, ());
            }
        }
    }

    /// Checks that an elicitation that has ended is one that this client was asked for.
    pub(super) fn check_elicited(
        &self,
        method: Option<KnownMethod>,
        params: &Params<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        if method != Some(KnownMethod::ElicitationComplete) || !self.is_whole {
            return;
        }
        let id: Option<Member<'_>> = params.member(notice.frame, "elicitationId");
        let name = text(id);
        if let (Some(id), Some(name)) = (id, name)
            && self.elicited.surely_lacks(&name)
        {
            notice.at(rule::ELICITATION_UNKNOWN, id.at);
        }
    }
}
