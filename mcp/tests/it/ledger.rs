//! The ledger on the heap is held equal to the one in slots, which searches them one by one. Other tests show what the
//! heap forgets, how much it keeps, and that its work is linear.

use tautline::Message;
use tautline_mcp::session::{Heap, Pairing, Session, Slot};
use tautline_mcp::{Finding, Revision, Role, rule};

use crate::support::dice::Dice;
use crate::support::volume::volume;

const IDS: &[&str] =
    &["1", "2", "1.0", "\"1\"", "\"a\"", "\"\\u0061\"", "1.5", "\"1.5\"", "-0", "0"];
const METHODS: &[&str] = &[
    "initialize",
    "tools/list",
    "tools/call",
    "ping",
    "subscriptions/listen",
    "sampling/createMessage",
    "x",
];
const META: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}"#;

/// Writes a message of a session that uses few ids.
fn message(dice: &mut Dice) -> (Role, String) {
    let (id, method) = (dice.pick(IDS), dice.pick(METHODS));
    let from = if dice.roll(3) == 0 { Role::Server } else { Role::Client };
    let token = dice.pick(IDS);
    let text = match dice.roll(9) {
        0 | 1 => format!(r#""id":{id},"method":"{method}","params":{{}}"#),
        2 => format!(
            r#""id":{id},"method":"{method}","params":{{"_meta":{{"progressToken":{token}}}}}"#
        ),
        3 => format!(r#""id":{id},"method":"{method}","params":{{"_meta":{{{META}}}}}"#),
        4 => format!(r#""method":"notifications/cancelled","params":{{"requestId":{id}}}"#),
        5 => format!(
            r#""method":"notifications/progress","params":{{"progressToken":{token},"progress":1}}"#
        ),
        6 => format!(
            r#""method":"notifications/subscriptions/acknowledged","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}}}"#
        ),
        7 => format!(r#""id":{id},"error":{{"code":-32601,"message":"no"}}"#),
        _ => format!(
            r#""id":{id},"result":{{"protocolVersion":"2025-11-25","capabilities":{{}},"task":{{"taskId":"t"}}}}"#
        ),
    };
    (from, format!(r#"{{"jsonrpc":"2.0",{text}}}"#))
}

fn observe<S: tautline_mcp::session::Requests>(
    session: &mut Session<S>,
    from: Role,
    frame: &str,
) -> (String, Vec<Finding>) {
    let message = Message::parse(frame.as_bytes(), &Revision::V2025_03_26.profile());
    let mut found = Vec::new();
    match message {
        Ok(message) => {
            let event = session.observe(from, &message, |finding| found.push(finding));
            (format!("{event:?}"), found)
        }
        Err(fault) => {
            session.observe_fault(from, &fault);
            (String::new(), found)
        }
    }
}

#[test]
fn the_heap_agrees_with_the_slots() {
    let dice = &mut Dice(34);
    let (mut compared, mut answered, mut cancelled) = (0, 0, 0);
    for _ in 0..volume(3_000) {
        let mut slots = Session::new(vec![Slot::EMPTY; 64]);
        let mut heap = Session::new(Heap::new());
        let mut talk = Vec::new();
        for _ in 0..24 {
            let (from, frame) = message(dice);
            talk.push(format!("{from}: {frame}"));
            let expected = observe(&mut slots, from, &frame);
            let seen = observe(&mut heap, from, &frame);
            assert_eq!(seen, expected, "{talk:#?}");
            assert_eq!(heap.phase(), slots.phase(), "{talk:#?}");
            // Requests in flight with the same id share their place on the heap, so that only their number is known.
            let is_shared =
                |finding: &Finding| matches!(finding.rule(), rule::ID_IN_USE | rule::ID_REUSED);
            if expected.1.iter().any(is_shared) {
                break;
            }
            let sorted = |ids: Vec<String>| {
                let mut ids = ids;
                ids.sort();
                ids
            };
            let of_slots = slots.in_flight().map(|request| format!("{request:?}"));
            let of_heap = heap.in_flight().map(|request| format!("{request:?}"));
            assert_eq!(sorted(of_heap.collect()), sorted(of_slots.collect()), "{talk:#?}");
            compared += 1;
            answered += usize::from(expected.0.starts_with("Response"));
            cancelled += usize::from(expected.0.starts_with("Cancelled"));
        }
    }
    assert!(
        compared > 5_000 && answered > 300 && cancelled > 100,
        "{compared} {answered} {cancelled}"
    );
}

fn heap() -> Session<Heap> {
    Session::new(Heap::new())
}

fn see(session: &mut Session<Heap>, from: Role, frame: &str) -> (Vec<&'static str>, Pairing) {
    let (_, found) = observe(session, from, frame);
    (found.iter().map(|finding| rule::name(finding.rule())).collect(), session.pairing())
}

fn call(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)
}

fn answer(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
}

#[test]
fn a_message_names_the_number_of_its_request() {
    let session = &mut heap();
    let mut number = |from, frame: &str| see(session, from, frame).1.number();
    assert_eq!(number(Role::Client, &call("7")), Some(1));
    assert_eq!(number(Role::Server, &call("7")), Some(2), "each side has ids of its own");
    let token = r#"{"jsonrpc":"2.0","id":8,"method":"x","params":{"_meta":{"progressToken":"p"}}}"#;
    assert_eq!(number(Role::Client, token), Some(3));
    let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}"#;
    assert_eq!(number(Role::Server, progress), Some(3));
    assert_eq!(number(Role::Client, progress), None);
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}}"#;
    assert_eq!(number(Role::Client, cancel), Some(3));
    assert_eq!(number(Role::Server, &answer("8")), Some(3), "it is late");
    assert_eq!(number(Role::Client, &answer("7")), Some(2));
    assert_eq!(number(Role::Server, &answer("\"7\"")), Some(1), "its id was rewritten");
    assert_eq!(number(Role::Server, &answer("7")), None, "it is a duplicate");
    assert_eq!(number(Role::Server, &answer("9")), None);
    assert_eq!(number(Role::Client, &call("7")), Some(4));
    let note = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(number(Role::Client, note), None);
}

#[test]
fn requests_with_one_id_share_their_number() {
    let session = &mut heap();
    let (first, _) = see(session, Role::Client, &call("1"));
    assert!(!first.contains(&"id-in-use"));
    let (second, pairing) = see(session, Role::Client, &call("1"));
    assert!(second.contains(&"id-in-use"));
    assert_eq!((pairing.number(), pairing.is_shared()), (Some(1), true));
    let (found, pairing) = see(session, Role::Server, &answer("1"));
    assert_eq!(found, ["response-ambiguous"]);
    assert!(pairing.is_shared());
    let (found, pairing) = see(session, Role::Server, &answer("1"));
    assert!(found.is_empty() && pairing.is_shared());
    assert_eq!(see(session, Role::Server, &answer("1")).0, ["response-duplicate"]);
}

/// The answer to a request that was cancelled may still come, and the other one as well.
#[test]
fn a_cancelled_request_with_the_id_of_another_may_be_answered() {
    let session = &mut heap();
    see(session, Role::Client, &call("1"));
    see(session, Role::Client, &call("1"));
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    see(session, Role::Client, cancel);
    assert_eq!(session.owed().count(), 1);
    see(session, Role::Server, &answer("1"));
    assert_eq!(session.owed().count(), 0, "it may have been the answer that is owed");
    assert!(see(session, Role::Server, &answer("1")).0.is_empty());
}

#[test]
fn excused_requests_are_not_owed_but_may_be_answered() {
    let session = &mut heap();
    for id in ["1", "\"2\"", "3"] {
        see(session, Role::Client, &call(id));
    }
    let id = |text: &'static str| tautline::Id::parse(text.as_bytes()).unwrap();
    session.excuse(Role::Client, &id("1"));
    let mut excused = Vec::new();
    session.excuse_alike(Role::Client, &id("2"), |number| excused.push(number));
    assert_eq!(excused, [2]);
    session.excuse(Role::Server, &id("3"));
    assert!(!session.is_owed(Role::Client, &id("1")) && session.is_owed(Role::Client, &id("3")));
    let owed: Vec<_> = session.owed().map(|(number, request)| (number, request.id())).collect();
    assert_eq!(owed, [(3, id("3"))]);
    assert!(see(session, Role::Server, &answer("1")).0.is_empty(), "it is not late");
}

fn tool_call(id: &str, token: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"t","task":{{}},"_meta":{{"progressToken":{token}}}}}}}"#
    )
}

fn task(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"task":{{"taskId":"t"}}}}}}"#)
}

fn progress(token: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":1}}}}"#
    )
}

/// Opens a session of 2025-11-25.
fn opened() -> Session<Heap> {
    let mut session = heap();
    see(
        &mut session,
        Role::Client,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{}}}"#,
    );
    see(
        &mut session,
        Role::Server,
        r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}},"serverInfo":{}}}"#,
    );
    see(&mut session, Role::Client, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    session
}

#[test]
fn two_tasks_of_one_id_are_two_answers() {
    let session = &mut opened();
    see(session, Role::Client, &tool_call("5", "\"a\""));
    see(session, Role::Client, &tool_call("5", "\"b\""));
    assert_eq!(see(session, Role::Server, &task("5")).0, ["response-ambiguous"]);
    assert!(see(session, Role::Server, &task("5")).0.is_empty());
    assert_eq!(see(session, Role::Server, &task("5")).0, ["response-duplicate"]);
    assert!(see(session, Role::Server, &progress("\"a\"")).0.is_empty());
    assert!(see(session, Role::Server, &progress("\"b\"")).0.is_empty());
}

#[test]
fn a_task_reports_progress_after_its_id_is_used_again() {
    let session = &mut opened();
    let (_, pairing) = see(session, Role::Client, &tool_call("5", "\"a\""));
    see(session, Role::Server, &task("5"));
    let (_, again) = see(session, Role::Client, &call("5"));
    assert_eq!(again.forgotten(), pairing.number(), "the facts about the task can be dropped");
    assert_ne!(again.number(), pairing.number());
    see(session, Role::Server, &answer("5"));
    assert!(see(session, Role::Server, &progress("\"a\"")).0.is_empty());
}

#[test]
fn requests_that_spell_one_id_differently_are_both_answered() {
    let session = &mut opened();
    see(session, Role::Client, &call("1"));
    see(session, Role::Client, &call("1.0"));
    assert_eq!(see(session, Role::Server, &answer("1")).0, ["response-ambiguous"]);
    assert!(see(session, Role::Server, &answer("1.0")).0.is_empty());
}

#[test]
fn tokens_of_requests_with_one_id_are_all_known() {
    let session = &mut opened();
    see(session, Role::Client, &tool_call("1", "\"t\""));
    see(session, Role::Client, &tool_call("1", "\"u\""));
    for token in ["\"t\"", "\"u\""] {
        assert!(see(session, Role::Server, &progress(token)).0.is_empty());
    }
    see(session, Role::Server, &answer("1"));
    see(session, Role::Server, &answer("1"));
    assert_eq!(see(session, Role::Server, &progress("\"t\"")).0, ["progress-unknown"]);
}

#[test]
fn a_request_is_owed_whatever_had_its_id_before() {
    let session = &mut opened();
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#;
    see(session, Role::Client, &call("5"));
    see(session, Role::Client, cancel);
    assert_eq!(session.owed().count(), 0);
    see(session, Role::Client, &call("5"));
    assert_eq!(session.owed().count(), 1);
    // A frame that is no message may be answered as well, and the answers are not told from each other.
    let invalid = r#"{"jsonrpc":"1.0","id":6,"method":"ping"}"#;
    see(session, Role::Client, invalid);
    let (_, pairing) = see(session, Role::Client, &call("6"));
    assert!(!pairing.is_shared() && pairing.forgotten().is_some());
    assert_eq!(session.owed().count(), 2);
    let (found, answered) = see(session, Role::Server, &answer("6"));
    assert_eq!((found.len(), answered.number()), (0, pairing.number()));
    assert!(see(session, Role::Server, &answer("6")).0.is_empty());
    assert_eq!(see(session, Role::Server, &answer("6")).0, ["response-duplicate"]);
}

#[test]
fn a_long_id_is_owed_by_its_beginning() {
    let session = &mut heap();
    see(session, Role::Client, &call(&format!("\"{}\"", "i".repeat(300))));
    let shown: Vec<_> = session.owed().map(|(_, request)| request.id().to_string()).collect();
    assert_eq!(shown, [format!("\"{}…\"", "i".repeat(64))]);
    assert_eq!(session.in_flight().count(), 0);
}

/// Cancelled and excused requests make room for others.
#[test]
fn requests_without_an_answer_do_not_fill_the_ledger() {
    let session = &mut opened();
    for id in 10..20_010 {
        let id = id.to_string();
        if id.ends_with('7') {
            see(
                session,
                Role::Client,
                &format!(r#"{{"jsonrpc":"1.0","id":{id},"method":"ping"}}"#),
            );
            let id = tautline::Id::parse(id.as_bytes()).unwrap();
            session.excuse(Role::Client, &id);
        } else {
            see(session, Role::Client, &call(&id));
            see(
                session,
                Role::Client,
                &format!(
                    r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
                ),
            );
        }
    }
    let (found, pairing) = see(session, Role::Client, &call("1"));
    assert!(!found.contains(&"untracked-request") && pairing.forgotten().is_some(), "{found:?}");
    assert_eq!(session.owed().count(), 1);
}

/// The oldest answered requests make room for others. When all remembered requests wait, the session
/// reports that, and reports nothing false about answers after that.
#[test]
fn what_is_remembered_is_bounded() {
    const MOST: usize = 1 << 14;
    let session = &mut heap();
    for id in 0..MOST + 10 {
        see(session, Role::Client, &call(&id.to_string()));
        let (found, pairing) = see(session, Role::Server, &answer(&id.to_string()));
        assert!(found.is_empty() && pairing.number() == Some(id as u64 + 1), "{id}: {found:?}");
    }
    let duplicate =
        |session: &mut _, id: usize| see(session, Role::Server, &answer(&id.to_string())).0;
    assert_eq!(duplicate(session, MOST), ["response-duplicate"]);
    assert_eq!(duplicate(session, 3), ["response-unexpected"], "it is forgotten");
    for id in 0..MOST {
        see(session, Role::Client, &call(&format!("\"{id}\"")));
    }
    let (found, pairing) = see(session, Role::Client, &call("\"more\""));
    assert!(found.contains(&"untracked-request") && pairing.number().is_none(), "{found:?}");
    assert!(see(session, Role::Server, &answer("\"more\"")).0.is_empty());
    assert!(see(session, Role::Server, &answer("\"5\"")).0.is_empty());
}

/// Ids with one value that are written in many ways, and tokens that many requests have, do not make work grow.
#[test]
fn a_hostile_choice_of_ids_takes_bounded_work() {
    let session = &mut heap();
    let begun = std::time::Instant::now();
    see(session, Role::Client, &call("7"));
    for _ in 0..200_000 {
        let cancel =
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
        see(session, Role::Client, cancel);
    }
    for zeros in 0..40_000 {
        let id = format!("\"1.{}\"", "0".repeat(zeros % 30));
        see(session, Role::Client, &call(&id));
        let token =
            r#"{"jsonrpc":"2.0","id":5,"method":"x","params":{"_meta":{"progressToken":5}}}"#;
        see(session, Role::Client, token);
        see(session, Role::Server, &answer(&format!("{zeros}.5")));
    }
    assert!(begun.elapsed().as_secs() < 30);
}

#[test]
fn long_ids_are_told_apart() {
    let session = &mut heap();
    let id = |end: char| format!("\"{}{end}\"", "i".repeat(2000));
    see(session, Role::Client, &call(&id('a')));
    assert!(see(session, Role::Client, &call(&id('b'))).0.iter().all(|rule| *rule != "id-in-use"));
    assert_eq!(see(session, Role::Server, &answer(&id('c'))).0, ["response-unexpected"]);
    assert_eq!(see(session, Role::Server, &answer(&id('b'))).1.number(), Some(2));
    assert_eq!(see(session, Role::Server, &answer(&id('b'))).0, ["response-duplicate"]);
}
