//! Calls that fail: none of them hangs, and none affects other calls.

use std::time::Duration;

use axum::body::Bytes;
use axum::response::Response;
use serde_json::{Value, json};
use tautline_http::client::{Client, ConnectError, PostError};
use tautline_mcp::rule;
use tautline_tokio::{CallError, Handlers};
use tokio::net::TcpListener;
use tower::service_fn;

use super::support::{
    Incidents, LEGACY, MODERN, Seen, Server, Stream, answer, event, json_text, result, status,
    text_of, usual, within,
};

/// Calls a method that is answered like this, in both eras. Checks the error, and that other calls succeed.
async fn fails(respond: fn(&Seen) -> Response, check: fn(&PostError) -> bool) {
    for revisions in [MODERN, LEGACY] {
        let server = Server::start(move |seen| {
            usual(seen, async move |seen| match seen.method() {
                "good" => result(&seen, json!({})),
                _ => respond(&seen),
            })
        })
        .await;
        let client = server.client().with_revisions(revisions).with_limit(1000);
        let connection = within(client.connect(Handlers::new(()))).await.unwrap();
        let peer = connection.peer();
        let (bad, good) = tokio::join!(
            within(peer.call::<Value>("bad", json!({}))),
            within(peer.call::<Value>("good", json!({}))),
        );
        good.unwrap();
        within(peer.call::<Value>("good", json!({}))).await.unwrap();
        let error = bad.unwrap_err();
        assert!(PostError::of(&error).is_some_and(check), "{error:?}");
        assert_eq!(peer.pending_calls(), 0);
    }
}

#[tokio::test]
async fn a_status_without_an_error_of_json_rpc() {
    for respond in [
        (|_| status(500)) as fn(&Seen) -> Response,
        |_| text_of(502, "text/html", "<h1>Bad Gateway"),
        |_| json_text(503, "{}"),
        |_| json_text(503, "not JSON"),
        |_| json_text(500, vec![b' '; 2000]),
        |seen| json_text(500, answer(seen, json!({})).to_string()),
        |_| status(307),
    ] {
        fails(respond, |error| {
            error.status().is_some_and(|status| [500, 502, 503, 307].contains(&status.as_u16()))
        })
        .await;
    }
}

#[tokio::test]
async fn another_content_type() {
    for respond in [
        (|seen| text_of(200, "text/plain", answer(seen, json!({})).to_string()))
            as fn(&Seen) -> Response,
        |_| text_of(200, "text/html; charset=utf-8", "<h1>hello"),
        |_| status(200),
        |_| status(202),
        |_| status(204),
    ] {
        fails(respond, |error| matches!(error, PostError::ContentType(_))).await;
    }
}

/// A response whose connection breaks after this text.
fn cut(of: &str, text: &'static str) -> Response {
    let (stream, response) = Stream::of(of);
    tokio::spawn(async move {
        stream.write(text).await;
        stream.cut().await;
    });
    response
}

#[tokio::test]
async fn a_body_that_breaks_off() {
    fails(|_| cut("application/json", "{\"jsonrpc\":"), |error| matches!(error, PostError::Cut(_)))
        .await;
    fails(|_| cut("text/event-stream", "data: {\"js"), |error| matches!(error, PostError::Cut(_)))
        .await;
    // The end comes in good order, and the answer does not.
    for respond in [
        (|_| text_of(200, "text/event-stream", "")) as fn(&Seen) -> Response,
        |_| text_of(200, "text/event-stream", "data: \n\n: comment\n\n"),
        |seen| {
            let whole = event(&answer(seen, json!({})));
            text_of(200, "text/event-stream", whole.trim_end().to_owned())
        },
    ] {
        fails(respond, |error| matches!(error, PostError::Unanswered)).await;
    }
}

#[tokio::test]
async fn a_message_over_the_limit() {
    for respond in [
        (|seen| json_text(200, answer(seen, json!({ "a": "x".repeat(1000) })).to_string()))
            as fn(&Seen) -> Response,
        |seen| {
            let message = answer(seen, json!({ "a": "x".repeat(1000) }));
            text_of(200, "text/event-stream", event(&message))
        },
        |_| text_of(200, "text/event-stream", format!("{}\n\n", "data: ".repeat(1000))),
    ] {
        fails(respond, |error| matches!(error, PostError::TooLong(1000))).await;
    }
    // One that is just short enough arrives.
    let server = Server::start(|seen| {
        usual(seen, async |seen| {
            let frame = answer(&seen, json!({ "a": "" })).to_string().len();
            let text = answer(&seen, json!({ "a": "x".repeat(1000 - frame) })).to_string();
            assert_eq!(text.len(), 1000);
            json_text(200, text)
        })
    })
    .await;
    let client = server.client().with_limit(1000).with_revisions(MODERN);
    let connection = within(client.connect(Handlers::new(()))).await.unwrap();
    within(connection.peer().call::<Value>("a", json!({}))).await.unwrap();
}

#[tokio::test]
async fn an_answer_that_breaks_a_rule() {
    for respond in [
        (|_| json_text(200, "")) as fn(&Seen) -> Response,
        |_| json_text(200, "not JSON"),
        |_| json_text(200, "{}"),
        |seen| {
            json_text(
                200,
                format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{}},"error":{{}}}}"#, seen.id()),
            )
        },
        |seen| json_text(200, format!(r#"{{"jsonrpc":"2.0","id":{},"result":1}}"#, seen.id())),
        |seen| json_text(200, format!("{0}{0}", answer(seen, json!({})))),
        |_| json_text(200, r#"{"jsonrpc":"2.0","id":"another","result":{}}"#),
        |seen| {
            let text = format!(r#"data: {{"jsonrpc":"2.0","id":{},"result":1}}"#, seen.id());
            text_of(200, "text/event-stream", format!("{text}\n\n"))
        },
    ] {
        fails(respond, |error| matches!(error, PostError::Broken(_))).await;
    }
    fails(
        |_| json_text(200, r#"{"jsonrpc":"2.0","id":"another","result":{}}"#),
        |error| matches!(error, PostError::Broken(finding) if finding.rule() == rule::RESPONSE_UNEXPECTED),
    )
    .await;
}

#[tokio::test]
async fn an_error_without_an_id_in_a_stream_is_the_answer() {
    for revisions in [MODERN, LEGACY] {
        for id in ["", r#""id":null,"#] {
            let server = Server::start(move |seen| {
                usual(seen, async move |_| {
                    let (stream, response) = Stream::new();
                    let error = r#""error":{"code":-32600,"message":"refused"}"#;
                    stream.write(format!("data: {{\"jsonrpc\":\"2.0\",{id}{error}}}\n\n")).await;
                    // The stream stays open.
                    tokio::spawn(async move { stream.closed().await });
                    response
                })
            })
            .await;
            let connection = server.connect(revisions).await;
            let called = within(connection.peer().call::<Value>("a", json!({}))).await;
            let Err(CallError::Peer(error)) = called else { panic!("{id:?}: {called:?}") };
            assert_eq!(error.code().value(), -32600);
            assert_eq!(error.message(), "refused");
        }
    }
}

#[tokio::test]
async fn a_broken_notification_ends_no_call() {
    let server = Server::start(|seen| {
        usual(seen, async |seen| {
            let (stream, response) = Stream::new();
            stream
                .write("data: not JSON\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":99,\"result\":1}\n\n")
                .await;
            stream.write(event(&answer(&seen, json!({ "a": 1 })))).await;
            response
        })
    })
    .await;
    let incidents = Incidents::default();
    let connection = incidents.observe(server.client()).with_revisions(MODERN);
    let connection = within(connection.connect(Handlers::new(()))).await.unwrap();
    let result: Value = within(connection.peer().call("a", json!({}))).await.unwrap();
    assert_eq!(result, json!({ "a": 1 }));
    assert_eq!(incidents.take().len(), 2);
}

#[tokio::test]
async fn a_refused_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri: http::Uri = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    drop(listener);
    let refused = within(Client::http(uri).connect(Handlers::new(()))).await.unwrap_err();
    let ConnectError::Call(call) = &refused else { panic!("{refused}") };
    assert!(matches!(PostError::of(call), Some(PostError::Unreachable(_))), "{refused}");

    // The connector of `Client::http` knows no TLS.
    let https = Client::http("https://localhost".parse().unwrap());
    let refused = within(https.connect(Handlers::new(()))).await.unwrap_err();
    assert!(matches!(refused, ConnectError::Call(_)), "{refused}");

    // The server goes away later.
    let server = Server::start(|seen| usual(seen, async |seen| result(&seen, json!({})))).await;
    let connection = server.connect(LEGACY).await;
    within(connection.peer().call::<Value>("a", json!({}))).await.unwrap();
    let listening = server.wait_for("GET", 1).await;
    drop((server, listening));
    let error = async {
        loop {
            // The connections that are open live on for a moment.
            if let Err(error) = connection.peer().call::<Value>("a", json!({})).await {
                return error;
            }
        }
    };
    let error = within(error).await;
    assert!(matches!(PostError::of(&error), Some(PostError::Unreachable(_))), "{error}");
    within(connection.close()).await;
}

#[tokio::test]
async fn a_service_that_fails_or_panics() {
    let service = service_fn(async |request: http::Request<http_body_util::Full<Bytes>>| {
        if request.headers()["mcp-method"] == "server/discover" {
            return Err::<http::Response<axum::body::Body>, _>("no route");
        }
        panic!("a bug in the service")
    });
    let uri: http::Uri = "http://localhost/mcp".parse().unwrap();
    let failed = within(Client::new(uri.clone(), service).connect(Handlers::new(()))).await;
    let failed = failed.unwrap_err().to_string();
    assert!(failed.ends_with("the server could not be reached: no route"), "{failed}");

    let service = service_fn(async |_: http::Request<http_body_util::Full<Bytes>>| {
        if true {
            panic!("a bug in the service")
        }
        Err::<http::Response<axum::body::Body>, _>("never")
    });
    let failed = within(Client::new(uri, service).connect(Handlers::new(()))).await.unwrap_err();
    let ConnectError::Call(call) = &failed else { panic!("{failed}") };
    assert!(matches!(PostError::of(call), Some(PostError::Panicked)), "{failed}");
}

#[tokio::test]
async fn an_acknowledgement_that_does_not_come() {
    let server = Server::start(|seen| {
        usual(seen, async |seen| match seen.method() {
            "silent" => {
                tokio::time::sleep(Duration::from_secs(60)).await;
                status(202)
            }
            _ => result(&seen, json!({})),
        })
    })
    .await;
    let incidents = Incidents::default();
    let client = incidents.observe(server.client()).with_revisions(MODERN);
    let client = client.with_ack_timeout(Duration::from_millis(100));
    let connection = within(client.connect(Handlers::new(()))).await.unwrap();
    connection.peer().notify("silent", json!({})).await.unwrap();
    within(connection.peer().call::<Value>("a", json!({}))).await.unwrap();
    let expected =
        r#"the notification "silent" did not arrive: the server sent no acknowledgement in 100ms"#;
    assert_eq!(incidents.take(), [expected]);
}

#[tokio::test]
async fn params_that_are_nested_as_deep_as_they_may_be() {
    let server = Server::start(|seen| usual(seen, async |seen| result(&seen, json!({})))).await;
    for revisions in [MODERN, LEGACY] {
        let connection = server.connect(revisions).await;
        let mut sent = 0;
        for depth in 100..140 {
            let text = format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
            let Ok(params) = tautline_tokio::Raw::parse(text) else { continue };
            match within(connection.peer().call::<Value>("a", params)).await {
                Ok(_) => sent += 1,
                // The server of the test reads less deep than the client.
                Err(error) => assert!(
                    matches!(error, CallError::NotSent(_) | CallError::Transport(_)),
                    "{depth}: {error}"
                ),
            }
        }
        assert!(sent > 20, "{sent}");
    }
}
