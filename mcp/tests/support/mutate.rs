//! MCP messages of both eras, and mutations of their members.

use serde_json::value::RawValue;

use super::dice::Dice;
use super::members::Members;

/// Realistic messages: calls, answers, and a batch.
pub const SEEDS: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true},"sampling":{},"elicitation":{}},"clientInfo":{"name":"desk","version":"1.4"}}}"#,
    r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"logging":{}},"serverInfo":{"name":"weather","version":"0.9"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"{"jsonrpc":"2.0","id":"1","method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"name":"not this","uri":"nor this","_meta":{}},"_meta":{"progressToken":7}}}"#,
    r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"42","_meta":{}}],"isError":true,"_meta":{"a":1}}}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","task":{"ttl":1},"_meta":{"progressToken":7}}}"#,
    r#"{"jsonrpc":"2.0","id":2,"result":{"task":{"taskId":"t","status":"working"}}}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"file:///a"}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1","reason":"late"}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t-1","progress":0.5,"total":1}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///a","_meta":{"io.modelcontextprotocol/subscriptionId":5}}}"#,
    r#"{"jsonrpc":"2.0","id":4,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":9}}"#,
    r#"{"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"no","data":{"_meta":{}}}}"#,
    r#"{"jsonrpc":"2.0","id":6,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}}"#,
    r#"{"jsonrpc":"2.0","id":6,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}}"#,
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"io.modelcontextprotocol/logLevel":"info","progressToken":"7"}}}"#,
    r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"requestState":"s"}}"#,
    r#"{"jsonrpc":"2.0","id":"7","result":{"resultType":"task","isError":false}}"#,
    r#"{"jsonrpc":"2.0","id":"8","result":{"resultType":"vendor","isError":false}}"#,
    r#"{"jsonrpc":"2.0","id":9,"error":{"code":-32042,"message":"no"}}"#,
    r#"{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"toolsListChanged":true,"_meta":{"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/protocolVersion":"2027-01-01"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}"#,
    r#"{"jsonrpc":"2.0","id":8,"method":"vendor/method","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    r#"[{"jsonrpc":"2.0","id":9,"method":"ping"},{"jsonrpc":"2.0","id":10,"method":"initialize","params":{}},{"jsonrpc":"2.0","method":"notifications/progress"},{"jsonrpc":"2.0","id":1,"result":{"_meta":{}}}]"#,
];

/// Names of members that have a meaning somewhere.
const NAMES: &[&str] = &[
    "name",
    "uri",
    "requestId",
    "protocolVersion",
    "capabilities",
    "progressToken",
    "_meta",
    "task",
    "clientInfo",
    "serverInfo",
    "resultType",
    "isError",
    "params",
    "method",
    "id",
    "result",
    "meta",
    "Name",
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/logLevel",
    "io.modelcontextprotocol/subscriptionId",
    "io.modelcontextprotocol/serverInfo",
    "io.modelcontextprotocol/Protocolversion",
];

/// Values of every type, and those that have a meaning somewhere.
const VALUES: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "-7",
    "1.0",
    "2.5",
    "1e2",
    "9007199254740993",
    "{}",
    "[]",
    "\"\"",
    "\"1\"",
    "\"\\u0031\"",
    "[\"name\",{\"name\":\"x\"}]",
    "{\"name\":\"y\",\"_meta\":{\"progressToken\":1}}",
    "{\"io.modelcontextprotocol/clientCapabilities\":{}}",
    "\"complete\"",
    "\"partial\"",
    "\"input\\u005frequired\"",
    "\"2025-03-26\"",
    "\"2026-07-28\"",
    "\"2026-07-29\"",
    "\"ping\"",
    "\"initialize\"",
    "\"tasks/get\"",
    "\"tools/call\"",
    "\"tools/list\"",
    "\"elicitation/create\"",
    "\"roots\\/list\"",
    "\"server/discover\"",
    "\"notifications/cancelled\"",
    "\"notifications/progress\"",
    "\"notifications/tasks/status\"",
    "\"notifications/initialized\"",
];

/// A value as it is written.
#[derive(Clone, Debug)]
enum Node {
    Text(String),
    Array(Vec<Node>),
    /// Names are kept with their quotes and escapes.
    Object(Vec<(String, Node)>),
}

impl Node {
    fn of(text: &str) -> Self {
        match text.as_bytes()[0] {
            b'[' => {
                let elements: Vec<&RawValue> = serde_json::from_str(text).unwrap();
                Self::Array(elements.iter().map(|element| Self::of(element.get())).collect())
            }
            b'{' => {
                let Members(members) = serde_json::from_str(text).unwrap();
                let members = members.iter();
                Self::Object(
                    members.map(|m| (m.name.get().to_owned(), Self::of(m.value.get()))).collect(),
                )
            }
            _ => Self::Text(text.to_owned()),
        }
    }

    fn write(&self, dice: &mut Dice, out: &mut String) {
        let space = |dice: &mut Dice, out: &mut String| {
            out.push_str(dice.pick(&["", "", "", "", "", "", " ", "\t ", "\r"]));
        };
        match self {
            Self::Text(text) => out.push_str(text),
            Self::Array(elements) => {
                out.push('[');
                for (at, element) in elements.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    space(dice, out);
                    element.write(dice, out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (at, (name, value)) in members.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    space(dice, out);
                    out.push_str(name);
                    space(dice, out);
                    out.push(':');
                    space(dice, out);
                    value.write(dice, out);
                    space(dice, out);
                }
                out.push('}');
            }
        }
    }

    /// Returns the containers directly inside it.
    fn containers(&mut self) -> Vec<&mut Self> {
        let mut children: Vec<&mut Self> = match self {
            Self::Text(_) => Vec::new(),
            Self::Array(elements) => elements.iter_mut().collect(),
            Self::Object(members) => members.iter_mut().map(|(_, value)| value).collect(),
        };
        children.retain(|child| !matches!(child, Self::Text(_)));
        children
    }

    /// Returns the container itself or one inside it: most often one or two levels down, where MCP begins.
    fn descend(&mut self, dice: &mut Dice) -> &mut Self {
        let below = self.containers().len();
        if below == 0 || dice.roll(8) < 2 {
            return self;
        }
        self.containers().swap_remove(dice.roll(below)).descend(dice)
    }

    fn mutate(&mut self, dice: &mut Dice) {
        match self {
            Self::Text(text) => *text = dice.pick(VALUES).to_owned(),
            Self::Array(elements) if elements.is_empty() => {
                elements.push(Self::of(dice.pick(VALUES)));
            }
            Self::Array(elements) => {
                let at = dice.roll(elements.len());
                match dice.roll(3) {
                    0 => drop(elements.remove(at)),
                    1 => elements.push(elements[at].clone()),
                    _ => elements[at].descend(dice).mutate(dice),
                }
            }
            Self::Object(members) => mutate_members(members, dice),
        }
    }
}

fn mutate_members(members: &mut Vec<(String, Node)>, dice: &mut Dice) {
    let insert = |members: &mut Vec<_>, dice: &mut Dice| {
        let member = (quoted(dice.pick(NAMES)), Node::of(dice.pick(VALUES)));
        members.insert(dice.roll(members.len() + 1), member);
    };
    if members.is_empty() {
        return insert(members, dice);
    }
    let (at, other) = (dice.roll(members.len()), dice.roll(members.len()));
    match dice.roll(10) {
        0 => members.swap(at, other),
        1 => members.rotate_left(at),
        2 => members.push(members[at].clone()),
        3 => members.insert(other, (members[at].0.clone(), Node::of(dice.pick(VALUES)))),
        4 => members[at].0 = quoted(dice.pick(NAMES)),
        5 => escape(&mut members[at].0, dice),
        6 => members[at].1 = Node::of(dice.pick(VALUES)),
        7 => insert(members, dice),
        8 => {
            let value = members[at].1.clone();
            members[at].1 = match dice.roll(2) {
                0 => Node::Array(vec![value]),
                _ => Node::Object(vec![(quoted(dice.pick(NAMES)), value)]),
            };
        }
        _ => drop(members.remove(at)),
    }
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

/// Writes one character of a name as an escape, unless one is already.
fn escape(name: &mut String, dice: &mut Dice) {
    if name.len() > 2 && !name.contains('\\') {
        let at = 1 + dice.roll(name.len() - 2);
        let escaped = match &name[at..=at] {
            "/" if dice.roll(2) == 0 => "\\/".to_owned(),
            character => format!("\\u{:04x}", character.as_bytes()[0]),
        };
        name.replace_range(at..=at, &escaped);
    }
}

/// Writes a message with up to four of its members moved, duplicated, renamed, respelled, wrapped, changed in type or
/// removed.
pub fn mutated(dice: &mut Dice, message: &mut String) {
    let mut node = Node::of(dice.pick(SEEDS));
    for _ in 0..dice.roll(5) {
        node.descend(dice).mutate(dice);
    }
    message.clear();
    node.write(dice, message);
}
