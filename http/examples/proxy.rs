//! A gateway: it refuses requests that break a rule of MCP, and passes the others on to a server. Any server will do.
//!
//! ```sh
//! cargo run --package tautline-http --example proxy -- --to http://127.0.0.1:8080/mcp
//! ```
//!
//! Clients connect to the address that it prints. Responses are passed on as they come, so streams of events work. If a
//! client closes a response, the gateway closes that of the server, which ends the request in 2026-07-28.

use std::error::Error;
use std::net::Ipv4Addr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::any;
use http::header::{
    CONNECTION, HOST, HeaderMap, HeaderName, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER,
    TRANSFER_ENCODING, UPGRADE,
};
use http::{StatusCode, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tautline_http::McpLayer;
use tautline_mcp::Revision;
use tautline_mcp::http::{Allowed, Policy, Sessions};
use tokio::net::TcpListener;

/// The rules for requests. The server may have sessions and streams or not.
const POLICY: Policy<'static> = Policy::new(Revision::ALL, Allowed::Loopback, Allowed::Loopback)
    .with_sessions(Sessions::Optional)
    .with_streams()
    .with_session_end();

/// The server that gets the requests.
#[derive(Clone)]
struct Upstream {
    client: Client<HttpConnector, Body>,
    uri: Uri,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (uri, port) = arguments()?;
    let mut connector = HttpConnector::new();
    connector.set_connect_timeout(Some(Duration::from_secs(5)));
    let upstream = Upstream { client: Client::builder(TokioExecutor::new()).build(connector), uri };

    let layer = McpLayer::new(POLICY).on_finding(|finding| eprintln!("{finding}"));
    let app = Router::new().route("/mcp", any(forward).layer(layer)).with_state(upstream);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    println!("http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, app).await?;
    Ok(())
}

/// Reads the address of the server and the port of the gateway from the command line. The default port is one that is free.
fn arguments() -> Result<(Uri, u16), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match names[..] {
        ["--to", uri] => Ok((uri.parse()?, 0)),
        ["--to", uri, "--port", port] => Ok((uri.parse()?, port.parse()?)),
        _ => Err("usage: proxy --to URL [--port N]".into()),
    }
}

/// Passes a request on. The layer has accepted it.
async fn forward(State(upstream): State<Upstream>, mut request: Request) -> Response {
    *request.uri_mut() = upstream.uri;
    remove_hop_by_hop(request.headers_mut());
    // The client sets it for the server.
    request.headers_mut().remove(HOST);
    match upstream.client.request(request).await {
        Ok(mut response) => {
            remove_hop_by_hop(response.headers_mut());
            response.map(Body::new)
        }
        Err(error) => {
            eprintln!("the server: {error}");
            let mut response = Response::default();
            *response.status_mut() = StatusCode::BAD_GATEWAY;
            response
        }
    }
}

/// Removes the headers that are about a connection, and not about a message (RFC 9110, section 7.6.1).
fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let named = headers.get_all(CONNECTION).into_iter().filter_map(|value| value.to_str().ok());
    let named: Vec<HeaderName> = named
        .flat_map(|names| names.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    let usual = [
        CONNECTION,
        PROXY_AUTHENTICATE,
        PROXY_AUTHORIZATION,
        TE,
        TRAILER,
        TRANSFER_ENCODING,
        UPGRADE,
        HeaderName::from_static("keep-alive"),
        HeaderName::from_static("proxy-connection"),
    ];
    for name in named.into_iter().chain(usual) {
        headers.remove(name);
    }
}
