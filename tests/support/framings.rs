//! The drivers of a framing, held to a naive twin that has all of the stream at once.

// The fuzzer builds this file in a package of its own, which has `std` on and no feature to say so.
#![allow(unexpected_cfgs)]
// Not every framing has every driver, and the fuzzer cuts streams by itself.
#![allow(dead_code)]

use tautline::Rules;
#[cfg(any(feature = "std", fuzzing))]
use tautline::frame::Growing;
use tautline::frame::{Assembler, Contiguous, Found, FrameEvent, Frames, Framing, Storage};
use tautline::stream::{MessageStream, Received};

/// The highest limit that a case may have: that of storage in an array.
pub const HIGHEST_LIMIT: u32 = 256;

/// What the storage holds at first.
const STALE: u8 = 0xEE;

/// What is on the wire, as the twin says it and as a driver does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    Frame {
        offset: u64,
        line: u64,
        bytes: Vec<u8>,
        terminated: bool,
        about: String,
    },
    Oversized {
        offset: u64,
        line: u64,
        length: u64,
        terminated: bool,
        dropped: Vec<u8>,
        about: String,
    },
    Unfinished {
        offset: u64,
        length: u64,
        dropped: Vec<u8>,
    },
    Desynchronised {
        offset: u64,
        cause: &'static str,
    },
}

/// What is done where the place is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    Stop,
    Hunt,
}

/// A framing that has seen nothing, a stream, and what the twin makes of it.
pub struct Case<'a, F> {
    pub framing: F,
    /// What the framing knows beside a frame.
    pub about: fn(&F) -> String,
    pub stream: &'a [u8],
    pub behind: Behind,
    pub expected: Vec<Seen>,
}

impl<F: Framing + Clone> Case<'_, F> {
    /// Checks every driver on this cut, whose chunks make the stream.
    pub fn check_cut(&self, chunks: &[&[u8]]) {
        debug_assert_eq!(chunks.concat(), self.stream);
        self.by_hand(chunks);
        let mut storage = vec![STALE; self.framing.limit() as usize];
        self.assembler(&mut storage[..], chunks);
        const ARRAY: usize = HIGHEST_LIMIT as usize;
        self.assembler([STALE; ARRAY], chunks);
        #[cfg(any(feature = "std", fuzzing))]
        self.assembler(Growing::new(self.framing.limit()), chunks);
        self.messages(chunks);
    }

    /// Whole, byte by byte, and cut once at every place.
    pub fn check_cuts(&self) {
        self.check_cut(&[self.stream]);
        self.check_cut(&self.stream.chunks(1).collect::<Vec<_>>());
        for at in 0..=self.stream.len() {
            let (before, behind) = self.stream.split_at(at);
            self.check_cut(&[before, behind]);
        }
    }

    fn assert(&self, driver: &str, chunks: &[&[u8]], seen: &[Seen]) {
        let limit = self.framing.limit();
        assert_eq!(seen, self.expected, "{driver}, limit {limit}, {:?}: {}", self.behind, {
            let chunks: Vec<_> = chunks.iter().map(|c| c.escape_ascii().to_string()).collect();
            format!("{chunks:?}")
        });
    }

    fn assembler<S: Storage>(&self, storage: S, chunks: &[&[u8]]) {
        let mut assembler = Assembler::with_framing(storage, self.framing.clone());
        let mut seen = Vec::new();
        let mut dropped = Vec::new();
        let mut is_lost = false;
        for mut rest in chunks.iter().copied() {
            loop {
                let before = rest;
                let event = assembler.next_watched(&mut rest, |piece| dropped.extend(piece));
                let Some(event) = event else {
                    assert!(is_lost || rest.is_empty(), "not all of a chunk was consumed");
                    assert!(!is_lost || rest == before, "something was consumed");
                    break;
                };
                is_lost |=
                    self.behind == Behind::Stop && matches!(event, FrameEvent::Desynchronised(_));
                seen.push(owned(event, &mut dropped));
                self.tell(&mut seen, assembler.framing());
                if self.behind == Behind::Hunt {
                    assembler.hunt();
                }
            }
        }
        if !is_lost {
            assert_eq!(assembler.framing().position(), self.stream.len() as u64);
        }
        while let Some(event) = assembler.finish_watched(|piece| dropped.extend(piece)) {
            seen.push(owned(event, &mut dropped));
            self.tell(&mut seen, assembler.framing());
        }
        assert!(assembler.finish().is_none() && dropped.is_empty());
        self.assert("Assembler", chunks, &seen);
    }

    fn tell(&self, seen: &mut [Seen], framing: &F) {
        if let Some(Seen::Frame { about, .. } | Seen::Oversized { about, .. }) = seen.last_mut() {
            *about = (self.about)(framing);
        }
    }

    /// The framing alone, its pieces kept in a `Vec`.
    fn by_hand(&self, chunks: &[&[u8]]) {
        let mut framing = self.framing.clone();
        let mut seen = Vec::new();
        let (mut kept, mut dropped) = (Vec::new(), Vec::new());
        let mut start = 0;
        'chunks: for chunk in chunks {
            let mut input = *chunk;
            // If many steps in a row could consume nothing, the work would not be linear.
            let mut idle = 0;
            loop {
                let step = framing.step(input);
                if let Found::Frame(frame) = step.found
                    && !frame.bytes().is_empty()
                {
                    let (here, there) = (input.as_ptr_range(), frame.bytes().as_ptr_range());
                    assert!(here.start <= there.start && there.end <= here.end);
                }
                if let Found::Carried { tail, ended } = step.found
                    && ended.offset >= start
                {
                    // Nothing that lies whole in a chunk needs to be copied.
                    let bytes = [&kept[..], tail].concat();
                    assert!(bytes.is_empty() || bytes.contains(&b'\n'), "carried from nowhere");
                }
                input = &input[step.consumed..];
                self.found(step.found, &framing, &mut kept, &mut dropped, &mut seen);
                match step.found {
                    Found::NeedMore => break,
                    Found::Desynchronised(_) if self.behind == Behind::Hunt => framing.hunt(),
                    Found::Desynchronised(_) => {
                        let step = framing.step(input);
                        assert_eq!((step.consumed, step.found), (0, Found::NeedMore));
                        break 'chunks;
                    }
                    _ => {}
                }
                idle = if step.consumed == 0 { idle + 1 } else { 0 };
                assert!(idle <= 3, "the framing does not get on");
            }
            assert!(input.is_empty(), "not all of a chunk was consumed");
            start += chunk.len() as u64;
            assert_eq!(framing.position(), start);
        }
        loop {
            let found = framing.finish();
            self.found(found, &framing, &mut kept, &mut dropped, &mut seen);
            if found == Found::NeedMore {
                break;
            }
        }
        assert!(kept.is_empty() && dropped.is_empty(), "bytes were lost");
        self.assert("by hand", chunks, &seen);
    }

    fn found(
        &self,
        found: Found<'_>,
        framing: &F,
        kept: &mut Vec<u8>,
        dropped: &mut Vec<u8>,
        seen: &mut Vec<Seen>,
    ) {
        match found {
            Found::Frame(frame) => {
                assert!(kept.is_empty(), "a frame with bytes before it");
                seen.push(owned(FrameEvent::Frame(frame), dropped));
                self.tell(seen, framing);
            }
            Found::Keep(piece) => {
                assert!(!piece.is_empty(), "a piece of nothing");
                kept.extend(piece);
            }
            Found::Carried { tail, ended } => {
                kept.extend(tail);
                assert_eq!(kept.len() as u64, ended.length);
                seen.push(Seen::Frame {
                    offset: ended.offset,
                    line: ended.line,
                    bytes: std::mem::take(kept),
                    terminated: ended.terminated,
                    about: (self.about)(framing),
                });
            }
            Found::Overflow => dropped.append(kept),
            Found::Discard(piece) => dropped.extend(piece),
            Found::Oversized(oversized) => {
                seen.push(owned(FrameEvent::Oversized(oversized), dropped));
                self.tell(seen, framing);
            }
            Found::Unfinished(unfinished) => {
                dropped.append(kept);
                seen.push(owned(FrameEvent::Unfinished(unfinished), dropped));
            }
            Found::Desynchronised(lost) => {
                assert!(kept.is_empty());
                seen.push(owned(FrameEvent::Desynchronised(lost), dropped));
            }
            Found::ByteOrderMark | Found::NeedMore => {}
            other => panic!("a finding that is not known here: {other:?}"),
        }
    }

    /// The stream door.
    fn messages(&self, chunks: &[&[u8]]) {
        let mut storage = vec![STALE; self.framing.limit() as usize];
        let assembler = Assembler::with_framing(&mut storage[..], self.framing.clone());
        let mut stream = MessageStream::with_assembler(assembler, &Rules::JSON_RPC);
        let mut expected = self.expected.iter();
        let mut compare = |received: Received<'_>| {
            let kind = match (&received, expected.next().unwrap()) {
                (Received::Message { frame, .. }, Seen::Frame { bytes, about, .. })
                | (Received::Fault { frame, .. }, Seen::Frame { bytes, about, .. }) => {
                    frame.bytes() == bytes && is_message(about, bytes)
                }
                (
                    Received::NoMessage(FrameEvent::Frame(frame)),
                    Seen::Frame { bytes, about, .. },
                ) => frame.bytes() == bytes && !is_message(about, bytes),
                (Received::Oversized { .. }, Seen::Oversized { about, .. }) => {
                    is_message(about, b"{}")
                }
                (Received::NoMessage(FrameEvent::Oversized(_)), Seen::Oversized { about, .. }) => {
                    !is_message(about, b"{}")
                }
                (Received::Unfinished(_), Seen::Unfinished { .. })
                | (Received::Desynchronised(_), Seen::Desynchronised { .. }) => true,
                _ => false,
            };
            assert!(kind, "{received:?}");
        };
        for mut rest in chunks.iter().copied() {
            while let Some(received) = stream.next(&mut rest) {
                compare(received);
                if self.behind == Behind::Hunt {
                    stream.hunt();
                }
            }
        }
        while let Some(received) = stream.finish() {
            compare(received);
        }
        assert_eq!(expected.as_slice(), []);
    }
}

impl<F: Contiguous + Clone> Case<'_, F> {
    /// Checks the driver that has all of the stream at once.
    pub fn check_whole(&self) {
        let mut frames = Frames::with_framing(self.stream, self.framing.clone());
        let mut seen = Vec::new();
        while let Some(event) = frames.next() {
            seen.push(owned(event, &mut Vec::new()));
            self.tell(&mut seen, frames.framing());
            if self.behind == Behind::Hunt {
                frames.hunt();
            }
        }
        let mut expected = self.expected.clone();
        for event in &mut expected {
            if let Seen::Oversized { dropped, .. } | Seen::Unfinished { dropped, .. } = event {
                dropped.clear();
            }
        }
        assert_eq!(seen, expected, "Frames: {}", self.stream.escape_ascii());
    }
}

/// Whether a frame is a message as far as the framing can tell: events say.
fn is_message(about: &str, bytes: &[u8]) -> bool {
    about.is_empty() || (about.starts_with("type message\n") && !bytes.is_empty())
}

/// The event, and what was dropped before it.
fn owned(event: FrameEvent<'_>, dropped: &mut Vec<u8>) -> Seen {
    let dropped = std::mem::take(dropped);
    let is_of_something = matches!(event, FrameEvent::Oversized(_) | FrameEvent::Unfinished(_));
    assert!(is_of_something || dropped.is_empty(), "dropped of nothing: {event:?}");
    match event {
        FrameEvent::Frame(frame) => Seen::Frame {
            offset: frame.offset(),
            line: frame.line(),
            bytes: frame.bytes().to_vec(),
            terminated: frame.is_terminated(),
            about: String::new(),
        },
        FrameEvent::Oversized(oversized) => Seen::Oversized {
            offset: oversized.offset(),
            line: oversized.line(),
            length: oversized.length(),
            terminated: oversized.is_terminated(),
            dropped,
            about: String::new(),
        },
        FrameEvent::Unfinished(unfinished) => {
            Seen::Unfinished { offset: unfinished.offset(), length: unfinished.length(), dropped }
        }
        FrameEvent::Desynchronised(lost) => {
            Seen::Desynchronised { offset: lost.offset(), cause: lost.cause().name() }
        }
        other => panic!("an event that is not known here: {other:?}"),
    }
}

/// What a fuzzer's input says: a byte for the limit, one for what is done where the place is lost and
/// the number of sizes, the sizes of the chunks, which come round again and again, and the stream.
pub struct Taken<'a> {
    pub limit: u32,
    pub behind: Behind,
    pub chunks: Vec<&'a [u8]>,
    pub stream: &'a [u8],
}

impl<'a> Taken<'a> {
    pub fn from(input: &'a [u8]) -> Self {
        let (limit, rest) = input.split_first().unwrap_or((&0, &[]));
        let (flags, rest) = rest.split_first().unwrap_or((&0, &[]));
        let (sizes, stream) = rest.split_at(usize::from(flags % 8).min(rest.len()));
        let mut chunks = Vec::new();
        let mut left = stream;
        for &size in sizes.iter().cycle().take_while(|_| sizes.iter().any(|&size| size > 0)) {
            if left.is_empty() {
                break;
            }
            let (chunk, behind) = left.split_at(usize::from(size).min(left.len()));
            chunks.push(chunk);
            left = behind;
        }
        chunks.push(left);
        let behind = if flags & 128 == 0 { Behind::Stop } else { Behind::Hunt };
        Self { limit: u32::from(*limit), behind, chunks, stream }
    }
}
