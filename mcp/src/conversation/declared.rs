//! The kinds of input that a client has declared, and the extension for tasks, which either side declares.

use crate::places::{self, Member};
use crate::{KnownMethod, meta};

/// The kinds of input that a client accepts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    pub(super) elicitation: bool,
    pub(super) elicitation_url: bool,
    pub(super) sampling: bool,
    pub(super) sampling_tools: bool,
    pub(super) sampling_context: bool,
    pub(super) roots: bool,
    /// True if they have the extension for tasks.
    pub(super) tasks: bool,
}

impl Declared {
    pub(super) const NOTHING: Self = Self {
        elicitation: false,
        elicitation_url: false,
        sampling: false,
        sampling_tools: false,
        sampling_context: false,
        roots: false,
        tasks: false,
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
            tasks: has_tasks(frame, object),
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

/// A capability that a client must have declared to be asked for input.
#[derive(Clone, Copy, Debug)]
pub(super) enum Needed {
    Roots,
    Sampling,
    SamplingTools,
    Elicitation,
    ElicitationUrl,
}

impl Needed {
    /// Reads a request for input. Returns `None` if its method does not ask for input.
    pub(super) fn of(frame: &[u8], request: Member<'_>) -> Option<Self> {
        let [method, params] = places::pick(frame, request.at, ["method", "params"]);
        let params = params.and_then(Member::object);
        let inner = |name| params.and_then(|params| places::member(frame, params.at, name));
        let is = |member: Option<Member<'_>>, text: &str| {
            member.and_then(Member::string).is_some_and(|value| value == *text)
        };
        match method?.string().and_then(KnownMethod::named)? {
            KnownMethod::RootsList => Some(Self::Roots),
            KnownMethod::SamplingCreateMessage => {
                let has_tools = inner("tools").or_else(|| inner("toolChoice")).is_some();
                Some(if has_tools { Self::SamplingTools } else { Self::Sampling })
            }
            KnownMethod::ElicitationCreate => {
                let is_url = is(inner("mode"), "url");
                Some(if is_url { Self::ElicitationUrl } else { Self::Elicitation })
            }
            _ => None,
        }
    }

    /// Returns whether the client has declared it.
    pub(super) const fn is_in(self, declared: Declared) -> bool {
        match self {
            Self::Roots => declared.roots,
            Self::Sampling => declared.sampling,
            Self::SamplingTools => declared.sampling && declared.sampling_tools,
            Self::Elicitation => declared.elicitation,
            Self::ElicitationUrl => declared.elicitation_url,
        }
    }
}

/// Returns whether an object of capabilities declares the extension for tasks (2026-07-28).
pub(super) fn has_tasks(frame: &[u8], capabilities: Member<'_>) -> bool {
    let extensions = places::member(frame, capabilities.at, "extensions").and_then(Member::object);
    let tasks = extensions.and_then(|all| places::member(frame, all.at, meta::TASKS));
    tasks.and_then(Member::object).is_some()
}
