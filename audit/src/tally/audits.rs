//! The two named audits: `jsonrpc-messages` and `structured-errors`.

use serde::Serialize;
use tautline::{Rule, Severity};
use tautline_mcp::{KnownMethod, rule};

use super::Seen;
use crate::frame::{FindingReport, Kind, MessageReport};

/// The number of offenders that are listed for each measure.
const OFFENDERS: usize = 5;

/// The verdict of an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::exhaustive_enums, reason = "the three words of such reports")]
pub enum Verdict {
    /// Every measure reaches its threshold.
    Pass,
    /// A measure does not reach its threshold.
    Fail,
    /// There was no message that the audit applies to.
    NotApplicable,
}

impl Verdict {
    /// Returns the verdict in capitals.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::NotApplicable => "NOT APPLICABLE",
        }
    }
}

/// A named audit.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct AuditRow {
    /// The name, such as `jsonrpc-messages`.
    pub name: &'static str,
    /// How severe a failure is: `critical` or `high`.
    pub severity: &'static str,
    /// The weakness in the Common Weakness Enumeration.
    pub cwe: &'static str,
    /// The meaning of a pass.
    pub title: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// Its parts.
    pub measures: Vec<Measure>,
}

/// A part of an audit.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Measure {
    /// The name, such as `version`.
    pub name: &'static str,
    /// The messages that are counted.
    pub title: &'static str,
    /// The number of messages that it applies to.
    pub checked: u64,
    /// The number of those messages that pass.
    pub passed: u64,
    /// The share of `checked` that has to pass, up to 1.
    pub threshold: f64,
    /// The verdict.
    pub verdict: Verdict,
    /// The first messages that fail.
    pub offenders: Vec<Offender>,
}

/// A message that fails in a measure.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Offender {
    /// The number of its frame, from 1.
    pub frame: u64,
    /// The sender: `client` or `server`.
    pub from: &'static str,
    /// Its line in the source, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The fault.
    pub message: String,
}

#[derive(Clone, Debug, Default)]
struct Count {
    checked: u64,
    failed: u64,
    offenders: Vec<Offender>,
}

impl Count {
    fn add(&mut self, seen: &Seen<'_>, failed: Option<String>) {
        self.checked += 1;
        let Some(message) = failed else { return };
        self.failed += 1;
        if self.offenders.len() < OFFENDERS {
            let from = seen.from.name();
            self.offenders.push(Offender { frame: seen.number, from, line: seen.line, message });
        }
    }

    fn measure(&self, name: &'static str, title: &'static str, threshold: f64) -> Measure {
        let passed = self.checked - self.failed;
        let verdict = match (self.checked, share(passed, self.checked) >= threshold) {
            (0, _) => Verdict::NotApplicable,
            (_, true) => Verdict::Pass,
            (_, false) => Verdict::Fail,
        };
        let (checked, offenders) = (self.checked, self.offenders.clone());
        Measure { name, title, checked, passed, threshold, verdict, offenders }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share needs no 16 digits")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// The counts of both audits.
#[derive(Debug, Default)]
pub struct Audits {
    /// All frames, and the frames that are not messages.
    frames: Count,
    versions: Count,
    echoes: Count,
    error_objects: Count,
    /// Notifications, and errors that answer a notification or nothing.
    notifications: Count,
    codes: Count,
    texts: Count,
    defined: Count,
    in_range: Count,
    http: Count,
    fitting: Count,
}

/// Returns whether a rule says that a message with an `error` is not a valid error response.
fn is_of_error_object(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::ERROR_TYPE
            | Rule::ERROR_CODE_MISSING
            | Rule::ERROR_CODE_TYPE
            | Rule::ERROR_MESSAGE_MISSING
            | Rule::ERROR_MESSAGE_TYPE
    )
}

impl Audits {
    pub(super) fn count(&mut self, seen: &Seen<'_>) {
        if seen.report.part_of.is_some() {
            // The frame that it belongs to was counted.
            return;
        }
        match &seen.report.batch {
            Some(batch) => batch.iter().for_each(|message| self.message(seen, message)),
            None => self.message(seen, &seen.report.message),
        }
    }

    fn message(&mut self, seen: &Seen<'_>, message: &MessageReport<'_>) {
        let rule = |is_one: &dyn Fn(Rule) -> bool| {
            let is_one = |finding: &&FindingReport| {
                is_one(finding.rule) && finding.severity != Severity::Note
            };
            message.findings.iter().find(is_one).map(|finding| finding.message.to_string())
        };
        let is_invalid = message.kind == Kind::Invalid;
        let errors = |finding: &&FindingReport| finding.severity == Severity::Error;
        let first = message.findings.iter().find(errors).map(|finding| finding.message.to_string());
        self.frames.add(seen, first.filter(|_| is_invalid));
        let version = rule(&|rule| matches!(rule, Rule::MISSING_JSONRPC | Rule::WRONG_VERSION));
        if version.is_some() || !is_invalid {
            self.versions.add(seen, version);
        }
        let object = rule(&is_of_error_object);
        let without_id = rule(&|rule| rule == Rule::RESPONSE_WITHOUT_ID);
        // JSON-RPC prescribes a null id for an error that answers what could not be read.
        let kind = message.null_id.unwrap_or(message.kind);
        let is_error = kind == Kind::Error;
        if is_error || kind == Kind::Result || without_id.is_some() {
            let unexpected = rule(&|rule| {
                matches!(
                    rule,
                    rule::RESPONSE_UNEXPECTED
                        | rule::RESPONSE_DUPLICATE
                        | rule::RESPONSE_ID_REWRITTEN
                )
            });
            let null = rule(&|rule| rule == Rule::ID_NULL);
            self.echoes.add(seen, without_id.or(unexpected).or(null));
        }
        if message.kind == Kind::Notification {
            self.notifications.add(seen, None);
        }
        let answers_nothing = rule(&|rule| rule == rule::ERROR_WITHOUT_CAUSE);
        if answers_nothing.is_some() {
            self.notifications.add(seen, answers_nothing);
        }
        if !is_error && object.is_none() {
            return;
        }
        self.error_objects.add(seen, object);
        let of = |these: &[Rule]| rule(&|rule| these.contains(&rule));
        let is_an_error = of(&[Rule::ERROR_TYPE]);
        let code = of(&[Rule::ERROR_CODE_MISSING, Rule::ERROR_CODE_TYPE]).or(is_an_error.clone());
        let text = of(&[Rule::ERROR_MESSAGE_MISSING, Rule::ERROR_MESSAGE_TYPE]).or(is_an_error);
        let has_code = code.is_none();
        self.codes.add(seen, code);
        self.texts.add(seen, text);
        if !has_code {
            return;
        }
        let forbidden = of(&[rule::ERROR_CODE_FORBIDDEN, Rule::ERROR_CODE_RESERVED]);
        let http = of(&[Rule::ERROR_CODE_HTTP]);
        // The client refuses sampling, because the user has rejected it (client/sampling, error handling).
        let is_of_sampling =
            seen.answered_method() == Some(KnownMethod::SamplingCreateMessage.name());
        let of_nobody = message.code.is_some_and(|(code, is_defined)| {
            !(is_defined || is_of_sampling && code.value() == -1)
        });
        self.defined.add(seen, of_nobody.then(|| "the code is the sender's own".to_owned()));
        self.in_range.add(seen, forbidden);
        self.http.add(seen, http);
        let unfit = of(&[
            rule::UNKNOWN_METHOD_CODE,
            rule::UNKNOWN_TOOL_CODE,
            rule::UNKNOWN_PROMPT_CODE,
            rule::INVALID_PARAMS_CODE,
            rule::INVALID_REQUEST_CODE,
            rule::UNSUPPORTED_CODE,
            rule::UNSUPPORTED_VERSION_CODE,
            rule::PARSE_ERROR_CODE,
            rule::ERROR_CODE_MISUSED,
            rule::TASK_CANCEL_ENDED,
        ]);
        self.fitting.add(seen, unfit);
    }

    /// Returns the two audits.
    #[must_use]
    pub fn rows(&self) -> Vec<AuditRow> {
        let messages = vec![
            self.frames.measure("messages", "frames that are messages", 1.0),
            self.versions.measure("version", "messages with \"jsonrpc\": \"2.0\"", 1.0),
            self.echoes.measure("ids", "responses with the id of a request that waits", 1.0),
            self.error_objects.measure("error-objects", "errors with the standard object", 1.0),
            self.notifications.measure("notifications", "notifications without an answer", 1.0),
        ];
        let errors = vec![
            self.codes.measure("codes", "errors with an integer as code", 1.0),
            self.texts.measure("messages", "errors with a string as message", 1.0),
            self.defined.measure("defined", "codes of JSON-RPC or of the revision", 0.9),
            self.in_range.measure("ranges", "codes in a range that is open to the sender", 1.0),
            self.http.measure("http", "codes that are no HTTP status", 1.0),
            self.fitting.measure("fit", "codes that fit the failure", 1.0),
        ];
        vec![
            row(
                "jsonrpc-messages",
                "critical",
                "CWE-116",
                "every message on the wire is one of JSON-RPC 2.0",
                messages,
            ),
            row(
                "structured-errors",
                "high",
                "CWE-703",
                "every error can be told from others by its code",
                errors,
            ),
        ]
    }
}

fn row(
    name: &'static str,
    severity: &'static str,
    cwe: &'static str,
    title: &'static str,
    measures: Vec<Measure>,
) -> AuditRow {
    let has = |verdict| measures.iter().any(|measure| measure.verdict == verdict);
    let verdict = match (has(Verdict::Fail), has(Verdict::Pass)) {
        (true, _) => Verdict::Fail,
        (false, true) => Verdict::Pass,
        (false, false) => Verdict::NotApplicable,
    };
    AuditRow { name, severity, cwe, title, verdict, measures }
}
