//! The settings of a layer, which its services share.

use std::fmt;
use std::sync::Arc;

use tautline_mcp::http::{Finding, Policy, Server};

#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) policy: Policy<'static>,
    pub(crate) server: Arc<dyn Server + Send + Sync>,
    pub(crate) report: Arc<dyn Fn(Finding) + Send + Sync>,
    pub(crate) limit: usize,
    pub(crate) enforces: bool,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { policy, limit, enforces, .. } = self;
        let mut settings = f.debug_struct("McpLayer");
        settings.field("policy", policy).field("limit", limit).field("enforces", enforces);
        settings.finish_non_exhaustive()
    }
}
