//! The table of the tools: their names, their parameters and their handlers.

use std::pin::Pin;

use serde_json::{Value, json};

use super::{content, input, text, work};
use crate::Everything;
use crate::call::{Call, Outcome};

/// A tool.
pub struct Tool {
    pub name: &'static str,
    pub description: &'static str,
    pub schema: fn() -> Value,
    pub run: fn(Call) -> Pin<Box<dyn Future<Output = Outcome> + Send>>,
}

impl Tool {
    /// Returns whether the tool exists at the moment. One comes and goes.
    pub fn is_there(&self, state: &Everything) -> bool {
        self.name != "test_extra_tool" || state.changes.has_extra_tool()
    }
}

/// Writes the table.
macro_rules! tools {
    ($($name:literal, $description:literal, $schema:expr, $run:expr;)*) => {
        &[$(Tool {
            name: $name,
            description: $description,
            schema: || $schema,
            run: |call| Box::pin($run(call)),
        }),*]
    };
}

#[rustfmt::skip]
pub const TOOLS: &[Tool] = tools![
    "test_simple_text", "Returns a text", none(), content::simple_text;
    "test_image_content", "Returns an image", none(), content::image;
    "test_audio_content", "Returns a sound", none(), content::audio;
    "test_embedded_resource", "Returns a resource", none(), content::resource;
    "test_multiple_content_types", "Returns a text, an image and a resource", none(), content::mixed;
    "test_error_handling", "Fails", none(), content::failure;
    "test_header", "Returns its argument, which clients repeat in a header", content::header_schema(), content::header;
    "json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", content::rich_schema(), content::contact;
    "test_tool_with_logging", "Sends three messages for the log", none(), work::logging;
    "test_logging_tool", "Sends a message for the log", none(), work::one_message;
    "test_tool_with_progress", "Reports its progress", none(), work::progress;
    "test_reconnection", "Ends the response, and is done when the client has come back", none(), work::reconnection;
    "test_trigger_tool_change", "Adds a tool, or removes it", none(), work::change_tools;
    "test_trigger_prompt_change", "Adds a prompt, or removes it", none(), work::change_prompts;
    "test_trigger_resource_update", "Changes test://watched-resource", none(), work::update_resource;
    "test_extra_tool", "Comes and goes", none(), async |_| Ok(text("This tool comes and goes."));
    "test_sampling", "Asks the model of the client", one("prompt"), input::sampling;
    "test_elicitation", "Asks the user for a name and an address", one("message"), input::elicitation;
    "test_elicitation_sep1034_defaults", "Asks with default values", none(), input::defaults;
    "test_elicitation_sep1330_enums", "Asks the user to choose", none(), input::choices;
    "test_missing_capability", "Needs a client with a model", none(), input::needs_sampling;
    "test_streaming_elicitation", "Reports its progress, and asks the user", none(), input::streaming;
    "test_input_required_result_elicitation", "Asks for the name of the user", none(), input::name;
    "test_input_required_result_sampling", "Asks the model of the client", none(), input::capital;
    "test_input_required_result_list_roots", "Asks for the roots of the client", none(), input::roots;
    "test_input_required_result_request_state", "Asks the user to confirm", none(), input::confirmation;
    "test_input_required_result_tampered_state", "Asks the user to confirm", none(), input::confirmation;
    "test_input_required_result_multiple_inputs", "Asks three questions at once", none(), input::three;
    "test_input_required_result_multi_round", "Asks two questions, one after the other", none(), input::two_rounds;
    "test_input_required_result_capabilities", "Asks what the client can answer", none(), input::by_capability;
];

/// Returns the schema of no arguments.
fn none() -> Value {
    json!({ "type": "object", "properties": {} })
}

/// Returns the schema of one argument, a text.
fn one(name: &str) -> Value {
    json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": [name] })
}
