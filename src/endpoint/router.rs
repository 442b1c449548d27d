//! Routers: methods that are registered at run time.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use core::fmt;

use super::methods::is_reserved;
use super::{Failure, Methods, Responded, Responder};
use crate::envelope::Call;

/// A function or closure that answers the requests of one method. It takes the caller's context, the request,
/// and its responder.
///
/// Every function and closure of this signature implements it, if threads may share it. The signature requires an
/// answer or a [`Failure`]. State that threads cannot share belongs in the context.
pub trait RequestHandler<C>:
    Fn(&mut C, &Call<'_>, Responder<'_, '_>) -> Result<Responded, Failure> + Send + Sync + 'static
{
}

impl<C, F> RequestHandler<C> for F where
    F: Fn(&mut C, &Call<'_>, Responder<'_, '_>) -> Result<Responded, Failure>
        + Send
        + Sync
        + 'static
{
}

/// A function or closure that receives the notifications of one method. It takes the caller's context and the
/// notification.
///
/// Every function and closure of this signature implements it, if threads may share it. The signature leaves no
/// way to answer.
pub trait NotificationHandler<C>: Fn(&mut C, &Call<'_>) + Send + Sync + 'static {}

impl<C, F> NotificationHandler<C> for F where F: Fn(&mut C, &Call<'_>) + Send + Sync + 'static {}

/// Methods that are registered at run time, by name, with functions or closures that may capture values.
///
/// Requests and notifications are registered separately. A request for a method that is only registered for
/// notifications gets -32601. A notification of a method that is only registered for requests is dropped.
///
/// A handler that is registered again replaces the one before, as in a map.
///
/// ```
/// use tautline::Profile;
/// use tautline::endpoint::{Endpoint, Failure, Router};
///
/// let mut router = Router::new();
/// let step = 2;
/// router.request("add", move |total: &mut i64, _, responder| {
///     *total += step;
///     Ok(responder.result(*total))
/// });
/// router.notification("reset", |total, _| *total = 0);
///
/// let endpoint = Endpoint::new(router, &Profile::JSON_RPC);
/// let (mut total, mut reply) = (40, Vec::new());
/// endpoint.answer_into(br#"{"jsonrpc":"2.0","id":1,"method":"add"}"#, &mut total, &mut reply)?;
/// assert_eq!(reply, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":42}\n");
///
/// endpoint.answer_into(br#"{"jsonrpc":"2.0","method":"reset"}"#, &mut total, &mut reply)?;
/// assert_eq!(total, 0);
/// # Ok::<(), tautline::encode::EncodeError>(())
/// ```
pub struct Router<C> {
    methods: BTreeMap<String, Entry<C>>,
}

/// A handler of notifications, which fails if the parameters do not fit.
type Notified<C> = dyn Fn(&mut C, &Call<'_>) -> Result<(), Failure> + Send + Sync;

/// The handlers of one method.
struct Entry<C> {
    request: Option<Box<dyn RequestHandler<C>>>,
    notification: Option<Box<Notified<C>>>,
    is_callable: bool,
}

impl<C> Router<C> {
    /// Creates a router without methods.
    #[must_use]
    pub const fn new() -> Self {
        Self { methods: BTreeMap::new() }
    }

    /// Registers a handler for the requests of a method. It replaces the handler registered before.
    ///
    /// A method whose name begins with `rpc.` is only called if it is an [extension](Self::extension),
    /// because those names are reserved (JSON-RPC 2.0, section 4).
    pub fn request(
        &mut self,
        name: impl Into<String>,
        handler: impl RequestHandler<C>,
    ) -> &mut Self {
        self.entry(name.into()).request = Some(Box::new(handler));
        self
    }

    /// Registers a handler for the notifications of a method. It replaces the handler registered before.
    ///
    /// A method whose name begins with `rpc.` is only called if it is an [extension](Self::extension).
    pub fn notification(
        &mut self,
        name: impl Into<String>,
        handler: impl NotificationHandler<C>,
    ) -> &mut Self {
        self.notified(name.into(), move |context, call| {
            handler(context, call);
            Ok(())
        })
    }

    fn notified(
        &mut self,
        name: String,
        handler: impl Fn(&mut C, &Call<'_>) -> Result<(), Failure> + Send + Sync + 'static,
    ) -> &mut Self {
        self.entry(name).notification = Some(Box::new(handler));
        self
    }

    /// Marks a method as one of a JSON-RPC extension, whose name may begin with `rpc.`.
    ///
    /// ```
    /// use tautline::endpoint::Router;
    ///
    /// let mut router = Router::<()>::new();
    /// router.request("rpc.discover", |_, _, responder| Ok(responder.result(true)));
    /// router.extension("rpc.discover");
    /// ```
    pub fn extension(&mut self, name: impl Into<String>) -> &mut Self {
        self.entry(name.into()).is_callable = true;
        self
    }

    /// Removes the handlers of a method, and returns whether there were any.
    pub fn remove(&mut self, name: &str) -> bool {
        self.methods.remove(name).is_some()
    }

    /// Returns the names of the methods, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.methods.keys().map(String::as_str)
    }

    fn entry(&mut self, name: String) -> &mut Entry<C> {
        let is_callable = !is_reserved(&name);
        self.methods.entry(name).or_insert(Entry { request: None, notification: None, is_callable })
    }
}

/// Typed handlers.
#[cfg(feature = "std")]
#[cfg_attr(docsrs, doc(cfg(feature = "std")))]
impl<C> Router<C> {
    /// Registers a handler for the requests of a method that takes the parameters as a type, and returns a
    /// result that serde serializes. It replaces the handler registered before.
    ///
    /// Parameters that do not fit the type are answered with -32602, and the observer [receives the
    /// reason](super::Traffic::InvalidParams), as by [`Call::params_as`](crate::Call::params_as). The result is written
    /// as by [`Json`](crate::encode::Json).
    ///
    /// The handler does not see the id of the request, and must answer at once. For an answer that comes
    /// [later](Responder::later), register a handler with [`request`](Self::request).
    ///
    /// ```
    /// use tautline::Profile;
    /// use tautline::endpoint::{Endpoint, Failure, Router};
    ///
    /// let mut router = Router::new();
    /// router.typed_request("subtract", |_: &mut (), (minuend, subtrahend): (i64, i64)| {
    ///     minuend.checked_sub(subtrahend).ok_or(Failure::INVALID_PARAMS)
    /// });
    ///
    /// let endpoint = Endpoint::new(router, &Profile::JSON_RPC);
    /// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"subtract","params":[42,23]}"#;
    /// let mut reply = Vec::new();
    /// endpoint.answer_into(frame, &mut (), &mut reply)?;
    /// assert_eq!(reply, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":19}\n");
    /// # Ok::<(), tautline::encode::EncodeError>(())
    /// ```
    pub fn typed_request<P, R>(
        &mut self,
        name: impl Into<String>,
        handler: impl Fn(&mut C, P) -> Result<R, Failure> + Send + Sync + 'static,
    ) -> &mut Self
    where
        P: serde::de::DeserializeOwned,
        R: serde::Serialize,
    {
        self.request(name, move |context, call, responder| {
            let result = handler(context, call.params_as()?)?;
            Ok(responder.result(crate::encode::Json(&result)))
        })
    }

    /// Registers a handler for the notifications of a method that takes the parameters as a type. It replaces
    /// the handler registered before.
    ///
    /// A notification whose parameters do not fit the type is dropped, because it gets no answer. The observer
    /// [receives the reason](super::Traffic::InvalidParams).
    pub fn typed_notification<P: serde::de::DeserializeOwned>(
        &mut self,
        name: impl Into<String>,
        handler: impl Fn(&mut C, P) + Send + Sync + 'static,
    ) -> &mut Self {
        self.notified(name.into(), move |context, call| {
            handler(context, call.params_as()?);
            Ok(())
        })
    }
}

impl<C> Methods<C> for Router<C> {
    fn call(
        &self,
        context: &mut C,
        call: &Call<'_>,
        responder: Responder<'_, '_>,
    ) -> Result<Responded, Failure> {
        // A name with an unpaired surrogate is not text, so no method has it.
        let name = call.method().decode().map_err(|_| Failure::METHOD_NOT_FOUND)?;
        let entry = self.methods.get(&*name).filter(|entry| entry.is_callable);
        let entry = entry.ok_or(Failure::METHOD_NOT_FOUND)?;
        if call.id().is_some() {
            let handler = entry.request.as_ref().ok_or(Failure::METHOD_NOT_FOUND)?;
            return (**handler)(context, call, responder);
        }
        if let Some(handler) = &entry.notification {
            (**handler)(context, call)?;
        }
        Ok(responder.ignore())
    }
}

impl<C> Default for Router<C> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C> fmt::Debug for Router<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}
