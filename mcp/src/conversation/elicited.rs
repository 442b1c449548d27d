//! Elicitations that end outside of the session (2025-11-25, client/elicitation, completion notifications).

use alloc::collections::BTreeSet;

use tautline::internal::cast::{index, u32_from};
use tautline::json::Kind;
use tautline::{ErrorCode, ErrorObject};

use super::declared::Needed;
use super::{Conversation, Notice, Params, text};
use crate::places::{self, Member};
use crate::shape::{Expected, Missed};
use crate::{Finding, KnownMethod, Role, hash, rule};

/// The code of an error that asks the user to visit a URL.
const URL_REQUIRED: ErrorCode = ErrorCode::new(-32042);

/// Returns a hash of the URL of an elicitation.
fn hash_of(url: Option<Member<'_>>) -> u64 {
    url.and_then(Member::string).map_or(0, hash::of_text)
}

impl Conversation {
    /// Checks and keeps the id of an elicitation that a server asks for.
    pub(super) fn keep_elicitation(
        &mut self,
        from: Role,
        method: Option<KnownMethod>,
        params: &Params<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        if from == Role::Server && method == Some(KnownMethod::ElicitationCreate) {
            let id = params.member(notice.frame, "elicitationId");
            let url = params.member(notice.frame, "url");
            self.keep_id(id, hash_of(url), notice);
        }
    }

    /// Checks and keeps the ids of the elicitations in an error, which is for clients that accept URLs.
    pub(super) fn keep_elicitations_of(
        &mut self,
        error: &ErrorObject<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        if error.code() != Some(URL_REQUIRED) {
            return;
        }
        if self.client.is_some_and(|client| !Needed::ElicitationUrl.is_in(client)) {
            notice.at(rule::UNDECLARED_CAPABILITY, index(error.code_span().start()));
        }
        let (Some(data), Some(span)) = (error.data(), error.data_span()) else { return };
        if !places::is_object(&data) {
            return;
        }
        let all = places::member(notice.frame, index(span.start()), "elicitations");
        // Without an elicitation, none is required.
        if let Some(all) = all
            && all.value.kind() == Kind::Array
            && places::elements(notice.frame, all.at).next().is_none()
        {
            let expected = Some(Expected(Missed::Element("elicitations")));
            (notice.report)(Finding::expecting(rule::MEMBER_RANGE, u32_from(all.at), expected));
        }
        let mut ids = BTreeSet::new();
        for at in places::objects(notice.frame, all) {
            let [id, url] = places::pick(notice.frame, at, ["elicitationId", "url"]);
            let Some(name) = text(id) else { continue };
            let url = hash_of(url);
            // The error may come again while the user has not visited the URL.
            let is_same = self.elicited.get(&name) == Some(&url);
            if !(ids.insert(name) && is_same) {
                self.keep_id(id, url, notice);
            }
        }
    }

    /// Keeps the id of an elicitation, which no other one may have.
    fn keep_id(&mut self, id: Option<Member<'_>>, url: u64, notice: &mut Notice<'_, '_>) {
        let (Some(member), Some(name)) = (id, text(id)) else { return };
        if self.elicited.insert(name, url).is_some() {
            notice.at(rule::ELICITATION_ID_REUSED, member.at);
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
