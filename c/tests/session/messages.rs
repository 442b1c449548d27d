//! Random messages of both sides and eras, valid or not.

use tautline_mcp::{KnownMethod, Role};

use crate::ROOM;
use crate::dice::Dice;

/// A text of a message, valid or not, of either side.
pub(crate) fn line(dice: &mut Dice) -> String {
    const IDS: &[&str] = &[
        "1",
        "2",
        "3",
        "1.0",
        "\"1\"",
        "\"a\"",
        "\"\\u0061\"",
        "\"b\\\"c\"",
        "7e0",
        "null",
        "\"a very long id that does not fit into the text of a slot, which has 64 bytes of it\"",
    ];
    const CAPABILITIES: &[&str] = &[
        "{}",
        r#"{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{},"tasks":{"requests":{"tools":{"call":{}}}}}"#,
        r#"{"roots":{"listChanged":true},"sampling":{},"elicitation":{"url":{}}}"#,
        r#"{"extensions":{"io.modelcontextprotocol/tasks":{}},"prompts":{}}"#,
        r#"{"extensions":{"com.example/x":{}}}"#,
        "5",
    ];
    const VERSIONS: &[&str] = &[
        "\"2024-11-05\"",
        "\"2025-03-26\"",
        "\"2025-06-18\"",
        "\"2025-11-25\"",
        "\"2026-07-28\"",
        "\"1900-01-01\"",
        "\"2025\\u002d11-25\"",
        "5",
    ];
    let id = dice.pick(IDS).to_owned();
    let version = match dice.roll(2) {
        0 => dice.pick(&["\"2025-11-25\"", "\"2025-06-18\""]),
        _ => dice.pick(VERSIONS),
    }
    .to_owned();
    let capabilities = dice.pick(CAPABILITIES).to_owned();
    let token = match dice.roll(3) {
        0 => format!(r#""progressToken":{},"#, dice.pick(IDS)),
        _ => String::new(),
    };
    let modern_version = match dice.roll(4) {
        0 => version.clone(),
        _ => "\"2026-07-28\"".to_owned(),
    };
    let modern = format!(
        r#""io.modelcontextprotocol/protocolVersion":{modern_version},"io.modelcontextprotocol/clientCapabilities":{capabilities}"#
    );
    let own_meta = match dice.roll(8) {
        0 | 1 => format!(r#""_meta":{{{token}"x":1}}"#),
        2..=4 => format!(r#""_meta":{{{token}{modern}}}"#),
        5 => format!(r#""_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}"#),
        6 => r#""_meta":{"io.modelcontextprotocol/logLevel":"info"}"#.to_owned(),
        _ => r#""y":1"#.to_owned(),
    };
    let of_method = match dice.roll(9) {
        0 => r#""name":"t\u00e4st","arguments":{"a":{"b":[1]}},"#.to_owned(),
        1 => r#""name":"a","name":"b","arguments":{},"#.to_owned(),
        2 => r#""uri":"file:///a","arguments":[1],"#.to_owned(),
        3 => format!(r#""requestId":{},"#, dice.pick(IDS)),
        4 => format!(r#""progressToken":{},"progress":1,"#, dice.pick(IDS)),
        5 => r#""task":{"ttl":1},"name":"a","#.to_owned(),
        _ => String::new(),
    };
    let declares = format!(r#""protocolVersion":{version},"capabilities":{capabilities},"#);
    let declares = if dice.roll(8) == 0 { String::new() } else { declares };
    let params = match dice.roll(10) {
        0 => String::new(),
        1 => r#","params":{}"#.to_owned(),
        _ => format!(r#","params":{{{of_method}{own_meta}}}"#),
    };
    let rest = match dice.roll(12) {
        0 => r#","z":1"#,
        _ => "",
    };
    match dice.roll(40) {
        0..=4 => format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{{declares}"clientInfo":{{}}{}}}{rest}}}"#,
            if dice.roll(6) == 0 { format!(",{own_meta}") } else { String::new() },
        ),
        5 => format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"server/discover","params":{{{own_meta}}}}}"#
        ),
        6 | 7 => r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
        8..=17 => {
            let name = KnownMethod::ALL[dice.roll(KnownMethod::ALL.len())].name();
            let name = match dice.roll(8) {
                0 => "no/such".to_owned(),
                1 => name.replacen('/', r"\/", 1),
                _ => name.to_owned(),
            };
            let id = match dice.roll(12) {
                0 => String::new(),
                _ if name.starts_with("notif") && dice.roll(8) != 0 => String::new(),
                _ => format!(r#""id":{id},"#),
            };
            format!(r#"{{"jsonrpc":"2.0",{id}"method":"{name}"{params}{rest}}}"#)
        }
        18..=21 => format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{}"{params}}}"#,
            dice.pick(&["tools/call", "tools/list", "ping", "subscriptions/listen"])
        ),
        22 | 23 => format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        ),
        24..=28 => {
            let kind = dice.pick(&[
                "",
                "",
                r#","resultType":"complete""#,
                r#","resultType":"input_required""#,
                r#","resultType":"task""#,
                r#","resultType":"x""#,
                r#","resultType":5"#,
                r#","task":{}"#,
                r#","isError":true"#,
            ]);
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{{declares}"a":1{kind}}}{rest}}}"#)
        }
        29..=31 => {
            let code = dice.pick(&[
                "-32601",
                "-32022",
                "-32021",
                "1",
                "1e2",
                "123456789012345678901234567890",
            ]);
            let id = if dice.roll(5) == 0 { String::new() } else { format!(r#""id":{id},"#) };
            format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":{code},"message":"m","data":[1]}}}}"#)
        }
        32 => format!(r#"{{"jsonrpc":"2.0","id":{id},"method":5}}"#),
        33 => format!(r#"{{"jsonrpc":"1.0","id":{id},"method":"a"}}"#),
        34 => "not json".to_owned(),
        35 => format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"a":"{}"}}}}"#,
            "x".repeat(ROOM)
        ),
        _ => {
            let name = if dice.roll(2) == 0 { "tools/list" } else { "tools/call" };
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"{name}","params":{{{of_method}{own_meta}}}}}"#
            )
        }
    }
}

/// A response with this id.
pub(crate) fn response(dice: &mut Dice, id: &str) -> String {
    let outcome = dice.pick(&[
        r#""result":{}"#,
        r#""result":{"resultType":"complete"}"#,
        r#""result":{"resultType":"complete","capabilities":{"tools":{}}}"#,
        r#""result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{}}"#,
        r#""result":{"isError":true,"resultType":"complete"}"#,
        r#""result":{"resultType":"task"}"#,
        r#""result":{"resultType":"input_required"}"#,
        r#""result":{"resultType":"of an extension"}"#,
        r#""result":{"task":{}}"#,
        r#""error":{"code":-32603,"message":"m"}"#,
        r#""error":{"code":-32022,"message":"m"}"#,
    ]);
    format!(r#"{{"jsonrpc":"2.0","id":{id},{outcome}}}"#)
}

/// A notification that cancels the request with this id.
pub(crate) fn cancellation(id: &str) -> String {
    let params = format!(r#"{{"requestId":{id}}}"#);
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{params}}}"#)
}

/// The messages that open a session of either era.
pub(crate) const OPENINGS: [&[(Role, &str)]; 2] = [
    &[
        (
            Role::Client,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{},"sampling":{}},"clientInfo":{}}}"#,
        ),
        (
            Role::Server,
            r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},"serverInfo":{}}}"#,
        ),
        (Role::Client, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
    ],
    &[
        (
            Role::Client,
            r#"{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
        ),
        (
            Role::Server,
            r#"{"jsonrpc":"2.0","id":0,"result":{"resultType":"complete","capabilities":{"tools":{}}}}"#,
        ),
    ],
];

/// A line, or a batch of lines.
pub(crate) fn frame(dice: &mut Dice) -> String {
    if dice.roll(12) != 0 {
        return line(dice);
    }
    let elements: Vec<String> =
        (0..=dice.roll(3)).map(|_| line(dice)).filter(|line| line.len() < 300).collect();
    format!(" [{}]", elements.join(", "))
}
