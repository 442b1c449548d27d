//! Sessions, as handlers see them.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tautline_tokio::Raw;

/// The session of a client of the legacy era, which handlers get from [`HttpRequest::session`](crate::HttpRequest::session).
///
/// It has the description of the client, and keeps values for the handlers until the session ends.
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
    client: Option<Raw>,
    data: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl HttpSession {
    pub(crate) fn new(client: Option<Raw>) -> Self {
        Self { client, data: Mutex::default() }
    }

    /// Returns the params of `initialize`: the client's `capabilities` and its `clientInfo`.
    #[must_use]
    pub const fn client(&self) -> Option<&Raw> {
        self.client.as_ref()
    }

    /// Returns the value of this type. The first call in a session creates it.
    #[must_use]
    pub fn data<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        let mut data = self.data.lock().unwrap_or_else(PoisonError::into_inner);
        let value = data.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        // The type of a value is that of its key.
        Arc::clone(value).downcast().unwrap_or_default()
    }
}

impl fmt::Debug for HttpSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpSession").field("client", &self.client).finish_non_exhaustive()
    }
}
