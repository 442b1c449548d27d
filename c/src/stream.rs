//! Streams: one type for each framing, with and without a skimmer, and one interface.

use tautline::Profile;
use tautline::envelope::Skimmer;
use tautline::frame::{
    Assembler, Concatenated, ContentLength, Framing, ServerSentEvents, Splitter, TooLong,
};
use tautline::stream::{MessageStream, Watch};

use crate::abi::tl_event;
use crate::event;

/// The room for frames, which the caller lends for as long as it uses the stream.
pub(crate) type Room = &'static mut [u8];

/// A stream in one framing.
pub(crate) type Stream<F, W> = MessageStream<Room, F, W>;

/// A framing that C programs can choose.
pub(crate) trait Chosen: Framing {
    /// A framing at the start of a stream, whose limit the room sets.
    fn unlimited() -> Self;

    /// True if frames can have ids.
    const HAS_IDS: bool = false;

    /// Returns the last event id that the stream has set.
    fn last_id(&self) -> Result<&[u8], TooLong> {
        Ok(&[])
    }
}

macro_rules! chosen {
    ($($framing:ident)*) => {$(
        impl Chosen for $framing {
            fn unlimited() -> Self {
                Self::new(u32::MAX)
            }
        }
    )*};
}

chosen!(Splitter ContentLength Concatenated);

impl Chosen for ServerSentEvents {
    fn unlimited() -> Self {
        Self::new(u32::MAX)
    }

    const HAS_IDS: bool = true;

    fn last_id(&self) -> Result<&[u8], TooLong> {
        self.last_event_id()
    }
}

/// An observer of oversized frames that C programs can choose.
pub(crate) trait Watched<F>: Watch + Sized {
    /// A stream with this observer.
    fn stream(room: Room, profile: &Profile) -> Stream<F, Self>;
}

impl<F: Chosen> Watched<F> for () {
    fn stream(room: Room, profile: &Profile) -> Stream<F, Self> {
        MessageStream::without_skimmer(Assembler::with_framing(room, F::unlimited()), profile)
    }
}

impl<F: Chosen> Watched<F> for Skimmer {
    fn stream(room: Room, profile: &Profile) -> Stream<F, Self> {
        MessageStream::with_assembler(Assembler::with_framing(room, F::unlimited()), profile)
    }
}

/// Takes input up to the next event, and sets the event, which is empty.
pub(crate) fn push<F: Framing, W: Watch>(
    stream: &mut Stream<F, W>,
    input: &mut &'static [u8],
    event: &mut tl_event,
) -> i32 {
    if let Some(received) = stream.next(input) {
        event::of_received(event, &received);
    }
    event.kind
}

/// Ends the stream, and sets the event, which is empty, to what is left.
pub(crate) fn finish<F: Framing, W: Watch>(stream: &mut Stream<F, W>, event: &mut tl_event) -> i32 {
    if let Some(received) = stream.finish() {
        event::of_received(event, &received);
    }
    event.kind
}
