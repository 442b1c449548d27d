//! Guards: they see all that is received, and decide whether it gets a reply.

use serde_json::{Value, json};
use tautline::endpoint::{Endpoint, Method, Responded, Responder, Status};
use tautline::owned::Id;
use tautline::stream::MessageStream;
use tautline::{Fault, Message, Profile, Rule};

/// The ids of the calls that are answered later.
#[derive(Default)]
struct Waiting(Vec<Id>);

const METHODS: &[Method<Waiting>] = &[
    Method::new("wait", |waiting, call, responder| {
        let answered = responder.later()?;
        waiting.0.extend(call.id().map(Id::from));
        Ok(answered)
    }),
    Method::new("at_once", |_, _, responder| Ok(responder.result(true))),
];

/// Ignores what an error would answer in place of a call that waits.
fn guard<'a, 'out>(
    waiting: &mut Waiting,
    received: Result<&Message<'_>, &Fault<'_>>,
    responder: Responder<'a, 'out>,
) -> Result<Responder<'a, 'out>, Responded> {
    let id = match received {
        Ok(Message::Request(request)) => Some(request.id()),
        Ok(_) => None,
        Err(fault) => fault.reply().and_then(|reply| reply.id()),
    };
    match id.is_some_and(|id| waiting.0.iter().any(|waiting| *waiting == id)) {
        true => Err(responder.ignore()),
        false => Ok(responder),
    }
}

fn endpoint() -> Endpoint<Waiting> {
    Endpoint::new(METHODS, &Profile::JSON_RPC).guarded_by(guard)
}

/// Returns the replies to these lines, and null for silence.
fn talk(waiting: &mut Waiting, lines: &[&str]) -> Vec<Value> {
    let (endpoint, wire) = (endpoint(), format!("{}\n", lines.join("\n")));
    let mut replies = Vec::new();
    let mut stream = MessageStream::new([0; 200], endpoint.profile());
    let mut chunk = wire.as_bytes();
    while let Some(received) = stream.next(&mut chunk) {
        let (mut grown, mut room) = (Vec::new(), [0; 512]);
        // The handlers of the second pass must not wait again.
        let count = waiting.0.len();
        let reply = endpoint.answer(&received, waiting, &mut room).unwrap();
        if waiting.0.len() == count {
            let replied = endpoint.answer_into(&received, waiting, &mut grown).unwrap();
            assert_eq!(replied, reply);
        }
        replies.push(serde_json::from_slice(&reply).unwrap_or_default());
    }
    replies
}

#[test]
fn a_guard_that_ignores_a_fault_silences_its_reply() {
    let mut waiting = Waiting::default();
    let long = "x".repeat(300);
    let faults = [
        r#"{"jsonrpc":"2.0","id":1,"method":1}"#,
        r#"{"id":1,"method":"wait"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"wait","method":"wait"}"#,
        &format!(r#"{{"jsonrpc":"2.0","params":["{long}"],"method":"wait","id":1}}"#),
    ];
    let errors = talk(&mut waiting, &faults);
    assert!(errors.iter().all(|error| error["id"] == 1 && error["error"]["code"] == -32600));
    let wait = r#"{"jsonrpc":"2.0","id":1,"method":"wait"}"#;
    assert_eq!(talk(&mut waiting, &[wait]), [Value::Null]);
    assert_eq!(talk(&mut waiting, &faults), [const { Value::Null }; 4]);
    // It is still a fault, and others are answered.
    let mut room = [0; 256];
    let reply = endpoint().answer(faults[0], &mut waiting, &mut room).unwrap();
    assert!(matches!(reply.status(), Status::Fault(fault) if fault.rule() == Rule::METHOD_TYPE));
    let other = faults.map(|fault| fault.replace(r#""id":1"#, r#""id":2"#));
    let other = talk(&mut waiting, &other.each_ref().map(String::as_str));
    assert!(other.iter().all(|error| error["id"] == 2));
    let unreadable = talk(&mut waiting, &["what", "[]"]);
    assert!(unreadable.iter().all(|error| error["id"].is_null() && error["error"].is_object()));
    // The request is answered.
    waiting.0.clear();
    assert_eq!(talk(&mut waiting, &faults), errors);
}

/// A reply is not sent half: the array has the replies that are left, or there is none.
#[test]
fn a_guard_silences_the_faults_of_a_batch() {
    let mut waiting = Waiting(vec![Id::from(1)]);
    let fault = r#"{"jsonrpc":"2.0","id":1,"method":1}"#;
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"at_once"}"#;
    let replies = talk(
        &mut waiting,
        &[
            &format!("[{fault}]"),
            &format!("[{fault},{call},{fault}]"),
            &format!("[{call},{fault},7]"),
        ],
    );
    let result = json!({"jsonrpc": "2.0", "id": 2, "result": true});
    assert_eq!(replies[..2], [Value::Null, json!([result])]);
    assert_eq!((replies[2].as_array().unwrap().len(), &replies[2][0]), (2, &result));
    assert_eq!(replies[2][1]["id"], Value::Null);
}

/// Not even in a batch: the error would answer the call that waits.
#[test]
fn a_guard_that_ignores_a_request_silences_it() {
    let mut waiting = Waiting(vec![Id::from(1)]);
    let again = r#"{"jsonrpc":"2.0","id":1,"method":"at_once"}"#;
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"at_once"}"#;
    let batches = [format!("[{again}]"), format!("[{again},{call}]")];
    let replies = talk(&mut waiting, &[again, &batches[0], &batches[1]]);
    let result = json!({"jsonrpc": "2.0", "id": 2, "result": true});
    assert_eq!(replies, [Value::Null, Value::Null, json!([result])]);
}

/// An explaining endpoint explains nothing that its guard ignores.
#[test]
fn a_guard_silences_an_explaining_endpoint() {
    let mut room = [0; 512];
    let fault = r#"{"jsonrpc":"2.0","id":1,"method":1}"#;
    let endpoint = endpoint().explaining();
    let mut waiting = Waiting(vec![Id::from(1)]);
    assert!(endpoint.answer(fault, &mut waiting, &mut room).unwrap().is_empty());
    let reply = endpoint.answer(fault, &mut Waiting::default(), &mut room).unwrap();
    let reply: Value = serde_json::from_slice(&reply).unwrap();
    assert_eq!(reply["error"]["data"]["rule"], "method-type");
}

/// A fault has no answer but its reply.
#[test]
fn a_guard_does_not_answer_a_fault_itself() {
    let endpoint = Endpoint::new((), &Profile::JSON_RPC).guarded_by(|(), received, responder| {
        if received.is_err() { Err(responder.result("mine")) } else { Ok(responder) }
    });
    let mut room = [0; 256];
    let fault = r#"{"jsonrpc":"2.0","id":1,"method":1}"#;
    assert!(endpoint.answer(fault, &mut (), &mut room).unwrap().is_empty());
}
