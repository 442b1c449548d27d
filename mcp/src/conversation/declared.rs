//! The kinds of input that a client has declared, and must have declared to be asked for it, and the extension for tasks, which either side declares.

use super::{Conversation, Notice, Params};
use crate::places::{self, Member};
use crate::{KnownMethod, Role, meta, rule};

/// The kinds of input that a client accepts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Declared {
    elicitation: bool,
    elicitation_url: bool,
    sampling: bool,
    sampling_tools: bool,
    sampling_context: bool,
    roots: bool,
    /// True if they have the extension for tasks.
    tasks: bool,
}

impl Declared {
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

    /// Returns whether it has declared the extension for tasks.
    pub(super) const fn tasks(self) -> bool {
        self.tasks
    }

    /// Returns whether the client accepts elicitations of this mode.
    fn takes(self, mode: Option<Member<'_>>) -> bool {
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

impl Conversation {
    /// Checks that a client that is asked for input has declared this kind of input. A session reports a request for
    /// which the client has declared nothing.
    pub(super) fn check_asked(
        &self,
        from: Role,
        method: Option<KnownMethod>,
        params: &Params<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        let Some(client) = self.client.filter(|_| from == Role::Server) else { return };
        match method {
            Some(KnownMethod::SamplingCreateMessage) => {
                let tools = params.tools.or(params.tool_choice);
                if let Some(tools) = tools.filter(|_| client.sampling && !client.sampling_tools) {
                    notice.at(rule::UNDECLARED_CAPABILITY, tools.name_at);
                }
                let context = params.member(notice.frame, "includeContext");
                check_context(client, context, notice);
            }
            Some(KnownMethod::ElicitationCreate) => {
                let declares_any = client.elicitation || client.elicitation_url;
                if declares_any && !client.takes(params.mode) {
                    let place = params.mode.map_or(params.at, |mode| mode.at);
                    notice.at(rule::UNDECLARED_CAPABILITY, place);
                }
            }
            _ => {}
        }
    }
}

/// Checks that the client has declared what an input request needs.
pub(super) fn check_declared(declared: Declared, request: Member<'_>, notice: &mut Notice<'_, '_>) {
    let Some(needed) = Needed::of(notice.frame, request) else { return };
    let [method, params] = places::pick(notice.frame, request.at, ["method", "params"]);
    if matches!(needed, Needed::Sampling | Needed::SamplingTools) {
        let params = params.and_then(Member::object);
        let context =
            params.and_then(|params| places::member(notice.frame, params.at, "includeContext"));
        check_context(declared, context, notice);
    }
    if let Some(method) = method.filter(|_| !needed.is_in(declared)) {
        notice.at(rule::UNDECLARED_CAPABILITY, method.at);
    }
}

/// Checks that a client that declares sampling is asked for the context of servers only if it has declared that as
/// well.
fn check_context(declared: Declared, context: Option<Member<'_>>, notice: &mut Notice<'_, '_>) {
    let asks = |context: &Member<'_>| context.string().is_some_and(|context| context != *"none");
    if let Some(context) = context.filter(asks)
        && declared.sampling
        && !declared.sampling_context
    {
        notice.warn(rule::UNDECLARED_CAPABILITY, context.at);
    }
}

/// Returns whether an object of capabilities declares the extension for tasks (2026-07-28).
pub(super) fn has_tasks(frame: &[u8], capabilities: Member<'_>) -> bool {
    let extensions = places::member(frame, capabilities.at, "extensions").and_then(Member::object);
    let tasks = extensions.and_then(|all| places::member(frame, all.at, meta::TASKS));
    tasks.and_then(Member::object).is_some()
}
