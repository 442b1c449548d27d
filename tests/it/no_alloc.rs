//! The core does not use the heap, for any input and any call on its output.

use std::fmt::{self, Write};
use std::hash::{Hash, Hasher};
use std::hint::black_box;

use tautline::frame::{Assembler, Frame, FrameBuffer, FrameEvent, Frames, Storage};
use tautline::json::DecodeError;
use tautline::stream::{MessageStream, Messages, Received};
use tautline::{
    Envelope, Fault, Finding, Id, Message, Outcome, Profile, RawJson, RawNumber, RawStr, Rule, rule,
};

use crate::support::allocator::{Heap, measure};
use crate::support::presets::{GUARDED_NAMES, Revision};

/// The limit on frames, which one line of [`BROKEN`] exceeds.
const LIMIT: usize = 200;

/// Every shape of a message, every type of id, and every way for a line to end.
const HEALTHY: &[u8] = b"\xEF\xBB\xBF\
{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"a\\u00e9\\n\",\"n\":[1,-2.5e3,true,null]},\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[42,23],\"id\":\"\\u0031\"}\r\n\
\n \t\r\n\
{\"id\":7.0,\"\\u006dethod\":\"rpc.x\",\"jsonrpc\":\"2.0\",\"extra\":\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\\ud83d\\ude00\"}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n\
{\"jsonrpc\":\"2.0\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"ok\\ud800\"}]},\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"no\",\"data\":[{},[],\"\"]},\"id\":\"c\"}\n\
{\"jsonrpc\":\"2.0\",\"error\":{\"code\":404,\"message\":\"no\",\"Data\":1},\"id\":null}\n\
{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32042,\"message\":\"no\"},\"id\":\"d\"}\n\
{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32604,\"message\":\"no\"}}\n\
[{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1e2} , {\"jsonrpc\":\"2.0\",\"method\":\"b\"}]\n\
{\"jsonrpc\":\"2.0\",\"method\":\"the last line has no end\",\"id\":9007199254740993}";

/// Violations of the rules of JSON, of framing and of JSON-RPC, one per line.
const BROKEN: &[u8] = b"\xEF\xBB\
\n\xFF\xFE\x00\x01\n\
{\n\
not json\n\
Content-Length: 12\r\n\
{\"jsonrpc\":\"2.0\",\"method\":\"\xC0\x80\",\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"\\ud800\",\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1}{}\n\
{\r\"jsonrpc\":\"2.0\",\"method\":\"\xE2\x80\xA8\",\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1,\"params\":[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"method\":\"b\",\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1,\"i\\u0064\":2}\n\
{\"jsonrpc\":\"2.0\",\"method\":7,\"id\":-0}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":[{\"x\":1,\"x\":2}]}\n\
[{\"method\":\"a\"},{\"r\\u0065sult\":1}]\n\
{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":\"no\",\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":{}}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":null}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1.5}\n\
{\"jsonrpc\":\"2.0\",\"result\":1}\n\
{\"jsonrpc\":\"2.0\",\"result\":1,\"error\":{\"code\":1,\"message\":\"\"},\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"result\":1,\"method\":\"a\",\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1.5,\"message\":\"\"},\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"error\":{\"message\":7},\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"error\":{\"code\":7},\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"error\":\"no\",\"id\":1}\n\
{\"jsonrpc\":\"1.0\",\"method\":\"a\",\"id\":1}\n\
{\"method\":\"a\",\"Id\":1}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{\"Name\":1}}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{\"name\":1,\"name\":2}}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"a\\u0000\"}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":[\"\\ud800\",1e309]}\n\
{\"jsonrpc\":\"2.0\",\"id\":1}\n\
[]\n\
[1,[2],{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1},{},5]\n\
[1,[],\n\
\"text\"\n\
1e999\n\
{\"jsonrpc\":\"2.0\",\"method\":\"over the limit\",\"id\":1,\"params\":{\"text\":\"\
0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\
0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\
\"}}\r\n\
{}\r";

/// The total of what was yielded.
#[derive(Default)]
struct Seen {
    requests: u32,
    notifications: u32,
    results: u32,
    errors: u32,
    batches: u32,
    faults: u32,
    replies: u32,
    oversized: u32,
    skimmed: u64,
    /// A bit for each rule, in the order of the table.
    rules: [u64; 4],
}

impl Seen {
    fn rule(&mut self, rule: Rule) {
        let at = rule::ALL.iter().position(|known| *known == rule);
        let at = at.unwrap();
        self.rules[at / 64] |= 1 << (at % 64);
    }

    /// Returns the profile that nothing has violated.
    fn unbroken(&self) -> Vec<Rule> {
        let rules = rule::ALL.iter().enumerate();
        let is_unbroken = |at: &usize| self.rules[at / 64] & 1 << (at % 64) == 0;
        rules.filter(|(at, _)| is_unbroken(at)).map(|(_, rule)| *rule).collect()
    }
}

/// A sink that discards text.
struct Nowhere;

impl Write for Nowhere {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        black_box(text);
        Ok(())
    }
}

impl Hasher for Nowhere {
    fn finish(&self) -> u64 {
        0
    }

    fn write(&mut self, bytes: &[u8]) {
        black_box(bytes);
    }
}

/// Formats a value in both ways.
fn write(value: impl fmt::Display + fmt::Debug) {
    write!(Nowhere, "{value} {value:?}").unwrap();
}

/// Returns rules with low limits, so that the input violates them.
fn every_profile() -> impl Iterator<Item = Profile> {
    let revisions = Revision::ALL.iter().map(|revision| revision.profile());
    [Profile::JSON_RPC, Profile::LSP]
        .into_iter()
        .chain(revisions)
        .flat_map(|profile| {
            [
                profile,
                profile.strict(&GUARDED_NAMES),
                profile.http_request_body(),
                profile.http_response_body(),
            ]
        })
        .map(|profile| profile.with_max_depth(15).with_max_batch(4))
}

// ---- The calls on the output of each stage ------------------------------------------------------

fn visit_text(text: RawStr<'_>) {
    write(text);
    text.hash(&mut Nowhere);
    black_box((text.unescaped(), text.has_escapes(), text.lone_surrogate()));
    black_box(text.chars().filter_map(Result::ok).count());
    black_box(text == "method" || text == black_box(text));
    let mut buffer = [0; 256];
    match (text.decode_into(&mut buffer), text.decoded_len()) {
        (Ok(decoded), Ok(length)) => {
            assert_eq!(decoded.len(), length);
            assert!(text == decoded);
        }
        (Err(error @ DecodeError::LoneSurrogate(lone)), Err(other)) => {
            assert_eq!(lone, other);
            write(error);
        }
        other => panic!("{other:?}"),
    }
    if let Err(error) = text.decode_into(&mut []) {
        write(error);
    }
}

fn visit_number(number: RawNumber<'_>) {
    write(number);
    number.hash(&mut Nowhere);
    black_box((number.as_i64(), number.as_u64(), number.as_str(), number == black_box(number)));
    black_box((number.is_integer(), number.is_plain_integer()));
}

/// Visits everything in a value, which is no deeper than the profile allows.
fn visit_value(value: RawJson<'_>) {
    write(value);
    black_box((value.as_str(), value.is_null(), value.bool(), value.member("name")));
    value.string().into_iter().for_each(visit_text);
    value.number().into_iter().for_each(visit_number);
    value.elements().into_iter().flatten().for_each(visit_value);
    for member in value.members().into_iter().flatten() {
        visit_text(member.name);
        visit_value(member.value);
    }
}

fn visit_id(id: Id<'_>) {
    write(id);
    id.hash(&mut Nowhere);
    for text in [&b"1"[..], b"1.0", b"\"1\"", b"\"\\u0031\"", b"null", b"\"c\""] {
        let frame = RawJson::parse(text).unwrap();
        let other = match (frame.string(), frame.number()) {
            (Some(text), _) => Id::String(text),
            (_, Some(number)) => Id::Number(number),
            _ => Id::Null,
        };
        assert!(id != other || id.is_like(&other));
    }
}

fn visit_message(message: Message<'_>, profile: &Profile, seen: &mut Seen) {
    write!(Nowhere, "{message:?}").unwrap();
    match message {
        Message::Request(request) => {
            seen.requests += 1;
            visit_id(request.id());
            visit_text(request.method());
            request.params().into_iter().for_each(visit_value);
            black_box(request.call().unknown_members());
        }
        Message::Notification(notification) => {
            seen.notifications += 1;
            visit_text(notification.method());
            notification.params().into_iter().for_each(visit_value);
            black_box(notification.call().unknown_members());
        }
        Message::Response(response) => {
            response.id().into_iter().for_each(visit_id);
            black_box((response.result(), response.error(), response.unknown_members()));
            match response.outcome() {
                Outcome::Result(result) => {
                    seen.results += 1;
                    visit_value(result);
                }
                Outcome::Error(error) => {
                    seen.errors += 1;
                    if let Some(code) = error.code() {
                        write(code);
                        black_box((code.class(), profile.code_class(code), code.lsp_name()));
                    }
                    visit_number(error.raw_code());
                    visit_text(error.message());
                    error.data().into_iter().for_each(visit_value);
                }
            }
        }
        Message::Batch(batch) => {
            seen.batches += 1;
            assert_eq!(batch.iter().len(), batch.len() as usize);
            for element in batch {
                visit_envelope(&element, seen);
                match element.message() {
                    Ok(message) => visit_message(message, profile, seen),
                    Err(fault) => visit_fault(fault, seen),
                }
            }
        }
    }
}

fn visit_fault(fault: Fault<'_>, seen: &mut Seen) {
    seen.faults += 1;
    seen.rule(fault.rule());
    write(fault);
    black_box((
        fault.syntax(),
        fault.message(),
        fault.offset(),
        fault.id().map(|id| id.as_bytes()),
    ));
    if let Some(reply) = fault.reply() {
        seen.replies += 1;
        write(reply.code());
        let id = reply.raw_id();
        assert!(id.is_none_or(|id| id.is_null() || Some(id) == fault.id()));
    }
}

fn visit_finding(finding: Finding, seen: &mut Seen) {
    seen.rule(finding.rule());
    write(finding);
    write(finding.severity());
    let rule = finding.rule();
    write(rule::name(rule));
    black_box((finding.message(), rule::summary(rule), rule::spec_ref(rule), rule::help(rule)));
}

fn visit_envelope(envelope: &Envelope<'_>, seen: &mut Seen) {
    write!(Nowhere, "{envelope:?}").unwrap();
    envelope.id().into_iter().for_each(visit_value);
    envelope.method().into_iter().for_each(visit_text);
    black_box(envelope.span().of(envelope.frame()));
    envelope.findings(|finding| visit_finding(finding, seen));
}

fn visit_frame(frame: &Frame<'_>, profile: &Profile, seen: &mut Seen) {
    let bytes = frame.bytes();
    visit_envelope(&Envelope::read(frame, profile), seen);
    black_box(tautline::scan::validate(bytes, profile.max_depth()).map_err(write).is_ok());
    let parsed = Message::parse(frame, profile);
    assert_eq!(parsed, Envelope::read(frame, profile).message());
    black_box(Message::parse(bytes, profile) == Envelope::read(bytes, profile).message());
    match parsed {
        Ok(message) => visit_message(message, profile, seen),
        Err(fault) => visit_fault(fault, seen),
    }
}

fn visit_event(event: FrameEvent<'_>, profile: &Profile, seen: &mut Seen) {
    write!(Nowhere, "{event:?}").unwrap();
    match event {
        FrameEvent::Frame(frame) => visit_frame(&frame, profile, seen),
        FrameEvent::Oversized(oversized) => {
            seen.oversized += 1;
            visit_fault(Fault::of_oversized(&oversized, profile), seen);
        }
        other => panic!("an event that is not known here: {other:?}"),
    }
}

fn visit_received(received: Received<'_>, profile: &Profile, seen: &mut Seen) {
    match received {
        Received::Message { message, .. } => visit_message(message, profile, seen),
        Received::Fault { fault, .. } => visit_fault(fault, seen),
        Received::Oversized { fault, skimmed, .. } => {
            seen.oversized += 1;
            seen.skimmed += skimmed.map_or(0, |skimmed| skimmed.length());
            visit_fault(fault, seen);
        }
        other => panic!("an event that is not known here: {other:?}"),
    }
}

// ---- The drivers --------------------------------------------------------------------------------

fn push(storage: impl Storage, stream: &[u8], chunk: usize, profile: &Profile, seen: &mut Seen) {
    let mut assembler = Assembler::new(storage);
    for mut rest in stream.chunks(chunk) {
        while let Some(event) = assembler.next(&mut rest) {
            visit_event(event, profile, seen);
        }
    }
    while let Some(event) = assembler.finish() {
        visit_event(event, profile, seen);
    }
}

fn fill(storage: impl Storage, stream: &[u8], chunk: usize, profile: &Profile, seen: &mut Seen) {
    let mut buffer = FrameBuffer::new(storage);
    let mut unread = stream;
    while !unread.is_empty() {
        let spare = buffer.spare();
        let (read, rest) = unread.split_at(chunk.min(spare.len()).min(unread.len()));
        spare[..read.len()].copy_from_slice(read);
        buffer.commit(read.len());
        unread = rest;
        while let Some(event) = buffer.next() {
            visit_event(event, profile, seen);
        }
    }
    while let Some(event) = buffer.finish() {
        visit_event(event, profile, seen);
    }
}

fn receive(stream: &[u8], chunk: usize, profile: &Profile, seen: &mut Seen) {
    let mut messages = MessageStream::new([0; LIMIT], profile);
    for mut rest in stream.chunks(chunk) {
        while let Some(received) = messages.next(&mut rest) {
            visit_received(received, profile, seen);
        }
    }
    while let Some(received) = messages.finish() {
        visit_received(received, profile, seen);
    }
}

/// Runs the stream through the whole core.
fn run(stream: &[u8], profile: &Profile, seen: &mut Seen) {
    for event in Frames::new(stream, LIMIT as u32) {
        visit_event(event, profile, seen);
    }
    for received in Messages::new(stream, LIMIT as u32, profile) {
        visit_received(received, profile, seen);
    }
    for chunk in [1, 13, 64, stream.len()] {
        push([0; LIMIT], stream, chunk, profile, seen);
        push(&mut [0; LIMIT][..], stream, chunk, profile, seen);
        fill([0; LIMIT + 2], stream, chunk, profile, seen);
        fill(&mut [0; 2 * LIMIT][..], stream, chunk, profile, seen);
        receive(stream, chunk, profile, seen);
    }
}

#[test]
fn the_counter_counts() {
    let (kept, heap) = measure(|| black_box(vec![1_u8, 2, 3]));
    assert_eq!(heap, Heap { calls: 1, held: 3, peak: 3 });
    let (_, heap) = measure(move || {
        let mut kept = kept;
        kept.reserve_exact(7);
        black_box(&kept);
        drop(kept);
    });
    assert_eq!(heap, Heap { calls: 1, held: -3, peak: 7 });
    let (_, heap) = measure(|| ());
    assert_eq!(heap, Heap::default());
}

/// The counter sees the only heap allocation of the core, which happens on request.
#[test]
#[cfg(feature = "alloc")]
fn the_counter_sees_text_that_is_decoded_into_a_string() {
    let text = RawJson::parse(br#""caf\u00e9""#).unwrap().string().unwrap();
    let (decoded, heap) = measure(|| text.decode());
    assert_eq!(decoded.unwrap(), "café");
    assert!(heap.calls > 0);
}

#[test]
fn nothing_is_allocated_on_the_way_of_a_byte() {
    let mut seen = Seen::default();
    let ((), heap) = measure(|| {
        for profile in every_profile() {
            run(HEALTHY, &profile, &mut seen);
            run(BROKEN, &profile, &mut seen);
        }
    });
    assert_eq!(heap, Heap::default());

    // Everything was covered.
    for count in [
        seen.requests,
        seen.notifications,
        seen.results,
        seen.errors,
        seen.batches,
        seen.faults,
        seen.replies,
        seen.oversized,
    ] {
        assert!(count > 0);
    }
    assert!(seen.skimmed > LIMIT as u64);
    // The caller of the splitter reports an unterminated last line, and the framings of other tests the rest.
    let elsewhere = |rule: &&Rule| {
        matches!(**rule, Rule::UNTERMINATED_FRAME | Rule::TOO_MANY_NAMES)
            || (Rule::UNFINISHED_FRAME..=Rule::VALUE_EXPECTED).contains(*rule)
    };
    assert!(seen.unbroken().iter().eq(rule::ALL.iter().filter(elsewhere)), "{:?}", seen.unbroken());
}

/// Random bytes: most are garbage, some begin like a message, and each stream has a new length.
#[test]
fn nothing_is_allocated_for_garbage() {
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let mut stream = [0; 600];
    let mut seen = Seen::default();
    for round in 0..200 {
        for byte in &mut stream {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            *byte = random as u8;
        }
        // Valid input, corrupted in a place or two.
        let length = stream.len().min(HEALTHY.len());
        if round % 2 == 0 {
            let broken = usize::from(stream[0]);
            stream[..length].copy_from_slice(&HEALTHY[..length]);
            stream[broken] = random as u8;
            stream[2 * broken] ^= 1 << (random % 8);
        }
        let length = length - round;
        let ((), heap) = measure(|| run(&stream[..length], &Profile::JSON_RPC, &mut seen));
        assert_eq!(heap, Heap::default(), "{}", stream[..length].escape_ascii());
    }
    assert!(seen.faults > 0 && seen.requests > 0);
}
