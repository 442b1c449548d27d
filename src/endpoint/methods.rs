//! Methods: the functions that an endpoint calls, and their params.

use super::{Failure, Responded, Responder};
use crate::envelope::Call;
use crate::json::RawJson;

/// The methods of an [`Endpoint`](super::Endpoint): a table of [`Method`]s, a `Router`, or a type of your own.
///
/// Implement it to find methods in your own way. The endpoint passes every valid call that the guard lets pass.
///
/// ```
/// use tautline::endpoint::{Responder, Responded, Endpoint, Failure, Methods};
/// use tautline::{Call, Profile};
///
/// struct Echo;
///
/// impl Methods<()> for Echo {
///     fn call(&self, _: &mut (), call: &Call<'_>, responder: Responder<'_, '_>) -> Result<Responded, Failure> {
///         // `==` decodes: a peer may write the name as "\u0065cho".
///         if call.method() == "echo" {
///             Ok(responder.result(call.params()))
///         } else {
///             Err(Failure::METHOD_NOT_FOUND)
///         }
///     }
/// }
///
/// let endpoint = Endpoint::new(Echo, &Profile::JSON_RPC);
/// let mut room = [0; 256];
/// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"echo","params":[7]}"#;
/// let reply = endpoint.answer(frame, &mut (), &mut room).unwrap().bytes();
/// assert_eq!(reply, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[7]}\n");
/// ```
pub trait Methods<C> {
    /// True if the replies to faulty frames carry the reason. It is a constant, so that firmware that explains
    /// nothing links none of the texts.
    #[doc(hidden)]
    const EXPLAINS: bool = false;

    /// Passes the call to the handler of its method. A notification gets no answer, whatever this returns.
    ///
    /// # Errors
    ///
    /// Returns the error that answers the call: the error of the handler, or [`Failure::METHOD_NOT_FOUND`] if no method
    /// has this name.
    fn call(
        &self,
        context: &mut C,
        call: &Call<'_>,
        responder: Responder<'_, '_>,
    ) -> Result<Responded, Failure>;
}

/// A function that answers the calls of one method. It takes the caller's context and the call.
pub type Handler<C> = fn(&mut C, &Call<'_>, Responder<'_, '_>) -> Result<Responded, Failure>;

/// A method with its name and handler, for tables that are constants. If two have the same name, the first is
/// called.
///
/// The handler receives requests and notifications. The answer to a notification is dropped.
#[derive(Debug)]
pub struct Method<C> {
    name: &'static str,
    handler: Handler<C>,
    is_callable: bool,
}

impl<C> Method<C> {
    /// Creates a method with this name. A method whose name begins with `rpc.` is never called, because those
    /// names are reserved (JSON-RPC 2.0, section 4).
    #[must_use]
    pub const fn new(name: &'static str, handler: Handler<C>) -> Self {
        Self { name, handler, is_callable: !is_reserved(name) }
    }

    /// Creates a method of a JSON-RPC extension, whose name may begin with `rpc.`.
    #[must_use]
    pub const fn extension(name: &'static str, handler: Handler<C>) -> Self {
        Self { name, handler, is_callable: true }
    }

    /// Returns the name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

/// Returns whether JSON-RPC reserves the name for extensions (JSON-RPC 2.0, section 4).
pub(super) const fn is_reserved(name: &str) -> bool {
    matches!(name.as_bytes(), [b'r', b'p', b'c', b'.', ..])
}

impl<C> Methods<C> for [Method<C>] {
    #[inline]
    fn call(
        &self,
        context: &mut C,
        call: &Call<'_>,
        responder: Responder<'_, '_>,
    ) -> Result<Responded, Failure> {
        let name = call.method();
        let method = self
            .iter()
            .find(|method| name == method.name && method.is_callable)
            .ok_or(Failure::METHOD_NOT_FOUND)?;
        (method.handler)(context, call, responder)
    }
}

impl<C, const N: usize> Methods<C> for [Method<C>; N] {
    #[inline]
    fn call(
        &self,
        context: &mut C,
        call: &Call<'_>,
        responder: Responder<'_, '_>,
    ) -> Result<Responded, Failure> {
        self.as_slice().call(context, call, responder)
    }
}

impl<C, M: Methods<C> + ?Sized> Methods<C> for &M {
    const EXPLAINS: bool = M::EXPLAINS;

    #[inline]
    fn call(
        &self,
        context: &mut C,
        call: &Call<'_>,
        responder: Responder<'_, '_>,
    ) -> Result<Responded, Failure> {
        (**self).call(context, call, responder)
    }
}

/// No methods, for an endpoint that answers faults, or whose guard answers everything.
impl<C> Methods<C> for () {
    fn call(&self, _: &mut C, _: &Call<'_>, _: Responder<'_, '_>) -> Result<Responded, Failure> {
        Err(Failure::METHOD_NOT_FOUND)
    }
}

/// The methods of an endpoint that is [explaining](super::Endpoint::explaining).
#[derive(Clone, Copy, Debug)]
pub struct Explaining<M>(pub(super) M);

impl<M> Explaining<M> {
    /// Returns the methods.
    #[must_use]
    pub const fn methods(&self) -> &M {
        &self.0
    }

    /// Returns the methods, for example to register more of them.
    pub const fn methods_mut(&mut self) -> &mut M {
        &mut self.0
    }
}

impl<C, M: Methods<C>> Methods<C> for Explaining<M> {
    const EXPLAINS: bool = true;

    fn call(
        &self,
        context: &mut C,
        call: &Call<'_>,
        responder: Responder<'_, '_>,
    ) -> Result<Responded, Failure> {
        self.0.call(context, call, responder)
    }
}

impl<'buf> Call<'buf> {
    /// Returns the parameter with this name. If the parameters are positional, returns the one at this
    /// position, counted from 0 (JSON-RPC 2.0, section 4.2).
    ///
    /// # Errors
    ///
    /// Returns [`Failure::INVALID_PARAMS`] if the parameter is missing. A parameter whose name appears twice
    /// is an error too, because peers differ in which of the two they use.
    pub fn param(&self, position: usize, name: &str) -> Result<RawJson<'buf>, Failure> {
        let params = self.params().ok_or(Failure::INVALID_PARAMS)?;
        let param = match params.elements() {
            Some(mut elements) => elements.nth(position),
            None => params.member(name),
        };
        param.ok_or(Failure::INVALID_PARAMS)
    }

    /// Deserializes the parameters. Missing parameters are deserialized from `null`, so an `Option` becomes
    /// `None`, and `()` requires that there are none.
    ///
    /// A `&str` can only be borrowed from text without escapes. So a type that contains one rejects valid
    /// parameters such as `"a\nb"`, or `"/"` from a peer that writes it as `"\/"`. Use a `String`, or a
    /// `Cow<str>` with `#[serde(borrow)]`.
    ///
    /// # Errors
    ///
    /// Returns [`Failure::INVALID_PARAMS`] if the parameters do not fit the type, or if an object in them [repeats a
    /// name](crate::json#repeated-members).
    #[cfg(feature = "serde_json")]
    #[cfg_attr(docsrs, doc(cfg(feature = "serde_json")))]
    pub fn params_as<T: serde::Deserialize<'buf>>(&self) -> Result<T, Failure> {
        let Some(params) = self.params() else {
            return serde_json::from_str("null").map_err(|_| Failure::INVALID_PARAMS);
        };
        params.deserialize().map_err(|_| Failure::INVALID_PARAMS)
    }
}
