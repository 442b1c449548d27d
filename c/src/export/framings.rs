//! The framings: how messages are delimited on the wire. A program links those that it names.

use core::ffi::c_char;

use tautline::Profile;
use tautline::envelope::Skimmer;
use tautline::frame::{Concatenated, ContentLength, ServerSentEvents, Splitter, TooLong};

use crate::abi::{tl_event, tl_skimming_stream, tl_sse_stream, tl_stream};
use crate::stream::{self, Chosen, Room, Stream, Watched};

/// How messages are delimited on the wire. A constant of the library.
#[derive(Debug)]
pub struct tl_framing {
    /// The size of the state in bytes.
    pub(super) size: usize,
    pub(super) begin: unsafe fn(*mut u8, Room, &Profile),
    pub(super) push: unsafe fn(*mut u8, &mut &'static [u8], &mut tl_event) -> i32,
    pub(super) finish: unsafe fn(*mut u8, &mut tl_event) -> i32,
    pub(super) resync: unsafe fn(*mut u8),
    pub(super) follow: unsafe fn(*mut u8, &Profile),
    #[cfg(feature = "checked")]
    pub(super) kept: unsafe fn(*mut u8) -> usize,
    /// Returns the last event id, in a framing that has ids.
    pub(super) last_event_id: Option<unsafe fn(*mut u8) -> LastId>,
}

/// The last event id. It lives until the next call with the stream.
type LastId = Result<&'static [u8], TooLong>;

/// The beginning of a `tl_stream`, in all framings.
#[repr(C)]
pub(super) struct Head {
    /// [`ALIVE`], if the state was initialised.
    pub(super) magic: u32,
    pub(super) phase: Phase,
    pub(super) framing: &'static tl_framing,
    #[cfg(feature = "checked")]
    pub(super) ticket: super::ticket::Ticket,
}

/// The next call that the stream accepts.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Input = 0,
    Resync = 1,
    Nothing = 2,
}

/// Shows that a state was initialised.
pub(super) const ALIVE: u32 = 0x7461_7574;

/// The content of a `tl_stream`.
#[repr(C)]
pub(super) struct State<F, W> {
    head: Head,
    stream: Stream<F, W>,
}

impl<F: Chosen + 'static, W: Watched<F> + 'static> State<F, W> {
    /// The functions of a framing. Each takes the state of a stream in this framing.
    const fn framing(room: usize) -> tl_framing {
        assert!(size_of::<Self>() <= room, "the state is larger than the header says");
        assert!(align_of::<Self>() <= align_of::<tl_stream>(), "the state needs more alignment");
        tl_framing {
            size: room,
            // SAFETY: the callers pass a state with room for this type.
            begin: |at, room, profile| unsafe {
                (&raw mut (*at.cast::<Self>()).stream).write(W::stream(room, profile));
            },
            // SAFETY: the callers pass a state that `begin` has initialised.
            push: |at, input, event| stream::push(unsafe { Self::stream(at) }, input, event),
            // SAFETY: the same.
            finish: |at, event| stream::finish(unsafe { Self::stream(at) }, event),
            // SAFETY: the same.
            resync: |at| unsafe { Self::stream(at) }.resync(),
            // SAFETY: the same.
            follow: |at, profile| unsafe { Self::stream(at) }.set_profile(profile),
            #[cfg(feature = "checked")]
            // SAFETY: the same.
            kept: |at| unsafe { Self::stream(at) }.kept(),
            last_event_id: if F::HAS_IDS {
                // SAFETY: the same.
                Some(|at| unsafe { Self::stream(at) }.framing().last_id())
            } else {
                None
            },
        }
    }

    /// # Safety
    ///
    /// The pointer is that of a state of this type, which is initialised.
    unsafe fn stream<'a>(at: *mut u8) -> &'a mut Stream<F, W> {
        // SAFETY: as above.
        unsafe { &mut (*at.cast::<Self>()).stream }
    }
}

macro_rules! framings {
    (
        $($constant:ident $room:ident, $skimming:ident $large:ident, $framing:ident $name:literal
        $about:literal;)*
    ) => {
        $(
            #[doc = $about]
            #[unsafe(no_mangle)]
            pub static $constant: tl_framing =
                State::<$framing, ()>::framing(size_of::<$room>());

            #[doc = $about]
            #[unsafe(no_mangle)]
            pub static $skimming: tl_framing = State::<$framing, Skimmer>::framing(
                size_of::<$large>(),
            );
        )*

        /// The names of each framing in C, without and with a skimmer, and what it is.
        pub const FRAMINGS: &[(&str, &str, &str, &str)] =
            &[$((stringify!($constant), stringify!($skimming), $name, $about)),*];

        const ALL: &[(&str, &tl_framing)] = &[$(($name, &$constant)),*];
    };
}

framings! {
    tl_framing_lines tl_stream, tl_framing_lines_skimming tl_skimming_stream, Splitter "ndjson"
        "One message per line, as on MCP's stdio.";
    tl_framing_content_length tl_stream, tl_framing_content_length_skimming tl_skimming_stream, ContentLength "content-length"
        "A header with the length before each message, as in LSP.";
    tl_framing_sse tl_sse_stream, tl_framing_sse_skimming tl_sse_stream, ServerSentEvents "sse"
        "Server-sent events, as in MCP over HTTP.";
    tl_framing_concatenated tl_stream, tl_framing_concatenated_skimming tl_skimming_stream, Concatenated "concatenated"
        "One JSON value after another.";
}

/// Returns the framing with this name, without a skimmer, or NULL: `ndjson`, `content-length`, `sse` or `concatenated`.
/// A NUL ends the name.
///
/// A program that calls this links all framings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_framing_named(name: *const c_char) -> *const tl_framing {
    // SAFETY: the promises of the caller.
    unsafe { super::names::find(name, ALL) }
}
