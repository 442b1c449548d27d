//! The messages of a stream that comes in chunks.

#[cfg(feature = "fast")]
use super::tried::Tried;
use super::{Received, Watch};
#[cfg(feature = "fast")]
use crate::cast::u64_from;
#[cfg(feature = "fast")]
use crate::envelope::healthy;
use crate::envelope::{Rules, Skimmer};
#[cfg(feature = "fast")]
use crate::frame::find_last_newline;
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
    /// A frame that comes from here was not [terminated](crate::frame::Frame::is_terminated).
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
