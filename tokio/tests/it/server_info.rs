//! The description of a server, over both handshakes.

use serde_json::{Value, json};
use tautline_mcp::Revision;
use tautline_tokio::{CallError, Handlers, Options, Peer, ServerInfo};

use crate::support::within;

fn handlers(info: ServerInfo) -> Handlers<()> {
    Handlers::new(()).with_server_info(info)
}

fn info() -> ServerInfo {
    ServerInfo::new("example", "1.2")
        .with_member("title", "Example")
        .with_capabilities(json!({ "tools": {} }))
        .with_instructions("Be kind.")
}

/// Connects a client in this revision to a server with this description.
async fn call(info: ServerInfo, revision: Revision, method: &str) -> Result<Value, CallError> {
    let options = Options::mcp(Revision::V2025_11_25);
    call_with(options, info, revision, method).await
}

async fn call_with(
    options: Options,
    info: ServerInfo,
    revision: Revision,
    method: &str,
) -> Result<Value, CallError> {
    let (ours, theirs) = tokio::io::duplex(4096);
    let _server = options.start_stream(theirs, handlers(info));
    let client = Options::mcp(revision).start_stream(ours, Handlers::new(()));
    let peer: &Peer = client.peer();
    let params =
        json!({ "protocolVersion": revision.name(), "capabilities": {}, "clientInfo": {} });
    within(peer.call(method, params)).await
}

#[tokio::test]
async fn the_requested_revision_is_chosen_if_it_is_supported() {
    for (revision, chosen) in [
        (Revision::V2025_03_26, "2025-03-26"),
        (Revision::V2025_11_25, "2025-11-25"),
        // It has no handshake.
        (Revision::V2026_07_28, "2025-11-25"),
    ] {
        let welcome = call(info(), revision, "initialize").await.unwrap();
        assert_eq!(welcome["protocolVersion"], chosen);
        assert_eq!(welcome["serverInfo"]["title"], "Example");
        assert_eq!(welcome["instructions"], "Be kind.");
    }
    let old = info().with_revisions(&[Revision::V2025_06_18, Revision::V2024_11_05][..]);
    let welcome = call(old, Revision::V2025_11_25, "initialize").await.unwrap();
    assert_eq!(welcome["protocolVersion"], "2025-06-18");
}

#[tokio::test]
async fn a_server_without_handshake_lists_its_versions() {
    let modern = info().with_revisions(&[Revision::V2026_07_28][..]);
    let error = call(modern, Revision::V2025_11_25, "initialize").await.unwrap_err();
    let CallError::Peer(error) = error else { panic!("{error}") };
    assert_eq!(error.code().value(), -32022);
    let data = json!({ "supported": ["2026-07-28"], "requested": "2025-11-25" });
    assert_eq!(error.data(), Some(&data));
}

#[tokio::test]
async fn discovery_has_what_the_schema_requires() {
    let found = call(info(), Revision::V2026_07_28, "server/discover").await.unwrap();
    assert_eq!(found["supportedVersions"].as_array().unwrap().len(), 5);
    assert_eq!(found["capabilities"], json!({ "tools": {} }));
    assert_eq!(found["resultType"], "complete");
    assert!(found["ttlMs"].is_u64() && found["cacheScope"] == "public");
    let info = &found["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(*info, json!({ "name": "example", "version": "1.2", "title": "Example" }));
}

#[tokio::test]
async fn revisions_that_the_transport_does_not_serve_are_not_supported() {
    const SERVED: &[Revision] = &[Revision::V2025_06_18, Revision::V2026_07_28];
    let options = Options::mcp(Revision::V2025_06_18).with_served_revisions(SERVED);
    let old = Revision::V2025_11_25;
    let welcome = call_with(options.clone(), info(), old, "initialize").await.unwrap();
    assert_eq!(welcome["protocolVersion"], "2025-06-18");
    let modern = Revision::V2026_07_28;
    let found = call_with(options.clone(), info(), modern, "server/discover").await.unwrap();
    assert_eq!(found["supportedVersions"].as_array().unwrap().len(), 2);
    let other = info().with_revisions(&[Revision::V2025_11_25][..]);
    let CallError::Peer(error) = call_with(options, other, old, "initialize").await.unwrap_err()
    else {
        panic!()
    };
    let data = json!({ "supported": [], "requested": "2025-11-25" });
    assert_eq!(error.data(), Some(&data));
}
