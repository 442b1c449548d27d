//! A batch, message by message.

use super::value::separate;
use super::{Draft, Ends, NewError, NewId, Payload};

/// A batch that is being written.
#[derive(Debug)]
pub struct BatchWriter<'a, 'out> {
    pub(super) draft: Draft<'a, 'out>,
    pub(super) begun: bool,
}

impl<'out> BatchWriter<'_, 'out> {
    /// One more request. Without parameters: [`NO_PARAMS`](super::NO_PARAMS).
    pub fn request<'id>(
        &mut self,
        id: impl Into<NewId<'id>>,
        method: &str,
        params: Option<impl Payload>,
    ) {
        self.next(|draft| draft.request(id.into(), method, params));
    }

    /// One more notification. Without parameters: [`NO_PARAMS`](super::NO_PARAMS).
    pub fn notification(&mut self, method: &str, params: Option<impl Payload>) {
        self.next(|draft| draft.notification(method, params));
    }

    /// One more answer to a request that was done.
    pub fn result<'id>(&mut self, id: impl Into<NewId<'id>>, result: impl Payload) {
        self.next(|draft| draft.result(id.into(), result));
    }

    /// One more answer to a request that failed.
    pub fn error<'id>(&mut self, id: impl Into<NewId<'id>>, error: NewError<'_, impl Payload>) {
        self.next(|draft| draft.error(id.into(), error));
    }

    /// One more message, of any kind.
    pub(crate) fn next(&mut self, write: impl FnOnce(Draft<'_, 'out>)) {
        let Draft { ref mut pieces } = self.draft;
        separate(pieces, &mut self.begun);
        write(Draft { pieces });
        pieces.put(Ends::NEXT.behind);
    }
}
