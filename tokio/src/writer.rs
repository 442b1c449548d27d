//! The sending half of a connection.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::AsyncWrite;

use crate::outbox::Outbox;

/// A buffer with more capacity than this, in bytes, is freed when it is empty.
const KEPT: usize = 64 * 1024;

/// A writer, and the bytes that it is sending.
#[derive(Debug)]
pub(crate) struct Writer<W> {
    writer: W,
    bytes: Vec<u8>,
    /// The number of these bytes that were sent.
    at: usize,
    is_flushed: bool,
}

impl<W: AsyncWrite + Unpin> Writer<W> {
    pub(crate) const fn new(writer: W) -> Self {
        Self { writer, bytes: Vec::new(), at: 0, is_flushed: true }
    }

    /// Sends the contents of the outbox. `Ready(Ok)` means that it is empty and everything was flushed.
    pub(crate) fn poll_send(
        &mut self,
        cx: &mut Context<'_>,
        outbox: &Outbox,
    ) -> Poll<io::Result<()>> {
        loop {
            while let Some(rest) = self.bytes.get(self.at..).filter(|rest| !rest.is_empty()) {
                let count = ready!(Pin::new(&mut self.writer).poll_write(cx, rest))?;
                if count == 0 {
                    return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
                }
                self.at = self.at.saturating_add(count);
                self.is_flushed = false;
                outbox.sent(count);
            }
            if self.bytes.capacity() > KEPT {
                self.bytes = Vec::new();
            }
            self.bytes.clear();
            self.at = 0;
            if !outbox.take(&mut self.bytes) {
                break;
            }
        }
        if !self.is_flushed {
            ready!(Pin::new(&mut self.writer).poll_flush(cx))?;
            self.is_flushed = true;
        }
        Poll::Ready(Ok(()))
    }

    /// Sends the rest, and closes the writer.
    pub(crate) fn poll_close(
        &mut self,
        cx: &mut Context<'_>,
        outbox: &Outbox,
    ) -> Poll<io::Result<()>> {
        ready!(self.poll_send(cx, outbox))?;
        Pin::new(&mut self.writer).poll_shutdown(cx)
    }
}
