//! The messages of a stream that arrives in chunks.

use super::fast_path::{Fallback, FastPath};
use super::{Received, Watch};
use crate::envelope::{Message, Profile, Skimmer};
use crate::frame::{Assembler, Frame, FrameEvent, Framing, Splitter, Storage};

/// The messages of a stream whose bytes are pushed, chunk by chunk.
///
/// ```
/// use tautline::Profile;
/// use tautline::stream::{MessageStream, Received};
///
/// let mut stream = MessageStream::new([0; 256], &Profile::JSON_RPC);
/// let mut methods = Vec::new();
/// for mut chunk in [&b"{\"jsonrpc\":\"2.0\",\"met"[..], b"hod\":\"sum\",\"id\":7}\n"] {
///     while let Some(received) = stream.next(&mut chunk) {
///         if let Received::Message { message: tautline::Message::Request(request), .. } = received {
///             methods.push(request.method().to_string());
///         }
///     }
/// }
/// assert_eq!(methods, ["sum"]);
/// ```
///
/// With another framing, here server-sent events:
///
/// ```
/// use tautline::Profile;
/// use tautline::frame::{Assembler, ServerSentEvents};
/// use tautline::stream::{MessageStream, Received};
///
/// let assembler = Assembler::with_framing([0; 256], ServerSentEvents::new(256));
/// let mut stream = MessageStream::with_assembler(assembler, &Profile::JSON_RPC);
/// let mut chunk: &[u8] = b"id: 1\ndata:\n\nid: 2\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\n";
/// assert!(matches!(stream.next(&mut chunk), Some(Received::NoMessage { .. })));
/// assert!(matches!(stream.next(&mut chunk), Some(Received::Message { .. })));
/// assert_eq!(stream.framing().last_event_id(), Ok(&b"2"[..]));
/// ```
/// A [`Skimmer`] observes oversized frames: they are reported with their id and method, and an oversized
/// request is answered with its id.
///
/// ```
/// use tautline::Profile;
/// use tautline::stream::{MessageStream, Received};
///
/// let mut stream = MessageStream::new([0; 16], &Profile::JSON_RPC);
/// let mut chunk: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"add\",\"params\":[1,2],\"id\":7}\n";
/// let Some(Received::Oversized { fault, skimmed, .. }) = stream.next(&mut chunk) else { panic!() };
/// let skimmed = skimmed.unwrap();
/// assert_eq!(skimmed.method().unwrap(), "add");
/// assert_eq!(fault.reply().unwrap().raw_id().map(|id| id.as_bytes()), Some(&b"7"[..]));
/// ```
///
/// The type parameters are the [storage](Storage), the [framing](Framing) and the observer of oversized
/// frames. Each has a default: with the feature `alloc`, `MessageStream` alone names a stream of lines in a
/// `HeapBuffer`.
#[derive(Clone, Debug)]
pub struct MessageStream<
    #[cfg(feature = "alloc")] S = crate::frame::HeapBuffer,
    #[cfg(not(feature = "alloc"))] S,
    F = Splitter,
    W = Skimmer,
> {
    assembler: Assembler<S, F>,
    profile: Profile,
    watch: W,
    fast_path: FastPath,
}

impl<S: Storage> MessageStream<S> {
    /// Creates a stream of lines. The storage determines the frame limit, as in [`Assembler::new`].
    #[must_use]
    pub fn new(storage: S, profile: &Profile) -> Self {
        Self::with_assembler(Assembler::new(storage), profile)
    }
}

impl<S: Storage, F: Framing> MessageStream<S, F> {
    /// Creates a stream whose frames come from this assembler.
    #[must_use]
    pub fn with_assembler(assembler: Assembler<S, F>, profile: &Profile) -> Self {
        Self {
            assembler,
            watch: Skimmer::new(profile),
            profile: *profile,
            fast_path: FastPath::NEW,
        }
    }
}

impl<S: Storage, F: Framing> MessageStream<S, F, ()> {
    /// Creates a stream that discards oversized frames unseen, for firmware that is short of memory.
    ///
    /// It saves about 300 bytes of state, and the code of the [`Skimmer`]. An oversized request is answered
    /// without its id, as far as the profile allows it.
    ///
    /// ```
    /// use tautline::Profile;
    /// use tautline::frame::Assembler;
    /// use tautline::stream::{MessageStream, Received};
    ///
    /// let assembler = Assembler::new([0; 16]);
    /// let mut stream = MessageStream::without_skimmer(assembler, &Profile::JSON_RPC);
    /// let mut chunk: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"sum\",\"id\":7}\n";
    /// let Some(Received::Oversized { fault, skimmed, .. }) = stream.next(&mut chunk) else { panic!() };
    /// assert!(skimmed.is_none());
    /// assert_eq!(fault.reply().unwrap().id().unwrap().to_string(), "null");
    /// ```
    #[must_use]
    pub const fn without_skimmer(assembler: Assembler<S, F>, profile: &Profile) -> Self {
        Self { assembler, profile: *profile, watch: (), fast_path: FastPath::NEW }
    }
}

impl<S: Storage, F: Framing, W: Watch> MessageStream<S, F, W> {
    /// Returns the current profile.
    #[must_use]
    pub const fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Sets the profile for subsequent frames, for example after a handshake.
    pub fn set_profile(&mut self, profile: &Profile) {
        self.profile = *profile;
    }

    /// Returns the framing, which knows the position in the stream.
    #[must_use]
    pub const fn framing(&self) -> &F {
        self.assembler.framing()
    }

    /// Returns the number of bytes that it keeps of an incomplete frame, at the front of the storage.
    #[doc(hidden)]
    #[must_use]
    pub const fn kept(&self) -> usize {
        self.assembler.kept()
    }

    /// Continues after [`Desynchronised`](Received::Desynchronised), by [resynchronising](Framing::resync)
    /// to the next frame.
    pub fn resync(&mut self) {
        self.assembler.resync();
    }

    /// Takes bytes off the front of the input, up to the end of the next message or invalid frame.
    ///
    /// `None` means that all of the input was consumed. The exception is after
    /// [`Desynchronised`](Received::Desynchronised): `None` then leaves the input untouched until a
    /// [resync](Self::resync).
    pub fn next<'a, 'input: 'a>(&'a mut self, input: &mut &'input [u8]) -> Option<Received<'a>> {
        let mut fallback = Fallback::default();
        if self.assembler.is_at_line_start() {
            let position = self.assembler.framing().position();
            match self.fast_path.line(input, position, &self.profile) {
                Ok((layout, newline)) => {
                    if let Some(frame) = self.assembler.take_line(input, newline) {
                        self.fast_path.note_length(frame.bytes().len());
                        let message = Message::new(frame.bytes(), layout);
                        return Some(Received::Message { frame, message });
                    }
                }
                Err(left) => fallback = left,
            }
        }
        let (watch, profile) = (&mut self.watch, &self.profile);
        let (event, framing) =
            self.assembler.next_watched(input, |piece| watch.show(piece, profile))?;
        if let FrameEvent::Frame(frame) = &event {
            self.fast_path.note_length(frame.bytes().len());
        }
        Received::of(event, framing, watch, profile, fallback)
    }

    /// Ends the stream, and returns what is left of it, if anything.
    ///
    /// A frame returned from here is not [terminated](crate::frame::Frame::is_terminated).
    pub fn finish(&mut self) -> Option<Received<'_>> {
        let (watch, profile) = (&mut self.watch, &self.profile);
        let (event, framing) = self.assembler.finish_watched(|piece| watch.show(piece, profile))?;
        Received::of(event, framing, watch, profile, Fallback::default())
    }

    /// Like [`next`](Self::next), but does not parse: a frame that should be a message is `Ok`, and any other event is
    /// `Err`. For callers that read each frame as an [`Envelope`](crate::Envelope) anyway.
    #[doc(hidden)]
    pub fn next_frame<'a, 'input: 'a>(
        &'a mut self,
        input: &mut &'input [u8],
    ) -> Option<Result<Frame<'a>, Received<'a>>> {
        let (watch, profile) = (&mut self.watch, &self.profile);
        let (event, framing) =
            self.assembler.next_watched(input, |piece| watch.show(piece, profile))?;
        Received::unless_frame(event, framing, watch, profile)
    }

    /// Like [`finish`](Self::finish), but does not parse. See [`next_frame`](Self::next_frame).
    #[doc(hidden)]
    pub fn finish_frame(&mut self) -> Option<Result<Frame<'_>, Received<'_>>> {
        let (watch, profile) = (&mut self.watch, &self.profile);
        let (event, framing) = self.assembler.finish_watched(|piece| watch.show(piece, profile))?;
        Received::unless_frame(event, framing, watch, profile)
    }
}
