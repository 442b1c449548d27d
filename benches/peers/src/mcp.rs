//! MCP: a tool that echoes a text.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde::{Deserialize, Serialize};
use tautline_mcp::Revision;
use tautline_tokio::{Handlers, Options};
use tokio::io::duplex;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::{Clock, PIPE};

#[derive(Serialize, Deserialize)]
struct Call {
    name: String,
    arguments: Arguments,
}

#[derive(Serialize, Deserialize)]
struct Arguments {
    text: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    content: Vec<Content>,
    is_error: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Content {
    Text { text: String },
}

/// A text that differs from call to call.
fn text(number: u64) -> String {
    format!("the text of call {number}, which is echoed")
}

pub fn tautline(runtime: &Runtime, clock: Clock, at_once: usize) -> u64 {
    runtime.block_on(async {
        let (ours, theirs) = duplex(PIPE);
        let handlers = Handlers::new(()).request("tools/call", async |_, call: Call| {
            assert_eq!(call.name, "echo");
            let content = vec![Content::Text { text: call.arguments.text }];
            Ok(Outcome { content, is_error: false })
        });
        let options = || Options::mcp(Revision::V2025_11_25);
        let server = options().start_stream(theirs, handlers);
        let client = options().start_stream(ours, Handlers::new(()));
        let clock = std::sync::Arc::new(clock);
        let mut callers = JoinSet::new();
        for _ in 0..at_once {
            let (peer, clock) = (client.peer().clone(), clock.clone());
            callers.spawn(async move {
                let mut count = 0;
                while !clock.is_over() {
                    let arguments = Arguments { text: text(count) };
                    let call = Call { name: "echo".to_owned(), arguments };
                    let outcome: Outcome = peer.call("tools/call", call).await.expect("an outcome");
                    let [Content::Text { text: echo }] = &outcome.content[..] else { panic!() };
                    assert_eq!(*echo, text(count));
                    count += 1;
                }
                count
            });
        }
        let counts = callers.join_all().await;
        drop(server);
        counts.into_iter().sum()
    })
}

#[derive(Clone)]
struct Echo;

impl ServerHandler for Echo {
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        assert_eq!(request.name, "echo");
        let mut arguments = request.arguments.expect("arguments");
        let Some(serde_json::Value::String(text)) = arguments.remove("text") else { panic!() };
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

pub fn rmcp(runtime: &Runtime, clock: Clock, at_once: usize) -> u64 {
    runtime.block_on(async {
        let (ours, theirs) = duplex(PIPE);
        let (server, client) = tokio::join!(Echo.serve(theirs), ().serve(ours));
        let (server, client) = (server.expect("a server"), client.expect("a client"));
        let clock = std::sync::Arc::new(clock);
        let mut callers = JoinSet::new();
        for _ in 0..at_once {
            let (peer, clock) = (client.peer().clone(), clock.clone());
            callers.spawn(async move {
                let mut count = 0;
                while !clock.is_over() {
                    let arguments =
                        JsonObject::from_iter([("text".to_owned(), text(count).into())]);
                    let call = CallToolRequestParams::new("echo").with_arguments(arguments);
                    let outcome = peer.call_tool(call).await.expect("an outcome");
                    let echo = outcome.content[0].as_text().expect("a text");
                    assert_eq!(echo.text, text(count));
                    count += 1;
                }
                count
            });
        }
        let counts = callers.join_all().await;
        drop(server);
        counts.into_iter().sum()
    })
}
