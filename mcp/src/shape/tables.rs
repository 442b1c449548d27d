//! The tables of shapes, generated from `shapes.txt` by `tests/it/shapes`.

use tautline::internal::envelope::Kinds;

use super::table::{Detail, Format, Object, Reserved, Shapes, Type, may, must, request};
use crate::{KnownMethod as Method, Revision};

/// How deep values with a type of their own are nested in a payload.
pub(super) const DEPTH: usize = 13;

pub(super) static V2024_11_05: Shapes = Shapes {
    revision: Revision::V2024_11_05,
    requests: &[
        request(Method::CompletionComplete, Some(&COMPLETE_REQUEST_PARAMS), &COMPLETE_RESULT),
        request(Method::Initialize, Some(&INITIALIZE_REQUEST_PARAMS), &INITIALIZE_RESULT),
        request(Method::LoggingSetLevel, Some(&SET_LEVEL_REQUEST_PARAMS), &NOTIFICATION_PARAMS),
        request(Method::Ping, Some(&REQUEST_PARAMS), &NOTIFICATION_PARAMS),
        request(Method::PromptsGet, Some(&GET_PROMPT_REQUEST_PARAMS), &GET_PROMPT_RESULT),
        request(Method::PromptsList, Some(&PAGINATED_REQUEST_PARAMS), &LIST_PROMPTS_RESULT),
        request(Method::ResourcesList, Some(&PAGINATED_REQUEST_PARAMS), &LIST_RESOURCES_RESULT),
        request(Method::ResourcesRead, Some(&READ_RESOURCE_REQUEST_PARAMS), &READ_RESOURCE_RESULT),
        request(Method::ResourcesSubscribe, Some(&READ_RESOURCE_REQUEST_PARAMS), &NOTIFICATION_PARAMS),
        request(Method::ResourcesTemplatesList, Some(&PAGINATED_REQUEST_PARAMS), &LIST_RESOURCE_TEMPLATES_RESULT),
        request(Method::ResourcesUnsubscribe, Some(&READ_RESOURCE_REQUEST_PARAMS), &NOTIFICATION_PARAMS),
        request(Method::RootsList, Some(&REQUEST_PARAMS), &LIST_ROOTS_RESULT),
        request(Method::SamplingCreateMessage, Some(&CREATE_MESSAGE_REQUEST_PARAMS), &CREATE_MESSAGE_RESULT),
        request(Method::ToolsCall, Some(&CALL_TOOL_REQUEST_PARAMS), &CALL_TOOL_RESULT),
        request(Method::ToolsList, Some(&PAGINATED_REQUEST_PARAMS), &LIST_TOOLS_RESULT),
    ],
    notifications: &[
        (Method::Cancelled, &CANCELLED_NOTIFICATION_PARAMS),
        (Method::Initialized, &NOTIFICATION_PARAMS),
        (Method::LoggingMessage, &LOGGING_MESSAGE_NOTIFICATION_PARAMS),
        (Method::Progress, &PROGRESS_NOTIFICATION_PARAMS),
        (Method::PromptsListChanged, &NOTIFICATION_PARAMS),
        (Method::ResourcesListChanged, &NOTIFICATION_PARAMS),
        (Method::ResourcesUpdated, &RESOURCE_UPDATED_NOTIFICATION_PARAMS),
        (Method::RootsListChanged, &NOTIFICATION_PARAMS),
        (Method::ToolsListChanged, &NOTIFICATION_PARAMS),
    ],
    errors: &[],
    result_types: &[],
};

pub(super) static V2025_03_26: Shapes = Shapes {
    revision: Revision::V2025_03_26,
    requests: &[
        request(Method::CompletionComplete, Some(&COMPLETE_REQUEST_PARAMS), &COMPLETE_RESULT),
        request(Method::Initialize, Some(&INITIALIZE_REQUEST_PARAMS), &INITIALIZE_RESULT_2),
        request(Method::LoggingSetLevel, Some(&SET_LEVEL_REQUEST_PARAMS), &NOTIFICATION_PARAMS),
        request(Method::Ping, Some(&REQUEST_PARAMS), &NOTIFICATION_PARAMS),
        request(Method::PromptsGet, Some(&GET_PROMPT_REQUEST_PARAMS), &GET_PROMPT_RESULT_2),
        request(Method::PromptsList, Some(&PAGINATED_REQUEST_PARAMS), &LIST_PROMPTS_RESULT),
        request(Method::ResourcesList, Some(&PAGINATED_REQUEST_PARAMS), &LIST_RESOURCES_RESULT),
        request(Method::ResourcesRead, Some(&READ_RESOURCE_REQUEST_PARAMS), &READ_RESOURCE_RESULT),
        request(Method::ResourcesSubscribe, Some(&READ_RESOURCE_REQUEST_PARAMS), &NOTIFICATION_PARAMS),
        request(Method::ResourcesTemplatesList, Some(&PAGINATED_REQUEST_PARAMS), &LIST_RESOURCE_TEMPLATES_RESULT),
        request(Method::ResourcesUnsubscribe, Some(&READ_RESOURCE_REQUEST_PARAMS), &NOTIFICATION_PARAMS),
        request(Method::RootsList, Some(&REQUEST_PARAMS), &LIST_ROOTS_RESULT),
        request(Method::SamplingCreateMessage, Some(&CREATE_MESSAGE_REQUEST_PARAMS_2), &CREATE_MESSAGE_RESULT_2),
        request(Method::ToolsCall, Some(&CALL_TOOL_REQUEST_PARAMS), &CALL_TOOL_RESULT_2),
        request(Method::ToolsList, Some(&PAGINATED_REQUEST_PARAMS), &LIST_TOOLS_RESULT_2),
    ],
    notifications: &[
        (Method::Cancelled, &CANCELLED_NOTIFICATION_PARAMS),
        (Method::Initialized, &NOTIFICATION_PARAMS),
        (Method::LoggingMessage, &LOGGING_MESSAGE_NOTIFICATION_PARAMS),
        (Method::Progress, &PROGRESS_NOTIFICATION_PARAMS_2),
        (Method::PromptsListChanged, &NOTIFICATION_PARAMS),
        (Method::ResourcesListChanged, &NOTIFICATION_PARAMS),
        (Method::ResourcesUpdated, &RESOURCE_UPDATED_NOTIFICATION_PARAMS),
        (Method::RootsListChanged, &NOTIFICATION_PARAMS),
        (Method::ToolsListChanged, &NOTIFICATION_PARAMS),
    ],
    errors: &[],
    result_types: &[],
};

pub(super) static V2025_06_18: Shapes = Shapes {
    revision: Revision::V2025_06_18,
    requests: &[
        request(Method::CompletionComplete, Some(&COMPLETE_REQUEST_PARAMS_2), &COMPLETE_RESULT_2),
        request(Method::ElicitationCreate, Some(&ELICIT_REQUEST_PARAMS), &ELICIT_RESULT),
        request(Method::Initialize, Some(&INITIALIZE_REQUEST_PARAMS_2), &INITIALIZE_RESULT_3),
        request(Method::LoggingSetLevel, Some(&SET_LEVEL_REQUEST_PARAMS_2), &NOTIFICATION_PARAMS_2),
        request(Method::Ping, Some(&REQUEST_PARAMS_2), &NOTIFICATION_PARAMS_2),
        request(Method::PromptsGet, Some(&GET_PROMPT_REQUEST_PARAMS_2), &GET_PROMPT_RESULT_3),
        request(Method::PromptsList, Some(&PAGINATED_REQUEST_PARAMS_2), &LIST_PROMPTS_RESULT_2),
        request(Method::ResourcesList, Some(&PAGINATED_REQUEST_PARAMS_2), &LIST_RESOURCES_RESULT_2),
        request(Method::ResourcesRead, Some(&READ_RESOURCE_REQUEST_PARAMS_2), &READ_RESOURCE_RESULT_2),
        request(Method::ResourcesSubscribe, Some(&READ_RESOURCE_REQUEST_PARAMS_2), &NOTIFICATION_PARAMS_2),
        request(Method::ResourcesTemplatesList, Some(&PAGINATED_REQUEST_PARAMS_2), &LIST_RESOURCE_TEMPLATES_RESULT_2),
        request(Method::ResourcesUnsubscribe, Some(&READ_RESOURCE_REQUEST_PARAMS_2), &NOTIFICATION_PARAMS_2),
        request(Method::RootsList, Some(&REQUEST_PARAMS_2), &LIST_ROOTS_RESULT_2),
        request(Method::SamplingCreateMessage, Some(&CREATE_MESSAGE_REQUEST_PARAMS_3), &CREATE_MESSAGE_RESULT_3),
        request(Method::ToolsCall, Some(&CALL_TOOL_REQUEST_PARAMS_2), &CALL_TOOL_RESULT_3),
        request(Method::ToolsList, Some(&PAGINATED_REQUEST_PARAMS_2), &LIST_TOOLS_RESULT_3),
    ],
    notifications: &[
        (Method::Cancelled, &CANCELLED_NOTIFICATION_PARAMS_2),
        (Method::Initialized, &NOTIFICATION_PARAMS_2),
        (Method::LoggingMessage, &LOGGING_MESSAGE_NOTIFICATION_PARAMS_2),
        (Method::Progress, &PROGRESS_NOTIFICATION_PARAMS_3),
        (Method::PromptsListChanged, &NOTIFICATION_PARAMS_2),
        (Method::ResourcesListChanged, &NOTIFICATION_PARAMS_2),
        (Method::ResourcesUpdated, &RESOURCE_UPDATED_NOTIFICATION_PARAMS_2),
        (Method::RootsListChanged, &NOTIFICATION_PARAMS_2),
        (Method::ToolsListChanged, &NOTIFICATION_PARAMS_2),
    ],
    errors: &[],
    result_types: &[],
};

pub(super) static V2025_11_25: Shapes = Shapes {
    revision: Revision::V2025_11_25,
    requests: &[
        request(Method::CompletionComplete, Some(&COMPLETE_REQUEST_PARAMS_3), &COMPLETE_RESULT_3),
        request(Method::ElicitationCreate, Some(&ELICIT_REQUEST_PARAMS_2), &ELICIT_RESULT_OR_CREATE_TASK_RESULT),
        request(Method::Initialize, Some(&INITIALIZE_REQUEST_PARAMS_3), &INITIALIZE_RESULT_4),
        request(Method::LoggingSetLevel, Some(&SET_LEVEL_REQUEST_PARAMS_3), &NOTIFICATION_PARAMS_3),
        request(Method::Ping, Some(&REQUEST_PARAMS_3), &NOTIFICATION_PARAMS_3),
        request(Method::PromptsGet, Some(&GET_PROMPT_REQUEST_PARAMS_3), &GET_PROMPT_RESULT_4),
        request(Method::PromptsList, Some(&PAGINATED_REQUEST_PARAMS_3), &LIST_PROMPTS_RESULT_3),
        request(Method::ResourcesList, Some(&PAGINATED_REQUEST_PARAMS_3), &LIST_RESOURCES_RESULT_3),
        request(Method::ResourcesRead, Some(&READ_RESOURCE_REQUEST_PARAMS_3), &READ_RESOURCE_RESULT_3),
        request(Method::ResourcesSubscribe, Some(&READ_RESOURCE_REQUEST_PARAMS_3), &NOTIFICATION_PARAMS_3),
        request(Method::ResourcesTemplatesList, Some(&PAGINATED_REQUEST_PARAMS_3), &LIST_RESOURCE_TEMPLATES_RESULT_3),
        request(Method::ResourcesUnsubscribe, Some(&READ_RESOURCE_REQUEST_PARAMS_3), &NOTIFICATION_PARAMS_3),
        request(Method::RootsList, Some(&REQUEST_PARAMS_3), &LIST_ROOTS_RESULT_3),
        request(Method::SamplingCreateMessage, Some(&CREATE_MESSAGE_REQUEST_PARAMS_4), &CREATE_MESSAGE_RESULT_OR_CREATE_TASK_RESULT),
        request(Method::TasksCancel, Some(&CANCEL_TASK_REQUEST_PARAMS), &TASK_STATUS_NOTIFICATION_PARAMS),
        request(Method::TasksGet, Some(&CANCEL_TASK_REQUEST_PARAMS), &TASK_STATUS_NOTIFICATION_PARAMS),
        request(Method::TasksList, Some(&PAGINATED_REQUEST_PARAMS_3), &LIST_TASKS_RESULT),
        request(Method::TasksResult, Some(&CANCEL_TASK_REQUEST_PARAMS), &NOTIFICATION_PARAMS_3),
        request(Method::ToolsCall, Some(&CALL_TOOL_REQUEST_PARAMS_3), &CALL_TOOL_RESULT_OR_CREATE_TASK_RESULT),
        request(Method::ToolsList, Some(&PAGINATED_REQUEST_PARAMS_3), &LIST_TOOLS_RESULT_4),
    ],
    notifications: &[
        (Method::Cancelled, &CANCELLED_NOTIFICATION_PARAMS_3),
        (Method::ElicitationComplete, &ELICITATION_COMPLETE_NOTIFICATION_PARAMS),
        (Method::Initialized, &NOTIFICATION_PARAMS_3),
        (Method::LoggingMessage, &LOGGING_MESSAGE_NOTIFICATION_PARAMS_3),
        (Method::Progress, &PROGRESS_NOTIFICATION_PARAMS_4),
        (Method::PromptsListChanged, &NOTIFICATION_PARAMS_3),
        (Method::ResourcesListChanged, &NOTIFICATION_PARAMS_3),
        (Method::ResourcesUpdated, &RESOURCE_UPDATED_NOTIFICATION_PARAMS_3),
        (Method::RootsListChanged, &NOTIFICATION_PARAMS_3),
        (Method::TasksStatus, &TASK_STATUS_NOTIFICATION_PARAMS),
        (Method::ToolsListChanged, &NOTIFICATION_PARAMS_3),
    ],
    errors: &[
        (-32042, &URLELICITATION_REQUIRED_ERROR_DATA),
    ],
    result_types: &[],
};

pub(super) static V2026_07_28: Shapes = Shapes {
    revision: Revision::V2026_07_28,
    requests: &[
        request(Method::CompletionComplete, Some(&COMPLETE_REQUEST_PARAMS_4), &COMPLETE_RESULT_4),
        request(Method::PromptsGet, Some(&GET_PROMPT_REQUEST_PARAMS_4), &INPUT_REQUIRED_RESULT_OR_GET_PROMPT_RESULT),
        request(Method::PromptsList, Some(&PAGINATED_REQUEST_PARAMS_4), &LIST_PROMPTS_RESULT_4),
        request(Method::ResourcesList, Some(&PAGINATED_REQUEST_PARAMS_4), &LIST_RESOURCES_RESULT_4),
        request(Method::ResourcesRead, Some(&READ_RESOURCE_REQUEST_PARAMS_4), &INPUT_REQUIRED_RESULT_OR_READ_RESOURCE_RESULT),
        request(Method::ResourcesTemplatesList, Some(&PAGINATED_REQUEST_PARAMS_4), &LIST_RESOURCE_TEMPLATES_RESULT_4),
        request(Method::ServerDiscover, Some(&REQUEST_PARAMS_4), &DISCOVER_RESULT),
        request(Method::SubscriptionsListen, Some(&SUBSCRIPTIONS_LISTEN_REQUEST_PARAMS), &SUBSCRIPTIONS_LISTEN_RESULT),
        request(Method::ToolsCall, Some(&CALL_TOOL_REQUEST_PARAMS_4), &INPUT_REQUIRED_RESULT_OR_CALL_TOOL_RESULT),
        request(Method::ToolsList, Some(&PAGINATED_REQUEST_PARAMS_4), &LIST_TOOLS_RESULT_5),
    ],
    notifications: &[
        (Method::Cancelled, &CANCELLED_NOTIFICATION_PARAMS_4),
        (Method::LoggingMessage, &LOGGING_MESSAGE_NOTIFICATION_PARAMS_4),
        (Method::Progress, &PROGRESS_NOTIFICATION_PARAMS_5),
        (Method::PromptsListChanged, &NOTIFICATION_PARAMS_3),
        (Method::ResourcesListChanged, &NOTIFICATION_PARAMS_3),
        (Method::ResourcesUpdated, &RESOURCE_UPDATED_NOTIFICATION_PARAMS_4),
        (Method::SubscriptionsAcknowledged, &SUBSCRIPTIONS_ACKNOWLEDGED_NOTIFICATION_PARAMS),
        (Method::ToolsListChanged, &NOTIFICATION_PARAMS_3),
    ],
    errors: &[
        (-32021, &MISSING_REQUIRED_CLIENT_CAPABILITY_ERROR_DATA),
        (-32022, &UNSUPPORTED_PROTOCOL_VERSION_ERROR_DATA),
    ],
    result_types: &[
        "complete",
        "input_required",
    ],
};

static ACCEPT_OR_CANCEL_OR_DECLINE: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["accept", "cancel", "decline"])]);
static ALL_SERVERS_OR_NONE_OR_THIS_SERVER: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["allServers", "none", "thisServer"])]);
static ANNOTATIONS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&ANNOTATIONS_MEMBERS)]);
static ANNOTATIONS_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&ANNOTATIONS_MEMBERS_2)]);
static ANNOTATIONS_MEMBERS: Object = Object::new(&[
    may("audience", &LIST_OF_ROLE),
    may("priority", &NUMBER_0_TO_1),
]);
static ANNOTATIONS_MEMBERS_2: Object = Object::new(&[
    may("audience", &LIST_OF_ROLE),
    may("lastModified", &LAST_MODIFIED),
    may("priority", &NUMBER_0_TO_1),
]);
static ANY: Type = Type::new(Kinds::ANY, &[]);
static ARRAY: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["array"])]);
static AUDIO: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["audio"])]);
static AUDIO_CONTENT_MEMBERS: Object = Object::new(&[
    may("annotations", &ANNOTATIONS),
    must("data", &BASE64),
    must("mimeType", &MEDIA_TYPE),
    must("type", &AUDIO),
]);
static AUDIO_CONTENT_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META),
    may("annotations", &ANNOTATIONS_2),
    must("data", &BASE64),
    must("mimeType", &MEDIA_TYPE),
    must("type", &AUDIO),
]);
static AUDIO_CONTENT_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META_2),
    may("annotations", &ANNOTATIONS_2),
    must("data", &BASE64),
    must("mimeType", &MEDIA_TYPE),
    must("type", &AUDIO),
]);
static AUTO_OR_NONE_OR_REQUIRED: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["auto", "none", "required"])]);
static BASE64: Type = Type::new(Kinds::STRING, &[Detail::Format(Format::Base64)]);
static BLOB_RESOURCE_CONTENTS_MEMBERS: Object = Object::new(&[
    must("blob", &BASE64),
    may("mimeType", &MEDIA_TYPE),
    must("uri", &URI),
]);
static BLOB_RESOURCE_CONTENTS_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META),
    must("blob", &BASE64),
    may("mimeType", &MEDIA_TYPE),
    must("uri", &URI),
]);
static BLOB_RESOURCE_CONTENTS_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META_2),
    must("blob", &BASE64),
    may("mimeType", &MEDIA_TYPE),
    must("uri", &URI),
]);
static BOOLEAN: Type = Type::new(Kinds::BOOL, &[]);
static BOOLEAN_2: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["boolean"])]);
static BOOLEAN_SCHEMA_MEMBERS: Object = Object::new(&[
    may("default", &BOOLEAN),
    may("description", &STRING),
    may("title", &STRING),
    must("type", &BOOLEAN_2),
]);
static CALL_TOOL_REQUEST_PARAMS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CALL_TOOL_REQUEST_PARAMS_MEMBERS)]);
static CALL_TOOL_REQUEST_PARAMS_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CALL_TOOL_REQUEST_PARAMS_MEMBERS_2)]);
static CALL_TOOL_REQUEST_PARAMS_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CALL_TOOL_REQUEST_PARAMS_MEMBERS_3)]);
static CALL_TOOL_REQUEST_PARAMS_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CALL_TOOL_REQUEST_PARAMS_MEMBERS_4)]);
static CALL_TOOL_REQUEST_PARAMS_MEMBERS: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT),
    may("arguments", &OBJECT),
    must("name", &STRING),
]);
static CALL_TOOL_REQUEST_PARAMS_MEMBERS_2: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT_2),
    may("arguments", &OBJECT),
    must("name", &STRING),
]);
static CALL_TOOL_REQUEST_PARAMS_MEMBERS_3: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT_3),
    may("arguments", &OBJECT),
    must("name", &STRING),
    may("task", &TASK_METADATA),
]);
static CALL_TOOL_REQUEST_PARAMS_MEMBERS_4: Object = Object::new(&[
    must("_meta", &REQUEST_META_OBJECT_4),
    may("arguments", &OBJECT),
    may("inputResponses", &INPUT_RESPONSES),
    must("name", &STRING),
    may("requestState", &STRING),
]);
static CALL_TOOL_RESULT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CALL_TOOL_RESULT_MEMBERS)]);
static CALL_TOOL_RESULT_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CALL_TOOL_RESULT_MEMBERS_2)]);
static CALL_TOOL_RESULT_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CALL_TOOL_RESULT_MEMBERS_3)]);
static CALL_TOOL_RESULT_MEMBERS: Object = Object::new(&[
    may("_meta", &OBJECT),
    must("content", &LIST_OF_TEXT_CONTENT_OR_IMAGE_CONTENT_OR_EMBEDDED_RESOURCE),
    may("isError", &BOOLEAN),
]);
static CALL_TOOL_RESULT_MEMBERS_2: Object = Object::new(&[
    may("_meta", &OBJECT),
    must("content", &LIST_OF_ONE_OF),
    may("isError", &BOOLEAN),
]);
static CALL_TOOL_RESULT_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META),
    must("content", &LIST_OF_CONTENT_BLOCK),
    may("isError", &BOOLEAN),
    may("structuredContent", &OBJECT),
]);
static CALL_TOOL_RESULT_MEMBERS_4: Object = Object::new(&[
    may("_meta", &META_2),
    must("content", &LIST_OF_CONTENT_BLOCK_2),
    may("isError", &BOOLEAN),
    may("structuredContent", &OBJECT),
]);
static CALL_TOOL_RESULT_MEMBERS_5: Object = Object::new(&[
    may("_meta", &RESULT_META_OBJECT),
    must("content", &LIST_OF_CONTENT_BLOCK_2),
    may("isError", &BOOLEAN),
    must("resultType", &STRING),
    may("structuredContent", &ANY),
]);
static CALL_TOOL_RESULT_OR_CREATE_TASK_RESULT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CALL_TOOL_RESULT_MEMBERS_4), Detail::Object(&CREATE_TASK_RESULT_MEMBERS)]);
static CANCELLED_NOTIFICATION_PARAMS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CANCELLED_NOTIFICATION_PARAMS_MEMBERS)]);
static CANCELLED_NOTIFICATION_PARAMS_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CANCELLED_NOTIFICATION_PARAMS_MEMBERS_2)]);
static CANCELLED_NOTIFICATION_PARAMS_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CANCELLED_NOTIFICATION_PARAMS_MEMBERS_3)]);
static CANCELLED_NOTIFICATION_PARAMS_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CANCELLED_NOTIFICATION_PARAMS_MEMBERS_4)]);
static CANCELLED_NOTIFICATION_PARAMS_MEMBERS: Object = Object::new(&[
    may("_meta", &OBJECT),
    may("reason", &STRING),
    must("requestId", &REQUEST_ID),
]);
static CANCELLED_NOTIFICATION_PARAMS_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META),
    may("reason", &STRING),
    must("requestId", &REQUEST_ID),
]);
static CANCELLED_NOTIFICATION_PARAMS_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META_2),
    may("reason", &STRING),
    may("requestId", &REQUEST_ID),
]);
static CANCELLED_NOTIFICATION_PARAMS_MEMBERS_4: Object = Object::new(&[
    may("_meta", &NOTIFICATION_META_OBJECT),
    may("reason", &STRING),
    must("requestId", &REQUEST_ID),
]);
static CANCEL_TASK_REQUEST_PARAMS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CANCEL_TASK_REQUEST_PARAMS_MEMBERS)]);
static CANCEL_TASK_REQUEST_PARAMS_MEMBERS: Object = Object::new(&[
    must("taskId", &STRING),
]);
static CLIENT_CAPABILITIES: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CLIENT_CAPABILITIES_MEMBERS)]);
static CLIENT_CAPABILITIES_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CLIENT_CAPABILITIES_MEMBERS_2)]);
static CLIENT_CAPABILITIES_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CLIENT_CAPABILITIES_MEMBERS_3)]);
static CLIENT_CAPABILITIES_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CLIENT_CAPABILITIES_MEMBERS_4)]);
static CLIENT_CAPABILITIES_ELICITATION: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CLIENT_CAPABILITIES_ELICITATION_MEMBERS)]);
static CLIENT_CAPABILITIES_ELICITATION_MEMBERS: Object = Object::new(&[
    may("form", &OBJECT),
    may("url", &OBJECT),
]);
static CLIENT_CAPABILITIES_MEMBERS: Object = Object::new(&[
    may("experimental", &MAP_OF_OBJECT),
    may("roots", &CLIENT_CAPABILITIES_ROOTS),
    may("sampling", &OBJECT),
]);
static CLIENT_CAPABILITIES_MEMBERS_2: Object = Object::new(&[
    may("elicitation", &OBJECT),
    may("experimental", &MAP_OF_OBJECT),
    may("roots", &CLIENT_CAPABILITIES_ROOTS),
    may("sampling", &OBJECT),
]);
static CLIENT_CAPABILITIES_MEMBERS_3: Object = Object::new(&[
    may("elicitation", &CLIENT_CAPABILITIES_ELICITATION),
    may("experimental", &MAP_OF_OBJECT),
    may("roots", &CLIENT_CAPABILITIES_ROOTS),
    may("sampling", &CLIENT_CAPABILITIES_SAMPLING),
    may("tasks", &CLIENT_CAPABILITIES_TASKS),
]);
static CLIENT_CAPABILITIES_MEMBERS_4: Object = Object::new(&[
    may("elicitation", &CLIENT_CAPABILITIES_ELICITATION),
    may("experimental", &MAP_OF_OBJECT),
    may("extensions", &MAP_OF_OBJECT),
    may("roots", &OBJECT),
    may("sampling", &CLIENT_CAPABILITIES_SAMPLING),
]);
static CLIENT_CAPABILITIES_ROOTS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CLIENT_CAPABILITIES_ROOTS_MEMBERS)]);
static CLIENT_CAPABILITIES_ROOTS_MEMBERS: Object = Object::new(&[
    may("listChanged", &BOOLEAN),
]);
static CLIENT_CAPABILITIES_SAMPLING: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CLIENT_CAPABILITIES_SAMPLING_MEMBERS)]);
static CLIENT_CAPABILITIES_SAMPLING_MEMBERS: Object = Object::new(&[
    may("context", &OBJECT),
    may("tools", &OBJECT),
]);
static CLIENT_CAPABILITIES_TASKS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CLIENT_CAPABILITIES_TASKS_MEMBERS)]);
static CLIENT_CAPABILITIES_TASKS_MEMBERS: Object = Object::new(&[
    may("cancel", &OBJECT),
    may("list", &OBJECT),
    may("requests", &CLIENT_CAPABILITIES_TASKS_REQUESTS),
]);
static CLIENT_CAPABILITIES_TASKS_REQUESTS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CLIENT_CAPABILITIES_TASKS_REQUESTS_MEMBERS)]);
static CLIENT_CAPABILITIES_TASKS_REQUESTS_ELICITATION: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CLIENT_CAPABILITIES_TASKS_REQUESTS_ELICITATION_MEMBERS)]);
static CLIENT_CAPABILITIES_TASKS_REQUESTS_ELICITATION_MEMBERS: Object = Object::new(&[
    may("create", &OBJECT),
]);
static CLIENT_CAPABILITIES_TASKS_REQUESTS_MEMBERS: Object = Object::new(&[
    may("elicitation", &CLIENT_CAPABILITIES_TASKS_REQUESTS_ELICITATION),
    may("sampling", &CLIENT_CAPABILITIES_TASKS_REQUESTS_SAMPLING),
]);
static CLIENT_CAPABILITIES_TASKS_REQUESTS_SAMPLING: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CLIENT_CAPABILITIES_TASKS_REQUESTS_SAMPLING_MEMBERS)]);
static CLIENT_CAPABILITIES_TASKS_REQUESTS_SAMPLING_MEMBERS: Object = Object::new(&[
    may("createMessage", &OBJECT),
]);
static COMPLETE_REQUEST_PARAMS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&COMPLETE_REQUEST_PARAMS_MEMBERS)]);
static COMPLETE_REQUEST_PARAMS_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&COMPLETE_REQUEST_PARAMS_MEMBERS_2)]);
static COMPLETE_REQUEST_PARAMS_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&COMPLETE_REQUEST_PARAMS_MEMBERS_3)]);
static COMPLETE_REQUEST_PARAMS_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&COMPLETE_REQUEST_PARAMS_MEMBERS_4)]);
static COMPLETE_REQUEST_PARAMS_ARGUMENT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&COMPLETE_REQUEST_PARAMS_ARGUMENT_MEMBERS)]);
static COMPLETE_REQUEST_PARAMS_ARGUMENT_MEMBERS: Object = Object::new(&[
    must("name", &STRING),
    must("value", &STRING),
]);
static COMPLETE_REQUEST_PARAMS_CONTEXT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&COMPLETE_REQUEST_PARAMS_CONTEXT_MEMBERS)]);
static COMPLETE_REQUEST_PARAMS_CONTEXT_MEMBERS: Object = Object::new(&[
    may("arguments", &MAP_OF_STRING),
]);
static COMPLETE_REQUEST_PARAMS_MEMBERS: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT),
    must("argument", &COMPLETE_REQUEST_PARAMS_ARGUMENT),
    must("ref", &PROMPT_REFERENCE_OR_RESOURCE_REFERENCE),
]);
static COMPLETE_REQUEST_PARAMS_MEMBERS_2: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT_2),
    must("argument", &COMPLETE_REQUEST_PARAMS_ARGUMENT),
    may("context", &COMPLETE_REQUEST_PARAMS_CONTEXT),
    must("ref", &PROMPT_REFERENCE_OR_RESOURCE_TEMPLATE_REFERENCE),
]);
static COMPLETE_REQUEST_PARAMS_MEMBERS_3: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT_3),
    must("argument", &COMPLETE_REQUEST_PARAMS_ARGUMENT),
    may("context", &COMPLETE_REQUEST_PARAMS_CONTEXT),
    must("ref", &PROMPT_REFERENCE_OR_RESOURCE_TEMPLATE_REFERENCE),
]);
static COMPLETE_REQUEST_PARAMS_MEMBERS_4: Object = Object::new(&[
    must("_meta", &REQUEST_META_OBJECT_4),
    must("argument", &COMPLETE_REQUEST_PARAMS_ARGUMENT),
    may("context", &COMPLETE_REQUEST_PARAMS_CONTEXT),
    must("ref", &PROMPT_REFERENCE_OR_RESOURCE_TEMPLATE_REFERENCE),
]);
static COMPLETE_RESULT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&COMPLETE_RESULT_MEMBERS)]);
static COMPLETE_RESULT_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&COMPLETE_RESULT_MEMBERS_2)]);
static COMPLETE_RESULT_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&COMPLETE_RESULT_MEMBERS_3)]);
static COMPLETE_RESULT_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&COMPLETE_RESULT_MEMBERS_4)]);
static COMPLETE_RESULT_COMPLETION: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&COMPLETE_RESULT_COMPLETION_MEMBERS)]);
static COMPLETE_RESULT_COMPLETION_MEMBERS: Object = Object::new(&[
    may("hasMore", &BOOLEAN),
    may("total", &INTEGER),
    must("values", &LIST_OF_STRING),
]);
static COMPLETE_RESULT_MEMBERS: Object = Object::new(&[
    may("_meta", &OBJECT),
    must("completion", &COMPLETE_RESULT_COMPLETION),
]);
static COMPLETE_RESULT_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META),
    must("completion", &COMPLETE_RESULT_COMPLETION),
]);
static COMPLETE_RESULT_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META_2),
    must("completion", &COMPLETE_RESULT_COMPLETION),
]);
static COMPLETE_RESULT_MEMBERS_4: Object = Object::new(&[
    may("_meta", &RESULT_META_OBJECT),
    must("completion", &COMPLETE_RESULT_COMPLETION),
    must("resultType", &STRING),
]);
static CONTENT_BLOCK: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TEXT_CONTENT_MEMBERS_2), Detail::Object(&IMAGE_CONTENT_MEMBERS_2), Detail::Object(&AUDIO_CONTENT_MEMBERS_2), Detail::Object(&RESOURCE_LINK_MEMBERS), Detail::Object(&EMBEDDED_RESOURCE_MEMBERS_2)]);
static CONTENT_BLOCK_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TEXT_CONTENT_MEMBERS_3), Detail::Object(&IMAGE_CONTENT_MEMBERS_3), Detail::Object(&AUDIO_CONTENT_MEMBERS_3), Detail::Object(&RESOURCE_LINK_MEMBERS_2), Detail::Object(&EMBEDDED_RESOURCE_MEMBERS_3)]);
static CREATE_MESSAGE_REQUEST_MEMBERS: Object = Object::new(&[
    must("method", &SAMPLING_CREATE_MESSAGE),
    must("params", &CREATE_MESSAGE_REQUEST_PARAMS_5),
]);
static CREATE_MESSAGE_REQUEST_PARAMS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CREATE_MESSAGE_REQUEST_PARAMS_MEMBERS)]);
static CREATE_MESSAGE_REQUEST_PARAMS_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CREATE_MESSAGE_REQUEST_PARAMS_MEMBERS_2)]);
static CREATE_MESSAGE_REQUEST_PARAMS_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CREATE_MESSAGE_REQUEST_PARAMS_MEMBERS_3)]);
static CREATE_MESSAGE_REQUEST_PARAMS_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CREATE_MESSAGE_REQUEST_PARAMS_MEMBERS_4)]);
static CREATE_MESSAGE_REQUEST_PARAMS_5: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CREATE_MESSAGE_REQUEST_PARAMS_MEMBERS_5)]);
static CREATE_MESSAGE_REQUEST_PARAMS_MEMBERS: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT),
    may("includeContext", &ALL_SERVERS_OR_NONE_OR_THIS_SERVER),
    must("maxTokens", &INTEGER),
    must("messages", &LIST_OF_SAMPLING_MESSAGE),
    may("metadata", &OBJECT),
    may("modelPreferences", &MODEL_PREFERENCES),
    may("stopSequences", &LIST_OF_STRING_2),
    may("systemPrompt", &STRING),
    may("temperature", &NUMBER),
]);
static CREATE_MESSAGE_REQUEST_PARAMS_MEMBERS_2: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT),
    may("includeContext", &ALL_SERVERS_OR_NONE_OR_THIS_SERVER),
    must("maxTokens", &INTEGER),
    must("messages", &LIST_OF_SAMPLING_MESSAGE_2),
    may("metadata", &OBJECT),
    may("modelPreferences", &MODEL_PREFERENCES),
    may("stopSequences", &LIST_OF_STRING_2),
    may("systemPrompt", &STRING),
    may("temperature", &NUMBER),
]);
static CREATE_MESSAGE_REQUEST_PARAMS_MEMBERS_3: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT_2),
    may("includeContext", &ALL_SERVERS_OR_NONE_OR_THIS_SERVER),
    must("maxTokens", &INTEGER),
    must("messages", &LIST_OF_SAMPLING_MESSAGE_3),
    may("metadata", &OBJECT),
    may("modelPreferences", &MODEL_PREFERENCES),
    may("stopSequences", &LIST_OF_STRING_2),
    may("systemPrompt", &STRING),
    may("temperature", &NUMBER),
]);
static CREATE_MESSAGE_REQUEST_PARAMS_MEMBERS_4: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT_3),
    may("includeContext", &ALL_SERVERS_OR_NONE_OR_THIS_SERVER),
    must("maxTokens", &INTEGER),
    must("messages", &LIST_OF_SAMPLING_MESSAGE_4),
    may("metadata", &OBJECT),
    may("modelPreferences", &MODEL_PREFERENCES),
    may("stopSequences", &LIST_OF_STRING_2),
    may("systemPrompt", &STRING),
    may("task", &TASK_METADATA),
    may("temperature", &NUMBER),
    may("toolChoice", &TOOL_CHOICE),
    may("tools", &LIST_OF_TOOL_4),
]);
static CREATE_MESSAGE_REQUEST_PARAMS_MEMBERS_5: Object = Object::new(&[
    may("includeContext", &ALL_SERVERS_OR_NONE_OR_THIS_SERVER),
    must("maxTokens", &INTEGER),
    must("messages", &LIST_OF_SAMPLING_MESSAGE_5),
    may("metadata", &OBJECT),
    may("modelPreferences", &MODEL_PREFERENCES),
    may("stopSequences", &LIST_OF_STRING_2),
    may("systemPrompt", &STRING),
    may("temperature", &NUMBER),
    may("toolChoice", &TOOL_CHOICE),
    may("tools", &LIST_OF_TOOL_5),
]);
static CREATE_MESSAGE_RESULT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CREATE_MESSAGE_RESULT_MEMBERS)]);
static CREATE_MESSAGE_RESULT_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CREATE_MESSAGE_RESULT_MEMBERS_2)]);
static CREATE_MESSAGE_RESULT_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CREATE_MESSAGE_RESULT_MEMBERS_3)]);
static CREATE_MESSAGE_RESULT_MEMBERS: Object = Object::new(&[
    may("_meta", &OBJECT),
    must("content", &TEXT_CONTENT_OR_IMAGE_CONTENT),
    must("model", &STRING),
    must("role", &ROLE),
    may("stopReason", &STRING),
]);
static CREATE_MESSAGE_RESULT_MEMBERS_2: Object = Object::new(&[
    may("_meta", &OBJECT),
    must("content", &TEXT_CONTENT_OR_IMAGE_CONTENT_OR_AUDIO_CONTENT),
    must("model", &STRING),
    must("role", &ROLE),
    may("stopReason", &STRING),
]);
static CREATE_MESSAGE_RESULT_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META),
    must("content", &TEXT_CONTENT_OR_IMAGE_CONTENT_OR_AUDIO_CONTENT_2),
    must("model", &STRING),
    must("role", &ROLE),
    may("stopReason", &STRING),
]);
static CREATE_MESSAGE_RESULT_MEMBERS_4: Object = Object::new(&[
    may("_meta", &META_2),
    must("content", &ONE_OF_3),
    must("model", &STRING),
    must("role", &ROLE),
    may("stopReason", &STRING),
]);
static CREATE_MESSAGE_RESULT_MEMBERS_5: Object = Object::new(&[
    may("_meta", &META_2),
    must("content", &ONE_OF_4),
    must("model", &STRING),
    must("role", &ROLE),
    may("stopReason", &STRING),
]);
static CREATE_MESSAGE_RESULT_OR_CREATE_TASK_RESULT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CREATE_MESSAGE_RESULT_MEMBERS_4), Detail::Object(&CREATE_TASK_RESULT_MEMBERS)]);
static CREATE_TASK_RESULT_MEMBERS: Object = Object::new(&[
    may("_meta", &META_2),
    must("task", &TASK),
]);
static DARK_OR_LIGHT: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["dark", "light"])]);
static DATE_OR_DATE_TIME_OR_EMAIL_OR_URI: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["date", "date-time", "email", "uri"])]);
static DISCOVER_RESULT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&DISCOVER_RESULT_MEMBERS)]);
static DISCOVER_RESULT_MEMBERS: Object = Object::new(&[
    may("_meta", &RESULT_META_OBJECT),
    must("cacheScope", &PRIVATE_OR_PUBLIC),
    must("capabilities", &SERVER_CAPABILITIES_4),
    may("instructions", &STRING),
    must("resultType", &STRING),
    must("supportedVersions", &LIST_OF_STRING_2),
    must("ttlMs", &INTEGER_FROM_0),
]);
static ELICITATION_COMPLETE_NOTIFICATION_PARAMS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&ELICITATION_COMPLETE_NOTIFICATION_PARAMS_MEMBERS)]);
static ELICITATION_COMPLETE_NOTIFICATION_PARAMS_MEMBERS: Object = Object::new(&[
    must("elicitationId", &STRING),
]);
static ELICITATION_CREATE: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["elicitation/create"])]);
static ELICIT_REQUEST_FORM_PARAMS_MEMBERS: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT_3),
    must("message", &STRING),
    may("mode", &FORM),
    must("requestedSchema", &REQUESTED_SCHEMA_2),
    may("task", &TASK_METADATA),
]);
static ELICIT_REQUEST_FORM_PARAMS_MEMBERS_2: Object = Object::new(&[
    must("message", &STRING),
    may("mode", &FORM),
    must("requestedSchema", &REQUESTED_SCHEMA_2),
]);
static ELICIT_REQUEST_MEMBERS: Object = Object::new(&[
    must("method", &ELICITATION_CREATE),
    must("params", &ELICIT_REQUEST_PARAMS_3),
]);
static ELICIT_REQUEST_PARAMS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&ELICIT_REQUEST_PARAMS_MEMBERS)]);
static ELICIT_REQUEST_PARAMS_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&ELICIT_REQUEST_URLPARAMS_MEMBERS), Detail::Object(&ELICIT_REQUEST_FORM_PARAMS_MEMBERS)]);
static ELICIT_REQUEST_PARAMS_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&ELICIT_REQUEST_FORM_PARAMS_MEMBERS_2), Detail::Object(&ELICIT_REQUEST_URLPARAMS_MEMBERS_2)]);
static ELICIT_REQUEST_PARAMS_MEMBERS: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT_2),
    must("message", &STRING),
    must("requestedSchema", &REQUESTED_SCHEMA),
]);
static ELICIT_REQUEST_URLPARAMS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&ELICIT_REQUEST_URLPARAMS_MEMBERS)]);
static ELICIT_REQUEST_URLPARAMS_MEMBERS: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT_3),
    must("elicitationId", &STRING),
    must("message", &STRING),
    must("mode", &URL),
    may("task", &TASK_METADATA),
    must("url", &URI),
]);
static ELICIT_REQUEST_URLPARAMS_MEMBERS_2: Object = Object::new(&[
    must("message", &STRING),
    must("mode", &URL),
    must("url", &URI),
]);
static ELICIT_RESULT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&ELICIT_RESULT_MEMBERS)]);
static ELICIT_RESULT_MEMBERS: Object = Object::new(&[
    may("_meta", &META),
    must("action", &ACCEPT_OR_CANCEL_OR_DECLINE),
    may("content", &MAP_OF_STRING_OR_NUMBER_OR_BOOLEAN),
]);
static ELICIT_RESULT_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META_2),
    must("action", &ACCEPT_OR_CANCEL_OR_DECLINE),
    may("content", &MAP_OF_LIST_OF_STRING_OR_STRING_OR_NUMBER_OR_BOOLEAN),
]);
static ELICIT_RESULT_MEMBERS_3: Object = Object::new(&[
    must("action", &ACCEPT_OR_CANCEL_OR_DECLINE),
    may("content", &MAP_OF_LIST_OF_STRING_OR_STRING_OR_NUMBER_OR_BOOLEAN),
]);
static ELICIT_RESULT_OR_CREATE_TASK_RESULT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&ELICIT_RESULT_MEMBERS_2), Detail::Object(&CREATE_TASK_RESULT_MEMBERS)]);
static EMBEDDED_RESOURCE_MEMBERS: Object = Object::new(&[
    may("annotations", &ANNOTATIONS),
    must("resource", &TEXT_RESOURCE_CONTENTS_OR_BLOB_RESOURCE_CONTENTS),
    must("type", &RESOURCE),
]);
static EMBEDDED_RESOURCE_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META),
    may("annotations", &ANNOTATIONS_2),
    must("resource", &TEXT_RESOURCE_CONTENTS_OR_BLOB_RESOURCE_CONTENTS_2),
    must("type", &RESOURCE),
]);
static EMBEDDED_RESOURCE_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META_2),
    may("annotations", &ANNOTATIONS_2),
    must("resource", &TEXT_RESOURCE_CONTENTS_OR_BLOB_RESOURCE_CONTENTS_3),
    must("type", &RESOURCE),
]);
static ENUM_SCHEMA_MEMBERS: Object = Object::new(&[
    may("description", &STRING),
    must("enum", &LIST_OF_STRING_2),
    may("enumNames", &LIST_OF_STRING_2),
    may("title", &STRING),
    must("type", &STRING_2),
]);
static FORBIDDEN_OR_OPTIONAL_OR_REQUIRED: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["forbidden", "optional", "required"])]);
static FORM: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["form"])]);
static GET_PROMPT_REQUEST_PARAMS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&GET_PROMPT_REQUEST_PARAMS_MEMBERS)]);
static GET_PROMPT_REQUEST_PARAMS_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&GET_PROMPT_REQUEST_PARAMS_MEMBERS_2)]);
static GET_PROMPT_REQUEST_PARAMS_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&GET_PROMPT_REQUEST_PARAMS_MEMBERS_3)]);
static GET_PROMPT_REQUEST_PARAMS_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&GET_PROMPT_REQUEST_PARAMS_MEMBERS_4)]);
static GET_PROMPT_REQUEST_PARAMS_MEMBERS: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT),
    may("arguments", &MAP_OF_STRING),
    must("name", &STRING),
]);
static GET_PROMPT_REQUEST_PARAMS_MEMBERS_2: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT_2),
    may("arguments", &MAP_OF_STRING),
    must("name", &STRING),
]);
static GET_PROMPT_REQUEST_PARAMS_MEMBERS_3: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT_3),
    may("arguments", &MAP_OF_STRING),
    must("name", &STRING),
]);
static GET_PROMPT_REQUEST_PARAMS_MEMBERS_4: Object = Object::new(&[
    must("_meta", &REQUEST_META_OBJECT_4),
    may("arguments", &MAP_OF_STRING),
    may("inputResponses", &INPUT_RESPONSES),
    must("name", &STRING),
    may("requestState", &STRING),
]);
static GET_PROMPT_RESULT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&GET_PROMPT_RESULT_MEMBERS)]);
static GET_PROMPT_RESULT_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&GET_PROMPT_RESULT_MEMBERS_2)]);
static GET_PROMPT_RESULT_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&GET_PROMPT_RESULT_MEMBERS_3)]);
static GET_PROMPT_RESULT_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&GET_PROMPT_RESULT_MEMBERS_4)]);
static GET_PROMPT_RESULT_MEMBERS: Object = Object::new(&[
    may("_meta", &OBJECT),
    may("description", &STRING),
    must("messages", &LIST_OF_PROMPT_MESSAGE),
]);
static GET_PROMPT_RESULT_MEMBERS_2: Object = Object::new(&[
    may("_meta", &OBJECT),
    may("description", &STRING),
    must("messages", &LIST_OF_PROMPT_MESSAGE_2),
]);
static GET_PROMPT_RESULT_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META),
    may("description", &STRING),
    must("messages", &LIST_OF_PROMPT_MESSAGE_3),
]);
static GET_PROMPT_RESULT_MEMBERS_4: Object = Object::new(&[
    may("_meta", &META_2),
    may("description", &STRING),
    must("messages", &LIST_OF_PROMPT_MESSAGE_4),
]);
static GET_PROMPT_RESULT_MEMBERS_5: Object = Object::new(&[
    may("_meta", &RESULT_META_OBJECT),
    may("description", &STRING),
    must("messages", &LIST_OF_PROMPT_MESSAGE_4),
    must("resultType", &STRING),
]);
static ICON: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&ICON_MEMBERS)]);
static ICON_MEMBERS: Object = Object::new(&[
    may("mimeType", &MEDIA_TYPE),
    may("sizes", &LIST_OF_STRING_2),
    must("src", &ICON_URI),
    may("theme", &DARK_OR_LIGHT),
]);
static ICON_URI: Type = Type::new(Kinds::STRING, &[Detail::Format(Format::IconUri)]);
static IMAGE: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["image"])]);
static IMAGE_CONTENT_MEMBERS: Object = Object::new(&[
    may("annotations", &ANNOTATIONS),
    must("data", &BASE64),
    must("mimeType", &MEDIA_TYPE),
    must("type", &IMAGE),
]);
static IMAGE_CONTENT_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META),
    may("annotations", &ANNOTATIONS_2),
    must("data", &BASE64),
    must("mimeType", &MEDIA_TYPE),
    must("type", &IMAGE),
]);
static IMAGE_CONTENT_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META_2),
    may("annotations", &ANNOTATIONS_2),
    must("data", &BASE64),
    must("mimeType", &MEDIA_TYPE),
    must("type", &IMAGE),
]);
static IMPLEMENTATION: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&IMPLEMENTATION_MEMBERS)]);
static IMPLEMENTATION_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&IMPLEMENTATION_MEMBERS_2)]);
static IMPLEMENTATION_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&IMPLEMENTATION_MEMBERS_3)]);
static IMPLEMENTATION_MEMBERS: Object = Object::new(&[
    must("name", &STRING),
    must("version", &STRING),
]);
static IMPLEMENTATION_MEMBERS_2: Object = Object::new(&[
    must("name", &STRING),
    may("title", &STRING),
    must("version", &STRING),
]);
static IMPLEMENTATION_MEMBERS_3: Object = Object::new(&[
    may("description", &STRING),
    may("icons", &LIST_OF_ICON),
    must("name", &STRING),
    may("title", &STRING),
    must("version", &STRING),
    may("websiteUrl", &URI),
]);
static INITIALIZE_REQUEST_PARAMS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&INITIALIZE_REQUEST_PARAMS_MEMBERS)]);
static INITIALIZE_REQUEST_PARAMS_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&INITIALIZE_REQUEST_PARAMS_MEMBERS_2)]);
static INITIALIZE_REQUEST_PARAMS_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&INITIALIZE_REQUEST_PARAMS_MEMBERS_3)]);
static INITIALIZE_REQUEST_PARAMS_MEMBERS: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT),
    must("capabilities", &CLIENT_CAPABILITIES),
    must("clientInfo", &IMPLEMENTATION),
    must("protocolVersion", &STRING),
]);
static INITIALIZE_REQUEST_PARAMS_MEMBERS_2: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT_2),
    must("capabilities", &CLIENT_CAPABILITIES_2),
    must("clientInfo", &IMPLEMENTATION_2),
    must("protocolVersion", &STRING),
]);
static INITIALIZE_REQUEST_PARAMS_MEMBERS_3: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT_3),
    must("capabilities", &CLIENT_CAPABILITIES_3),
    must("clientInfo", &IMPLEMENTATION_3),
    must("protocolVersion", &STRING),
]);
static INITIALIZE_RESULT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&INITIALIZE_RESULT_MEMBERS)]);
static INITIALIZE_RESULT_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&INITIALIZE_RESULT_MEMBERS_2)]);
static INITIALIZE_RESULT_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&INITIALIZE_RESULT_MEMBERS_3)]);
static INITIALIZE_RESULT_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&INITIALIZE_RESULT_MEMBERS_4)]);
static INITIALIZE_RESULT_MEMBERS: Object = Object::new(&[
    may("_meta", &OBJECT),
    must("capabilities", &SERVER_CAPABILITIES),
    may("instructions", &STRING),
    must("protocolVersion", &STRING),
    must("serverInfo", &IMPLEMENTATION),
]);
static INITIALIZE_RESULT_MEMBERS_2: Object = Object::new(&[
    may("_meta", &OBJECT),
    must("capabilities", &SERVER_CAPABILITIES_2),
    may("instructions", &STRING),
    must("protocolVersion", &STRING),
    must("serverInfo", &IMPLEMENTATION),
]);
static INITIALIZE_RESULT_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META),
    must("capabilities", &SERVER_CAPABILITIES_2),
    may("instructions", &STRING),
    must("protocolVersion", &STRING),
    must("serverInfo", &IMPLEMENTATION_2),
]);
static INITIALIZE_RESULT_MEMBERS_4: Object = Object::new(&[
    may("_meta", &META_2),
    must("capabilities", &SERVER_CAPABILITIES_3),
    may("instructions", &STRING),
    must("protocolVersion", &STRING),
    must("serverInfo", &IMPLEMENTATION_3),
]);
static INPUT_REQUEST: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CREATE_MESSAGE_REQUEST_MEMBERS), Detail::Object(&LIST_ROOTS_REQUEST_MEMBERS), Detail::Object(&ELICIT_REQUEST_MEMBERS)]);
static INPUT_REQUESTS: Type = Type::new(Kinds::OBJECT, &[Detail::Members(&INPUT_REQUEST)]);
static INPUT_REQUIRED: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["input_required"])]);
static INPUT_REQUIRED_RESULT_MEMBERS: Object = Object::new(&[
    may("_meta", &RESULT_META_OBJECT),
    may("inputRequests", &INPUT_REQUESTS),
    may("requestState", &STRING),
    must("resultType", &INPUT_REQUIRED),
]);
static INPUT_REQUIRED_RESULT_OR_CALL_TOOL_RESULT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&INPUT_REQUIRED_RESULT_MEMBERS), Detail::Object(&CALL_TOOL_RESULT_MEMBERS_5)]);
static INPUT_REQUIRED_RESULT_OR_GET_PROMPT_RESULT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&INPUT_REQUIRED_RESULT_MEMBERS), Detail::Object(&GET_PROMPT_RESULT_MEMBERS_5)]);
static INPUT_REQUIRED_RESULT_OR_READ_RESOURCE_RESULT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&INPUT_REQUIRED_RESULT_MEMBERS), Detail::Object(&READ_RESOURCE_RESULT_MEMBERS_4)]);
static INPUT_RESPONSE: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&CREATE_MESSAGE_RESULT_MEMBERS_5), Detail::Object(&LIST_ROOTS_RESULT_MEMBERS_4), Detail::Object(&ELICIT_RESULT_MEMBERS_3)]);
static INPUT_RESPONSES: Type = Type::new(Kinds::OBJECT, &[Detail::Members(&INPUT_RESPONSE)]);
static INTEGER: Type = Type::new(Kinds::INTEGER, &[]);
static INTEGER_FROM_0: Type = Type::new(Kinds::INTEGER, &[Detail::Least(0)]);
static INTEGER_OR_NULL: Type = Type::new(Kinds::INTEGER.union(Kinds::NULL), &[]);
static INTEGER_OR_NUMBER: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["integer", "number"])]);
static LAST_MODIFIED: Type = Type::new(Kinds::STRING, &[Detail::Format(Format::LastModified)]);
static LEGACY_TITLED_ENUM_SCHEMA_MEMBERS: Object = Object::new(&[
    may("default", &STRING),
    may("description", &STRING),
    must("enum", &LIST_OF_STRING_2),
    may("enumNames", &LIST_OF_STRING_2),
    may("title", &STRING),
    must("type", &STRING_2),
]);
static LIST_OF_CONTENT_BLOCK: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&CONTENT_BLOCK)]);
static LIST_OF_CONTENT_BLOCK_2: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&CONTENT_BLOCK_2)]);
static LIST_OF_ELICIT_REQUEST_URLPARAMS: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&ELICIT_REQUEST_URLPARAMS)]);
static LIST_OF_ICON: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&ICON)]);
static LIST_OF_MODEL_HINT: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&MODEL_HINT)]);
static LIST_OF_ONE_OF: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&ONE_OF)]);
static LIST_OF_PROMPT: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&PROMPT)]);
static LIST_OF_PROMPT_2: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&PROMPT_2)]);
static LIST_OF_PROMPT_3: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&PROMPT_3)]);
static LIST_OF_PROMPT_ARGUMENT: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&PROMPT_ARGUMENT)]);
static LIST_OF_PROMPT_ARGUMENT_2: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&PROMPT_ARGUMENT_2)]);
static LIST_OF_PROMPT_MESSAGE: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&PROMPT_MESSAGE)]);
static LIST_OF_PROMPT_MESSAGE_2: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&PROMPT_MESSAGE_2)]);
static LIST_OF_PROMPT_MESSAGE_3: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&PROMPT_MESSAGE_3)]);
static LIST_OF_PROMPT_MESSAGE_4: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&PROMPT_MESSAGE_4)]);
static LIST_OF_RESOURCE_2: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&RESOURCE_2)]);
static LIST_OF_RESOURCE_3: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&RESOURCE_3)]);
static LIST_OF_RESOURCE_4: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&RESOURCE_4)]);
static LIST_OF_RESOURCE_TEMPLATE: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&RESOURCE_TEMPLATE)]);
static LIST_OF_RESOURCE_TEMPLATE_2: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&RESOURCE_TEMPLATE_2)]);
static LIST_OF_RESOURCE_TEMPLATE_3: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&RESOURCE_TEMPLATE_3)]);
static LIST_OF_ROLE: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&ROLE)]);
static LIST_OF_ROOT: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&ROOT)]);
static LIST_OF_ROOT_2: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&ROOT_2)]);
static LIST_OF_ROOT_3: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&ROOT_3)]);
static LIST_OF_SAMPLING_MESSAGE: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&SAMPLING_MESSAGE)]);
static LIST_OF_SAMPLING_MESSAGE_2: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&SAMPLING_MESSAGE_2)]);
static LIST_OF_SAMPLING_MESSAGE_3: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&SAMPLING_MESSAGE_3)]);
static LIST_OF_SAMPLING_MESSAGE_4: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&SAMPLING_MESSAGE_4)]);
static LIST_OF_SAMPLING_MESSAGE_5: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&SAMPLING_MESSAGE_5)]);
static LIST_OF_STRING: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&STRING), Detail::Length(100)]);
static LIST_OF_STRING_2: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&STRING)]);
static LIST_OF_STRING_OR_STRING_OR_NUMBER_OR_BOOLEAN: Type = Type::new(Kinds::ARRAY.union(Kinds::STRING).union(Kinds::NUMBER).union(Kinds::BOOL), &[Detail::Items(&STRING)]);
static LIST_OF_TASK: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&TASK)]);
static LIST_OF_TEXT_CONTENT_OR_IMAGE_CONTENT_OR_EMBEDDED_RESOURCE: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&TEXT_CONTENT_OR_IMAGE_CONTENT_OR_EMBEDDED_RESOURCE)]);
static LIST_OF_TEXT_RESOURCE_CONTENTS_OR_BLOB_RESOURCE_CONTENTS: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&TEXT_RESOURCE_CONTENTS_OR_BLOB_RESOURCE_CONTENTS)]);
static LIST_OF_TEXT_RESOURCE_CONTENTS_OR_BLOB_RESOURCE_CONTENTS_2: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&TEXT_RESOURCE_CONTENTS_OR_BLOB_RESOURCE_CONTENTS_2)]);
static LIST_OF_TEXT_RESOURCE_CONTENTS_OR_BLOB_RESOURCE_CONTENTS_3: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&TEXT_RESOURCE_CONTENTS_OR_BLOB_RESOURCE_CONTENTS_3)]);
static LIST_OF_TITLED_SINGLE_SELECT_ENUM_SCHEMA_ONE_OF_ITEM: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&TITLED_SINGLE_SELECT_ENUM_SCHEMA_ONE_OF_ITEM)]);
static LIST_OF_TOOL: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&TOOL)]);
static LIST_OF_TOOL_2: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&TOOL_2)]);
static LIST_OF_TOOL_3: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&TOOL_3)]);
static LIST_OF_TOOL_4: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&TOOL_4)]);
static LIST_OF_TOOL_5: Type = Type::new(Kinds::ARRAY, &[Detail::Items(&TOOL_5)]);
static LIST_PROMPTS_RESULT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LIST_PROMPTS_RESULT_MEMBERS)]);
static LIST_PROMPTS_RESULT_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LIST_PROMPTS_RESULT_MEMBERS_2)]);
static LIST_PROMPTS_RESULT_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LIST_PROMPTS_RESULT_MEMBERS_3)]);
static LIST_PROMPTS_RESULT_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LIST_PROMPTS_RESULT_MEMBERS_4)]);
static LIST_PROMPTS_RESULT_MEMBERS: Object = Object::new(&[
    may("_meta", &OBJECT),
    may("nextCursor", &STRING),
    must("prompts", &LIST_OF_PROMPT),
]);
static LIST_PROMPTS_RESULT_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META),
    may("nextCursor", &STRING),
    must("prompts", &LIST_OF_PROMPT_2),
]);
static LIST_PROMPTS_RESULT_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META_2),
    may("nextCursor", &STRING),
    must("prompts", &LIST_OF_PROMPT_3),
]);
static LIST_PROMPTS_RESULT_MEMBERS_4: Object = Object::new(&[
    may("_meta", &RESULT_META_OBJECT),
    must("cacheScope", &PRIVATE_OR_PUBLIC),
    may("nextCursor", &STRING),
    must("prompts", &LIST_OF_PROMPT_3),
    must("resultType", &STRING),
    must("ttlMs", &INTEGER_FROM_0),
]);
static LIST_RESOURCES_RESULT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LIST_RESOURCES_RESULT_MEMBERS)]);
static LIST_RESOURCES_RESULT_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LIST_RESOURCES_RESULT_MEMBERS_2)]);
static LIST_RESOURCES_RESULT_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LIST_RESOURCES_RESULT_MEMBERS_3)]);
static LIST_RESOURCES_RESULT_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LIST_RESOURCES_RESULT_MEMBERS_4)]);
static LIST_RESOURCES_RESULT_MEMBERS: Object = Object::new(&[
    may("_meta", &OBJECT),
    may("nextCursor", &STRING),
    must("resources", &LIST_OF_RESOURCE_2),
]);
static LIST_RESOURCES_RESULT_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META),
    may("nextCursor", &STRING),
    must("resources", &LIST_OF_RESOURCE_3),
]);
static LIST_RESOURCES_RESULT_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META_2),
    may("nextCursor", &STRING),
    must("resources", &LIST_OF_RESOURCE_4),
]);
static LIST_RESOURCES_RESULT_MEMBERS_4: Object = Object::new(&[
    may("_meta", &RESULT_META_OBJECT),
    must("cacheScope", &PRIVATE_OR_PUBLIC),
    may("nextCursor", &STRING),
    must("resources", &LIST_OF_RESOURCE_4),
    must("resultType", &STRING),
    must("ttlMs", &INTEGER_FROM_0),
]);
static LIST_RESOURCE_TEMPLATES_RESULT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LIST_RESOURCE_TEMPLATES_RESULT_MEMBERS)]);
static LIST_RESOURCE_TEMPLATES_RESULT_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LIST_RESOURCE_TEMPLATES_RESULT_MEMBERS_2)]);
static LIST_RESOURCE_TEMPLATES_RESULT_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LIST_RESOURCE_TEMPLATES_RESULT_MEMBERS_3)]);
static LIST_RESOURCE_TEMPLATES_RESULT_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LIST_RESOURCE_TEMPLATES_RESULT_MEMBERS_4)]);
static LIST_RESOURCE_TEMPLATES_RESULT_MEMBERS: Object = Object::new(&[
    may("_meta", &OBJECT),
    may("nextCursor", &STRING),
    must("resourceTemplates", &LIST_OF_RESOURCE_TEMPLATE),
]);
static LIST_RESOURCE_TEMPLATES_RESULT_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META),
    may("nextCursor", &STRING),
    must("resourceTemplates", &LIST_OF_RESOURCE_TEMPLATE_2),
]);
static LIST_RESOURCE_TEMPLATES_RESULT_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META_2),
    may("nextCursor", &STRING),
    must("resourceTemplates", &LIST_OF_RESOURCE_TEMPLATE_3),
]);
static LIST_RESOURCE_TEMPLATES_RESULT_MEMBERS_4: Object = Object::new(&[
    may("_meta", &RESULT_META_OBJECT),
    must("cacheScope", &PRIVATE_OR_PUBLIC),
    may("nextCursor", &STRING),
    must("resourceTemplates", &LIST_OF_RESOURCE_TEMPLATE_3),
    must("resultType", &STRING),
    must("ttlMs", &INTEGER_FROM_0),
]);
static LIST_ROOTS_REQUEST_MEMBERS: Object = Object::new(&[
    must("method", &ROOTS_LIST),
    may("params", &NOTIFICATION_PARAMS_3),
]);
static LIST_ROOTS_RESULT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LIST_ROOTS_RESULT_MEMBERS)]);
static LIST_ROOTS_RESULT_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LIST_ROOTS_RESULT_MEMBERS_2)]);
static LIST_ROOTS_RESULT_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LIST_ROOTS_RESULT_MEMBERS_3)]);
static LIST_ROOTS_RESULT_MEMBERS: Object = Object::new(&[
    may("_meta", &OBJECT),
    must("roots", &LIST_OF_ROOT),
]);
static LIST_ROOTS_RESULT_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META),
    must("roots", &LIST_OF_ROOT_2),
]);
static LIST_ROOTS_RESULT_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META_2),
    must("roots", &LIST_OF_ROOT_3),
]);
static LIST_ROOTS_RESULT_MEMBERS_4: Object = Object::new(&[
    must("roots", &LIST_OF_ROOT_3),
]);
static LIST_TASKS_RESULT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LIST_TASKS_RESULT_MEMBERS)]);
static LIST_TASKS_RESULT_MEMBERS: Object = Object::new(&[
    may("_meta", &META_2),
    may("nextCursor", &STRING),
    must("tasks", &LIST_OF_TASK),
]);
static LIST_TOOLS_RESULT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LIST_TOOLS_RESULT_MEMBERS)]);
static LIST_TOOLS_RESULT_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LIST_TOOLS_RESULT_MEMBERS_2)]);
static LIST_TOOLS_RESULT_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LIST_TOOLS_RESULT_MEMBERS_3)]);
static LIST_TOOLS_RESULT_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LIST_TOOLS_RESULT_MEMBERS_4)]);
static LIST_TOOLS_RESULT_5: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LIST_TOOLS_RESULT_MEMBERS_5)]);
static LIST_TOOLS_RESULT_MEMBERS: Object = Object::new(&[
    may("_meta", &OBJECT),
    may("nextCursor", &STRING),
    must("tools", &LIST_OF_TOOL),
]);
static LIST_TOOLS_RESULT_MEMBERS_2: Object = Object::new(&[
    may("_meta", &OBJECT),
    may("nextCursor", &STRING),
    must("tools", &LIST_OF_TOOL_2),
]);
static LIST_TOOLS_RESULT_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META),
    may("nextCursor", &STRING),
    must("tools", &LIST_OF_TOOL_3),
]);
static LIST_TOOLS_RESULT_MEMBERS_4: Object = Object::new(&[
    may("_meta", &META_2),
    may("nextCursor", &STRING),
    must("tools", &LIST_OF_TOOL_4),
]);
static LIST_TOOLS_RESULT_MEMBERS_5: Object = Object::new(&[
    may("_meta", &RESULT_META_OBJECT),
    must("cacheScope", &PRIVATE_OR_PUBLIC),
    may("nextCursor", &STRING),
    must("resultType", &STRING),
    must("tools", &LIST_OF_TOOL_5),
    must("ttlMs", &INTEGER_FROM_0),
]);
static LOGGING_LEVEL: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["alert", "critical", "debug", "emergency", "error", "info", "notice", "warning"])]);
static LOGGING_MESSAGE_NOTIFICATION_PARAMS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LOGGING_MESSAGE_NOTIFICATION_PARAMS_MEMBERS)]);
static LOGGING_MESSAGE_NOTIFICATION_PARAMS_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LOGGING_MESSAGE_NOTIFICATION_PARAMS_MEMBERS_2)]);
static LOGGING_MESSAGE_NOTIFICATION_PARAMS_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LOGGING_MESSAGE_NOTIFICATION_PARAMS_MEMBERS_3)]);
static LOGGING_MESSAGE_NOTIFICATION_PARAMS_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&LOGGING_MESSAGE_NOTIFICATION_PARAMS_MEMBERS_4)]);
static LOGGING_MESSAGE_NOTIFICATION_PARAMS_MEMBERS: Object = Object::new(&[
    may("_meta", &OBJECT),
    must("data", &ANY),
    must("level", &LOGGING_LEVEL),
    may("logger", &STRING),
]);
static LOGGING_MESSAGE_NOTIFICATION_PARAMS_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META),
    must("data", &ANY),
    must("level", &LOGGING_LEVEL),
    may("logger", &STRING),
]);
static LOGGING_MESSAGE_NOTIFICATION_PARAMS_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META_2),
    must("data", &ANY),
    must("level", &LOGGING_LEVEL),
    may("logger", &STRING),
]);
static LOGGING_MESSAGE_NOTIFICATION_PARAMS_MEMBERS_4: Object = Object::new(&[
    may("_meta", &NOTIFICATION_META_OBJECT),
    must("data", &ANY),
    must("level", &LOGGING_LEVEL),
    may("logger", &STRING),
]);
static MAP_OF_LIST_OF_STRING_OR_STRING_OR_NUMBER_OR_BOOLEAN: Type = Type::new(Kinds::OBJECT, &[Detail::Members(&LIST_OF_STRING_OR_STRING_OR_NUMBER_OR_BOOLEAN)]);
static MAP_OF_OBJECT: Type = Type::new(Kinds::OBJECT, &[Detail::Members(&OBJECT)]);
static MAP_OF_PRIMITIVE_SCHEMA_DEFINITION: Type = Type::new(Kinds::OBJECT, &[Detail::Members(&PRIMITIVE_SCHEMA_DEFINITION)]);
static MAP_OF_PRIMITIVE_SCHEMA_DEFINITION_2: Type = Type::new(Kinds::OBJECT, &[Detail::Members(&PRIMITIVE_SCHEMA_DEFINITION_2)]);
static MAP_OF_STRING: Type = Type::new(Kinds::OBJECT, &[Detail::Members(&STRING)]);
static MAP_OF_STRING_OR_NUMBER_OR_BOOLEAN: Type = Type::new(Kinds::OBJECT, &[Detail::Members(&STRING_OR_NUMBER_OR_BOOLEAN)]);
static MEDIA_TYPE: Type = Type::new(Kinds::STRING, &[Detail::Format(Format::MediaType)]);
static META: Type = Type::new(Kinds::OBJECT, &[Detail::Meta(Reserved::AnyLabelButTheLast)]);
static META_2: Type = Type::new(Kinds::OBJECT, &[Detail::Meta(Reserved::SecondLabel)]);
static MISSING_REQUIRED_CLIENT_CAPABILITY_ERROR_DATA: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&MISSING_REQUIRED_CLIENT_CAPABILITY_ERROR_DATA_MEMBERS)]);
static MISSING_REQUIRED_CLIENT_CAPABILITY_ERROR_DATA_MEMBERS: Object = Object::new(&[
    must("requiredCapabilities", &CLIENT_CAPABILITIES_4),
]);
static MODEL_HINT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&MODEL_HINT_MEMBERS)]);
static MODEL_HINT_MEMBERS: Object = Object::new(&[
    may("name", &STRING),
]);
static MODEL_PREFERENCES: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&MODEL_PREFERENCES_MEMBERS)]);
static MODEL_PREFERENCES_MEMBERS: Object = Object::new(&[
    may("costPriority", &NUMBER_0_TO_1),
    may("hints", &LIST_OF_MODEL_HINT),
    may("intelligencePriority", &NUMBER_0_TO_1),
    may("speedPriority", &NUMBER_0_TO_1),
]);
static NOTIFICATION_META_OBJECT: Type = Type::new(Kinds::OBJECT, &[Detail::Meta(Reserved::SecondLabel), Detail::Object(&NOTIFICATION_META_OBJECT_MEMBERS)]);
static NOTIFICATION_META_OBJECT_MEMBERS: Object = Object::new(&[
    may("io.modelcontextprotocol/subscriptionId", &REQUEST_ID),
]);
static NOTIFICATION_PARAMS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&NOTIFICATION_PARAMS_MEMBERS)]);
static NOTIFICATION_PARAMS_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&NOTIFICATION_PARAMS_MEMBERS_2)]);
static NOTIFICATION_PARAMS_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&NOTIFICATION_PARAMS_MEMBERS_3)]);
static NOTIFICATION_PARAMS_MEMBERS: Object = Object::new(&[
    may("_meta", &OBJECT),
]);
static NOTIFICATION_PARAMS_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META),
]);
static NOTIFICATION_PARAMS_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META_2),
]);
static NUMBER: Type = Type::new(Kinds::NUMBER, &[]);
static NUMBER_0_TO_1: Type = Type::new(Kinds::NUMBER, &[Detail::Least(0), Detail::Most(1)]);
static NUMBER_SCHEMA_MEMBERS: Object = Object::new(&[
    may("description", &STRING),
    may("maximum", &NUMBER),
    may("minimum", &NUMBER),
    may("title", &STRING),
    must("type", &INTEGER_OR_NUMBER),
]);
static NUMBER_SCHEMA_MEMBERS_2: Object = Object::new(&[
    may("default", &NUMBER),
    may("description", &STRING),
    may("maximum", &NUMBER),
    may("minimum", &NUMBER),
    may("title", &STRING),
    must("type", &INTEGER_OR_NUMBER),
]);
static OBJECT: Type = Type::new(Kinds::OBJECT, &[]);
static OBJECT_2: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["object"])]);
static ONE_OF: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TEXT_CONTENT_MEMBERS), Detail::Object(&IMAGE_CONTENT_MEMBERS), Detail::Object(&AUDIO_CONTENT_MEMBERS), Detail::Object(&EMBEDDED_RESOURCE_MEMBERS)]);
static ONE_OF_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&UNTITLED_MULTI_SELECT_ENUM_SCHEMA_ITEMS_MEMBERS), Detail::Object(&TITLED_MULTI_SELECT_ENUM_SCHEMA_ITEMS_MEMBERS)]);
static ONE_OF_3: Type = Type::new(Kinds::OBJECT.union(Kinds::ARRAY), &[Detail::Items(&SAMPLING_MESSAGE_CONTENT_BLOCK), Detail::Object(&TEXT_CONTENT_MEMBERS_3), Detail::Object(&IMAGE_CONTENT_MEMBERS_3), Detail::Object(&AUDIO_CONTENT_MEMBERS_3), Detail::Object(&TOOL_USE_CONTENT_MEMBERS), Detail::Object(&TOOL_RESULT_CONTENT_MEMBERS)]);
static ONE_OF_4: Type = Type::new(Kinds::OBJECT.union(Kinds::ARRAY), &[Detail::Items(&SAMPLING_MESSAGE_CONTENT_BLOCK_2), Detail::Object(&TEXT_CONTENT_MEMBERS_3), Detail::Object(&IMAGE_CONTENT_MEMBERS_3), Detail::Object(&AUDIO_CONTENT_MEMBERS_3), Detail::Object(&TOOL_USE_CONTENT_MEMBERS), Detail::Object(&TOOL_RESULT_CONTENT_MEMBERS_2)]);
static PAGINATED_REQUEST_PARAMS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&PAGINATED_REQUEST_PARAMS_MEMBERS)]);
static PAGINATED_REQUEST_PARAMS_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&PAGINATED_REQUEST_PARAMS_MEMBERS_2)]);
static PAGINATED_REQUEST_PARAMS_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&PAGINATED_REQUEST_PARAMS_MEMBERS_3)]);
static PAGINATED_REQUEST_PARAMS_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&PAGINATED_REQUEST_PARAMS_MEMBERS_4)]);
static PAGINATED_REQUEST_PARAMS_MEMBERS: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT),
    may("cursor", &STRING),
]);
static PAGINATED_REQUEST_PARAMS_MEMBERS_2: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT_2),
    may("cursor", &STRING),
]);
static PAGINATED_REQUEST_PARAMS_MEMBERS_3: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT_3),
    may("cursor", &STRING),
]);
static PAGINATED_REQUEST_PARAMS_MEMBERS_4: Object = Object::new(&[
    must("_meta", &REQUEST_META_OBJECT_4),
    may("cursor", &STRING),
]);
static PRIMITIVE_SCHEMA_DEFINITION: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&STRING_SCHEMA_MEMBERS), Detail::Object(&NUMBER_SCHEMA_MEMBERS), Detail::Object(&BOOLEAN_SCHEMA_MEMBERS), Detail::Object(&ENUM_SCHEMA_MEMBERS)]);
static PRIMITIVE_SCHEMA_DEFINITION_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&STRING_SCHEMA_MEMBERS_2), Detail::Object(&NUMBER_SCHEMA_MEMBERS_2), Detail::Object(&BOOLEAN_SCHEMA_MEMBERS), Detail::Object(&UNTITLED_SINGLE_SELECT_ENUM_SCHEMA_MEMBERS), Detail::Object(&TITLED_SINGLE_SELECT_ENUM_SCHEMA_MEMBERS), Detail::Object(&UNTITLED_MULTI_SELECT_ENUM_SCHEMA_MEMBERS), Detail::Object(&LEGACY_TITLED_ENUM_SCHEMA_MEMBERS)]);
static PRIVATE_OR_PUBLIC: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["private", "public"])]);
static PROGRESS_NOTIFICATION_PARAMS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&PROGRESS_NOTIFICATION_PARAMS_MEMBERS)]);
static PROGRESS_NOTIFICATION_PARAMS_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&PROGRESS_NOTIFICATION_PARAMS_MEMBERS_2)]);
static PROGRESS_NOTIFICATION_PARAMS_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&PROGRESS_NOTIFICATION_PARAMS_MEMBERS_3)]);
static PROGRESS_NOTIFICATION_PARAMS_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&PROGRESS_NOTIFICATION_PARAMS_MEMBERS_4)]);
static PROGRESS_NOTIFICATION_PARAMS_5: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&PROGRESS_NOTIFICATION_PARAMS_MEMBERS_5)]);
static PROGRESS_NOTIFICATION_PARAMS_MEMBERS: Object = Object::new(&[
    may("_meta", &OBJECT),
    must("progress", &NUMBER),
    must("progressToken", &REQUEST_ID),
    may("total", &NUMBER),
]);
static PROGRESS_NOTIFICATION_PARAMS_MEMBERS_2: Object = Object::new(&[
    may("_meta", &OBJECT),
    may("message", &STRING),
    must("progress", &NUMBER),
    must("progressToken", &REQUEST_ID),
    may("total", &NUMBER),
]);
static PROGRESS_NOTIFICATION_PARAMS_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META),
    may("message", &STRING),
    must("progress", &NUMBER),
    must("progressToken", &REQUEST_ID),
    may("total", &NUMBER),
]);
static PROGRESS_NOTIFICATION_PARAMS_MEMBERS_4: Object = Object::new(&[
    may("_meta", &META_2),
    may("message", &STRING),
    must("progress", &NUMBER),
    must("progressToken", &REQUEST_ID),
    may("total", &NUMBER),
]);
static PROGRESS_NOTIFICATION_PARAMS_MEMBERS_5: Object = Object::new(&[
    may("_meta", &NOTIFICATION_META_OBJECT),
    may("message", &STRING),
    must("progress", &NUMBER),
    must("progressToken", &REQUEST_ID),
    may("total", &NUMBER),
]);
static PROMPT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&PROMPT_MEMBERS)]);
static PROMPT_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&PROMPT_MEMBERS_2)]);
static PROMPT_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&PROMPT_MEMBERS_3)]);
static PROMPT_ARGUMENT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&PROMPT_ARGUMENT_MEMBERS)]);
static PROMPT_ARGUMENT_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&PROMPT_ARGUMENT_MEMBERS_2)]);
static PROMPT_ARGUMENT_MEMBERS: Object = Object::new(&[
    may("description", &STRING),
    must("name", &STRING),
    may("required", &BOOLEAN),
]);
static PROMPT_ARGUMENT_MEMBERS_2: Object = Object::new(&[
    may("description", &STRING),
    must("name", &STRING),
    may("required", &BOOLEAN),
    may("title", &STRING),
]);
static PROMPT_MEMBERS: Object = Object::new(&[
    may("arguments", &LIST_OF_PROMPT_ARGUMENT),
    may("description", &STRING),
    must("name", &STRING),
]);
static PROMPT_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META),
    may("arguments", &LIST_OF_PROMPT_ARGUMENT_2),
    may("description", &STRING),
    must("name", &STRING),
    may("title", &STRING),
]);
static PROMPT_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META_2),
    may("arguments", &LIST_OF_PROMPT_ARGUMENT_2),
    may("description", &STRING),
    may("icons", &LIST_OF_ICON),
    must("name", &STRING),
    may("title", &STRING),
]);
static PROMPT_MESSAGE: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&PROMPT_MESSAGE_MEMBERS)]);
static PROMPT_MESSAGE_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&PROMPT_MESSAGE_MEMBERS_2)]);
static PROMPT_MESSAGE_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&PROMPT_MESSAGE_MEMBERS_3)]);
static PROMPT_MESSAGE_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&PROMPT_MESSAGE_MEMBERS_4)]);
static PROMPT_MESSAGE_MEMBERS: Object = Object::new(&[
    must("content", &TEXT_CONTENT_OR_IMAGE_CONTENT_OR_EMBEDDED_RESOURCE),
    must("role", &ROLE),
]);
static PROMPT_MESSAGE_MEMBERS_2: Object = Object::new(&[
    must("content", &ONE_OF),
    must("role", &ROLE),
]);
static PROMPT_MESSAGE_MEMBERS_3: Object = Object::new(&[
    must("content", &CONTENT_BLOCK),
    must("role", &ROLE),
]);
static PROMPT_MESSAGE_MEMBERS_4: Object = Object::new(&[
    must("content", &CONTENT_BLOCK_2),
    must("role", &ROLE),
]);
static PROMPT_REFERENCE_MEMBERS: Object = Object::new(&[
    must("name", &STRING),
    must("type", &REF_PROMPT),
]);
static PROMPT_REFERENCE_MEMBERS_2: Object = Object::new(&[
    must("name", &STRING),
    may("title", &STRING),
    must("type", &REF_PROMPT),
]);
static PROMPT_REFERENCE_OR_RESOURCE_REFERENCE: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&PROMPT_REFERENCE_MEMBERS), Detail::Object(&RESOURCE_REFERENCE_MEMBERS)]);
static PROMPT_REFERENCE_OR_RESOURCE_TEMPLATE_REFERENCE: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&PROMPT_REFERENCE_MEMBERS_2), Detail::Object(&RESOURCE_REFERENCE_MEMBERS)]);
static READ_RESOURCE_REQUEST_PARAMS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&READ_RESOURCE_REQUEST_PARAMS_MEMBERS)]);
static READ_RESOURCE_REQUEST_PARAMS_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&READ_RESOURCE_REQUEST_PARAMS_MEMBERS_2)]);
static READ_RESOURCE_REQUEST_PARAMS_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&READ_RESOURCE_REQUEST_PARAMS_MEMBERS_3)]);
static READ_RESOURCE_REQUEST_PARAMS_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&READ_RESOURCE_REQUEST_PARAMS_MEMBERS_4)]);
static READ_RESOURCE_REQUEST_PARAMS_MEMBERS: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT),
    must("uri", &URI),
]);
static READ_RESOURCE_REQUEST_PARAMS_MEMBERS_2: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT_2),
    must("uri", &URI),
]);
static READ_RESOURCE_REQUEST_PARAMS_MEMBERS_3: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT_3),
    must("uri", &URI),
]);
static READ_RESOURCE_REQUEST_PARAMS_MEMBERS_4: Object = Object::new(&[
    must("_meta", &REQUEST_META_OBJECT_4),
    may("inputResponses", &INPUT_RESPONSES),
    may("requestState", &STRING),
    must("uri", &URI),
]);
static READ_RESOURCE_RESULT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&READ_RESOURCE_RESULT_MEMBERS)]);
static READ_RESOURCE_RESULT_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&READ_RESOURCE_RESULT_MEMBERS_2)]);
static READ_RESOURCE_RESULT_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&READ_RESOURCE_RESULT_MEMBERS_3)]);
static READ_RESOURCE_RESULT_MEMBERS: Object = Object::new(&[
    may("_meta", &OBJECT),
    must("contents", &LIST_OF_TEXT_RESOURCE_CONTENTS_OR_BLOB_RESOURCE_CONTENTS),
]);
static READ_RESOURCE_RESULT_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META),
    must("contents", &LIST_OF_TEXT_RESOURCE_CONTENTS_OR_BLOB_RESOURCE_CONTENTS_2),
]);
static READ_RESOURCE_RESULT_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META_2),
    must("contents", &LIST_OF_TEXT_RESOURCE_CONTENTS_OR_BLOB_RESOURCE_CONTENTS_3),
]);
static READ_RESOURCE_RESULT_MEMBERS_4: Object = Object::new(&[
    may("_meta", &RESULT_META_OBJECT),
    must("cacheScope", &PRIVATE_OR_PUBLIC),
    must("contents", &LIST_OF_TEXT_RESOURCE_CONTENTS_OR_BLOB_RESOURCE_CONTENTS_3),
    must("resultType", &STRING),
    must("ttlMs", &INTEGER_FROM_0),
]);
static REF_PROMPT: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["ref/prompt"])]);
static REF_RESOURCE: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["ref/resource"])]);
static REQUESTED_SCHEMA: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&REQUESTED_SCHEMA_MEMBERS)]);
static REQUESTED_SCHEMA_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&REQUESTED_SCHEMA_MEMBERS_2)]);
static REQUESTED_SCHEMA_MEMBERS: Object = Object::new(&[
    must("properties", &MAP_OF_PRIMITIVE_SCHEMA_DEFINITION),
    may("required", &LIST_OF_STRING_2),
    must("type", &OBJECT_2),
]);
static REQUESTED_SCHEMA_MEMBERS_2: Object = Object::new(&[
    may("$schema", &STRING),
    must("properties", &MAP_OF_PRIMITIVE_SCHEMA_DEFINITION_2),
    may("required", &LIST_OF_STRING_2),
    must("type", &OBJECT_2),
]);
static REQUEST_ID: Type = Type::new(Kinds::STRING.union(Kinds::INTEGER), &[]);
static REQUEST_META_OBJECT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&REQUEST_META_OBJECT_MEMBERS)]);
static REQUEST_META_OBJECT_2: Type = Type::new(Kinds::OBJECT, &[Detail::Meta(Reserved::AnyLabelButTheLast), Detail::Object(&REQUEST_META_OBJECT_MEMBERS)]);
static REQUEST_META_OBJECT_3: Type = Type::new(Kinds::OBJECT, &[Detail::Meta(Reserved::SecondLabel), Detail::Object(&REQUEST_META_OBJECT_MEMBERS)]);
static REQUEST_META_OBJECT_4: Type = Type::new(Kinds::OBJECT, &[Detail::Meta(Reserved::SecondLabel), Detail::Object(&REQUEST_META_OBJECT_MEMBERS_2)]);
static REQUEST_META_OBJECT_MEMBERS: Object = Object::new(&[
    may("progressToken", &REQUEST_ID),
]);
static REQUEST_META_OBJECT_MEMBERS_2: Object = Object::new(&[
    must("io.modelcontextprotocol/clientCapabilities", &CLIENT_CAPABILITIES_4),
    may("io.modelcontextprotocol/clientInfo", &IMPLEMENTATION_3),
    may("io.modelcontextprotocol/logLevel", &LOGGING_LEVEL),
    must("io.modelcontextprotocol/protocolVersion", &STRING),
    may("progressToken", &REQUEST_ID),
]);
static REQUEST_PARAMS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&REQUEST_PARAMS_MEMBERS)]);
static REQUEST_PARAMS_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&REQUEST_PARAMS_MEMBERS_2)]);
static REQUEST_PARAMS_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&REQUEST_PARAMS_MEMBERS_3)]);
static REQUEST_PARAMS_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&REQUEST_PARAMS_MEMBERS_4)]);
static REQUEST_PARAMS_MEMBERS: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT),
]);
static REQUEST_PARAMS_MEMBERS_2: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT_2),
]);
static REQUEST_PARAMS_MEMBERS_3: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT_3),
]);
static REQUEST_PARAMS_MEMBERS_4: Object = Object::new(&[
    must("_meta", &REQUEST_META_OBJECT_4),
]);
static RESOURCE: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["resource"])]);
static RESOURCE_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&RESOURCE_MEMBERS)]);
static RESOURCE_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&RESOURCE_MEMBERS_2)]);
static RESOURCE_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&RESOURCE_MEMBERS_3)]);
static RESOURCE_LINK: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["resource_link"])]);
static RESOURCE_LINK_MEMBERS: Object = Object::new(&[
    may("_meta", &META),
    may("annotations", &ANNOTATIONS_2),
    may("description", &STRING),
    may("mimeType", &MEDIA_TYPE),
    must("name", &STRING),
    may("size", &INTEGER),
    may("title", &STRING),
    must("type", &RESOURCE_LINK),
    must("uri", &URI),
]);
static RESOURCE_LINK_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META_2),
    may("annotations", &ANNOTATIONS_2),
    may("description", &STRING),
    may("icons", &LIST_OF_ICON),
    may("mimeType", &MEDIA_TYPE),
    must("name", &STRING),
    may("size", &INTEGER),
    may("title", &STRING),
    must("type", &RESOURCE_LINK),
    must("uri", &URI),
]);
static RESOURCE_MEMBERS: Object = Object::new(&[
    may("annotations", &ANNOTATIONS),
    may("description", &STRING),
    may("mimeType", &MEDIA_TYPE),
    must("name", &STRING),
    may("size", &INTEGER),
    must("uri", &URI),
]);
static RESOURCE_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META),
    may("annotations", &ANNOTATIONS_2),
    may("description", &STRING),
    may("mimeType", &MEDIA_TYPE),
    must("name", &STRING),
    may("size", &INTEGER),
    may("title", &STRING),
    must("uri", &URI),
]);
static RESOURCE_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META_2),
    may("annotations", &ANNOTATIONS_2),
    may("description", &STRING),
    may("icons", &LIST_OF_ICON),
    may("mimeType", &MEDIA_TYPE),
    must("name", &STRING),
    may("size", &INTEGER),
    may("title", &STRING),
    must("uri", &URI),
]);
static RESOURCE_REFERENCE_MEMBERS: Object = Object::new(&[
    must("type", &REF_RESOURCE),
    must("uri", &URI_TEMPLATE),
]);
static RESOURCE_TEMPLATE: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&RESOURCE_TEMPLATE_MEMBERS)]);
static RESOURCE_TEMPLATE_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&RESOURCE_TEMPLATE_MEMBERS_2)]);
static RESOURCE_TEMPLATE_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&RESOURCE_TEMPLATE_MEMBERS_3)]);
static RESOURCE_TEMPLATE_MEMBERS: Object = Object::new(&[
    may("annotations", &ANNOTATIONS),
    may("description", &STRING),
    may("mimeType", &MEDIA_TYPE),
    must("name", &STRING),
    must("uriTemplate", &URI_TEMPLATE),
]);
static RESOURCE_TEMPLATE_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META),
    may("annotations", &ANNOTATIONS_2),
    may("description", &STRING),
    may("mimeType", &MEDIA_TYPE),
    must("name", &STRING),
    may("title", &STRING),
    must("uriTemplate", &URI_TEMPLATE),
]);
static RESOURCE_TEMPLATE_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META_2),
    may("annotations", &ANNOTATIONS_2),
    may("description", &STRING),
    may("icons", &LIST_OF_ICON),
    may("mimeType", &MEDIA_TYPE),
    must("name", &STRING),
    may("title", &STRING),
    must("uriTemplate", &URI_TEMPLATE),
]);
static RESOURCE_UPDATED_NOTIFICATION_PARAMS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&RESOURCE_UPDATED_NOTIFICATION_PARAMS_MEMBERS)]);
static RESOURCE_UPDATED_NOTIFICATION_PARAMS_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&RESOURCE_UPDATED_NOTIFICATION_PARAMS_MEMBERS_2)]);
static RESOURCE_UPDATED_NOTIFICATION_PARAMS_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&RESOURCE_UPDATED_NOTIFICATION_PARAMS_MEMBERS_3)]);
static RESOURCE_UPDATED_NOTIFICATION_PARAMS_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&RESOURCE_UPDATED_NOTIFICATION_PARAMS_MEMBERS_4)]);
static RESOURCE_UPDATED_NOTIFICATION_PARAMS_MEMBERS: Object = Object::new(&[
    may("_meta", &OBJECT),
    must("uri", &URI),
]);
static RESOURCE_UPDATED_NOTIFICATION_PARAMS_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META),
    must("uri", &URI),
]);
static RESOURCE_UPDATED_NOTIFICATION_PARAMS_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META_2),
    must("uri", &URI),
]);
static RESOURCE_UPDATED_NOTIFICATION_PARAMS_MEMBERS_4: Object = Object::new(&[
    may("_meta", &NOTIFICATION_META_OBJECT),
    must("uri", &URI),
]);
static RESULT_META_OBJECT: Type = Type::new(Kinds::OBJECT, &[Detail::Meta(Reserved::SecondLabel), Detail::Object(&RESULT_META_OBJECT_MEMBERS)]);
static RESULT_META_OBJECT_MEMBERS: Object = Object::new(&[
    may("io.modelcontextprotocol/serverInfo", &IMPLEMENTATION_3),
]);
static ROLE: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["assistant", "user"])]);
static ROOT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&ROOT_MEMBERS)]);
static ROOTS_LIST: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["roots/list"])]);
static ROOT_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&ROOT_MEMBERS_2)]);
static ROOT_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&ROOT_MEMBERS_3)]);
static ROOT_MEMBERS: Object = Object::new(&[
    may("name", &STRING),
    must("uri", &ROOT_URI),
]);
static ROOT_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META),
    may("name", &STRING),
    must("uri", &ROOT_URI),
]);
static ROOT_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META_2),
    may("name", &STRING),
    must("uri", &ROOT_URI),
]);
static ROOT_URI: Type = Type::new(Kinds::STRING, &[Detail::Format(Format::RootUri)]);
static SAMPLING_CREATE_MESSAGE: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["sampling/createMessage"])]);
static SAMPLING_MESSAGE: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&SAMPLING_MESSAGE_MEMBERS)]);
static SAMPLING_MESSAGE_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&SAMPLING_MESSAGE_MEMBERS_2)]);
static SAMPLING_MESSAGE_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&SAMPLING_MESSAGE_MEMBERS_3)]);
static SAMPLING_MESSAGE_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&SAMPLING_MESSAGE_MEMBERS_4)]);
static SAMPLING_MESSAGE_5: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&SAMPLING_MESSAGE_MEMBERS_5)]);
static SAMPLING_MESSAGE_CONTENT_BLOCK: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TEXT_CONTENT_MEMBERS_3), Detail::Object(&IMAGE_CONTENT_MEMBERS_3), Detail::Object(&AUDIO_CONTENT_MEMBERS_3), Detail::Object(&TOOL_USE_CONTENT_MEMBERS), Detail::Object(&TOOL_RESULT_CONTENT_MEMBERS)]);
static SAMPLING_MESSAGE_CONTENT_BLOCK_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TEXT_CONTENT_MEMBERS_3), Detail::Object(&IMAGE_CONTENT_MEMBERS_3), Detail::Object(&AUDIO_CONTENT_MEMBERS_3), Detail::Object(&TOOL_USE_CONTENT_MEMBERS), Detail::Object(&TOOL_RESULT_CONTENT_MEMBERS_2)]);
static SAMPLING_MESSAGE_MEMBERS: Object = Object::new(&[
    must("content", &TEXT_CONTENT_OR_IMAGE_CONTENT),
    must("role", &ROLE),
]);
static SAMPLING_MESSAGE_MEMBERS_2: Object = Object::new(&[
    must("content", &TEXT_CONTENT_OR_IMAGE_CONTENT_OR_AUDIO_CONTENT),
    must("role", &ROLE),
]);
static SAMPLING_MESSAGE_MEMBERS_3: Object = Object::new(&[
    must("content", &TEXT_CONTENT_OR_IMAGE_CONTENT_OR_AUDIO_CONTENT_2),
    must("role", &ROLE),
]);
static SAMPLING_MESSAGE_MEMBERS_4: Object = Object::new(&[
    may("_meta", &META_2),
    must("content", &ONE_OF_3),
    must("role", &ROLE),
]);
static SAMPLING_MESSAGE_MEMBERS_5: Object = Object::new(&[
    may("_meta", &META_2),
    must("content", &ONE_OF_4),
    must("role", &ROLE),
]);
static SERVER_CAPABILITIES: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&SERVER_CAPABILITIES_MEMBERS)]);
static SERVER_CAPABILITIES_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&SERVER_CAPABILITIES_MEMBERS_2)]);
static SERVER_CAPABILITIES_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&SERVER_CAPABILITIES_MEMBERS_3)]);
static SERVER_CAPABILITIES_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&SERVER_CAPABILITIES_MEMBERS_4)]);
static SERVER_CAPABILITIES_MEMBERS: Object = Object::new(&[
    may("experimental", &MAP_OF_OBJECT),
    may("logging", &OBJECT),
    may("prompts", &CLIENT_CAPABILITIES_ROOTS),
    may("resources", &SERVER_CAPABILITIES_RESOURCES),
    may("tools", &CLIENT_CAPABILITIES_ROOTS),
]);
static SERVER_CAPABILITIES_MEMBERS_2: Object = Object::new(&[
    may("completions", &OBJECT),
    may("experimental", &MAP_OF_OBJECT),
    may("logging", &OBJECT),
    may("prompts", &CLIENT_CAPABILITIES_ROOTS),
    may("resources", &SERVER_CAPABILITIES_RESOURCES),
    may("tools", &CLIENT_CAPABILITIES_ROOTS),
]);
static SERVER_CAPABILITIES_MEMBERS_3: Object = Object::new(&[
    may("completions", &OBJECT),
    may("experimental", &MAP_OF_OBJECT),
    may("logging", &OBJECT),
    may("prompts", &CLIENT_CAPABILITIES_ROOTS),
    may("resources", &SERVER_CAPABILITIES_RESOURCES),
    may("tasks", &SERVER_CAPABILITIES_TASKS),
    may("tools", &CLIENT_CAPABILITIES_ROOTS),
]);
static SERVER_CAPABILITIES_MEMBERS_4: Object = Object::new(&[
    may("completions", &OBJECT),
    may("experimental", &MAP_OF_OBJECT),
    may("extensions", &MAP_OF_OBJECT),
    may("logging", &OBJECT),
    may("prompts", &CLIENT_CAPABILITIES_ROOTS),
    may("resources", &SERVER_CAPABILITIES_RESOURCES),
    may("tools", &CLIENT_CAPABILITIES_ROOTS),
]);
static SERVER_CAPABILITIES_RESOURCES: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&SERVER_CAPABILITIES_RESOURCES_MEMBERS)]);
static SERVER_CAPABILITIES_RESOURCES_MEMBERS: Object = Object::new(&[
    may("listChanged", &BOOLEAN),
    may("subscribe", &BOOLEAN),
]);
static SERVER_CAPABILITIES_TASKS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&SERVER_CAPABILITIES_TASKS_MEMBERS)]);
static SERVER_CAPABILITIES_TASKS_MEMBERS: Object = Object::new(&[
    may("cancel", &OBJECT),
    may("list", &OBJECT),
    may("requests", &SERVER_CAPABILITIES_TASKS_REQUESTS),
]);
static SERVER_CAPABILITIES_TASKS_REQUESTS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&SERVER_CAPABILITIES_TASKS_REQUESTS_MEMBERS)]);
static SERVER_CAPABILITIES_TASKS_REQUESTS_MEMBERS: Object = Object::new(&[
    may("tools", &SERVER_CAPABILITIES_TASKS_REQUESTS_TOOLS),
]);
static SERVER_CAPABILITIES_TASKS_REQUESTS_TOOLS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&SERVER_CAPABILITIES_TASKS_REQUESTS_TOOLS_MEMBERS)]);
static SERVER_CAPABILITIES_TASKS_REQUESTS_TOOLS_MEMBERS: Object = Object::new(&[
    may("call", &OBJECT),
]);
static SET_LEVEL_REQUEST_PARAMS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&SET_LEVEL_REQUEST_PARAMS_MEMBERS)]);
static SET_LEVEL_REQUEST_PARAMS_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&SET_LEVEL_REQUEST_PARAMS_MEMBERS_2)]);
static SET_LEVEL_REQUEST_PARAMS_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&SET_LEVEL_REQUEST_PARAMS_MEMBERS_3)]);
static SET_LEVEL_REQUEST_PARAMS_MEMBERS: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT),
    must("level", &LOGGING_LEVEL),
]);
static SET_LEVEL_REQUEST_PARAMS_MEMBERS_2: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT_2),
    must("level", &LOGGING_LEVEL),
]);
static SET_LEVEL_REQUEST_PARAMS_MEMBERS_3: Object = Object::new(&[
    may("_meta", &REQUEST_META_OBJECT_3),
    must("level", &LOGGING_LEVEL),
]);
static STRING: Type = Type::new(Kinds::STRING, &[]);
static STRING_2: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["string"])]);
static STRING_OR_NUMBER_OR_BOOLEAN: Type = Type::new(Kinds::STRING.union(Kinds::NUMBER).union(Kinds::BOOL), &[]);
static STRING_SCHEMA_MEMBERS: Object = Object::new(&[
    may("description", &STRING),
    may("format", &DATE_OR_DATE_TIME_OR_EMAIL_OR_URI),
    may("maxLength", &INTEGER),
    may("minLength", &INTEGER),
    may("title", &STRING),
    must("type", &STRING_2),
]);
static STRING_SCHEMA_MEMBERS_2: Object = Object::new(&[
    may("default", &STRING),
    may("description", &STRING),
    may("format", &DATE_OR_DATE_TIME_OR_EMAIL_OR_URI),
    may("maxLength", &INTEGER),
    may("minLength", &INTEGER),
    may("title", &STRING),
    must("type", &STRING_2),
]);
static SUBSCRIPTIONS_ACKNOWLEDGED_NOTIFICATION_PARAMS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&SUBSCRIPTIONS_ACKNOWLEDGED_NOTIFICATION_PARAMS_MEMBERS)]);
static SUBSCRIPTIONS_ACKNOWLEDGED_NOTIFICATION_PARAMS_MEMBERS: Object = Object::new(&[
    may("_meta", &NOTIFICATION_META_OBJECT),
    must("notifications", &SUBSCRIPTION_FILTER),
]);
static SUBSCRIPTIONS_LISTEN_REQUEST_PARAMS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&SUBSCRIPTIONS_LISTEN_REQUEST_PARAMS_MEMBERS)]);
static SUBSCRIPTIONS_LISTEN_REQUEST_PARAMS_MEMBERS: Object = Object::new(&[
    must("_meta", &REQUEST_META_OBJECT_4),
    must("notifications", &SUBSCRIPTION_FILTER),
]);
static SUBSCRIPTIONS_LISTEN_RESULT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&SUBSCRIPTIONS_LISTEN_RESULT_MEMBERS)]);
static SUBSCRIPTIONS_LISTEN_RESULT_MEMBERS: Object = Object::new(&[
    must("_meta", &SUBSCRIPTIONS_LISTEN_RESULT_META_OBJECT),
    must("resultType", &STRING),
]);
static SUBSCRIPTIONS_LISTEN_RESULT_META_OBJECT: Type = Type::new(Kinds::OBJECT, &[Detail::Meta(Reserved::SecondLabel), Detail::Object(&SUBSCRIPTIONS_LISTEN_RESULT_META_OBJECT_MEMBERS)]);
static SUBSCRIPTIONS_LISTEN_RESULT_META_OBJECT_MEMBERS: Object = Object::new(&[
    may("io.modelcontextprotocol/serverInfo", &IMPLEMENTATION_3),
    must("io.modelcontextprotocol/subscriptionId", &REQUEST_ID),
]);
static SUBSCRIPTION_FILTER: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&SUBSCRIPTION_FILTER_MEMBERS)]);
static SUBSCRIPTION_FILTER_MEMBERS: Object = Object::new(&[
    may("promptsListChanged", &BOOLEAN),
    may("resourceSubscriptions", &LIST_OF_STRING_2),
    may("resourcesListChanged", &BOOLEAN),
    may("toolsListChanged", &BOOLEAN),
]);
static TASK: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TASK_MEMBERS)]);
static TASK_MEMBERS: Object = Object::new(&[
    must("createdAt", &TIMESTAMP),
    must("lastUpdatedAt", &TIMESTAMP),
    may("pollInterval", &INTEGER),
    must("status", &TASK_STATUS),
    may("statusMessage", &STRING),
    must("taskId", &STRING),
    must("ttl", &INTEGER_OR_NULL),
]);
static TASK_METADATA: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TASK_METADATA_MEMBERS)]);
static TASK_METADATA_MEMBERS: Object = Object::new(&[
    may("ttl", &INTEGER),
]);
static TASK_STATUS: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["cancelled", "completed", "failed", "input_required", "working"])]);
static TASK_STATUS_NOTIFICATION_PARAMS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TASK_STATUS_NOTIFICATION_PARAMS_MEMBERS)]);
static TASK_STATUS_NOTIFICATION_PARAMS_MEMBERS: Object = Object::new(&[
    may("_meta", &META_2),
    must("createdAt", &TIMESTAMP),
    must("lastUpdatedAt", &TIMESTAMP),
    may("pollInterval", &INTEGER),
    must("status", &TASK_STATUS),
    may("statusMessage", &STRING),
    must("taskId", &STRING),
    must("ttl", &INTEGER_OR_NULL),
]);
static TEXT: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["text"])]);
static TEXT_CONTENT_MEMBERS: Object = Object::new(&[
    may("annotations", &ANNOTATIONS),
    must("text", &STRING),
    must("type", &TEXT),
]);
static TEXT_CONTENT_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META),
    may("annotations", &ANNOTATIONS_2),
    must("text", &STRING),
    must("type", &TEXT),
]);
static TEXT_CONTENT_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META_2),
    may("annotations", &ANNOTATIONS_2),
    must("text", &STRING),
    must("type", &TEXT),
]);
static TEXT_CONTENT_OR_IMAGE_CONTENT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TEXT_CONTENT_MEMBERS), Detail::Object(&IMAGE_CONTENT_MEMBERS)]);
static TEXT_CONTENT_OR_IMAGE_CONTENT_OR_AUDIO_CONTENT: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TEXT_CONTENT_MEMBERS), Detail::Object(&IMAGE_CONTENT_MEMBERS), Detail::Object(&AUDIO_CONTENT_MEMBERS)]);
static TEXT_CONTENT_OR_IMAGE_CONTENT_OR_AUDIO_CONTENT_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TEXT_CONTENT_MEMBERS_2), Detail::Object(&IMAGE_CONTENT_MEMBERS_2), Detail::Object(&AUDIO_CONTENT_MEMBERS_2)]);
static TEXT_CONTENT_OR_IMAGE_CONTENT_OR_EMBEDDED_RESOURCE: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TEXT_CONTENT_MEMBERS), Detail::Object(&IMAGE_CONTENT_MEMBERS), Detail::Object(&EMBEDDED_RESOURCE_MEMBERS)]);
static TEXT_RESOURCE_CONTENTS_MEMBERS: Object = Object::new(&[
    may("mimeType", &MEDIA_TYPE),
    must("text", &STRING),
    must("uri", &URI),
]);
static TEXT_RESOURCE_CONTENTS_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META),
    may("mimeType", &MEDIA_TYPE),
    must("text", &STRING),
    must("uri", &URI),
]);
static TEXT_RESOURCE_CONTENTS_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META_2),
    may("mimeType", &MEDIA_TYPE),
    must("text", &STRING),
    must("uri", &URI),
]);
static TEXT_RESOURCE_CONTENTS_OR_BLOB_RESOURCE_CONTENTS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TEXT_RESOURCE_CONTENTS_MEMBERS), Detail::Object(&BLOB_RESOURCE_CONTENTS_MEMBERS)]);
static TEXT_RESOURCE_CONTENTS_OR_BLOB_RESOURCE_CONTENTS_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TEXT_RESOURCE_CONTENTS_MEMBERS_2), Detail::Object(&BLOB_RESOURCE_CONTENTS_MEMBERS_2)]);
static TEXT_RESOURCE_CONTENTS_OR_BLOB_RESOURCE_CONTENTS_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TEXT_RESOURCE_CONTENTS_MEMBERS_3), Detail::Object(&BLOB_RESOURCE_CONTENTS_MEMBERS_3)]);
static TIMESTAMP: Type = Type::new(Kinds::STRING, &[Detail::Format(Format::Timestamp)]);
static TITLED_MULTI_SELECT_ENUM_SCHEMA_ITEMS_MEMBERS: Object = Object::new(&[
    must("anyOf", &LIST_OF_TITLED_SINGLE_SELECT_ENUM_SCHEMA_ONE_OF_ITEM),
]);
static TITLED_SINGLE_SELECT_ENUM_SCHEMA_MEMBERS: Object = Object::new(&[
    may("default", &STRING),
    may("description", &STRING),
    must("oneOf", &LIST_OF_TITLED_SINGLE_SELECT_ENUM_SCHEMA_ONE_OF_ITEM),
    may("title", &STRING),
    must("type", &STRING_2),
]);
static TITLED_SINGLE_SELECT_ENUM_SCHEMA_ONE_OF_ITEM: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TITLED_SINGLE_SELECT_ENUM_SCHEMA_ONE_OF_ITEM_MEMBERS)]);
static TITLED_SINGLE_SELECT_ENUM_SCHEMA_ONE_OF_ITEM_MEMBERS: Object = Object::new(&[
    must("const", &STRING),
    must("title", &STRING),
]);
static TOOL: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TOOL_MEMBERS)]);
static TOOL_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TOOL_MEMBERS_2)]);
static TOOL_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TOOL_MEMBERS_3)]);
static TOOL_4: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TOOL_MEMBERS_4)]);
static TOOL_5: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TOOL_MEMBERS_5)]);
static TOOL_ANNOTATIONS: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TOOL_ANNOTATIONS_MEMBERS)]);
static TOOL_ANNOTATIONS_MEMBERS: Object = Object::new(&[
    may("destructiveHint", &BOOLEAN),
    may("idempotentHint", &BOOLEAN),
    may("openWorldHint", &BOOLEAN),
    may("readOnlyHint", &BOOLEAN),
    may("title", &STRING),
]);
static TOOL_CHOICE: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TOOL_CHOICE_MEMBERS)]);
static TOOL_CHOICE_MEMBERS: Object = Object::new(&[
    may("mode", &AUTO_OR_NONE_OR_REQUIRED),
]);
static TOOL_EXECUTION: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TOOL_EXECUTION_MEMBERS)]);
static TOOL_EXECUTION_MEMBERS: Object = Object::new(&[
    may("taskSupport", &FORBIDDEN_OR_OPTIONAL_OR_REQUIRED),
]);
static TOOL_INPUT_SCHEMA: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TOOL_INPUT_SCHEMA_MEMBERS)]);
static TOOL_INPUT_SCHEMA_2: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TOOL_INPUT_SCHEMA_MEMBERS_2)]);
static TOOL_INPUT_SCHEMA_3: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TOOL_INPUT_SCHEMA_MEMBERS_3)]);
static TOOL_INPUT_SCHEMA_MEMBERS: Object = Object::new(&[
    may("properties", &MAP_OF_OBJECT),
    may("required", &LIST_OF_STRING_2),
    must("type", &OBJECT_2),
]);
static TOOL_INPUT_SCHEMA_MEMBERS_2: Object = Object::new(&[
    may("$schema", &STRING),
    may("properties", &MAP_OF_OBJECT),
    may("required", &LIST_OF_STRING_2),
    must("type", &OBJECT_2),
]);
static TOOL_INPUT_SCHEMA_MEMBERS_3: Object = Object::new(&[
    may("$schema", &STRING),
    must("type", &OBJECT_2),
]);
static TOOL_MEMBERS: Object = Object::new(&[
    may("description", &STRING),
    must("inputSchema", &TOOL_INPUT_SCHEMA),
    must("name", &STRING),
]);
static TOOL_MEMBERS_2: Object = Object::new(&[
    may("annotations", &TOOL_ANNOTATIONS),
    may("description", &STRING),
    must("inputSchema", &TOOL_INPUT_SCHEMA),
    must("name", &STRING),
]);
static TOOL_MEMBERS_3: Object = Object::new(&[
    may("_meta", &META),
    may("annotations", &TOOL_ANNOTATIONS),
    may("description", &STRING),
    must("inputSchema", &TOOL_INPUT_SCHEMA),
    must("name", &STRING),
    may("outputSchema", &TOOL_INPUT_SCHEMA),
    may("title", &STRING),
]);
static TOOL_MEMBERS_4: Object = Object::new(&[
    may("_meta", &META_2),
    may("annotations", &TOOL_ANNOTATIONS),
    may("description", &STRING),
    may("execution", &TOOL_EXECUTION),
    may("icons", &LIST_OF_ICON),
    must("inputSchema", &TOOL_INPUT_SCHEMA_2),
    must("name", &TOOL_NAME),
    may("outputSchema", &TOOL_INPUT_SCHEMA_2),
    may("title", &STRING),
]);
static TOOL_MEMBERS_5: Object = Object::new(&[
    may("_meta", &META_2),
    may("annotations", &TOOL_ANNOTATIONS),
    may("description", &STRING),
    may("icons", &LIST_OF_ICON),
    must("inputSchema", &TOOL_INPUT_SCHEMA_3),
    must("name", &TOOL_NAME),
    may("outputSchema", &TOOL_OUTPUT_SCHEMA),
    may("title", &STRING),
]);
static TOOL_NAME: Type = Type::new(Kinds::STRING, &[Detail::Format(Format::ToolName)]);
static TOOL_OUTPUT_SCHEMA: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&TOOL_OUTPUT_SCHEMA_MEMBERS)]);
static TOOL_OUTPUT_SCHEMA_MEMBERS: Object = Object::new(&[
    may("$schema", &STRING),
]);
static TOOL_RESULT: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["tool_result"])]);
static TOOL_RESULT_CONTENT_MEMBERS: Object = Object::new(&[
    may("_meta", &META_2),
    must("content", &LIST_OF_CONTENT_BLOCK_2),
    may("isError", &BOOLEAN),
    may("structuredContent", &OBJECT),
    must("toolUseId", &STRING),
    must("type", &TOOL_RESULT),
]);
static TOOL_RESULT_CONTENT_MEMBERS_2: Object = Object::new(&[
    may("_meta", &META_2),
    must("content", &LIST_OF_CONTENT_BLOCK_2),
    may("isError", &BOOLEAN),
    may("structuredContent", &ANY),
    must("toolUseId", &STRING),
    must("type", &TOOL_RESULT),
]);
static TOOL_USE: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["tool_use"])]);
static TOOL_USE_CONTENT_MEMBERS: Object = Object::new(&[
    may("_meta", &META_2),
    must("id", &STRING),
    must("input", &OBJECT),
    must("name", &STRING),
    must("type", &TOOL_USE),
]);
static UNSUPPORTED_PROTOCOL_VERSION_ERROR_DATA: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&UNSUPPORTED_PROTOCOL_VERSION_ERROR_DATA_MEMBERS)]);
static UNSUPPORTED_PROTOCOL_VERSION_ERROR_DATA_MEMBERS: Object = Object::new(&[
    must("requested", &STRING),
    must("supported", &LIST_OF_STRING_2),
]);
static UNTITLED_MULTI_SELECT_ENUM_SCHEMA_ITEMS_MEMBERS: Object = Object::new(&[
    must("enum", &LIST_OF_STRING_2),
    must("type", &STRING_2),
]);
static UNTITLED_MULTI_SELECT_ENUM_SCHEMA_MEMBERS: Object = Object::new(&[
    may("default", &LIST_OF_STRING_2),
    may("description", &STRING),
    must("items", &ONE_OF_2),
    may("maxItems", &INTEGER),
    may("minItems", &INTEGER),
    may("title", &STRING),
    must("type", &ARRAY),
]);
static UNTITLED_SINGLE_SELECT_ENUM_SCHEMA_MEMBERS: Object = Object::new(&[
    may("default", &STRING),
    may("description", &STRING),
    must("enum", &LIST_OF_STRING_2),
    may("title", &STRING),
    must("type", &STRING_2),
]);
static URI: Type = Type::new(Kinds::STRING, &[Detail::Format(Format::Uri)]);
static URI_TEMPLATE: Type = Type::new(Kinds::STRING, &[Detail::Format(Format::UriTemplate)]);
static URL: Type = Type::new(Kinds::STRING, &[Detail::Constants(&["url"])]);
static URLELICITATION_REQUIRED_ERROR_DATA: Type = Type::new(Kinds::OBJECT, &[Detail::Object(&URLELICITATION_REQUIRED_ERROR_DATA_MEMBERS)]);
static URLELICITATION_REQUIRED_ERROR_DATA_MEMBERS: Object = Object::new(&[
    must("elicitations", &LIST_OF_ELICIT_REQUEST_URLPARAMS),
]);
