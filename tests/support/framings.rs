//! The drivers of a framing, compared with a naive reference that has the whole stream at once.

use tautline::Profile;
use tautline::envelope::Skimmer;
#[cfg(feature = "alloc")]
use tautline::frame::HeapBuffer;
use tautline::frame::{
    AnyFraming, Assembler, Concatenated, ContentLength, Contiguous, Found, Frame, FrameBuffer,
    FrameEvent, Frames, Framing, ServerSentEvents, Splitter, Storage, TooLong,
};
use tautline::rule;
use tautline::stream::{MessageStream, Received};

mod readers;

/// The highest limit that is tested with storage in an array.
pub const HIGHEST_LIMIT: u32 = 256;

/// The initial contents of the storage.
const STALE: u8 = 0xEE;

/// The contents of the wire, as both the reference and a driver report it.
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

/// The action when the framing loses its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    Stop,
    Resync,
}

/// A framing that can be chosen at run time.
pub trait Choice: Framing + Clone {
    /// Returns the same framing, as one that was chosen at run time.
    fn chosen(&self) -> AnyFraming;

    /// Returns what the framing knows besides a frame.
    fn about(&self) -> String {
        String::new()
    }
}

impl Choice for Splitter {
    fn chosen(&self) -> AnyFraming {
        AnyFraming::Ndjson(self.clone())
    }
}

impl Choice for ContentLength {
    fn chosen(&self) -> AnyFraming {
        AnyFraming::ContentLength(self.clone())
    }
}

impl Choice for Concatenated {
    fn chosen(&self) -> AnyFraming {
        AnyFraming::Concatenated(self.clone())
    }
}

impl Choice for ServerSentEvents {
    fn chosen(&self) -> AnyFraming {
        AnyFraming::Sse(self.clone())
    }

    fn about(&self) -> String {
        let shown = |text: Result<&[u8], TooLong>| match text {
            Ok(text) => text.escape_ascii().to_string(),
            Err(TooLong) => "TooLong".to_owned(),
        };
        let (kind, id) = (shown(self.event_type()), shown(self.last_event_id()));
        format!("type {kind}\nid {id}\nretry {:?}", self.retry())
    }
}

impl Choice for AnyFraming {
    fn chosen(&self) -> AnyFraming {
        self.clone()
    }

    fn about(&self) -> String {
        match self {
            Self::Sse(events) => events.about(),
            _ => String::new(),
        }
    }
}

/// A fresh framing, a stream, and the result of the reference.
pub struct Case<'a, F> {
    pub framing: F,
    pub stream: &'a [u8],
    pub behind: Behind,
    pub expected: Vec<Seen>,
}

impl<F: Choice> Case<'_, F> {
    /// Checks every driver on this cut, whose chunks make up the stream, with the framing and with the same one chosen
    /// at run time.
    pub fn check_cut(&self, chunks: &[&[u8]]) {
        self.check_drivers(chunks);
        self.chosen().check_drivers(chunks);
    }

    /// Returns the same case for a framing that was chosen at run time.
    fn chosen(&self) -> Case<'_, AnyFraming> {
        let Self { framing, stream, behind, expected } = self;
        Case { framing: framing.chosen(), stream, behind: *behind, expected: expected.clone() }
    }

    /// Checks every driver on this cut.
    pub fn check_drivers(&self, chunks: &[&[u8]]) {
        debug_assert_eq!(chunks.concat(), self.stream);
        self.by_hand(chunks);
        let mut storage = vec![STALE; self.framing.limit() as usize];
        self.assembler(&mut storage[..], chunks);
        const ARRAY: usize = HIGHEST_LIMIT as usize;
        let fits = self.framing.limit() <= HIGHEST_LIMIT;
        if fits {
            self.assembler([STALE; ARRAY], chunks);
        }
        #[cfg(feature = "alloc")]
        self.assembler(HeapBuffer::new(self.framing.limit()), chunks);
        let mut storage = vec![STALE; self.least_room()];
        self.buffer(&mut storage[..], chunks);
        if fits {
            self.buffer([STALE; ARRAY + 2], chunks);
        }
        #[cfg(feature = "alloc")]
        self.buffer(HeapBuffer::new(self.framing.limit()), chunks);
        self.messages(chunks);
        self.readers(chunks);
    }

    /// Checks the stream whole, byte by byte, and cut once at every position.
    pub fn check_cuts(&self) {
        self.check_cut(&[self.stream]);
        self.check_cut(&self.stream.chunks(1).collect::<Vec<_>>());
        for at in 0..=self.stream.len() {
            let (before, behind) = self.stream.split_at(at);
            self.check_cut(&[before, behind]);
        }
    }

    fn assert_without_dropped(&self, driver: &str, chunks: &[&[u8]], seen: &[Seen]) {
        self.assert(driver, chunks, seen, &without_dropped(&self.expected));
    }

    fn assert(&self, driver: &str, chunks: &[&[u8]], seen: &[Seen], expected: &[Seen]) {
        let limit = self.framing.limit();
        assert_eq!(seen, expected, "{driver}, limit {limit}, {:?}: {}", self.behind, {
            let chunks: Vec<_> = chunks.iter().map(|c| c.escape_ascii().to_string()).collect();
            format!("{chunks:?}")
        });
    }

    fn assembler<S: Storage>(&self, storage: S, chunks: &[&[u8]]) {
        let mut assembler = Assembler::with_framing(storage, self.framing.clone());
        let mut seen = Vec::new();
        let mut is_lost = false;
        for mut rest in chunks.iter().copied() {
            loop {
                let before = rest;
                let Some(event) = assembler.next(&mut rest) else {
                    assert!(is_lost || rest.is_empty(), "not all of a chunk was consumed");
                    assert!(!is_lost || rest == before, "something was consumed");
                    break;
                };
                is_lost |=
                    self.behind == Behind::Stop && matches!(event, FrameEvent::Desynchronised(_));
                seen.push(owned(event));
                self.tell(&mut seen, assembler.framing());
                if self.behind == Behind::Resync {
                    assembler.resync();
                }
            }
        }
        if !is_lost {
            assert_eq!(assembler.framing().position(), self.stream.len() as u64);
        }
        while let Some(event) = assembler.finish() {
            seen.push(owned(event));
            self.tell(&mut seen, assembler.framing());
        }
        assert!(assembler.finish().is_none());
        self.assert_without_dropped("Assembler", chunks, &seen);
    }

    /// Returns the least storage that a buffer needs: two bytes more than the limit, unless it never has to hold a
    /// byte.
    fn least_room(&self) -> usize {
        if self.framing.limit() == 0 { 1 } else { self.framing.limit() as usize + 2 }
    }

    fn buffer<S: Storage>(&self, storage: S, chunks: &[&[u8]]) {
        let mut buffer = FrameBuffer::with_framing(storage, self.framing.clone());
        let mut seen = Vec::new();
        'chunks: for mut unread in chunks.iter().copied() {
            while !unread.is_empty() {
                let spare = buffer.spare();
                assert!(!spare.is_empty(), "there is no room to read");
                let (read, rest) = unread.split_at(spare.len().min(unread.len()));
                spare[..read.len()].copy_from_slice(read);
                buffer.commit(read.len());
                unread = rest;
                while let Some(event) = buffer.next() {
                    let is_lost = matches!(event, FrameEvent::Desynchronised(_));
                    seen.push(owned(event));
                    self.tell(&mut seen, buffer.framing());
                    if is_lost && self.behind == Behind::Stop {
                        assert!(buffer.next().is_none() && buffer.finish().is_none());
                        break 'chunks;
                    }
                    buffer.resync();
                }
            }
        }
        while let Some(event) = buffer.finish() {
            seen.push(owned(event));
            self.tell(&mut seen, buffer.framing());
        }
        assert!(buffer.finish().is_none());
        self.assert_without_dropped("FrameBuffer", chunks, &seen);
    }

    fn tell(&self, seen: &mut [Seen], framing: &F) {
        if let Some(Seen::Frame { about, .. } | Seen::Oversized { about, .. }) = seen.last_mut() {
            *about = framing.about();
        }
    }

    /// Drives the framing alone, keeping its pieces in a `Vec`.
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
                let is_whole = framing.ended().offset >= start;
                if matches!(step.found, Found::Frame(_)) && is_whole && !kept.contains(&b'\n') {
                    assert!(kept.is_empty(), "a frame that is whole in a chunk is kept needlessly");
                }
                self.found(step.found, &framing, input, &mut kept, &mut dropped, &mut seen);
                input = &input[step.consumed..];
                match step.found {
                    Found::NeedMore => break,
                    Found::Desynchronised(_) if self.behind == Behind::Resync => framing.resync(),
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
            self.found(found, &framing, b"", &mut kept, &mut dropped, &mut seen);
            if found == Found::NeedMore {
                break;
            }
        }
        assert!(kept.is_empty() && dropped.is_empty(), "bytes were lost");
        self.assert("by hand", chunks, &seen, &self.expected);
    }

    fn found(
        &self,
        found: Found,
        framing: &F,
        input: &[u8],
        kept: &mut Vec<u8>,
        dropped: &mut Vec<u8>,
        seen: &mut Vec<Seen>,
    ) {
        let ended = framing.ended();
        match found {
            Found::Frame(piece) => {
                kept.extend(piece.bytes(input));
                assert_eq!(kept.len() as u64, ended.length);
                seen.push(Seen::Frame {
                    offset: ended.offset,
                    line: ended.line,
                    bytes: std::mem::take(kept),
                    terminated: ended.terminated,
                    about: framing.about(),
                });
            }
            Found::Keep(piece) => {
                assert!(piece.start < piece.end, "a piece of nothing");
                kept.extend(piece.bytes(input));
            }
            Found::KeepHeld(held) => kept.extend(held),
            Found::Overflow => dropped.append(kept),
            Found::Discard(piece) => dropped.extend(piece.bytes(input)),
            Found::DiscardHeld(held) => dropped.extend(held),
            Found::Oversized => seen.push(Seen::Oversized {
                offset: ended.offset,
                line: ended.line,
                length: ended.length,
                terminated: ended.terminated,
                dropped: std::mem::take(dropped),
                about: framing.about(),
            }),
            Found::Unfinished => {
                dropped.append(kept);
                let dropped = std::mem::take(dropped);
                seen.push(Seen::Unfinished { offset: ended.offset, length: ended.length, dropped });
            }
            Found::Desynchronised(cause) => {
                assert!(kept.is_empty());
                seen.push(Seen::Desynchronised { offset: ended.offset, cause: rule::name(cause) });
            }
            Found::Blank => kept.clear(),
            Found::ByteOrderMark | Found::NeedMore => {}
            other => panic!("a finding that is not known here: {other:?}"),
        }
    }

    /// Checks the stream of messages, and the same stream with frames that are parsed only here.
    fn messages(&self, chunks: &[&[u8]]) {
        for (driver, is_parsed) in [("MessageStream", true), ("MessageStream, unparsed", false)] {
            let mut storage = vec![STALE; self.framing.limit() as usize];
            let assembler = Assembler::with_framing(&mut storage[..], self.framing.clone());
            let mut stream = MessageStream::with_assembler(assembler, &Profile::JSON_RPC);
            let mut comparison = Comparison { driver, left: self.expected.iter() };
            for mut rest in chunks.iter().copied() {
                while let Some(received) = match is_parsed {
                    true => stream.next(&mut rest),
                    false => stream.next_frame(&mut rest).map(parsed),
                } {
                    comparison.next(received);
                    if self.behind == Behind::Resync {
                        stream.resync();
                    }
                }
            }
            while let Some(received) = match is_parsed {
                true => stream.finish(),
                false => stream.finish_frame().map(parsed),
            } {
                comparison.next(received);
            }
            comparison.finish();
        }
    }
}

/// Parses a frame that the stream has not parsed. Any other event is none.
fn parsed<'buf>(event: Result<Frame<'buf>, Received<'buf>>) -> Received<'buf> {
    event.map_or_else(
        |received| {
            assert!(received.frame().is_none(), "{received:?}");
            received
        },
        |frame| Received::from_event(FrameEvent::Frame(frame), &Profile::JSON_RPC),
    )
}

/// The events that a driver of messages has yet to yield.
struct Comparison<'a> {
    driver: &'static str,
    left: std::slice::Iter<'a, Seen>,
}

impl Comparison<'_> {
    fn next(&mut self, received: Received<'_>) {
        let expected = self.left.next().expect("no more events");
        if let (Received::Oversized { skimmed, .. }, Seen::Oversized { dropped, .. }) =
            (&received, expected)
        {
            let mut skimmer = Skimmer::new(&Profile::JSON_RPC);
            skimmer.push(dropped);
            assert_eq!(*skimmed, Some(skimmer.finish()), "not all was shown: {}", self.driver);
        }
        let (event, is_message) = match received {
            Received::Message { frame, .. } | Received::Fault { frame, .. } => {
                (FrameEvent::Frame(frame), true)
            }
            Received::Oversized { oversized, .. } => (FrameEvent::Oversized(oversized), true),
            Received::NoMessage(event) => (event, false),
            Received::Unfinished(unfinished) => (FrameEvent::Unfinished(unfinished), true),
            Received::Desynchronised(lost) => (FrameEvent::Desynchronised(lost), true),
            other => panic!("an event that is not known here: {other:?}"),
        };
        let (mut expected, mut meant) = (expected.clone(), true);
        match &mut expected {
            Seen::Frame { about, bytes, .. } => {
                meant = carries_message(&std::mem::take(about), bytes);
            }
            Seen::Oversized { about, dropped, .. } => {
                meant = carries_message(&std::mem::take(about), b"{}");
                dropped.clear();
            }
            Seen::Unfinished { dropped, .. } => dropped.clear(),
            Seen::Desynchronised { .. } => {}
        }
        let driver = self.driver;
        assert_eq!((owned(event), is_message), (expected, meant), "{driver}");
    }

    fn finish(self) {
        assert_eq!(self.left.as_slice(), [], "{}", self.driver);
    }
}

impl<F: Contiguous + Choice> Case<'_, F> {
    /// Checks the driver that has the whole stream at once.
    pub fn check_whole(&self) {
        let mut frames = Frames::with_framing(self.stream, self.framing.clone());
        let mut seen = Vec::new();
        while let Some(event) = frames.next() {
            seen.push(owned(event));
            self.tell(&mut seen, frames.framing());
            if self.behind == Behind::Resync {
                frames.resync();
            }
        }
        assert_eq!(seen, without_dropped(&self.expected), "Frames: {}", self.stream.escape_ascii());
    }
}

/// Returns whether a frame is meant to be a message, as far as the framing can tell.
fn carries_message(about: &str, bytes: &[u8]) -> bool {
    about.is_empty() || (about.starts_with("type message\n") && !bytes.is_empty())
}

/// Returns the same events without the bytes that were dropped, which only the framing itself reports.
fn without_dropped(events: &[Seen]) -> Vec<Seen> {
    let mut events = events.to_vec();
    for event in &mut events {
        if let Seen::Oversized { dropped, .. } | Seen::Unfinished { dropped, .. } = event {
            dropped.clear();
        }
    }
    events
}

/// Returns the event with its bytes.
fn owned(event: FrameEvent<'_>) -> Seen {
    let dropped = Vec::new();
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
            Seen::Desynchronised { offset: lost.offset(), cause: rule::name(lost.rule()) }
        }
        other => panic!("an event that is not known here: {other:?}"),
    }
}

/// A decoded fuzzer's input: a byte for the limit, one for what to do when the place is lost and the number of chunk
/// sizes, the sizes, which repeat, and the stream.
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
        let behind = if flags & 128 == 0 { Behind::Stop } else { Behind::Resync };
        Self { limit: u32::from(*limit), behind, chunks, stream }
    }
}
