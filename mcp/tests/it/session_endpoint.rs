//! The replies of an endpoint that is guarded by a session: as a server of some revisions, or as a client.

use serde_json::{Value, json};
use tautline::encode::object;
use tautline::endpoint::{Endpoint, Failure, Method, Responder};
use tautline::{Call, Message, Profile};
use tautline_mcp::session::{Early, Phase, Session, Slot};
use tautline_mcp::{Revision, Role};

const PROFILE: Profile = Revision::LATEST.profile();

/// One side of a session, which shows the session everything it receives and sends.
struct Side {
    session: Session<[Slot; 8]>,
    other: Role,
    /// The findings in what this side sends.
    found: Vec<String>,
}

impl Side {
    fn new(other: Role, supported: &'static [Revision]) -> Self {
        let session = Session::new([Slot::EMPTY; 8]).supporting(supported);
        Self { session, other, found: Vec::new() }
    }

    /// Returns the answer to the frame, or null.
    fn answer(&mut self, frame: &Value) -> Value {
        let ignore =
            |_: &mut Self, _: &Call<'_>, responder: Responder<'_, '_>| Ok(responder.ignore());
        let methods: &[Method<Self>] = &[
            Method::new("initialize", |_, _, _| Err(Failure::INTERNAL)),
            Method::new("ping", |_, _, responder| Ok(responder.result(object(|_| {})))),
            Method::new("ignore", ignore),
            Method::new("wait", |_, _, responder| responder.later()),
        ];
        let endpoint = Endpoint::new(methods, &PROFILE)
            .guarded_by(|side, received, responder| {
                side.session.guard(side.other, received, responder, |_| {})
            })
            .observed_by(|side, traffic| {
                side.session.observe_traffic(side.other, traffic, &PROFILE, |finding| {
                    side.found.push(finding.to_string());
                });
            });
        let mut room = [0; 512];
        let reply = endpoint.answer(frame.to_string().as_bytes(), self, &mut room).unwrap().bytes();
        serde_json::from_slice(reply).unwrap_or(Value::Null)
    }
}

fn request(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn modern(version: &str) -> Value {
    json!({"_meta": {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    }})
}

/// Basic/versioning: legacy clients have no other way to learn them.
#[test]
fn a_server_of_modern_revisions_alone_names_them() {
    let supported = json!(["2026-07-28"]);
    for (params, code, data) in [
        (
            json!({"protocolVersion": "2025-11-25", "capabilities": {}}),
            -32022,
            json!({"supported": supported, "requested": "2025-11-25"}),
        ),
        // It is supported, and has no handshake.
        (json!({"protocolVersion": "2026-07-28", "capabilities": {}}), -32601, Value::Null),
        (json!({"capabilities": {}}), -32602, json!({"supported": supported})),
        (json!({"protocolVersion": 7}), -32602, json!({"supported": supported})),
    ] {
        for opened in [false, true] {
            let mut server = Side::new(Role::Client, &[Revision::V2026_07_28]);
            if opened {
                server.answer(&request("tools/list", modern("2099-01-01")));
                assert_eq!(server.session.phase(), Phase::Modern);
            }
            let reply = server.answer(&request("initialize", params.clone()));
            assert_eq!(reply["error"]["code"], code, "{params}");
            assert_eq!(reply["error"]["data"], data, "{params}");
        }
    }
}

/// Basic/transports, stdio, backward compatibility: from such an error, the client would infer a modern server.
#[test]
fn a_server_of_legacy_revisions_alone_has_no_modern_error() {
    for version in ["2026-07-28", "2099-01-01"] {
        for method in ["server/discover", "tools/list", "vendor/method"] {
            let mut server = Side::new(Role::Client, &[Revision::V2025_11_25]);
            let reply = server.answer(&request(method, modern(version)));
            let error = &reply["error"];
            assert_eq!((&error["code"], &error["data"]), (&json!(-32600), &Value::Null));
            assert_eq!(server.session.phase(), Phase::Opening);
        }
    }
}

/// Basic/transports, stdio: a client must not write responses.
#[test]
fn a_client_does_not_answer_a_modern_server() {
    let ping = json!({"jsonrpc": "2.0", "id": 7, "method": "ping"});
    let mut client = Side::new(Role::Server, Revision::ALL);
    assert_eq!(client.answer(&ping)["result"], json!({}));
    client.session = Session::new([Slot::EMPTY; 8]);
    let discover = request("server/discover", modern("2026-07-28")).to_string();
    let message = Message::parse(discover.as_bytes(), &PROFILE).unwrap();
    client.session.observe(Role::Client, &message, |_| {});
    let discovered = json!({"jsonrpc": "2.0", "id": 1, "result": {"resultType": "complete", "capabilities": {}}});
    assert_eq!(client.answer(&discovered), Value::Null);
    assert_eq!(client.session.phase(), Phase::Modern);
    assert_eq!(client.answer(&ping), Value::Null);
    client.session.end(|request, finding| panic!("{request:?}: {finding}"));
}

/// Only the guard knows which requests must not be answered.
#[test]
fn a_handler_that_ignores_a_request_fails_it() {
    let mut client = Side::new(Role::Server, Revision::ALL);
    client.session = Session::new([Slot::EMPTY; 8]).before_initialize(Early::Serve);
    assert_eq!(client.answer(&request("ignore", json!({})))["error"]["code"], -32603);
}

/// The guard keeps what was received, and the observer what was sent and what could not be read.
#[test]
fn the_session_of_an_endpoint_sees_both_directions() {
    let mut server = Side::new(Role::Client, &[Revision::V2025_11_25]);
    let open = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    assert_eq!(server.answer(&request("initialize", open))["error"]["code"], -32603);
    assert_eq!(server.session.phase(), Phase::Opening);
    // The faulty frame is answered with its id, and that answer is expected.
    assert_eq!(server.answer(&json!({"jsonrpc": "2.0", "id": "f", "method": 1}))["id"], "f");
    assert_eq!(server.answer(&json!({"jsonrpc": "2.0", "id": 3, "method": "ping"}))["id"], 3);
    assert!(server.session.in_flight().next().is_none());
    assert_eq!(server.found, [""; 0]);
    // A notification from the wrong side is ignored.
    let wrong = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}});
    assert_eq!(server.answer(&wrong), Value::Null);
}

impl Side {
    /// Sends a message that its endpoint does not send. Returns its event as text.
    fn send(&mut self, message: &Value) -> String {
        let text = message.to_string();
        let message = Message::parse(text.as_bytes(), &PROFILE).unwrap();
        format!("{:?}", self.session.observe(self.other.other(), &message, |_| {}))
    }

    /// Returns a server or a client whose session is open to everything.
    fn open(other: Role) -> Self {
        let mut side = Self::new(other, Revision::ALL);
        side.session = Session::new([Slot::EMPTY; 8]).before_initialize(Early::Serve);
        side
    }
}

/// Requests that are no messages.
fn faults(id: &Value) -> Vec<Value> {
    vec![
        json!({"jsonrpc": "2.0", "id": id, "method": 1}),
        json!({"jsonrpc": "2.0", "id": id, "method": "ping", "params": 7}),
        json!({"jsonrpc": "1.0", "id": id, "method": "ping"}),
        json!({"id": id, "method": "ping"}),
    ]
}

/// JSON-RPC 2.0, section 5: an answer is matched with its request by the id alone.
#[test]
fn an_error_does_not_answer_a_request_that_waits() {
    for other in [Role::Client, Role::Server] {
        let mut side = Side::open(other);
        for (id, unused) in [(json!(1), json!("1")), (json!("a"), json!("A"))] {
            for fault in faults(&id) {
                assert_eq!(side.answer(&fault)["error"]["code"], -32600, "{fault}");
            }
            assert_eq!(
                side.answer(&json!({"jsonrpc": "2.0", "id": id, "method": "wait"})),
                Value::Null
            );
            for fault in faults(&id) {
                assert_eq!(side.answer(&fault), Value::Null, "{fault}");
            }
            for fault in faults(&unused) {
                assert_eq!(side.answer(&fault)["id"], unused, "{fault}");
            }
            // Many peers cannot tell these numbers apart.
            for fault in faults(&json!(1.0)) {
                assert_eq!(side.answer(&fault).is_null(), id == 1, "{fault}");
            }
            let answered = side.send(&json!({"jsonrpc": "2.0", "id": id, "result": {}}));
            assert!(answered.starts_with("Response"), "{answered}");
            assert_eq!(side.answer(&faults(&id)[0])["error"]["code"], -32600);
        }
        assert_eq!((side.session.in_flight().count(), side.found.len()), (0, 0));
    }
}

/// A request with an id that is in use is served. If it is to be refused, the error would answer the other one.
#[test]
fn a_refusal_does_not_answer_a_request_that_waits() {
    let mut server = Side::open(Role::Client);
    let wait = json!({"jsonrpc": "2.0", "id": 1, "method": "wait"});
    let refused = |id: u8| json!({"jsonrpc": "2.0", "id": id, "method": "sampling/createMessage", "params": {}});
    assert_eq!(server.answer(&refused(1))["error"]["code"], -32601);
    assert_eq!(server.answer(&wait), Value::Null);
    assert_eq!(server.answer(&refused(1)), Value::Null);
    assert_eq!(server.answer(&refused(2))["id"], 2);
    assert_eq!(server.session.in_flight().count(), 1);
    let answered = server.send(&json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    assert!(answered.starts_with("Response"), "{answered}");
    assert_eq!(server.answer(&refused(1))["error"]["code"], -32601);
    assert_eq!(server.session.in_flight().count(), 0);
}

/// It is the only answer that the request will get, and the error would answer a request of the peer's with that id.
#[test]
fn a_broken_response_ends_its_request_and_is_not_answered() {
    let mut client = Side::open(Role::Server);
    for broken in [
        json!({"jsonrpc": "2.0", "id": 5, "result": {}, "error": {"code": 1, "message": "m"}}),
        json!({"jsonrpc": "2.0", "id": 5, "result": null}),
        json!({"jsonrpc": "2.0", "id": 5}),
        json!({"id": 5, "result": {}}),
    ] {
        assert_eq!(client.send(&json!({"jsonrpc": "2.0", "id": 5, "method": "ping"})), "Request");
        assert_eq!(client.answer(&broken), Value::Null, "{broken}");
        assert_eq!(client.session.in_flight().count(), 0, "{broken}");
    }
    // A broken request answers nothing.
    assert_eq!(client.send(&json!({"jsonrpc": "2.0", "id": 5, "method": "ping"})), "Request");
    assert_eq!(client.answer(&faults(&json!(5))[0])["id"], 5);
    assert_eq!(client.session.in_flight().count(), 1);
}
