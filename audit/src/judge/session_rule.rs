//! The rules over both sides of a session that no single message breaks.

use tautline::Severity;

macro_rules! rules {
    ($($variant:ident $name:literal $severity:ident $summary:literal $spec_ref:literal $help:literal)*) => {
        /// A rule over both sides of a session: it takes the request and its answer to see the breach.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum SessionRule { $(#[doc = $summary] $variant),* }

        impl SessionRule {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the name, as `unknown-method-code`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// Returns the severity, unless something changes it.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity),* }
            }

            /// Returns the violation in a few words.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$variant => $summary),* }
            }

            /// Returns the clause that has the rule.
            #[must_use]
            pub const fn spec_ref(self) -> &'static str {
                match self { $(Self::$variant => $spec_ref),* }
            }

            /// Returns what to do about it.
            #[must_use]
            pub const fn help(self) -> &'static str {
                match self { $(Self::$variant => $help),* }
            }
        }
    };
}

rules! {
    UnknownMethodCode "unknown-method-code" Error
        "a request for an unknown method is answered with an error other than -32601"
        "JSON-RPC 2.0, section 5.1"
        "answer a method that you do not implement with -32601 (Method not found)"
    UnknownToolCode "unknown-tool-code" Error
        "a call of an unknown tool is answered with an error other than -32602"
        "MCP, server/tools, error handling"
        "answer the name of an unknown tool with -32602 (Invalid params)"
    // The specification shows the error for unknown tools, and does not forbid a result.
    UnknownToolResult "unknown-tool-result" Note
        "a call of an unknown tool is answered with a result"
        "MCP, server/tools, error handling"
        "answer the name of an unknown tool with the error -32602 (Invalid params)"
    UnknownPromptCode "unknown-prompt-code" Warning
        "a request for an unknown prompt is answered with an error other than -32602"
        "MCP, server/prompts, error handling; server/utilities/completion, error handling"
        "answer the name of an unknown prompt with -32602 (Invalid params)"
    // MCP has "SHOULD" for most of the cases. The finding of a "MUST" is an error.
    InvalidParamsCode "invalid-params-code" Warning
        "a request with invalid params is answered with an error other than -32602"
        "JSON-RPC 2.0, section 5.1"
        "answer params that do not fit the method with -32602 (Invalid params)"
    // JSON-RPC defines the code, and no clause demands that a receiver looks at the envelope first.
    InvalidRequestCode "invalid-request-code" Warning
        "an invalid request is answered with an error other than -32600"
        "JSON-RPC 2.0, section 5.1"
        "answer JSON that is not a valid request with -32600 (Invalid Request)"
    // The finding of a "MUST" is an error.
    UnsupportedCode "unsupported-code" Warning
        "a request for what the receiver does not support is answered with an error other than -32601"
        "MCP, client/roots, error handling; server/utilities/completion, error handling; 2025-11-25, utilities/tasks"
        "answer what you do not support with -32601 (Method not found)"
    UnsupportedVersionCode "unsupported-version-code" Error
        "a request in a version that the server does not support is answered with an error other than -32022"
        "MCP 2026-07-28, basic/versioning, protocol version negotiation"
        "answer a version that you do not list with -32022, and list those that you support"
    // The finding of a "MUST" is an error.
    FaultyRequestServed "faulty-request-served" Warning
        "a request that is to be refused is answered with a result"
        "MCP, the clauses on error handling"
        "refuse the request with the error that the clause names"
    DeclaredMethodRefused "declared-method-refused" Error
        "a method that the server has to implement is answered with -32601"
        "MCP 2026-07-28, basic/versioning; server/tools, prompts and resources, capabilities"
        "implement the method, or do not declare its capability"
    VersionsUnnamed "versions-unnamed" Warning
        "an error refuses initialize, and does not name the versions that the server supports"
        "MCP 2026-07-28, basic/versioning, backward compatibility"
        "list the versions in data.supported, or name them in the message"
    ElicitationContent "elicitation-content" Warning
        "the content of an accepted elicitation is not what the form asks for"
        "MCP, client/elicitation, form mode security"
        "hold what the user has entered to requestedSchema before you send it"
    InputSchemaInvalid "input-schema-invalid" Error
        "the inputSchema of a tool is no valid JSON Schema"
        "MCP since 2025-11-25, server/tools, tool"
        "give the keyword the kind of value that its meta-schema demands"
    SchemaInvalid "schema-invalid" Error
        "the schema is no valid JSON Schema"
        "MCP since 2025-11-25, basic, JSON Schema usage"
        "give the keyword the kind of value that its meta-schema demands"
    StructuredContentDiffers "structured-content-differs" Error
        "the structuredContent does not follow the outputSchema of its tool"
        "MCP since 2025-06-18, server/tools, output schema"
        "hold results to the outputSchema before you send them, or correct the schema"
    ErrorWithoutCause "error-without-cause" Error
        "the error has no id, but every frame of the other side could be read"
        "JSON-RPC 2.0, sections 4.1 and 5"
        "do not answer notifications, and send the id of the request with each error"
    // A fact about a process, which no clause forbids.
    ProcessFailed "process-failed" Warning
        "the server's process has failed"
        "MCP, basic/lifecycle, shutdown"
        "look at the end of its standard error for the reason"
}
