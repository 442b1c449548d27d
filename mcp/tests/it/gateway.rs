//! The example gateway: messages reach the peer that they are for, with the ids that it knows.

#[path = "../../examples/gateway.rs"]
#[expect(dead_code, reason = "its main function is for sockets and processes")]
mod example;

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use example::{Gateway, PROFILE};
use tautline_mcp::stream::Messages;

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
    fn new() -> Self {
        let (server, clients) = (Pipe::default(), [Pipe::default(), Pipe::default()]);
        let mut gateway = Gateway::new(server.clone());
        for (number, client) in (0..).zip(&clients) {
            gateway.connect(number, client.clone());
        }
        Self { gateway, server, clients }
    }

    /// Sends a line of a client, or of the server.
    fn send(&mut self, client: Option<u64>, line: &str) {
        let wire = format!("{line}\n");
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

#[test]
fn subscriptions_belong_to_the_request_that_opened_them() {
    let mut scene = Scene::new();
    let listen = |id: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"subscriptions/listen","params":{{"notifications":{{}}}}}}"#
        )
    };
    let meta = |id: &str| format!(r#"{{"io.modelcontextprotocol/subscriptionId":{id}}}"#);
    scene.send(Some(1), &listen("\"s\""));
    scene.expect(&listen("1"), "", "");
    let changed = |id: &str| {
        let meta = meta(id);
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{{"_meta":{meta}}}}}"#
        )
    };
    scene.send(None, &changed("1"));
    scene.expect("", "", &changed("\"s\""));
    let end = |id: &str| {
        let meta = meta(id);
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"_meta":{meta}}}}}"#)
    };
    scene.send(None, &end("1"));
    scene.expect("", "", &end("\"s\""));
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
    let error =
        r#"{"jsonrpc":"2.0","id":"b","error":{"code":-32603,"message":"The response is invalid"}}"#;
    scene.expect("", "", error);

    scene.send(None, r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#);
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#;
    scene.expect(error, "", "");
}
