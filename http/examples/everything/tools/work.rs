//! Tools that take their time, and tools that change what the server has.

use std::time::Duration;

use tautline_http::HttpRequest;
use tautline_mcp::LogLevel;
use tokio::time::sleep;

use super::text;
use crate::call::{Call, Outcome};

const STEP: Duration = Duration::from_millis(50);

pub async fn logging(call: Call) -> Outcome {
    call.log(LogLevel::Info, "Tool execution started").await?;
    sleep(STEP).await;
    call.log(LogLevel::Info, "Tool processing data").await?;
    sleep(STEP).await;
    call.log(LogLevel::Info, "Tool execution completed").await?;
    Ok(text("The messages were sent."))
}

pub async fn one_message(call: Call) -> Outcome {
    call.log(LogLevel::Info, "Tool called").await?;
    Ok(text("The message was sent, if the client wanted it."))
}

pub async fn progress(call: Call) -> Outcome {
    call.progress(0, 100).await?;
    sleep(STEP).await;
    call.progress(50, 100).await?;
    sleep(STEP).await;
    call.progress(100, 100).await?;
    Ok(text("The work is done."))
}

/// Ends the response before there is a result. The client comes back for it (2025-11-25). In 2026-07-28, a response can't be
/// resumed, so the client waits.
pub async fn reconnection(call: Call) -> Outcome {
    if let Some(request) = call.context.attachment::<HttpRequest>() {
        request.pause(Duration::from_millis(500));
    }
    sleep(2 * STEP).await;
    Ok(text("The client has come back for this result."))
}

pub async fn change_tools(call: Call) -> Outcome {
    call.context.state().changes.change_tools();
    Ok(text("The tools have changed."))
}

pub async fn change_prompts(call: Call) -> Outcome {
    call.context.state().changes.change_prompts();
    Ok(text("The prompts have changed."))
}

pub async fn update_resource(call: Call) -> Outcome {
    call.context.state().changes.update_resource();
    Ok(text("The resource has changed."))
}
