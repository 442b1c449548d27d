//! The messages of a stream that comes in chunks.

use super::fast_path::{Fallback, FastPath};
use super::{Received, Watch};
use crate::envelope::{Message, Rules, Skimmer};
use crate::frame::{Assembler, FrameEvent, Framing, Splitter, Storage};

/// The messages of a stream whose bytes are pushed, chunk by chunk.
///
/// ```
/// use tautline::Revision;
/// use tautline::stream::{MessageStream, Received};
///
/// let mut stream = MessageStream::new([0; 256], &Revision::V2025_11_25.rules());
/// let mut methods = Vec::new();
/// for mut chunk in [&b"{\"jsonrpc\":\"2.0\",\"met"[..], b"hod\":\"ping\",\"id\":7}\n"] {
///     while let Some(received) = stream.next(&mut chunk) {
///         if let Received::Message { message: tautline::Message::Request(request), .. } = received {
///             methods.push(request.method().to_string());
///         }
///     }
/// }
/// assert_eq!(methods, ["ping"]);
/// ```
///
/// In another framing, here that of server-sent events:
///
/// ```
/// use tautline::Revision;
/// use tautline::frame::{Assembler, EventStream};
/// use tautline::stream::{MessageStream, Received};
///
/// let assembler = Assembler::with_framing([0; 256], EventStream::new(256));
/// let mut stream = MessageStream::with_assembler(assembler, &Revision::V2025_11_25.rules());
/// let mut chunk: &[u8] = b"id: 1\ndata:\n\nid: 2\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\n";
/// assert!(matches!(stream.next(&mut chunk), Some(Received::NoMessage { .. })));
/// assert!(matches!(stream.next(&mut chunk), Some(Received::Message { .. })));
/// assert_eq!(stream.framing().last_event_id(), Ok(&b"2"[..]));
/// ```
#[derive(Clone, Debug)]
pub struct MessageStream<S, F = Splitter, W = ()> {
    assembler: Assembler<S, F>,
    rules: Rules,
    watch: W,
    fast_path: FastPath,
}

impl<S: Storage> MessageStream<S> {
    /// The start of a stream of lines. The limit on frames is the storage's.
    #[must_use]
    pub fn new(storage: S, rules: &Rules) -> Self {
        Self::with_assembler(Assembler::new(storage), rules)
    }
}

impl<S: Storage, W> MessageStream<S, Splitter, W> {
    /// The splitter, which knows the position in the stream.
    #[must_use]
    pub const fn splitter(&self) -> &Splitter {
        self.assembler.splitter()
    }
}

impl<S: Storage, F: Framing> MessageStream<S, F> {
    /// A stream whose frames come from this assembler.
    #[must_use]
    pub const fn with_assembler(assembler: Assembler<S, F>, rules: &Rules) -> Self {
        Self { assembler, rules: *rules, watch: (), fast_path: FastPath::NEW }
    }

    /// The same stream with a [`Skimmer`] that watches frames over the limit: they are reported with their
    /// id and their method, and a request among them is answered with its id.
    ///
    /// It is some 300 bytes large, and goes over what would have been dropped unseen otherwise. To be
    /// called before the stream has begun: a frame whose beginning it has not seen stays unknown.
    ///
    /// ```
    /// use tautline::Rules;
    /// use tautline::stream::{MessageStream, Received};
    ///
    /// let mut stream = MessageStream::new([0; 16], &Rules::JSON_RPC).skimming();
    /// let mut chunk: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"add\",\"params\":[1,2],\"id\":7}\n";
    /// let Some(Received::Oversized { fault, skimmed, .. }) = stream.next(&mut chunk) else { panic!() };
    /// let skimmed = skimmed.unwrap();
    /// assert_eq!(skimmed.method().unwrap(), "add");
    /// assert_eq!(fault.reply().unwrap().id_in(skimmed.text()), Some(&b"7"[..]));
    /// ```
    #[must_use]
    pub fn skimming(self) -> MessageStream<S, F, Skimmer> {
        MessageStream {
            watch: Skimmer::new(&self.rules),
            assembler: self.assembler,
            rules: self.rules,
            fast_path: self.fast_path,
        }
    }
}

impl<S: Storage, F: Framing, W: Watch> MessageStream<S, F, W> {
    /// The rules in force.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Puts other rules in force for the frames to come, as after a handshake.
    pub const fn set_rules(&mut self, rules: &Rules) {
        self.rules = *rules;
    }

    /// The framing, which knows the position in the stream.
    #[must_use]
    pub const fn framing(&self) -> &F {
        self.assembler.framing()
    }

    /// Goes on after [`Desynchronised`](Received::Desynchronised), by [hunting](Framing::hunt) for the
    /// next frame.
    pub fn hunt(&mut self) {
        self.assembler.hunt();
    }

    /// Takes bytes off the front of the input, up to the end of the next message or faulty frame.
    ///
    /// `None` says that the input is used up: nothing of it needs to be shown again. Only behind
    /// [`Desynchronised`](Received::Desynchronised) it says that there is nothing more to be had, and
    /// leaves the input as it is, until it is told to [hunt](Self::hunt).
    pub fn next<'a, 'input: 'a>(&'a mut self, input: &mut &'input [u8]) -> Option<Received<'a>> {
        let mut fallback = Fallback::default();
        if self.assembler.is_at_line_start() {
            let position = self.assembler.framing().position();
            match self.fast_path.line(input, position, &self.rules) {
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
        let watch = &mut self.watch;
        let rules = &self.rules;
        let event = match F::IS_ALL_MESSAGES {
            true => self.assembler.next_watched(input, |piece| watch.show(piece, rules))?,
            false => {
                let (event, framing) = self
                    .assembler
                    .next_with_framing_watched(input, |piece| watch.show(piece, rules))?;
                if !framing.carries_message(&event) {
                    watch.finish();
                    return Some(Received::NoMessage(event));
                }
                event
            }
        };
        if let FrameEvent::Frame(frame) = &event {
            self.fast_path.note_length(frame.bytes().len());
        }
        judge::<F>(event, &mut self.watch, &self.rules, fallback)
    }

    /// Says that the stream has ended, and gives what was left of it, if anything.
    ///
    /// A frame that comes from here was not [terminated](crate::frame::Frame::is_terminated).
    pub fn finish(&mut self) -> Option<Received<'_>> {
        let (watch, rules) = (&mut self.watch, &self.rules);
        let event = self.assembler.finish_watched(|piece| watch.show(piece, rules))?;
        judge::<F>(event, &mut self.watch, &self.rules, Fallback::default())
    }
}

/// What the rules say of an event. Lines never lose their place, and what would be done then is not
/// compiled for them.
fn judge<'buf, F: Framing>(
    event: FrameEvent<'buf>,
    watch: &'buf mut impl Watch,
    rules: &Rules,
    fallback: Fallback,
) -> Option<Received<'buf>> {
    match event {
        FrameEvent::Unfinished(_) | FrameEvent::Desynchronised(_) if !F::CAN_LOSE => None,
        event => Some(Received::watched(event, watch, rules, fallback)),
    }
}
