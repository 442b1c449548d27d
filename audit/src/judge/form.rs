//! Forms (client/elicitation): the flat schema that a server asks with, and the content that answers it.
//!
//! A form is not a general JSON Schema: its members are strings, numbers, booleans and lists of choices. Other keywords
//! of the schema are ignored.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde::Deserialize;
use serde_json::Value;
use tautline::scan::offset_of;
use tautline::{RawJson, Response};
use tautline_mcp::{ParamsView, rule};

use crate::frame::FindingReport;

/// The requirement that content is checked against.
pub(super) const REQUIREMENT: &str = "elicitation-content-conforms";

/// The maximum length of a request whose form is kept, in bytes.
const LONGEST: usize = 1 << 16;
/// The number of names of input requests that are kept.
const MOST_NAMES: usize = 256;
/// The number of forms that are kept for one name.
const MOST_FORMS: usize = 8;

/// The members that a form asks for.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Form {
    /// True if it is a page in the browser, whose answer has no content.
    #[serde(skip)]
    is_page: bool,
    #[serde(default)]
    properties: BTreeMap<String, Field>,
    #[serde(default)]
    required: Vec<String>,
}

/// The schema of one member.
#[derive(Clone, Debug, Deserialize)]
struct Field {
    #[serde(rename = "type")]
    kind: Option<String>,
    minimum: Option<f64>,
    maximum: Option<f64>,
    #[serde(rename = "minLength")]
    shortest: Option<f64>,
    #[serde(rename = "maxLength")]
    longest: Option<f64>,
    #[serde(rename = "minItems")]
    fewest: Option<f64>,
    #[serde(rename = "maxItems")]
    most: Option<f64>,
    #[serde(rename = "enum")]
    names: Option<Vec<Value>>,
    #[serde(rename = "oneOf", alias = "anyOf")]
    options: Option<Vec<Value>>,
    items: Option<Box<Field>>,
}

/// An answer to a form.
#[derive(Deserialize)]
struct Answer {
    action: String,
    content: Option<BTreeMap<String, Value>>,
}

#[derive(Deserialize)]
struct Asked {
    mode: Option<String>,
    #[serde(rename = "requestedSchema")]
    form: Option<Form>,
}

#[derive(Deserialize)]
struct InputRequired {
    #[serde(rename = "inputRequests")]
    requests: HashMap<String, InputRequest>,
}

#[derive(Deserialize)]
struct InputRequest {
    method: String,
    params: Option<Value>,
}

/// The verdict on an answer to a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It declines, or is not an answer to a form.
    None,
    /// Its content matches the form.
    Fits,
    /// Its content differs from the form: the member, if one is to blame, and the reason.
    Differs(Option<String>, String),
}

impl Asked {
    fn into_form(self) -> Option<Form> {
        match self.mode.as_deref() {
            None | Some("form") => self.form,
            Some("url") => Some(Form { is_page: true, ..Form::default() }),
            Some(_) => None,
        }
    }
}

impl Form {
    /// Returns the form in the params of a request for an elicitation.
    pub fn of(params: &[u8]) -> Option<Self> {
        let is_short = params.len() <= LONGEST;
        let asked: Asked = is_short.then(|| serde_json::from_slice(params).ok()).flatten()?;
        asked.into_form()
    }

    /// Checks an answer against the form.
    pub fn judge(&self, answer: &[u8]) -> Verdict {
        let Ok(answer) = serde_json::from_slice::<Answer>(answer) else { return Verdict::None };
        if answer.action != "accept" {
            return Verdict::None;
        }
        if self.is_page {
            let words = || "the mode url takes no content".to_owned();
            return answer.content.map_or(Verdict::None, |_| Verdict::Differs(None, words()));
        }
        let content = answer.content.unwrap_or_default();
        if let Some(name) = self.required.iter().find(|name| !content.contains_key(*name)) {
            let words = format!("the content lacks {name:?}, which the form requires");
            return Verdict::Differs(None, words);
        }
        for (name, value) in &content {
            let wrong = self.properties.get(name).and_then(|field| field.wrong(value));
            if let Some(expected) = wrong {
                let words = format!("the form asks for {expected} as {name:?}");
                return Verdict::Differs(Some(name.clone()), words);
            }
        }
        Verdict::Fits
    }
}

impl Verdict {
    /// Reports a difference in an answer that begins at this offset. Returns the requirement that the answer meets, if
    /// it does.
    pub fn report(
        self,
        answer: RawJson<'_>,
        start: u64,
        report: &mut dyn FnMut(FindingReport),
    ) -> Option<&'static str> {
        let (name, words) = match self {
            Self::None => return None,
            Self::Fits => return Some(REQUIREMENT),
            Self::Differs(name, words) => (name, words),
        };
        let content = answer.member("content").unwrap_or(answer);
        let value = name.and_then(|name| content.member(&name)).unwrap_or(content);
        let rule = rule::ELICITATION_CONTENT;
        let finding = FindingReport::new(rule, start + offset(answer, value)).with_words(words);
        report(finding.of_requirement(REQUIREMENT).in_payload());
        None
    }
}

/// Returns the offset of a value in the value that contains it, in bytes.
pub(super) fn offset(outer: RawJson<'_>, inner: RawJson<'_>) -> u64 {
    offset_of(inner.as_bytes(), outer.as_bytes()).unwrap_or_default() as u64
}

impl Field {
    /// Returns a description of the expected value, if this value does not fit.
    fn wrong(&self, value: &Value) -> Option<String> {
        let is_of_kind = match self.kind.as_deref() {
            Some("string") => value.is_string(),
            Some("number") => value.is_number(),
            Some("integer") => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            Some("boolean") => value.is_boolean(),
            Some("array") => value.is_array(),
            _ => true,
        };
        if !is_of_kind {
            return self.kind.as_ref().map(|kind| format!("the type {kind}"));
        }
        match value {
            Value::Number(number) => {
                let number = number.as_f64()?;
                out_of("a number", number, self.minimum, self.maximum)
            }
            Value::String(text) => {
                // A longer text exceeds any limit that matters.
                let length = f64::from(u32::try_from(text.chars().count()).unwrap_or(u32::MAX));
                out_of("a length", length, self.shortest, self.longest)
            }
            Value::Array(items) => {
                let count = f64::from(u32::try_from(items.len()).unwrap_or(u32::MAX));
                let wrong_item = || {
                    let field = self.items.as_ref()?;
                    items.iter().find_map(|item| field.wrong(item))
                };
                out_of("a number of items", count, self.fewest, self.most).or_else(wrong_item)
            }
            _ => None,
        }
        .or_else(|| (!self.offers(value)).then(|| "one of the options".to_owned()))
    }

    /// Returns whether the value is among the options, if there are any.
    fn offers(&self, value: &Value) -> bool {
        let is_named = self.names.as_ref().is_none_or(|names| names.contains(value));
        // An option that is not a constant may be anything.
        let is_option = |option: &Value| option.get("const").is_none_or(|one| one == value);
        let is_offered = self.options.as_ref().is_none_or(|all| all.iter().any(is_option));
        is_named && is_offered
    }
}

/// Returns the range that a number lies outside of, in words.
fn out_of(what: &str, number: f64, least: Option<f64>, most: Option<f64>) -> Option<String> {
    let too_small = least.filter(|&least| number < least);
    let too_large = most.filter(|&most| number > most);
    match (too_small, too_large) {
        (Some(least), _) => Some(format!("{what} of at least {least}")),
        (None, Some(most)) => Some(format!("{what} of at most {most}")),
        (None, None) => None,
    }
}

/// Finds the name of the member with the forms.
static INPUT_REQUESTS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("inputRequests"));
/// Finds the beginning of an escape that may stand for any character.
static ESCAPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(r"\u"));

/// The forms in results that require input, by the name of the input request (2026-07-28).
#[derive(Debug, Default)]
pub(super) struct InputForms {
    forms: HashMap<String, VecDeque<Form>>,
}

impl InputForms {
    /// Records the forms in a result.
    pub fn response(&mut self, response: &Response<'_>) {
        let Some(result) = response.result().filter(|result| result.as_bytes().len() <= LONGEST)
        else {
            return;
        };
        // Few results have the member, and its name is in the bytes, unless it is escaped.
        let may_have = |name: &Finder<'_>| name.find(result.as_bytes()).is_some();
        let may_require = may_have(&INPUT_REQUESTS) || may_have(&ESCAPE);
        if !may_require || result.member("inputRequests").is_none() {
            return;
        }
        let Ok(required) = serde_json::from_slice::<InputRequired>(result.as_bytes()) else {
            return self.forms.clear();
        };
        for (name, request) in required.requests {
            let asked = request.params.filter(|_| request.method == "elicitation/create");
            let asked = asked.and_then(|params| serde_json::from_value::<Asked>(params).ok());
            let Some(form) = asked.and_then(Asked::into_form) else {
                // The input request of this name is not for an elicitation. Forms of the same name may no longer apply.
                self.forms.remove(&name);
                continue;
            };
            if self.forms.len() >= MOST_NAMES {
                self.forms.clear();
            }
            let forms = self.forms.entry(name).or_default();
            if forms.len() >= MOST_FORMS {
                forms.pop_front();
            }
            forms.push_back(form);
        }
    }

    /// Judges the answers in a request, and returns each with its verdict. An answer fits if it fits any form of its
    /// name.
    pub fn judge<'buf>(&self, params: &ParamsView<'buf>) -> Vec<(RawJson<'buf>, Verdict)> {
        let object = Some(params.object()).filter(|_| !self.forms.is_empty());
        let responses = object.and_then(|params| params.member("inputResponses"));
        let Some(responses) = responses else { return Vec::new() };
        let named = self.forms.iter().filter_map(|(name, forms)| {
            let answer = responses.member(name)?;
            let verdicts: Vec<Verdict> =
                forms.iter().map(|form| form.judge(answer.as_bytes())).collect();
            let fits = verdicts.iter().position(|verdict| !matches!(verdict, Verdict::Differs(..)));
            let verdict = verdicts.get(fits.unwrap_or(verdicts.len().wrapping_sub(1)))?;
            Some((answer, verdict.clone()))
        });
        named.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, Verdict};

    fn judge(properties: &str, content: &str) -> Verdict {
        let params = format!(
            r#"{{"message":"m","requestedSchema":{{"type":"object","properties":{properties},"required":["a"]}}}}"#
        );
        let answer = format!(r#"{{"action":"accept","content":{content}}}"#);
        Form::of(params.as_bytes()).unwrap().judge(answer.as_bytes())
    }

    #[test]
    fn content_is_held_to_its_form() {
        let one_of = r#"{"a":{"type":"string","oneOf":[{"const":"x","title":"X"},{"const":"y"}]}}"#;
        let many = r#"{"a":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["x","y"]}}}"#;
        let any = r#"{"a":{"type":"array","items":{"anyOf":[{"const":"x","title":"X"}]}}}"#;
        let number = r#"{"a":{"type":"number","minimum":1,"maximum":2.5}}"#;
        let integer = r#"{"a":{"type":"integer"}}"#;
        let text = r#"{"a":{"type":"string","minLength":2,"maxLength":3}}"#;
        for (properties, content, fits) in [
            (one_of, r#"{"a":"x"}"#, true),
            (one_of, r#"{"a":"z"}"#, false),
            (many, r#"{"a":["x","y"]}"#, true),
            (many, r#"{"a":[]}"#, false),
            (many, r#"{"a":["x","y","x"]}"#, false),
            (many, r#"{"a":["z"]}"#, false),
            (many, r#"{"a":"x"}"#, false),
            (any, r#"{"a":["x"]}"#, true),
            (any, r#"{"a":["X"]}"#, false),
            (number, r#"{"a":1}"#, true),
            (number, r#"{"a":2.5}"#, true),
            (number, r#"{"a":0.9}"#, false),
            (number, r#"{"a":3}"#, false),
            (number, r#"{"a":"1"}"#, false),
            (integer, r#"{"a":-7}"#, true),
            (integer, r#"{"a":7.0}"#, true),
            (integer, r#"{"a":7.5}"#, false),
            (text, r#"{"a":"äö"}"#, true),
            (text, r#"{"a":"a"}"#, false),
            (text, r#"{"a":"abcd"}"#, false),
            (r#"{"a":{"type":"boolean"}}"#, r#"{"a":true}"#, true),
            (r#"{"a":{"type":"boolean"}}"#, r#"{"a":"true"}"#, false),
            // Members that a form does not ask for are allowed.
            (r#"{"a":{"type":"boolean"}}"#, r#"{"a":true,"b":[{}]}"#, true),
            // Keywords that a form may not have are ignored.
            (r#"{"a":{"$ref":"x"}}"#, r#"{"a":{}}"#, true),
            (r#"{"a":{"oneOf":[{"type":"string"}]}}"#, r#"{"a":1}"#, true),
            (integer, "{}", false),
        ] {
            let verdict = judge(properties, content);
            assert_eq!(verdict == Verdict::Fits, fits, "{properties} {content}: {verdict:?}");
        }
    }

    #[test]
    fn only_an_accepted_form_is_judged() {
        let form = br#"{"message":"m","requestedSchema":{"type":"object","properties":{},"required":["a"]}}"#;
        let form = Form::of(form).unwrap();
        assert_eq!(form.judge(br#"{"action":"decline"}"#), Verdict::None);
        assert!(matches!(form.judge(br#"{"action":"accept"}"#), Verdict::Differs(None, _)));
        let page =
            br#"{"mode":"url","message":"m","url":"https://a.example/","elicitationId":"1"}"#;
        let page = Form::of(page).unwrap();
        assert_eq!(page.judge(br#"{"action":"accept"}"#), Verdict::None);
        assert_eq!(page.judge(br#"{"action":"cancel","content":{}}"#), Verdict::None);
        let with_content = br#"{"action":"accept","content":{"code":"7"}}"#;
        assert!(matches!(page.judge(with_content), Verdict::Differs(None, _)));
    }
}
