//! The parts of a message that headers repeat.

use tautline::{Message, RawStr};

use super::{Body, Named, Parts};
use crate::{CallView, KnownMethod, ParamsView};

impl<'a> Body<'a> {
    /// Returns the parts, if the message is a request or a notification.
    pub(super) fn of(message: &Message<'a>) -> Option<Self> {
        Some(Self { message: *message, call: CallView::of(message)? })
    }

    /// Returns the version in `_meta`.
    pub(super) fn version(&self) -> Option<RawStr<'a>> {
        self.call.meta.as_ref()?.protocol_version()
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

    /// Returns the offset of the opening quote of a string.
    pub(super) fn string_offset(&self, string: RawStr<'_>) -> Option<u32> {
        let offset = self.message.offset_of(string.escaped_bytes());
        offset.map(|offset| offset.saturating_sub(1))
    }
}
