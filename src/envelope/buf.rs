//! Parsed frames that keep their bytes: messages and faults that can be moved, stored and sent to another task.

use core::fmt;

use super::{Fault, FaultLayout, Layout, Message, Profile};
use crate::frame::{Frame, Place};

/// A [`Message`] together with the buffer that contains its frame. It is parsed once, and can then be moved to another
/// task or thread.
///
/// The buffer is anything that holds bytes: a `Vec<u8>`, a `Box<[u8]>`, an `Arc<[u8]>`, a `bytes::Bytes`, an array, a
/// `heapless::Vec` or a slice. A clone is as cheap as a clone of the buffer.
///
/// [`message`](Self::message) takes constant time. It combines the bytes with the places of the members, which parsing
/// has found. In contrast, an `owned::Message` has values that were deserialized.
///
/// ```
/// use std::sync::Arc;
///
/// use tautline::envelope::MessageBuf;
/// use tautline::{Message, Profile};
///
/// let body: Arc<[u8]> = Arc::from(&br#"{"jsonrpc":"2.0","id":1,"method":"sum","params":[1,2]}"#[..]);
/// let parsed = MessageBuf::parse(body, &Profile::JSON_RPC)?;
/// let handler = std::thread::spawn(move || {
///     let Message::Request(request) = parsed.message() else { panic!() };
///     request.method() == "sum"
/// });
/// assert!(handler.join().unwrap());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Buffers that change
///
/// A buffer must return the same bytes each time, as every type named above does. If its `AsRef` returns others, the
/// message is unspecified: its members can be any bytes, and even be no JSON. Nothing panics, and no memory is accessed
/// outside of the bytes that are returned.
#[derive(Clone, Copy)]
pub struct MessageBuf<B> {
    buffer: B,
    place: Place,
    layout: Layout,
}

/// A [`Fault`] together with the buffer that contains its frame: the error of [`MessageBuf::parse`].
///
/// ```
/// use tautline::Profile;
/// use tautline::envelope::MessageBuf;
///
/// let body = br#"{"jsonrpc":"2.0","id":7}"#.to_vec();
/// let faulty = MessageBuf::parse(body, &Profile::JSON_RPC).unwrap_err();
/// let reply = faulty.fault().reply().unwrap();
/// assert_eq!((reply.code().value(), reply.id().unwrap().to_string()), (-32600, "7".to_owned()));
/// assert_eq!(faulty.into_buffer().len(), 24);
/// ```
///
/// If the buffer [changes](MessageBuf#buffers-that-change), the fault keeps its rule and its offset, and its id is
/// unspecified.
#[derive(Clone, Copy)]
pub struct FaultBuf<B> {
    buffer: B,
    place: Place,
    layout: FaultLayout,
}

impl<B: AsRef<[u8]>> MessageBuf<B> {
    /// Parses bytes that are one message by themselves, such as the body of an HTTP request, as
    /// [`Message::parse`] does.
    ///
    /// # Errors
    ///
    /// Returns the first fault of the frame, with the buffer.
    pub fn parse(buffer: B, profile: &Profile) -> Result<Self, FaultBuf<B>> {
        Self::parse_as(|bytes| bytes.into(), buffer, profile)
    }

    /// Parses a line without its newline. The rules for lines apply to it, as to a [`Frame::from_line`].
    ///
    /// # Errors
    ///
    /// Returns the first fault of the frame, with the buffer.
    pub fn parse_line(buffer: B, profile: &Profile) -> Result<Self, FaultBuf<B>> {
        Self::parse_as(|bytes| Frame::from_line(bytes), buffer, profile)
    }

    fn parse_as(
        frame: impl FnOnce(&[u8]) -> Frame<'_>,
        buffer: B,
        profile: &Profile,
    ) -> Result<Self, FaultBuf<B>> {
        let frame = frame(buffer.as_ref());
        let place = frame.place();
        match Message::parse(frame, profile) {
            Ok(message) => {
                let layout = message.layout();
                Ok(Self::new(buffer, place, layout))
            }
            Err(fault) => {
                let layout = fault.layout();
                Err(FaultBuf::new(buffer, place, layout))
            }
        }
    }

    /// Returns the message. Nothing is parsed again.
    #[must_use]
    #[inline]
    pub fn message(&self) -> Message<'_> {
        Message::new(self.buffer.as_ref(), self.layout)
    }

    /// Returns the frame, with its place in the stream. It has the delimiter with which it was parsed, so an
    /// [`Envelope`](super::Envelope) that is read from it is checked by the same rules.
    #[must_use]
    #[inline]
    pub fn frame(&self) -> Frame<'_> {
        self.place.with_bytes(self.buffer.as_ref())
    }
}

impl<B> MessageBuf<B> {
    /// Copies a message that a reader or a stream lends, and its frame. Nothing is parsed again.
    ///
    /// For an element of a batch, the copy contains the whole frame.
    ///
    /// ```
    /// use tautline::Profile;
    /// use tautline::envelope::MessageBuf;
    /// use tautline::stream::{Messages, Received};
    ///
    /// let wire = b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"b\"}\n";
    /// let mut kept: Vec<MessageBuf<Box<[u8]>>> = Vec::new();
    /// for received in Messages::new(wire, 1024, &Profile::JSON_RPC) {
    ///     let Received::Message { frame, message, .. } = received else { panic!() };
    ///     kept.push(MessageBuf::copied(&frame, &message));
    /// }
    /// assert_eq!(kept[1].frame().line(), 2);
    /// ```
    #[must_use]
    pub fn copied<'buf>(frame: &Frame<'_>, message: &Message<'buf>) -> Self
    where
        B: From<&'buf [u8]>,
    {
        Self::new(message.frame().into(), frame.place(), message.layout())
    }

    /// Creates the message with this layout, in the buffer with the frame that the layout was made from.
    #[inline]
    pub(crate) const fn new(buffer: B, place: Place, layout: Layout) -> Self {
        Self { buffer, place, layout }
    }

    /// Returns the buffer.
    #[must_use]
    pub const fn buffer(&self) -> &B {
        &self.buffer
    }

    /// Returns the buffer.
    #[must_use]
    pub fn into_buffer(self) -> B {
        self.buffer
    }
}

impl<B: AsRef<[u8]>> FaultBuf<B> {
    /// Returns the fault. Nothing is parsed again.
    #[must_use]
    #[inline]
    pub fn fault(&self) -> Fault<'_> {
        Fault::new(self.buffer.as_ref(), self.layout)
    }

    /// Returns the frame, as [`MessageBuf::frame`] does.
    #[must_use]
    #[inline]
    pub fn frame(&self) -> Frame<'_> {
        self.place.with_bytes(self.buffer.as_ref())
    }
}

impl<B> FaultBuf<B> {
    /// Creates the fault with this layout, in the buffer with the frame that the layout was made from.
    #[inline]
    pub(crate) const fn new(buffer: B, place: Place, layout: FaultLayout) -> Self {
        Self { buffer, place, layout }
    }

    /// Returns the buffer.
    #[must_use]
    pub const fn buffer(&self) -> &B {
        &self.buffer
    }

    /// Returns the buffer.
    #[must_use]
    pub fn into_buffer(self) -> B {
        self.buffer
    }
}

/// Two are equal if their messages are.
impl<B: AsRef<[u8]>> PartialEq for MessageBuf<B> {
    fn eq(&self, other: &Self) -> bool {
        self.message() == other.message()
    }
}

impl<B: AsRef<[u8]>> Eq for MessageBuf<B> {}

/// Two are equal if their faults are.
impl<B: AsRef<[u8]>> PartialEq for FaultBuf<B> {
    fn eq(&self, other: &Self) -> bool {
        self.fault() == other.fault()
    }
}

impl<B: AsRef<[u8]>> Eq for FaultBuf<B> {}

impl<B: AsRef<[u8]>> fmt::Debug for MessageBuf<B> {
    /// Writes the message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.message(), f)
    }
}

impl<B: AsRef<[u8]>> fmt::Debug for FaultBuf<B> {
    /// Writes the fault.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.fault(), f)
    }
}

impl<B: AsRef<[u8]>> fmt::Display for FaultBuf<B> {
    /// Writes the fault.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.fault(), f)
    }
}

impl<B: AsRef<[u8]>> core::error::Error for FaultBuf<B> {}
