//! The behaviour of a server built on an endpoint and a session, line by line: checks the table in the docs of
//! [`tautline_mcp::session`] against the example server.

#[path = "../../examples/stdio_server.rs"]
#[expect(dead_code, reason = "its main function is for standard input and output")]
mod stdio_server;

use serde_json::{Value, json};

/// The answer to a line.
#[derive(Debug, PartialEq)]
enum Answer {
    Silence,
    Result(Value),
    Error(i64),
}

/// Sends the lines to a fresh server, and returns the answer to the last one.
fn last_answer(lines: &[Value]) -> Answer {
    let endpoint = stdio_server::endpoint();
    let mut server = stdio_server::Server::default();
    let mut room = [0; 4096];
    let mut last = Answer::Silence;
    for line in lines {
        let reply =
            endpoint.answer(line.to_string().as_bytes(), &mut server, &mut room).unwrap().bytes();
        last = match serde_json::from_slice::<Value>(reply) {
            Err(_) => Answer::Silence,
            Ok(mut reply) => {
                assert_eq!(reply["id"], line["id"], "{line}");
                match reply["error"]["code"].as_i64() {
                    Some(code) => Answer::Error(code),
                    None => Answer::Result(reply["result"].take()),
                }
            }
        };
    }
    last
}

fn assert_result(lines: &[Value]) -> Value {
    match last_answer(lines) {
        Answer::Result(result) => result,
        other => panic!("{other:?} to the last of {lines:?}"),
    }
}

fn request(id: u32, method: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method})
}

fn initialize(id: u32, version: &str) -> Value {
    let mut request = request(id, "initialize");
    request["params"] = json!({
        "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}
    });
    request
}

fn initialized() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
}

fn modern(id: u32, method: &str) -> Value {
    let mut request = request(id, method);
    request["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    request
}

#[test]
fn before_the_session_is_open() {
    assert_eq!(assert_result(&[request(0, "ping")]), json!({}));
    assert_eq!(last_answer(&[request(0, "tools/list")]), Answer::Error(-32600));
    assert_eq!(last_answer(&[request(0, "no/such")]), Answer::Error(-32600));
    assert_eq!(last_answer(&[initialized()]), Answer::Silence);
    assert_eq!(last_answer(&[json!({"jsonrpc": "2.0", "id": 1, "result": {}})]), Answer::Silence);
    // None of these messages does any harm.
    let response = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
    let opened = [response, request(0, "tools/list"), initialized(), initialize(1, "2025-06-18")];
    assert_eq!(assert_result(&opened)["protocolVersion"], "2025-06-18");
}

#[test]
fn the_handshake() {
    for (requested, answered) in [
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
    ] {
        assert_eq!(assert_result(&[initialize(0, requested)])["protocolVersion"], answered);
    }
    for version in [json!(7), json!(["2025-11-25"]), Value::Null] {
        let mut without = initialize(0, "");
        match version.is_null() {
            true => drop(without["params"].as_object_mut().unwrap().remove("protocolVersion")),
            false => without["params"]["protocolVersion"] = version,
        }
        assert_eq!(last_answer(&[without]), Answer::Error(-32602));
    }
    let mut early = vec![initialize(0, "2025-11-25"), request(1, "tools/list")];
    let tools = assert_result(&early);
    assert!(tools["tools"].is_array() && tools.get("resultType").is_none());
    early.insert(1, initialized());
    assert_result(&early);
    let again = [initialize(0, "2025-11-25"), initialized(), initialize(1, "2025-11-25")];
    assert_result(&again);
    let open = [initialize(0, "2025-11-25"), initialized(), request(1, "no/such")];
    assert_eq!(last_answer(&open), Answer::Error(-32601));
}

#[test]
fn the_modern_era() {
    let discovered = assert_result(&[modern(0, "server/discover")]);
    assert_eq!(discovered["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(discovered["resultType"], "complete");
    assert_eq!(assert_result(&[modern(0, "tools/list")])["resultType"], "complete");

    let mut unsupported = modern(0, "tools/list");
    unsupported["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "1900-01-01".into();
    assert_eq!(last_answer(&[unsupported]), Answer::Error(-32022));

    let mut without = modern(0, "tools/list");
    let meta = without["params"]["_meta"].as_object_mut().unwrap();
    meta.remove("io.modelcontextprotocol/clientCapabilities");
    assert_eq!(last_answer(&[without]), Answer::Error(-32602));
    assert_eq!(last_answer(&[request(0, "server/discover")]), Answer::Error(-32602));

    let ping = [modern(0, "server/discover"), request(1, "ping")];
    assert_eq!(last_answer(&ping), Answer::Error(-32601));
    let bare = [modern(0, "server/discover"), request(1, "tools/list")];
    assert_eq!(last_answer(&bare), Answer::Error(-32602));
}

#[test]
fn one_era_in_the_session_of_the_other() {
    // Basic/versioning: both may be served, each by its own revision.
    let mut legacy = vec![initialize(0, "2025-11-25"), initialized(), modern(1, "server/discover")];
    assert_eq!(assert_result(&legacy)["resultType"], "complete");
    legacy.push(request(2, "tools/list"));
    assert_eq!(assert_result(&legacy).get("resultType"), None);
    let mut read = modern(3, "resources/read");
    read["params"]["uri"] = "a:b".into();
    legacy.push(read.clone());
    assert_eq!(last_answer(&legacy), Answer::Error(-32602));
    read["params"].as_object_mut().unwrap().remove("_meta");
    legacy.push(read.clone());
    assert_eq!(last_answer(&legacy), Answer::Error(-32002));
    // A request without a URI asks for no resource at all.
    read["params"].as_object_mut().unwrap().remove("uri");
    legacy.push(read);
    assert_eq!(last_answer(&legacy), Answer::Error(-32602));
    let modern_first = [modern(0, "server/discover"), initialize(1, "2025-11-25")];
    assert_eq!(assert_result(&modern_first)["protocolVersion"], "2025-11-25");
    // A client that speaks both may fall back as long as nothing modern was served.
    let mut failed = modern(0, "server/discover");
    failed["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2027-01-01".into();
    assert_result(&[failed, initialize(1, "2025-11-25")]);
}

#[test]
fn a_request_without_an_id_is_not_served() {
    let call = json!({"jsonrpc": "2.0", "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}
    }});
    // If it had been, the session would be open.
    assert_eq!(last_answer(&[call, request(1, "tools/list")]), Answer::Error(-32600));
}

#[test]
fn a_tool_that_fails_is_no_error_of_the_protocol() {
    let call = |name: &str| {
        let mut call = modern(1, "tools/call");
        call["params"]["name"] = name.into();
        call
    };
    assert_eq!(assert_result(&[call("fail")])["isError"], true);
    assert_eq!(assert_result(&[call("add")])["isError"], true);
    assert_eq!(last_answer(&[call("no_such")]), Answer::Error(-32602));
}

/// Runs the example server on this input, with its log going here.
fn served(input: &[u8], log: impl std::io::Write + Send + 'static) -> String {
    let mut server = stdio_server::Server::logging_to(log);
    let mut output = Vec::new();
    stdio_server::serve(&mut server, &mut &*input, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

#[test]
fn a_last_request_without_a_newline_is_answered() {
    let ping = request(1, "ping").to_string();
    let answer = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
    assert_eq!(served(ping.as_bytes(), std::io::sink()), answer);
    assert_eq!(served(format!("{ping}\n").as_bytes(), std::io::sink()), answer);
    assert_eq!(served(b"", std::io::sink()), "");
}

/// A pipe that is never read, or a closed one.
enum Stderr {
    Full,
    Closed,
}

impl std::io::Write for Stderr {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Full => loop {
                std::thread::park();
            },
            Self::Closed => Err(std::io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_client_that_does_not_read_the_log_is_answered() {
    let input = "{}\n".repeat(10_000) + &request(1, "ping").to_string() + "\n";
    for stderr in [Stderr::Full, Stderr::Closed] {
        let output = served(input.as_bytes(), stderr);
        assert_eq!(output.lines().last(), Some(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
    }
}

/// Three lines to some peers are one request here. It is refused: neither the request nor the call inside it is run.
#[test]
fn a_call_between_carriage_returns_is_not_run() {
    let call = request(8, "tools/list");
    let smuggling = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"ping","params":{{"_meta":{{"x":[{cr}{call}{cr}]}}}}}}"#,
        cr = '\r'
    );
    let lines = [initialize(1, "2025-11-25").to_string(), initialized().to_string(), smuggling];
    let replies = served((lines.join("\n") + "\n").as_bytes(), std::io::sink());
    let replies: Vec<Value> =
        replies.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(replies.len(), 2, "{replies:?}");
    assert_eq!((&replies[1]["id"], &replies[1]["error"]["code"]), (&json!(7), &json!(-32600)));
}

#[test]
fn an_oversized_request_alone_is_answered_and_with_its_id() {
    let long = "x".repeat(2 << 20);
    let mut call = modern(7, "tools/call");
    call["params"]["name"] = long.as_str().into();
    let mut notification = call.clone();
    notification.as_object_mut().unwrap().remove("id");
    let response = json!({"jsonrpc": "2.0", "id": 7, "result": {"x": long}});
    let invalid = json!(-32600);
    for (message, expected) in [(call, Some(7)), (notification, None), (response, None)] {
        let reply = served(format!("{message}\n").as_bytes(), std::io::sink());
        let reply = (!reply.is_empty()).then(|| serde_json::from_str::<Value>(&reply).unwrap());
        assert_eq!(reply.as_ref().map(|reply| &reply["error"]["code"]), expected.map(|_| &invalid));
        assert_eq!(reply.as_ref().and_then(|reply| reply["id"].as_i64()), expected);
    }
}
