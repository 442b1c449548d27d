//! The answers that requests expect, given everything that both sides have sent before.

use std::collections::BTreeSet;

use serde::Deserialize;
use tautline::json::Path;
use tautline::{ErrorCode, Notification, Response, Rule, Severity};
use tautline_mcp::session::Capability;
use tautline_mcp::{Era, KnownMethod, ParamsView, Revision, Role, request_error, rule};

use super::Answered;
use super::asked::Asked;
use super::claim::Last;
use super::correlation::{Correlation, Expected};
use super::declared::Declared;
use super::form::{Form, InputForms, offset};
use super::listing::{Change, Kind, Listing};
use super::refusal::{Cause, Failure, Served};
use super::schema::OutputSchemas;
use super::tasks::Tasks;
use crate::frame::FindingReport;

/// The facts learned from both sides on which the answers to requests depend.
#[derive(Debug)]
pub(super) struct Expectations {
    tools: Listing,
    prompts: Listing,
    declared: Declared,
    last: Last,
    /// The frame in which the server has refused `server/discover`, if it has not shown since whether it is modern.
    refused_discover: Option<u64>,
    tasks: Tasks,
    forms: InputForms,
    outputs: OutputSchemas,
}

#[derive(Deserialize)]
struct Completion {
    #[serde(rename = "ref")]
    reference: Reference,
}

#[derive(Deserialize)]
struct Reference {
    #[serde(rename = "type")]
    kind: String,
    name: String,
}

/// A message in a request for sampling.
#[derive(Deserialize)]
struct Sampled {
    role: String,
    content: Content,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    One(Block),
    Many(Vec<Block>),
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
}

impl Default for Expectations {
    fn default() -> Self {
        Self {
            tools: Listing::new(Kind::Tools),
            prompts: Listing::new(Kind::Prompts),
            declared: Declared::default(),
            last: Last::default(),
            refused_discover: None,
            tasks: Tasks::default(),
            forms: InputForms::default(),
            outputs: OutputSchemas::default(),
        }
    }
}

impl Expectations {
    /// Returns what a request expects of its answer, and records the facts in it.
    pub fn request(&mut self, asked: &Asked<'_, '_>) -> Expected {
        let method = asked.method;
        let failure = self.failure_of(asked).into_option();
        let served = method.filter(|_| failure.is_none());
        let serving = served.and_then(|method| self.serving(asked.from, method, asked.revision));
        let is_claim = asked.from == Role::Client && asked.is_mcp;
        let is_listed = |version: &str| self.declared.has_version(version);
        let claimed = asked.params.filter(|_| is_claim);
        let claim = claimed.and_then(|params| self.last.claim_of(params, method, is_listed));
        self.declared.request(asked);
        self.tools.request(asked);
        self.prompts.request(asked);
        let is_form = method == Some(KnownMethod::ElicitationCreate) && asked.from == Role::Server;
        let params = asked.request.params().filter(|_| is_form);
        let form = params.and_then(|params| Form::of(params.as_bytes()));
        let is_held = asked.revision.is_some_and(|revision| revision >= Revision::V2025_06_18);
        let is_held = is_held && asked.from == Role::Client;
        let output = is_held.then(|| self.outputs.of_call(asked)).flatten();
        Expected { failure, serving, claim, form, output }
    }

    /// Reports a request for the status of a task that comes too early. Returns the requirement that it meets, if it
    /// does.
    pub fn check_poll(
        &mut self,
        asked: &Asked<'_, '_>,
        report: &mut dyn FnMut(FindingReport),
    ) -> Option<&'static str> {
        if asked.method != Some(KnownMethod::TasksGet) || !asked.is_mcp {
            return None;
        }
        self.tasks.poll(asked.from, asked.request, asked.at.place.time, report)
    }

    /// Checks the answers to forms in a request of the client against the forms. Returns the requirement that they
    /// meet, if they do.
    pub fn check_input(
        &self,
        asked: &Asked<'_, '_>,
        report: &mut dyn FnMut(FindingReport),
    ) -> Option<&'static str> {
        let params = asked.params?;
        let start = u64::from(asked.request.call().params_span()?.start());
        let mut met = None;
        for (answer, verdict) in self.forms.judge(params) {
            met = verdict.report(answer, start + offset(params.object(), answer), report).or(met);
        }
        met
    }

    /// Records the facts in a notification.
    pub fn notification(
        &mut self,
        from: Role,
        note: &Notification<'_>,
        correlation: &mut Correlation,
    ) {
        let method = KnownMethod::named(note.method());
        for list in [&mut self.tools, &mut self.prompts] {
            if from == Role::Server && list.notification(method) == Change::Some {
                correlation.forget_list(list.kind());
                if list.kind() == Kind::Tools {
                    self.outputs.forget();
                }
            }
        }
        if let Some(params) = note.params() {
            self.tasks.observe(from, params.as_bytes());
        }
    }

    /// Records the facts in a response, and reports an error that does not name the supported versions.
    pub fn response(
        &mut self,
        from: Role,
        response: &Response<'_>,
        answered: Option<&Answered>,
        revision: Option<Revision>,
        correlation: &mut Correlation,
        report: &mut dyn FnMut(FindingReport),
    ) {
        if let Some(result) = response.result() {
            self.tasks.observe(from, result.as_bytes());
        }
        if from == Role::Client {
            return;
        }
        for list in [&mut self.tools, &mut self.prompts] {
            if list.response(response) == Change::Some {
                correlation.forget_list(list.kind());
            }
        }
        self.forms.response(response);
        let Some(answered) = answered else { return };
        let was_modern = self.declared.is_modern();
        self.declared.response(&answered.method, response);
        self.check_discover(response, answered, was_modern, report);
        if answered.method == KnownMethod::ToolsList.name() {
            self.outputs.list(response, revision, report);
        }
        if answered.method == KnownMethod::Initialize.name() && self.declared.is_only_modern() {
            self.check_versions_named(response, report);
        }
    }

    fn check_versions_named(&self, response: &Response<'_>, report: &mut dyn FnMut(FindingReport)) {
        let Some(error) = response.error() else { return };
        let message = error.message().decode().unwrap_or_default();
        if !self.declared.is_named_in(&message, error.data().map(|data| data.as_bytes())) {
            let rule = rule::VERSIONS_UNNAMED;
            let at = u64::from(error.message_span().start());
            report(FindingReport::new(rule, at).of_requirement("era-versions-named"));
        }
    }

    /// Returns the row by which the receiver of a request has to serve it.
    fn serving(
        &self,
        from: Role,
        method: KnownMethod,
        revision: Option<Revision>,
    ) -> Option<&'static Served> {
        // Until the server has answered, `initialize` shows the era.
        let is_opening = revision.is_none() && self.declared.has_initialize();
        let era = if is_opening { Era::Legacy } else { revision?.era() };
        let served = Served::of(method, era)?;
        if era == Era::Legacy {
            return Some(served);
        }
        let needed = Capability::needed_for(method, revision?, Role::Client);
        let is_declared = needed
            .is_none_or(|(side, capability)| self.declared.has(side, capability) == Some(true));
        let is_served = from == Role::Client && is_declared && self.declared.is_modern();
        is_served.then_some(served)
    }

    /// Reports the refusal of `server/discover`, as soon as the server has shown that it is modern.
    fn check_discover(
        &mut self,
        response: &Response<'_>,
        answered: &Answered,
        was_modern: bool,
        report: &mut dyn FnMut(FindingReport),
    ) {
        let discover = KnownMethod::ServerDiscover;
        let code = response.error().map(|error| error.code());
        if !was_modern
            && answered.method == discover.name()
            && code == Some(Some(ErrorCode::METHOD_NOT_FOUND))
        {
            self.refused_discover = Some(answered.frame);
        }
        if self.declared.is_modern()
            && let Some(frame) = self.refused_discover.take()
            && let Some(served) = Served::of(discover, Era::Modern)
        {
            let span = response.result_span();
            let at = span.map_or(0, |span| u64::from(span.start()));
            let words = format!(
                "the server has refused server/discover of frame {frame}, and answers other requests with metadata"
            );
            report(served.refused(at, words));
        }
    }

    /// Returns the reasons why a request cannot succeed, as far as they are certain.
    fn failure_of(&self, asked: &Asked<'_, '_>) -> Failure {
        let mut failure = Failure::default();
        let Asked { from, params, method, found, revision, .. } = *asked;
        let errors = found.iter().filter(|finding| finding.severity == Severity::Error);
        let mut errors = errors.map(|finding| finding.rule);
        let is_of_other_revision = errors.clone().any(|rule| rule == rule::METHOD_NOT_IN_REVISION);
        if is_of_other_revision && method == Some(KnownMethod::Initialize) {
            // The code of its error is up to the server (2026-07-28, basic/versioning, compatibility matrix).
            return failure;
        }
        if let Some(revision) = revision {
            self.add_reasons_of_versions(asked, revision, &mut failure);
        }
        if is_of_other_revision || method.is_none() && asked.is_mcp {
            let words = || "the method is unknown".to_owned();
            failure.add(Cause::UnknownMethod, method, revision, words);
            return failure;
        }
        for finding in found.iter().filter(|finding| finding.severity != Severity::Note) {
            let rule = finding.rule;
            let at = u32::try_from(finding.column - 1).unwrap_or(u32::MAX);
            let path = || Path::at(asked.frame, at).to_string();
            match rule {
                rule::TOOL_TASK_SUPPORT => {
                    self.add_reason_of_task_support(&path(), params, revision, &mut failure);
                }
                rule::TOOL_RESULT_UNPAIRED => {
                    if let Some(cause) = unpaired(asked.frame, finding.column - 1) {
                        let words = || format!("the request breaks the rule {}", rule::name(rule));
                        failure.add(cause, method, revision, words);
                    }
                }
                rule if Failure::may_cover(rule) => {
                    failure.add_broken((rule, &path()), method, revision);
                }
                _ => {}
            }
        }
        let is_of_params = |&rule: &Rule| {
            request_error(rule) == Some(ErrorCode::INVALID_PARAMS)
                || matches!(rule, rule::MISSING_MEMBER | rule::MEMBER_TYPE | rule::MEMBER_VALUE)
        };
        if let Some(rule) = errors.find(is_of_params) {
            let words = || format!("the request breaks the rule {}", rule::name(rule));
            failure.add(Cause::Params, method, revision, words);
        }
        if let Some((method, params)) = method.zip(params) {
            self.add_reasons_of_names(from, method, params, revision, &mut failure);
        }
        failure
    }

    /// Adds the reasons that follow from the version and the metadata of a modern request, and the codes of errors
    /// whose reasons only the receiver knows.
    fn add_reasons_of_versions(
        &self,
        asked: &Asked<'_, '_>,
        revision: Revision,
        failure: &mut Failure,
    ) {
        let Asked { params, method, .. } = *asked;
        let needed = method.and_then(|one| Capability::needed_for(one, revision, asked.from));
        if let Some((side, capability)) = needed
            && self.declared.has(side, capability) != Some(true)
        {
            failure.may_be(ErrorCode::METHOD_NOT_FOUND.value());
        }
        if method == Some(KnownMethod::SamplingCreateMessage) {
            // The user has rejected it (client/sampling, error handling).
            failure.may_be(-1);
        }
        if revision.era() == Era::Legacy || asked.from == Role::Server {
            return;
        }
        let meta = params.and_then(|params| params.meta());
        let version = meta.and_then(|meta| meta.protocol_version());
        let capabilities = meta.and_then(|meta| meta.client_capabilities());
        let version = version.and_then(|version| version.decode().ok());
        // The code for headers that do not match the message.
        failure.may_be(-32020);
        if let Some(version) = &version {
            if !self.declared.has_version(version) {
                failure.may_be(-32022);
            }
            if self.declared.lacks_version(version) {
                let words = || format!("the server does not list the version {version:?}");
                failure.add(Cause::UnsupportedVersion, method, Some(revision), words);
            }
        }
        if version.is_some() && capabilities.is_some() {
            failure.may_be(-32021);
        } else if self.declared.is_modern() {
            let words = || "the request lacks metadata that it must carry".to_owned();
            failure.add(Cause::LacksMetadata, method, Some(revision), words);
        }
    }

    /// Adds the reason that the tool can't be called in this way, if it is still listed.
    fn add_reason_of_task_support(
        &self,
        path: &str,
        params: Option<&ParamsView<'_>>,
        revision: Option<Revision>,
        failure: &mut Failure,
    ) {
        let Some(name) = params.and_then(|params| params.name()?.decode().ok()) else { return };
        if !self.tools.has(&name) {
            return;
        }
        let (cause, words) = if path == "params.task" {
            (Cause::ForbiddenTask, format!("the tool {name:?} can't be called as a task"))
        } else {
            // A receiver may refuse a request without a task as invalid (utilities/tasks, protocol errors).
            failure.may_be(ErrorCode::INVALID_REQUEST.value());
            (Cause::RequiredTask, format!("the tool {name:?} can only be called as a task"))
        };
        failure.add(cause, Some(KnownMethod::ToolsCall), revision, || words);
    }

    /// Adds the reasons that the request names something that does not exist.
    fn add_reasons_of_names(
        &self,
        from: Role,
        method: KnownMethod,
        params: &ParamsView<'_>,
        revision: Option<Revision>,
        failure: &mut Failure,
    ) {
        let bytes = params.object().as_bytes();
        let name = || params.name()?.decode().ok();
        let mut add = |cause, words: String| failure.add(cause, Some(method), revision, || words);
        match method {
            KnownMethod::ToolsCall if from == Role::Client => {
                if let Some(name) = name().filter(|name| self.tools.lacks(name)) {
                    add(Cause::UnlistedTool, format!("the tool {name:?} is not in the list"));
                }
            }
            KnownMethod::PromptsGet if from == Role::Client => {
                let Some(name) = name() else { return };
                let arguments = params.arguments();
                let arguments = arguments.map(|arguments| arguments.as_bytes());
                if self.prompts.lacks(&name) {
                    add(Cause::UnlistedPrompt, format!("the prompt {name:?} is not in the list"));
                } else if let Some(lacking) = self.prompts.lacking_argument(&name, arguments) {
                    add(
                        Cause::LacksArgument,
                        format!("the request lacks the argument {lacking:?} of {name:?}"),
                    );
                }
            }
            KnownMethod::CompletionComplete if from == Role::Client => {
                let Ok(Completion { reference }) = serde_json::from_slice(bytes) else { return };
                let Reference { kind, name } = reference;
                if kind == "ref/prompt" && self.prompts.lacks(&name) {
                    add(Cause::UnlistedPrompt, format!("the prompt {name:?} is not in the list"));
                }
            }
            KnownMethod::TasksGet | KnownMethod::TasksResult | KnownMethod::TasksCancel => {
                let id = params.object().member("taskId").and_then(|id| id.string()?.decode().ok());
                let is_whole = self.declared.has_initialize();
                if let Some(id) = id.filter(|id| is_whole && self.tasks.lacks(from.other(), id)) {
                    add(Cause::UnknownTask, format!("the task {id:?} is unknown"));
                }
            }
            _ => {}
        }
    }
}

/// Returns how tool uses and their results are unpaired in the sampling message at this offset, if it is one of the
/// cases that have an error code.
fn unpaired(frame: &[u8], at: u64) -> Option<Cause> {
    let rest = frame.get(usize::try_from(at).ok()?..)?;
    let mut values = serde_json::Deserializer::from_slice(rest).into_iter::<Sampled>();
    let message = values.next()?.ok()?;
    let blocks = match message.content {
        Content::One(block) => vec![block],
        Content::Many(blocks) => blocks,
    };
    let kinds: BTreeSet<&str> = blocks.iter().map(|block| block.kind.as_str()).collect();
    match (kinds.contains("tool_result"), kinds.contains("tool_use"), message.role.as_str()) {
        (true, ..) if kinds.len() > 1 => Some(Cause::MixesToolResults),
        // Uses without results, or another message where the results must be.
        (false, true, "assistant") | (false, false, _) => Some(Cause::LacksToolResult),
        _ => None,
    }
}
