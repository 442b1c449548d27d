//! What gateways and servers look at below the envelope, without a tree.
//!
//! A member is seen by its exact name, after unescaping, and only if its value is of the type that
//! the schemas give it. One that appears twice is not believed, and said to be
//! [repeated](ParamsView::repeated).

use super::meta;
use crate::envelope::Id;
use crate::json::{RawJson, RawStr};

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
    name: Option<RawJson<'buf>>,
    uri: Option<RawJson<'buf>>,
    request_id: Option<RawJson<'buf>>,
    protocol_version: Option<RawJson<'buf>>,
    capabilities: Option<RawJson<'buf>>,
    progress_token: Option<RawJson<'buf>>,
    meta: Option<RawJson<'buf>>,
    /// Whether `_meta` is there, once or more often.
    pub(super) has_meta: bool,
    repeated: Option<RawStr<'buf>>,
}

impl<'buf> ParamsView<'buf> {
    /// Looks at `params`, if they are an object.
    #[must_use]
    pub fn of(params: RawJson<'buf>) -> Option<Self> {
        let picked = params.pick(&[
            "name",
            "uri",
            "requestId",
            "protocolVersion",
            "capabilities",
            "progressToken",
            "_meta",
        ])?;
        let [name, uri, request_id, protocol_version, capabilities, progress_token, meta] =
            picked.values();
        let [.., has_meta] = picked.present();
        let repeated = picked.repeated();
        Some(Self {
            object: params,
            name,
            uri,
            request_id,
            protocol_version,
            capabilities,
            progress_token,
            meta,
            has_meta,
            repeated,
        })
    }

    /// All of `params`.
    #[must_use]
    pub const fn object(&self) -> RawJson<'buf> {
        self.object
    }

    /// `name`: of the tool to call, or of the prompt to get.
    #[must_use]
    pub fn name(&self) -> Option<RawStr<'buf>> {
        self.name?.string()
    }

    /// `uri`: of the resource.
    #[must_use]
    pub fn uri(&self) -> Option<RawStr<'buf>> {
        self.uri?.string()
    }

    /// `requestId`: of the request that is cancelled.
    #[must_use]
    pub fn request_id(&self) -> Option<Id<'buf>> {
        request_id(self.request_id?)
    }

    /// `protocolVersion`: the revision that is asked for by `initialize`.
    #[must_use]
    pub fn protocol_version(&self) -> Option<RawStr<'buf>> {
        self.protocol_version?.string()
    }

    /// `capabilities`: those of the client, in `initialize`. An object.
    #[must_use]
    pub fn capabilities(&self) -> Option<RawJson<'buf>> {
        object(self.capabilities?)
    }

    /// `progressToken`: of the request that a progress notification is about.
    #[must_use]
    pub fn progress_token(&self) -> Option<Id<'buf>> {
        request_id(self.progress_token?)
    }

    /// `_meta`.
    #[must_use]
    pub fn meta(&self) -> Option<MetaView<'buf>> {
        MetaView::of(self.meta?)
    }

    /// The first name among these that appears for the second time.
    #[must_use]
    pub const fn repeated(&self) -> Option<RawStr<'buf>> {
        self.repeated
    }

    /// `_meta`, whatever it is.
    pub(super) const fn raw_meta(&self) -> Option<RawJson<'buf>> {
        self.meta
    }
}

/// The members of `_meta` that MCP reserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetaView<'buf> {
    object: RawJson<'buf>,
    pub(super) protocol_version: Option<RawJson<'buf>>,
    pub(super) client_capabilities: Option<RawJson<'buf>>,
    pub(super) client_info: Option<RawJson<'buf>>,
    pub(super) log_level: Option<RawJson<'buf>>,
    pub(super) progress_token: Option<RawJson<'buf>>,
    pub(super) subscription_id: Option<RawJson<'buf>>,
    server_info: Option<RawJson<'buf>>,
    /// Whether what every modern request carries is there, once or more often.
    pub(super) has_required: bool,
    /// Whether any of it is.
    has_claim: bool,
    repeated: Option<RawStr<'buf>>,
}

impl<'buf> MetaView<'buf> {
    /// Looks at `_meta`, if it is an object.
    #[must_use]
    pub fn of(meta: RawJson<'buf>) -> Option<Self> {
        let picked = meta.pick(&[
            meta::PROTOCOL_VERSION,
            meta::CLIENT_CAPABILITIES,
            meta::CLIENT_INFO,
            meta::LOG_LEVEL,
            meta::PROGRESS_TOKEN,
            meta::SUBSCRIPTION_ID,
            meta::SERVER_INFO,
        ])?;
        let [
            protocol_version,
            client_capabilities,
            client_info,
            log_level,
            progress_token,
            subscription_id,
            server_info,
        ] = picked.values();
        let [has_version, has_capabilities, ..] = picked.present();
        Some(Self {
            object: meta,
            protocol_version,
            client_capabilities,
            client_info,
            log_level,
            progress_token,
            subscription_id,
            server_info,
            has_required: has_version && has_capabilities,
            has_claim: has_version || has_capabilities,
            repeated: picked.repeated(),
        })
    }

    /// All of `_meta`.
    #[must_use]
    pub const fn object(&self) -> RawJson<'buf> {
        self.object
    }

    /// [`meta::PROTOCOL_VERSION`]: the revision that the request is made under.
    #[must_use]
    pub fn protocol_version(&self) -> Option<RawStr<'buf>> {
        self.protocol_version?.string()
    }

    /// Whether a request with it claims to be one of 2026-07-28 or later, however badly.
    pub(crate) const fn has_claim(&self) -> bool {
        self.has_claim
    }

    /// [`meta::CLIENT_CAPABILITIES`]: an object.
    #[must_use]
    pub fn client_capabilities(&self) -> Option<RawJson<'buf>> {
        object(self.client_capabilities?)
    }

    /// [`meta::CLIENT_INFO`]: an object.
    #[must_use]
    pub fn client_info(&self) -> Option<RawJson<'buf>> {
        object(self.client_info?)
    }

    /// [`meta::LOG_LEVEL`]: the least important message that is to be sent.
    #[must_use]
    pub fn log_level(&self) -> Option<RawStr<'buf>> {
        self.log_level?.string()
    }

    /// [`meta::PROGRESS_TOKEN`]: what progress notifications are to carry.
    #[must_use]
    pub fn progress_token(&self) -> Option<Id<'buf>> {
        request_id(self.progress_token?)
    }

    /// [`meta::SUBSCRIPTION_ID`]: the id of the `subscriptions/listen` that a notification is for.
    #[must_use]
    pub fn subscription_id(&self) -> Option<Id<'buf>> {
        request_id(self.subscription_id?)
    }

    /// [`meta::SERVER_INFO`]: an object.
    #[must_use]
    pub fn server_info(&self) -> Option<RawJson<'buf>> {
        object(self.server_info?)
    }

    /// The first name among these that appears for the second time.
    #[must_use]
    pub const fn repeated(&self) -> Option<RawStr<'buf>> {
        self.repeated
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
    pub(super) result_type: Option<RawJson<'buf>>,
    /// Whether `resultType` is there, once or more often.
    pub(super) has_result_type: bool,
    is_error: Option<RawJson<'buf>>,
    protocol_version: Option<RawJson<'buf>>,
    capabilities: Option<RawJson<'buf>>,
    meta: Option<RawJson<'buf>>,
    repeated: Option<RawStr<'buf>>,
}

impl<'buf> ResultView<'buf> {
    /// Looks at `result`, if it is an object.
    #[must_use]
    pub fn of(result: RawJson<'buf>) -> Option<Self> {
        let picked =
            result.pick(&["resultType", "isError", "protocolVersion", "capabilities", "_meta"])?;
        let [result_type, is_error, protocol_version, capabilities, meta] = picked.values();
        let [has_result_type, ..] = picked.present();
        let repeated = picked.repeated();
        Some(Self {
            object: result,
            result_type,
            has_result_type,
            is_error,
            protocol_version,
            capabilities,
            meta,
            repeated,
        })
    }

    /// All of `result`.
    #[must_use]
    pub const fn object(&self) -> RawJson<'buf> {
        self.object
    }

    /// `resultType`: what kind of result it is (2026-07-28).
    #[must_use]
    pub fn result_type(&self) -> Option<RawStr<'buf>> {
        self.result_type?.string()
    }

    /// `isError`: whether a tool says that it failed. That is a result like any other to the protocol,
    /// which has error responses for its own failures.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.is_error.and_then(|value| value.bool()).unwrap_or(false)
    }

    /// `protocolVersion`: the revision that the answer to `initialize` settles on.
    #[must_use]
    pub fn protocol_version(&self) -> Option<RawStr<'buf>> {
        self.protocol_version?.string()
    }

    /// `capabilities`: those of the server, in the answers to `initialize` and `server/discover`. An
    /// object.
    #[must_use]
    pub fn capabilities(&self) -> Option<RawJson<'buf>> {
        object(self.capabilities?)
    }

    /// `_meta`.
    #[must_use]
    pub fn meta(&self) -> Option<MetaView<'buf>> {
        MetaView::of(self.meta?)
    }

    /// The first name among these that appears for the second time.
    #[must_use]
    pub const fn repeated(&self) -> Option<RawStr<'buf>> {
        self.repeated
    }

    /// `_meta`, whatever it is.
    pub(super) const fn raw_meta(&self) -> Option<RawJson<'buf>> {
        self.meta
    }
}

fn object(value: RawJson<'_>) -> Option<RawJson<'_>> {
    value.members().is_some().then_some(value)
}

/// A string or an integer, which ids of requests and progress tokens are (basic; progress).
pub(super) fn request_id(value: RawJson<'_>) -> Option<Id<'_>> {
    match Id::of(value)? {
        Id::Null => None,
        Id::Number(number) if !number.is_integer() => None,
        id => Some(id),
    }
}
