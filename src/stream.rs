//! The stream door: the next message off a stream of bytes.
//!
//! It joins the two steps, splitting into [frames](crate::frame) and [parsing](Message::parse), in one
//! call, and says the same as they do: what lies whole in a chunk is borrowed from it, and a faulty
//! frame is an event like any other, after which the stream goes on.
//!
//! A frame over the limit is gone when its end is known. A stream that is
//! [skimming](MessageStream::skimming) knows its id and its method all the same.

mod watch;

pub use watch::Watch;
#[cfg(feature = "tokio-util-v0_7")]
pub(crate) use watch::sealed;

#[cfg(feature = "fast")]
use crate::cast::u64_from;
#[cfg(feature = "fast")]
use crate::envelope::healthy::{self, Unclear};
use crate::envelope::{Fault, Message, Rules, Skimmed, Skimmer};
#[cfg(feature = "fast")]
use crate::frame::find_last_newline;
use crate::frame::{
    Assembler, Desynchronised, Frame, FrameEvent, Frames, Framing, Oversized, Splitter, Storage,
    Unfinished,
};

/// What came next on the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Received<'buf> {
    /// A message.
    Message {
        /// The frame that it is in.
        frame: Frame<'buf>,
        /// The message.
        message: Message<'buf>,
    },
    /// A frame that is no message.
    Fault {
        /// The frame.
        frame: Frame<'buf>,
        /// Its first fault.
        fault: Fault,
    },
    /// A frame over the limit, which was discarded.
    Oversized {
        /// Where it was.
        oversized: Oversized,
        /// Its fault, with the reply that is owed. Its id is found in the
        /// [text](Skimmed::text) of what was skimmed.
        fault: Fault,
        /// What is known of it, if a [skimmer](MessageStream::skimming) has seen it.
        skimmed: Option<Skimmed<'buf>>,
    },
    /// What is not meant to be a message: an event of an [`EventStream`](crate::frame::EventStream)
    /// whose data is empty, or whose type is another, be it within the limit or over it.
    NoMessage(FrameEvent<'buf>),
    /// The stream has ended within a frame. No reply is owed to what did not arrive.
    Unfinished(Unfinished),
    /// The framing does not know where the next frame begins, and takes nothing more until it is told
    /// to hunt for it. No reply is owed to what is not known to be a message.
    Desynchronised(Desynchronised),
}

impl<'buf> Received<'buf> {
    /// What the rules say of what a driver of [frames](crate::frame) has found, in any framing.
    ///
    /// ```
    /// use tautline::Rules;
    /// use tautline::frame::{Concatenated, Frames};
    /// use tautline::stream::Received;
    ///
    /// let wire = b"{\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"a\"\n}\n{}";
    /// let frames = Frames::with_framing(wire, Concatenated::new(1024));
    /// let mut messages = frames.map(|event| Received::from_event(event, &Rules::JSON_RPC));
    /// assert!(matches!(messages.next(), Some(Received::Message { .. })));
    /// assert!(matches!(messages.next(), Some(Received::Fault { .. })));
    /// ```
    #[must_use]
    pub fn from_event(event: FrameEvent<'buf>, rules: &Rules) -> Self {
        Self::judged(event, || None, rules, |frame| Message::parse(frame.bytes(), rules))
    }

    /// What the rules say of what a driver has found, which has shown the frames over the limit to this
    /// skimmer.
    ///
    /// ```
    /// use tautline::Rules;
    /// use tautline::envelope::Skimmer;
    /// use tautline::frame::FrameBuffer;
    /// use tautline::stream::Received;
    ///
    /// let mut buffer = FrameBuffer::with_limit([0; 64], 16);
    /// let wire = b"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":[\"\"],\"id\":7}\n";
    /// buffer.spare()[..wire.len()].copy_from_slice(wire);
    /// buffer.commit(wire.len());
    ///
    /// let mut skimmer = Skimmer::new(&Rules::JSON_RPC);
    /// let event = buffer.next_watched(|piece| skimmer.push(piece)).unwrap();
    /// let received = Received::from_skimmed(event, &mut skimmer, &Rules::JSON_RPC);
    /// let Received::Oversized { skimmed: Some(skimmed), .. } = received else { panic!() };
    /// assert_eq!(skimmed.id().unwrap().as_bytes(), b"7");
    /// ```
    #[must_use]
    pub fn from_skimmed(
        event: FrameEvent<'buf>,
        skimmer: &'buf mut Skimmer,
        rules: &Rules,
    ) -> Self {
        Self::watched(event, skimmer, rules)
    }

    /// The fault, if this is a frame that is no message or one over the limit, and the text in which its
    /// id stands: what [`Encoder::fault`](crate::encode::Encoder::fault) answers.
    #[must_use]
    pub fn fault(&self) -> Option<(&Fault, &'buf [u8])> {
        match self {
            Self::Fault { frame, fault } => Some((fault, frame.bytes())),
            // What was skimmed stands for the frame, which is gone.
            Self::Oversized { fault, skimmed, .. } => {
                Some((fault, skimmed.as_ref().map_or(b"", Skimmed::text)))
            }
            Self::Message { .. }
            | Self::NoMessage(_)
            | Self::Unfinished(_)
            | Self::Desynchronised(_) => None,
        }
    }

    #[inline(always)]
    pub(crate) fn watched(
        event: FrameEvent<'buf>,
        watch: &'buf mut impl Watch,
        rules: &Rules,
    ) -> Self {
        let parse = |frame: &Frame<'buf>| Message::parse(frame.bytes(), rules);
        Self::judged(event, || watch.finish(), rules, parse)
    }

    fn judged(
        event: FrameEvent<'buf>,
        skim: impl FnOnce() -> Option<Skimmed<'buf>>,
        rules: &Rules,
        parse: impl FnOnce(&Frame<'buf>) -> Result<Message<'buf>, Fault>,
    ) -> Self {
        match event {
            FrameEvent::Frame(frame) => match parse(&frame) {
                Ok(message) => Self::Message { frame, message },
                Err(fault) => Self::Fault { frame, fault },
            },
            FrameEvent::Oversized(oversized) => {
                // Whoever has not seen all of it knows nothing of it.
                let skimmed = skim().filter(|skimmed| skimmed.length() == oversized.length());
                let fault = match &skimmed {
                    Some(skimmed) => Fault::of_skimmed(&oversized, skimmed, rules),
                    None => Fault::of_oversized(&oversized, rules),
                };
                Self::Oversized { oversized, fault, skimmed }
            }
            FrameEvent::Unfinished(unfinished) => {
                skim();
                Self::Unfinished(unfinished)
            }
            FrameEvent::Desynchronised(lost) => Self::Desynchronised(lost),
        }
    }
}

/// A line that is not plainly a message, as far as the input goes.
#[cfg(feature = "fast")]
#[derive(Clone, Copy, Debug)]
struct Tried {
    /// Where in the stream the line begins.
    offset: u64,
    unclear: Unclear,
}

#[cfg(feature = "fast")]
impl Tried {
    /// What the next line turned out to be, without trying the same twice.
    fn judge<'buf>(
        self,
        event: FrameEvent<'buf>,
        skim: impl FnOnce() -> Option<Skimmed<'buf>>,
        rules: &Rules,
    ) -> Received<'buf> {
        Received::judged(event, skim, rules, |frame| {
            // Its end was there, so it was tried as a whole.
            if frame.offset() == self.offset && frame.is_terminated() {
                Message::parse_unclear(frame.bytes(), rules, self.unclear)
            } else {
                Message::parse(frame.bytes(), rules)
            }
        })
    }
}

/// The messages of a slice that holds the whole stream.
///
/// ```
/// use tautline::Rules;
/// use tautline::stream::{Messages, Received};
///
/// let wire = b"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1}\n{}\n";
/// let mut messages = Messages::new(wire, 1024, &Rules::JSON_RPC);
/// assert!(matches!(messages.next(), Some(Received::Message { .. })));
/// let Some(Received::Fault { frame, fault }) = messages.next() else { panic!() };
/// assert_eq!((frame.line(), fault.rule().name()), (2, "missing-jsonrpc"));
/// ```
#[derive(Clone, Debug)]
pub struct Messages<'buf> {
    frames: Frames<'buf>,
    rules: Rules,
}

impl<'buf> Messages<'buf> {
    /// The messages of `stream`, in frames of at most `limit` bytes.
    #[must_use]
    pub const fn new(stream: &'buf [u8], limit: u32, rules: &Rules) -> Self {
        Self { frames: Frames::new(stream, limit), rules: *rules }
    }
}

impl<'buf> Iterator for Messages<'buf> {
    type Item = Received<'buf>;

    fn next(&mut self) -> Option<Self::Item> {
        // A line that is plainly healthy is gone over once: its end is found on the way.
        #[cfg(feature = "fast")]
        if let Some(bytes) = self.frames.line() {
            match healthy::line(bytes, &self.rules) {
                Ok((message, end)) => {
                    if let Some(frame) = self.frames.take_line(end) {
                        return Some(Received::Message { frame, message });
                    }
                }
                Err(unclear) => {
                    let tried = Tried { offset: self.frames.line_start(), unclear };
                    return self
                        .frames
                        .next()
                        .map(|event| tried.judge(event, || None, &self.rules));
                }
            }
        }
        self.frames.next().map(|event| Received::from_event(event, &self.rules))
    }
}

impl core::iter::FusedIterator for Messages<'_> {}

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
    /// The last line was so long that its end is worth looking for before it is gone over: if it is not
    /// in the input, the way there would be for nothing. It makes no difference but in speed.
    #[cfg(feature = "fast")]
    long: bool,
    /// Up to where in the stream the lines end in the input that was looked at last, which is all of it
    /// but the beginning of a line.
    #[cfg(feature = "fast")]
    whole: u64,
}

/// In bytes.
#[cfg(feature = "fast")]
const LONG_LINE: usize = 2048;

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
        Self {
            assembler,
            rules: *rules,
            watch: (),
            #[cfg(feature = "fast")]
            long: false,
            #[cfg(feature = "fast")]
            whole: 0,
        }
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
            #[cfg(feature = "fast")]
            long: self.long,
            #[cfg(feature = "fast")]
            whole: self.whole,
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
        #[cfg(feature = "fast")]
        let mut tried = None;
        #[cfg(feature = "fast")]
        if self.assembler.is_at_line_start() && (!self.long || self.is_whole(input)) {
            let bytes = *input;
            match healthy::line(bytes, &self.rules) {
                Ok((message, end)) => {
                    if let Some(frame) = self.assembler.take_line(input, end) {
                        self.long = frame.bytes().len() > LONG_LINE;
                        return Some(Received::Message { frame, message });
                    }
                }
                Err(unclear) => {
                    let offset = self.assembler.framing().position();
                    tried = Some(Tried { offset, unclear });
                }
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
        #[cfg(feature = "fast")]
        if let FrameEvent::Frame(frame) = &event {
            self.long = frame.bytes().len() > LONG_LINE;
        }
        #[cfg(feature = "fast")]
        if let Some(tried) = tried {
            let watch = &mut self.watch;
            return Some(tried.judge(event, || watch.finish(), &self.rules));
        }
        judge::<F>(event, &mut self.watch, &self.rules)
    }

    /// Whether the line that the input begins with ends in it. Who shows another input than before may
    /// get a wrong answer, which makes no difference but in speed.
    #[cfg(feature = "fast")]
    fn is_whole(&mut self, input: &[u8]) -> bool {
        let position = self.assembler.framing().position();
        if self.whole <= position
            && let Some(last) = find_last_newline(input)
        {
            self.whole = position.saturating_add(u64_from(last)).saturating_add(1);
        }
        self.whole > position
    }

    /// Says that the stream has ended, and gives what was left of it, if anything.
    ///
    /// A frame that comes from here was not [terminated](Frame::is_terminated).
    pub fn finish(&mut self) -> Option<Received<'_>> {
        let (watch, rules) = (&mut self.watch, &self.rules);
        let event = self.assembler.finish_watched(|piece| watch.show(piece, rules))?;
        judge::<F>(event, &mut self.watch, &self.rules)
    }
}

/// What the rules say of an event. Lines never lose their place, and what would be done then is not
/// compiled for them.
fn judge<'buf, F: Framing>(
    event: FrameEvent<'buf>,
    watch: &'buf mut impl Watch,
    rules: &Rules,
) -> Option<Received<'buf>> {
    match event {
        FrameEvent::Unfinished(_) | FrameEvent::Desynchronised(_) if !F::CAN_LOSE => None,
        event => Some(Received::watched(event, watch, rules)),
    }
}
