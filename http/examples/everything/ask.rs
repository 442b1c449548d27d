//! Questions to the client: for its user, its model or its roots.
//!
//! Up to 2025-11-25, a server sends a request to the client, and the call waits for the answer. In 2026-07-28, the server
//! answers the call with its questions, and the client repeats the call with its answers. A tool is written once for both:
//! it awaits [`Call::ask`]. In 2026-07-28, the tool runs from its beginning each time, and gets the answers to earlier
//! questions from the state of the call. So work that must not be done twice belongs after the last question.

use std::time::Duration;

use serde_json::{Map, Value, json};
use tautline_mcp::Era;
use tautline_tokio::{Context, RpcError};
use tokio::sync::Mutex;

use crate::Everything;
use crate::call::{Call, Params, Stop};

/// How long a call waits for the answer of a user.
const PATIENCE: Duration = Duration::from_secs(600);

/// A question to the client.
pub struct Question {
    method: &'static str,
    capability: &'static str,
    params: Value,
}

/// Asks the user to fill in a form.
pub fn form(message: impl Into<String>, schema: Value) -> Question {
    let params = json!({ "message": message.into(), "requestedSchema": schema });
    Question { method: "elicitation/create", capability: "elicitation", params }
}

/// Asks the model of the client.
pub fn sampling(prompt: impl Into<String>, max_tokens: u32) -> Question {
    let content = json!({ "type": "text", "text": prompt.into() });
    let messages = json!([{ "role": "user", "content": content }]);
    let params = json!({ "messages": messages, "maxTokens": max_tokens });
    Question { method: "sampling/createMessage", capability: "sampling", params }
}

/// Asks for the roots of the client.
pub fn roots() -> Question {
    Question { method: "roots/list", capability: "roots", params: json!({}) }
}

impl Question {
    /// Checks the type of an answer, as far as the tools here rely on it.
    fn check(&self, answer: &Value) -> Result<(), RpcError> {
        let is_valid = match self.capability {
            "elicitation" => {
                ["accept", "decline", "cancel"].iter().any(|it| answer["action"] == *it)
            }
            "sampling" => answer["role"].is_string() && answer.get("content").is_some(),
            _ => answer["roots"].is_array(),
        };
        let error = || RpcError::invalid_params(format!("this is no result of {}", self.method));
        if is_valid { Ok(()) } else { Err(error()) }
    }
}

impl Call {
    /// Reads the params of a method, with the answers that their state has.
    pub fn new(
        context: Context<Everything>,
        method: &'static str,
        mut params: Params,
    ) -> Result<Self, RpcError> {
        let state = params.request_state.take();
        let mut call = Self { context, method, params, answers: Mutex::default() };
        if let Some(state) = state {
            let opened = call.context.state().seal.open(&call.identity(), &state);
            let error =
                |_| RpcError::invalid_params("this requestState is not valid for this call");
            *call.answers.get_mut() = opened.map_err(error)?;
        }
        Ok(call)
    }

    /// Asks the client, and returns its answer.
    pub async fn ask(&self, name: &str, question: Question) -> Result<Value, Stop> {
        let mut answers = self.ask_all([(name, question)]).await?;
        Ok(answers.remove(name).unwrap_or_default())
    }

    /// Asks the client several questions at once, and returns its answers.
    pub async fn ask_all<const N: usize>(
        &self,
        questions: [(&str, Question); N],
    ) -> Result<Map<String, Value>, Stop> {
        for (_, question) in &questions {
            self.require(question.capability)?;
        }
        let mut answers = self.answers.lock().await;
        for (name, question) in &questions {
            if self.era() != Era::Modern {
                let peer = self.context.peer().with_timeout(PATIENCE);
                let answer = peer.call(question.method, &question.params).await;
                let answer: Value = answer.map_err(|error| Stop::Failure(error.to_string()))?;
                question.check(&answer)?;
                answers.insert((*name).to_owned(), answer);
            } else if let Some(answer) = self.params.input_responses.get(*name) {
                question.check(answer)?;
                answers.insert((*name).to_owned(), answer.clone());
            }
        }
        if questions.iter().all(|(name, _)| answers.contains_key(*name)) {
            return Ok(answers.clone());
        }
        let requests = questions.map(|(name, question)| {
            (name.to_owned(), json!({ "method": question.method, "params": question.params }))
        });
        Err(Stop::InputRequired(json!({
            "resultType": "input_required",
            "inputRequests": Map::from_iter(requests),
            "requestState": self.context.state().seal.close(&self.identity(), &answers),
        })))
    }

    /// Returns what a state belongs to.
    fn identity(&self) -> String {
        json!([self.method, self.params.name, self.params.arguments]).to_string()
    }
}

/// Returns the content of a form, or stops if the user has not filled it in.
pub fn content(mut answer: Value) -> Result<Value, Stop> {
    match answer["action"].as_str() {
        Some("accept") => Ok(answer["content"].take()),
        other => Err(Stop::Failure(format!("the user has chosen to {}", other.unwrap_or("?")))),
    }
}
