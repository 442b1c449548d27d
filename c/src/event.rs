//! Messages and faults, laid out flat for C.

use core::ffi::c_char;

use tautline::frame::{Frame, FrameEvent, Oversized};
use tautline::internal::cast::index;
use tautline::internal::envelope::Outlined;
use tautline::scan::{Span, Syntax};
use tautline::stream::Received;
use tautline::{Fault, Message};

use crate::abi::{tl_event, tl_kind, tl_view};

/// Returns a view of a part of a frame, or none of a part that is empty, as no part of a message is. The frame contains
/// all parts of its message, so this needs no check, only few instructions.
fn part(frame: &[u8], part: Span) -> tl_view {
    if part.is_empty() {
        return tl_view::NONE;
    }
    let ptr: *const c_char = frame.as_ptr().cast();
    tl_view { ptr: ptr.wrapping_add(index(part.start())), len: index(part.len()) }
}

fn part_if_any(frame: &[u8], span: Option<Span>) -> tl_view {
    part(frame, span.unwrap_or(Span::between(0, 0)))
}

/// Sets the event of a frame that was read, except the views of a message that is no batch, and returns whether it is
/// such a message. Together with [`put_members`], the content is that of [`of_verdict`], and the code is smaller.
#[inline(always)]
pub(crate) fn of_outlined(event: &mut tl_event, frame: &[u8], outlined: &Outlined<'_, '_>) -> bool {
    event.frame = tl_view::of(frame);
    event.length = u64_from(frame.len());
    if let Some(fault) = outlined.fault() {
        of_fault(event, tl_kind::Fault, &fault);
        return false;
    }
    if outlined.is_batch() {
        event.elements = outlined.others();
        event.kind = tl_kind::Batch.number();
        return false;
    }
    event.unknown_members = outlined.others();
    true
}

/// The number of views of members, from the id to the data of an error.
pub(crate) const MEMBERS: usize = 7;

/// Returns the place in a message of the member whose view comes after that of another, in an event. The first comes after
/// place 0. The object `error` itself is not in the event.
#[inline(always)]
pub(crate) const fn member_after(place: usize) -> usize {
    place.wrapping_add(if place == 4 { 2 } else { 1 })
}

/// Sets the views of a message's members, and returns its kind.
#[inline(always)]
pub(crate) fn put_members(
    views: &mut [tl_view; MEMBERS],
    frame: &[u8],
    outlined: &Outlined<'_, '_>,
) -> i32 {
    let mut member = 0_usize;
    for view in &mut *views {
        member = member_after(member);
        *view = part(frame, outlined.value(member));
    }
    let [id, method, _, result, ..] = views;
    // A notification is a request without an id, and an error a response without a result.
    let is_call = !method.ptr.is_null();
    let decisive = if is_call { id } else { result };
    let first = if is_call { tl_kind::Request } else { tl_kind::Result };
    first.number().wrapping_add(decisive.ptr.is_null().into())
}

const _: () = assert!(
    tl_kind::Request.number() + 1 == tl_kind::Notification.number()
        && tl_kind::Result.number() + 1 == tl_kind::Error.number()
);

/// Returns the event of a frame, by its verdict.
pub(crate) fn of_verdict(
    event: &mut tl_event,
    frame: &[u8],
    verdict: &Result<Message<'_>, Fault<'_>>,
) {
    of_bytes(event, frame);
    match verdict {
        Ok(message) => of_message(event, message),
        Err(fault) => of_fault(event, tl_kind::Fault, fault),
    }
}

fn of_bytes(event: &mut tl_event, frame: &[u8]) {
    event.frame = tl_view::of(frame);
    event.length = u64_from(frame.len());
}

fn of_message(event: &mut tl_event, message: &Message<'_>) {
    let frame = message.frame();
    let (kind, call) = match message {
        Message::Request(request) => (tl_kind::Request, request.call()),
        Message::Notification(notification) => (tl_kind::Notification, notification.call()),
        Message::Response(response) => {
            event.id = part_if_any(frame, response.id_span());
            event.unknown_members = response.unknown_members();
            event.result = part_if_any(frame, response.result_span());
            let kind = match response.error() {
                None => tl_kind::Result,
                Some(error) => {
                    event.error_code = part(frame, error.code_span());
                    event.error_message = part(frame, error.message_span());
                    event.error_data = part_if_any(frame, error.data_span());
                    tl_kind::Error
                }
            };
            event.kind = kind.number();
            return;
        }
        Message::Batch(batch) => {
            event.elements = batch.len();
            event.kind = tl_kind::Batch.number();
            return;
        }
    };
    event.kind = kind.number();
    event.id = part_if_any(frame, call.id_span());
    event.method = part(frame, call.method_span());
    event.params = part_if_any(frame, call.params_span());
    event.unknown_members = call.unknown_members();
}

fn of_fault(event: &mut tl_event, kind: tl_kind, fault: &Fault<'_>) {
    event.kind = kind.number();
    event.rule = fault.rule().number();
    event.syntax = fault.syntax().map_or(0, number_of);
    event.place = fault.offset();
    event.id = part(fault.frame(), fault.id_place());
    if let Some(reply) = fault.reply() {
        // -32700 or -32600.
        event.reply_code = i32::try_from(reply.code().value()).unwrap_or_default();
        event.reply_id = match reply.raw_id() {
            None => tl_view::NONE,
            Some(_) if fault.echoes_id() => event.id,
            Some(_) => tl_view::of(b"null"),
        };
    }
}

fn of_frame(event: &mut tl_event, frame: &Frame<'_>) {
    event.line = frame.line();
    event.offset = frame.offset();
    event.terminated = u8::from(frame.is_terminated());
}

fn of_oversized(event: &mut tl_event, oversized: &Oversized) {
    event.line = oversized.line();
    event.offset = oversized.offset();
    event.length = oversized.length();
    event.terminated = u8::from(oversized.is_terminated());
}

/// Returns the event of a stream.
pub(crate) fn of_received(event: &mut tl_event, received: &Received<'_>) {
    match received {
        Received::Message { frame, message, .. } => {
            of_frame(event, frame);
            of_bytes(event, frame.bytes());
            of_message(event, message);
        }
        Received::Fault { frame, fault, .. } => {
            of_frame(event, frame);
            of_bytes(event, frame.bytes());
            of_fault(event, tl_kind::Fault, fault);
        }
        Received::Oversized { oversized, fault, skimmed, .. } => {
            of_oversized(event, oversized);
            of_fault(event, tl_kind::Oversized, fault);
            if let Some(skimmed) = skimmed
                && skimmed.method().is_some()
            {
                event.method = tl_view::of(skimmed.method_value());
            }
        }
        Received::NoMessage(FrameEvent::Frame(frame)) => {
            event.kind = tl_kind::NoMessage.number();
            event.frame = tl_view::of(frame.bytes());
            event.length = u64_from(frame.bytes().len());
            of_frame(event, frame);
        }
        Received::NoMessage(FrameEvent::Oversized(oversized)) => {
            event.kind = tl_kind::NoMessage.number();
            of_oversized(event, oversized);
        }
        Received::Unfinished(unfinished) => {
            event.kind = tl_kind::Unfinished.number();
            event.offset = unfinished.offset();
            event.length = unfinished.length();
            event.line = unfinished.line();
        }
        Received::Desynchronised(lost) => {
            event.kind = tl_kind::Lost.number();
            event.offset = lost.offset();
            event.rule = lost.rule().number();
            event.line = lost.line();
        }
        _ => {}
    }
}

/// Returns the number of a kind of syntax error in the header, where 0 means none.
#[expect(clippy::as_conversions, reason = "there are few kinds")]
pub const fn number_of(syntax: Syntax) -> u8 {
    (syntax as u8).saturating_add(1)
}

pub(crate) fn u64_from(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
