//! Methods: the functions that an endpoint calls, and their params.

use super::{Failure, Responded, Responder};
use crate::cast::index;
use crate::envelope::Call;
use crate::json::{Expected, FromJson, Mismatch};

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
///
/// A function of types becomes a handler in one line, without std or a heap:
///
/// ```
/// use tautline::Profile;
/// use tautline::endpoint::{Endpoint, Failure, Method};
///
/// fn add(total: &mut i64, (a, b): (i64, i64)) -> Result<i64, Failure> {
///     let sum = a.checked_add(b).and_then(|sum| sum.checked_add(*total));
///     *total = sum.ok_or(Failure::INVALID_PARAMS)?;
///     Ok(*total)
/// }
///
/// const METHODS: &[Method<i64>] = &[Method::new("add", |total, call, responder| {
///     Ok(responder.result(add(total, call.read_params()?)?))
/// })];
///
/// let endpoint = Endpoint::new(METHODS, &Profile::JSON_RPC);
/// let mut room = [0; 128];
/// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"add","params":[40,2]}"#;
/// let reply = endpoint.answer(frame, &mut 0, &mut room).unwrap();
/// assert_eq!(reply.bytes(), b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":42}\n");
/// ```
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
///
/// ```
/// use tautline::Profile;
/// use tautline::endpoint::{Endpoint, Explaining, Method};
///
/// const METHODS: &[Method<i64>] =
///     &[Method::new("read", |total, _, responder| Ok(responder.result(*total)))];
/// const ENDPOINT: Endpoint<i64, Explaining<&[Method<i64>]>> =
///     Endpoint::new(Explaining::new(METHODS), &Profile::JSON_RPC);
///
/// let mut room = [0; 256];
/// let reply = ENDPOINT.answer(br#"{"id":1,"method":"read"}"#, &mut 7, &mut room).unwrap();
/// let data = br#""data":{"rule":"missing-jsonrpc""#;
/// assert!(reply.windows(data.len()).any(|part| part == data));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Explaining<M>(pub(super) M);

impl<M> Explaining<M> {
    /// Creates the methods of an endpoint that is explaining.
    #[must_use]
    pub const fn new(methods: M) -> Self {
        Self(methods)
    }

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
    /// Reads the parameter with this name into a type. If the parameters are positional, reads the one at this
    /// position, counted from 0 (JSON-RPC 2.0, section 4.2). An `Option` reads a missing parameter as `None`.
    ///
    /// ```
    /// use tautline::endpoint::Failure;
    /// use tautline::{Call, Message, Profile};
    ///
    /// fn sum(call: &Call<'_>) -> Result<i64, Failure> {
    ///     let (a, b): (i64, Option<i64>) = (call.param(0, "a")?, call.param(1, "b")?);
    ///     Ok(a + b.unwrap_or(1))
    /// }
    ///
    /// let ask = |params: &str| {
    ///     let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"sum","params":{params}}}"#);
    ///     let Ok(Message::Request(request)) = Message::parse(&frame, &Profile::JSON_RPC) else { panic!() };
    ///     sum(request.call())
    /// };
    /// assert_eq!(ask(r#"{"b":2,"a":1}"#), Ok(3));
    /// assert_eq!(ask("[1]"), Ok(2));
    /// let reason = ask(r#"["1"]"#).unwrap_err().mismatch().unwrap().to_string();
    /// assert_eq!(reason, "byte 49: an integer in the range of the type is expected");
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`Failure::INVALID_PARAMS`] with the [reason](Failure::mismatch) if the parameter is missing or does not
    /// fit the type. A parameter whose name appears twice is an error too, because peers differ in which of the two they
    /// use.
    pub fn param<T: FromJson<'buf>>(
        &self,
        position: usize,
        name: &'static str,
    ) -> Result<T, Failure> {
        let read = match self.params() {
            Some(params) => params.read_part(self.params_at(), Some(position), name),
            None => Mismatch::new(Expected::PARAMS).at(self.params_at()).or_absent(),
        };
        read.map_err(Failure::of_params)
    }

    /// Reads the parameters into a type, such as a tuple if they are positional. `()` requires that there are none, and
    /// an `Option` reads missing ones as `None`.
    ///
    /// # Errors
    ///
    /// Returns [`Failure::INVALID_PARAMS`] with the [reason](Failure::mismatch) if the parameters are missing or do not
    /// fit the type.
    pub fn read_params<T: FromJson<'buf>>(&self) -> Result<T, Failure> {
        let read = match self.params() {
            Some(params) => params.read(),
            None => Mismatch::new(Expected::PARAMS).or_absent(),
        };
        read.map_err(|mismatch| Failure::of_params(mismatch.at(self.params_at())))
    }

    /// Deserializes the parameters with `serde_json`. Missing parameters are deserialized from `null`, so an `Option`
    /// becomes `None`, and `()` requires that there are none. A type that does not accept `null` requires parameters,
    /// and the reason is then that [they are missing](Expected::PARAMS).
    ///
    /// A `&str` can only be borrowed from text without escapes. So a type that contains one rejects valid
    /// parameters such as `"a\nb"`, or `"/"` from a peer that writes it as `"\/"`. Use a `String`, or a
    /// `Cow<str>` with `#[serde(borrow)]`.
    ///
    /// # Errors
    ///
    /// Returns [`Failure::INVALID_PARAMS`] with the [reason](Failure::mismatch) if the parameters do not fit the type,
    /// or if an object in them [repeats a name](crate::json#repeated-members).
    #[cfg(feature = "serde_json")]
    #[cfg_attr(docsrs, doc(cfg(feature = "serde_json")))]
    pub fn params_as<T: serde::Deserialize<'buf>>(&self) -> Result<T, Failure> {
        let Some(params) = self.params() else {
            return crate::RawJson::NULL.deserialize().map_err(|_| self.without_params());
        };
        params.deserialize().map_err(|error| {
            let (mismatch, text) = error.into_reason();
            Failure::of_params(mismatch.at(self.params_at())).with_reason(text)
        })
    }

    /// Deserializes the parameters with `serde-json-core`, as
    /// [`RawJson::deserialize_core`](crate::RawJson::deserialize_core) does. Missing parameters are deserialized from
    /// `null`. If the type does not accept that, the reason is that [they are missing](Expected::PARAMS).
    ///
    /// # Errors
    ///
    /// Returns [`Failure::INVALID_PARAMS`] if the parameters do not fit the type. The offset of the
    /// [reason](Failure::mismatch) is the start of the parameters, or of the part that is nested too deep.
    ///
    /// # Panics
    ///
    /// Panics in `serde-json-core` if the type has a map whose keys are not strings.
    #[cfg(feature = "serde-json-core-v0_7")]
    #[cfg_attr(docsrs, doc(cfg(feature = "serde-json-core-v0_7")))]
    pub fn params_as_core<T: serde::Deserialize<'buf>>(
        &self,
        max_depth: u8,
        scratch: &mut [u8],
    ) -> Result<T, Failure> {
        let Some(params) = self.params() else {
            let read = crate::RawJson::NULL.deserialize_core(max_depth, scratch);
            return read.map_err(|_| self.without_params());
        };
        let read = params.deserialize_core(max_depth, scratch);
        read.map_err(|error| Failure::of_params(Mismatch::from(error).at(self.params_at())))
    }

    /// Returns the failure of a call whose params are required and missing.
    #[cfg(any(feature = "serde_json", feature = "serde-json-core-v0_7"))]
    fn without_params(&self) -> Failure {
        Failure::of_params(Mismatch::new(Expected::PARAMS).at(self.params_at()))
    }

    /// Returns the offset of the params in the frame, or of the method if there are none.
    fn params_at(&self) -> usize {
        index(self.params_span().unwrap_or(self.method_span()).start())
    }
}
