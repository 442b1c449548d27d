//! The server: three tools, a resource and a prompt. Nothing in it depends on tautline.

use std::borrow::Cow;

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    Implementation, ListPromptsResult, ListResourcesResult, PaginatedRequestParams,
    ProgressNotificationParam, Prompt, PromptArgument, PromptMessage, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, RequestMetaObject,
    Resource, ResourceContents, Role, ServerCapabilities, ServerConfig,
};
use rmcp::schemars::{self, JsonSchema};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler, tool, tool_handler, tool_router};
use serde::Deserialize;

#[derive(Clone, Copy, Debug, Default)]
pub struct Server;

#[derive(Debug, Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Count {
    #[schemars(range(min = 1, max = 100))]
    steps: u8,
}

/// A failing tool returns text as an `Err`, for the model to read. It is not a protocol error.
#[tool_router]
impl Server {
    #[tool(description = "Adds two integers")]
    fn add(&self, Parameters(Add { a, b }): Parameters<Add>) -> Result<String, String> {
        let sum = a.checked_add(b).ok_or("the sum is too large")?;
        Ok(sum.to_string())
    }

    #[tool(description = "Fails")]
    fn fail(&self) -> Result<String, String> {
        Err("it failed, as it was asked to".into())
    }

    #[tool(description = "Counts, and reports each step")]
    async fn count(
        &self,
        Parameters(Count { steps }): Parameters<Count>,
        meta: RequestMetaObject,
        client: Peer<RoleServer>,
    ) -> Result<String, String> {
        if !(1..=100).contains(&steps) {
            return Err("steps must be an integer from 1 to 100".into());
        }
        if let Some(token) = meta.get_progress_token() {
            for step in 1..=steps {
                let progress = ProgressNotificationParam::new(token.clone(), step.into());
                let progress = progress.with_total(steps.into());
                client.notify_progress(progress).await.map_err(|error| error.to_string())?;
            }
        }
        Ok(format!("counted to {steps}"))
    }
}

const RESOURCE: &str = "info://server";
const PROMPT: &str = "greet";

#[tool_handler]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        let name = Implementation::new("tautline-rmcp-server", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities).with_server_info(name)
    }

    /// Leaves out the revision with batches, because the SDK does not accept batches.
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(&[
            ProtocolVersion::V_2024_11_05,
            ProtocolVersion::V_2025_06_18,
            ProtocolVersion::V_2025_11_25,
            ProtocolVersion::V_2026_07_28,
        ])
    }

    /// Serves only requests whose metadata names a revision that has metadata.
    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let supported = self.supported_protocol_versions().into_owned();
        match context.meta.protocol_version() {
            Some(version) if version.has_initialize() => {
                let data = serde_json::json!({
                    "supported": supported.iter().map(ProtocolVersion::as_str).collect::<Vec<_>>(),
                    "requested": version.as_str(),
                });
                let code = ErrorCode::UNSUPPORTED_PROTOCOL_VERSION;
                Err(ErrorData::new(code, "Unsupported protocol version", Some(data)))
            }
            Some(_) => Ok(DiscoverResult::from_server_info(supported, self.get_info())),
            None => Err(ErrorData::invalid_params("There is no protocolVersion in _meta", None)),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resource = Resource::new(RESOURCE, "server").with_mime_type("text/plain");
        Ok(ListResourcesResult::with_all_items(vec![resource]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri != RESOURCE {
            return Err(ErrorData::resource_not_found("Unknown resource", None));
        }
        let text = ResourceContents::text("An MCP server of rmcp on tautline.", RESOURCE);
        Ok(ReadResourceResult::new(vec![text.with_mime_type("text/plain")]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let argument = PromptArgument::new("name").with_required(true);
        let prompt = Prompt::new(PROMPT, Some("Greets somebody"), Some(vec![argument]));
        Ok(ListPromptsResult::with_all_items(vec![prompt]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name != PROMPT {
            return Err(ErrorData::invalid_params("Unknown prompt", None));
        }
        let arguments = request.arguments.unwrap_or_default();
        let name = arguments.get("name").and_then(|name| name.as_str());
        let name = name.ok_or_else(|| ErrorData::invalid_params("A name is required", None))?;
        let text = format!("Greet {name}, in one sentence.");
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }
}
