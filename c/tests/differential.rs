//! The functions of the header against the core: the same verdicts, rules, offsets, views and replies, for the frames
//! of the conformance corpus and of a session, whole and mutated, in random chunks, under every profile and in every
//! framing.
#![allow(unsafe_code, reason = "it calls the functions of the header")]

#[path = "../../tests/support/dice.rs"]
mod dice;
#[path = "../../tests/support/volume.rs"]
mod volume;

use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;
use std::ops::Range;

use dice::Dice;
use tautline::encode::{EncodeError, Encoder, Slice, object};
use tautline::envelope::Skimmer;
use tautline::frame::{
    Assembler, Concatenated, ContentLength, Frame, FrameEvent, Framing, ServerSentEvents, Splitter,
};
use tautline::scan::Syntax;
use tautline::stream::{MessageStream, Received, Watch};
use tautline::{Batch, Fault, Message, Outcome, RawJson};
use tautline_c::abi::{
    TL_ABI, tl_batch, tl_event, tl_iter, tl_kind, tl_out, tl_profile, tl_sse_stream, tl_view,
};
use tautline_c::export::batches::{tl_batch_init, tl_batch_next};
use tautline_c::export::check::{tl_check, tl_check_line};
use tautline_c::export::framings::*;
use tautline_c::export::messages::{tl_write_reply, tl_write_result};
use tautline_c::export::outputs::{tl_begin_batch, tl_end_batch};
use tautline_c::export::profiles::{PROFILES, tl_profile_named};
use tautline_c::export::streams::{tl_finish, tl_push, tl_stream_init};
use tautline_c::export::values::*;
use tautline_conformance::Corpus;
use volume::volume;

/// What the core says about an event. Places are those in the frame.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    kind: i32,
    rule: u16,
    syntax: u8,
    terminated: u8,
    place: u32,
    unknown_members: u32,
    elements: u32,
    line: u64,
    offset: u64,
    length: u64,
    frame: Option<Vec<u8>>,
    id: Option<Vec<u8>>,
    /// Of an oversized frame, without its quotes.
    method: Option<Vec<u8>>,
    /// Of the id, the method, the params, the result, and the code, message and data of the error.
    places: [Option<Range<usize>>; 7],
    reply: Vec<u8>,
}

impl Seen {
    fn message(&mut self, frame: &[u8], message: &Message<'_>) {
        let span = |span: tautline::scan::Span| span.start() as usize..span.end() as usize;
        self.length = frame.len() as u64;
        self.frame = Some(frame.to_vec());
        let call = match message {
            Message::Request(request) => {
                self.kind = 1;
                request.call()
            }
            Message::Notification(notification) => {
                self.kind = 2;
                notification.call()
            }
            Message::Response(response) => {
                self.unknown_members = response.unknown_members();
                self.places[0] = response.id_span().map(span);
                self.id = response.id_span().map(|id| frame[span(id)].to_vec());
                match response.outcome() {
                    Outcome::Result(_) => {
                        self.kind = 3;
                        self.places[3] = response.result_span().map(span);
                    }
                    Outcome::Error(error) => {
                        self.kind = 4;
                        self.places[4] = Some(span(error.code_span()));
                        self.places[5] = Some(span(error.message_span()));
                        self.places[6] = error.data_span().map(span);
                    }
                }
                return;
            }
            Message::Batch(batch) => {
                self.kind = 5;
                self.elements = batch.len();
                return;
            }
        };
        self.unknown_members = call.unknown_members();
        self.id = call.id_span().map(|id| frame[span(id)].to_vec());
        self.places[0] = call.id_span().map(span);
        self.places[1] = Some(span(call.method_span()));
        self.places[2] = call.params_span().map(span);
    }

    fn fault(&mut self, fault: &Fault<'_>) {
        self.rule = fault.rule().number();
        let number =
            |syntax| Syntax::ALL.iter().position(|kind| *kind == syntax).unwrap() as u8 + 1;
        self.syntax = fault.syntax().map_or(0, number);
        self.place = fault.offset();
        self.id = fault.id().map(|id| id.as_bytes().to_vec());
        let mut room = vec![0; fault.frame().len() + 200];
        let mut encoder = Encoder::new(Slice::new(&mut room));
        encoder.fault(fault).unwrap();
        self.reply = encoder.output().written().to_vec();
    }

    fn verdict(frame: &[u8], verdict: Result<Message<'_>, Fault<'_>>) -> Self {
        let mut seen = Self::default();
        match verdict {
            Ok(message) => seen.message(frame, &message),
            Err(fault) => {
                seen.kind = 6;
                seen.length = frame.len() as u64;
                seen.frame = Some(frame.to_vec());
                seen.fault(&fault);
                seen.places[0] = fault.id_span().map(|id| id.start() as usize..id.end() as usize);
            }
        }
        seen
    }

    fn received(received: Option<Received<'_>>) -> Self {
        let mut seen = Self::default();
        let of_frame = |seen: Self, frame: &Frame<'_>| Self {
            line: frame.line(),
            offset: frame.offset(),
            terminated: frame.is_terminated().into(),
            ..seen
        };
        match received {
            None => {}
            Some(Received::Message { frame, message, .. }) => {
                seen = of_frame(Self::verdict(frame.bytes(), Ok(message)), &frame);
            }
            Some(Received::Fault { frame, fault, .. }) => {
                seen = of_frame(Self::verdict(frame.bytes(), Err(fault)), &frame);
            }
            Some(Received::Oversized { oversized, fault, skimmed, .. }) => {
                seen.kind = 7;
                seen.line = oversized.line();
                seen.offset = oversized.offset();
                seen.length = oversized.length();
                seen.terminated = oversized.is_terminated().into();
                seen.fault(&fault);
                let method = skimmed.and_then(|skimmed| skimmed.method());
                seen.method = method.map(|method| method.escaped_bytes().to_vec());
            }
            Some(Received::NoMessage(FrameEvent::Frame(frame))) => {
                seen.kind = 8;
                seen.length = frame.bytes().len() as u64;
                seen.frame = Some(frame.bytes().to_vec());
                seen = of_frame(seen, &frame);
            }
            Some(Received::NoMessage(FrameEvent::Oversized(oversized))) => {
                seen.kind = 8;
                seen.line = oversized.line();
                seen.offset = oversized.offset();
                seen.length = oversized.length();
                seen.terminated = oversized.is_terminated().into();
            }
            Some(Received::Unfinished(unfinished)) => {
                seen.kind = 9;
                seen.offset = unfinished.offset();
                seen.length = unfinished.length();
                seen.line = unfinished.line();
            }
            Some(Received::Desynchronised(lost)) => {
                seen.kind = 10;
                seen.offset = lost.offset();
                seen.line = lost.line();
                seen.rule = lost.rule().number();
            }
            Some(other) => panic!("{other:?}"),
        }
        seen
    }

    /// What a C program sees.
    fn event(event: &tl_event) -> Self {
        let frame = bytes(event.frame);
        let place = |view: tl_view| {
            let text = bytes(view)?;
            let start = view.ptr.addr() - event.frame.ptr.addr();
            assert!(start + text.len() <= event.frame.len, "the view is in its frame");
            Some(start..start + text.len())
        };
        let views = [
            event.id,
            event.method,
            event.params,
            event.result,
            event.error_code,
            event.error_message,
            event.error_data,
        ];
        let is_kept = event.kind == tl_kind::Oversized.number();
        let mut room = vec![0_u8; event.reply_id.len + 200];
        let mut out = tl_out::of(&mut room);
        // SAFETY: the event was just set.
        assert_eq!(unsafe { tl_write_reply(&mut out, event) }, 0);
        Self {
            kind: event.kind,
            rule: event.rule,
            syntax: event.syntax,
            terminated: event.terminated,
            place: event.place,
            unknown_members: event.unknown_members,
            elements: event.elements,
            line: event.line,
            offset: event.offset,
            length: event.length,
            frame: frame.map(<[u8]>::to_vec),
            id: bytes(event.id).map(<[u8]>::to_vec),
            method: bytes(event.method)
                .filter(|_| is_kept)
                .map(|method| method[1..method.len() - 1].to_vec()),
            places: if is_kept { Default::default() } else { views.map(place) },
            reply: room[..out.used].to_vec(),
        }
    }
}

fn bytes<'a>(view: tl_view) -> Option<&'a [u8]> {
    // SAFETY: views of events are readable, as long as the test looks at them.
    (!view.ptr.is_null()).then(|| unsafe { std::slice::from_raw_parts(view.ptr.cast(), view.len) })
}

fn profiles() -> Vec<(&'static str, &'static tl_profile)> {
    let named = |name: &str| {
        let name = CString::new(name).unwrap();
        // SAFETY: a NUL ends the name. Profiles live forever.
        unsafe { tl_profile_named(name.as_ptr()).as_ref() }.unwrap()
    };
    PROFILES.iter().map(|(_, name, _)| (*name, named(name))).collect()
}

/// The frames of the corpus and of a session.
fn frames() -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    for case in Corpus::embedded().cases.iter().chain(&Corpus::http().cases) {
        for (text, _) in case.steps.iter().filter_map(|step| step.bytes()) {
            frames.extend(text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec));
        }
    }
    frames.extend(
        include_bytes!("../../examples/session.ndjson")
            .split(|&byte| byte == b'\n')
            .map(<[u8]>::to_vec),
    );
    frames.retain(|frame| frame.len() < 10_000);
    assert!(frames.len() > 500, "{}", frames.len());
    frames
}

/// Both judge the frame, as a body and as a line, and the values in it.
fn compare_frame(frame: &[u8], (name, profile): (&str, &tl_profile)) {
    let mut event = tl_event::NONE;
    type Check = unsafe extern "C" fn(*const tl_profile, tl_view, *mut tl_event) -> i32;
    let ways: [(Frame<'_>, Check); 2] =
        [(Frame::from(frame), tl_check), (Frame::from_line(frame), tl_check_line)];
    for (framed, check) in ways {
        let expected = Seen::verdict(frame, Message::parse(framed, profile.profile()));
        // SAFETY: all pointers are of this test.
        let kind = unsafe { check(profile, tl_view::of(frame), &mut event) };
        let show = || format!("{name}: {}", String::from_utf8_lossy(frame));
        assert_eq!(Seen::event(&event), expected, "{}", show());
        assert_eq!(kind, event.kind);
        if kind == tl_kind::Batch.number() {
            compare_batch(&event, frame, profile);
        }
        for view in [event.params, event.result, event.error_data, event.method, event.id] {
            if let Some(text) = bytes(view)
                && kind < tl_kind::Batch.number()
            {
                compare_value(text);
            }
        }
    }
}

fn compare_batch(whole: &tl_event, frame: &[u8], profile: &tl_profile) {
    let Ok(Message::Batch(batch)) = Message::parse(frame, profile.profile()) else { panic!() };
    let mut state = MaybeUninit::<tl_batch>::uninit();
    let mut event = tl_event::NONE;
    // SAFETY: all pointers are of this test.
    assert_eq!(unsafe { tl_batch_init(state.as_mut_ptr(), profile, whole) }, 0);
    for element in &batch {
        // SAFETY: the state is initialised.
        assert!(unsafe { tl_batch_next(state.as_mut_ptr(), &mut event) } > 0);
        assert_eq!(Seen::event(&event), Seen::verdict(frame, element.message()));
    }
    // SAFETY: the state is initialised.
    assert_eq!(unsafe { tl_batch_next(state.as_mut_ptr(), &mut event) }, 0);
    compare_answers(whole, &batch, profile);
}

/// Both write the same answers to a batch: results for its requests, and what its faults are owed.
fn compare_answers(whole: &tl_event, batch: &Batch<'_>, profile: &tl_profile) {
    let mut room = vec![0; whole.frame.len * 50 + 200];
    let mut encoder = Encoder::with_profile(Slice::new(&mut room), profile.profile());
    let written = encoder.batch(|answers| {
        for element in batch {
            match element.message() {
                Ok(Message::Request(request)) => answers.result(request.id(), object(|_| {})),
                Ok(_) => {}
                Err(fault) => answers.fault(&fault),
            }
        }
    });
    let expected = match written {
        Ok(_) => encoder.into_output().into_written(),
        Err(EncodeError::EmptyBatch) => b"",
        Err(error) => panic!("{error}"),
    };
    let mut room = vec![0; expected.len()];
    let mut out = tl_out::of(&mut room);
    let mut state = MaybeUninit::<tl_batch>::uninit();
    let mut event = tl_event::NONE;
    // SAFETY: all pointers are of this test.
    unsafe {
        assert_eq!(tl_batch_init(state.as_mut_ptr(), profile, whole), 0);
        assert_eq!(tl_begin_batch(&mut out), 0);
        while tl_batch_next(state.as_mut_ptr(), &mut event) > 0 {
            let status = match event.kind {
                1 => tl_write_result(&mut out, profile, event.id, tl_view::of(b"{}")),
                _ => tl_write_reply(&mut out, &event),
            };
            assert_eq!(status, 0);
        }
        assert_eq!(tl_end_batch(&mut out), 0);
    }
    assert_eq!((out.used, out.needed), (expected.len(), expected.len()));
    assert!(room == expected, "{}", String::from_utf8_lossy(expected));
}

/// Both find the same members, elements, numbers and texts, at every depth.
fn compare_value(text: &[u8]) {
    let value = RawJson::parse(text).unwrap();
    let view = tl_view::of(text);
    let (mut signed, mut unsigned) = (0, 0);
    let mut iter = tl_iter { text: tl_view::NONE, at: 0, magic: 0 };
    let (mut name, mut part) = (tl_view::NONE, tl_view::NONE);
    // SAFETY: all pointers are of this test.
    unsafe {
        let is_signed = tl_int64(view, &mut signed) == 0;
        let number = value.number();
        assert_eq!(is_signed.then_some(signed), number.and_then(|number| number.as_i64()));
        let is_unsigned = tl_uint64(view, &mut unsigned) == 0;
        assert_eq!(is_unsigned.then_some(unsigned), number.and_then(|number| number.as_u64()));
        assert_eq!(u8::try_from(tl_bool(view)).ok().map(|value| value == 1), value.bool());
    }
    if let Some(string) = value.string() {
        let mut room = vec![0_u8; text.len()];
        let mut length = 0;
        // SAFETY: the same.
        let status = unsafe {
            tl_text_decode(view, room.as_mut_ptr().cast::<c_char>(), room.len(), &mut length)
        };
        let mut expected = vec![0; text.len()];
        match string.decode_into(&mut expected) {
            Ok(decoded) => {
                assert_eq!((status, &room[..length]), (0, decoded.as_bytes()));
                assert_eq!(room[length], 0);
                // SAFETY: the same.
                assert_eq!(unsafe { tl_text_eq_n(view, tl_view::of(decoded.as_bytes())) }, 1);
                let longer = [decoded.as_bytes(), b"x"].concat();
                // SAFETY: the same.
                assert_eq!(unsafe { tl_text_eq_n(view, tl_view::of(&longer)) }, 0);
            }
            Err(_) => assert!(status < 0),
        }
    }
    // SAFETY: the same.
    unsafe {
        assert_eq!(tl_members(view, &mut iter) == 0, value.members().is_some());
        for member in value.members().into_iter().flatten() {
            assert_eq!(tl_next_member(&mut iter, &mut name, &mut part), 1);
            assert_eq!(bytes(part), Some(member.value.as_bytes()));
            assert_eq!(
                bytes(name).unwrap().as_ptr(),
                member.name.escaped_bytes().as_ptr().wrapping_sub(1)
            );
            compare_value(member.value.as_bytes());
        }
        assert!(value.members().is_none() || tl_next_member(&mut iter, &mut name, &mut part) == 0);
        assert_eq!(tl_elements(view, &mut iter) == 0, value.elements().is_some());
        for element in value.elements().into_iter().flatten() {
            assert_eq!(tl_next_element(&mut iter, &mut part), 1);
            assert_eq!(bytes(part), Some(element.as_bytes()));
            compare_value(element.as_bytes());
        }
        assert!(value.elements().is_none() || tl_next_element(&mut iter, &mut part) == 0);
        for key in ["name", "arguments"] {
            let wanted = CString::new(key).unwrap();
            let is_found = tl_member(view, wanted.as_ptr(), &mut part) == 1;
            assert_eq!(
                is_found.then(|| bytes(part).unwrap()),
                value.member(key).map(|value| value.as_bytes())
            );
        }
    }
}

/// A stream of C, at the start of an input.
fn begin(
    framing: &tl_framing,
    profile: &tl_profile,
    room: &mut [u8],
) -> MaybeUninit<tl_sse_stream> {
    let mut state = MaybeUninit::<tl_sse_stream>::uninit();
    // SAFETY: the state and the room live as long as the stream is used.
    let status = unsafe {
        tl_stream_init(
            TL_ABI,
            state.as_mut_ptr().cast(),
            size_of::<tl_sse_stream>(),
            framing,
            profile,
            room.as_mut_ptr().cast(),
            room.len(),
        )
    };
    assert_eq!(status, 0);
    state
}

/// Both read the same input in the same chunks.
fn compare_stream<F: Framing, W: Watch>(
    framing: &tl_framing,
    mut stream: MessageStream<&'static mut [u8], F, W>,
    input: &[u8],
    profile: &tl_profile,
    limit: usize,
    dice: &mut Dice,
) {
    let mut room = vec![0; limit];
    let mut state = begin(framing, profile, &mut room);
    let mut event = tl_event::NONE;
    let mut rest = input;
    let mut is_lost = false;
    while !rest.is_empty() && !is_lost {
        let (mut chunk, after) = rest.split_at(dice.roll(rest.len().min(90)) + 1);
        rest = after;
        let mut view = tl_view::of(chunk);
        loop {
            let expected = Seen::received(stream.next(&mut chunk));
            // SAFETY: the state is initialised, and the chunk is readable.
            let kind = unsafe { tl_push(state.as_mut_ptr().cast(), &mut view, &mut event) };
            assert_eq!(Seen::event(&event), expected);
            assert_eq!(
                (view.ptr.cast(), view.len, kind),
                (chunk.as_ptr(), chunk.len(), event.kind)
            );
            is_lost |= kind == tl_kind::Lost.number();
            if kind == 0 || is_lost {
                break;
            }
        }
    }
    loop {
        let expected = Seen::received(stream.finish());
        // SAFETY: the state is initialised.
        let kind = unsafe { tl_finish(state.as_mut_ptr().cast(), &mut event) };
        assert_eq!(Seen::event(&event), expected);
        if kind == 0 {
            return;
        }
    }
}

#[test]
fn every_frame_under_every_profile() {
    for frame in frames() {
        for profile in profiles() {
            compare_frame(&frame, profile);
        }
    }
}

#[test]
fn mutated_frames_under_every_profile() {
    let (frames, profiles) = (frames(), profiles());
    let texts: Vec<&str> =
        frames.iter().filter_map(|frame| std::str::from_utf8(frame).ok()).collect();
    let mut dice = Dice(0x5EED_0038);
    let mut frame = Vec::new();
    for _ in 0..volume(30_000) {
        dice.break_one(&texts, &mut frame);
        compare_frame(&frame, profiles[dice.roll(profiles.len())]);
    }
}

#[test]
fn streams_in_every_framing() {
    let (frames, profiles) = (frames(), profiles());
    let texts: Vec<&str> =
        frames.iter().filter_map(|frame| std::str::from_utf8(frame).ok()).collect();
    let mut dice = Dice(0xC0FF_EE38);
    for round in 0..volume(1_500) {
        let (_, profile) = profiles[dice.roll(profiles.len())];
        let limit = [24, 100, 400, 9_000][dice.roll(4)];
        let way = round % 4;
        let mut input = Vec::new();
        for _ in 0..dice.roll(8) {
            let mut frame = Vec::new();
            dice.break_one(&texts, &mut frame);
            match way {
                1 => input.extend_from_slice(
                    format!("Content-Length: {}\r\n\r\n", frame.len()).as_bytes(),
                ),
                2 => input.extend_from_slice(
                    [&b"data: "[..], b"event: message\ndata:", b"id: 7\r\ndata:"][dice.roll(3)],
                ),
                _ => {}
            }
            input.extend_from_slice(&frame);
            match way {
                1 => {}
                2 => input.extend_from_slice(b"\n\n"),
                _ => input.extend_from_slice([&b"\n"[..], b"\r\n", b"\n\n"][dice.roll(3)]),
            }
        }
        macro_rules! both {
            ($framing:ident, $plain:ident, $skimming:ident) => {{
                let assembler = || {
                    Assembler::with_framing(
                        Box::leak(vec![0; limit].into_boxed_slice()),
                        $framing::new(u32::MAX),
                    )
                };
                let rust = profile.profile();
                let plain = MessageStream::<_, _, ()>::without_skimmer(assembler(), rust);
                compare_stream(&$plain, plain, &input, profile, limit, &mut dice);
                let skimming: MessageStream<_, _, Skimmer> =
                    MessageStream::with_assembler(assembler(), rust);
                compare_stream(&$skimming, skimming, &input, profile, limit, &mut dice);
            }};
        }
        match way {
            0 => both!(Splitter, tl_framing_lines, tl_framing_lines_skimming),
            1 => {
                both!(ContentLength, tl_framing_content_length, tl_framing_content_length_skimming)
            }
            2 => both!(ServerSentEvents, tl_framing_sse, tl_framing_sse_skimming),
            _ => both!(Concatenated, tl_framing_concatenated, tl_framing_concatenated_skimming),
        }
    }
}

#[test]
fn misaligned_pointers_are_errors() {
    let mut memory = [0_u64; 512];
    let at: *mut u8 = memory.as_mut_ptr().cast();
    let odd = at.wrapping_add(1);
    let profile: *const tl_profile = profiles()[0].1;
    let mut event = tl_event::NONE;
    let mut room = [0_u8; 8];
    let mut input = tl_view::of(b"{}");
    let state = tautline_c::abi::tl_error::State as i32;
    // SAFETY: no function looks behind a misaligned pointer.
    unsafe {
        assert_eq!(tl_check(profile, input, odd.cast()), state);
        let status = tl_stream_init(
            TL_ABI,
            odd.cast(),
            size_of::<tl_sse_stream>(),
            &tl_framing_lines,
            profile,
            room.as_mut_ptr().cast(),
            room.len(),
        );
        assert_eq!(status, state);
        assert_eq!(tl_push(odd.cast(), &mut input, &mut event), state);
        assert_eq!(tl_batch_init(odd.cast(), profile, &event), state);
        assert_eq!(tl_batch_next(odd.cast(), &mut event), state);
        assert_eq!(tl_int64(tl_view::of(b"1"), odd.cast()), state);
        assert_eq!(tl_members(tl_view::of(b"{}"), odd.cast()), state);
        assert_eq!(tl_write_reply(odd.cast(), &tl_event { reply_code: -32600, ..event }), state);
        assert_eq!(tl_write_reply(odd.cast(), odd.cast()), state);
        assert_eq!(tl_write_reply(&mut tl_out::of(&mut []), odd.cast()), state);
        assert_eq!(tl_write_reply(&mut tl_out::of(&mut []), &event), 0, "nothing is owed");
        assert_eq!(tl_end_batch(odd.cast()), state);
    }
}
