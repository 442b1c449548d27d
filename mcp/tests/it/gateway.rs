//! The example gateway: messages reach the peer that they are for, with the ids that it knows.

#[path = "../../examples/gateway.rs"]
#[expect(dead_code, reason = "its main function is for sockets and processes")]
mod example;

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use example::{Gateway, PROFILE};
use tautline_mcp::shape::Shapes;
use tautline_mcp::stream::Messages;
use tautline_mcp::{Message, Revision};

/// The server's result of `initialize`.
const WELCOME: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#;

/// The end of a pipe in memory.
#[derive(Clone, Default)]
struct Pipe(Arc<Mutex<Vec<u8>>>);

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A gateway with two clients, and the pipes to its peers.
struct Scene {
    gateway: Gateway<Pipe>,
    server: Pipe,
    clients: [Pipe; 2],
}

impl Scene {
    /// Begins with a server of 2025-11-25.
    fn new() -> Self {
        let result = format!(r#"{{"jsonrpc":"2.0","id":"handshake","result":{WELCOME}}}"#);
        let mut scene = Self::opened_with(&result);
        let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        scene.expect(initialized, "", "");
        scene.connect();
        scene
    }

    /// Begins with a server of 2026-07-28 alone.
    fn modern() -> Self {
        let mut scene = Self::opened_with(
            r#"{"jsonrpc":"2.0","id":"handshake","error":{"code":-32601,"message":"?"}}"#,
        );
        scene.expect("", "", "");
        scene.connect();
        scene
    }

    fn opened_with(answer: &str) -> Self {
        let (server, clients) = (Pipe::default(), [Pipe::default(), Pipe::default()]);
        let gateway = Gateway::new(server.clone(), vec!["rm".to_owned()]);
        let mut scene = Self { gateway, server, clients };
        scene.gateway.open().unwrap();
        let [request, ..] = scene.arrived();
        let start = r#"{"jsonrpc":"2.0","id":"handshake","method":"initialize","params":"#;
        assert!(request.starts_with(start), "{request}");
        let revision = Revision::V2025_11_25;
        let message = Message::parse(request.trim_end().as_bytes(), &revision.profile()).unwrap();
        Shapes::of(revision).check(&message, None, |finding| panic!("{finding}"));
        assert!(!scene.gateway.is_open());
        // Others may come before it.
        let log = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#;
        scene.send(None, log);
        scene.send(None, answer);
        assert!(scene.gateway.is_open());
        scene
    }

    fn connect(&mut self) {
        for (number, client) in (0..).zip(&self.clients) {
            self.gateway.connect(number, client.clone());
        }
    }

    /// Sends a line of a client, or of the server.
    fn send(&mut self, client: Option<u64>, line: &str) {
        self.send_bytes(client, &format!("{line}\n"));
    }

    fn send_bytes(&mut self, client: Option<u64>, wire: &str) {
        for received in Messages::new(wire.as_bytes(), 1 << 20, &PROFILE) {
            match client {
                Some(client) => self.gateway.client_sent(client, &received).unwrap(),
                None => self.gateway.server_sent(&received).unwrap(),
            }
        }
    }

    /// Returns what has arrived at the server and at both clients since the last call.
    fn arrived(&self) -> [String; 3] {
        [&self.server, &self.clients[0], &self.clients[1]].map(|pipe| {
            let bytes = std::mem::take(&mut *pipe.0.lock().unwrap());
            String::from_utf8(bytes).unwrap()
        })
    }

    #[track_caller]
    fn expect(&self, server: &str, first: &str, second: &str) {
        let lines = |text: &str| if text.is_empty() { String::new() } else { format!("{text}\n") };
        assert_eq!(self.arrived(), [server, first, second].map(lines));
    }

    /// Sends a request of a client, and checks under which id the server gets it.
    #[track_caller]
    fn request(&mut self, client: u64, id: &str, token: &str, own: u64) {
        self.send(Some(client), &call(id, token));
        let own = own.to_string();
        self.expect(&call(&own, if token.is_empty() { "" } else { &own }), "", "");
    }
}

fn call(id: &str, token: &str) -> String {
    let meta = match token {
        "" => String::new(),
        token => format!(r#","_meta":{{"progressToken":{token}}}"#),
    };
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"x"{meta}}}}}"#)
}

fn result(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[]}}}}"#)
}

fn progress(token: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":1}}}}"#
    )
}

fn cancelled(id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
    )
}

#[test]
fn two_clients_with_the_same_id_get_their_own_responses() {
    let mut scene = Scene::new();
    scene.request(0, "1", "", 1);
    scene.request(1, "1", "", 2);
    scene.request(1, "\"1\"", "", 3);
    scene.request(0, "\"\\u0061\"", "", 4);
    for (own, first, second) in
        [(2, "", "1"), (4, "\"\\u0061\"", ""), (1, "1", ""), (3, "", "\"1\"")]
    {
        scene.send(None, &result(&own.to_string()));
        let expected = [first, second].map(|id| if id.is_empty() { id.into() } else { result(id) });
        scene.expect("", &expected[0], &expected[1]);
    }
    assert!(scene.gateway.requests.is_empty());
    scene.send(None, &result("1"));
    scene.send(None, &result("7"));
    scene.expect("", "", "");
}

#[test]
fn progress_reaches_the_client_whose_request_it_is_about() {
    let mut scene = Scene::new();
    scene.request(0, "1", "\"t\"", 1);
    scene.request(1, "1", "1", 2);
    scene.request(1, "2", "", 3);
    scene.send(None, &progress("1"));
    scene.expect("", &progress("\"t\""), "");
    scene.send(None, &progress("2"));
    scene.expect("", "", &progress("1"));
    scene.send(None, &progress("4"));
    scene.expect("", "", "");
    scene.send(None, &result("2"));
    scene.expect("", "", &result("1"));
    scene.send(None, &progress("2"));
    scene.expect("", "", "");
    let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    scene.send(None, changed);
    scene.expect("", changed, changed);
}

fn meta_of(subscription: &str) -> String {
    format!(r#""_meta":{{"io.modelcontextprotocol/subscriptionId":{subscription}}}"#)
}

fn listen(id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"subscriptions/listen","params":{{"notifications":{{}},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}

#[test]
fn subscriptions_belong_to_the_request_that_opened_them() {
    let mut scene = Scene::modern();
    scene.send(Some(1), &listen("\"s\""));
    scene.expect(&listen("1"), "", "");
    let changed = |id: &str| {
        let meta = meta_of(id);
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{{{meta}}}}}"#
        )
    };
    scene.send(None, &changed("1"));
    scene.expect("", "", &changed("\"s\""));
    let end = |id: &str, subscription: &str| {
        let meta = meta_of(subscription);
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{{meta}}}}}"#)
    };
    scene.send(None, &end("1", "1"));
    scene.expect("", "", &end("\"s\"", "\"s\""));
    scene.send(None, &changed("1"));
    scene.expect("", "", "");

    // Neither a notification nor a result refers to requests of two clients.
    scene.send(Some(0), &listen("8"));
    scene.send(Some(1), &listen("9"));
    let _forwarded = scene.arrived();
    let meta = meta_of("3");
    scene.send(None, &format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":2,{meta}}}}}"#
    ));
    scene.expect("", "", "");
    scene.send(None, &end("2", "3"));
    scene.expect("", &invalid("8"), "");
    // The server ends a subscription: it has no requests of its own. A later response is dropped.
    scene.send(None, &cancelled("3"));
    scene.expect("", "", &cancelled("9"));
    scene.send(None, &end("3", "3"));
    scene.expect("", "", "");
    assert!(scene.gateway.requests.is_empty());
}

#[test]
fn a_modern_server_gets_no_responses_and_legacy_clients_no_handshake() {
    let mut scene = Scene::modern();
    scene.send(None, &asks("1", "roots/list"));
    scene.send(None, r#"{"jsonrpc":"2.0","id":2,"method":3}"#);
    scene.expect("", "", "");
    scene.send(Some(0), &asks("1", "initialize"));
    let [server, first, _] = scene.arrived();
    assert_eq!(server, "");
    assert!(first.starts_with(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"#), "{first}");
}

fn invalid(id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32603,"message":"The response is invalid"}}}}"#
    )
}

fn asks(id: &str, method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{}}}}"#)
}

#[test]
fn the_gateway_answers_the_handshake_of_each_client() {
    let mut scene = Scene::new();
    let initialize = r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    let result = format!(r#"{{"jsonrpc":"2.0","id":"i","result":{WELCOME}}}"#);
    for _ in 0..2 {
        scene.send(Some(0), initialize);
        scene.expect("", &result, "");
        scene.send(Some(1), initialize);
        scene.expect("", "", &result);
        scene.send(Some(1), r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        scene.expect("", "", "");
    }
    scene.request(0, "\"i\"", "", 1);
    // It would answer the call.
    scene.send(Some(0), initialize);
    scene.expect("", "", "");
}

/// A request of the server goes to a client, and the response of no other client answers it.
#[test]
fn a_request_of_the_server_is_answered_by_the_client_that_it_works_for() {
    let mut scene = Scene::new();
    let unknown = |id: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32603,"message":"It is not known for which client"}}}}"#
        )
    };
    let ask = |id: &str, token: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"roots/list","params":{{"_meta":{{"progressToken":{token}}}}}}}"#
        )
    };
    let roots = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"roots":[]}}}}"#);
    scene.send(None, &ask("7", "\"t\""));
    scene.expect(&unknown("7"), "", "");
    scene.request(1, "1", "", 1);
    scene.send(None, &ask("7", "\"t\""));
    scene.expect("", "", &ask("1", "1"));
    // An error with this id would answer the first.
    scene.send(None, &ask("7", "\"u\""));
    scene.send(None, r#"{"jsonrpc":"2.0","id":7,"method":7}"#);
    scene.expect("", "", "");
    // Progress of a client is about the server's request.
    scene.send(Some(0), &progress("1"));
    scene.expect("", "", "");
    scene.send(Some(1), &progress("1"));
    scene.expect(&progress("\"t\""), "", "");
    scene.send(Some(0), &roots("1"));
    scene.expect("", "", "");
    scene.send(Some(1), &roots("1"));
    scene.expect(&roots("7"), "", "");
    scene.send(Some(1), &roots("1"));
    scene.send(Some(1), &progress("1"));
    scene.expect("", "", "");
    // A cancellation of the server is about its own request, even if a request of a client has this number.
    scene.send(None, &ask("1", "1"));
    scene.expect("", "", &ask("2", "2"));
    scene.send(None, &cancelled("1"));
    scene.expect("", "", &cancelled("2"));
    assert_eq!(scene.gateway.requests.len(), 1);
    scene.send(Some(1), &roots("2"));
    scene.expect("", "", "");
    // An error replaces a response that is not valid.
    scene.send(None, &ask("5", "1"));
    scene.expect("", "", &ask("3", "3"));
    scene.send(Some(1), r#"{"jsonrpc":"2.0","id":3,"result":[]}"#);
    scene.expect(&invalid("5"), "", "");
    // Both clients are being worked for, so nothing shows whose request it is.
    scene.request(0, "1", "", 2);
    scene.send(None, &ask("8", "8"));
    scene.expect(&unknown("8"), "", "");
    scene.send(None, &asks("9", "ping"));
    scene.expect(r#"{"jsonrpc":"2.0","id":9,"result":{}}"#, "", "");
    // The other client is gone, and with it what was asked of it.
    scene.send(Some(0), &cancelled("1"));
    let _forwarded = scene.arrived();
    scene.send(None, &ask("10", "8"));
    scene.expect("", "", &ask("4", "4"));
    scene.gateway.disconnect(1).unwrap();
    let gone =
        r#"{"jsonrpc":"2.0","id":10,"error":{"code":-32603,"message":"The client is gone"}}"#;
    let [server, ..] = scene.arrived();
    assert_eq!(server, format!("{}\n{gone}\n", cancelled("1")));
}

#[test]
fn a_faulty_frame_does_not_end_the_pending_request_with_its_id() {
    let mut scene = Scene::new();
    scene.request(0, "7", "", 1);
    let faulty = r#"{"jsonrpc":"2.0","id":7,"method":7}"#;
    scene.send(Some(0), faulty);
    scene.expect("", "", "");
    scene.send(Some(1), faulty);
    let [_, first, second] = scene.arrived();
    assert_eq!(first, "");
    assert!(second.starts_with(r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"#), "{second}");
    scene.send(None, &result("1"));
    scene.expect("", &result("7"), "");
    scene.send(Some(0), faulty);
    let [_, first, _] = scene.arrived();
    assert!(first.starts_with(r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"#), "{first}");
}

#[test]
fn a_last_line_without_a_newline_is_not_forwarded() {
    let mut scene = Scene::new();
    scene.send_bytes(Some(0), &call("1", ""));
    scene.expect("", "", "");
    scene.request(0, "1", "", 1);
    scene.send_bytes(None, &result("1"));
    scene.expect("", "", "");
    assert_eq!(scene.gateway.requests.len(), 1);
}

#[test]
fn denied_tools_and_calls_that_the_revision_refuses_do_not_reach_the_server() {
    let mut scene = Scene::new();
    let call = |name: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":{name}}}}}"#)
    };
    for (request, code) in [
        (call(r#""rm""#), -32602),
        (call(r#""r\u006d""#), -32602),
        (call("[]"), -32602),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#.to_owned(), -32602),
        (asks("1", "server/discover"), -32601),
        (asks("1", "roots/list"), -32601),
        (asks("1", "tasks/list"), -32601),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t"}}"#.to_owned(),
            -32602,
        ),
    ] {
        scene.send(Some(0), &request);
        let [server, first, second] = scene.arrived();
        assert_eq!((&*server, &*second), ("", ""), "{request}");
        let start = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"#);
        assert!(first.starts_with(&start), "{request}: {first}");
    }
    scene.send(Some(0), &call(r#""rmdir""#));
    scene.expect(&call(r#""rmdir""#), "", "");
}

/// Utilities/tasks of 2025-11-25: the task continues after the response that has made it.
#[test]
fn a_task_belongs_to_the_client_whose_request_has_made_it() {
    let mut scene = Scene::new();
    let made = |id: &str, task: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"task":{{"taskId":"{task}","status":"working"}}}}}}"#
        )
    };
    let status = |task: &str, status: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{{"taskId":"{task}","status":"{status}"}}}}"#
        )
    };
    let get = |id: &str, task: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tasks/get","params":{{"taskId":"{task}"}}}}"#
        )
    };
    let elicit = |id: &str, task: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"elicitation/create","params":{{"_meta":{{"io.modelcontextprotocol/related-task":{{"taskId":"{task}"}}}}}}}}"#
        )
    };
    scene.request(0, "1", "\"a\"", 1);
    scene.request(1, "1", "\"b\"", 2);
    scene.send(None, &made("2", "dig"));
    scene.expect("", "", &made("1", "dig"));
    scene.send(None, &made("1", "sow"));
    scene.expect("", &made("1", "sow"), "");
    assert!(scene.gateway.requests.is_empty());
    scene.send(None, &progress("2"));
    scene.expect("", "", &progress("\"b\""));
    scene.send(None, &status("dig", "input_required"));
    scene.expect("", "", &status("dig", "input_required"));
    scene.send(None, &status("reap", "working"));
    scene.expect("", "", "");
    scene.send(None, &elicit("1", "sow"));
    scene.expect("", &elicit("1", "sow"), "");
    scene.send(Some(1), &get("2", "dig"));
    scene.expect(&get("3", "dig"), "", "");
    scene.send(Some(0), &get("2", "dig"));
    let [server, first, _] = scene.arrived();
    assert_eq!(server, "");
    assert!(first.starts_with(r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"#), "{first}");

    // The end of a task ends its progress, whichever message shows it.
    let got = |id: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"taskId":"dig","status":"cancelled"}}}}"#)
    };
    scene.send(None, &got("3"));
    scene.expect("", "", &got("2"));
    scene.send(None, &progress("2"));
    scene.expect("", "", "");
    scene.send(None, &progress("1"));
    scene.expect("", &progress("\"a\""), "");
    scene.send(None, &status("sow", "completed"));
    scene.expect("", &status("sow", "completed"), "");
    scene.send(None, &progress("1"));
    scene.expect("", "", "");
    // A client's tasks end with it.
    scene.gateway.disconnect(0).unwrap();
    let _answered = scene.arrived();
    scene.send(None, &status("sow", "completed"));
    scene.expect("", "", "");
}

#[test]
fn a_cancellation_reaches_the_server_for_the_right_request() {
    let mut scene = Scene::new();
    scene.request(0, "1", "", 1);
    scene.request(1, "1", "", 2);
    scene.send(Some(1), &cancelled("1"));
    scene.expect(&cancelled("2"), "", "");
    assert_eq!(scene.gateway.requests.len(), 1);
    // It is too late for another cancellation, and for the answer.
    scene.send(Some(1), &cancelled("1"));
    scene.send(Some(1), &cancelled("2"));
    scene.send(None, &result("2"));
    scene.expect("", "", "");
    scene.send(None, &result("1"));
    scene.expect("", &result("1"), "");
}

#[test]
fn a_client_that_disconnects_frees_its_requests_and_gets_nothing_more() {
    let mut scene = Scene::new();
    scene.request(0, "1", "", 1);
    scene.request(1, "1", "", 2);
    scene.request(0, "2", "", 3);
    scene.gateway.disconnect(0).unwrap();
    let [server, first, second] = scene.arrived();
    let mut lines: Vec<_> = server.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, [cancelled("1"), cancelled("3")]);
    assert_eq!((first, second), (String::new(), String::new()));
    assert_eq!(scene.gateway.requests.len(), 1);
    // Another client may get the same number, but not the answers.
    scene.gateway.connect(0, scene.clients[0].clone());
    scene.send(None, &result("1"));
    scene.expect("", "", "");
    scene.request(0, "1", "", 4);
    scene.send(None, &result("4"));
    scene.expect("", &result("1"), "");
}

#[test]
fn a_client_that_sends_too_much_is_refused_and_the_other_is_not() {
    let mut scene = Scene::new();
    let refused = |id: &str, text: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32000,"message":"{text}"}}}}"#)
    };
    for id in 0..64 {
        scene.request(0, &id.to_string(), "", id + 1);
    }
    scene.send(Some(0), &call("64", ""));
    scene.expect("", &refused("64", "too many requests of this client wait for their answers"), "");
    scene.request(1, "1", "", 65);
    scene.send(Some(1), &call("1", ""));
    // An error would answer the first request with this id.
    scene.expect("", "", "");
}

/// The strict profile refuses no token that is a fraction, and no client may get what is about another.
#[test]
fn what_is_about_one_request_is_not_sent_to_all() {
    let mut scene = Scene::new();
    scene.send(Some(0), &call("1", "1.5"));
    let _forwarded = scene.arrived();
    for notification in [progress("1.5"), progress("{}"), cancelled("null"), cancelled("[1]")] {
        scene.send(None, &notification);
        scene.expect("", "", "");
        scene.send(Some(1), &notification);
        scene.expect("", "", "");
    }
}

#[test]
fn what_is_invalid_is_answered_and_not_forwarded() {
    let mut scene = Scene::new();
    scene.send(Some(0), r#"{"jsonrpc":"2.0","id":5,"method":"ping","Method":"x"}"#);
    let [server, first, second] = scene.arrived();
    assert!(first.contains(r#""id":5,"error":{"code":-32600"#), "{first}");
    assert_eq!((server, second), (String::new(), String::new()));

    scene.request(1, "\"b\"", "", 1);
    scene.send(None, r#"{"jsonrpc":"2.0","id":1,"result":null}"#);
    scene.expect("", "", &invalid("\"b\""));

    scene.send(None, r#"{"jsonrpc":"2.0","id":1,"method":2}"#);
    let [server, ..] = scene.arrived();
    assert!(server.starts_with(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"#), "{server}");
}
