//! Derives the event of a legal message from the messages before it.

use std::collections::HashMap;

use serde_json::Value;
use tautline_mcp::session::{Completion, Event};
use tautline_mcp::{KnownMethod, Role, rule};

/// The requests of a dialogue in flight, by sender (`true` is the client) and id.
#[derive(Default)]
pub struct Requests(HashMap<(bool, String), Request>);

struct Request {
    method: String,
    /// True if its sender has cancelled it. A server that ends a subscription answers it all the same.
    is_cancelled: bool,
}

impl Requests {
    /// Returns the event of the next message.
    pub fn event_of(&mut self, from: Role, message: &Value) -> String {
        let by_client = from == Role::Client;
        let id = message.get("id").map(Value::to_string);
        match (message.get("method").and_then(Value::as_str), id) {
            (Some(method), Some(id)) => {
                let known = KnownMethod::ALL.iter().any(|known| known.name() == method);
                let method = if known { method } else { "?" }.to_owned();
                self.0.insert((by_client, id), Request { method, is_cancelled: false });
                "request".to_owned()
            }
            (Some("notifications/cancelled"), None) => {
                let id = message["params"]["requestId"].to_string();
                for sender in [by_client, true] {
                    if let Some(request) = self.0.get_mut(&(sender, id.clone())) {
                        request.is_cancelled = sender == by_client;
                        return format!("cancelled {}", request.method);
                    }
                }
                "notification".to_owned()
            }
            (Some(_), None) => "notification".to_owned(),
            (None, id) => {
                let Some(request) = self.0.remove(&(!by_client, id.unwrap_or_default())) else {
                    return "Unmatched".to_owned();
                };
                let late = if request.is_cancelled { "late " } else { "" };
                format!("{late}{}: {}", completion_of(message), request.method)
            }
        }
    }
}

fn completion_of(response: &Value) -> String {
    let result = &response["result"];
    match response.get("error") {
        Some(error) => format!("Failed {}", error["code"]),
        None if result["resultType"] == "input_required" => "InputRequired".to_owned(),
        None if result["resultType"] == "task" => "TaskCreated".to_owned(),
        None if result["isError"] == true => "ToolFailed".to_owned(),
        None => "Done".to_owned(),
    }
}

/// Describes an event of the session in the same words.
pub fn text_of(event: &Event<'_>) -> String {
    let name = |method: &Option<KnownMethod>| method.map_or("?", KnownMethod::name);
    match event {
        Event::Request => "request".to_owned(),
        Event::Notification => "notification".to_owned(),
        Event::Cancelled { method, .. } => format!("cancelled {}", name(method)),
        Event::Refused(refusal) => {
            format!("refused {} {}", refusal.code().value(), rule::name(refusal.rule()))
        }
        Event::Response { method, completion, late, .. } => {
            let late = if *late { "late " } else { "" };
            let completion = match completion {
                Completion::Failed(Some(code)) => format!("Failed {}", code.value()),
                other => format!("{other:?}"),
            };
            format!("{late}{completion}: {}", name(method))
        }
        other => format!("{other:?}"),
    }
}
