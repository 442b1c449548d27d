//! The losses and changes that a source reports, and the findings that can't be judged because of them.

use tautline::Rule;
use tautline_mcp::{Role, rule};

use crate::frame::FindingReport;
use crate::tally::table::{self, RequirementRow, Status};

/// The maximum number of sentences in a report.
const MOST: usize = 100;

/// The losses and changes that a source has reported.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    notes: Vec<String>,
    is_rewritten: bool,
    is_http: bool,
    /// True if frames of either side are missing since the session began.
    is_incomplete: bool,
    /// For each side, true if a missing frame may answer any of its requests.
    may_be_answered: [bool; 2],
}

impl Losses {
    /// Adds a sentence to the report, unless it is already there.
    pub fn say(&mut self, words: String) {
        if self.notes.len() < MOST && !self.notes.contains(&words) {
            self.notes.push(words);
        }
    }

    pub const fn rewritten(&mut self) {
        self.is_rewritten = true;
    }

    pub const fn http(&mut self) {
        self.is_http = true;
    }

    pub const fn is_http(&self) -> bool {
        self.is_http
    }

    /// Notes that frames of this side are missing: one response whose request is known, or any frames.
    pub fn missing(&mut self, from: Role, is_known_response: bool) {
        self.is_incomplete = true;
        if let Some(may_be_answered) = self.may_be_answered.get_mut(index(from.other()))
            && !is_known_response
        {
            *may_be_answered = true;
        }
    }

    pub const fn end_session(&mut self) {
        self.is_incomplete = false;
        self.may_be_answered = [false; 2];
    }

    /// Returns whether a missing frame may answer any request of this side.
    pub fn may_hold_answers_to(&self, from: Role) -> bool {
        self.may_be_answered.get(index(from)).is_some_and(|&may| may)
    }

    /// Returns whether a finding holds in spite of the losses.
    pub const fn allow(&self, finding: &FindingReport) -> bool {
        // A finding on a requirement for an answer may depend on a missing frame.
        let depends = depends_on_other_frames(finding.rule) || finding.requirement.is_some();
        !self.is_incomplete || !depends
    }

    /// Withdraws the verdicts that the source can't support: passes of requirements whose finding is lost when
    /// messages are rewritten, and all verdicts on the transport that was not used, HTTP or stdio.
    pub fn correct(&self, rows: &mut [RequirementRow]) {
        if !self.is_http {
            let is_of_http = |row: &&mut RequirementRow| {
                row.clause.contains("transports/streamable-http")
                    || row.clause.contains("transports, http")
            };
            rows.iter_mut().filter(is_of_http).for_each(|row| row.verdict = Status::NotObserved);
        }
        if self.is_http {
            let is_of_stdio = |row: &&mut RequirementRow| row.clause.contains("transports/stdio");
            rows.iter_mut().filter(is_of_stdio).for_each(|row| row.verdict = Status::NotObserved);
        }
        if !self.is_rewritten {
            return;
        }
        let is_of_bytes = |rule: &String| OF_BYTES.iter().any(|one| rule::name(*one) == rule);
        let of_bytes: Vec<&str> = table::all()
            .iter()
            .filter(|row| row.rules.iter().any(is_of_bytes))
            .map(|row| row.id.as_str())
            .collect();
        for row in rows.iter_mut().filter(|row| row.verdict == Status::Passed) {
            if of_bytes.contains(&row.id) {
                row.verdict = Status::NotObserved;
            }
        }
    }

    pub fn into_notes(self) -> Vec<String> {
        self.notes
    }
}

const fn index(from: Role) -> usize {
    match from {
        Role::Client => 0,
        Role::Server => 1,
    }
}

/// Returns whether a rule depends on other frames, so that it seems to be broken if they are missing.
const fn depends_on_other_frames(rule: Rule) -> bool {
    matches!(
        rule,
        rule::REQUEST_BEFORE_INITIALIZE
            | rule::REQUEST_BEFORE_INITIALIZED
            | rule::INITIALIZED_UNEXPECTED
            | rule::ERA_MIXED
            | rule::UNDECLARED_CAPABILITY
            | rule::UNDECLARED_TASK
            | rule::ID_IN_USE
            | rule::PROGRESS_TOKEN_IN_USE
            | rule::RESPONSE_UNEXPECTED
            | rule::RESPONSE_AMBIGUOUS
            | rule::RESPONSE_DUPLICATE
            | rule::RESPONSE_ID_REWRITTEN
            | rule::INPUT_REQUIRED_UNEXPECTED
            | rule::CANCEL_UNKNOWN
            | rule::PROGRESS_UNKNOWN
            | rule::SUBSCRIPTION_UNKNOWN
            | rule::SUBSCRIPTION_UNACKNOWLEDGED
            | rule::CURSOR_UNKNOWN
            | rule::TASK_UNEXPECTED
            | rule::TASK_TRANSITION
            | rule::TASK_UNRELATED
            | rule::SUBSCRIPTION_UNCLOSED
            | rule::SUBSCRIPTION_END_UNANNOUNCED
            | rule::LIST_CHANGE_UNANNOUNCED
            | rule::TOOL_NAME_REPEATED
            | rule::TASK_PROGRESS_TOKEN
            | rule::TASK_INPUT_UNRELATED
            | rule::TASK_INPUT_NOT_FETCHED
            | rule::ELICITATION_UNKNOWN
            | rule::NO_PROBE
            | rule::LOG_NOT_REQUESTED
            | rule::ERROR_WITHOUT_CAUSE
            | rule::UNKNOWN_TOOL_CODE
            | rule::UNKNOWN_TOOL_RESULT
            | rule::UNKNOWN_PROMPT_CODE
            | rule::VERSIONS_UNNAMED
    )
}

/// The rules about the exact bytes of a message, which are lost when it is parsed and rewritten.
const OF_BYTES: [Rule; 13] = [
    Rule::NOT_JSON,
    Rule::INVALID_UTF8,
    Rule::UNTERMINATED_FRAME,
    Rule::RAW_CARRIAGE_RETURN,
    Rule::LINE_SEPARATOR,
    Rule::DUPLICATE_MEMBER,
    Rule::DUPLICATE_NESTED_MEMBER,
    Rule::DUPLICATE_INNER_MEMBER,
    Rule::LONE_SURROGATE,
    Rule::LOG_LINE,
    Rule::CONTENT_LENGTH_HEADER,
    Rule::UTF16,
    Rule::EMBEDDED_NEWLINE,
];
