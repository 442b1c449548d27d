//! The kinds of input that a client has declared.

use crate::places::{self, Member};

/// The kinds of input that a client accepts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    pub(super) elicitation: bool,
    pub(super) elicitation_url: bool,
    pub(super) sampling: bool,
    pub(super) sampling_tools: bool,
    pub(super) sampling_context: bool,
    pub(super) roots: bool,
}

impl Declared {
    pub(super) const NOTHING: Self = Self {
        elicitation: false,
        elicitation_url: false,
        sampling: false,
        sampling_tools: false,
        sampling_context: false,
        roots: false,
    };

    /// Reads an object of capabilities.
    pub(super) fn of(frame: &[u8], object: Member<'_>) -> Self {
        let [elicitation, sampling, roots] =
            places::pick(frame, object.at, ["elicitation", "sampling", "roots"])
                .map(|member| member.and_then(Member::object));
        let has = |object: Option<Member<'_>>, name| {
            object.is_some_and(|object| places::member(frame, object.at, name).is_some())
        };
        Self {
            // Without a mode, forms are meant.
            elicitation: elicitation.is_some()
                && (has(elicitation, "form") || !has(elicitation, "url")),
            elicitation_url: has(elicitation, "url"),
            sampling: sampling.is_some(),
            sampling_tools: has(sampling, "tools"),
            sampling_context: has(sampling, "context"),
            roots: roots.is_some(),
        }
    }

    /// Returns whether the client accepts elicitations of this mode.
    pub(super) fn takes(self, mode: Option<Member<'_>>) -> bool {
        match mode.and_then(Member::string) {
            Some(mode) if mode == *"url" => self.elicitation_url,
            _ => self.elicitation,
        }
    }
}
