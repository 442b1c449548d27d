//! What gateways and servers look at below the envelope, without a tree.
//!
//! A member is seen by its exact name, after unescaping, and only if its value is of the type that
//! the schemas give it. One that appears twice is not believed, and said to be
//! [repeated](ParamsView::repeated).

use super::Method;
use super::meta;
use crate::envelope::Id;
use crate::json::{Kind, Picked, RawJson, RawStr};

/// So many names are looked for in `params`, and fewer in the others: with room for as many, the views are filled by
/// the same code.
const MOST_NAMES: usize = 10;

/// The members of `params` that mean the same in every method that has them.
///
/// ```
/// use tautline::mcp::ParamsView;
/// use tautline::{Message, Revision};
///
/// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":
///     {"name":"not this one"},"_meta":{"progressToken":7}}}"#;
/// let Ok(Message::Request(request)) = Message::parse(frame, &Revision::V2025_11_25.rules()) else {
///     panic!()
/// };
/// let params = ParamsView::of(request.params().unwrap()).unwrap();
/// assert_eq!(params.name().unwrap(), "add");
/// assert_eq!(params.meta().unwrap().progress_token().unwrap().to_string(), "7");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamsView<'buf> {
    object: RawJson<'buf>,
    picked: Picked<'buf, MOST_NAMES>,
}

impl<'buf> ParamsView<'buf> {
    const NAMES: [&'static str; 10] = [
        "name",
        "uri",
        "requestId",
        "progressToken",
        "protocolVersion",
        "capabilities",
        "clientInfo",
        "_meta",
        "arguments",
        "task",
    ];
    // Where each stands among them.
    const NAME: usize = 0;
    const URI: usize = 1;
    const REQUEST_ID: usize = 2;
    const PROGRESS_TOKEN: usize = 3;
    /// Here begin those that are a [`DECLARATION`].
    const PROTOCOL_VERSION: usize = 4;
    const CAPABILITIES: usize = 5;
    const CLIENT_INFO: usize = 6;
    const META: usize = 7;
    const ARGUMENTS: usize = 8;
    const TASK: usize = 9;

    /// Looks at `params`, if they are an object.
    #[must_use]
    pub fn of(params: RawJson<'buf>) -> Option<Self> {
        let object = object(params)?;
        Some(Self { object, picked: Picked::of(object, &Self::NAMES) })
    }

    /// All of `params`.
    #[must_use]
    pub const fn object(&self) -> RawJson<'buf> {
        self.object
    }

    /// `name`: of the tool to call, or of the prompt to get.
    #[must_use]
    pub fn name(&self) -> Option<RawStr<'buf>> {
        self.picked.value(Self::NAME)?.string()
    }

    /// `arguments`: of the tool to call, or of the prompt to get. An object.
    #[must_use]
    pub fn arguments(&self) -> Option<RawJson<'buf>> {
        object(self.picked.value(Self::ARGUMENTS)?)
    }

    /// `uri`: of the resource.
    #[must_use]
    pub fn uri(&self) -> Option<RawStr<'buf>> {
        self.picked.value(Self::URI)?.string()
    }

    /// `requestId`: of the request that is cancelled.
    #[must_use]
    pub fn request_id(&self) -> Option<Id<'buf>> {
        request_id(self.picked.value(Self::REQUEST_ID)?)
    }

    /// `protocolVersion`: the revision that is asked for by `initialize`.
    #[must_use]
    pub fn protocol_version(&self) -> Option<RawStr<'buf>> {
        self.picked.value(Self::PROTOCOL_VERSION)?.string()
    }

    /// `capabilities`: those of the client, in `initialize`. An object.
    #[must_use]
    pub fn capabilities(&self) -> Option<RawJson<'buf>> {
        object(self.picked.value(Self::CAPABILITIES)?)
    }

    /// `clientInfo`: who the client is, in `initialize`. An object.
    #[must_use]
    pub fn client_info(&self) -> Option<RawJson<'buf>> {
        object(self.picked.value(Self::CLIENT_INFO)?)
    }

    /// `progressToken`: of the request that a progress notification is about.
    #[must_use]
    pub fn progress_token(&self) -> Option<Id<'buf>> {
        request_id(self.picked.value(Self::PROGRESS_TOKEN)?)
    }

    /// `task`: asks for a task that does what the request asks for (2025-11-25). An object.
    #[must_use]
    pub fn task(&self) -> Option<RawJson<'buf>> {
        object(self.picked.value(Self::TASK)?)
    }

    /// `_meta`.
    #[must_use]
    pub fn meta(&self) -> Option<MetaView<'buf>> {
        MetaView::of(self.picked.value(Self::META)?)
    }

    /// The first name among these that appears for the second time.
    #[must_use]
    pub const fn repeated(&self) -> Option<RawStr<'buf>> {
        self.picked.repeated()
    }

    /// `_meta`, whatever it is.
    pub(super) fn raw_meta(&self) -> Option<RawJson<'buf>> {
        self.picked.value(Self::META)
    }

    /// Whether `_meta` is there, once or more often.
    pub(super) fn has_meta(&self) -> bool {
        self.picked.has(Self::META)
    }

    /// Whether the member is there, once or more often, by which a notification of this method says what
    /// it is about. It is, if the method has no such member.
    pub(super) fn has_subject(&self, method: Option<Method>) -> bool {
        match method {
            Some(Method::Cancelled) => self.picked.has(Self::REQUEST_ID),
            Some(Method::Progress) => self.picked.has(Self::PROGRESS_TOKEN),
            _ => true,
        }
    }

    /// The first member that is not of the type that it has in a call of this method.
    pub(super) fn wrong_type(&self, method: Option<Method>) -> Option<RawJson<'buf>> {
        match method {
            Some(Method::Cancelled) => wrong_type(&self.picked, Self::REQUEST_ID, ID),
            Some(Method::Progress) => wrong_type(&self.picked, Self::PROGRESS_TOKEN, ID),
            Some(Method::Initialize) => {
                wrong_type(&self.picked, Self::PROTOCOL_VERSION, DECLARATION)
            }
            _ => None,
        }
    }
}

/// The members of `_meta` that MCP reserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetaView<'buf> {
    object: RawJson<'buf>,
    picked: Picked<'buf, MOST_NAMES>,
}

impl<'buf> MetaView<'buf> {
    const NAMES: [&'static str; 7] = [
        meta::PROTOCOL_VERSION,
        meta::CLIENT_CAPABILITIES,
        meta::CLIENT_INFO,
        meta::LOG_LEVEL,
        meta::PROGRESS_TOKEN,
        meta::SUBSCRIPTION_ID,
        meta::SERVER_INFO,
    ];
    // Where each stands among them. Up to `LOG_LEVEL` they are those of modern requests alone.
    const PROTOCOL_VERSION: usize = 0;
    const CLIENT_CAPABILITIES: usize = 1;
    const CLIENT_INFO: usize = 2;
    const LOG_LEVEL: usize = 3;
    const PROGRESS_TOKEN: usize = 4;
    const SUBSCRIPTION_ID: usize = 5;
    const SERVER_INFO: usize = 6;

    /// The kind of each; where there is none, it is an id.
    const KINDS: [Option<Kind>; 7] = [
        Some(Kind::String),
        Some(Kind::Object),
        Some(Kind::Object),
        Some(Kind::String),
        None,
        None,
        Some(Kind::Object),
    ];

    /// Looks at `_meta`, if it is an object.
    #[must_use]
    pub fn of(meta: RawJson<'buf>) -> Option<Self> {
        let object = object(meta)?;
        Some(Self { object, picked: Picked::of(object, &Self::NAMES) })
    }

    /// The first that is not of its type.
    pub(super) fn wrong_type(&self) -> Option<RawJson<'buf>> {
        wrong_type(&self.picked, 0, &Self::KINDS)
    }

    /// Where a result has it: who the server is, if that is not of its type.
    pub(super) fn wrong_server_info(&self) -> Option<RawJson<'buf>> {
        wrong_type(&self.picked, Self::SERVER_INFO, &[Some(Kind::Object)])
    }

    /// Whether what every modern request carries is there, once or more often.
    pub(super) fn has_required(&self) -> bool {
        self.picked.has(Self::PROTOCOL_VERSION) && self.picked.has(Self::CLIENT_CAPABILITIES)
    }

    /// All of `_meta`.
    #[must_use]
    pub const fn object(&self) -> RawJson<'buf> {
        self.object
    }

    /// [`meta::PROTOCOL_VERSION`]: the revision that the request is made under.
    #[must_use]
    pub fn protocol_version(&self) -> Option<RawStr<'buf>> {
        self.picked.value(Self::PROTOCOL_VERSION)?.string()
    }

    /// Returns whether a request with it claims to be one of 2026-07-28 or later, however badly: no
    /// other has any of these.
    pub(crate) fn has_claim(&self) -> bool {
        (0..=Self::LOG_LEVEL).any(|name| self.picked.has(name))
    }

    /// Returns whether a notification with it is for a subscription, however badly it names that.
    pub(crate) fn is_subscribed(&self) -> bool {
        self.picked.has(Self::SUBSCRIPTION_ID)
    }

    /// [`meta::CLIENT_CAPABILITIES`]: an object.
    #[must_use]
    pub fn client_capabilities(&self) -> Option<RawJson<'buf>> {
        object(self.picked.value(Self::CLIENT_CAPABILITIES)?)
    }

    /// [`meta::CLIENT_INFO`]: an object.
    #[must_use]
    pub fn client_info(&self) -> Option<RawJson<'buf>> {
        object(self.picked.value(Self::CLIENT_INFO)?)
    }

    /// [`meta::LOG_LEVEL`]: the least important message that is to be sent.
    #[must_use]
    pub fn log_level(&self) -> Option<RawStr<'buf>> {
        self.picked.value(Self::LOG_LEVEL)?.string()
    }

    /// [`meta::PROGRESS_TOKEN`]: what progress notifications are to carry.
    #[must_use]
    pub fn progress_token(&self) -> Option<Id<'buf>> {
        request_id(self.picked.value(Self::PROGRESS_TOKEN)?)
    }

    /// [`meta::SUBSCRIPTION_ID`]: the id of the `subscriptions/listen` that a notification is for.
    #[must_use]
    pub fn subscription_id(&self) -> Option<Id<'buf>> {
        request_id(self.picked.value(Self::SUBSCRIPTION_ID)?)
    }

    /// [`meta::SERVER_INFO`]: an object.
    #[must_use]
    pub fn server_info(&self) -> Option<RawJson<'buf>> {
        object(self.picked.value(Self::SERVER_INFO)?)
    }

    /// The first name among these that appears for the second time.
    #[must_use]
    pub const fn repeated(&self) -> Option<RawStr<'buf>> {
        self.picked.repeated()
    }
}

/// The members of `result` that mean the same in every method that has them.
///
/// ```
/// use tautline::RawJson;
/// use tautline::mcp::ResultView;
///
/// let result = br#"{"content":[],"isError":true,"resultType":"complete"}"#;
/// let result = ResultView::of(RawJson::parse(result).unwrap()).unwrap();
/// assert!(result.is_error());
/// assert_eq!(result.result_type().unwrap(), "complete");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultView<'buf> {
    object: RawJson<'buf>,
    picked: Picked<'buf, MOST_NAMES>,
}

impl<'buf> ResultView<'buf> {
    const NAMES: [&'static str; 7] =
        ["resultType", "isError", "protocolVersion", "capabilities", "serverInfo", "_meta", "task"];
    // Where each stands among them.
    const RESULT_TYPE: usize = 0;
    const IS_ERROR: usize = 1;
    /// Here begin those that are a [`DECLARATION`].
    const PROTOCOL_VERSION: usize = 2;
    const CAPABILITIES: usize = 3;
    const SERVER_INFO: usize = 4;
    const META: usize = 5;
    const TASK: usize = 6;

    /// Looks at `result`, if it is an object.
    #[must_use]
    pub fn of(result: RawJson<'buf>) -> Option<Self> {
        let object = object(result)?;
        Some(Self { object, picked: Picked::of(object, &Self::NAMES) })
    }

    /// All of `result`.
    #[must_use]
    pub const fn object(&self) -> RawJson<'buf> {
        self.object
    }

    /// `resultType`: what kind of result it is (2026-07-28).
    #[must_use]
    pub fn result_type(&self) -> Option<RawStr<'buf>> {
        self.picked.value(Self::RESULT_TYPE)?.string()
    }

    /// `isError`: whether a tool says that it failed. That is a result like any other to the protocol,
    /// which has error responses for its own failures.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.picked.value(Self::IS_ERROR).and_then(|value| value.bool()).unwrap_or(false)
    }

    /// `protocolVersion`: the revision that the answer to `initialize` settles on.
    #[must_use]
    pub fn protocol_version(&self) -> Option<RawStr<'buf>> {
        self.picked.value(Self::PROTOCOL_VERSION)?.string()
    }

    /// `capabilities`: those of the server, in the answers to `initialize` and `server/discover`. An
    /// object.
    #[must_use]
    pub fn capabilities(&self) -> Option<RawJson<'buf>> {
        object(self.picked.value(Self::CAPABILITIES)?)
    }

    /// `serverInfo`: who the server is, in the answer to `initialize`. An object.
    #[must_use]
    pub fn server_info(&self) -> Option<RawJson<'buf>> {
        object(self.picked.value(Self::SERVER_INFO)?)
    }

    /// `task`: the task that does what the request asked for (2025-11-25). An object.
    #[must_use]
    pub fn task(&self) -> Option<RawJson<'buf>> {
        object(self.picked.value(Self::TASK)?)
    }

    /// `_meta`.
    #[must_use]
    pub fn meta(&self) -> Option<MetaView<'buf>> {
        MetaView::of(self.picked.value(Self::META)?)
    }

    /// The first name among these that appears for the second time.
    #[must_use]
    pub const fn repeated(&self) -> Option<RawStr<'buf>> {
        self.picked.repeated()
    }

    /// `_meta`, whatever it is.
    pub(super) fn raw_meta(&self) -> Option<RawJson<'buf>> {
        self.picked.value(Self::META)
    }

    /// The first member of the answer to `initialize` or `server/discover` that is not of its type.
    pub(super) fn wrong_declaration(&self) -> Option<RawJson<'buf>> {
        wrong_type(&self.picked, Self::PROTOCOL_VERSION, DECLARATION)
    }

    /// `resultType`, whatever it is.
    pub(crate) fn raw_result_type(&self) -> Option<RawJson<'buf>> {
        self.picked.value(Self::RESULT_TYPE)
    }

    /// Whether `resultType` is there, once or more often.
    pub(super) fn has_result_type(&self) -> bool {
        self.picked.has(Self::RESULT_TYPE)
    }
}

/// The kind of what is an id.
const ID: &[Option<Kind>] = &[None];

/// The kinds of the members by which a peer declares what it is: its version, what it can do, and who it
/// is.
const DECLARATION: &[Option<Kind>] = &[Some(Kind::String), Some(Kind::Object), Some(Kind::Object)];

/// Of the values from this number on the first that is not of its kind; where there is none, it is an id.
fn wrong_type<'buf>(
    picked: &Picked<'buf, MOST_NAMES>,
    first: usize,
    kinds: &[Option<Kind>],
) -> Option<RawJson<'buf>> {
    let mut values = picked.as_values().iter().skip(first).zip(kinds);
    values.find_map(|(value, kind)| {
        value.filter(|value| match kind {
            Some(kind) => value.kind() != *kind,
            None => request_id(*value).is_none(),
        })
    })
}

fn object(value: RawJson<'_>) -> Option<RawJson<'_>> {
    value.members().is_some().then_some(value)
}

/// A string or an integer, which ids of requests and progress tokens are (basic; progress).
fn request_id(value: RawJson<'_>) -> Option<Id<'_>> {
    match Id::of(value)? {
        Id::Null => None,
        Id::Number(number) if !number.is_integer() => None,
        id => Some(id),
    }
}
