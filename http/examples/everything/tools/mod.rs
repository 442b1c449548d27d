//! The tools.

mod content;
mod input;
mod table;
mod work;

use serde_json::{Value, json};
use tautline_tokio::{Context, RpcError};

use crate::Everything;
use crate::call::{Call, Params, Stop};
use crate::lists::Page;

pub async fn list(context: Context<Everything>, page: Page) -> Result<Value, RpcError> {
    let tools = table::TOOLS.iter().filter(|tool| tool.is_there(context.state()));
    let tools = tools.map(|tool| {
        let schema = (tool.schema)();
        json!({ "name": tool.name, "description": tool.description, "inputSchema": schema })
    });
    page.only("tools", tools.collect::<Vec<_>>())
}

pub async fn call(context: Context<Everything>, params: Params) -> Result<Value, RpcError> {
    let mut tools = table::TOOLS.iter().filter(|tool| tool.is_there(context.state()));
    let Some(tool) = tools.find(|tool| tool.name == params.name) else {
        return Err(RpcError::invalid_params(format!("there is no tool {}", params.name)));
    };
    match (tool.run)(Call::new(context, "tools/call", params)?).await {
        Ok(result) | Err(Stop::InputRequired(result)) => Ok(result),
        Err(Stop::Error(error)) => Err(error),
        Err(Stop::Failure(reason)) => {
            let content = json!([{ "type": "text", "text": reason }]);
            Ok(json!({ "content": content, "isError": true }))
        }
    }
}

/// Returns a result with these parts.
fn parts(content: impl Into<Vec<Value>>) -> Value {
    json!({ "content": content.into() })
}

/// Returns a result with a text.
fn text(text: impl Into<String>) -> Value {
    parts([json!({ "type": "text", "text": text.into() })])
}
