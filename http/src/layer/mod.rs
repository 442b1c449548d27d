//! The layer: a request is judged before its service sees it.

mod body;
mod judged;
mod read;
mod service;
mod settings;

use std::fmt;
use std::sync::Arc;

use tautline_mcp::http::{Finding, Policy, Server};
use tower_layer::Layer;

#[cfg(feature = "client")]
pub(crate) use self::body::all_of;
pub use self::body::{RequestBody, ResponseBody};
pub use self::judged::Judged;
pub use self::service::{McpService, ResponseFuture};
pub(crate) use self::settings::Settings;

/// The number of bytes of a body that is kept, unless another limit is set.
const LIMIT: usize = 4 << 20;

/// A layer that holds its service to the rules of Streamable HTTP.
///
/// See the [crate] for an example.
#[derive(Clone)]
pub struct McpLayer {
    pub(crate) settings: Arc<Settings>,
}

impl McpLayer {
    /// Creates a layer that enforces this policy.
    #[must_use]
    pub fn new(policy: Policy<'static>) -> Self {
        let settings = Settings {
            policy,
            server: Arc::new(()),
            report: Arc::new(|_| {}),
            limit: LIMIT,
            enforces: true,
        };
        Self { settings: Arc::new(settings) }
    }

    /// Sets what is known of the server: its sessions, methods, and the parameters of its tools. Without it, they are not
    /// judged.
    #[must_use]
    pub fn with_server(self, server: impl Server + Send + Sync + 'static) -> Self {
        self.with(|settings| settings.server = Arc::new(server))
    }

    /// Sets the maximum length of a body in bytes (default: 4 MiB). A body of up to four times as many bytes is read for its
    /// id.
    #[must_use]
    pub fn with_limit(self, limit: usize) -> Self {
        self.with(|settings| settings.limit = limit)
    }

    /// Passes every finding to this function, also those after the first one of a request. It runs on the task of the
    /// request, so it must not block. A finding has nothing of the request in it, so it can be logged as it is.
    #[must_use]
    pub fn on_finding(self, report: impl Fn(Finding) + Send + Sync + 'static) -> Self {
        self.with(|settings| settings.report = Arc::new(report))
    }

    /// Lets every request pass, and only reports the findings. A request that would be refused has no
    /// [`Judged`].
    ///
    /// The service gets a POST with JSON when its body has ended or is longer than the limit, and any other request at
    /// once. All bytes and trailers are passed on as they came, and so is an error of the body.
    #[must_use]
    pub fn reporting(self) -> Self {
        self.with(|settings| settings.enforces = false)
    }

    fn with(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(Arc::make_mut(&mut self.settings));
        self
    }
}

impl fmt::Debug for McpLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt(f)
    }
}

impl<S> Layer<S> for McpLayer {
    type Service = McpService<S>;

    fn layer(&self, inner: S) -> McpService<S> {
        McpService { inner, settings: Arc::clone(&self.settings) }
    }
}
