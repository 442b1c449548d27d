//! Messages into a buffer that tokio sends.

use std::io;

use bytes::BytesMut;
use tokio_util::codec;

use super::MessageCodec;
use crate::encode::{EncodeError, Encoder, Output, Refused, without_carriage_returns};
use crate::owned;

/// A message to be sent, as a closure that encodes it.
///
/// ```
/// use bytes::BytesMut;
/// use tautline::Rules;
/// use tautline::codec::{MessageCodec, Outgoing};
/// use tautline::encode::NO_PARAMS;
/// use tokio_util::codec::Encoder;
///
/// let mut codec = MessageCodec::new(&Rules::JSON_RPC);
/// let mut out = BytesMut::new();
/// codec.encode(Outgoing(|encoder| encoder.request(1, "ping", NO_PARAMS)), &mut out)?;
/// assert_eq!(&out[..], b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "a closure is what it is")]
pub struct Outgoing<F>(pub F)
where
    F: FnOnce(&mut Encoder<&mut BytesMut>) -> Result<usize, EncodeError>;

/// Lines to be sent that were encoded elsewhere, as the reply of an
/// [endpoint](crate::endpoint::Endpoint::receive). They end with a newline; empty input is not a line.
///
/// A raw CR becomes a space, so that nobody splits a line there: the bytes of an item can be passed on.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "lines are what they are")]
pub struct EncodedLines<'a>(pub &'a [u8]);

/// What can't be encoded is an error of kind [`InvalidInput`](io::ErrorKind::InvalidInput) whose inner
/// error is the [`EncodeError`]; the buffer is as it was then.
impl<F> codec::Encoder<Outgoing<F>> for MessageCodec
where
    F: FnOnce(&mut Encoder<&mut BytesMut>) -> Result<usize, EncodeError>,
{
    type Error = io::Error;

    fn encode(&mut self, message: Outgoing<F>, buffer: &mut BytesMut) -> io::Result<()> {
        self.put(buffer, |encoder| (message.0)(encoder).map(|_| ()))
    }
}

impl codec::Encoder<EncodedLines<'_>> for MessageCodec {
    type Error = io::Error;

    fn encode(&mut self, lines: EncodedLines<'_>, buffer: &mut BytesMut) -> io::Result<()> {
        if !lines.0.is_empty() && !lines.0.ends_with(b"\n") {
            return Err(invalid(EncodeError::Payload));
        }
        self.put(buffer, |encoder| {
            for piece in without_carriage_returns(lines.0) {
                encoder.output_mut().extend_from_slice(piece);
            }
            Ok(())
        })
    }
}

impl codec::Encoder<&owned::Message> for MessageCodec {
    type Error = io::Error;

    fn encode(&mut self, message: &owned::Message, buffer: &mut BytesMut) -> io::Result<()> {
        self.put(buffer, |encoder| message.encode(encoder).map(|_| ()))
    }
}

impl codec::Encoder<owned::Message> for MessageCodec {
    type Error = io::Error;

    fn encode(&mut self, message: owned::Message, buffer: &mut BytesMut) -> io::Result<()> {
        codec::Encoder::<&owned::Message>::encode(self, &message, buffer)
    }
}

impl MessageCodec {
    /// Puts a message into the buffer, and gives back the memory of a giant that was sent or refused.
    fn put(
        &mut self,
        buffer: &mut BytesMut,
        encode: impl FnOnce(&mut Encoder<&mut BytesMut>) -> Result<(), EncodeError>,
    ) -> io::Result<()> {
        self.give_back_sent(buffer);
        let before = buffer.len();
        let encoded = encode(&mut Encoder::with_rules(&mut *buffer, self.rules()));
        self.sent = self.sent.max(buffer.capacity());
        if encoded.is_ok() {
            self.outgoing.note(buffer.len().saturating_sub(before));
        }
        self.give_back_sent(buffer);
        encoded.map_err(invalid)
    }

    /// The capacity of a buffer from which bytes were sent says nothing of its memory, and there is no
    /// way to shrink it.
    fn give_back_sent(&mut self, buffer: &mut BytesMut) {
        if buffer.is_empty() && self.outgoing.to_keep(self.sent, 0).is_some() {
            *buffer = BytesMut::new();
            self.sent = 0;
        }
    }
}

fn invalid(error: EncodeError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error)
}

#[cfg_attr(docsrs, doc(cfg(feature = "tokio-util-v0_7")))]
impl Output for BytesMut {
    fn mark(&self) -> usize {
        self.len()
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        self.extend_from_slice(bytes);
        Ok(())
    }

    fn rewind(&mut self, mark: usize) {
        self.truncate(mark);
    }
}
