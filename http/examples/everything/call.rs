//! A call of a tool or a prompt, with what the handler needs of its client.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tautline_http::HttpRequest;
use tautline_mcp::{Era, ErrorCode, LogLevel, meta};
use tautline_tokio::{Context, RpcError};
use tokio::sync::Mutex;

use crate::Everything;
use crate::logging;

/// The parameters of `tools/call` and `prompts/get`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Params {
    pub name: String,
    #[serde(default)]
    pub arguments: Map<String, Value>,
    /// The answers of the client to earlier questions, and the state that came with these questions (2026-07-28).
    #[serde(default)]
    pub input_responses: Map<String, Value>,
    pub request_state: Option<String>,
    #[serde(default, rename = "_meta")]
    pub meta: Map<String, Value>,
}

/// A call of a tool or a prompt.
pub struct Call {
    pub context: Context<Everything>,
    /// `tools/call` or `prompts/get`.
    pub method: &'static str,
    pub params: Params,
    /// The answers of the client so far, by the names of the questions.
    pub answers: Mutex<Map<String, Value>>,
}

/// The code of MissingRequiredClientCapability (2026-07-28, basic, error codes).
const MISSING_CAPABILITY: ErrorCode = ErrorCode::new(-32021);

/// A result, or why there is none yet.
pub type Outcome = Result<Value, Stop>;

/// The reason why a handler stops.
pub enum Stop {
    /// An error of the protocol.
    Error(RpcError),
    /// A failure that a model can read.
    Failure(String),
    /// The result that asks the client for input. The client then repeats its request.
    InputRequired(Value),
}

impl<E: Into<RpcError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}

impl Call {
    /// Returns an argument.
    pub fn argument<T: DeserializeOwned>(&self, name: &str) -> Result<T, Stop> {
        let value = self.params.arguments.get(name).cloned().unwrap_or_default();
        T::deserialize(value).map_err(|error| Stop::Failure(format!("{name}: {error}")))
    }

    /// Returns the era of the client.
    pub fn era(&self) -> Era {
        self.context.peer().revision().map_or(Era::Modern, |revision| revision.era())
    }

    /// Returns whether the client has declared a capability. In 2026-07-28, each request declares them. Before, the session
    /// has them from `initialize`.
    pub fn has_capability(&self, name: &str) -> bool {
        let declared = match self.era() {
            Era::Modern => self.params.meta.get(meta::CLIENT_CAPABILITIES).cloned(),
            _ => {
                let session = self.context.attachment().and_then(HttpRequest::session);
                let client: Option<Value> =
                    session.and_then(|one| one.client()?.deserialize().ok());
                client.map(|mut client| client["capabilities"].take())
            }
        };
        // A client may support URLs for its user and no forms (client/elicitation, capabilities).
        let is_enough = |declared: &Value| match name {
            "elicitation" => declared.get("form").is_some() || declared.get("url").is_none(),
            _ => true,
        };
        declared.is_some_and(|declared| declared[name].is_object() && is_enough(&declared[name]))
    }

    /// Stops if the client has not declared a capability.
    pub fn require(&self, name: &str) -> Result<(), Stop> {
        match self.era() {
            _ if self.has_capability(name) => Ok(()),
            Era::Modern => {
                let error = RpcError::new(MISSING_CAPABILITY, "Missing required client capability");
                Err(error.with_data(json!({ "requiredCapabilities": { name: {} } })).into())
            }
            _ => Err(Stop::Failure(format!("the client does not support {name}"))),
        }
    }

    /// Reports progress, if the client wants to know of it.
    pub async fn progress(&self, progress: u32, total: u32) -> Result<(), Stop> {
        let Some(token) = self.params.meta.get(meta::PROGRESS_TOKEN) else { return Ok(()) };
        let report = json!({ "progressToken": token, "progress": progress, "total": total });
        self.context.peer().notify("notifications/progress", report).await?;
        Ok(())
    }

    /// Sends a message for the client's log, if the client wants messages of this level. In 2026-07-28, each request has the
    /// lowest level, without which the client gets none (server/utilities/logging). Before, the session has it.
    pub async fn log(&self, level: LogLevel, data: impl Into<Value>) -> Result<(), Stop> {
        let wanted = match (self.era(), self.params.meta.get(meta::LOG_LEVEL)) {
            (Era::Modern, level) => {
                level.map(LogLevel::deserialize).transpose().map_err(RpcError::invalid_params)?
            }
            _ => logging::of_session(&self.context),
        };
        if wanted.is_some_and(|wanted| level >= wanted) {
            let message = json!({ "level": level, "logger": "everything", "data": data.into() });
            self.context.peer().notify("notifications/message", message).await?;
        }
        Ok(())
    }
}
