//! Views of the members that gateways and servers need below the envelope, without a tree.
//!
//! A view finds a member by its exact name, after unescaping, and only if its value has the type that the
//! schemas give it. A view ignores a member that appears more than once, and reports it as
//! [repeated](ParamsView::repeated).

use tautline::internal::json::Picked;
use tautline::json::Kind;
use tautline::{Id, RawJson, RawStr};

use super::{KnownMethod, Revision, meta};

/// The number of names looked up in `params`. The other views look up fewer, but share the size so that the
/// same code fills them.
const MOST_NAMES: usize = 10;

/// The members of `params` with the same meaning in every method that has them.
///
/// ```
/// use tautline_mcp::{Message, ParamsView, Revision};
///
/// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":
///     {"name":"not this one"},"_meta":{"progressToken":7}}}"#;
/// let Ok(Message::Request(request)) = Message::parse(frame, &Revision::V2025_11_25.profile()) else {
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
    // The indexes of the names.
    const NAME: usize = 0;
    const URI: usize = 1;
    const REQUEST_ID: usize = 2;
    const PROGRESS_TOKEN: usize = 3;
    /// The first index of a [`DECLARATION`].
    const PROTOCOL_VERSION: usize = 4;
    const CAPABILITIES: usize = 5;
    const CLIENT_INFO: usize = 6;
    const META: usize = 7;
    const ARGUMENTS: usize = 8;
    const TASK: usize = 9;

    /// Creates a view of `params`, if they are an object.
    #[must_use]
    pub fn of(params: RawJson<'buf>) -> Option<Self> {
        let object = object(params)?;
        Some(Self { object, picked: Picked::of(object, &Self::NAMES) })
    }

    /// Returns the whole `params` object.
    #[must_use]
    pub const fn object(&self) -> RawJson<'buf> {
        self.object
    }

    /// Returns `name`, the name of the tool to call or of the prompt to get.
    #[must_use]
    pub fn name(&self) -> Option<RawStr<'buf>> {
        self.picked.value(Self::NAME)?.string()
    }

    /// Returns `arguments`, the arguments for the tool or the prompt. An object.
    #[must_use]
    pub fn arguments(&self) -> Option<RawJson<'buf>> {
        object(self.picked.value(Self::ARGUMENTS)?)
    }

    /// Returns `uri`, the URI of the resource.
    #[must_use]
    pub fn uri(&self) -> Option<RawStr<'buf>> {
        self.picked.value(Self::URI)?.string()
    }

    /// Returns `requestId`, the id of the cancelled request.
    #[must_use]
    pub fn request_id(&self) -> Option<Id<'buf>> {
        request_id(self.picked.value(Self::REQUEST_ID)?)
    }

    /// Returns `protocolVersion`, the revision that `initialize` asks for.
    #[must_use]
    pub fn protocol_version(&self) -> Option<RawStr<'buf>> {
        self.picked.value(Self::PROTOCOL_VERSION)?.string()
    }

    /// Returns `capabilities`, the client's capabilities in `initialize`. An object.
    #[must_use]
    pub fn capabilities(&self) -> Option<RawJson<'buf>> {
        object(self.picked.value(Self::CAPABILITIES)?)
    }

    /// Returns `clientInfo`, the identity of the client in `initialize`. An object.
    #[must_use]
    pub fn client_info(&self) -> Option<RawJson<'buf>> {
        object(self.picked.value(Self::CLIENT_INFO)?)
    }

    /// Returns `progressToken`, the token of the request that a progress notification is about.
    #[must_use]
    pub fn progress_token(&self) -> Option<Id<'buf>> {
        request_id(self.picked.value(Self::PROGRESS_TOKEN)?)
    }

    /// Returns `task`, which asks for a task to carry out the request (2025-11-25). An object.
    #[must_use]
    pub fn task(&self) -> Option<RawJson<'buf>> {
        object(self.picked.value(Self::TASK)?)
    }

    /// Returns `_meta`.
    #[must_use]
    pub fn meta(&self) -> Option<MetaView<'buf>> {
        MetaView::of(self.picked.value(Self::META)?)
    }

    /// Returns the first name of this view that appears for the second time.
    #[must_use]
    pub const fn repeated(&self) -> Option<RawStr<'buf>> {
        self.picked.repeated()
    }

    /// Returns `_meta`, whatever its type.
    pub(crate) fn raw_meta(&self) -> Option<RawJson<'buf>> {
        self.picked.value(Self::META)
    }

    /// Returns whether `_meta` is present, once or more often.
    pub(crate) fn has_meta(&self) -> bool {
        self.picked.has(Self::META)
    }

    /// Returns whether the member that names the subject of a notification of this method is present, once or
    /// more often. Returns `true` if the revision does not require such a member.
    pub(crate) fn has_subject(&self, method: Option<KnownMethod>, revision: Revision) -> bool {
        match method {
            // The schema of this revision leaves it out for tasks. Without it, nothing is cancelled.
            Some(KnownMethod::Cancelled) if revision == Revision::V2025_11_25 => true,
            Some(KnownMethod::Cancelled) => self.picked.has(Self::REQUEST_ID),
            Some(KnownMethod::Progress) => self.picked.has(Self::PROGRESS_TOKEN),
            _ => true,
        }
    }

    /// Returns the first member with the wrong type for a call of this method.
    pub(crate) fn wrong_type(&self, method: Option<KnownMethod>) -> Option<RawJson<'buf>> {
        match method {
            Some(KnownMethod::Cancelled) => wrong_type(&self.picked, Self::REQUEST_ID, ID),
            Some(KnownMethod::Progress) => wrong_type(&self.picked, Self::PROGRESS_TOKEN, ID),
            Some(KnownMethod::Initialize) => {
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
    // The indexes of the names. Those up to `LOG_LEVEL` occur only in modern requests.
    const PROTOCOL_VERSION: usize = 0;
    const CLIENT_CAPABILITIES: usize = 1;
    const CLIENT_INFO: usize = 2;
    const LOG_LEVEL: usize = 3;
    const PROGRESS_TOKEN: usize = 4;
    const SUBSCRIPTION_ID: usize = 5;
    const SERVER_INFO: usize = 6;

    /// The kind of each member, or `None` for an id.
    const KINDS: [Option<Kind>; 7] = [
        Some(Kind::String),
        Some(Kind::Object),
        Some(Kind::Object),
        Some(Kind::String),
        None,
        None,
        Some(Kind::Object),
    ];

    /// Creates a view of `_meta`, if it is an object.
    #[must_use]
    pub fn of(meta: RawJson<'buf>) -> Option<Self> {
        let object = object(meta)?;
        Some(Self { object, picked: Picked::of(object, &Self::NAMES) })
    }

    /// Returns the first member of the wrong type.
    pub(crate) fn wrong_type(&self) -> Option<RawJson<'buf>> {
        wrong_type(&self.picked, 0, &Self::KINDS)
    }

    /// Returns the identity of the server in a result, if it has the wrong type.
    pub(crate) fn wrong_server_info(&self) -> Option<RawJson<'buf>> {
        wrong_type(&self.picked, Self::SERVER_INFO, &[Some(Kind::Object)])
    }

    /// Returns whether the members that every modern request carries are present, once or more often.
    pub(crate) fn has_required(&self) -> bool {
        self.picked.has(Self::PROTOCOL_VERSION) && self.picked.has(Self::CLIENT_CAPABILITIES)
    }

    /// Returns the whole `_meta` object.
    #[must_use]
    pub const fn object(&self) -> RawJson<'buf> {
        self.object
    }

    /// Returns [`meta::PROTOCOL_VERSION`], the revision that the request uses.
    #[must_use]
    pub fn protocol_version(&self) -> Option<RawStr<'buf>> {
        self.picked.value(Self::PROTOCOL_VERSION)?.string()
    }

    /// Returns whether the metadata marks a request as one of 2026-07-28 or later, even if it is malformed.
    /// Older requests have none of these members.
    pub(crate) fn has_claim(&self) -> bool {
        (0..=Self::LOG_LEVEL).any(|name| self.picked.has(name))
    }

    /// Returns whether a notification with this metadata belongs to a subscription, even if its id is
    /// malformed.
    pub(crate) fn is_subscribed(&self) -> bool {
        self.picked.has(Self::SUBSCRIPTION_ID)
    }

    /// Returns [`meta::CLIENT_CAPABILITIES`], an object.
    #[must_use]
    pub fn client_capabilities(&self) -> Option<RawJson<'buf>> {
        object(self.picked.value(Self::CLIENT_CAPABILITIES)?)
    }

    /// Returns [`meta::CLIENT_INFO`], an object.
    #[must_use]
    pub fn client_info(&self) -> Option<RawJson<'buf>> {
        object(self.picked.value(Self::CLIENT_INFO)?)
    }

    /// Returns [`meta::LOG_LEVEL`], the minimum level of the log messages to send.
    #[must_use]
    pub fn log_level(&self) -> Option<RawStr<'buf>> {
        self.picked.value(Self::LOG_LEVEL)?.string()
    }

    /// Returns [`meta::PROGRESS_TOKEN`], the token for progress notifications.
    #[must_use]
    pub fn progress_token(&self) -> Option<Id<'buf>> {
        request_id(self.picked.value(Self::PROGRESS_TOKEN)?)
    }

    /// Returns [`meta::SUBSCRIPTION_ID`], the id of the `subscriptions/listen` request that a notification
    /// belongs to.
    #[must_use]
    pub fn subscription_id(&self) -> Option<Id<'buf>> {
        request_id(self.picked.value(Self::SUBSCRIPTION_ID)?)
    }

    /// Returns [`meta::SERVER_INFO`], an object.
    #[must_use]
    pub fn server_info(&self) -> Option<RawJson<'buf>> {
        object(self.picked.value(Self::SERVER_INFO)?)
    }

    /// Returns the first name of this view that appears for the second time.
    #[must_use]
    pub const fn repeated(&self) -> Option<RawStr<'buf>> {
        self.picked.repeated()
    }
}

/// The members of `result` with the same meaning in every method that has them.
///
/// ```
/// use tautline_mcp::{RawJson, ResultView};
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
    // The indexes of the names.
    const RESULT_TYPE: usize = 0;
    const IS_ERROR: usize = 1;
    /// The first index of a [`DECLARATION`].
    const PROTOCOL_VERSION: usize = 2;
    const CAPABILITIES: usize = 3;
    const SERVER_INFO: usize = 4;
    const META: usize = 5;
    const TASK: usize = 6;

    /// Creates a view of `result`, if it is an object.
    #[must_use]
    pub fn of(result: RawJson<'buf>) -> Option<Self> {
        let object = object(result)?;
        Some(Self { object, picked: Picked::of(object, &Self::NAMES) })
    }

    /// Returns the whole `result` object.
    #[must_use]
    pub const fn object(&self) -> RawJson<'buf> {
        self.object
    }

    /// Returns `resultType`, the type of the result (2026-07-28).
    #[must_use]
    pub fn result_type(&self) -> Option<RawStr<'buf>> {
        self.picked.value(Self::RESULT_TYPE)?.string()
    }

    /// Returns `isError`, which reports that a tool failed. The protocol treats this as a normal result: error
    /// responses report failures of the protocol itself.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.picked.value(Self::IS_ERROR).and_then(|value| value.bool()).unwrap_or(false)
    }

    /// Returns `protocolVersion`, the revision chosen in the answer to `initialize`.
    #[must_use]
    pub fn protocol_version(&self) -> Option<RawStr<'buf>> {
        self.picked.value(Self::PROTOCOL_VERSION)?.string()
    }

    /// Returns `capabilities`, the server's capabilities in the answers to `initialize` and
    /// `server/discover`. An object.
    #[must_use]
    pub fn capabilities(&self) -> Option<RawJson<'buf>> {
        object(self.picked.value(Self::CAPABILITIES)?)
    }

    /// Returns `serverInfo`, the identity of the server in the answer to `initialize`. An object.
    #[must_use]
    pub fn server_info(&self) -> Option<RawJson<'buf>> {
        object(self.picked.value(Self::SERVER_INFO)?)
    }

    /// Returns `task`, the task that carries out the request (2025-11-25). An object.
    #[must_use]
    pub fn task(&self) -> Option<RawJson<'buf>> {
        object(self.picked.value(Self::TASK)?)
    }

    /// Returns `_meta`.
    #[must_use]
    pub fn meta(&self) -> Option<MetaView<'buf>> {
        MetaView::of(self.picked.value(Self::META)?)
    }

    /// Returns the first name of this view that appears for the second time.
    #[must_use]
    pub const fn repeated(&self) -> Option<RawStr<'buf>> {
        self.picked.repeated()
    }

    /// Returns `_meta`, whatever its type.
    pub(crate) fn raw_meta(&self) -> Option<RawJson<'buf>> {
        self.picked.value(Self::META)
    }

    /// Returns the first member of the answer to `initialize` or `server/discover` that has the wrong type.
    pub(crate) fn wrong_declaration(&self) -> Option<RawJson<'buf>> {
        wrong_type(&self.picked, Self::PROTOCOL_VERSION, DECLARATION)
    }

    /// Returns `resultType`, whatever its type.
    pub(crate) fn raw_result_type(&self) -> Option<RawJson<'buf>> {
        self.picked.value(Self::RESULT_TYPE)
    }

    /// Returns whether `resultType` is present, once or more often.
    pub(crate) fn has_result_type(&self) -> bool {
        self.picked.has(Self::RESULT_TYPE)
    }
}

/// The kinds of a single id.
const ID: &[Option<Kind>] = &[None];

/// The kinds of the members with which a peer declares its version, its capabilities and its identity.
const DECLARATION: &[Option<Kind>] = &[Some(Kind::String), Some(Kind::Object), Some(Kind::Object)];

/// Returns the first value, from index `first` on, that is not of its kind. A kind of `None` stands for an
/// id.
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

/// Returns the string or integer that the ids of requests and progress tokens must be (basic; progress).
pub(crate) fn request_id(value: RawJson<'_>) -> Option<Id<'_>> {
    match Id::of(value)? {
        Id::Null => None,
        Id::Number(number) if !number.is_integer() => None,
        id => Some(id),
    }
}
