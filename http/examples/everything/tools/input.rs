//! Tools that ask the client. Each works in both eras.

use serde_json::{Value, json};

use super::text;
use crate::ask::{self, content, form};
use crate::call::{Call, Outcome, Stop};

/// Returns the schema of a form with one field.
fn field(name: &str, kind: &str) -> Value {
    json!({ "type": "object", "properties": { name: { "type": kind } }, "required": [name] })
}

pub async fn sampling(call: Call) -> Outcome {
    let prompt: String = call.argument("prompt")?;
    let answer = call.ask("answer", ask::sampling(prompt, 100)).await?;
    Ok(text(format!("LLM response: {}", answer["content"]["text"])))
}

pub async fn elicitation(call: Call) -> Outcome {
    let message: String = call.argument("message")?;
    let schema = json!({
        "type": "object",
        "properties": {
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" },
        },
        "required": ["username", "email"],
    });
    let answer = call.ask("answer", form(message, schema)).await?;
    Ok(text(format!("User response: {answer}")))
}

pub async fn defaults(call: Call) -> Outcome {
    let statuses = ["active", "inactive", "pending"];
    let schema = json!({ "type": "object", "properties": {
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": statuses, "default": "active" },
        "verified": { "type": "boolean", "default": true },
    } });
    completed(&call, "Please check these values", schema).await
}

pub async fn choices(call: Call) -> Outcome {
    let titled = |titles: [(&str, &str); 3]| {
        titles.map(|(value, title)| json!({ "const": value, "title": title }))
    };
    let single =
        [("value1", "First Option"), ("value2", "Second Option"), ("value3", "Third Option")];
    let multi =
        [("value1", "First Choice"), ("value2", "Second Choice"), ("value3", "Third Choice")];
    let plain = ["option1", "option2", "option3"];
    let schema = json!({ "type": "object", "properties": {
        "untitledSingle": { "type": "string", "enum": plain },
        "titledSingle": { "type": "string", "oneOf": titled(single) },
        "legacyEnum": { "type": "string", "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"] },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled(multi) } },
    } });
    completed(&call, "Please choose", schema).await
}

async fn completed(call: &Call, message: &str, schema: Value) -> Outcome {
    let answer = call.ask("answer", form(message, schema)).await?;
    let action = answer["action"].as_str().unwrap_or_default();
    Ok(text(format!("Elicitation completed: action={action}, content={}", answer["content"])))
}

pub async fn needs_sampling(call: Call) -> Outcome {
    call.require("sampling")?;
    Ok(text("The client has a model."))
}

pub async fn streaming(call: Call) -> Outcome {
    call.progress(50, 100).await?;
    let answer =
        content(call.ask("input", form("What shall it be?", field("value", "string"))).await?)?;
    Ok(text(format!("It is {}.", answer["value"])))
}

pub async fn name(call: Call) -> Outcome {
    let question = form("What is your name?", field("name", "string"));
    let answer = content(call.ask("user_name", question).await?)?;
    let name =
        answer["name"].as_str().ok_or_else(|| Stop::Failure("a name is missing".to_owned()))?;
    Ok(text(format!("Hello, {name}!")))
}

pub async fn capital(call: Call) -> Outcome {
    let question = ask::sampling("What is the capital of France?", 100);
    let answer = call.ask("capital_question", question).await?;
    Ok(text(format!("The model says: {}", answer["content"]["text"])))
}

pub async fn roots(call: Call) -> Outcome {
    let answer = call.ask("client_roots", ask::roots()).await?;
    let roots = answer["roots"].as_array().into_iter().flatten();
    let uris: Vec<_> = roots.filter_map(|root| root["uri"].as_str()).collect();
    Ok(text(format!("Roots: {}", uris.join(", "))))
}

pub async fn confirmation(call: Call) -> Outcome {
    let answer =
        content(call.ask("confirm", form("Please confirm", field("ok", "boolean"))).await?)?;
    Ok(text(if answer["ok"] == true { "state-ok: confirmed" } else { "state-ok: not confirmed" }))
}

pub async fn three(call: Call) -> Outcome {
    let answers = call
        .ask_all([
            ("user_name", form("What is your name?", field("name", "string"))),
            ("greeting", ask::sampling("Generate a greeting", 50)),
            ("client_roots", ask::roots()),
        ])
        .await?;
    let name = content(answers["user_name"].clone())?;
    let roots = answers["client_roots"]["roots"].as_array().map_or(0, Vec::len);
    let greeting = &answers["greeting"]["content"]["text"];
    Ok(text(format!("{greeting} {} has {roots} roots.", name["name"])))
}

pub async fn two_rounds(call: Call) -> Outcome {
    let first = form("Step 1: What is your name?", field("name", "string"));
    let name = content(call.ask("step1", first).await?)?;
    let second = form("Step 2: What is your favorite color?", field("color", "string"));
    let color = content(call.ask("step2", second).await?)?;
    Ok(text(format!("{} likes {}.", name["name"], color["color"])))
}

pub async fn by_capability(call: Call) -> Outcome {
    if call.has_capability("elicitation") {
        let answer = call.ask("user", form("What shall it be?", field("value", "string"))).await?;
        return Ok(text(format!("The user has answered: {answer}")));
    }
    if call.has_capability("sampling") {
        let answer = call.ask("model", ask::sampling("What shall it be?", 50)).await?;
        return Ok(text(format!("The model has answered: {answer}")));
    }
    Ok(text("The client has neither a user nor a model to ask."))
}
