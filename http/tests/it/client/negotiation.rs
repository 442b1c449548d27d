//! The choice of the revision.

use std::time::Duration;

use axum::response::Response;
use serde_json::{Value, json};
use tautline_http::client::{ConnectError, PostError};
use tautline_mcp::Revision;
use tautline_tokio::Handlers;

use super::support::{
    LEGACY, MODERN, Seen, Server, discovered, error, initialized, json_text, result, status,
    text_of, within,
};

/// An answer to `server/discover`.
type Answer = fn(&Seen) -> Response;

/// A server that answers `server/discover` like this, and the legacy handshake as usual.
async fn server(discover: Answer) -> Server {
    Server::start(move |seen| async move {
        match (seen.verb.as_str(), seen.method()) {
            ("POST", "server/discover") => discover(&seen),
            ("POST", "initialize") => initialized(&seen, None),
            ("POST", "notifications/initialized") => status(202),
            ("POST", _) => result(&seen, json!({})),
            _ => status(405),
        }
    })
    .await
}

fn unsupported(seen: &Seen, versions: &[&str]) -> Response {
    error(seen, 400, -32022, json!({ "supported": versions, "requested": "2026-07-28" }))
}

async fn connect(server: &Server, revisions: &[Revision]) -> Result<Revision, ConnectError> {
    let client = server.client().with_revisions(revisions);
    let connection = within(client.connect(Handlers::new(()))).await?;
    let _: Value = within(connection.peer().call("tools/list", json!({}))).await.unwrap();
    Ok(connection.revision())
}

#[tokio::test]
async fn a_server_of_the_legacy_era_is_found_out() {
    let answers: [Answer; 10] = [
        |_| status(400),
        |_| status(404),
        |_| status(405),
        |_| text_of(400, "text/html", "<p>what?"),
        |_| json_text(400, r#"{"error":"what?"}"#),
        |_| {
            json_text(
                400,
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}"#,
            )
        },
        |seen| error(seen, 404, -32601, json!(null)),
        |seen| error(seen, 200, -32601, json!(null)),
        |seen| error(seen, 200, -32602, json!(null)),
        // Some answer any method.
        |seen| result(seen, json!({})),
    ];
    for (number, answer) in answers.into_iter().enumerate() {
        let server = server(answer).await;
        assert_eq!(
            connect(&server, Revision::ALL).await.unwrap(),
            Revision::V2025_11_25,
            "{number}"
        );
        // The client opens a stream meanwhile.
        let methods = server.methods().into_iter().filter(|method| method != "GET");
        let methods: Vec<_> = methods.collect();
        let expected = ["server/discover", "initialize", "notifications/initialized", "tools/list"];
        assert_eq!(methods, expected, "{number}");
        let log = server.log();
        let initialize = log.iter().find(|seen| seen.method() == "initialize").unwrap();
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        assert_eq!(initialize.body["params"], params);
        for name in ["mcp-protocol-version", "mcp-method", "mcp-session-id"] {
            assert_eq!(initialize.header(name), None);
        }
        let list = log.iter().find(|seen| seen.method() == "tools/list").unwrap();
        assert_eq!(list.header("mcp-protocol-version"), Some("2025-11-25"));
        assert_eq!(list.header("mcp-method"), None);
        assert_eq!(list.body["params"], json!({}), "no metadata of the modern era");
    }
}

#[tokio::test]
async fn other_failures_say_nothing_about_the_era() {
    let answers: [(Answer, Option<u16>); 6] = [
        (|_| status(401), Some(401)),
        (|_| status(403), Some(403)),
        (|_| status(429), Some(429)),
        (|_| status(503), Some(503)),
        (|_| text_of(200, "text/html", "<p>hello"), None),
        (|seen| error(seen, 400, -32021, json!({ "requiredCapabilities": {} })), None),
    ];
    for (number, (answer, expected)) in answers.into_iter().enumerate() {
        let server = server(answer).await;
        let failure = connect(&server, Revision::ALL).await.unwrap_err();
        let ConnectError::Call(call) = &failure else { panic!("{number}: {failure}") };
        let status = PostError::of(call).and_then(PostError::status);
        assert_eq!(status.map(|status| status.as_u16()), expected, "{number}: {failure}");
        assert_eq!(server.methods(), ["server/discover"], "{number}");
    }
}

#[tokio::test]
async fn the_versions_that_a_server_lists_decide() {
    let both = Revision::ALL;
    let server_of_both = server(|seen| unsupported(seen, &["2025-06-18", "2099-01-01"])).await;
    assert_eq!(connect(&server_of_both, both).await.unwrap(), Revision::V2025_06_18);
    let version = &server_of_both.all("initialize")[0].body["params"]["protocolVersion"];
    assert_eq!(version, "2025-06-18");

    for (revisions, methods) in [(both, vec!["server/discover"]), (MODERN, vec!["server/discover"])]
    {
        let server = server(|seen| unsupported(seen, &["2099-01-01"])).await;
        let failure = connect(&server, revisions).await.unwrap_err();
        let ConnectError::NoCommonRevision(versions) = &failure else { panic!("{failure}") };
        assert_eq!(versions, &["2099-01-01"]);
        assert_eq!(failure.to_string(), r#"the server supports only "2099-01-01""#);
        assert_eq!(server.methods(), methods);
    }

    // The result lists them, too.
    let server_of_old = server(|seen| {
        result(seen, json!({ "supportedVersions": ["2025-11-25"], "capabilities": {} }))
    })
    .await;
    assert_eq!(connect(&server_of_old, both).await.unwrap(), Revision::V2025_11_25);

    // A server that refuses what it lists is asked again, but not for ever.
    let stubborn = server(|seen| unsupported(seen, &["2026-07-28"])).await;
    let failure = connect(&stubborn, both).await.unwrap_err();
    assert!(matches!(failure, ConnectError::NoCommonRevision(_)), "{failure}");
    assert_eq!(stubborn.methods(), ["server/discover"; 3]);
}

#[tokio::test]
async fn revisions_of_one_era_are_not_mixed() {
    let legacy = server(|_| panic!("the client is not of the modern era")).await;
    assert_eq!(connect(&legacy, LEGACY).await.unwrap(), Revision::V2025_11_25);
    assert_eq!(connect(&legacy, &[Revision::V2025_03_26]).await.unwrap(), Revision::V2025_03_26);

    let modern = server(|_| status(404)).await;
    let failure = connect(&modern, MODERN).await.unwrap_err();
    let ConnectError::Call(call) = &failure else { panic!("{failure}") };
    assert_eq!(PostError::of(call).unwrap().status().unwrap(), 404);
    assert_eq!(modern.methods(), ["server/discover"]);

    for revisions in [&[][..], &[Revision::V2024_11_05]] {
        let failure = connect(&modern, revisions).await.unwrap_err();
        assert!(matches!(failure, ConnectError::NoRevision), "{failure}");
    }
}

#[tokio::test]
async fn a_legacy_server_may_choose_an_earlier_revision() {
    let server = Server::start(|seen| async move {
        match seen.method() {
            "initialize" => {
                result(&seen, json!({ "protocolVersion": "2025-06-18", "capabilities": {} }))
            }
            "notifications/initialized" => status(202),
            "" => status(405),
            _ => result(&seen, json!({})),
        }
    })
    .await;
    assert_eq!(connect(&server, LEGACY).await.unwrap(), Revision::V2025_06_18);
    let list = &server.all("tools/list")[0];
    assert_eq!(list.header("mcp-protocol-version"), Some("2025-06-18"));

    let failure = connect(&server, &[Revision::V2025_11_25]).await.unwrap_err();
    let ConnectError::NoCommonRevision(versions) = failure else { panic!("{failure}") };
    assert_eq!(versions, ["2025-06-18"]);
}

#[tokio::test]
async fn a_session_of_no_use_is_ended() {
    let server = Server::start(|seen| async move {
        match (seen.verb.as_str(), seen.method()) {
            ("POST", "initialize") => {
                let result = json!({ "protocolVersion": "2025-06-18", "capabilities": {} });
                let mut response = super::support::result(&seen, result);
                response.headers_mut().insert("mcp-session-id", "s".parse().unwrap());
                response
            }
            _ => status(200),
        }
    })
    .await;
    let failure = connect(&server, &[Revision::V2025_11_25]).await.unwrap_err();
    assert!(matches!(failure, ConnectError::NoCommonRevision(_)), "{failure}");
    assert_eq!(server.methods(), ["initialize", "DELETE"]);
    assert_eq!(server.all("DELETE")[0].header("mcp-session-id"), Some("s"));
}

#[tokio::test]
async fn a_server_that_is_silent_is_given_up() {
    let server = Server::start(|seen| async move {
        tokio::time::sleep(Duration::from_secs(60)).await;
        discovered(&seen)
    })
    .await;
    let client = server.client().with_connect_timeout(Duration::from_millis(100));
    let failure = within(client.connect(Handlers::new(()))).await.unwrap_err();
    assert!(matches!(failure, ConnectError::TimedOut(_)), "{failure}");
}
