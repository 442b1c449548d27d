//! A session of the header beside one of the Rust crate.

use std::collections::BTreeMap;
use std::mem::MaybeUninit;

use tautline::encode::{Encoder, Slice};
use tautline::frame::Frame;
use tautline::stream::{MessageStream, Received};
use tautline::{Fault, Message, RawJson, Rule, Severity};
use tautline_c::abi::tl_profile;
use tautline_c::abi::{TL_ABI, tl_batch, tl_event, tl_skimming_stream, tl_view};
use tautline_c::export::batches::{tl_batch_init, tl_batch_next};
use tautline_c::export::framings::tl_framing_lines_skimming;
use tautline_c::export::streams::{tl_push, tl_stream_init};
use tautline_mcp::{Finding, Role, rule};

use crate::ROOM;
use crate::dice::Dice;
use crate::in_c::InC;
use crate::meaning::{Meaning, finding, number};
use crate::reference::Reference;

/// The number by which requests with an id in use are counted.
pub(crate) const IDS_IN_USE: i32 = 20;

/// A session and its reference, with one stream for each side.
pub(crate) struct Both<'a> {
    pub(crate) reference: Reference,
    pub(crate) in_c: InC,
    pub(crate) profile: &'static tl_profile,
    pub(crate) streams: [(tl_skimming_stream, Box<[u8; ROOM]>); 2],
    pub(crate) references: [MessageStream<[u8; ROOM]>; 2],
    pub(crate) count: &'a mut BTreeMap<i32, u32>,
}

impl Both<'_> {
    /// Shows both a frame of one side, through a stream.
    pub(crate) fn push(&mut self, dice: &mut Dice, from: Role, frame: &str) {
        let line = format!("{frame}\n");
        let side = number(from) as usize - 1;
        let mut event = tl_event::NONE;
        let mut input = tl_view::of(line.as_bytes());
        // SAFETY: all pointers are of this test.
        let kind = unsafe { tl_push(&mut self.streams[side].0.stream, &mut input, &mut event) };
        assert!(kind > 0);
        let room = if dice.roll(4) == 0 { 32 } else { 64 };
        let (seen, flat) = self.in_c.observe(from, &event, room);
        let mut rest = line.as_bytes();
        let received = self.references[side].next(&mut rest).unwrap();
        let (expected, owed) = match received {
            Received::Message { message, .. } => self.reference.message(from, &message),
            Received::Fault { fault, .. } => {
                let members = RawJson::parse(frame.as_bytes());
                let members = members.ok().and_then(|value| value.members());
                let has = |name: &str| {
                    members.clone().is_some_and(|mut all| all.any(|one| one.name == *name))
                };
                let is_no_call = members.is_some() && !has("method") && !has("params");
                fault_seen(&mut self.reference, from, &fault, is_no_call)
            }
            Received::Oversized { fault, skimmed, .. } => {
                let has_method = skimmed.is_some_and(|skimmed| skimmed.method().is_some());
                fault_seen(&mut self.reference, from, &fault, !has_method)
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(seen, expected, "{from} {frame}");
        self.tally(&seen);
        let written = self.in_c.refuse(&event, &flat);
        let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(show(&written), show(&owed), "{frame}");
        if seen.kind == 9 {
            self.batch(from, frame, &event);
        } else if !written.is_empty() && dice.roll(4) != 0 {
            self.send(dice, from.other(), &written);
        }
        self.in_c.compare(&self.reference);
    }

    /// Counts the meaning, the outcome of a response by numbers from 10 on, and requests that are not refused because
    /// their ids are in use.
    fn tally(&mut self, seen: &Meaning) {
        *self.count.entry(seen.kind).or_default() += 1;
        *self.count.entry(10 + seen.completion).or_default() += 1;
        if seen.rule == rule::ID_IN_USE.number() {
            assert_eq!((seen.kind, seen.code), (4, 0));
            *self.count.entry(IDS_IN_USE).or_default() += 1;
        }
    }

    /// Shows both the elements of a batch.
    fn batch(&mut self, from: Role, frame: &str, whole: &tl_event) {
        let parsed = Message::parse(Frame::from_line(frame.as_bytes()), self.profile.profile());
        let Ok(Message::Batch(batch)) = parsed else { panic!("{frame}") };
        let mut state = MaybeUninit::<tl_batch>::uninit();
        let mut event = tl_event::NONE;
        // SAFETY: all pointers are of this test.
        assert_eq!(unsafe { tl_batch_init(state.as_mut_ptr(), self.profile, whole) }, 0);
        for element in &batch {
            // SAFETY: the state is initialised.
            assert!(unsafe { tl_batch_next(state.as_mut_ptr(), &mut event) } > 0);
            let (seen, flat) = self.in_c.observe(from, &event, 64);
            let expected = match element.message() {
                Ok(message) => {
                    let (expected, owed) = self.reference.message(from, &message);
                    assert_eq!(self.in_c.refuse(&event, &flat), owed);
                    expected
                }
                // Its frame is that of the batch, so that it always may be a call.
                Err(fault) => self.reference.fault(from, &fault, false).0,
            };
            assert_eq!(seen, expected, "{from} {frame}");
            self.tally(&seen);
        }
    }

    /// Shows both lines as sent.
    pub(crate) fn send(&mut self, dice: &mut Dice, from: Role, lines: &[u8]) {
        let batches = dice.roll(2) == 0;
        let found = self.in_c.take(from, lines, batches);
        let mut expected = Vec::new();
        let mut start = 0;
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            let mut report = |one: Finding| {
                let (rule, severity, place) = finding(one);
                expected.push((rule, severity, place + start));
            };
            match Message::parse(Frame::from_line(text), self.profile.profile()) {
                Ok(Message::Batch(batch)) if batches => {
                    for element in &batch {
                        match element.message() {
                            Ok(message) => {
                                self.reference.session.observe(from, &message, &mut report);
                            }
                            Err(fault) => report(fault.finding().into()),
                        }
                    }
                }
                Ok(Message::Batch(_)) => {
                    let rule = Rule::BATCH_NOT_ALLOWED;
                    report(tautline::Finding::new(rule, Severity::Error, 0).into());
                }
                Ok(message) => {
                    self.reference.session.observe(from, &message, &mut report);
                }
                Err(fault) => report(fault.finding().into()),
            }
            start += line.len() as u32;
        }
        assert_eq!(found, expected, "{}", String::from_utf8_lossy(lines));
        self.in_c.compare(&self.reference);
    }
}

/// Returns what a fault means, and the reply that may be sent for it.
fn fault_seen(
    reference: &mut Reference,
    from: Role,
    fault: &Fault<'_>,
    is_no_call: bool,
) -> (Meaning, Vec<u8>) {
    let (meaning, may_reply) = reference.fault(from, fault, is_no_call);
    let mut room = vec![0; 2000];
    let mut encoder = Encoder::new(Slice::new(&mut room));
    if may_reply {
        encoder.fault(fault).unwrap();
    }
    (meaning, encoder.output().written().to_vec())
}

pub(crate) fn stream(profile: &tl_profile) -> (tl_skimming_stream, Box<[u8; ROOM]>) {
    let mut room = Box::new([0; ROOM]);
    let mut state = MaybeUninit::<tl_skimming_stream>::uninit();
    // SAFETY: all pointers are of this test, and the room lives as long as the stream.
    unsafe {
        let (to, framing) = (state.as_mut_ptr().cast(), &tl_framing_lines_skimming);
        let (size, at) = (size_of::<tl_skimming_stream>(), room.as_mut_ptr().cast());
        assert_eq!(tl_stream_init(TL_ABI, to, size, framing, profile, at, ROOM), 0);
        (state.assume_init(), room)
    }
}
