//! The limits that the profile sets for written messages.

use super::NewId;
use crate::envelope::{Batches, Id, Kinds, Profile};

/// The limits that the profile sets for written messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowed {
    pub(super) batches: Batches,
    pub(super) params: Kinds,
    pub(super) results: Kinds,
    ids: Kinds,
    pub(super) error_ids: Kinds,
}

impl Allowed {
    pub(super) const fn by(profile: &Profile) -> Self {
        let &Profile { params, results, ids, error_ids, .. } = profile;
        Self { batches: profile.batches(), params, results, ids, error_ids }
    }

    /// Returns whether the profile allows the id for a request or a result.
    pub(super) fn id(&self, id: NewId<'_>) -> bool {
        is_among(self.ids, id)
    }

    /// Returns whether the profile allows the id for an error.
    pub(super) fn error_id(&self, id: NewId<'_>) -> bool {
        is_among(self.ids | self.error_ids, id)
    }
}

fn is_among(allowed: Kinds, id: NewId<'_>) -> bool {
    match id {
        NewId::Read(Id::String(text)) => text.lone_surrogate().is_none(),
        NewId::Read(Id::Number(number)) => number.is_integer() || allowed.contains(Kinds::FRACTION),
        NewId::Read(Id::Null) => allowed.contains(Kinds::NULL),
        NewId::Text(_) | NewId::Signed(_) | NewId::Unsigned(_) => true,
    }
}
