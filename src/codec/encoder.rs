//! Messages to a buffer that tokio sends.

use core::fmt;
use std::io;

use bytes::BytesMut;
use tokio_util::codec;

use super::MessageCodec;
use crate::bytes::is_blank;
use crate::encode::{EncodeError, Encoder, Output, Refused, without_carriage_returns};
use crate::excerpt::Excerpt;
use crate::frame::Framing;
use crate::owned;

/// A message to be sent: a closure that encodes it.
///
/// ```
/// use bytes::BytesMut;
/// use tautline::Profile;
/// use tautline::codec::{MessageCodec, Outgoing};
/// use tautline::encode::NO_PARAMS;
/// use tokio_util::codec::Encoder;
///
/// let mut codec = MessageCodec::new(&Profile::JSON_RPC);
/// let mut out = BytesMut::new();
/// codec.encode(Outgoing(|encoder| encoder.request(1, "sum", NO_PARAMS)), &mut out)?;
/// assert_eq!(&out[..], b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sum\"}\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "a closure is what it is")]
pub struct Outgoing<F>(pub F)
where
    F: FnOnce(&mut Encoder<&mut BytesMut>) -> Result<usize, EncodeError>;

impl<F> fmt::Debug for Outgoing<F>
where
    F: FnOnce(&mut Encoder<&mut BytesMut>) -> Result<usize, EncodeError>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outgoing").finish_non_exhaustive()
    }
}

/// Lines to be sent that were encoded elsewhere, such as the reply of an
/// [endpoint](crate::endpoint::Endpoint::answer). They end with a newline; empty input is not a line. Each
/// line becomes a frame.
///
/// A raw CR is replaced by a space, so that no receiver splits a line there. An item that was received in another
/// framing may have newlines inside: [`Forward`](crate::encode::Forward) writes it on one line.
#[derive(Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "lines are what they are")]
pub struct EncodedLines<'a>(pub &'a [u8]);

impl fmt::Debug for EncodedLines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EncodedLines").field(&Excerpt(self.0)).finish()
    }
}

/// If encoding fails, the error has the kind [`InvalidInput`](io::ErrorKind::InvalidInput) and an inner
/// [`EncodeError`]. The buffer is then unchanged.
impl<E, F: Framing> codec::Encoder<Outgoing<E>> for MessageCodec<F>
where
    E: FnOnce(&mut Encoder<&mut BytesMut>) -> Result<usize, EncodeError>,
{
    type Error = io::Error;

    fn encode(&mut self, message: Outgoing<E>, buffer: &mut BytesMut) -> io::Result<()> {
        self.put(buffer, |encoder| (message.0)(encoder).map(|_| ()))
    }
}

impl<F: Framing> codec::Encoder<EncodedLines<'_>> for MessageCodec<F> {
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

impl<F: Framing> codec::Encoder<&owned::Message> for MessageCodec<F> {
    type Error = io::Error;

    fn encode(&mut self, message: &owned::Message, buffer: &mut BytesMut) -> io::Result<()> {
        self.put(buffer, |encoder| message.encode(encoder).map(|_| ()))
    }
}

impl<F: Framing> codec::Encoder<owned::Message> for MessageCodec<F> {
    type Error = io::Error;

    fn encode(&mut self, message: owned::Message, buffer: &mut BytesMut) -> io::Result<()> {
        codec::Encoder::<&owned::Message>::encode(self, &message, buffer)
    }
}

impl<F: Framing> MessageCodec<F> {
    /// Adds a message to the buffer, and releases the memory of a large message that was sent or refused.
    fn put(
        &mut self,
        buffer: &mut BytesMut,
        encode: impl FnOnce(&mut Encoder<&mut BytesMut>) -> Result<(), EncodeError>,
    ) -> io::Result<()> {
        self.give_back_sent(buffer);
        let before = buffer.len();
        let form = self.framing.form();
        let encoded = if F::writes_lines(form) {
            let encoded = encode(&mut Encoder::with_profile(&mut *buffer, self.profile()));
            encoded.inspect_err(|_| buffer.truncate(before))
        } else {
            let mut lines = BytesMut::new();
            let encoded = encode(&mut Encoder::with_profile(&mut lines, self.profile()));
            encoded.map(|()| put_frames::<F>(form, &lines, buffer))
        };
        self.sent = self.sent.max(buffer.capacity());
        if encoded.is_ok() {
            self.outgoing.note(buffer.len().saturating_sub(before));
        }
        self.give_back_sent(buffer);
        encoded.map_err(invalid)
    }

    /// Replaces an empty buffer to release its memory: it cannot be shrunk, and its capacity does not
    /// include the part already sent.
    fn give_back_sent(&mut self, buffer: &mut BytesMut) {
        if buffer.is_empty() && self.outgoing.to_keep(self.sent, 0).is_some() {
            *buffer = BytesMut::new();
            self.sent = 0;
        }
    }
}

/// Adds a frame for each of these lines.
fn put_frames<F: Framing>(form: F::Form, lines: &[u8], buffer: &mut BytesMut) {
    let lines = lines.split(|&byte| byte == b'\n').filter(|line| !is_blank(line));
    for line in lines {
        buffer.extend_from_slice(F::head(form, line.len()).as_bytes());
        buffer.extend_from_slice(line);
        buffer.extend_from_slice(F::tail(form));
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
