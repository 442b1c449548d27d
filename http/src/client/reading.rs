//! Reading the body of a response within a limit.

use std::time::Duration;

use bytes::{Buf, Bytes};
use http::HeaderValue;
use http_body_util::BodyExt;
use tautline::frame::{Assembler, FrameEvent, HeapBuffer, ServerSentEvents};

use super::error::PostError;
use super::sender::Incoming;

/// The type of an event that has a message. It is that of an event without a type, too.
const MESSAGE: &[u8] = b"message";

/// Reads a whole body of at most `limit` bytes.
pub(super) async fn whole(mut body: Incoming, limit: u32) -> Result<Vec<u8>, PostError> {
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut read = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(PostError::Cut)?.into_data() else { continue };
        if data.len() > most.saturating_sub(read.len()) {
            return Err(PostError::TooLong(limit));
        }
        read.extend_from_slice(&data);
    }
    Ok(read)
}

/// A stream of events.
pub(super) struct Events {
    body: Incoming,
    assembler: Box<Assembler<HeapBuffer, ServerSentEvents>>,
    /// The bytes that were received, and not read yet.
    chunk: Bytes,
    limit: u32,
    /// The number of events so far, also of those without data.
    count: u64,
}

impl Events {
    /// Creates the events of a body. Their data have at most `limit` bytes.
    pub(super) fn new(body: Incoming, limit: u32) -> Self {
        let framing = ServerSentEvents::new(limit);
        let assembler = Box::new(Assembler::with_framing(HeapBuffer::new(limit), framing));
        Self { body, assembler, chunk: Bytes::new(), limit, count: 0 }
    }

    /// Returns the data of the next event with a message. `None` is the end of the body. After an event that is too long,
    /// the next one can be read.
    ///
    /// An event without data is not returned. Servers send one at the start of a stream that can be resumed.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>, PostError> {
        loop {
            if let Some(found) = self.read() {
                return found.map(Some);
            }
            match self.body.frame().await {
                // An event without its end is not delivered.
                None => return Ok(None),
                Some(Err(error)) => return Err(PostError::Cut(error)),
                Some(Ok(frame)) => self.chunk = frame.into_data().unwrap_or_default(),
            }
        }
    }

    /// Reads the bytes that were received, up to the end of an event with a message.
    fn read(&mut self) -> Option<Result<Vec<u8>, PostError>> {
        while !self.chunk.is_empty() {
            let mut rest: &[u8] = &self.chunk;
            let found = match self.assembler.next(&mut rest) {
                Some(FrameEvent::Frame(frame)) => Some(Ok(frame.bytes().to_vec())),
                Some(FrameEvent::Oversized(_)) => Some(Err(PostError::TooLong(self.limit))),
                _ => None,
            };
            let used = self.chunk.len().saturating_sub(rest.len());
            self.chunk.advance(used);
            // Without a frame, all bytes were consumed.
            let found = found?;
            self.count = self.count.wrapping_add(1);
            let is_message = self.assembler.framing().event_type() == Ok(MESSAGE);
            if found.is_err() || (is_message && found.as_ref().is_ok_and(|data| !data.is_empty())) {
                return Some(found);
            }
        }
        None
    }

    /// Returns the id of the last event, if the stream can be resumed after it.
    pub(super) fn last_id(&self) -> Option<HeaderValue> {
        let id = self.assembler.framing().last_event_id().ok().filter(|id| !id.is_empty())?;
        HeaderValue::from_bytes(id).ok()
    }

    /// Returns how long the server wants a client to wait before it reconnects.
    pub(super) fn retry(&self) -> Option<Duration> {
        self.assembler.framing().retry().map(Duration::from_millis)
    }

    /// Returns whether any event has come.
    pub(super) const fn has_begun(&self) -> bool {
        self.count > 0
    }
}
