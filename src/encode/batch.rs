//! Writing a batch, message by message.

use super::value::separate;
use super::{Draft, EncodeError, Ends, NewError, NewId, Payload};
use crate::envelope::{Batches, Fault};

/// A batch being written.
#[derive(Debug)]
pub struct BatchWriter<'a, 'out> {
    pub(super) draft: Draft<'a, 'out>,
    pub(super) begun: bool,
    /// The kind of the first message.
    pub(super) kind: Option<BatchKind>,
}

/// The kind of messages in an unmixed batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BatchKind {
    /// Requests and notifications.
    Calls,
    /// Results and errors.
    Responses,
}

impl<'out> BatchWriter<'_, 'out> {
    /// Adds a request. For no parameters, pass [`NO_PARAMS`](super::NO_PARAMS).
    pub fn request<'id>(
        &mut self,
        id: impl Into<NewId<'id>>,
        method: &str,
        params: Option<impl Payload>,
    ) {
        self.next(BatchKind::Calls, |draft| draft.request(id.into(), method, params));
    }

    /// Adds a notification. For no parameters, pass [`NO_PARAMS`](super::NO_PARAMS).
    pub fn notification(&mut self, method: &str, params: Option<impl Payload>) {
        self.next(BatchKind::Calls, |draft| draft.notification(method, params));
    }

    /// Adds the answer to a request that succeeded.
    pub fn result<'id>(&mut self, id: impl Into<NewId<'id>>, result: impl Payload) {
        self.next(BatchKind::Responses, |draft| draft.result(id.into(), result));
    }

    /// Adds the answer to a request that failed.
    pub fn error<'id>(&mut self, id: impl Into<NewId<'id>>, error: NewError<'_, impl Payload>) {
        self.next(BatchKind::Responses, |draft| draft.error(id.into(), error));
    }

    /// Adds the reply to a faulty frame, such as an element of a received batch. It adds nothing if no reply is
    /// due. The rules of the encoder do not apply to its id, as for [`Encoder::fault`](super::Encoder::fault).
    pub fn fault(&mut self, fault: &Fault<'_>) {
        if let Some(reply) = fault.reply() {
            self.next(BatchKind::Responses, |draft| draft.reply(&reply));
        }
    }

    /// Adds the reply to a faulty frame as [`fault`](Self::fault) does, with the reason as in
    /// [`Encoder::explained_fault`](super::Encoder::explained_fault).
    pub fn explained_fault(&mut self, fault: &Fault<'_>) {
        if let Some(reply) = fault.reply() {
            self.next(BatchKind::Responses, |draft| draft.explained_reply(&reply, fault));
        }
    }

    /// Adds a message of any kind.
    pub(crate) fn next(&mut self, kind: BatchKind, write: impl FnOnce(Draft<'_, 'out>)) {
        let Draft { ref mut pieces } = self.draft;
        let is_mixed = *self.kind.get_or_insert(kind) != kind;
        let may_be = pieces.allowed.batches != Batches::Unmixed;
        pieces.demand(may_be || !is_mixed, EncodeError::MixedBatch);
        separate(pieces, &mut self.begun);
        write(Draft { pieces });
        pieces.put(Ends::NEXT.behind);
    }
}
