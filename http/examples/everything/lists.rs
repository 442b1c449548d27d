//! Lists: pages, and how long a client may keep them.

use serde::Deserialize;
use serde_json::{Value, json};
use tautline_tokio::RpcError;

/// The parameters of a request for a list.
#[derive(Deserialize)]
pub struct Page {
    cursor: Option<String>,
}

impl Page {
    /// Returns the only page of a list. All lists here are short, so no page has a cursor.
    pub fn only(&self, name: &str, items: impl Into<Value>) -> Result<Value, RpcError> {
        if self.cursor.is_some() {
            return Err(RpcError::invalid_params("there is no such page"));
        }
        Ok(cacheable(json!({ name: items.into() })))
    }
}

/// Adds how long a client may keep a result: a minute, and caches may share it (2026-07-28, server/utilities/caching).
pub fn cacheable(mut result: Value) -> Value {
    result["ttlMs"] = json!(60_000);
    result["cacheScope"] = json!("public");
    result
}
