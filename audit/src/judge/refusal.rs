//! Requests that cannot succeed, and the errors that they must get: one table.

use tautline::{ErrorCode, Rule, Severity};
use tautline_mcp::{Era, KnownMethod, Revision, rule};

use super::listing::Kind;
use super::{claim, form, schema, tasks};
use crate::frame::FindingReport;
use crate::tally::table;

const UNSUPPORTED_VERSION: ErrorCode = ErrorCode::new(-32022);

/// Why a request cannot succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// The method is unknown.
    UnknownMethod,
    /// It is not a valid request.
    Invalid,
    /// It breaks this rule, at this path of the message or below. An empty path stands for any.
    Breaks(Rule, &'static str),
    /// Its params break some rule.
    Params,
    /// The tool that it calls is not listed.
    UnlistedTool,
    /// The prompt that it names is not listed.
    UnlistedPrompt,
    /// It lacks an argument that the prompt requires.
    LacksArgument,
    /// It asks for a task, and the tool can't be called as one.
    ForbiddenTask,
    /// It asks for no task, and the tool can only be called as one.
    RequiredTask,
    /// It is about a task that its receiver has never mentioned.
    UnknownTask,
    /// The server does not support its version.
    UnsupportedVersion,
    /// It lacks its metadata, and its receiver needs it.
    LacksMetadata,
    /// It lacks results of tool uses.
    LacksToolResult,
    /// It mixes results of tool uses with other content.
    MixesToolResults,
}

/// The error that a request must get for a cause.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    cause: Cause,
    /// The methods that it applies to. If empty, it applies to all.
    methods: &'static [KnownMethod],
    code: ErrorCode,
    /// The rule that another error breaks, and how severe that is.
    rule: Rule,
    severity: Severity,
    /// True if any other error is right as well.
    takes_any_error: bool,
    /// The rule that a result breaks, and how severe that is.
    of_result: Option<(Rule, Severity)>,
    /// The requirement that demands the error, in the revisions of the requirement.
    requirement: Option<&'static str>,
}

use Cause::{
    Breaks, ForbiddenTask, Invalid, LacksArgument, LacksMetadata, LacksToolResult,
    MixesToolResults, Params, RequiredTask, UnknownMethod, UnknownTask, UnlistedPrompt,
    UnlistedTool, UnsupportedVersion,
};
use KnownMethod::{
    CompletionComplete, ElicitationCreate, LoggingSetLevel, PromptsGet, PromptsList, ResourcesList,
    ResourcesTemplatesList, RootsList, SamplingCreateMessage, TasksCancel, TasksGet, TasksList,
    TasksResult, ToolsCall, ToolsList,
};

const PAGES: &[KnownMethod] = &[ToolsList, PromptsList, ResourcesList, ResourcesTemplatesList];

/// All rows. A finding is about the first row that applies to a request.
///
/// A result breaks a rule only if the request is certainly wrong, and the clause demands that it is refused.
const TABLE: &[Row] = &[
    must(UnsupportedVersion, UNSUPPORTED_VERSION, rule::UNSUPPORTED_VERSION_CODE)
        .of("version-unsupported-error")
        .or_served(),
    must(LacksMetadata, ErrorCode::INVALID_PARAMS, rule::INVALID_PARAMS_CODE)
        .of("meta-request-fields-refused")
        .or_served(),
    must(UnknownMethod, ErrorCode::METHOD_NOT_FOUND, rule::UNKNOWN_METHOD_CODE),
    must(RequiredTask, ErrorCode::METHOD_NOT_FOUND, rule::UNSUPPORTED_CODE)
        .to(&[ToolsCall])
        .of("tasks-tool-required-refused")
        .or_served(),
    should(ForbiddenTask, ErrorCode::METHOD_NOT_FOUND, rule::UNSUPPORTED_CODE)
        .to(&[ToolsCall])
        .of("tasks-tool-forbidden-refused")
        .or_served(),
    // A result shows that the receiver can do what it has not declared.
    should(
        Breaks(rule::UNDECLARED_CAPABILITY, "method"),
        ErrorCode::METHOD_NOT_FOUND,
        rule::UNSUPPORTED_CODE,
    )
    .to(&[RootsList])
    .of("roots-error-unsupported"),
    should(
        Breaks(rule::UNDECLARED_CAPABILITY, "method"),
        ErrorCode::METHOD_NOT_FOUND,
        rule::UNSUPPORTED_CODE,
    )
    .to(&[CompletionComplete])
    .of("completion-error-unsupported"),
    must(
        Breaks(rule::UNDECLARED_CAPABILITY, "params"),
        ErrorCode::INVALID_PARAMS,
        rule::INVALID_PARAMS_CODE,
    )
    .to(&[ElicitationCreate])
    .of("elicitation-error-mode")
    .or_served(),
    tools_undeclared("params.tools"),
    tools_undeclared("params.toolChoice"),
    // A result shows that the cursor or the task exists, from a time before the recording.
    must(Breaks(rule::CURSOR_UNKNOWN, ""), ErrorCode::INVALID_PARAMS, rule::INVALID_PARAMS_CODE)
        .to(&[TasksList])
        .of("tasks-unknown-cursor-refused"),
    must(UnknownTask, ErrorCode::INVALID_PARAMS, rule::INVALID_PARAMS_CODE)
        .to(&[TasksGet, TasksResult, TasksCancel])
        .of("tasks-unknown-id-refused"),
    should(Breaks(rule::CURSOR_UNKNOWN, ""), ErrorCode::INVALID_PARAMS, rule::INVALID_PARAMS_CODE)
        .to(PAGES)
        .of("pagination-error-cursor"),
    should(
        Breaks(rule::MEMBER_TYPE, "params.cursor"),
        ErrorCode::INVALID_PARAMS,
        rule::INVALID_PARAMS_CODE,
    )
    .to(PAGES)
    .of("pagination-error-cursor")
    .or_served(),
    should(LacksToolResult, ErrorCode::INVALID_PARAMS, rule::INVALID_PARAMS_CODE)
        .to(&[SamplingCreateMessage])
        .of("sampling-error-tool-result-missing")
        .or_served(),
    should(MixesToolResults, ErrorCode::INVALID_PARAMS, rule::INVALID_PARAMS_CODE)
        .to(&[SamplingCreateMessage])
        .of("sampling-error-tool-result-mixed")
        .or_served(),
    should(
        Breaks(rule::MISSING_MEMBER, "params"),
        ErrorCode::INVALID_PARAMS,
        rule::INVALID_PARAMS_CODE,
    )
    .to(&[CompletionComplete])
    .of("completion-error-arguments")
    .or_served(),
    should(
        Breaks(rule::MEMBER_VALUE, "params.level"),
        ErrorCode::INVALID_PARAMS,
        rule::INVALID_PARAMS_CODE,
    )
    .to(&[LoggingSetLevel])
    .of("logging-error-level")
    .or_served(),
    should(
        Breaks(rule::MEMBER_VALUE, "params._meta[\"io.modelcontextprotocol/logLevel\"]"),
        ErrorCode::INVALID_PARAMS,
        rule::INVALID_PARAMS_CODE,
    )
    .of("logging-error-request-level")
    .or_served(),
    // MCP has "SHOULD" for most of the cases.
    should(Params, ErrorCode::INVALID_PARAMS, rule::INVALID_PARAMS_CODE),
    should(LacksArgument, ErrorCode::INVALID_PARAMS, rule::INVALID_PARAMS_CODE)
        .to(&[PromptsGet])
        .of("prompts-error-arguments")
        .or_served(),
    // Lists need not be complete, so a result shows only that the list is not.
    should(UnlistedPrompt, ErrorCode::INVALID_PARAMS, rule::UNKNOWN_PROMPT_CODE)
        .to(&[PromptsGet])
        .of("prompts-error-name"),
    should(UnlistedPrompt, ErrorCode::INVALID_PARAMS, rule::UNKNOWN_PROMPT_CODE)
        .to(&[CompletionComplete])
        .of("completion-error-name"),
    // The specification shows this error, as an example of the standard ones.
    Row {
        of_result: Some((rule::UNKNOWN_TOOL_RESULT, Severity::Note)),
        ..should(UnlistedTool, ErrorCode::INVALID_PARAMS, rule::UNKNOWN_TOOL_CODE)
    },
    should(Invalid, ErrorCode::INVALID_REQUEST, rule::INVALID_REQUEST_CODE),
];

const fn must(cause: Cause, code: ErrorCode, rule: Rule) -> Row {
    let severity = Severity::Error;
    Row {
        cause,
        methods: &[],
        code,
        rule,
        severity,
        takes_any_error: false,
        of_result: None,
        requirement: None,
    }
}

/// Returns the row for a request for sampling that has this member although the client has not declared
/// `sampling.tools`: the client must return an error (2025-11-25, schema, `CreateMessageRequestParams`).
const fn tools_undeclared(path: &'static str) -> Row {
    let cause = Breaks(rule::UNDECLARED_CAPABILITY, path);
    let row = must(cause, ErrorCode::INVALID_PARAMS, rule::FAULTY_REQUEST_SERVED);
    let row = row.to(&[SamplingCreateMessage]).of("sampling-tools-refused").or_served();
    Row { takes_any_error: true, ..row }
}

const fn should(cause: Cause, code: ErrorCode, rule: Rule) -> Row {
    Row { severity: Severity::Warning, ..must(cause, code, rule) }
}

impl Row {
    const fn of(self, requirement: &'static str) -> Self {
        Self { requirement: Some(requirement), ..self }
    }

    const fn to(self, methods: &'static [KnownMethod]) -> Self {
        Self { methods, ..self }
    }

    /// Makes a result a finding that is as severe as the wrong error.
    const fn or_served(self) -> Self {
        Self { of_result: Some((rule::FAULTY_REQUEST_SERVED, self.severity)), ..self }
    }

    fn is_for(&self, method: Option<KnownMethod>, revision: Option<Revision>) -> bool {
        let is_of_method =
            self.methods.is_empty() || method.is_some_and(|method| self.methods.contains(&method));
        let holds = |id| {
            let requirement = table::all().iter().find(|one| one.id == id);
            requirement.zip(revision).is_some_and(|(one, revision)| one.holds_in(revision))
        };
        is_of_method && self.requirement.is_none_or(holds)
    }

    fn report(&self, rule: Rule, severity: Severity, at: u64, words: String) -> FindingReport {
        let mut finding = FindingReport::new(rule, at).with_words(words);
        finding.severity = severity;
        match self.requirement {
            Some(id) => finding.of_requirement(id),
            None => finding,
        }
    }
}

impl Cause {
    /// Returns the kind of list that it depends on.
    const fn list(self) -> Option<Kind> {
        match self {
            Self::UnlistedTool | Self::ForbiddenTask | Self::RequiredTask => Some(Kind::Tools),
            Self::UnlistedPrompt | Self::LacksArgument => Some(Kind::Prompts),
            _ => None,
        }
    }

    /// Returns whether the table has a row for a finding of this rule, at this path.
    fn covers(self, rule: Rule, path: &str) -> bool {
        let Self::Breaks(wanted, place) = self else { return false };
        let rest = path.strip_prefix(place);
        let is_there =
            |rest: &str| place.is_empty() || rest.is_empty() || rest.starts_with(['.', '[']);
        wanted == rule && rest.is_some_and(is_there)
    }
}

/// The reasons for which a request cannot succeed.
#[derive(Clone, Debug, Default)]
pub(super) struct Failure {
    reasons: Vec<(usize, &'static Row, String)>,
    /// The codes that may be right for other reasons, which only the receiver knows.
    others: Vec<i64>,
}

impl Failure {
    /// Adds a reason, with words for it, if the table has a row for the request.
    pub fn add(
        &mut self,
        cause: Cause,
        method: Option<KnownMethod>,
        revision: Option<Revision>,
        words: impl FnOnce() -> String,
    ) {
        let is_wanted = |row: &Row| row.cause == cause && row.is_for(method, revision);
        self.add_row(is_wanted, words);
    }

    /// Adds the reason that the request breaks a rule at a path, if the table has a row for that.
    pub fn add_broken(
        &mut self,
        (rule, path): (Rule, &str),
        method: Option<KnownMethod>,
        revision: Option<Revision>,
    ) {
        let is_wanted = |row: &Row| row.cause.covers(rule, path) && row.is_for(method, revision);
        self.add_row(is_wanted, || format!("the request breaks the rule {}", rule::name(rule)));
    }

    fn add_row(&mut self, is_wanted: impl Fn(&Row) -> bool, words: impl FnOnce() -> String) {
        if let Some((at, row)) = TABLE.iter().enumerate().find(|(_, row)| is_wanted(row)) {
            self.reasons.push((at, row, words()));
        }
    }

    /// Returns whether the table has rows for a rule of the library.
    pub fn may_cover(rule: Rule) -> bool {
        TABLE.iter().any(|row| matches!(row.cause, Breaks(wanted, _) if wanted == rule))
    }

    /// Notes that an error of this code may have a reason that only the receiver knows.
    pub fn may_be(&mut self, code: i64) {
        self.others.push(code);
    }

    /// Returns the failure, with its reasons in the order of the table, if there are any.
    pub fn into_option(mut self) -> Option<Self> {
        self.reasons.sort_by_key(|&(at, ..)| at);
        (!self.reasons.is_empty()).then_some(self)
    }

    /// Drops the reasons that depend on a list, because the list may have changed. Returns whether any reason is left.
    pub fn forget_list(&mut self, kind: Kind) -> bool {
        self.reasons.retain(|(_, row, _)| row.cause.list() != Some(kind));
        !self.reasons.is_empty()
    }

    /// Checks the answer to the request against the code that it must have. `None` stands for a result, and
    /// `Some(None)` for an error whose code is not a 64-bit integer. Returns the requirement that the answer meets, if
    /// there is one.
    pub fn judge(
        &self,
        answer: Option<Option<ErrorCode>>,
        at: u64,
        report: &mut dyn FnMut(FindingReport),
    ) -> Option<&'static str> {
        let reasons = || self.reasons.iter().map(|(_, row, words)| (*row, words));
        let Some(code) = answer else {
            let broken = reasons().find_map(|(row, words)| Some((row, words, row.of_result?)));
            if let Some((row, words, (rule, severity))) = broken {
                report(row.report(
                    rule,
                    severity,
                    0,
                    format!("{words}, and the answer is a result"),
                ));
            }
            return None;
        };
        let is_of = |row: &Row, code: ErrorCode| row.takes_any_error || row.code == code;
        let is_right = |code: ErrorCode| {
            self.others.contains(&code.value()) || reasons().any(|(row, _)| is_of(row, code))
        };
        let (row, words) = reasons().next()?;
        if let Some(code) = code.filter(|&code| is_right(code)) {
            let mut met = reasons().filter(|(row, _)| is_of(row, code));
            return met.find_map(|(row, _)| row.requirement);
        }
        let error = code.map_or_else(|| "no code".to_owned(), |code| code.to_string());
        let words = format!("{words}, and the error is {error}");
        // No clause demands a certain one of the standard errors for an unknown tool.
        let is_standard = code.is_some_and(|code| (-32700..=-32600).contains(&code.value()));
        let is_note = row.cause == UnlistedTool && is_standard;
        let severity = if is_note { Severity::Note } else { row.severity };
        report(row.report(row.rule, severity, at, words));
        None
    }
}

/// Returns whether it takes the answer to a request, and not just one message, to see that a requirement is met.
pub(crate) fn observes(requirement: &str) -> bool {
    let is_of_row = TABLE.iter().any(|row| row.requirement == Some(requirement));
    let is_served = SERVING.iter().any(|one| one.requirement == requirement);
    let others =
        [claim::REQUIREMENT, form::REQUIREMENT, schema::REQUIREMENT, tasks::POLLING_REQUIREMENT];
    is_of_row || is_served || others.contains(&requirement)
}

/// A method that its receiver has to serve.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Served {
    method: KnownMethod,
    era: Era,
    /// The error that refuses the method, or `None` if any error does.
    refusal: Option<ErrorCode>,
    /// The requirement that demands an answer.
    pub requirement: &'static str,
}

/// The methods that a side has to serve: a server those that it has declared, and both sides a ping.
const SERVING: &[Served] = &[
    Served::modern(KnownMethod::ServerDiscover, "version-discover-served"),
    Served::modern(PromptsList, "prompts-list-answered"),
    Served::modern(ResourcesList, "resources-list-answered"),
    Served::modern(ToolsList, "tools-list-answered"),
    Served {
        method: KnownMethod::Ping,
        era: Era::Legacy,
        refusal: None,
        requirement: "ping-answered",
    },
];

impl Served {
    const fn modern(method: KnownMethod, requirement: &'static str) -> Self {
        let refusal = Some(ErrorCode::METHOD_NOT_FOUND);
        Self { method, era: Era::Modern, refusal, requirement }
    }

    /// Returns the row of a method in an era.
    pub fn of(method: KnownMethod, era: Era) -> Option<&'static Self> {
        SERVING.iter().find(|one| one.method == method && one.era == era)
    }

    /// Reports an error that refuses the method. Returns the requirement that any other answer meets. `answer` is the
    /// code of the error, if it is one.
    pub fn judge(
        &self,
        answer: Option<Option<ErrorCode>>,
        at: u64,
        report: &mut dyn FnMut(FindingReport),
    ) -> Option<&'static str> {
        let code = match answer {
            Some(code) if self.refusal.is_none_or(|refusal| code == Some(refusal)) => code,
            _ => return Some(self.requirement),
        };
        let error = code.map_or_else(|| "no code".to_owned(), |code| code.to_string());
        let name = self.method.name();
        report(self.refused(at, format!("{name} has to be served, and the error is {error}")));
        None
    }

    /// Returns the finding about a refusal.
    pub fn refused(&self, at: u64, words: String) -> FindingReport {
        let finding = FindingReport::new(rule::DECLARED_METHOD_REFUSED, at).with_words(words);
        finding.of_requirement(self.requirement)
    }
}

#[cfg(test)]
mod tests {
    use tautline_mcp::rule;

    use super::{Breaks, TABLE};
    use crate::tally::table;

    #[test]
    fn every_requirement_of_a_row_is_in_the_table_of_requirements() {
        for row in TABLE {
            let Some(id) = row.requirement else { continue };
            let one = table::all().iter().find(|one| one.id == id);
            let one = one.unwrap_or_else(|| panic!("{id}"));
            assert!(one.rules.iter().any(|name| name == rule::name(row.rule)), "{id}");
            if let Some((rule, _)) = row.of_result {
                assert!(one.rules.iter().any(|name| name == rule::name(rule)), "{id}");
            }
            let is_must = row.severity == tautline::Severity::Error;
            assert_eq!(one.level, if is_must { "MUST" } else { "SHOULD" }, "{id}");
        }
    }

    #[test]
    fn a_path_covers_what_is_below_it() {
        let cause = Breaks(rule::MEMBER_VALUE, "params.level");
        for (path, expected) in [
            ("params.level", true),
            ("params.level.a", true),
            ("params.level[0]", true),
            ("params.levels", false),
            ("params", false),
        ] {
            assert_eq!(cause.covers(rule::MEMBER_VALUE, path), expected, "{path}");
        }
        assert!(!cause.covers(rule::MEMBER_TYPE, "params.level"));
    }
}
