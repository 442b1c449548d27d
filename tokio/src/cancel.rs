//! Cancellation: how a protocol notifies the peer that a request is no longer wanted.

use serde_json::json;
use tautline::{ErrorCode, Id, Notification, owned};
#[cfg(feature = "mcp")]
use tautline_mcp::{KnownMethod, ParamsView};

use crate::RpcError;

/// A protocol's way to cancel requests. [`LspCancellation`] and [`McpCancellation`] are provided.
///
/// ```
/// use tautline::{Id, Notification, owned};
/// use tautline_tokio::{Cancellation, Options, Unanswered};
///
/// /// Says which calls were given up, and cancels nothing that the peer gives up.
/// struct Abandoned;
///
/// impl Cancellation for Abandoned {
///     fn notification(&self, call: &Unanswered<'_>) -> Option<owned::Notification> {
///         let params = serde_json::json!([call.id()]);
///         Some(owned::Notification::new("abandoned", Some(params)))
///     }
/// }
///
/// let options = Options::json_rpc().with_cancellation(Abandoned);
/// # let _ = options;
/// ```
pub trait Cancellation: Send + Sync + 'static {
    /// Returns the notification to send for a call that was dropped, has timed out, or was cancelled before its answer
    /// arrived. `None` sends nothing.
    fn notification(&self, call: &Unanswered<'_>) -> Option<owned::Notification>;

    /// Returns the id of the request that a received notification cancels. The handler of the request is dropped at its
    /// current await point. The default cancels nothing.
    fn cancels<'buf>(&self, notification: &Notification<'buf>) -> Option<Id<'buf>> {
        let _ = notification;
        None
    }

    /// Returns whether the peer may cancel requests of this method. The default is every method.
    fn may_cancel(&self, method: &str) -> bool {
        let _ = method;
        true
    }

    /// Returns the error that answers a cancelled request. `None`, the default, sends no answer.
    fn answer(&self) -> Option<RpcError> {
        None
    }
}

/// A call that was given up before its answer arrived.
#[derive(Clone, Copy, Debug)]
pub struct Unanswered<'a> {
    pub(crate) id: u64,
    pub(crate) method: &'a str,
    pub(crate) reason: Option<&'a str>,
}

impl Unanswered<'_> {
    /// Returns the id of the request.
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// Returns the method that was called.
    #[must_use]
    pub const fn method(&self) -> &str {
        self.method
    }

    /// Returns why the call was given up: the reason that was passed to [`cancel`](crate::PendingCall::cancel), or a
    /// sentence about the time-out. `None` if the call was dropped.
    #[must_use]
    pub const fn reason(&self) -> Option<&str> {
        self.reason
    }
}

/// The cancellation of the Language Server Protocol: `$/cancelRequest`, and the error -32800
/// `RequestCancelled` as the answer (LSP 3.17, "Cancellation Support").
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing to configure")]
pub struct LspCancellation;

impl Cancellation for LspCancellation {
    fn notification(&self, call: &Unanswered<'_>) -> Option<owned::Notification> {
        Some(owned::Notification::new("$/cancelRequest", Some(json!({ "id": call.id }))))
    }

    fn cancels<'buf>(&self, notification: &Notification<'buf>) -> Option<Id<'buf>> {
        let is_cancellation = notification.method() == "$/cancelRequest";
        Id::of(is_cancellation.then(|| notification.params())??.member("id")?)
    }

    fn answer(&self) -> Option<RpcError> {
        Some(RpcError::new(ErrorCode::new(-32800), "The request was cancelled"))
    }
}

/// The cancellation of MCP: `notifications/cancelled` with the [reason](Unanswered::reason), and no answer (MCP,
/// basic/utilities/cancellation). `initialize` is never cancelled.
#[cfg(feature = "mcp")]
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing to configure")]
pub struct McpCancellation;

#[cfg(feature = "mcp")]
impl Cancellation for McpCancellation {
    fn notification(&self, call: &Unanswered<'_>) -> Option<owned::Notification> {
        let params = self.may_cancel(call.method).then(|| match call.reason {
            None => json!({ "requestId": call.id }),
            Some(reason) => json!({ "requestId": call.id, "reason": reason }),
        })?;
        Some(owned::Notification::new(KnownMethod::Cancelled.name(), Some(params)))
    }

    fn cancels<'buf>(&self, notification: &Notification<'buf>) -> Option<Id<'buf>> {
        let is_cancellation = notification.method() == KnownMethod::Cancelled.name();
        ParamsView::of(is_cancellation.then(|| notification.params())??)?.request_id()
    }

    fn may_cancel(&self, method: &str) -> bool {
        method != KnownMethod::Initialize.name()
    }
}
