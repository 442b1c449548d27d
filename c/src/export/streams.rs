//! Streams.

use core::ffi::c_char;

use super::framings::{ALIVE, Head, Phase, tl_framing};
use super::{apart, buffer, constant, done, empty, object, set, status};
use crate::abi::{TL_ABI, tl_error, tl_event, tl_kind, tl_profile, tl_stream, tl_view};

/// Returns the size of a `tl_stream` in bytes, which the library was built with.
#[unsafe(no_mangle)]
pub extern "C" fn tl_stream_size() -> usize {
    size_of::<tl_stream>()
}

/// Returns the alignment of a `tl_stream` in bytes, which the library was built with.
#[unsafe(no_mangle)]
pub extern "C" fn tl_stream_align() -> usize {
    align_of::<tl_stream>()
}

/// Begins a stream. The stream needs no end: just stop using it.
///
/// `abi` is `TL_ABI`, and `size` is that of `*stream`, or of what it is a member of. `room` has the frames that arrive
/// in several pieces, and its size is the longest frame: at most 2^32 - 1 bytes of it are used. It belongs to the
/// stream for as long as the stream is used.
///
/// Returns 0, or `TL_ERROR_VERSION`, `TL_ERROR_NULL`, `TL_ERROR_STATE` (the state is misaligned or too small),
/// `TL_ERROR_LENGTH` (no room), or `TL_ERROR_OVERLAP` (the room and the state overlap).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_stream_init(
    abi: u32,
    stream: *mut tl_stream,
    size: usize,
    framing: *const tl_framing,
    profile: *const tl_profile,
    room: *mut c_char,
    room_size: usize,
) -> i32 {
    if abi != TL_ABI {
        return done(Err(tl_error::Version));
    }
    // SAFETY: the promises of the caller.
    done(unsafe { begin(stream, size, framing, profile, room, room_size) })
}

/// # Safety
///
/// As for `tl_stream_init`.
unsafe fn begin(
    stream: *mut tl_stream,
    size: usize,
    framing: *const tl_framing,
    profile: *const tl_profile,
    room: *mut c_char,
    room_size: usize,
) -> Result<(), tl_error> {
    // SAFETY: the promises of the caller. The constants of the library live forever.
    let (framing, profile): (&'static tl_framing, _) =
        unsafe { (constant(framing)?, constant(profile)?) };
    if room.is_null() || stream.is_null() {
        return Err(tl_error::Null);
    }
    if room_size == 0 {
        return Err(tl_error::Length);
    }
    // The head alone may need less alignment than the state.
    if size < framing.size || !stream.is_aligned() {
        return Err(tl_error::State);
    }
    // SAFETY: the promises of the caller: the room belongs to the stream from now on.
    let room = unsafe { buffer(room, room_size)? };
    apart(stream.cast(), framing.size, tl_view::of(room))?;
    // SAFETY: the promises of the caller. A head is smaller than a stream, and no more aligned.
    unsafe {
        let head = Head {
            magic: ALIVE,
            phase: Phase::Input,
            framing,
            #[cfg(feature = "checked")]
            ticket: super::ticket::Ticket::new(room),
        };
        set(stream.cast(), head)?;
    }
    // SAFETY: the state is as large as this framing needs it.
    unsafe { (framing.begin)(stream.cast(), room, &profile.0) };
    Ok(())
}

/// Returns the head of a stream that was initialised.
///
/// # Safety
///
/// As for the functions below.
unsafe fn head<'a>(stream: *mut tl_stream) -> Result<&'a mut Head, tl_error> {
    if stream.is_null() {
        return Err(tl_error::Null);
    }
    // SAFETY: the pointer is not NULL, and is read only if it is aligned. The promises of the caller cover the rest.
    if !stream.is_aligned() || unsafe { stream.cast::<u32>().read() } != ALIVE {
        return Err(tl_error::State);
    }
    // SAFETY: `tl_stream_init` has written a head.
    let head: &mut Head = unsafe { object(stream.cast())? };
    #[cfg(feature = "checked")]
    // SAFETY: the promises of the caller.
    unsafe {
        head.ticket.check()?;
    }
    Ok(head)
}

/// Notes a use of a stream, for the checked build.
///
/// # Safety
///
/// As for the functions below.
#[cfg_attr(
    not(feature = "checked"),
    expect(unused_variables, reason = "only the checked build looks")
)]
unsafe fn note(stream: *mut tl_stream, event: &tl_event) {
    #[cfg(feature = "checked")]
    // SAFETY: the state is initialised, and its room is there.
    unsafe {
        let head: *mut Head = stream.cast();
        let kept = ((*head).framing.kept)(stream.cast());
        (*head).ticket.note(kept, event);
    }
}

/// Takes bytes off the front of the input, up to the end of the next frame, and sets `event`. Call it until it returns
/// 0: all of the input is then consumed.
///
/// The views of the event live until the next call with this stream, and as long as the bytes of the input. Those of an
/// event of kind `TL_KIND_OVERSIZED` point into the state, so they also end when you move it.
///
/// A frame that does not fit in the room has its event when it ends. If a peer announces a huge length and then falls
/// silent, that is never, so a program needs a timeout of its own: `tl_finish` then reports `TL_KIND_UNFINISHED`.
///
/// Returns the kind of the event, 0 (`TL_KIND_NOTHING`), or an error: `TL_ERROR_NULL`, `TL_ERROR_LENGTH`,
/// `TL_ERROR_STATE`, `TL_ERROR_LOST` (call `tl_stream_resync` first), or `TL_ERROR_ENDED` (after `tl_finish`). After an
/// error nothing was consumed, and the event is not set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_push(
    stream: *mut tl_stream,
    input: *mut tl_view,
    event: *mut tl_event,
) -> i32 {
    // SAFETY: the promises of the caller.
    status(unsafe { push(stream, input, event) })
}

/// # Safety
///
/// As for `tl_push`.
unsafe fn push(
    stream: *mut tl_stream,
    input: *mut tl_view,
    event: *mut tl_event,
) -> Result<i32, tl_error> {
    // SAFETY: the promises of the caller.
    let (head, input) = unsafe { (head(stream)?, object(input)?) };
    match head.phase {
        Phase::Input => {}
        Phase::Resync => return Err(tl_error::Lost),
        Phase::Nothing => return Err(tl_error::Ended),
    }
    // SAFETY: the promises of the caller. The bytes do not live forever, but nothing of them stays in the stream, and
    // the event only points to them.
    let mut rest: &'static [u8] = unsafe { super::input(*input)? };
    #[cfg(feature = "checked")]
    head.ticket.check_input(*input)?;
    let before = rest.len();
    // SAFETY: the promises of the caller.
    let event = unsafe { empty(event)? };
    let framing = head.framing;
    // SAFETY: the state is one of this framing, and initialised.
    let kind = unsafe { (framing.push)(stream.cast(), &mut rest, event) };
    if kind == tl_kind::Lost.number() {
        // SAFETY: the head is still there.
        unsafe { self::head(stream)? }.phase = Phase::Resync;
    }
    // SAFETY: the promises of the caller.
    unsafe { note(stream, event) };
    input.ptr = input.ptr.wrapping_add(before.saturating_sub(rest.len()));
    input.len = rest.len();
    Ok(kind)
}

/// Ends the stream, and sets `event` to what is left of it. Call it until it returns 0. A line without a newline is
/// judged like any other, but is not `terminated`.
///
/// The views of the event live until the next call with this stream.
///
/// Returns the kind of the event, 0 (`TL_KIND_NOTHING`), `TL_ERROR_NULL` or `TL_ERROR_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_finish(stream: *mut tl_stream, event: *mut tl_event) -> i32 {
    // SAFETY: the promises of the caller.
    status(unsafe { finish(stream, event) })
}

/// # Safety
///
/// As for `tl_finish`.
unsafe fn finish(stream: *mut tl_stream, event: *mut tl_event) -> Result<i32, tl_error> {
    // SAFETY: the promises of the caller.
    let (head, event) = unsafe { (head(stream)?, empty(event)?) };
    head.phase = Phase::Nothing;
    let framing = head.framing;
    // SAFETY: the state is one of this framing, and initialised.
    let kind = unsafe { (framing.finish)(stream.cast(), event) };
    // SAFETY: the promises of the caller.
    unsafe { note(stream, event) };
    Ok(kind)
}

/// Continues after `TL_KIND_LOST`, by skipping to what looks like the next frame. That is a guess, which a peer can
/// exploit: on a connection, close it instead. Without a loss, nothing happens.
///
/// Returns 0, `TL_ERROR_NULL` or `TL_ERROR_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_stream_resync(stream: *mut tl_stream) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { head(stream) }.map(|head| {
        if head.phase == Phase::Resync {
            head.phase = Phase::Input;
            let framing = head.framing;
            // SAFETY: the state is one of this framing, and initialised.
            unsafe { (framing.resync)(stream.cast()) };
        }
    }))
}

/// Sets the profile for the frames to come, for example after a handshake: all whose events were not returned yet, also
/// one that has arrived in part. If that one is oversized, it is skimmed up to the depth of the profile before.
///
/// Returns 0, `TL_ERROR_NULL` or `TL_ERROR_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_stream_set_profile(
    stream: *mut tl_stream,
    profile: *const tl_profile,
) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { head(stream) }.and_then(|head| {
        // SAFETY: the promises of the caller.
        let profile = unsafe { constant(profile)? };
        let framing = head.framing;
        // SAFETY: the state is one of this framing, and initialised.
        unsafe { (framing.follow)(stream.cast(), &profile.0) };
        Ok(())
    }))
}

/// Sets `id` to the last event id of a stream of server-sent events, without quotes: a client sends it as
/// `Last-Event-ID` when it connects again.
///
/// The view lives until the next call with this stream, or until you move it.
///
/// Returns 1, 0 (there was none, or the stream has reset it: `id` is set to NULL), `TL_ERROR_LENGTH` (it is longer than
/// 128 bytes, and was not kept: `id` is set to NULL), `TL_ERROR_TYPE` (a stream in another framing), `TL_ERROR_NULL` or
/// `TL_ERROR_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_sse_last_event_id(stream: *const tl_stream, id: *mut tl_view) -> i32 {
    // SAFETY: the promises of the caller.
    status(unsafe { head(stream.cast_mut()) }.and_then(|head| {
        let of = head.framing.last_event_id.ok_or(tl_error::Type)?;
        // SAFETY: the state is one of this framing, and initialised. Nothing writes to it.
        let found = unsafe { of(stream.cast_mut().cast()) };
        let is_set = found.is_ok_and(|found| !found.is_empty());
        let view = if is_set { found.map_or(tl_view::NONE, tl_view::of) } else { tl_view::NONE };
        // SAFETY: the promises of the caller.
        unsafe { set(id, view)? };
        found.map_or(Err(tl_error::Length), |_| Ok(i32::from(is_set)))
    }))
}
