//! The tap of a connection sees every message in both directions, in the order of the wire.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tautline_mcp::judge::Judge;
use tautline_mcp::session::Phase;
use tautline_mcp::{Revision, Role};
use tautline_tokio::tautline::frame::{ContentLength, Framing, Splitter};
use tautline_tokio::{Direction, Handlers, Options};

use crate::support::{pipe, until, within};

/// The messages that a tap has seen: the direction, and the text of the frame or the name of its fault.
type Seen = Arc<Mutex<Vec<(Direction, String)>>>;

fn tapped<F>(options: Options<F>) -> (Options<F>, Seen)
where
    F: Framing + Clone,
{
    let seen = Seen::default();
    let log = Arc::clone(&seen);
    let options = options.with_tap(move |direction, message| {
        let text = match message {
            Ok(message) => String::from_utf8(message.frame().to_vec()).unwrap(),
            Err(fault) => tautline_mcp::rule::name(fault.rule()).to_owned(),
        };
        log.lock().unwrap().push((direction, text));
    });
    (options, seen)
}

#[tokio::test]
async fn all_messages_of_both_directions_are_seen_in_order() {
    use Direction::{Received, Sent};

    let options = Options::mcp(Revision::V2025_03_26).with_framing(Splitter::new(300));
    let (options, seen) = tapped(options);
    let (end, mut wire) = pipe();
    let handlers = Handlers::new(()).request("add", async |_, (a, b): (u8, u8)| Ok(a + b));
    let connection = options.start_stream(end, handlers);
    let peer = connection.peer();
    let call = within(peer.request::<Value, _>("a", ()).send()).await.unwrap();
    let mut expected = vec![(Sent, wire.line().await.unwrap())];
    let mut receive = async |line: String, seen_as: Option<&str>, answers: bool| {
        wire.send_line(&line).await;
        expected.push((Received, seen_as.map_or(line, ToOwned::to_owned)));
        if answers {
            expected.push((Sent, wire.line().await.unwrap()));
        }
    };
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.to_owned();
    receive(ping.clone(), None, true).await;
    receive(format!("[{ping}, {}]", ping.replace(":1,", ":2,")), None, true).await;
    receive("no JSON".to_owned(), Some("not-json"), false).await;
    receive(ping.replace("ping", &"p".repeat(300)), Some("frame-too-long"), true).await;
    receive(ping.replace("2.0", "2.1"), Some("wrong-version"), true).await;
    receive(ping.replace("ping", "nothing"), None, true).await;
    receive(r#"{"jsonrpc":"2.0","method":"note"}"#.to_owned(), None, false).await;
    receive(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned(), None, false).await;
    within(call).await.unwrap();
    // A cancellation is seen too.
    within(peer.request::<Value, _>("b", ()).send()).await.unwrap().cancel("no");
    peer.notify("note", json!({ "a": 1 })).await.unwrap();
    for _ in 0..3 {
        expected.push((Sent, wire.line().await.unwrap()));
    }
    for (_, text) in &mut expected {
        text.truncate(text.trim_end().len());
    }
    assert_eq!(*seen.lock().unwrap(), expected);
}

/// In another framing, it sees the messages and not the headers.
#[tokio::test]
async fn the_framing_is_not_seen() {
    let (options, seen) = tapped(Options::lsp().with_framing(ContentLength::new(1000)));
    let (ours, theirs) = tokio::io::duplex(1024);
    let handlers = Handlers::new(()).request("double", async |_, (a,): (u8,)| Ok(2 * a));
    let _server = Options::lsp().start_stream(theirs, handlers);
    let client = options.start_stream(ours, Handlers::new(()));
    assert_eq!(within(client.peer().call::<u8>("double", [4])).await.unwrap(), 8);
    let texts = [
        (Direction::Sent, r#"{"jsonrpc":"2.0","id":1,"method":"double","params":[4]}"#.to_owned()),
        (Direction::Received, r#"{"jsonrpc":"2.0","id":1,"result":8}"#.to_owned()),
    ];
    assert_eq!(*seen.lock().unwrap(), texts);
}

/// A message that the queue no longer takes is not seen.
#[tokio::test]
async fn what_is_not_sent_is_not_seen() {
    let (options, seen) = tapped(Options::json_rpc());
    let (end, mut wire) = pipe();
    let connection = options.start_stream(end, Handlers::new(()));
    wire.close().await;
    within(connection.wait()).await;
    connection.peer().notify("late", ()).await.unwrap_err();
    assert!(seen.lock().unwrap().is_empty());
}

/// A connection that is held to the rules for sessions.
#[tokio::test]
async fn a_tap_holds_a_connection_to_its_session() {
    let found = Arc::<Mutex<Vec<String>>>::default();
    let judge = Arc::new(Mutex::new(Judge::new()));
    let (log, watched) = (Arc::clone(&found), Arc::clone(&judge));
    let options = Options::mcp(Revision::V2025_11_25).with_tap(move |direction, message| {
        let from = match direction {
            Direction::Sent => Role::Client,
            Direction::Received => Role::Server,
        };
        let report = |finding: tautline_mcp::Finding| {
            let rule = tautline_mcp::rule::name(finding.rule());
            log.lock().unwrap().push(format!("{from}: {rule}"));
        };
        let mut judge = watched.lock().unwrap();
        match message {
            Err(fault) => judge.observe_fault(from, fault),
            Ok(message) => judge.observe(from, message, report),
        }
    });
    let (end, mut wire) = pipe();
    let client = options.start_stream(end, Handlers::new(()));
    let peer = client.peer().clone();
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "c", "version": "1" },
    });
    let answer = json!({
        "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
        "serverInfo": { "name": "s", "version": "1" },
    });
    let client = tokio::spawn(async move {
        peer.call::<Value>("initialize", hello).await.unwrap();
        peer.notify("notifications/initialized", ()).await.unwrap();
        peer.call::<Value>("prompts/list", ()).await.unwrap();
    });
    for result in [answer, json!({ "prompts": [{}] })] {
        let request = loop {
            let message = wire.message().await;
            if message["id"].is_u64() {
                break message;
            }
        };
        let answer = json!({ "jsonrpc": "2.0", "id": request["id"], "result": result });
        wire.send_line(answer.to_string()).await;
    }
    within(client).await.unwrap();
    until("the findings", || found.lock().unwrap().len() >= 2).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(*found.lock().unwrap(), ["client: undeclared-capability", "server: missing-member"]);
    assert_eq!(judge.lock().unwrap().session().phase(), Phase::Operating);
}
