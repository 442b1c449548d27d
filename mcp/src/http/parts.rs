//! The parts of a message that headers repeat.

use tautline::{Call, Message, RawStr};

use super::Field;
use super::verdict::Place;
use crate::{KnownMethod, MetaView, ParamsView};

/// The parts of a call that the headers repeat.
pub(super) struct Body<'a> {
    pub(super) message: Message<'a>,
    pub(super) call: Call<'a>,
    pub(super) method: Option<KnownMethod>,
    pub(super) params: Option<ParamsView<'a>>,
    pub(super) meta: Option<MetaView<'a>>,
}

impl<'a> Body<'a> {
    /// Returns the parts, if the message is a request or a notification.
    pub(super) fn of(message: &Message<'a>) -> Option<Self> {
        let call = match message {
            Message::Request(request) => *request.call(),
            Message::Notification(notification) => *notification.call(),
            _ => return None,
        };
        let params = call.params().and_then(ParamsView::of);
        let meta = params.as_ref().and_then(ParamsView::meta);
        let method = KnownMethod::named(call.method());
        Some(Self { message: *message, call, method, params, meta })
    }

    pub(super) fn is_request(&self) -> bool {
        matches!(self.message, Message::Request(_))
    }

    /// Returns the version in `_meta`.
    pub(super) fn version(&self) -> Option<RawStr<'a>> {
        self.meta.as_ref()?.protocol_version()
    }

    /// Returns whether the request belongs to the modern era, even if it is malformed.
    pub(super) fn is_modern(&self) -> bool {
        let is_only_modern = matches!(
            self.method,
            Some(KnownMethod::ServerDiscover | KnownMethod::SubscriptionsListen)
        );
        self.is_request() && (is_only_modern || self.meta.as_ref().is_some_and(MetaView::has_claim))
    }

    /// Returns the value that `Mcp-Name` repeats, if the method has one (2026-07-28, standard request headers; extension for
    /// tasks).
    pub(super) fn name(&self) -> Named<'a> {
        use KnownMethod::{
            PromptsGet, ResourcesRead, TasksCancel, TasksGet, TasksUpdate, ToolsCall,
        };
        let params = self.params.as_ref();
        let value = match self.method {
            Some(ToolsCall | PromptsGet) => params.and_then(ParamsView::name),
            Some(ResourcesRead) => params.and_then(ParamsView::uri),
            Some(TasksGet | TasksCancel | TasksUpdate) => params
                .and_then(|params| params.object().member("taskId"))
                .and_then(|id| id.string()),
            _ => return Named::No,
        };
        // Without a value the params are invalid, which the server finds.
        value.map_or(Named::No, Named::By)
    }

    pub(super) fn place(&self, field: Field, part: &[u8]) -> Place {
        Place { field: Some(field), offset: self.message.offset_of(part) }
    }

    /// Returns a place at the opening quote of a string.
    pub(super) fn string_place(&self, field: Field, string: RawStr<'_>) -> Place {
        let offset = self.message.offset_of(string.escaped_bytes());
        Place { field: Some(field), offset: offset.map(|offset| offset.saturating_sub(1)) }
    }
}

/// The value that `Mcp-Name` repeats.
pub(super) enum Named<'a> {
    No,
    By(RawStr<'a>),
}
