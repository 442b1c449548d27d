//! A short notation for the messages of a session, and for what the session reports on each.
//!
//! `>` marks messages of the client, and `<` messages of the server:
//!
//! | notation | message |
//! |---|---|
//! | `> 1 tools/call {"name":"a"}` | a request, with its id as it is written |
//! | `> notifications/initialized` | a notification |
//! | `< 1 = {"content":[]}` | a result |
//! | `< 1 ! -32601` | an error; without the id, an error that answers nothing |
//! | `> [{"id":1}]` | the text itself |

use tautline::Message;
use tautline::envelope::Batches;
use tautline_mcp::session::{Completion, Event, Session, Slot};
use tautline_mcp::{Finding, KnownMethod, Revision, Role, rule};

/// Short names for longer text in a message.
const SHORT: &[(&str, &str)] = &[
    ("$initialize", r#"{"protocolVersion":"2025-06-18","capabilities":$client,"clientInfo":{}}"#),
    ("$initialized", r#"{"protocolVersion":"2025-06-18","capabilities":$server,"serverInfo":{}}"#),
    ("$discovered", r#"{"resultType":"complete","capabilities":$server}"#),
    ("$complete", r#"{"resultType":"complete"}"#),
    (
        "$client",
        // On one line, since a conversation has one message per line.
        concat!(
            r#"{"roots":{"listChanged":true},"sampling":{},"elicitation":{"form":{},"url":{}},"#,
            r#""tasks":{"list":{},"cancel":{},"#,
            r#""requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}}}"#,
        ),
    ),
    (
        "$server",
        concat!(
            r#"{"tools":$changed,"prompts":$changed,"#,
            r#""resources":{"listChanged":true,"subscribe":true},"completions":{},"logging":{},"#,
            r#""tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}"#,
        ),
    ),
    ("$changed", r#"{"listChanged":true}"#),
    ("$meta", r#""_meta":{$modern}"#),
    ("$modern", r#""$version":"2026-07-28","$capabilities":{}"#),
    ("$version", "io.modelcontextprotocol/protocolVersion"),
    ("$capabilities", "io.modelcontextprotocol/clientCapabilities"),
    ("$info", "io.modelcontextprotocol/clientInfo"),
    ("$level", "io.modelcontextprotocol/logLevel"),
    ("$subscription", "io.modelcontextprotocol/subscriptionId"),
];

/// Opens a legacy session, with everything declared by both sides.
pub const HANDSHAKE: &str = "
    > 0 initialize $initialize
    < 0 = $initialized
    > notifications/initialized";

/// Opens a legacy session of this version, with these declarations of the two sides.
pub fn handshake(version: &str, client: &str, server: &str) -> String {
    format!(
        r#"
        > 0 initialize {{"protocolVersion":"{version}","capabilities":{client},"clientInfo":{{}}}}
        < 0 = {{"protocolVersion":"{version}","capabilities":{server},"serverInfo":{{}}}}
        > notifications/initialized"#
    )
}

/// Opens a modern session.
pub const DISCOVERY: &str = "
    > 0 server/discover {$meta}
    < 0 = $discovered";

pub type Watched = Session<Vec<Slot>>;

/// Creates a session that has not begun.
pub fn session(slots: usize) -> Watched {
    Session::new(vec![Slot::EMPTY; slots])
}

/// The reports of a session on a message.
#[derive(Debug)]
pub struct Seen {
    pub event: String,
    pub findings: Vec<Finding>,
}

impl Seen {
    /// Returns the names of the rules, in order.
    pub fn rules(&self) -> Vec<&'static str> {
        self.findings.iter().map(|finding| rule::name(finding.rule())).collect()
    }
}

/// Shows the session one message.
pub fn see(session: &mut Watched, notation: &str) -> Seen {
    let (from, frame) = frame(notation);
    let profile = Revision::V2025_11_25.profile().with_batches(Batches::Allowed);
    let message = Message::parse(frame.as_bytes(), &profile);
    let message = message.unwrap_or_else(|fault| panic!("{fault}: {frame}"));
    let mut findings = Vec::new();
    let event = session.observe(from, &message, |finding| findings.push(finding));
    Seen { event: event_text(&event), findings }
}

/// Opens a session and plays the conversation in it.
pub fn after(opening: &str, conversation: &str) -> Watched {
    let mut session = session(16);
    talk(&mut session, opening);
    talk(&mut session, conversation);
    session
}

/// Shows the session a conversation, one message per line, and compares its reports with the expected ones: `message
/// | event | findings`. Without findings there must be none; without an event it may be any.
pub fn talk(session: &mut Watched, conversation: &str) {
    for line in conversation.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut parts = line.split(" | ").map(str::trim);
        let seen = see(session, parts.next().unwrap());
        let event = parts.next().unwrap_or(&seen.event);
        let profile = parts.next().unwrap_or_default();
        assert_eq!(
            (seen.event.as_str(), seen.rules().join(", ").as_str()),
            (event, profile),
            "{line}"
        );
    }
}

/// Returns the message that the notation stands for, and its sender.
pub fn frame(notation: &str) -> (Role, String) {
    let (side, rest) = notation.split_once(' ').unwrap();
    let from = match side {
        ">" => Role::Client,
        "<" => Role::Server,
        _ => panic!("{notation}"),
    };
    let mut words = rest.splitn(3, ' ');
    let mut next = || words.next().unwrap_or_default();
    let frame = match (next(), next(), next()) {
        (text, ..) if text.starts_with(['[', '{']) => rest.to_owned(),
        (id, "=", result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
        (id, "!", code) => format!(r#"{{"jsonrpc":"2.0","id":{id},{}}}"#, error(code)),
        ("!", code, _) => format!(r#"{{"jsonrpc":"2.0",{}}}"#, error(code)),
        (id, method, params) if id.starts_with(['"', '-']) || id.starts_with(char::is_numeric) => {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"{}}}"#, member(params))
        }
        (method, ..) => {
            let params = rest.strip_prefix(method).unwrap_or_default();
            format!(r#"{{"jsonrpc":"2.0","method":"{method}"{}}}"#, member(params.trim()))
        }
    };
    (from, expand(frame))
}

/// Expands the short names. The longest name that matches wins.
fn expand(mut frame: String) -> String {
    while let Some(at) = frame.find('$') {
        let here = SHORT.iter().filter(|(name, _)| frame[at..].starts_with(name));
        let (name, text) = here.max_by_key(|(name, _)| name.len()).unwrap();
        frame.replace_range(at..at + name.len(), text);
    }
    frame
}

fn error(code: &str) -> String {
    format!(r#""error":{{"code":{code},"message":"no"}}"#)
}

fn member(params: &str) -> String {
    if params.is_empty() { String::new() } else { format!(r#","params":{params}"#) }
}

fn event_text(event: &Event<'_>) -> String {
    let name = |method: &Option<KnownMethod>| method.map_or("?", KnownMethod::name);
    match event {
        Event::Request => "request".into(),
        Event::Refused(refusal) => {
            format!("refused {} {}", refusal.code().value(), rule::name(refusal.rule()))
        }
        Event::Notification => "notification".into(),
        Event::Cancelled { method, .. } => format!("cancelled {}", name(method)),
        Event::Response { method, completion, late, .. } => {
            let late = if *late { "late " } else { "" };
            let completion = match completion {
                Completion::Done => "done".into(),
                Completion::ToolFailed => "tool failed".into(),
                Completion::InputRequired => "input required".into(),
                Completion::TaskCreated => "task created".into(),
                Completion::Invalid => "invalid".into(),
                Completion::Failed(code) => {
                    code.map_or("failed".into(), |code| format!("failed {}", code.value()))
                }
                other => panic!("{other:?}"),
            };
            format!("{late}{completion}: {}", name(method))
        }
        Event::Ignored(rule) => format!("ignored: {}", rule::name(*rule)),
        Event::Untracked => "untracked".into(),
        Event::Unmatched => "unmatched".into(),
        Event::Batch => "batch".into(),
        other => panic!("{other:?}"),
    }
}
