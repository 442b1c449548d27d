//! The configuration with which Envoy starts.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::{LIMIT, module};

/// The filter in front of the upstream.
#[derive(Clone, Debug)]
pub enum Filter {
    /// No filter.
    None,
    /// The filter under test, with its settings as text.
    Tautline {
        /// The WebAssembly runtime, such as `v8`.
        runtime: String,
        /// The settings.
        settings: String,
    },
    /// Envoy's own filter for MCP at its strictest.
    Mcp,
}

impl Filter {
    /// Returns the filter under test.
    #[must_use]
    pub fn tautline(runtime: &str, settings: &Value) -> Self {
        Self::Tautline { runtime: runtime.to_owned(), settings: settings.to_string() }
    }
}

/// The settings of an Envoy that the tests vary.
#[derive(Clone, Debug)]
pub struct Config {
    /// The filter.
    pub filter: Filter,
    /// The address of the upstream.
    pub upstream: SocketAddr,
    /// True if the upstream is asked over HTTP/2.
    pub http2: bool,
    /// The limit on what Envoy buffers for a connection, in bytes. `None` is Envoy's default of 1 MiB.
    pub buffer: Option<u32>,
    /// The time that a stream may be idle.
    pub idle: Duration,
    /// The filter under test, if it is not the one that the environment names.
    pub module: Option<PathBuf>,
    /// The limit of Envoy's own filter for MCP on the body of a request, in bytes.
    pub limit: usize,
}

impl Config {
    /// An Envoy with Envoy's own limits.
    #[must_use]
    pub fn new(filter: Filter, upstream: SocketAddr) -> Self {
        Self {
            filter,
            upstream,
            http2: false,
            buffer: None,
            idle: Duration::from_secs(300),
            module: None,
            limit: LIMIT,
        }
    }
}

/// The fields of a line in the access log, which tabs separate.
const ACCESS: [&str; 10] = [
    "%DOWNSTREAM_DIRECT_REMOTE_PORT%",
    "%REQ(:METHOD)%",
    "%RESPONSE_CODE%",
    "%RESPONSE_FLAGS%",
    "%RESPONSE_CODE_DETAILS%",
    "%FILTER_STATE(wasm.tautline.verdict:PLAIN)%",
    "%FILTER_STATE(wasm.tautline.rule:PLAIN)%",
    "%FILTER_STATE(wasm.tautline.revision:PLAIN)%",
    "%FILTER_STATE(wasm.tautline.method:PLAIN)%",
    "%FILTER_STATE(wasm.tautline.name:PLAIN)%",
];

fn typed(name: &str, kind: &str, mut config: Value) -> Value {
    config["@type"] = format!("type.googleapis.com/{kind}").into();
    json!({ "name": name, "typed_config": config })
}

impl Config {
    /// Returns the configuration, with this file for the access log.
    #[must_use]
    pub fn bootstrap(&self, access: &Path) -> Value {
        let any_port = json!({ "socket_address": { "address": "127.0.0.1", "port_value": 0 } });
        let access = typed(
            "access",
            "envoy.extensions.access_loggers.file.v3.FileAccessLog",
            json!({
                "path": access,
                "log_format": { "text_format_source": { "inline_string": ACCESS.join("\t") + "\n" } },
            }),
        );
        let router = "envoy.extensions.filters.http.router.v3.Router";
        let mut filters = self.filter();
        filters.push(typed("envoy.filters.http.router", router, json!({})));
        let manager = typed(
            "envoy.filters.network.http_connection_manager",
            "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
            json!({
                "stat_prefix": "tests",
                "codec_type": "AUTO",
                "stream_idle_timeout": format!("{}s", self.idle.as_secs_f64()),
                "http_protocol_options": { "enable_trailers": true },
                "access_log": [access],
                "route_config": { "virtual_hosts": [{
                    "name": "all",
                    "domains": ["*"],
                    "routes": [{ "match": { "prefix": "/" }, "route": { "cluster": "upstream", "timeout": "0s" } }],
                }] },
                "http_filters": filters,
            }),
        );
        let mut listener = json!({
            "name": "listener",
            "address": any_port,
            "filter_chains": [{ "filters": [manager] }],
        });
        if let Some(buffer) = self.buffer {
            listener["per_connection_buffer_limit_bytes"] = buffer.into();
        }
        json!({
            "admin": { "address": any_port },
            "static_resources": { "listeners": [listener], "clusters": [self.cluster()] },
        })
    }

    fn filter(&self) -> Vec<Value> {
        match &self.filter {
            Filter::None => Vec::new(),
            Filter::Tautline { runtime, settings } => {
                let value = json!({
                    "@type": "type.googleapis.com/google.protobuf.StringValue",
                    "value": settings,
                });
                let config = json!({
                    "name": "tautline",
                    "root_id": "tautline",
                    "failure_policy": "FAIL_CLOSED",
                    "allow_on_headers_stop_iteration": true,
                    "vm_config": {
                        "vm_id": "tautline",
                        "runtime": format!("envoy.wasm.runtime.{runtime}"),
                        "code": { "local": { "filename": self.module.clone().unwrap_or_else(module) } },
                    },
                    "configuration": value,
                });
                let kind = "envoy.extensions.filters.http.wasm.v3.Wasm";
                vec![typed("envoy.filters.http.wasm", kind, json!({ "config": config }))]
            }
            Filter::Mcp => {
                let kind = "envoy.extensions.filters.http.mcp.v3.Mcp";
                let config = json!({
                    "traffic_mode": "REJECT_NO_MCP",
                    "reject_duplicate_keys": true,
                    "attribute_source": "VERIFY",
                    "max_request_body_size": self.limit,
                });
                vec![typed("envoy.filters.http.mcp", kind, config)]
            }
        }
    }

    fn cluster(&self) -> Value {
        let (ip, port) = (self.upstream.ip(), self.upstream.port());
        let address =
            json!({ "socket_address": { "address": ip.to_string(), "port_value": port } });
        let protocol = match self.http2 {
            true => json!({ "http2_protocol_options": {} }),
            false => json!({ "http_protocol_options": { "enable_trailers": true } }),
        };
        let kind = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";
        let options = json!({
            "@type": format!("type.googleapis.com/{kind}"),
            "explicit_http_config": protocol,
        });
        json!({
            "name": "upstream",
            "type": "STATIC",
            "typed_extension_protocol_options": { kind: options },
            "circuit_breakers": { "thresholds": [{ "max_connections": 10_000, "max_requests": 10_000, "max_pending_requests": 10_000 }] },
            "load_assignment": {
                "cluster_name": "upstream",
                "endpoints": [{ "lb_endpoints": [{ "endpoint": { "address": address } }] }],
            },
        })
    }
}
