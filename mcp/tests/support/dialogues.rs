//! Dialogues that break requirements, or keep them: a reader of `tests/data/dialogues.txt`, which explains the format.

use std::fmt;

use serde_json::{Deserializer, Map, Value, json};
use tautline_mcp::{Era, Revision, Role};

/// The text of the dialogues.
pub const DIALOGUES: &str = include_str!("../data/dialogues.txt");

/// A dialogue that breaks a requirement, or keeps it.
#[derive(Debug)]
pub struct Dialogue<'text> {
    pub id: &'text str,
    pub revision: Revision,
    /// The line of its head.
    pub line: usize,
    /// The lines after the head that are not empty, each with its number.
    lines: Vec<(usize, &'text str)>,
}

#[derive(Debug)]
pub struct Step {
    pub line: usize,
    pub action: Action,
    /// The errors and warnings, each as the rule and the path.
    pub expected: Vec<String>,
    /// Some of the notes.
    pub notes: Vec<String>,
}

#[derive(Debug)]
pub enum Action {
    Send(Vec<(Role, Vec<u8>)>),
    /// The session ends.
    End,
}

/// Returns the dialogues in a text.
pub fn read(text: &str) -> Vec<Dialogue<'_>> {
    let mut dialogues: Vec<Dialogue<'_>> = Vec::new();
    let is_comment = |text: &str| text.is_empty() || text.starts_with("//");
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !is_comment(text)) {
        if let Some(head) = text.strip_prefix("# ") {
            let (id, revision) = head.split_once(' ').unwrap_or_else(|| panic!("line {line}"));
            let revision = revision.parse().unwrap_or_else(|_| panic!("line {line}: {revision}"));
            dialogues.push(Dialogue { id, revision, line, lines: Vec::new() });
            continue;
        }
        let dialogue = dialogues.last_mut().unwrap_or_else(|| panic!("line {line}: no head"));
        dialogue.lines.push((line, text));
    }
    dialogues
}

impl Dialogue<'_> {
    /// Returns the steps of the dialogue as it would be in a revision, which need not be its own.
    pub fn steps_in(&self, revision: Revision) -> Vec<Step> {
        let mut writer = Writer { revision, capabilities: Value::Null };
        let mut steps: Vec<Step> = Vec::new();
        for &(line, text) in &self.lines {
            let last = || panic!("line {line}: no frame");
            if let Some(expected) = text.strip_prefix("! ") {
                steps.last_mut().unwrap_or_else(last).expected.push(expected.trim().to_owned());
                continue;
            }
            if let Some(note) = text.strip_prefix("? ") {
                steps.last_mut().unwrap_or_else(last).notes.push(note.trim().to_owned());
                continue;
            }
            let text = text.replace(self.revision.name(), revision.name());
            let action = match text.as_str() {
                "end" => Action::End,
                _ => {
                    let frames = writer.frames(&text);
                    Action::Send(frames.unwrap_or_else(|| panic!("line {line}: {text}")))
                }
            };
            steps.push(Step { line, action, expected: Vec::new(), notes: Vec::new() });
        }
        steps
    }

    /// Returns the rules that are expected to be broken.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        let expected = self.lines.iter().filter(|(_, text)| text.starts_with(['!', '?']));
        expected.filter_map(|(_, text)| text.split(' ').nth(1))
    }
}

/// Writes the frames that a line stands for.
struct Writer {
    revision: Revision,
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
        self.revision.era() == Era::Modern
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
            ("protocolVersion", json!(self.revision.name())),
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
        let version = self.revision.name();
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
