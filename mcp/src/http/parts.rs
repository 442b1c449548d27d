//! The parts of a message that headers repeat.

use tautline::{Message, RawStr};

use super::Field;
use super::place::Place;
use crate::check::CallView;
use crate::{KnownMethod, ParamsView};

/// The parts of a call that the headers repeat.
pub(super) struct Body<'a> {
    pub(super) message: Message<'a>,
    pub(super) call: CallView<'a>,
}

impl<'a> Body<'a> {
    /// Returns the parts, if the message is a request or a notification.
    pub(super) fn of(message: &Message<'a>) -> Option<Self> {
        Some(Self { message: *message, call: CallView::of(message)? })
    }

    pub(super) fn is_request(&self) -> bool {
        matches!(self.message, Message::Request(_))
    }

    /// Returns the version in `_meta`.
    pub(super) fn version(&self) -> Option<RawStr<'a>> {
        self.call.meta.as_ref()?.protocol_version()
    }

    /// Returns whether the request belongs to the modern era, even if it is malformed.
    pub(super) fn is_modern(&self) -> bool {
        self.call.claims_version
    }

    /// Returns the parts by themselves.
    pub(super) fn parts(&self) -> Parts<'a> {
        let name = match self.name() {
            Named::By(name) => Some(name),
            Named::No => None,
        };
        Parts { version: self.version(), method: self.call.name, name }
    }

    /// Returns the value that `Mcp-Name` repeats, if the method has one (2026-07-28, standard request headers; extension for
    /// tasks).
    pub(super) fn name(&self) -> Named<'a> {
        use KnownMethod::{
            PromptsGet, ResourcesRead, TasksCancel, TasksGet, TasksUpdate, ToolsCall,
        };
        let params = self.call.params.as_ref();
        let value = match self.call.method {
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

/// The values that the standard headers repeat.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts<'a> {
    pub(super) version: Option<RawStr<'a>>,
    pub(super) method: RawStr<'a>,
    pub(super) name: Option<RawStr<'a>>,
}
