//! The stream door: the next message off a stream of bytes.
//!
//! It joins the two steps, splitting into [frames](crate::frame) and [parsing](Message::parse), in one
//! call, and says the same as they do: what lies whole in a chunk is borrowed from it, and a faulty
//! frame is an event like any other, after which the stream goes on.

#[cfg(feature = "fast")]
use crate::envelope::healthy::{self, Unclear};
use crate::envelope::{Fault, Message, Rules};
#[cfg(feature = "fast")]
use crate::frame::find_newline;
use crate::frame::{Assembler, Frame, FrameEvent, Frames, Oversized, Splitter, Storage};

/// What a line of the stream was.
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
    /// A line over the limit, which was discarded.
    Oversized {
        /// Where the line was.
        oversized: Oversized,
        /// Its fault, with the reply that is owed.
        fault: Fault,
    },
}

impl<'buf> Received<'buf> {
    pub(crate) fn from_event(event: FrameEvent<'buf>, rules: &Rules) -> Self {
        Self::judged(event, rules, |frame| Message::parse(frame.bytes(), rules))
    }

    fn judged(
        event: FrameEvent<'buf>,
        rules: &Rules,
        parse: impl FnOnce(&Frame<'buf>) -> Result<Message<'buf>, Fault>,
    ) -> Self {
        match event {
            FrameEvent::Frame(frame) => match parse(&frame) {
                Ok(message) => Self::Message { frame, message },
                Err(fault) => Self::Fault { frame, fault },
            },
            FrameEvent::Oversized(oversized) => {
                Self::Oversized { oversized, fault: Fault::of_oversized(&oversized, rules) }
            }
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
    fn judge<'buf>(self, event: FrameEvent<'buf>, rules: &Rules) -> Received<'buf> {
        Received::judged(event, rules, |frame| {
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
                    return self.frames.next().map(|event| tried.judge(event, &self.rules));
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
#[derive(Clone, Debug)]
pub struct MessageStream<S> {
    assembler: Assembler<S>,
    rules: Rules,
    /// The last line was so long that its end is worth looking for before it is gone over: if it is not
    /// in the input, the way there would be for nothing. It makes no difference but in speed.
    #[cfg(feature = "fast")]
    long: bool,
}

/// In bytes.
#[cfg(feature = "fast")]
const LONG_LINE: usize = 2048;

impl<S: Storage> MessageStream<S> {
    /// The start of a stream. The limit on frames is the storage's.
    #[must_use]
    pub fn new(storage: S, rules: &Rules) -> Self {
        Self::with_assembler(Assembler::new(storage), rules)
    }

    /// A stream whose frames come from this assembler.
    #[must_use]
    pub const fn with_assembler(assembler: Assembler<S>, rules: &Rules) -> Self {
        Self {
            assembler,
            rules: *rules,
            #[cfg(feature = "fast")]
            long: false,
        }
    }

    /// The rules in force.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Puts other rules in force for the frames to come, as after a handshake.
    pub const fn set_rules(&mut self, rules: &Rules) {
        self.rules = *rules;
    }

    /// The splitter, which knows the position in the stream.
    #[must_use]
    pub const fn splitter(&self) -> &Splitter {
        self.assembler.splitter()
    }

    /// Takes bytes off the front of the input, up to the end of the next message or faulty line.
    ///
    /// `None` says that the input is used up: nothing of it needs to be shown again.
    pub fn next<'a, 'input: 'a>(&'a mut self, input: &mut &'input [u8]) -> Option<Received<'a>> {
        #[cfg(feature = "fast")]
        let mut tried = None;
        #[cfg(feature = "fast")]
        if self.assembler.is_at_line_start() && (!self.long || find_newline(input).is_some()) {
            let bytes = *input;
            match healthy::line(bytes, &self.rules) {
                Ok((message, end)) => {
                    if let Some(frame) = self.assembler.take_line(input, end) {
                        self.long = frame.bytes().len() > LONG_LINE;
                        return Some(Received::Message { frame, message });
                    }
                }
                Err(unclear) => {
                    let offset = self.assembler.splitter().line_start();
                    tried = Some(Tried { offset, unclear });
                }
            }
        }
        let event = self.assembler.next(input)?;
        #[cfg(feature = "fast")]
        if let FrameEvent::Frame(frame) = &event {
            self.long = frame.bytes().len() > LONG_LINE;
        }
        #[cfg(feature = "fast")]
        if let Some(tried) = tried {
            return Some(tried.judge(event, &self.rules));
        }
        Some(Received::from_event(event, &self.rules))
    }

    /// Says that the stream has ended, and gives what was left of it, if anything.
    ///
    /// A frame that comes from here was not [terminated](Frame::is_terminated).
    pub fn finish(&mut self) -> Option<Received<'_>> {
        let event = self.assembler.finish()?;
        Some(Received::from_event(event, &self.rules))
    }
}
