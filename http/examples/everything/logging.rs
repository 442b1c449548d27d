//! The levels of log messages that a client wants.

use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};
use tautline_http::HttpRequest;
use tautline_mcp::LogLevel;
use tautline_tokio::{Context, RpcError};

use crate::Everything;

/// The level of a session of the legacy era. A client gets all messages until it sets a level.
struct Chosen(Mutex<LogLevel>);

impl Default for Chosen {
    fn default() -> Self {
        Self(Mutex::new(LogLevel::Debug))
    }
}

#[derive(Deserialize)]
pub struct SetLevel {
    level: LogLevel,
}

/// Sets the level of a session (up to 2025-11-25).
pub async fn set_level(context: Context<Everything>, params: SetLevel) -> Result<Value, RpcError> {
    let session = context.attachment().and_then(HttpRequest::session);
    let session = session.ok_or_else(RpcError::method_not_found)?;
    *session.data::<Chosen>().0.lock().unwrap_or_else(PoisonError::into_inner) = params.level;
    Ok(json!({}))
}

/// Returns the lowest level that a session wants. Without a session, a client of that era gets no messages.
pub fn of_session(context: &Context<Everything>) -> Option<LogLevel> {
    let session = context.attachment().and_then(HttpRequest::session)?;
    Some(*session.data::<Chosen>().0.lock().unwrap_or_else(PoisonError::into_inner))
}
