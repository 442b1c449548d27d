//! Tests what conversations forget, how much they keep, and that no input makes them panic. The dialogues of
//! `tests/it/requirements` show their findings.

use tautline::{Message, Rule};
use tautline_mcp::conversation::Conversation;
use tautline_mcp::session::{Heap, Session};
use tautline_mcp::{Revision, Role, rule};

use crate::support::allocator::measure;
use crate::support::checks::conversation as check;
use crate::support::dice::Dice;
use crate::support::mutate;
use crate::support::volume::volume;

/// A conversation, and the session that knows which request each message is about.
struct Talk {
    session: Session<Heap>,
    conversation: Conversation,
}

impl Talk {
    fn new() -> Self {
        Self { session: Session::new(Heap::new()), conversation: Conversation::new() }
    }

    fn joined() -> Self {
        Self { conversation: Conversation::joined(), ..Self::new() }
    }
}

/// Observes a frame of each side in turn, and returns the rules that are broken.
fn observe(talk: &mut Talk, revision: Revision, from: Role, frame: &str) -> Vec<Rule> {
    let Talk { session, conversation } = talk;
    let message = Message::parse(frame.as_bytes(), &revision.profile()).unwrap();
    let mut found = Vec::new();
    session.observe(from, &message, |_| {});
    conversation.observe(from, &message, revision, &session.pairing(), |finding| {
        found.push(finding.rule());
    });
    found
}

const CURSOR: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"c"}}"#;
const LOG: &str =
    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#;

#[test]
fn what_may_have_been_told_before_is_not_judged() {
    let (old, new) = (Revision::V2025_11_25, Revision::V2026_07_28);
    let cases = [
        (old, Role::Client, CURSOR, rule::CURSOR_UNKNOWN),
        (new, Role::Server, LOG, rule::LOG_NOT_REQUESTED),
    ];
    for (revision, from, frame, rule) in cases {
        assert_eq!(observe(&mut Talk::new(), revision, from, frame), [rule]);
        assert_eq!(observe(&mut Talk::joined(), revision, from, frame), []);
    }
    // A handshake is the beginning of a session.
    let mut talk = Talk::joined();
    let initialize = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    assert_eq!(observe(&mut talk, old, Role::Client, initialize), []);
    assert_eq!(observe(&mut talk, old, Role::Client, CURSOR), [rule::CURSOR_UNKNOWN]);
}

#[test]
fn sides_and_sessions_have_ids_of_their_own() {
    let revision = Revision::V2025_11_25;
    let mut talk = Talk::new();
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#;
    let roots = r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#;
    assert_eq!(observe(&mut talk, revision, Role::Client, call), []);
    assert_eq!(observe(&mut talk, revision, Role::Server, roots), []);
    let roots = r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#;
    assert_eq!(observe(&mut talk, revision, Role::Server, roots), [rule::MISSING_MEMBER]);
    assert_eq!(observe(&mut talk, revision, Role::Client, roots), []);
    // Each request is answered once.
    assert_eq!(
        observe(&mut talk, revision, Role::Server, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"),
        []
    );
}

#[test]
fn ids_are_equal_whatever_their_spelling() {
    let revision = Revision::V2025_11_25;
    let long = "i".repeat(5000);
    let spellings = [
        (r#""a""#.to_owned(), r#""\u0061""#.to_owned()),
        ("1.0".to_owned(), "1".to_owned()),
        (format!("\"{long}\""), format!("\"{long}\"")),
    ];
    for (asked, answered) in spellings {
        let mut talk = Talk::new();
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":{asked},"method":"prompts/get","params":{{"name":"p"}}}}"#
        );
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{answered},"result":{{}}}}"#);
        observe(&mut talk, revision, Role::Client, &call);
        let found = observe(&mut talk, revision, Role::Server, &answer);
        assert_eq!(found, [rule::MISSING_MEMBER], "{asked}");
    }
}

/// If the sides keep sending new names, a conversation forgets facts instead of growing.
#[test]
fn memory_has_a_bound() {
    let padding = "x".repeat(300);
    let meta = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}"#;
    let frames = |number: u32| {
        let id = format!("{padding}{number}");
        [
            (
                Role::Client,
                format!(
                    r#"{{"jsonrpc":"2.0","id":"{id}","method":"tools/call","params":{{"name":"{id}","_meta":{{"progressToken":"{id}",{meta}}}}}}}"#
                ),
            ),
            (
                Role::Client,
                format!(
                    r#"{{"jsonrpc":"2.0","id":"l{id}","method":"subscriptions/listen","params":{{"notifications":{{"resourceSubscriptions":["{id}","{number}"]}},"_meta":{{{meta}}}}}}}"#
                ),
            ),
            (
                Role::Client,
                format!(
                    r#"{{"jsonrpc":"2.0","id":"c","method":"tools/list","params":{{"_meta":{{{meta}}}}}}}"#
                ),
            ),
            (
                Role::Server,
                format!(
                    r#"{{"jsonrpc":"2.0","id":"c","result":{{"resultType":"complete","tools":[{{"name":"{id}","outputSchema":{{}},"inputSchema":{{"properties":{{"{id}":{{"type":"integer","x-mcp-header":"H"}}}}}}}}],"nextCursor":"{id}"}}}}"#
                ),
            ),
            (
                Role::Server,
                format!(
                    r#"{{"jsonrpc":"2.0","id":"t","method":"elicitation/create","params":{{"elicitationId":"{id}"}}}}"#
                ),
            ),
            (
                Role::Client,
                format!(
                    r#"{{"jsonrpc":"2.0","id":"r","method":"tools/call","params":{{"name":"{id}","_meta":{{{meta}}}}}}}"#
                ),
            ),
            (
                Role::Server,
                format!(
                    r#"{{"jsonrpc":"2.0","id":"r","result":{{"resultType":"input_required","inputRequests":{{"{id}":{{"method":"roots/list"}}}},"requestState":"{id}"}}}}"#
                ),
            ),
            (
                Role::Client,
                format!(
                    r#"{{"jsonrpc":"2.0","id":"t","method":"tasks/get","params":{{"taskId":"{id}"}}}}"#
                ),
            ),
            (
                Role::Server,
                format!(
                    r#"{{"jsonrpc":"2.0","id":"t","result":{{"taskId":"{id}","status":"working"}}}}"#
                ),
            ),
        ]
    };
    let (talk, heap) = measure(|| {
        let mut talk = Talk::new();
        for number in 0..30_000 {
            for (from, frame) in frames(number) {
                let revision = match from {
                    _ if frame.contains("\"id\":\"t\"") => Revision::V2025_11_25,
                    _ => Revision::V2026_07_28,
                };
                observe(&mut talk, revision, from, &frame);
            }
        }
        talk
    });
    assert!(heap.held < 40 << 20, "{heap:?}");
    // A fact that did not fit is not reported as unknown.
    let mut talk = talk;
    assert_eq!(observe(&mut talk, Revision::V2025_11_25, Role::Client, CURSOR), []);
}

/// A list without an end is not kept.
#[test]
fn a_listing_has_a_bound() {
    let revision = Revision::V2025_11_25;
    let padding = "x".repeat(300);
    let (_, heap) = measure(|| {
        let mut talk = Talk::new();
        let mut cursor = String::new();
        for page in 0..300 {
            let call = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{{{cursor}}}}}"#
            );
            let prompts =
                (0..200).map(|prompt| format!(r#"{{"name":"{padding}{page}.{prompt}"}}"#));
            let prompts = prompts.collect::<Vec<_>>().join(",");
            let answer = format!(
                r#"{{"jsonrpc":"2.0","id":1,"result":{{"prompts":[{prompts}],"nextCursor":"{page}"}}}}"#
            );
            assert_eq!(observe(&mut talk, revision, Role::Client, &call), []);
            assert_eq!(observe(&mut talk, revision, Role::Server, &answer), []);
            cursor = format!(r#""cursor":"{page}""#);
        }
        talk
    });
    assert!(heap.held < 1 << 20, "{heap:?}");
}

/// A message may cross one that the other side has sent before.
#[test]
fn messages_that_cross_are_not_blamed() {
    let revision = Revision::V2026_07_28;
    let call = |id: u32, method: &str, params: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{{"name":"c","version":"1"}},"io.modelcontextprotocol/clientCapabilities":{{}},"progressToken":{id}}}}}}}"#
        )
    };
    let error = |id: u32, code: i32| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"m","data":{{"supported":["2027-01-01"],"requested":"2026-07-28"}}}}}}"#
        )
    };
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let progress = |number: u32| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":1,"progress":{number}}}}}"#
        )
    };
    let (client, server) = (Role::Client, Role::Server);
    let discover = |id| (client, call(id, "server/discover", ""), None);
    // Another request was already under way when the version was refused.
    let crossing = vec![discover(1), discover(2), (server, error(1, -32022), None), discover(3)];
    let stale = Some(rule::VERSION_NOT_OFFERED);
    let waiting = vec![
        discover(1),
        (server, error(1, -32022), None),
        (client, call(2, "server/discover", ""), stale),
    ];
    // Only an answer to a later request shows that the server has read the cancellation.
    let tool = r#""name":"t","#;
    let cancelled = |end: Option<Rule>| {
        vec![
            discover(0),
            (client, call(1, "tools/call", tool), None),
            (client, call(2, "tools/call", tool), None),
            (client, cancel.to_owned(), None),
            (server, error(2, -32603), None),
            (server, progress(1), None),
            (client, call(3, "tools/call", tool), None),
            (server, error(3, -32603), None),
            (server, progress(2), end),
        ]
    };
    let late = Some(rule::NOTIFICATION_AFTER_CANCEL);
    for (is_http, dialogue) in
        [(false, crossing), (false, waiting), (false, cancelled(late)), (true, cancelled(None))]
    {
        let mut talk = Talk::new();
        if is_http {
            talk.conversation.set_http();
        }
        for (from, frame, expected) in dialogue {
            let found = observe(&mut talk, revision, from, &frame);
            assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{frame}");
        }
    }
}

/// A change counts as unannounced only if its owner has since answered another request.
#[test]
fn what_is_due_at_the_end_was_not_sent_for_sure() {
    let omissions = |frames: &[(Role, &str)]| {
        let mut talk = Talk::new();
        for (from, frame) in frames {
            observe(&mut talk, Revision::V2025_11_25, *from, frame);
        }
        let mut omissions = Vec::new();
        talk.conversation.finish(|finding| omissions.push(finding.to_string()));
        omissions
    };
    let initialize = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"c","version":"1"}}}"#;
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#;
    let none = r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#;
    let one = r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file:///a"}]}}"#;
    let changed = r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#;
    let (client, server) = (Role::Client, Role::Server);
    let mut frames =
        vec![(client, initialize), (server, list), (client, none), (server, list), (client, one)];
    assert_eq!(omissions(&frames), [""; 0]);
    frames.extend([(server, list), (client, one)]);
    assert_eq!(
        omissions(&frames),
        ["list-change-unannounced: the client still owes a message about roots/list"]
    );
    frames.push((client, changed));
    assert_eq!(omissions(&frames), [""; 0]);
}

/// Mutated messages in any order, from either side and under any revision.
#[test]
fn nothing_makes_it_panic() {
    let mut dice = Dice(0x7E57_5EED);
    let (mut frame, mut text, mut input) = (Vec::new(), String::new(), Vec::new());
    for _ in 0..volume(200) {
        input.clear();
        input.push(dice.roll(256) as u8);
        for _ in 0..100 {
            mutate::mutated(&mut dice, &mut text);
            dice.break_one(&[&text], &mut frame);
            input.push(dice.roll(2) as u8);
            input.extend(frame.iter().filter(|byte| **byte != b'\n'));
            input.push(b'\n');
        }
        check::check(&input);
    }
}
