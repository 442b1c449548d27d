//! Sessions of MCP.

use core::ffi::c_char;

use tautline::{Id, Profile};
use tautline_mcp::Revision;
use tautline_mcp::session::{Early, Session, Slot};

use super::messages::tl_write_reply;
use super::outputs::Room;
use super::{
    buffer, bytes, bytes_if_any, can_be_set, checked, constant, done, object, set, status,
};
use crate::abi::{TL_ABI, tl_error, tl_event, tl_out, tl_profile, tl_view};
use crate::session::abi::{
    tl_finding, tl_findings, tl_in_flight, tl_meaning, tl_session, tl_session_event, tl_slot,
};
use crate::session::{self, Findings, Lent, numbers};
use crate::value;
use crate::writer::{LONGEST_INTEGER, digits};

/// The content of a `tl_session`.
#[repr(C)]
struct State {
    magic: u32,
    before_initialize: Early,
    before_initialized: Early,
    /// The last use of the session, which a copy of it does not know. It is in the first slot as well, if not 0.
    #[cfg(feature = "checked")]
    ticket: u32,
    profile: &'static Profile,
    /// The slots, which the session borrows.
    slots: *mut Slot,
    count: usize,
    session: Lent,
}

/// Shows that a state was initialised.
const ALIVE: u32 = 0x6D63_7073;

const _: () = assert!(size_of::<State>() <= size_of::<tl_session>());
const _: () = assert!(align_of::<State>() <= align_of::<tl_session>());
const _: () = assert!(size_of::<Slot>() == size_of::<tl_slot>());
const _: () = assert!(align_of::<Slot>() <= align_of::<tl_slot>());

impl State {
    /// Begins the session anew, for a server that supports these revisions.
    fn restart(&mut self, supported: &'static [Revision]) {
        // SAFETY: `tl_session_init` was given this many slots, and the session, which alone uses them, is replaced.
        let slots = unsafe {
            let mut place = self.slots;
            for _ in 0..self.count {
                place.write(Slot::EMPTY);
                place = place.add(1);
            }
            core::slice::from_raw_parts_mut(self.slots, self.count)
        };
        self.session = Session::new(slots)
            .supporting(supported)
            .before_initialize(self.before_initialize)
            .before_initialized(self.before_initialized);
        self.note();
    }

    /// Notes a use of the session in its first slot, for the checked build, if the slot has room for that.
    #[cfg_attr(not(feature = "checked"), allow(clippy::unused_self, reason = "it does nothing"))]
    fn note(&mut self) {
        #[cfg(feature = "checked")]
        {
            self.ticket = self.ticket.wrapping_add(1).max(1);
            match self.session.requests_mut().first_mut().and_then(Slot::spare) {
                Some(spare) => *spare = self.ticket.to_le_bytes(),
                None => self.ticket = 0,
            }
        }
    }

    /// Returns an error if another copy of the session was used since, as far as the checked build can tell.
    #[cfg(feature = "checked")]
    fn check(&mut self) -> Result<(), tl_error> {
        let ticket = self.ticket.to_le_bytes();
        let spare = self.session.requests_mut().first_mut().and_then(Slot::spare);
        let is_last = self.ticket == 0 || spare.is_some_and(|spare| *spare == ticket);
        if is_last { Ok(()) } else { Err(tl_error::State) }
    }
}

/// Begins a session. It needs no end: just stop using it.
///
/// `abi` is `TL_ABI`, and `size` is that of `*session`. `profile` is the one that messages are written under, and is
/// usually that of the stream. The session supports all revisions, but 2025-03-26 only if the profile allows batches:
/// that revision has them. `tl_session_support` chooses others. `slots` has room for each request in flight, of both
/// sides together, and belongs to the session for as long as the session is used. It need not be initialised.
///
/// Returns 0, or `TL_ERROR_VERSION`, `TL_ERROR_NULL`, `TL_ERROR_STATE` (the session or the slots are misaligned, or the
/// session is too small), or `TL_ERROR_LENGTH` (no slots, or more than memory can hold).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_session_init(
    abi: u32,
    session: *mut tl_session,
    size: usize,
    profile: *const tl_profile,
    slots: *mut tl_slot,
    count: usize,
) -> i32 {
    if abi != TL_ABI {
        return done(Err(tl_error::Version));
    }
    // SAFETY: the promises of the caller.
    done(unsafe { begin(session, size, profile, slots, count) })
}

/// # Safety
///
/// As for `tl_session_init`.
unsafe fn begin(
    session: *mut tl_session,
    size: usize,
    profile: *const tl_profile,
    slots: *mut tl_slot,
    count: usize,
) -> Result<(), tl_error> {
    // SAFETY: the promises of the caller. The constants of the library live forever.
    let profile: &'static tl_profile = unsafe { constant(profile)? };
    if session.is_null() || slots.is_null() {
        return Err(tl_error::Null);
    }
    if count == 0 || count > super::LONGEST / size_of::<Slot>() {
        return Err(tl_error::Length);
    }
    if size < size_of::<tl_session>() || !session.is_aligned() || !slots.is_aligned() {
        return Err(tl_error::State);
    }
    let state = State {
        magic: ALIVE,
        before_initialize: Early::Refuse,
        before_initialized: Early::Serve,
        #[cfg(feature = "checked")]
        ticket: 0,
        profile: &profile.0,
        slots: slots.cast(),
        count,
        session: Session::new(&mut []),
    };
    // SAFETY: the promises of the caller. The state is no larger than a session, and no more aligned.
    unsafe { set(session.cast(), state)? };
    // SAFETY: the state was just written.
    unsafe { self::state(session)? }.restart(numbers::supported_by(&profile.0));
    Ok(())
}

/// Returns the place of a state that was initialised.
///
/// # Safety
///
/// As for the functions below.
unsafe fn alive(session: *const tl_session) -> Result<*const State, tl_error> {
    if session.is_null() {
        return Err(tl_error::Null);
    }
    let state: *const State = session.cast();
    // SAFETY: the pointer is not NULL, and is read only if it is aligned. The number lies within the session, which the
    // caller has initialised, if only with other values.
    if !session.is_aligned() || unsafe { (&raw const (*state).magic).read() } != ALIVE {
        return Err(tl_error::State);
    }
    #[cfg(feature = "checked")]
    // SAFETY: `tl_session_init` has initialised the state, which nothing else uses now.
    unsafe {
        (*state.cast_mut()).check()?;
    }
    Ok(state)
}

/// Returns the state of a session that was initialised.
///
/// # Safety
///
/// As for the functions below.
unsafe fn state<'a>(session: *mut tl_session) -> Result<&'a mut State, tl_error> {
    // SAFETY: `tl_session_init` has initialised the state.
    let state = unsafe { alive(session).map(|state| &mut *state.cast_mut())? };
    state.note();
    Ok(state)
}

/// Returns the same, to look at.
///
/// # Safety
///
/// As for the functions below.
unsafe fn look<'a>(session: *const tl_session) -> Result<&'a State, tl_error> {
    // SAFETY: `tl_session_init` has initialised the state.
    unsafe { alive(session).map(|state| &*state) }
}

/// Sets the revisions that the server supports, a set of `tl_revision` such as `TL_REVISIONS_LEGACY`, and begins the
/// session anew. Requests of other revisions are refused.
///
/// Returns 0, `TL_ERROR_RANGE` (no revision, or an unknown one), `TL_ERROR_NULL` or `TL_ERROR_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_session_support(session: *mut tl_session, revisions: i32) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { state(session) }.and_then(|state| {
        state.restart(numbers::revisions(revisions).ok_or(tl_error::Range)?);
        Ok(())
    }))
}

/// Sets what happens to requests other than `ping` that come too early, of `tl_early`, and begins the session anew:
/// before `initialize` is answered (`TL_EARLY_REFUSE` by default), and between the answer and
/// `notifications/initialized` (`TL_EARLY_SERVE` by default, because clients race there).
///
/// Returns 0, `TL_ERROR_RANGE`, `TL_ERROR_NULL` or `TL_ERROR_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_session_set_early(
    session: *mut tl_session,
    before_initialize: i32,
    before_initialized: i32,
) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { state(session) }.and_then(|state| {
        let before = numbers::early(before_initialize)?;
        state.before_initialized = numbers::early(before_initialized)?;
        state.before_initialize = before;
        state.restart(state.session.supported());
        Ok(())
    }))
}

/// Sets the profile that messages are written under from now on, as `tl_stream_set_profile` does for those that are
/// read. The session continues, and the revisions that it supports stay the same.
///
/// A server that serves all revisions begins with `tl_mcp_2026_07_28` and `tl_session_support`. If it answers
/// `initialize` with 2025-03-26, it then sets `tl_mcp_2025_03_26` for both, and serves batches.
///
/// Returns 0, `TL_ERROR_NULL` or `TL_ERROR_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_session_set_profile(
    session: *mut tl_session,
    profile: *const tl_profile,
) -> i32 {
    // SAFETY: the promises of the caller. The constants of the library live forever.
    done(unsafe { state(session) }.and_then(|state| {
        // SAFETY: the same.
        let profile: &'static tl_profile = unsafe { constant(profile)? };
        state.profile = &profile.0;
        Ok(())
    }))
}

/// Begins the session anew, with the same slots, profile and choices: another client has connected. Drop the answers
/// that you still owe to the one before, and the messages in your buffer: the session no longer knows the requests.
/// `tl_session_next_id` begins with 1 again.
///
/// Returns 0, `TL_ERROR_NULL` or `TL_ERROR_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_session_reset(session: *mut tl_session) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { state(session) }.map(|state| state.restart(state.session.supported())))
}

/// Returns the array of the caller for findings, which is empty if there is none.
///
/// # Safety
///
/// The promises of the caller of `tl_session_observe` about its findings.
#[inline(never)]
unsafe fn array<'a>(findings: *mut tl_findings) -> Result<Findings<'a>, tl_error> {
    let mut array = Findings { room: &mut [], count: 0 };
    if !findings.is_null() {
        // SAFETY: the promises of the caller.
        let &mut tl_findings { ptr, room, .. } = unsafe { object(findings)? };
        if room > super::LONGEST / size_of::<tl_finding>() {
            return Err(tl_error::Length);
        }
        if room > 0 {
            can_be_set(ptr)?;
            // SAFETY: the promises of the caller. The pointer is neither NULL nor misaligned, and a slice can have this
            // length.
            array.room = unsafe { core::slice::from_raw_parts_mut(ptr.cast(), room) };
        }
    }
    Ok(array)
}

/// Sets the number of findings, if the caller has an array for them.
///
/// # Safety
///
/// The same.
unsafe fn set_count(findings: *mut tl_findings, array: &Findings<'_>) {
    // SAFETY: `array` has checked the pointer.
    if let Some(findings) = unsafe { findings.as_mut() } {
        findings.count = array.count;
    }
}

/// Shows an event to the session, and sets `seen` to what it means: a message, a fault, an oversized frame, a message
/// of a batch. `from` is the side that has sent it, of `tl_role`. Show every event of that side's stream, in order,
/// once.
///
/// `findings` gets the rules that the message breaks below the envelope and in this session, and what is worth knowing
/// about it. It can be NULL. A message with findings is still a message.
///
/// Returns what the event means, of `tl_meaning`, or an error: `TL_ERROR_NULL`, `TL_ERROR_LENGTH`, `TL_ERROR_RANGE`
/// (`from` is no `tl_role`), or `TL_ERROR_STATE` (the session was not initialised, or the event is not as the library
/// has set it).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_session_observe(
    session: *mut tl_session,
    from: i32,
    event: *const tl_event,
    seen: *mut tl_session_event,
    findings: *mut tl_findings,
) -> i32 {
    // SAFETY: the promises of the caller.
    status(unsafe { observe(session, from, event, seen, findings) })
}

/// # Safety
///
/// As for `tl_session_observe`.
unsafe fn observe(
    session: *mut tl_session,
    from: i32,
    event: *const tl_event,
    seen: *mut tl_session_event,
    findings: *mut tl_findings,
) -> Result<i32, tl_error> {
    // SAFETY: the promises of the caller.
    let (state, event) = unsafe { (state(session)?, object(event.cast_mut())?) };
    let from = numbers::role(from)?;
    // SAFETY: the promises of the caller. An event without a frame has no views in it, except the id of an oversized
    // frame, which is a frame of its own.
    let frame = match unsafe { bytes_if_any(event.frame)? } {
        Some(frame) => frame,
        None => unsafe { bytes_if_any(event.id)? }.unwrap_or_default(),
    };
    let observed = session::read(frame, event)?;
    // SAFETY: the promises of the caller.
    let mut array = unsafe { array(findings)? };
    // SAFETY: the promises of the caller.
    unsafe { set(seen, tl_session_event::NONE)? };
    // SAFETY: the pointer was written to, so it is neither NULL nor misaligned, and the event is initialised.
    let seen = unsafe { &mut *seen };
    session::observe(&mut state.session, from, &observed, seen, &mut array);
    state.note();
    // SAFETY: the promises of the caller.
    seen.mark = session::mark(event, unsafe { bytes_if_any(event.id)? }.unwrap_or_default());
    // SAFETY: the same.
    unsafe { set_count(findings, &array) };
    Ok(seen.kind)
}

/// Writes the error that the sender of an event is owed as a line: for a refused request, a fault or an oversized
/// frame. Others are owed nothing, so they may be passed too, and nothing is written. `seen` is what
/// `tl_session_observe` has set for this event.
///
/// A fault is owed nothing if it has the id of a request in flight, which the error would answer: of another request of
/// its sender, or of a request of yours that it may be meant to answer. If requests of its sender have found no slot,
/// one of them may have the id, so nothing is owed either. Nor is a request that would be refused, if another request
/// of its sender with the id waits: it is `TL_MEANING_IGNORED`.
///
/// Returns 0, `TL_ERROR_FULL` (`out->needed` is set; call it again with more room), `TL_ERROR_STATE` (the session was
/// not initialised, or `seen` is that of another event), `TL_ERROR_ID`, `TL_ERROR_OVERLAP`, `TL_ERROR_ORDER`,
/// `TL_ERROR_NULL` or `TL_ERROR_LENGTH`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_session_refuse(
    session: *const tl_session,
    out: *mut tl_out,
    event: *const tl_event,
    seen: *const tl_session_event,
) -> i32 {
    // SAFETY: the promises of the caller.
    match unsafe { refuse(session, out, event, seen) } {
        // SAFETY: the promises of the caller.
        Ok(true) => unsafe { tl_write_reply(out, event) },
        result => done(result.map(|_| ())),
    }
}

/// Returns whether the event is owed the reply to a fault.
///
/// # Safety
///
/// As for `tl_session_refuse`.
unsafe fn refuse(
    session: *const tl_session,
    out: *mut tl_out,
    event: *const tl_event,
    seen: *const tl_session_event,
) -> Result<bool, tl_error> {
    // SAFETY: the promises of the caller.
    let (state, event) = unsafe { (look(session)?, object(event.cast_mut())?) };
    // SAFETY: the promises of the caller.
    let (seen, id) = unsafe { (object(seen.cast_mut())?, bytes_if_any(event.id)?) };
    let id = id.unwrap_or_default();
    if seen.mark != session::mark(event, id) {
        return Err(tl_error::State);
    }
    if seen.kind == tl_meaning::None.number() && seen.code != 0 {
        return Ok(true);
    }
    // SAFETY: the promises of the caller.
    let room = unsafe { Room::of(out)? };
    if seen.kind != tl_meaning::Refused.number() {
        return Ok(false);
    }
    // SAFETY: the promises of the caller.
    let (_, version) = unsafe { (room.bytes(event.id)?, room.bytes_if_any(seen.version)?) };
    let written = session::refuse(&state.session, state.profile, room.free, id, version, seen);
    room.commit(None, written)?;
    Ok(false)
}

/// Takes the messages of a buffer, to be sent: shows each to the session as one of `from`, sets `sent` to all of them,
/// and `out->used` to 0. So the session knows the answers, and no message is shown twice. `from` is your role.
///
/// The bytes live until the next message is written into `out`. After an error, `sent` is not set: send nothing. A
/// message that is being written piece by piece into `out` ends, with `TL_ERROR_ORDER`. `findings` gets the rules that
/// the messages break, such as a result that the revision does not allow. It can be NULL. A line that is no message
/// under the profile of the session is a finding, and its request stays in flight. So is a batch:
/// `TL_RULE_BATCH_NOT_ALLOWED`.
///
/// Returns 0, `TL_ERROR_ORDER` (a batch has begun, and not ended), `TL_ERROR_RANGE` (no `tl_role`), `TL_ERROR_NULL`,
/// `TL_ERROR_LENGTH` or `TL_ERROR_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_session_take(
    session: *mut tl_session,
    from: i32,
    out: *mut tl_out,
    sent: *mut tl_view,
    findings: *mut tl_findings,
) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { take::<false>(session, from, out, sent, findings) })
}

/// Does the same as `tl_session_take`, for a buffer that may contain batches, and shows the session their messages. It
/// is for 2025-03-26, and links more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_session_take_batches(
    session: *mut tl_session,
    from: i32,
    out: *mut tl_out,
    sent: *mut tl_view,
    findings: *mut tl_findings,
) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { take::<true>(session, from, out, sent, findings) })
}

/// # Safety
///
/// As for `tl_session_take`.
unsafe fn take<const BATCHES: bool>(
    session: *mut tl_session,
    from: i32,
    out: *mut tl_out,
    sent: *mut tl_view,
    findings: *mut tl_findings,
) -> Result<(), tl_error> {
    // SAFETY: the promises of the caller.
    let (state, out) = unsafe { (state(session)?, object(out)?) };
    let from = numbers::role(from)?;
    // SAFETY: the promises of the caller.
    let room: &[u8] = unsafe { buffer(out.ptr, out.capacity)? };
    let lines = room.get(..out.used).ok_or(tl_error::Length)?;
    // A message that is being written piece by piece ends: its bytes are after those that are taken.
    out.begin_turn();
    if out.batch > 0 {
        return Err(tl_error::Order);
    }
    // SAFETY: the promises of the caller.
    let mut array = unsafe { array(findings)? };
    // SAFETY: the promises of the caller.
    unsafe { set(sent, tl_view { ptr: out.ptr, len: lines.len() })? };
    let profile = state.profile;
    session::observe_lines::<BATCHES>(&mut state.session, profile, from, lines, &mut array);
    state.note();
    // SAFETY: the promises of the caller.
    unsafe { set_count(findings, &array) };
    out.used = 0;
    Ok(())
}

/// Returns the phase of the session, of `tl_phase`, or `TL_ERROR_NULL` or `TL_ERROR_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_session_phase(session: *const tl_session) -> i32 {
    // SAFETY: the promises of the caller.
    status(unsafe { look(session) }.map(|state| numbers::of_phase(state.session.phase())))
}

/// Returns the revision in force, of `tl_revision`, 0 if it is not settled, or `TL_ERROR_NULL` or `TL_ERROR_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_session_revision(session: *const tl_session) -> i32 {
    // SAFETY: the promises of the caller.
    status(
        unsafe { look(session) }
            .map(|state| state.session.revision().map_or(0, numbers::of_revision)),
    )
}

/// Returns the revisions that the server supports, a set of `tl_revision`, or `TL_ERROR_NULL` or `TL_ERROR_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_session_supported(session: *const tl_session) -> i32 {
    // SAFETY: the promises of the caller.
    status(unsafe { look(session) }.map(|state| numbers::of_revisions(state.session.supported())))
}

/// Returns the revision to answer `initialize` with, of `tl_revision`: the one that is asked for if it is supported,
/// and otherwise the latest supported one that has a handshake. `requested` is `version` of the request, a string in
/// quotes, and can be NULL. For any other text, the result is the latest one, and `TL_ERROR_JSON` in the checked build
/// if the text is no JSON.
///
/// Returns 0 if no revision with a handshake is supported, or `TL_ERROR_NULL`, `TL_ERROR_LENGTH` or `TL_ERROR_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_session_negotiate(
    session: *const tl_session,
    requested: tl_view,
) -> i32 {
    // SAFETY: the promises of the caller.
    status(unsafe { look(session) }.and_then(|state| {
        // SAFETY: the promises of the caller.
        let requested = unsafe { bytes_if_any(requested)? };
        requested.map_or(Ok(()), checked::value)?;
        let requested = requested.and_then(|text| value::value(text).string());
        Ok(state.session.negotiate(requested).map_or(0, numbers::of_revision))
    }))
}

/// Sets `capabilities` to those that a side has declared for the whole session, a set of `tl_capability`. A client of
/// 2026-07-28 declares its capabilities in each request instead.
///
/// Returns 1, 0 (the side has not declared any; `capabilities` is set to 0), `TL_ERROR_RANGE` (no `tl_role`),
/// `TL_ERROR_NULL` or `TL_ERROR_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_session_declared(
    session: *const tl_session,
    side: i32,
    capabilities: *mut u32,
) -> i32 {
    // SAFETY: the promises of the caller.
    status(unsafe { look(session) }.and_then(|state| {
        let declared = state.session.declared(numbers::role(side)?);
        // SAFETY: the promises of the caller.
        unsafe { set(capabilities, declared.map_or(0, numbers::of_capabilities))? };
        Ok(declared.is_some().into())
    }))
}

/// Sets `request` to a request that was not answered. Count `index` up from 0. They are in no particular order. At the
/// end of a session, those that `waits` marks were due.
///
/// The view lives until the next call that changes the session.
///
/// Returns 1, 0 after the last one, `TL_ERROR_NULL` or `TL_ERROR_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_session_in_flight(
    session: *const tl_session,
    index: usize,
    request: *mut tl_in_flight,
) -> i32 {
    // SAFETY: the promises of the caller.
    status(unsafe { look(session) }.and_then(|state| {
        can_be_set(request)?;
        let Some(found) = session::in_flight(&state.session, index) else { return Ok(0) };
        // SAFETY: the promises of the caller.
        unsafe { set(request, found)? };
        Ok(1)
    }))
}

/// Gives up a request, for example because its time is up. `from` is the side that has sent it. It is no longer in
/// flight, so that a response to it is `TL_MEANING_UNMATCHED`. If you tell the peer with `notifications/cancelled`, you
/// need not call this: the session then knows.
///
/// Returns 1, 0 (no such request is in flight), `TL_ERROR_RANGE` (`from` is no `tl_role`), `TL_ERROR_ID`,
/// `TL_ERROR_NULL`, `TL_ERROR_LENGTH` or `TL_ERROR_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_session_forget(
    session: *mut tl_session,
    from: i32,
    id: tl_view,
) -> i32 {
    // SAFETY: the promises of the caller.
    status(unsafe { state(session) }.and_then(|state| {
        let from = numbers::role(from)?;
        // SAFETY: the promises of the caller.
        let id = unsafe { self::id(id)? };
        Ok(state.session.forget(from, &id).into())
    }))
}

/// Returns whether two ids are the same, as the session compares them: 1 or 0. `"\u0061"` and `"a"` are the same
/// string, while `1` and `1.0` are different ids. `TL_ERROR_ID` (one is no id), `TL_ERROR_NULL` and `TL_ERROR_LENGTH`
/// are negative.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_id_eq(a: tl_view, b: tl_view) -> i32 {
    // SAFETY: the promises of the caller.
    status(unsafe { id(a).and_then(|a| Ok((a == id(b)?).into())) })
}

/// Returns an id.
///
/// # Safety
///
/// The promises of the caller of the library about views.
unsafe fn id<'a>(view: tl_view) -> Result<Id<'a>, tl_error> {
    // SAFETY: the caller has made the same promise.
    Id::parse(unsafe { bytes(view)? }).ok_or(tl_error::Id)
}

/// Chooses an id for a request of yours, which no earlier call has chosen since the session has begun: 1, 2, 3 and so
/// on. It is written into `buffer`, and `id` is set to it, for `tl_write_request` or `tl_begin_request`. The buffer
/// must have 20 bytes, also for a short id.
///
/// Returns 0, `TL_ERROR_FULL` (no 20 bytes, and no id is chosen), `TL_ERROR_NULL`, `TL_ERROR_LENGTH` or
/// `TL_ERROR_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_session_next_id(
    session: *mut tl_session,
    buffer: *mut c_char,
    size: usize,
    id: *mut tl_view,
) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { next_id(session, buffer, size, id) })
}

/// # Safety
///
/// As for `tl_session_next_id`.
unsafe fn next_id(
    session: *mut tl_session,
    buffer: *mut c_char,
    size: usize,
    id: *mut tl_view,
) -> Result<(), tl_error> {
    // SAFETY: the promises of the caller.
    let (state, room) = unsafe { (state(session)?, self::buffer(buffer, size)?) };
    if room.len() < LONGEST_INTEGER {
        return Err(tl_error::Full);
    }
    // An error must not choose an id.
    can_be_set(id)?;
    let text = digits(room, state.session.next_id()).ok_or(tl_error::Full)?;
    // SAFETY: the promises of the caller.
    unsafe { set(id, tl_view::of(text)) }
}
