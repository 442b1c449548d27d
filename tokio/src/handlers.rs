//! Handlers of requests and notifications.

use std::any::Any;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use tautline::owned::Id;
use tautline::{Message, RawStr};

use crate::payload::Frame;
use crate::responder::Responder;
use crate::shared::Shared;
use crate::{FromPayload, Incident, Peer, RpcError, ToPayload};

/// A handler that has begun.
pub(crate) struct Running {
    pub(crate) method: Arc<str>,
    pub(crate) handler: Handler,
}

pub(crate) type Handler = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The methods that a peer may call, with a state that their handlers share.
///
/// A handler is an async function or closure of a [`Context`] and the parameters. Parameters and results are types with
/// serde's traits, or [`Raw`](crate::Raw). Handlers of requests return a result or an [`RpcError`]. Parameters that do
/// not fit are answered with -32602, and unknown methods with -32601. Notifications that do not fit or are unknown are
/// not answered, but reported to the [observer](crate::Options::with_observer).
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// use serde::Deserialize;
/// use serde_json::{Value, json};
/// use tautline_tokio::{Context, Handlers, RpcError};
///
/// #[derive(Deserialize)]
/// struct Greet {
///     name: String,
/// }
///
/// async fn greet(context: Context<AtomicU32>, params: Greet) -> Result<Value, RpcError> {
///     let count = context.state().fetch_add(1, Ordering::Relaxed);
///     Ok(json!({ "text": format!("Hello, {}!", params.name), "count": count }))
/// }
///
/// let handlers = Handlers::new(AtomicU32::new(0))
///     .request("greet", greet)
///     .notification("reset", async |context, (): ()| context.state().store(0, Ordering::Relaxed));
/// # let _ = handlers;
/// ```
///
/// `()` accepts only calls without parameters. To ignore the parameters, use the type [`serde::de::IgnoredAny`]. Requests of
/// MCP may have `_meta` in their parameters, and those of 2026-07-28 always do, so `()` does not accept them.
///
/// An `async` closure cannot capture variables. Keep shared data in the state, or write a closure that returns an
/// `async` block:
///
/// ```
/// use std::sync::Arc;
///
/// use serde::de::IgnoredAny;
/// use tautline_tokio::{Context, Handlers};
///
/// let version = Arc::new(String::from("1.0"));
/// let handlers = Handlers::new(()).request("version", move |_: Context<()>, _: IgnoredAny| {
///     let version = Arc::clone(&version);
///     async move { Ok(version.as_str().to_owned()) }
/// });
/// # let _ = handlers;
/// ```
pub struct Handlers<S> {
    state: Arc<S>,
    requests: HashMap<Cow<'static, str>, RequestHandler<S>>,
    notifications: HashMap<Cow<'static, str>, NotificationHandler<S>>,
}

type RequestHandler<S> = Box<dyn Fn(Context<S>, Frame, Responder) -> Running + Send + Sync>;
type NotificationHandler<S> = Box<dyn Fn(Context<S>, Frame) -> Running + Send + Sync>;

impl<S: Send + Sync + 'static> Handlers<S> {
    /// Creates handlers of no method, which share this state.
    ///
    /// Handlers run concurrently, so state that changes needs a lock or atomics.
    pub fn new(state: S) -> Self {
        let state = Arc::new(state);
        Self { state, requests: HashMap::new(), notifications: HashMap::new() }
    }

    /// Adds the handler of a request. It replaces an earlier one of the same method.
    #[must_use]
    pub fn request<P, R, F, Fut>(mut self, method: impl Into<Cow<'static, str>>, handler: F) -> Self
    where
        P: FromPayload,
        R: ToPayload + Send + 'static,
        F: Fn(Context<S>, P) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, RpcError>> + Send + 'static,
    {
        let method = method.into();
        let (handler, name) = (Arc::new(handler), Arc::<str>::from(&*method));
        let start = move |context: Context<S>, frame: Frame, responder: Responder| {
            let (handler, method) = (Arc::clone(&handler), Arc::clone(&name));
            let run = async move {
                let params = match P::from_params(&frame) {
                    Ok(params) => params,
                    Err(error) => {
                        return responder.refuse(&frame, &RpcError::invalid_params(error));
                    }
                };
                drop(frame);
                let outcome = handler(context, params).await;
                responder.answer(&method, outcome).await;
            };
            Running { method: Arc::clone(&name), handler: Box::pin(run) }
        };
        self.requests.insert(method, Box::new(start));
        self
    }

    /// Adds the handler of a notification. It replaces an earlier one of the same method.
    #[must_use]
    pub fn notification<P, F, Fut>(
        mut self,
        method: impl Into<Cow<'static, str>>,
        handler: F,
    ) -> Self
    where
        P: FromPayload,
        F: Fn(Context<S>, P) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let method = method.into();
        let (handler, name) = (Arc::new(handler), Arc::<str>::from(&*method));
        let start = move |context: Context<S>, frame: Frame| {
            let handler = Arc::clone(&handler);
            let run = async move {
                let params = P::from_params(&frame);
                if let Err(error) = &params
                    && let Some(Message::Notification(notification)) = frame.message()
                {
                    let notification = &notification;
                    let incident = Incident::InvalidParams { notification, error };
                    context.peer.shared().observe(&incident);
                }
                drop(frame);
                if let Ok(params) = params {
                    handler(context, params).await;
                }
            };
            Running { method: Arc::clone(&name), handler: Box::pin(run) }
        };
        self.notifications.insert(method, Box::new(start));
        self
    }

    /// Returns whether there is a handler for requests of this method.
    #[must_use]
    pub fn has_request(&self, method: &str) -> bool {
        self.requests.contains_key(method)
    }
}

impl<S> fmt::Debug for Handlers<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handlers")
            .field("requests", &self.requests.keys())
            .field("notifications", &self.notifications.keys())
            .finish_non_exhaustive()
    }
}

/// The context of a handler: the shared state, and the peer that called.
#[derive(Debug)]
pub struct Context<S> {
    state: Arc<S>,
    peer: Peer,
    request: Option<Id>,
}

impl<S> Context<S> {
    /// Returns the shared state.
    #[must_use]
    pub fn state(&self) -> &S {
        &self.state
    }

    /// Returns the peer that called, to call it back, notify it, or close the connection.
    #[must_use]
    pub const fn peer(&self) -> &Peer {
        &self.peer
    }

    /// Returns the id of the request that is handled, or `None` for a notification.
    #[must_use]
    pub const fn request_id(&self) -> Option<&Id> {
        self.request.as_ref()
    }

    /// Returns the [attachment](crate::Options::with_attachment) of the connection, if it has this type. A transport
    /// attaches what it knows of the peer, such as the headers of an HTTP request.
    #[must_use]
    pub fn attachment<T: Any>(&self) -> Option<&T> {
        self.peer.shared().attachment.as_deref()?.downcast_ref()
    }
}

impl<S> Clone for Context<S> {
    fn clone(&self) -> Self {
        let (state, peer) = (Arc::clone(&self.state), self.peer.clone());
        Self { state, peer, request: self.request.clone() }
    }
}

/// Handlers, whatever the type of their state.
pub(crate) trait Dispatch: Send + Sync {
    /// Begins to handle a request. Returns the responder if there is no such method.
    fn request(
        &self,
        method: RawStr<'_>,
        peer: &Arc<Shared>,
        frame: Frame,
        responder: Responder,
    ) -> Result<Running, Responder>;

    /// Begins to handle a notification, if there is a handler for it.
    fn notification(&self, method: RawStr<'_>, peer: &Arc<Shared>, frame: Frame)
    -> Option<Running>;
}

impl<S: Send + Sync + 'static> Dispatch for Handlers<S> {
    fn request(
        &self,
        method: RawStr<'_>,
        peer: &Arc<Shared>,
        frame: Frame,
        responder: Responder,
    ) -> Result<Running, Responder> {
        match find(&self.requests, method) {
            Some(start) => {
                let context = self.context(peer, Some(responder.id().clone()));
                Ok(start(context, frame, responder))
            }
            None => Err(responder),
        }
    }

    fn notification(
        &self,
        method: RawStr<'_>,
        peer: &Arc<Shared>,
        frame: Frame,
    ) -> Option<Running> {
        find(&self.notifications, method).map(|start| start(self.context(peer, None), frame))
    }
}

impl<S> Handlers<S> {
    fn context(&self, peer: &Arc<Shared>, request: Option<Id>) -> Context<S> {
        Context { state: Arc::clone(&self.state), peer: Peer::new(Arc::clone(peer)), request }
    }
}

fn find<'a, T>(methods: &'a HashMap<Cow<'static, str>, T>, method: RawStr<'_>) -> Option<&'a T> {
    // A method with an unpaired surrogate has no handler.
    methods.get(method.decode().ok()?.as_ref())
}
