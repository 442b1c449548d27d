//! LSP: a hover, asked by a plain client that keeps a number of requests in flight.

use std::collections::HashSet;

use serde_json::Value;
use tautline_tokio::{Handlers, Options};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex};
use tokio::runtime::Runtime;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    Hover, HoverContents, HoverParams, InitializeParams, InitializeResult, MarkedString,
};
use tower_lsp_server::{LanguageServer, LspService, Server};

use crate::{Clock, PIPE};

/// Asks until the time is over. It writes all requests that it may, and then reads an answer.
async fn client(pipe: DuplexStream, clock: Clock, at_once: usize) -> u64 {
    let (input, mut output) = tokio::io::split(pipe);
    let mut input = BufReader::new(input);
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{}}}"#;
    send(&mut output, hello).await;
    assert_eq!(read(&mut input).await["id"], 0);
    send(&mut output, r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#).await;
    let (mut next, mut count, mut in_flight) = (1_u64, 0, HashSet::new());
    let mut text = Vec::new();
    loop {
        text.clear();
        while in_flight.len() < at_once && !clock.is_over() {
            let position = format!("{{\"line\":{},\"character\":7}}", next % 1000);
            let body = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{next},\"method\":\"textDocument/hover\",\"params\":\
                 {{\"textDocument\":{{\"uri\":\"file:///a/b.rs\"}},\"position\":{position}}}}}"
            );
            text.extend_from_slice(
                format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes(),
            );
            in_flight.insert(next);
            next += 1;
        }
        output.write_all(&text).await.expect("a server");
        if in_flight.is_empty() {
            return count;
        }
        let answer = read(&mut input).await;
        let id = answer["id"].as_u64().expect("an id");
        assert!(in_flight.remove(&id), "{answer}");
        assert_eq!(answer["result"]["contents"], format!("line {}", id % 1000));
        count += 1;
    }
}

async fn send(output: &mut (impl AsyncWriteExt + Unpin), body: &str) {
    let text = format!("Content-Length: {}\r\n\r\n{body}", body.len());
    output.write_all(text.as_bytes()).await.expect("a server");
}

async fn read(input: &mut (impl AsyncBufReadExt + Unpin)) -> Value {
    let (mut length, mut line) = (0, String::new());
    while line != "\r\n" {
        line.clear();
        input.read_line(&mut line).await.expect("a header");
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.trim_end().parse().expect("a length");
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body).await.expect("a body");
    serde_json::from_slice(&body).expect("JSON")
}

fn hover(params: &HoverParams) -> Hover {
    let position = &params.text_document_position_params.position;
    let text = format!("line {}", position.line);
    Hover { contents: HoverContents::Scalar(MarkedString::String(text)), range: None }
}

pub fn tautline(runtime: &Runtime, clock: Clock, at_once: usize) -> u64 {
    runtime.block_on(async {
        let (ours, theirs) = duplex(PIPE);
        let handlers = Handlers::new(())
            .request("initialize", async |_, _: InitializeParams| Ok(InitializeResult::default()))
            .notification("initialized", async |_, _: Value| ())
            .request("textDocument/hover", async |_, params: HoverParams| Ok(Some(hover(&params))));
        let server = Options::lsp().start_stream(theirs, handlers);
        let client = tokio::spawn(client(ours, clock, at_once));
        let count = client.await.expect("a count");
        drop(server);
        count
    })
}

struct Backend;

impl LanguageServer for Backend {
    async fn initialize(&self, _: InitializeParams) -> Result<InitializeResult> {
        Ok(InitializeResult::default())
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        Ok(Some(hover(&params)))
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }
}

pub fn tower(runtime: &Runtime, clock: Clock, at_once: usize) -> u64 {
    runtime.block_on(async {
        let (ours, theirs) = duplex(PIPE);
        let (input, output) = tokio::io::split(theirs);
        let (service, socket) = LspService::new(|_| Backend);
        // Four requests at once is the default; more is fair to it.
        let server = Server::new(input, output, socket).concurrency_level(at_once.max(4));
        let server = tokio::spawn(server.serve(service));
        let client = tokio::spawn(client(ours, clock, at_once));
        let count = client.await.expect("a count");
        server.abort();
        count
    })
}
