//! The resources.

use serde::Deserialize;
use serde_json::{Value, json};
use tautline_mcp::{ErrorCode, Revision};
use tautline_tokio::{Context, RpcError};

use crate::Everything;
use crate::lists::{Page, cacheable};

/// A red pixel.
pub const IMAGE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

pub const TEMPLATE: &str = "test://template/{id}/data";

pub async fn list(_: Context<Everything>, page: Page) -> Result<Value, RpcError> {
    page.only(
        "resources",
        json!([
            { "uri": "test://static-text", "name": "static-text", "mimeType": "text/plain",
              "description": "A text" },
            { "uri": "test://static-binary", "name": "static-binary", "mimeType": "image/png",
              "description": "A red pixel" },
            { "uri": "test://watched-resource", "name": "watched-resource", "mimeType": "text/plain",
              "description": "A text that test_trigger_resource_update changes" },
        ]),
    )
}

pub async fn templates(_: Context<Everything>, page: Page) -> Result<Value, RpcError> {
    page.only(
        "resourceTemplates",
        json!([{ "uriTemplate": TEMPLATE, "name": "template", "mimeType": "application/json",
                 "description": "The data with an id" }]),
    )
}

#[derive(Deserialize)]
pub struct Read {
    uri: String,
}

pub async fn read(context: Context<Everything>, params: Read) -> Result<Value, RpcError> {
    let uri = &*params.uri;
    let content = match uri {
        "test://static-text" => {
            json!({ "uri": uri, "mimeType": "text/plain", "text": "This is the content of the static text resource." })
        }
        "test://static-binary" => json!({ "uri": uri, "mimeType": "image/png", "blob": IMAGE }),
        "test://watched-resource" => {
            let version = context.state().changes.version();
            json!({ "uri": uri, "mimeType": "text/plain", "text": format!("version {version}") })
        }
        _ => match id_of(uri) {
            Some(id) => {
                let text =
                    json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
                json!({ "uri": uri, "mimeType": "application/json", "text": text.to_string() })
            }
            None => return Err(not_found(&context, uri)),
        },
    };
    Ok(cacheable(json!({ "contents": [content] })))
}

/// Returns the id in a URI of the template.
fn id_of(uri: &str) -> Option<&str> {
    let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
    (!id.is_empty() && !id.contains('/')).then_some(id)
}

/// Returns the error of a resource that does not exist. Its code has changed in 2026-07-28 (server/resources, error
/// handling).
fn not_found(context: &Context<Everything>, uri: &str) -> RpcError {
    let is_modern = context.peer().revision() >= Some(Revision::V2026_07_28);
    let code = ErrorCode::new(if is_modern { -32602 } else { -32002 });
    RpcError::new(code, "Resource not found").with_data(json!({ "uri": uri }))
}
