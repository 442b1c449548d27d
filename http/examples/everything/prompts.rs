//! The prompts.

use serde_json::{Value, json};
use tautline_tokio::{Context, RpcError};

use crate::Everything;
use crate::ask::{content, form};
use crate::call::{Call, Outcome, Params, Stop};
use crate::lists::Page;
use crate::resources::IMAGE;

pub async fn list(context: Context<Everything>, page: Page) -> Result<Value, RpcError> {
    let argument = |name: &str, description: &str| json!({ "name": name, "description": description, "required": true });
    let mut prompts = vec![
        json!({ "name": "test_simple_prompt", "description": "A text" }),
        json!({ "name": "test_prompt_with_arguments", "description": "A text with two arguments",
            "arguments": [argument("arg1", "The first argument"), argument("arg2", "The second argument")] }),
        json!({ "name": "test_prompt_with_embedded_resource", "description": "A resource and a text",
            "arguments": [argument("resourceUri", "The URI of the resource")] }),
        json!({ "name": "test_prompt_with_image", "description": "An image and a text" }),
        json!({ "name": "test_input_required_result_prompt", "description": "Asks the user for the context" }),
    ];
    if context.state().changes.has_extra_prompt() {
        prompts.push(json!({ "name": "test_extra_prompt", "description": "Comes and goes" }));
    }
    page.only("prompts", prompts)
}

pub async fn get(context: Context<Everything>, params: Params) -> Result<Value, RpcError> {
    match prompt(&Call::new(context, "prompts/get", params)?).await {
        Ok(result) | Err(Stop::InputRequired(result)) => Ok(result),
        Err(Stop::Error(error)) => Err(error),
        Err(Stop::Failure(reason)) => Err(RpcError::invalid_params(reason)),
    }
}

async fn prompt(call: &Call) -> Outcome {
    let user = |content: Value| json!({ "role": "user", "content": content });
    let text = |text: &str| user(json!({ "type": "text", "text": text }));
    let messages = match &*call.params.name {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (arg1, arg2): (String, String) = (call.argument("arg1")?, call.argument("arg2")?);
            vec![text(&format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"))]
        }
        "test_prompt_with_embedded_resource" => {
            let uri: String = call.argument("resourceUri")?;
            let resource = json!({ "uri": uri, "mimeType": "text/plain",
                "text": "Embedded resource content for testing." });
            vec![
                user(json!({ "type": "resource", "resource": resource })),
                text("Please process the embedded resource above."),
            ]
        }
        "test_prompt_with_image" => vec![
            user(json!({ "type": "image", "data": IMAGE, "mimeType": "image/png" })),
            text("Please analyze the image above."),
        ],
        "test_input_required_result_prompt" => {
            let schema = json!({ "type": "object", "properties": { "context": { "type": "string" } },
                "required": ["context"] });
            let question = form("What context should the prompt use?", schema);
            let answer = content(call.ask("user_context", question).await?)?;
            vec![text(&format!("The context is {}.", answer["context"]))]
        }
        "test_extra_prompt" if call.context.state().changes.has_extra_prompt() => {
            vec![text("This prompt comes and goes.")]
        }
        name => return Err(RpcError::invalid_params(format!("there is no prompt {name}")).into()),
    };
    Ok(json!({ "messages": messages }))
}
