//! A language server on standard input and output. It shows the length of the line under the cursor.

use std::collections::HashMap;
use std::sync::Mutex;

use serde::Deserialize;
use serde_json::{Value, json};
use tautline_tokio::{Context, Handlers, Options, RpcError};

/// The open documents, by URI.
type Documents = Mutex<HashMap<String, String>>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DidOpen {
    text_document: Document,
}

#[derive(Deserialize)]
struct Document {
    uri: String,
    text: String,
}

async fn did_open(context: Context<Documents>, params: DidOpen) {
    let Document { uri, text } = params.text_document;
    let warning = json!({ "uri": uri, "diagnostics": [] });
    context.state().lock().unwrap().insert(uri, text);
    // The handler calls the editor back.
    let _ = context.peer().notify("textDocument/publishDiagnostics", warning).await;
}

async fn hover(context: Context<Documents>, params: Value) -> Result<Value, RpcError> {
    let documents = context.state().lock().unwrap();
    let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
    let text = documents.get(uri).ok_or_else(|| RpcError::invalid_params("it is not open"))?;
    let line = params["position"]["line"].as_u64().and_then(|line| usize::try_from(line).ok());
    let length = line.and_then(|line| text.lines().nth(line)).map(|line| line.chars().count());
    Ok(length.map_or(Value::Null, |length| json!({ "contents": format!("{length} characters") })))
}

pub fn handlers() -> Handlers<Documents> {
    let capabilities = json!({ "capabilities": { "textDocumentSync": 1, "hoverProvider": true } });
    Handlers::new(Documents::default())
        .request("initialize", move |_, _: Value| std::future::ready(Ok(capabilities.clone())))
        .notification("initialized", async |_, _: Value| ())
        .notification("textDocument/didOpen", did_open)
        .request("textDocument/hover", hover)
        .request("shutdown", async |_, (): ()| Ok(()))
        .notification("exit", async |context, (): ()| context.peer().close())
}

#[tokio::main]
pub async fn main() {
    let connection = Options::lsp().start(tokio::io::stdin(), tokio::io::stdout(), handlers());
    eprintln!("{}", connection.wait().await);
    // A read of standard input can't be cancelled, and the runtime would wait for it.
    std::process::exit(0);
}
