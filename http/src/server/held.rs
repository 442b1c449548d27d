//! Sessions, as handlers see them.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tautline_tokio::{Peer, Raw};

/// The session of a client of the legacy era, which handlers get from [`HttpRequest::session`](crate::HttpRequest::session).
///
/// It has the description of the client, and keeps values for the handlers until the session ends. Its
/// [`peer`](Self::peer) sends on the stream that the client opens with GET.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// use serde_json::Value;
/// use tautline_http::HttpRequest;
/// use tautline_tokio::{Context, Handlers};
///
/// #[derive(Default)]
/// struct Visits(AtomicU32);
///
/// let handlers = Handlers::new(()).request("visit", async |context: Context<()>, _: Value| {
///     let session = context.attachment::<HttpRequest>().and_then(HttpRequest::session);
///     Ok(session.map(|session| session.data::<Visits>().0.fetch_add(1, Ordering::Relaxed)))
/// });
/// # let _ = handlers;
/// ```
pub struct HttpSession {
    id: String,
    owner: Option<String>,
    client: Option<Raw>,
    /// True once a second request has come.
    is_used: AtomicBool,
    values: Mutex<Values>,
}

/// Values that may refer to the session in turn. Its end drops them.
#[derive(Default)]
struct Values {
    data: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
    peer: Option<Peer>,
}

impl HttpSession {
    pub(crate) fn new(id: String, owner: Option<String>, client: Option<Raw>) -> Self {
        let (is_used, values) = (AtomicBool::new(false), Mutex::default());
        Self { id, owner, client, is_used, values }
    }

    /// Returns the id, which is a secret between the client and the server.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the user that the session belongs to, as
    /// [`with_session_owner`](crate::ServerOptions::with_session_owner) has determined.
    #[must_use]
    pub fn owner(&self) -> Option<&str> {
        self.owner.as_deref()
    }

    /// Returns a handle that sends on the stream of the session, which the client opens with GET. Use it for messages that
    /// belong to no request, such as `notifications/tools/list_changed`, and keep it until the session
    /// [ends](Peer::closed). Returns `None` before the session is open, in the handler of `initialize`, and after its end.
    ///
    /// Messages that no client reads are dropped, the oldest first, once they exceed the
    /// [history](crate::ServerOptions::with_history).
    ///
    /// ```
    /// use serde_json::Value;
    /// use tautline_http::{HttpRequest, HttpSession};
    /// use tautline_tokio::{Context, Handlers};
    /// use tokio::sync::watch;
    ///
    /// /// The version of the list of tools.
    /// type Tools = watch::Receiver<u64>;
    ///
    /// async fn initialized(context: Context<Tools>, _: Value) {
    ///     let request = context.attachment::<HttpRequest>();
    ///     let peer = request.and_then(HttpRequest::session).and_then(HttpSession::peer);
    ///     let (Some(peer), mut tools) = (peer, context.state().clone()) else { return };
    ///     // In a task, because the next notification of the client waits for the end of this handler.
    ///     tokio::spawn(async move {
    ///         loop {
    ///             tokio::select! {
    ///                 changed = tools.changed() => if changed.is_err() { return },
    ///                 _ = peer.closed() => return,
    ///             }
    ///             let _ = peer.notify("notifications/tools/list_changed", ()).await;
    ///         }
    ///     });
    /// }
    ///
    /// let (_tools, receiver) = watch::channel(1);
    /// let handlers = Handlers::new(receiver).notification("notifications/initialized", initialized);
    /// # let _ = handlers;
    /// ```
    #[must_use]
    pub fn peer(&self) -> Option<Peer> {
        self.lock().peer.clone()
    }

    /// Returns the params of `initialize`: the client's `capabilities` and its `clientInfo`. Params of more than 64 KiB are
    /// not kept.
    #[must_use]
    pub const fn client(&self) -> Option<&Raw> {
        self.client.as_ref()
    }

    /// Returns the value of this type. The first call in a session creates it.
    #[must_use]
    pub fn data<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        let mut values = self.lock();
        let value = values.data.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        // The type of a value is that of its key.
        Arc::clone(value).downcast().unwrap_or_default()
    }

    /// Records the handle to the client, because the session is open.
    pub(crate) fn opened(&self, peer: Peer) {
        self.lock().peer = Some(peer);
    }

    /// Records that the session was used after it was opened.
    pub(crate) fn touch(&self) {
        self.is_used.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Relaxed)
    }

    /// Drops what refers to the session.
    pub(crate) fn end(&self) {
        let values = std::mem::take(&mut *self.lock());
        // Without the lock, because values may have destructors that use the session.
        drop(values);
    }

    fn lock(&self) -> MutexGuard<'_, Values> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for HttpSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The id is a secret.
        f.debug_struct("HttpSession")
            .field("owner", &self.owner)
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}
