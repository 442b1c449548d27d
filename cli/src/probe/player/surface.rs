//! The features that the player offers to clients of each era, and its usual answers.

use serde_json::{Value, json};

/// The first revision in which each request carries its own metadata.
const MODERN: &str = "2026-07-28";
/// The member of `_meta` in which a modern client names itself.
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// A server of one revision.
pub struct Surface {
    revision: String,
    is_modern: bool,
}

impl Surface {
    pub fn new(revision: &str) -> Self {
        // Revisions are dates.
        Self { revision: revision.to_owned(), is_modern: revision >= MODERN }
    }

    /// Returns the rest of a response: the member `result` or `error`, as JSON text without braces.
    pub fn answer(&self, method: &str, params: &Value) -> String {
        match self.result(method, params) {
            Ok(mut result) => {
                if self.is_modern {
                    result["resultType"] = json!("complete");
                    if method.ends_with("/list")
                        || matches!(method, "server/discover" | "resources/read")
                    {
                        result["ttlMs"] = json!(0);
                        result["cacheScope"] = json!("private");
                    }
                }
                format!("\"result\":{result}")
            }
            Err((code, message, data)) => {
                let mut error = json!({"code": code, "message": message});
                if let Some(data) = data {
                    error["data"] = data;
                }
                format!("\"error\":{error}")
            }
        }
    }

    fn result(
        &self,
        method: &str,
        params: &Value,
    ) -> Result<Value, (i64, &'static str, Option<Value>)> {
        let info = json!({"name": "tautline-player", "version": env!("CARGO_PKG_VERSION")});
        let capabilities = json!({"tools": {}, "resources": {}, "prompts": {}});
        let text = |name: &str| params.get(name).and_then(Value::as_str);
        let invalid = |message| Err((-32602, message, None));
        Ok(match (method, self.is_modern) {
            ("initialize", false) => json!({
                "protocolVersion": self.revision, "capabilities": capabilities, "serverInfo": info,
            }),
            ("initialize", true) => {
                let data =
                    json!({"supported": [self.revision], "requested": text("protocolVersion")});
                return Err((-32022, "Unsupported protocol version", Some(data)));
            }
            ("server/discover", true) => json!({
                "supportedVersions": [self.revision], "capabilities": capabilities, "_meta": {SERVER_INFO: info},
            }),
            ("ping", false) => json!({}),
            ("tools/list", _) => json!({"tools": [{
                "name": "echo",
                "description": "Returns its text",
                "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
            }]}),
            // A case may have listed other tools, which answer as well.
            ("tools/call", _) => {
                let text = params.pointer("/arguments/text").and_then(Value::as_str);
                json!({"content": [{"type": "text", "text": text.unwrap_or_default()}]})
            }
            ("resources/list", _) => {
                json!({"resources": [{"uri": "info://player", "name": "player", "mimeType": "text/plain"}]})
            }
            ("resources/templates/list", _) => json!({"resourceTemplates": []}),
            ("resources/read", _) => match text("uri") {
                Some(uri @ "info://player") => {
                    json!({"contents": [{"uri": uri, "mimeType": "text/plain", "text": "A server for tests."}]})
                }
                _ if self.is_modern => return invalid("Unknown resource"),
                _ => return Err((-32002, "Unknown resource", None)),
            },
            ("prompts/list", _) => json!({"prompts": [{"name": "greet"}]}),
            ("prompts/get", _) => match text("name") {
                Some("greet") => {
                    json!({"messages": [{"role": "user", "content": {"type": "text", "text": "Hello."}}]})
                }
                _ => return invalid("Unknown prompt"),
            },
            _ => return Err((-32601, "Method not found", None)),
        })
    }
}

/// Returns the name and the version of the client, from the params of a request of either era.
pub fn client(params: &Value) -> Option<(&str, &str)> {
    let info = params.get("clientInfo").or_else(|| params.get("_meta")?.get(CLIENT_INFO))?;
    Some((info.get("name")?.as_str()?, info.get("version")?.as_str()?))
}
