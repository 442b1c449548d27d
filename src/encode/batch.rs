//! A batch, message by message.

use super::{Error, Message, NewId, Payload};

/// A batch that is being written.
#[derive(Debug)]
pub struct BatchWriter<'a, 'out> {
    pub(super) message: Message<'a, 'out>,
    pub(super) begun: bool,
}

impl<'out> BatchWriter<'_, 'out> {
    /// One more request.
    pub fn request<'id>(
        &mut self,
        id: impl Into<NewId<'id>>,
        method: &str,
        params: Option<impl Payload>,
    ) {
        self.next().request(id.into(), method, params);
    }

    /// One more notification.
    pub fn notification(&mut self, method: &str, params: Option<impl Payload>) {
        self.next().notification(method, params);
    }

    /// One more answer to a request that was done.
    pub fn result<'id>(&mut self, id: impl Into<NewId<'id>>, result: impl Payload) {
        self.next().result(id.into(), result);
    }

    /// One more answer to a request that failed.
    pub fn error<'id>(&mut self, id: impl Into<NewId<'id>>, error: Error<'_, impl Payload>) {
        self.next().error(Some(id.into()), error);
    }

    fn next(&mut self) -> Message<'_, 'out> {
        if core::mem::replace(&mut self.begun, true) {
            self.message.pieces.put(b",");
        }
        let Message { ref mut pieces, params, results } = self.message;
        Message { pieces, params, results }
    }
}
