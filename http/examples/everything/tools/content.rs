//! Tools that return content.

use serde_json::{Value, json};

use super::{parts, text};
use crate::call::{Call, Outcome, Stop};
use crate::resources::IMAGE;

/// A WAV file without a sound.
const SOUND: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

pub async fn simple_text(_: Call) -> Outcome {
    Ok(text("This is a simple text response for testing."))
}

fn image_part() -> Value {
    json!({ "type": "image", "data": IMAGE, "mimeType": "image/png" })
}

pub async fn image(_: Call) -> Outcome {
    Ok(parts([image_part()]))
}

pub async fn audio(_: Call) -> Outcome {
    Ok(parts([json!({ "type": "audio", "data": SOUND, "mimeType": "audio/wav" })]))
}

pub async fn resource(_: Call) -> Outcome {
    let resource = json!({ "uri": "test://embedded-resource", "mimeType": "text/plain",
        "text": "This is an embedded resource content." });
    Ok(parts([json!({ "type": "resource", "resource": resource })]))
}

pub async fn mixed(_: Call) -> Outcome {
    let resource = json!({ "uri": "test://mixed-content-resource", "mimeType": "application/json",
        "text": json!({ "test": "data", "value": 123 }).to_string() });
    Ok(parts([
        json!({ "type": "text", "text": "Multiple content types test:" }),
        image_part(),
        json!({ "type": "resource", "resource": resource }),
    ]))
}

pub async fn failure(_: Call) -> Outcome {
    Err(Stop::Failure("This tool intentionally returns an error for testing".to_owned()))
}

/// In 2026-07-28, a client sends the argument in the header `Mcp-Param-Region`, too, and the server compares them
/// (server/tools, `x-mcp-header`). So a gateway can route a call by its region without reading its body.
pub fn header_schema() -> Value {
    let region = json!({ "type": "string", "x-mcp-header": "Region" });
    json!({ "type": "object", "properties": { "region": region } })
}

pub async fn header(call: Call) -> Outcome {
    let region: Option<String> = call.argument("region")?;
    Ok(text(region.unwrap_or_else(|| "no region".to_owned())))
}

pub fn rich_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
        } },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

pub async fn contact(call: Call) -> Outcome {
    let method: Option<String> = call.argument("contactMethod")?;
    let wanted = if method.as_deref() == Some("phone") { "phone" } else { "email" };
    let address: String = call.argument(wanted)?;
    Ok(text(format!("{wanted}: {address}")))
}
