//! Completion of the arguments of prompts and of resource templates.

use serde::Deserialize;
use serde_json::{Value, json};
use tautline_tokio::{Context, RpcError};

use crate::Everything;

#[derive(Deserialize)]
pub struct Params {
    #[serde(rename = "ref")]
    reference: Reference,
    argument: Argument,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Reference {
    #[serde(rename = "ref/prompt")]
    Prompt { name: String },
    #[serde(rename = "ref/resource")]
    Template { uri: String },
}

#[derive(Deserialize)]
struct Argument {
    name: String,
    value: String,
}

pub async fn complete(_: Context<Everything>, params: Params) -> Result<Value, RpcError> {
    let values: &[&str] = match (&params.reference, &*params.argument.name) {
        (Reference::Prompt { name }, "arg1") if name == "test_prompt_with_arguments" => {
            &["paris", "park", "party", "test"]
        }
        (Reference::Template { uri }, "id") if uri == crate::resources::TEMPLATE => {
            &["1", "12", "123"]
        }
        _ => &[],
    };
    let begins = |value: &&&str| value.starts_with(&params.argument.value);
    let values: Vec<_> = values.iter().filter(begins).collect();
    Ok(json!({ "completion": { "total": values.len(), "values": values, "hasMore": false } }))
}
