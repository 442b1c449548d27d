//! Dialogues, and what is found in them: `tests/data/dialogues.txt`.

use std::fmt;

use serde_json::{Deserializer, Map, Value, json};
use tautline::frame::Frame;
use tautline::json::Path;
use tautline::{Envelope, Message, RawJson, Rule, Severity};
use tautline_mcp::conversation::Conversation;
use tautline_mcp::session::{Event, Heap, Session};
use tautline_mcp::{Era, Finding, Revision, Role, rule};

/// A dialogue that breaks a requirement, or keeps it.
#[derive(Debug)]
pub struct Dialogue {
    pub id: String,
    pub revision: Revision,
    /// The line of its head.
    pub line: usize,
    steps: Vec<Step>,
}

#[derive(Debug)]
struct Step {
    line: usize,
    action: Action,
    /// The errors and warnings, each as the rule and the path.
    expected: Vec<String>,
    /// Some of the notes.
    notes: Vec<String>,
}

#[derive(Debug)]
enum Action {
    Send(Vec<(Role, Vec<u8>)>),
    /// The session ends.
    End,
}

/// Returns the dialogues in a text.
pub fn read(text: &str) -> Vec<Dialogue> {
    let mut dialogues: Vec<Dialogue> = Vec::new();
    let mut writer = Writer::default();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.is_empty()) {
        if text.starts_with("//") {
            continue;
        }
        if let Some(head) = text.strip_prefix("# ") {
            let (id, revision) = head.split_once(' ').unwrap_or_else(|| panic!("line {line}"));
            let revision = revision.parse().unwrap_or_else(|_| panic!("line {line}: {revision}"));
            writer = Writer { revision: Some(revision), ..Writer::default() };
            dialogues.push(Dialogue { id: id.to_owned(), revision, line, steps: Vec::new() });
            continue;
        }
        let dialogue = dialogues.last_mut().unwrap_or_else(|| panic!("line {line}: no head"));
        if let Some(expected) = text.strip_prefix("! ") {
            let step = dialogue.steps.last_mut().unwrap_or_else(|| panic!("line {line}: no frame"));
            step.expected.push(expected.trim().to_owned());
            continue;
        }
        if let Some(note) = text.strip_prefix("? ") {
            let step = dialogue.steps.last_mut().unwrap_or_else(|| panic!("line {line}: no frame"));
            step.notes.push(note.trim().to_owned());
            continue;
        }
        let action = match text {
            "end" => Action::End,
            _ => {
                let frames = writer.frames(text).unwrap_or_else(|| panic!("line {line}: {text}"));
                Action::Send(frames)
            }
        };
        dialogue.steps.push(Step { line, action, expected: Vec::new(), notes: Vec::new() });
    }
    dialogues
}

/// Writes the frames that a line stands for.
#[derive(Default)]
struct Writer {
    revision: Option<Revision>,
    /// The capabilities of the client.
    capabilities: Value,
}

impl Writer {
    fn frames(&mut self, line: &str) -> Option<Vec<(Role, Vec<u8>)>> {
        if let Some(rest) = line.strip_prefix("open") {
            return self.open(rest);
        }
        let (from, rest) = line.split_once(' ')?;
        let from = match from {
            "C" => Role::Client,
            "S" => Role::Server,
            _ => return None,
        };
        let (kind, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let frame = match kind {
            "raw" => return Some(vec![(from, unescape(rest))]),
            "request" => {
                let (id, rest) = first_value(rest)?;
                let (method, params) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
                let mut frame = json!({"jsonrpc": "2.0", "id": id, "method": method});
                if let Some(params) = self.params(from, params) {
                    frame["params"] = params;
                }
                frame
            }
            "notify" => {
                let (method, params) = rest.split_once(' ').unwrap_or((rest, ""));
                let mut frame = json!({"jsonrpc": "2.0", "method": method});
                if let Some((params, _)) = first_value(params) {
                    frame["params"] = params;
                }
                frame
            }
            "result" => {
                let (id, rest) = first_value(rest)?;
                let (mut result, _) = first_value(rest)?;
                if let Some(result) = result.as_object_mut().filter(|_| self.is_modern()) {
                    result.entry("resultType").or_insert_with(|| json!("complete"));
                }
                json!({"jsonrpc": "2.0", "id": id, "result": result})
            }
            "error" => {
                let (id, rest) = first_value(rest)?;
                let (code, rest) = first_value(rest)?;
                let mut frame =
                    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": "m"}});
                if let Some((data, _)) = first_value(rest) {
                    frame["error"]["data"] = data;
                }
                frame
            }
            _ => return None,
        };
        Some(vec![(from, frame.to_string().into_bytes())])
    }

    fn is_modern(&self) -> bool {
        self.revision.is_some_and(|revision| revision.era() == Era::Modern)
    }

    /// Returns the params of a request, with the metadata that every request of a modern client has.
    fn params(&self, from: Role, text: &str) -> Option<Value> {
        let mut params = first_value(text).map(|(params, _)| params);
        if self.is_modern() && from == Role::Client {
            let object = params.get_or_insert_with(|| json!({})).as_object_mut();
            let meta = object.map(|object| object.entry("_meta").or_insert_with(|| json!({})));
            if let Some(meta) = meta.and_then(Value::as_object_mut) {
                self.add_metadata(meta);
            }
        }
        params
    }

    /// Adds the metadata that is missing. A member that is null is left out.
    fn add_metadata(&self, meta: &mut Map<String, Value>) {
        let capabilities = match &self.capabilities {
            Value::Null => json!({}),
            capabilities => capabilities.clone(),
        };
        let defaults = [
            ("protocolVersion", json!(self.revision.map(Revision::name))),
            ("clientCapabilities", capabilities),
        ];
        for (name, value) in defaults {
            let name = format!("io.modelcontextprotocol/{name}");
            if meta.get(&name) == Some(&Value::Null) {
                meta.remove(&name);
            } else {
                meta.entry(name).or_insert(value);
            }
        }
    }

    /// Writes the messages that open a session, with the capabilities of both sides.
    fn open(&mut self, text: &str) -> Option<Vec<(Role, Vec<u8>)>> {
        let (client, rest) = first_value(text).unwrap_or((json!({}), ""));
        let (server, _) = first_value(rest).unwrap_or((json!({}), ""));
        self.capabilities = client.clone();
        let version = self.revision?.name();
        let info = json!({"name": "n", "version": "1"});
        let frames = if self.is_modern() {
            let mut meta = Map::new();
            self.add_metadata(&mut meta);
            vec![
                (
                    Role::Client,
                    json!({"jsonrpc": "2.0", "id": "open", "method": "server/discover",
                        "params": {"_meta": meta}}),
                ),
                (
                    Role::Server,
                    json!({"jsonrpc": "2.0", "id": "open", "result": {"resultType": "complete",
                        "supportedVersions": [version], "capabilities": server, "serverInfo": info,
                        "ttlMs": 0, "cacheScope": "private"}}),
                ),
            ]
        } else {
            vec![
                (
                    Role::Client,
                    json!({"jsonrpc": "2.0", "id": "open", "method": "initialize", "params":
                        {"protocolVersion": version, "capabilities": client, "clientInfo": info}}),
                ),
                (
                    Role::Server,
                    json!({"jsonrpc": "2.0", "id": "open", "result":
                        {"protocolVersion": version, "capabilities": server, "serverInfo": info}}),
                ),
                (Role::Client, json!({"jsonrpc": "2.0", "method": "notifications/initialized"})),
            ]
        };
        Some(
            frames
                .into_iter()
                .map(|(from, frame)| (from, frame.to_string().into_bytes()))
                .collect(),
        )
    }
}

/// Parses the first JSON value of a text, and returns it with the rest.
fn first_value(text: &str) -> Option<(Value, &str)> {
    let mut values = Deserializer::from_str(text).into_iter();
    let value = values.next()?.ok()?;
    let end = values.byte_offset();
    Some((value, &text[end..]))
}

/// Replaces `<CR>` and `<FF>` by bytes that a line of the file cannot contain.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, part) in text.split("<FF>").enumerate() {
        if number > 0 {
            bytes.push(0xFF);
        }
        bytes.extend_from_slice(part.replace("<CR>", "\r").as_bytes());
    }
    bytes
}

impl Dialogue {
    /// Returns the profile that are expected to be broken.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        let expected = self.steps.iter().flat_map(|step| step.expected.iter().chain(&step.notes));
        expected.map(|line| line.split(' ').next().unwrap())
    }

    /// Runs the dialogue, and compares what is found in each frame.
    pub fn check(&self) {
        let mut session = Session::new(Heap::new());
        let mut conversation = Conversation::new();
        for step in &self.steps {
            let mut found = Found::default();
            match &step.action {
                Action::Send(frames) => {
                    for (from, frame) in frames {
                        found.seen.clear();
                        self.observe(*from, frame, &mut session, &mut conversation, &mut found);
                    }
                }
                Action::End => {
                    session.end(|_, finding| {
                        found.expected.push(rule::name(finding.rule()).to_owned())
                    });
                    conversation.finish(|finding| {
                        let (_, method) = finding.expected().unwrap().message().unwrap();
                        let rule = rule::name(finding.rule());
                        found.expected.push(format!("{rule} {}", method.name()));
                    });
                }
            }
            found.expected.sort();
            let mut expected = step.expected.clone();
            expected.sort();
            let place = format!("line {}, {}", step.line, self.id);
            assert_eq!(found.expected, expected, "{place}: {}", step.action);
            for note in &step.notes {
                assert!(
                    found.notes.contains(note),
                    "{place}: {note} is not among {:?}",
                    found.notes
                );
            }
        }
    }

    fn observe(
        &self,
        from: Role,
        frame: &[u8],
        session: &mut Session<Heap>,
        conversation: &mut Conversation,
        found: &mut Found,
    ) {
        let profile = self.revision.profile();
        let envelope = Envelope::read(Frame::from_line(frame), &profile);
        envelope.findings(|finding| found.add(frame, finding.into()));
        let Ok(message) = Message::parse(Frame::from_line(frame), &profile) else { return };
        let mut of_session = Vec::new();
        let event = session.observe(from, &message, |finding| of_session.push(finding));
        conversation.observe(from, &message, self.revision, &session.pairing(), |finding| {
            found.add(frame, finding);
        });
        // The session knows which extensions may have results of their own type.
        let knows_kind = matches!(event, Event::Response { .. });
        self.revision.findings(&message, |finding| {
            if !(knows_kind && finding.rule() == rule::UNKNOWN_RESULT_TYPE) {
                found.add(frame, finding);
            }
        });
        of_session.into_iter().for_each(|finding| found.add(frame, finding));
        for name in RawJson::parse(frame).map(|frame| frame.repeated_names()).unwrap_or_default() {
            let (rule, offset) = (Rule::DUPLICATE_INNER_MEMBER, name.offset());
            // A member with a meaning has a rule of its own.
            if !found.seen.contains(&(Rule::DUPLICATE_NESTED_MEMBER, offset)) {
                found.push(frame, rule, rule::severity(rule), offset);
            }
        }
    }
}

/// The findings of one step.
#[derive(Default)]
struct Found {
    /// The rule and the offset of each finding in the frame, so that each is reported only once.
    seen: Vec<(Rule, u32)>,
    expected: Vec<String>,
    notes: Vec<String>,
}

impl Found {
    fn add(&mut self, frame: &[u8], finding: Finding) {
        self.push(frame, finding.rule(), finding.severity(), finding.offset().unwrap());
    }

    fn push(&mut self, frame: &[u8], rule: Rule, severity: Severity, offset: u32) {
        if self.seen.contains(&(rule, offset)) {
            return;
        }
        self.seen.push((rule, offset));
        let path = Path::at(frame, offset);
        let list = match severity {
            Severity::Note => &mut self.notes,
            Severity::Warning | Severity::Error => &mut self.expected,
        };
        list.push(format!("{} {path}", rule::name(rule)).trim_end().to_owned());
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::End => write!(f, "the end"),
            Self::Send(frames) => frames
                .iter()
                .try_for_each(|(_, frame)| writeln!(f, "{}", String::from_utf8_lossy(frame))),
        }
    }
}
