//! The naive reference for the rules of an MCP revision below the envelope. It works from the text of the rules and
//! the table of the schemas, on what `serde_json` reads.

use std::collections::HashMap;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::support::members::{Member, Members};

/// The known members of `params`, `_meta` and `result`.
pub const PARAMS: &[&str] = &[
    "name",
    "uri",
    "requestId",
    "protocolVersion",
    "capabilities",
    "progressToken",
    "_meta",
    "arguments",
    "task",
    "clientInfo",
];
pub const META: &[&str] = &[
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/logLevel",
    "progressToken",
    "io.modelcontextprotocol/subscriptionId",
    "io.modelcontextprotocol/serverInfo",
];
pub const RESULT: &[&str] =
    &["resultType", "isError", "protocolVersion", "capabilities", "_meta", "serverInfo", "task"];

/// The types of [`META`].
const META_TYPES: &[&str] = &["string", "object", "object", "string", "token", "token", "object"];

/// The kinds of results, including that of the extension for tasks.
const KINDS: &[&str] = &["complete", "input_required", "task"];

/// Revision, method and kind of the extension for tasks, all of which require params.
const EXTENSION: &[(&str, &str, &str)] = &[
    ("2026-07-28", "tasks/get", "request"),
    ("2026-07-28", "tasks/update", "request"),
    ("2026-07-28", "tasks/cancel", "request"),
    ("2026-07-28", "notifications/tasks", "notification"),
];

/// A method in a revision.
#[derive(Clone, Copy)]
struct Row {
    revision: &'static str,
    name: &'static str,
    kind: &'static str,
    requires_params: bool,
}

/// The methods of all revisions.
pub struct Methods(HashMap<&'static str, Vec<Row>>);

impl Methods {
    pub fn read() -> Self {
        let rows = include_str!("../../data/mcp-schema.tsv").lines().filter_map(|line| {
            let ["method", revision, name, kind, _, params] =
                line.split('\t').collect::<Vec<_>>()[..]
            else {
                return None;
            };
            Some(Row { revision, name, kind, requires_params: params == "required" })
        });
        let extension = EXTENSION.iter().map(|&(revision, name, kind)| Row {
            revision,
            name,
            kind,
            requires_params: true,
        });
        let mut methods: HashMap<_, Vec<_>> = HashMap::new();
        for row in rows.chain(extension) {
            methods.entry(row.name).or_default().push(row);
        }
        Self(methods)
    }
}

/// An object with its members counted.
pub struct Object<'a> {
    /// The text from the opening brace.
    text: &'a str,
    members: Vec<(String, Member<'a>)>,
}

impl<'a> Object<'a> {
    pub fn of(text: &'a str) -> Option<Self> {
        let text = text.trim();
        if !text.starts_with('{') {
            return None;
        }
        let Members(members) = serde_json::from_str(text).ok()?;
        let named = |member: Member<'a>| {
            (serde_json::from_str::<String>(member.name.get()).unwrap(), member)
        };
        Some(Self { text, members: members.into_iter().map(named).collect() })
    }

    pub fn count(&self, name: &str) -> usize {
        self.members.iter().filter(|(own, _)| own == name).count()
    }

    /// Returns the value of the member, if it appears exactly once.
    pub fn once(&self, name: &str) -> Option<&'a RawValue> {
        let (_, member) = self.members.iter().find(|(own, _)| own == name)?;
        (self.count(name) == 1).then_some(member.value)
    }

    /// Returns the member as an object, if it appears exactly once.
    pub fn object(&self, name: &str) -> Option<Self> {
        Self::of(self.once(name)?.get())
    }

    /// Returns the first of these names to appear a second time, as written there.
    pub fn repeated(&self, names: &[&str]) -> Option<&'a str> {
        let mut members = self.members.iter().enumerate();
        let (_, (_, member)) = members.find(|(at, (name, _))| {
            let before = self.members[..*at].iter().filter(|(other, _)| other == name).count();
            names.contains(&&**name) && before == 1
        })?;
        Some(member.name.get())
    }

    pub fn values(&self) -> impl Iterator<Item = &'a str> {
        self.members.iter().map(|(_, member)| member.value.get())
    }
}

/// A violated rule, and the offsets in the frame at which it may be reported.
#[derive(Debug)]
pub struct Broken {
    pub rule: &'static str,
    pub offsets: Vec<usize>,
}

/// Checks a frame against a revision.
pub struct Oracle<'a> {
    pub methods: &'a Methods,
    pub revision: &'static str,
    pub frame: &'a str,
    pub broken: Vec<Broken>,
}

impl<'a> Oracle<'a> {
    /// Checks a frame that is a message, or a batch of valid and invalid messages.
    pub fn frame(&mut self, is_message: impl Fn(&str) -> bool) {
        if let Some(message) = Object::of(self.frame) {
            return self.message(&message);
        }
        let elements: Vec<&RawValue> = serde_json::from_str(self.frame).unwrap();
        for element in elements.iter().map(|element| element.get()).filter(|e| is_message(e)) {
            let message = Object::of(element).unwrap();
            let is_request = message.count("id") > 0;
            if let Some(method) = message.once("method")
                && text(method).as_deref() == Some("initialize")
                && is_request
            {
                self.say("initialize-in-batch", method.get());
            }
            self.message(&message);
        }
    }

    fn message(&mut self, message: &Object<'a>) {
        match (message.once("method"), message.object("result")) {
            (Some(method), _) => self.call(message, method),
            (None, Some(result)) => self.result(&result),
            (None, None) => self.error(message),
        }
    }

    fn call(&mut self, message: &Object<'a>, method: &'a RawValue) {
        let kind = if message.count("id") > 0 { "request" } else { "notification" };
        let name = text(method).unwrap();
        let known: &[Row] = self.methods.0.get(&*name).map_or(&[], Vec::as_slice);
        let row = known.iter().find(|row| row.revision == self.revision);
        let (raw_params, params) = (message.once("params"), message.object("params"));
        let meta = params.as_ref().and_then(|params| params.object("_meta"));

        if known.iter().any(|row| row.kind != kind) {
            self.say("method-kind", method.get());
        }
        if !known.is_empty() && row.is_none() {
            self.say("method-not-in-revision", method.get());
        }
        self.duplicates(params.as_ref(), PARAMS);
        self.duplicates(meta.as_ref(), META);
        if raw_params.is_none() && row.is_some_and(|row| row.requires_params) {
            self.say("missing-params", method.get());
        } else if let Some(params) = &params
            && let Some(subject) = Self::subject(&name)
            && params.count(subject) == 0
            && !(name == "notifications/cancelled" && self.revision == "2025-11-25")
        {
            self.say("missing-params", params.text);
        } else if kind == "request"
            && self.revision >= "2026-07-28"
            && (row.is_some() || known.is_empty())
        {
            // A duplicate member is not missing.
            match (&params, &meta) {
                (None, _) => self.say("missing-meta", method.get()),
                (Some(params), _) if params.count("_meta") == 0 => {
                    self.say("missing-meta", params.text);
                }
                (_, Some(meta)) if META[..2].iter().any(|name| meta.count(name) == 0) => {
                    self.say("missing-meta", meta.text);
                }
                _ => {}
            }
        }
        self.meta_type(&name, params.as_ref(), meta.as_ref());
        if known.is_empty() {
            self.say("unknown-method", method.get());
        }
    }

    /// Returns the member of `params` that a notification about a request needs.
    fn subject(method: &str) -> Option<&'static str> {
        match method {
            "notifications/cancelled" => Some("requestId"),
            "notifications/progress" => Some("progressToken"),
            _ => None,
        }
    }

    /// Checks the types of the metadata first, and then the type of what the method requires.
    fn meta_type(&mut self, method: &str, params: Option<&Object<'a>>, meta: Option<&Object<'a>>) {
        let Some(params) = params else { return };
        let mut wrong: Vec<_> = match (params.once("_meta"), meta) {
            (Some(not_an_object), None) => vec![not_an_object],
            (_, Some(meta)) => wrong(meta, META, META_TYPES),
            (None, None) => Vec::new(),
        };
        if wrong.is_empty() {
            wrong = match method {
                "notifications/cancelled" => self::wrong(params, &["requestId"], &["token"]),
                "notifications/progress" => self::wrong(params, &["progressToken"], &["token"]),
                "initialize" => self::wrong(
                    params,
                    &["protocolVersion", "capabilities", "clientInfo"],
                    &["string", "object", "object"],
                ),
                _ => return,
            };
        }
        if !wrong.is_empty() {
            let offsets = wrong.iter().map(|value| self.offset(value.get())).collect();
            self.broken.push(Broken { rule: "meta-type", offsets });
        }
    }

    fn result(&mut self, result: &Object<'a>) {
        self.duplicates(Some(result), RESULT);
        self.duplicates(result.object("_meta").as_ref(), META);
        if let (Some(meta), None) = (result.once("_meta"), result.object("_meta")) {
            self.say("meta-type", meta.get());
        }
        if let Some(meta) = result.object("_meta")
            && let [info] = wrong(&meta, &META[6..], &META_TYPES[6..])[..]
        {
            self.say("meta-type", info.get());
        }
        if self.revision < "2026-07-28" {
            return;
        }
        match result.once("resultType").map(|value| (value.get(), text(value))) {
            None if result.count("resultType") == 0 => {
                self.say("missing-result-type", result.text);
            }
            None => {}
            Some((at, None)) => self.say("meta-type", at),
            Some((at, Some(kind))) if !KINDS.contains(&&*kind) => {
                self.say("unknown-result-type", at);
            }
            Some(_) => {}
        }
    }

    fn error(&mut self, message: &Object<'a>) {
        let Some(code) = message.object("error").and_then(|error| error.once("code")) else {
            return;
        };
        let number = code.get().parse::<f64>().unwrap();
        // Three of the reserved codes are defined.
        let reserved = (-32099.0..=-32020.0).contains(&number) && number < -32022.0;
        if self.revision >= "2026-07-28" && (reserved || number == -32002.0) {
            self.say("error-code-forbidden", code.get());
        }
    }

    fn duplicates(&mut self, object: Option<&Object<'a>>, names: &[&str]) {
        if let Some(name) = object.and_then(|object| object.repeated(names)) {
            self.say("duplicate-nested-member", name);
        }
    }

    fn say(&mut self, rule: &'static str, at: &str) {
        let offsets = vec![self.offset(at)];
        self.broken.push(Broken { rule, offsets });
    }

    fn offset(&self, part: &str) -> usize {
        part.as_ptr().addr() - self.frame.as_ptr().addr()
    }
}

/// Returns the members of these names whose type is not the required one.
fn wrong<'a>(object: &Object<'a>, names: &[&str], types: &[&str]) -> Vec<&'a RawValue> {
    let typed = names.iter().zip(types);
    let wrong = |value: &&RawValue, wanted| {
        !is_of_type(&serde_json::from_str(value.get()).unwrap(), wanted)
    };
    typed.filter_map(|(name, wanted)| object.once(name).filter(|v| wrong(v, wanted))).collect()
}

fn text(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

/// Returns whether the value is a string, an object, or a token, which is a string or an integer.
pub fn is_of_type(value: &Value, wanted: &str) -> bool {
    match value {
        Value::String(_) => wanted != "object",
        Value::Object(_) => wanted == "object",
        Value::Number(number) => {
            wanted == "token" && number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        _ => false,
    }
}
