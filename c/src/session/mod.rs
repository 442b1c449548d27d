//! Sessions of MCP: what an event means, given the events before it.
//!
//! A session observes events as they are: the views of a message's members give the message again, so that no frame is
//! parsed twice, and the elements of a batch are messages like any other.

pub mod abi;
pub mod numbers;

use core::mem::MaybeUninit;
use core::num::NonZeroU16;

use tautline::encode::NewId;
use tautline::frame::Frame;
use tautline::internal::envelope::message_at;
use tautline::scan::Span;
use tautline::{ErrorCode, Fault, Id, Message, Profile, RawJson, RawStr, Rule, Severity};
use tautline_mcp::session::{Broken, Completion, Event, InFlight, Refusal, Session, Slot};
use tautline_mcp::{Era, Finding, KnownMethod, MetaView, ParamsView, Role, rule};

use self::abi::{tl_completion, tl_finding, tl_in_flight, tl_meaning, tl_session_event};
use crate::abi::{tl_error, tl_event, tl_kind, tl_view};
use crate::event::member_after;
use crate::reply::{self, Written};
use crate::value;

/// A session in slots that the caller lends for as long as it uses the session.
pub(crate) type Lent = Session<&'static mut [Slot]>;

/// The rules of MCP that a session reports.
const REPORTED: &[Rule] = &[
    rule::METHOD_KIND,
    rule::METHOD_NOT_IN_REVISION,
    rule::INITIALIZE_IN_BATCH,
    rule::MISSING_PARAMS,
    rule::MISSING_META,
    rule::META_TYPE,
    rule::MISSING_RESULT_TYPE,
    rule::UNKNOWN_RESULT_TYPE,
    rule::ERROR_CODE_FORBIDDEN,
    rule::UNKNOWN_METHOD,
    rule::WRONG_DIRECTION,
    rule::REQUEST_BEFORE_INITIALIZE,
    rule::REQUEST_BEFORE_INITIALIZED,
    rule::INITIALIZE_AGAIN,
    rule::INITIALIZED_UNEXPECTED,
    rule::ERA_MIXED,
    rule::VERSION_UNSUPPORTED,
    rule::UNDECLARED_CAPABILITY,
    rule::UNDECLARED_TASK,
    rule::ID_IN_USE,
    rule::ID_REUSED,
    rule::PROGRESS_TOKEN_IN_USE,
    rule::UNTRACKED_REQUEST,
    rule::RESPONSE_UNEXPECTED,
    rule::RESPONSE_DUPLICATE,
    rule::RESPONSE_ID_REWRITTEN,
    rule::RESPONSE_LATE,
    rule::RESPONSE_AMBIGUOUS,
    rule::INPUT_REQUIRED_UNEXPECTED,
    rule::CANCEL_INITIALIZE,
    rule::CANCEL_UNKNOWN,
    rule::PROGRESS_UNKNOWN,
    rule::SUBSCRIPTION_UNKNOWN,
    rule::SUBSCRIPTION_UNACKNOWLEDGED,
];

/// Returns whether a session reports this rule of MCP, so that the header has its number.
#[must_use]
pub fn reports(rule: Rule) -> bool {
    REPORTED.contains(&rule)
}

/// The part of an event that a session observes.
pub(crate) enum Observed<'buf> {
    Message(Message<'buf>),
    Fault(Faulty<'buf>),
    Batch,
    Nothing,
}

/// A frame that is no message.
pub(crate) struct Faulty<'buf> {
    /// The id, if it is legal.
    id: Option<Id<'buf>>,
    reply_code: i32,
    /// True if the reply repeats the id.
    echoes: bool,
    /// True if the frame has neither a method nor parameters.
    is_no_call: bool,
}

/// Returns the part of an event that a session observes. `frame` is that of the event.
pub(crate) fn read<'buf>(frame: &'buf [u8], event: &tl_event) -> Result<Observed<'buf>, tl_error> {
    if let Some(message) = message_of(frame, event)? {
        return Ok(Observed::Message(message));
    }
    let is = |kind: tl_kind| event.kind == kind.number();
    if is(tl_kind::Batch) {
        Ok(Observed::Batch)
    } else if is(tl_kind::Fault) || is(tl_kind::Oversized) {
        Ok(Observed::Fault(faulty(frame, event)?))
    } else if event.kind > 0 && event.kind <= tl_kind::Lost.number() {
        Ok(Observed::Nothing)
    } else {
        Err(tl_error::State)
    }
}

/// Returns a number that tells an event from others, also if its views were copied elsewhere.
#[inline(never)]
pub(crate) fn mark(event: &tl_event, id: &[u8]) -> u32 {
    let low = event.offset & u64::from(u32::MAX);
    let start = u32::try_from(low).unwrap_or_default() ^ event.kind.unsigned_abs().rotate_right(4);
    id.iter().fold(start, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// The array of the caller for findings.
pub(crate) struct Findings<'a> {
    pub(crate) room: &'a mut [MaybeUninit<tl_finding>],
    /// The number of findings, with those that had no room.
    pub(crate) count: usize,
}

impl Findings<'_> {
    /// Adds a finding in a text that begins at this place.
    #[inline(never)]
    fn add(&mut self, finding: &Finding, start: u32) {
        if let Some(place) = self.room.get_mut(self.count) {
            place.write(tl_finding {
                rule: finding.rule().number(),
                severity: numbers::of_severity(finding.severity()),
                reserved: 0,
                place: finding.offset().unwrap_or_default().saturating_add(start),
            });
        }
        self.count = self.count.saturating_add(1);
    }
}

/// Observes it, and sets what it means.
pub(crate) fn observe(
    session: &mut Lent,
    from: Role,
    observed: &Observed<'_>,
    seen: &mut tl_session_event,
    findings: &mut Findings<'_>,
) {
    match observed {
        Observed::Message(message) => {
            receive_message(session, from, message, seen, findings);
            put_call(session, message, seen);
        }
        Observed::Fault(faulty) => observe_fault(session, from, faulty, seen),
        Observed::Batch => seen.kind = tl_meaning::Batch.number(),
        Observed::Nothing => {}
    }
}

/// The members that each kind of message has, and those that it may have, as bits by their places.
const MEMBERS: [(u16, u16); 4] =
    [(ID | METHOD, PARAMS), (METHOD, PARAMS), (ID | RESULT, 0), (CODE | MESSAGE, ID | DATA)];

const ID: u16 = 1 << 1;
const METHOD: u16 = 1 << 2;
const PARAMS: u16 = 1 << 3;
const RESULT: u16 = 1 << 4;
const CODE: u16 = 1 << 6;
const MESSAGE: u16 = 1 << 7;
const DATA: u16 = 1 << 8;

/// Returns the message of an event, if it is one.
fn message_of<'buf>(
    frame: &'buf [u8],
    event: &tl_event,
) -> Result<Option<Message<'buf>>, tl_error> {
    let kind = usize::try_from(event.kind.wrapping_sub(1)).unwrap_or(usize::MAX);
    let Some(&(required, optional)) = MEMBERS.get(kind) else { return Ok(None) };
    let &tl_event { id, method, params, result, error_code, error_message, error_data, .. } = event;
    let views = [id, method, params, result, error_code, error_message, error_data];
    let mut places = [Span::between(0, 0); 9];
    let (mut present, mut member) = (0_u16, 0_usize);
    for view in &views {
        member = member_after(member);
        if let (false, Some(place)) = (view.ptr.is_null(), places.get_mut(member)) {
            *place = place_of(frame, view).ok_or(tl_error::State)?;
            present |= 1 << member;
        }
    }
    if present & required != required || present & !(required | optional) != 0 {
        return Err(tl_error::State);
    }
    Ok(Some(message_at(frame, &places, event.unknown_members)))
}

/// Returns the place of a view in the frame of its event.
fn place_of(frame: &[u8], view: &tl_view) -> Option<Span> {
    let start = view.ptr.addr().wrapping_sub(frame.as_ptr().addr());
    let end = start.checked_add(view.len)?;
    (end <= frame.len()).then(|| Span::new(start, end))
}

/// Returns what the session needs of a fault or an oversized frame.
fn faulty<'buf>(frame: &'buf [u8], event: &tl_event) -> Result<Faulty<'buf>, tl_error> {
    let place = match &event.id {
        id if id.ptr.is_null() => Span::between(0, 0),
        id => place_of(frame, id).ok_or(tl_error::State)?,
    };
    let is_no_call = if event.kind == tl_kind::Oversized.number() {
        event.method.ptr.is_null()
    } else {
        // If the fault is an element of a batch, the frame is the batch.
        let start = frame.iter().position(|byte| *byte > b' ').unwrap_or_default();
        let members = value::value(frame.get(start..).unwrap_or_default()).members();
        let is_of_call = |name: RawStr<'_>| name == *"method" || name == *"params";
        members.is_some_and(|mut members| !members.any(|member| is_of_call(member.name)))
    };
    Ok(Faulty {
        id: Id::of(RawJson::at(frame, place)).filter(|id| !place.is_empty() && *id != Id::Null),
        reply_code: event.reply_code,
        echoes: event.reply_id.ptr == event.id.ptr,
        is_no_call,
    })
}

/// Observes a frame that is no message. Sets the code of the error that may be sent for it.
fn observe_fault(session: &mut Lent, from: Role, faulty: &Faulty<'_>, seen: &mut tl_session_event) {
    let &Faulty { id, reply_code, echoes, is_no_call } = faulty;
    let is_owed = reply_code != 0;
    let broken = match &id {
        Some(id) if echoes || !is_owed => session.observe_broken(from, id, is_owed, is_no_call),
        _ => Broken::Owed,
    };
    match broken {
        Broken::Owed => seen.code = reply_code.into(),
        Broken::Silent => {}
        Broken::Answer { method, late } => {
            seen.kind = tl_meaning::Response.number();
            seen.method = numbers::of_method_if_any(method);
            seen.completion = tl_completion::Invalid.number();
            seen.late = late.into();
        }
    }
}

/// Observes a message that was received, and sets what it means.
#[inline(never)]
fn receive_message(
    session: &mut Lent,
    from: Role,
    message: &Message<'_>,
    seen: &mut tl_session_event,
    findings: &mut Findings<'_>,
) {
    // As the compiler sees that here, the session's code for batches is not linked.
    if let Message::Batch(_) = message {
        return;
    }
    let kind = match session.receive(from, message, |finding| findings.add(&finding, 0)) {
        Event::Request => tl_meaning::Request,
        Event::Refused(refusal) => {
            seen.rule = refusal.rule().number();
            seen.place = refusal.offset();
            seen.code = refusal.code().value();
            put_string(&mut seen.version, refusal.requested());
            tl_meaning::Refused
        }
        Event::Notification => tl_meaning::Notification,
        Event::Ignored(rule) => {
            seen.rule = rule.number();
            tl_meaning::Ignored
        }
        Event::Cancelled { method, .. } => {
            seen.method = numbers::of_method_if_any(method);
            tl_meaning::Cancelled
        }
        Event::Response { method, completion, late, .. } => {
            seen.method = numbers::of_method_if_any(method);
            seen.late = late.into();
            let completion = match completion {
                Completion::Done => tl_completion::Done,
                Completion::ToolFailed => tl_completion::ToolFailed,
                Completion::InputRequired => tl_completion::InputRequired,
                Completion::TaskCreated => tl_completion::TaskCreated,
                Completion::Extended => tl_completion::Extended,
                Completion::Failed(code) => {
                    seen.code = code.map_or(0, ErrorCode::value);
                    tl_completion::Failed
                }
                _ => tl_completion::Invalid,
            };
            seen.completion = completion.number();
            tl_meaning::Response
        }
        Event::Untracked => tl_meaning::Untracked,
        Event::Batch => tl_meaning::Batch,
        _ => tl_meaning::Unmatched,
    };
    seen.kind = kind.number();
}

/// Sets the method and the views of a call.
#[inline(never)]
fn put_call(session: &Lent, message: &Message<'_>, seen: &mut tl_session_event) {
    let call = match message {
        Message::Request(request) => request.call(),
        Message::Notification(notification) => notification.call(),
        Message::Response(_) | Message::Batch(_) => return,
    };
    let method = KnownMethod::named(call.method());
    if seen.kind != tl_meaning::Cancelled.number() {
        seen.method = numbers::of_method_if_any(method);
    }
    let params = call.params().and_then(ParamsView::of);
    let meta = params.as_ref().and_then(ParamsView::meta);
    let named = meta.as_ref().and_then(MetaView::protocol_version);
    let serves_modern = session.supported().iter().any(|one| one.era() == Era::Modern);
    let is_request = call.id_span().is_some();
    seen.modern = (is_request && serves_modern && named.is_some()).into();
    let Some(params) = params else { return };
    put_string(&mut seen.name, params.name());
    put_object(&mut seen.arguments, params.arguments());
    put_string(&mut seen.uri, params.uri());
    put_id(&mut seen.request_id, params.request_id());
    let meta = meta.as_ref();
    let (version, capabilities) = match method {
        Some(KnownMethod::Initialize) => (params.protocol_version(), params.capabilities()),
        _ => (named, meta.and_then(MetaView::client_capabilities)),
    };
    let token = match method {
        Some(KnownMethod::Progress) => params.progress_token(),
        _ => meta.and_then(MetaView::progress_token),
    };
    // A refusal has set it to the one that is refused.
    if seen.version.ptr.is_null() {
        put_string(&mut seen.version, version);
    }
    put_object(&mut seen.capabilities, capabilities);
    put_id(&mut seen.progress_token, token);
}

// These are not inlined, for size.

#[inline(never)]
fn put_object(view: &mut tl_view, object: Option<RawJson<'_>>) {
    if let Some(object) = object {
        *view = tl_view::of(object.as_bytes());
    }
}

/// Sets the view of a string with its quotes, which are around it in the frame.
#[inline(never)]
fn put_string(view: &mut tl_view, text: Option<RawStr<'_>>) {
    if let Some(text) = text {
        let inner = tl_view::of(text.escaped_bytes());
        *view = tl_view { ptr: inner.ptr.wrapping_sub(1), len: inner.len.saturating_add(2) };
    }
}

#[inline(never)]
fn put_id(view: &mut tl_view, id: Option<Id<'_>>) {
    match id {
        Some(Id::String(text)) => put_string(view, Some(text)),
        Some(Id::Number(number)) => *view = tl_view::of(number.as_bytes()),
        Some(Id::Null) | None => {}
    }
}

/// Writes the error that a refused request is owed.
pub(crate) fn refuse(
    session: &Lent,
    profile: &Profile,
    room: &mut [u8],
    id: &[u8],
    version: Option<&[u8]>,
    seen: &tl_session_event,
) -> Written {
    let Some(broken) = NonZeroU16::new(seen.rule).map(Rule::from_number) else {
        return (0, Err(tl_error::State));
    };
    let Some(id) = Id::parse(id) else { return (0, Err(tl_error::Id)) };
    let is_of_version = broken == rule::VERSION_UNSUPPORTED;
    let requested = version.filter(|_| is_of_version).and_then(|text| value::value(text).string());
    let refusal = Refusal::of_parts(broken, seen.place, ErrorCode::new(seen.code), requested);
    reply::line(room, profile, &mut |draft| {
        draft.error(NewId::Read(id), refusal.error(session.supported()));
    })
}

/// Observes lines that a side has written. Reports a line that is no message under the profile; its request stays in
/// flight. Reports batches as well, unless they are looked into.
pub(crate) fn observe_lines<const BATCHES: bool>(
    session: &mut Lent,
    profile: &Profile,
    from: Role,
    lines: &[u8],
    findings: &mut Findings<'_>,
) {
    let mut rest = lines;
    while !rest.is_empty() {
        let start = u32::try_from(lines.len().saturating_sub(rest.len())).unwrap_or(u32::MAX);
        let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        let line = rest.get(..length).unwrap_or_default();
        rest = rest.get(length.saturating_add(1)..).unwrap_or_default();
        let mut observe = |message| match message {
            // As the compiler sees that here, the session's code for batches is not linked.
            Ok(Message::Batch(_)) => {}
            Ok(message) => {
                session.observe(from, &message, |finding| findings.add(&finding, start));
            }
            Err::<_, Fault<'_>>(fault) => findings.add(&fault.finding().into(), start),
        };
        match Message::parse(Frame::from_line(line), profile) {
            Ok(Message::Batch(batch)) if BATCHES => {
                batch.iter().for_each(|element| observe(element.message()));
            }
            Ok(Message::Batch(_)) => {
                let rule = Rule::BATCH_NOT_ALLOWED;
                findings.add(&tautline::Finding::new(rule, Severity::Error, 0).into(), start);
            }
            verdict => observe(verdict),
        }
    }
}

/// Returns a request in flight.
pub(crate) fn in_flight(session: &Lent, index: usize) -> Option<tl_in_flight> {
    session.in_flight().nth(index).map(|request| of_request(&request))
}

fn of_request(request: &InFlight<'_>) -> tl_in_flight {
    let is_subscription = request.method() == Some(KnownMethod::SubscriptionsListen);
    let mut id = tl_view::of(b"null");
    put_id(&mut id, Some(request.id()));
    tl_in_flight {
        from: numbers::of_role(request.from()),
        method: numbers::of_method_if_any(request.method()),
        cancelled: request.is_cancelled().into(),
        waits: (!request.is_cancelled() && !is_subscription).into(),
        id,
    }
}
