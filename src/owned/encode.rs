//! Encoding of owned messages.

use serde::Serialize;

use super::{ErrorObject, Message, Notification, Request, Response};
use crate::encode::{BatchKind, Draft, EncodeError, Encoder, Json, NewError, Output};

impl Message {
    /// Writes the message, and returns its length in bytes.
    ///
    /// # Errors
    ///
    /// Returns an [`EncodeError`]. Nothing has been written, unless it is [`Output`](EncodeError::Output). A
    /// batch inside a batch is [not allowed](EncodeError::BatchNotAllowed), whatever the profile.
    pub fn encode<O: Output>(&self, encoder: &mut Encoder<O>) -> Result<usize, EncodeError> {
        match self {
            Self::Batch(messages) => encoder.batch(|batch| {
                for message in messages {
                    batch.next(message.batch_kind(), |draft| message.write(draft));
                }
            }),
            message => encoder.line(|draft| message.write(draft)),
        }
    }

    const fn batch_kind(&self) -> BatchKind {
        match self {
            Self::Response(_) => BatchKind::Responses,
            Self::Request(_) | Self::Notification(_) | Self::Batch(_) => BatchKind::Calls,
        }
    }

    fn write(&self, draft: Draft<'_, '_>) {
        match self {
            Self::Request(request) => request.write(draft),
            Self::Notification(notification) => notification.write(draft),
            Self::Response(response) => response.write(draft),
            Self::Batch(_) => draft.refuse(EncodeError::BatchNotAllowed),
        }
    }
}

impl<P: Serialize> Request<P> {
    /// Writes the request, and returns its length in bytes.
    ///
    /// # Errors
    ///
    /// Returns an [`EncodeError`]. Nothing has been written, unless it is [`Output`](EncodeError::Output).
    pub fn encode<O: Output>(&self, encoder: &mut Encoder<O>) -> Result<usize, EncodeError> {
        encoder.line(|draft| self.write(draft))
    }

    fn write(&self, draft: Draft<'_, '_>) {
        draft.request((&self.id).into(), &self.method, self.params.as_ref().map(Json));
    }
}

impl<P: Serialize> Notification<P> {
    /// Writes the notification, and returns its length in bytes.
    ///
    /// # Errors
    ///
    /// Returns an [`EncodeError`]. Nothing has been written, unless it is [`Output`](EncodeError::Output).
    pub fn encode<O: Output>(&self, encoder: &mut Encoder<O>) -> Result<usize, EncodeError> {
        encoder.line(|draft| self.write(draft))
    }

    fn write(&self, draft: Draft<'_, '_>) {
        draft.notification(&self.method, self.params.as_ref().map(Json));
    }
}

impl<R: Serialize, D: Serialize> Response<R, D> {
    /// Writes the response, and returns its length in bytes.
    ///
    /// # Errors
    ///
    /// Returns an [`EncodeError`]. Nothing has been written, unless it is [`Output`](EncodeError::Output). A
    /// response without an id is refused with [`IdNotAllowed`](EncodeError::IdNotAllowed), unless it is an
    /// error and the profile allows that.
    pub fn encode<O: Output>(&self, encoder: &mut Encoder<O>) -> Result<usize, EncodeError> {
        encoder.line(|draft| self.write(draft))
    }

    fn write(&self, draft: Draft<'_, '_>) {
        match (&self.id, &self.outcome) {
            (Some(id), Ok(result)) => draft.result(id.into(), Json(result)),
            (Some(id), Err(error)) => draft.error(id.into(), error.to_new()),
            (None, Err(error)) => draft.error_without_id(error.to_new()),
            (None, Ok(_)) => draft.refuse(EncodeError::IdNotAllowed),
        }
    }
}

impl<D: Serialize> ErrorObject<D> {
    fn to_new(&self) -> NewError<'_, Json<'_, D>> {
        NewError::new(self.code, &self.message).with_optional_data(self.data.as_ref().map(Json))
    }
}
