//! The tools of the server's own lists, by which the headers of parameters are judged.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use http::StatusCode;
use serde_json::{Value, json};
use tautline_http::{McpServer, ServerOptions};
use tautline_tokio::{Context, Handlers, RpcError};
use tokio::time::sleep;

use super::support::{POLICY, modern_call, send};

/// The lists that a server has answered.
#[derive(Default)]
struct Lists {
    count: AtomicUsize,
    /// The time that a page takes, in milliseconds.
    delay: AtomicU64,
    /// True if each page has a next one.
    is_endless: bool,
    /// The header of the tool's parameter changes after the first list.
    changes: bool,
}

async fn list(context: Context<Arc<Lists>>, _: Value) -> Result<Value, RpcError> {
    let lists = context.state();
    let count = lists.count.fetch_add(1, Ordering::SeqCst);
    sleep(Duration::from_millis(lists.delay.load(Ordering::SeqCst))).await;
    let header = if lists.changes && count > 0 { "Zone" } else { "Region" };
    let schema = json!({ "type": "object",
        "properties": { "region": { "type": "string", "x-mcp-header": header } } });
    let name = if lists.is_endless { "other" } else { "call" };
    let mut page = json!({ "tools": [{ "name": name, "inputSchema": schema }],
        "ttlMs": 0, "cacheScope": "private" });
    if lists.is_endless {
        page["nextCursor"] = format!("{count}").into();
    }
    Ok(page)
}

fn server(lists: &Arc<Lists>, keep_alive: Duration) -> McpServer {
    let handlers = Handlers::new(Arc::clone(lists))
        .request("tools/list", list)
        .request("tools/call", async |_: Context<_>, _: Value| Ok(json!({ "content": [] })));
    ServerOptions::new(POLICY).with_keep_alive(keep_alive).serve(handlers)
}

const KEEP_ALIVE: Duration = Duration::from_secs(15);

#[tokio::test]
async fn names_that_no_list_has_do_not_cause_a_list_each() {
    let lists = Arc::<Lists>::default();
    let server = server(&lists, KEEP_ALIVE);
    for count in 0..20 {
        send(&server, modern_call(&format!("bogus{count}"), json!({}), &[])).await;
    }
    assert!(lists.count.load(Ordering::SeqCst) <= 2);
}

#[tokio::test]
async fn calls_that_come_together_share_a_list() {
    let lists = Arc::new(Lists { delay: 100.into(), ..Lists::default() });
    let server = server(&lists, KEEP_ALIVE);
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let server = server.clone();
        let headers = [("mcp-param-region", "south")];
        let call = modern_call("call", json!({ "region": "north" }), &headers);
        calls.spawn(async move { send(&server, call).await.status() });
    }
    for status in calls.join_all().await {
        assert_eq!(status, StatusCode::BAD_REQUEST);
    }
    assert_eq!(lists.count.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_list_that_hangs_delays_one_call_and_judges_none() {
    let lists = Arc::new(Lists { delay: 60_000.into(), ..Lists::default() });
    let server = server(&lists, Duration::from_millis(500));
    let call =
        || modern_call("call", json!({ "region": "north" }), &[("mcp-param-region", "south")]);
    assert_eq!(send(&server, call()).await.status(), StatusCode::OK);
    let begun = Instant::now();
    for _ in 0..5 {
        assert_eq!(send(&server, call()).await.status(), StatusCode::OK);
    }
    assert!(begun.elapsed() < Duration::from_millis(500), "{:?}", begun.elapsed());
    assert_eq!(lists.count.load(Ordering::SeqCst), 1);
    // The next list judges.
    lists.delay.store(0, Ordering::SeqCst);
    sleep(Duration::from_millis(1100)).await;
    assert_eq!(send(&server, call()).await.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn the_latest_list_of_a_tool_counts() {
    let lists = Arc::new(Lists { changes: true, ..Lists::default() });
    let server = server(&lists, KEEP_ALIVE);
    let north = || json!({ "region": "north" });
    let status = async |header: &str, value: &str| {
        send(&server, modern_call("call", north(), &[(header, value)])).await.status()
    };
    assert_eq!(status("mcp-param-region", "south").await, 400);
    assert_eq!(status("mcp-param-region", "north").await, 200);
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {} });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list",
        "params": { "_meta": meta } });
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/list")];
    let reply = send(&server, super::support::post(&headers, &body)).await;
    assert_eq!(reply.status(), 200);
    for _ in 0..3 {
        assert_eq!(status("mcp-param-zone", "south").await, 400);
        assert_eq!(status("mcp-param-zone", "north").await, 200);
    }
    assert_eq!(lists.count.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn endless_pages_end_after_a_while() {
    let lists = Arc::new(Lists { is_endless: true, ..Lists::default() });
    let quick = server(&lists, KEEP_ALIVE);
    for _ in 0..3 {
        assert_eq!(send(&quick, modern_call("call", json!({}), &[])).await.status(), 200);
    }
    let count = lists.count.load(Ordering::SeqCst);
    assert!(count <= 64, "{count}");

    // One time-out covers all pages.
    let lists = Arc::new(Lists { is_endless: true, delay: 100.into(), ..Lists::default() });
    let slow = server(&lists, Duration::from_millis(300));
    let begun = Instant::now();
    assert_eq!(send(&slow, modern_call("call", json!({}), &[])).await.status(), 200);
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}
