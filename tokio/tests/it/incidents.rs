//! What the observer of a connection sees, and how an incident is displayed.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tautline_mcp::Revision;
use tautline_tokio::{Connection, Handlers, Options};

use crate::support::{Wire, pipe, until, within};

/// The texts of all incidents.
type Log = Arc<Mutex<Vec<String>>>;

/// Starts a connection whose incidents are logged.
fn logged(options: Options, handlers: Handlers<()>) -> (Connection, Wire, Log) {
    let log = Log::default();
    let seen = Arc::clone(&log);
    let options =
        options.with_observer(move |incident| seen.lock().unwrap().push(incident.to_string()));
    let (end, wire) = pipe();
    (options.start_stream(end, handlers), wire, log)
}

fn client() -> (Connection, Wire, Log) {
    logged(Options::mcp(Revision::V2025_11_25), Handlers::new(()))
}

/// Takes the incidents, of which there must be this many.
async fn taken(log: &Log, count: usize) -> Vec<String> {
    until("the incident", || log.lock().unwrap().len() >= count).await;
    std::mem::take(&mut log.lock().unwrap())
}

#[tokio::test]
async fn an_answer_with_a_rewritten_id_completes_its_call() {
    let (connection, mut wire, log) = client();
    for (call, written) in
        [(1, "1.0"), (2, "2e0"), (3, "\"3\""), (4, r#""\u0034""#), (5, "0.5e1"), (6, "6")]
    {
        let pending = connection.peer().request::<Value, _>("a", ()).send();
        let pending = within(pending).await.unwrap();
        assert_eq!(wire.message().await["id"], call);
        let line = format!(r#"{{"jsonrpc":"2.0","id":{written},"result":{{"a":{call}}}}}"#);
        wire.send_line(line).await;
        assert_eq!(within(pending).await.unwrap(), json!({ "a": call }));
        let expected = match written {
            "6" => Vec::new(),
            _ => vec![format!("the answer to call {call} has the id {written}")],
        };
        assert_eq!(taken(&log, expected.len()).await, expected);
    }
}
