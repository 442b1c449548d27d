//! All the drivers of framing, each held to the naive twin.

// The fuzzer builds this file in a package of its own, which has `std` on and no feature to say so.
#![allow(unexpected_cfgs)]

#[path = "reference/splitter.rs"]
pub mod splitter;

use splitter::{Kind, Line, Split};
use tautline::Rules;
#[cfg(any(feature = "std", fuzzing))]
use tautline::frame::Growing;
use tautline::frame::{
    Assembler, Ended, Found, FrameBuffer, FrameEvent, Frames, Splitter, Storage,
};
use tautline::stream::{MessageStream, Messages, Received};

/// The highest limit at which storage in an array is tried.
pub const HIGHEST_LIMIT: u32 = 256;

const ARRAY: usize = HIGHEST_LIMIT as usize;

/// What the storage holds at first. A byte that is lent without having been put there would be a
/// newline, which no frame has.
const STALE: u8 = b'\n';

/// A stream and a limit, and what the naive twin makes of them.
pub struct Case<'stream> {
    stream: &'stream [u8],
    limit: u32,
    expected: Split<'stream>,
}

/// When a buffer is asked for its lines.
#[derive(Clone, Copy)]
enum Asked {
    /// After every read, until there are no more.
    UntilEmpty,
    /// After every read for one line, and until there are no more where there is no room to read. At
    /// the end of the stream, there may be lines left that were not asked for.
    Once,
}

/// Runs each reader that the features have over storage of its own.
macro_rules! every_reader {
    ($case:ident, $storage:expr, $chunks:expr) => {
        #[cfg(any(feature = "std", fuzzing))]
        $case.reader($storage, $chunks);
        #[cfg(any(feature = "embedded-io-v0_7", fuzzing))]
        $case.embedded_reader($storage, $chunks);
        #[cfg(any(feature = "embedded-io-async-v0_7", fuzzing))]
        $case.async_reader($storage, $chunks);
    };
}

impl<'stream> Case<'stream> {
    pub fn new(stream: &'stream [u8], limit: u32) -> Self {
        let expected = splitter::split(stream, limit);
        Self { stream, limit, expected }
    }

    /// Checks the drivers that do not depend on how the stream is cut.
    pub fn check_whole(&self) {
        self.frames();
        let whole = [self.stream];
        let bytes: Vec<_> = self.stream.chunks(1).collect();
        for chunks in [&whole[..], &bytes] {
            let mut storage = vec![STALE; self.least_room()];
            let buffer = FrameBuffer::with_limit(&mut storage[..], self.limit);
            self.buffer("least room", buffer, chunks, Asked::UntilEmpty);
        }
    }

    /// Checks the others on this cut, whose chunks make the stream, and shows what the splitter found.
    pub fn check_cut(&self, chunks: &[&[u8]], observe: &mut dyn FnMut(&Found<'_>)) {
        debug_assert_eq!(chunks.concat(), self.stream);
        self.by_hand(chunks, observe);
        self.messages(chunks);

        if self.limit <= HIGHEST_LIMIT {
            let array = Assembler::with_limit([STALE; ARRAY], self.limit);
            self.assembler("array", array, chunks);
            let array = FrameBuffer::with_limit([STALE; ARRAY + 2], self.limit);
            self.buffer("array", array, chunks, Asked::UntilEmpty);
        }
        let mut storage = vec![STALE; self.limit as usize];
        let slice = Assembler::new(&mut storage[..]);
        self.assembler("slice", slice, chunks);

        let mut storage = vec![STALE; self.least_room()];
        let slice = FrameBuffer::with_limit(&mut storage[..], self.limit);
        self.buffer("slice", slice, chunks, Asked::UntilEmpty);
        let mut storage = vec![STALE; 2 * self.least_room() + 1];
        let slice = FrameBuffer::with_limit(&mut storage[..], self.limit);
        self.buffer("slice asked once", slice, chunks, Asked::Once);
    }

    /// Checks the readers, and the other drivers with storage that grows. That takes its time where it is
    /// not optimised, so it is a check of its own.
    pub fn check_readers(&self, chunks: &[&[u8]]) {
        every_reader!(self, &mut vec![STALE; self.least_room()][..], chunks);
        if self.limit <= HIGHEST_LIMIT {
            every_reader!(self, [STALE; ARRAY + 2], chunks);
        }
        #[cfg(any(feature = "std", fuzzing))]
        self.check_growing(chunks);
        #[cfg(any(feature = "tokio-util-v0_7", fuzzing))]
        self.codec(chunks);
    }

    #[cfg(any(feature = "std", fuzzing))]
    fn check_growing(&self, chunks: &[&[u8]]) {
        let growing = Assembler::new(Growing::new(self.limit));
        self.assembler("growing", growing, chunks);
        let growing = FrameBuffer::new(Growing::new(self.limit));
        self.buffer("growing", growing, chunks, Asked::UntilEmpty);
        let growing = FrameBuffer::with_limit(Growing::default(), self.limit);
        self.buffer("growing asked once", growing, chunks, Asked::Once);
        every_reader!(self, Growing::new(self.limit), chunks);
    }

    /// The least storage that a buffer needs for frames of up to the limit: two bytes more, unless it
    /// never has to hold a byte.
    fn least_room(&self) -> usize {
        if self.limit == 0 { 1 } else { self.limit as usize + 2 }
    }

    fn frames(&self) {
        let mut comparison = self.compare("Frames", &[]);
        let mut frames = Frames::new(self.stream, self.limit);
        for event in &mut frames {
            comparison.event(event);
        }
        assert!(frames.next().is_none(), "{comparison:?}");
        assert_eq!(frames.blank_lines(), self.expected.blank, "{comparison:?}");
        comparison.no_more_lines();
    }

    fn assembler<S: Storage>(
        &self,
        storage: &'static str,
        mut assembler: Assembler<S>,
        chunks: &[&[u8]],
    ) {
        let mut comparison = self.compare(storage, chunks);
        let mut discarded = Vec::new();
        for mut rest in chunks.iter().copied() {
            while let Some(event) =
                assembler.next_watched(&mut rest, |piece| discarded.extend_from_slice(piece))
            {
                comparison.watched_event(event, &mut discarded);
            }
            assert!(rest.is_empty(), "not all of a chunk was consumed: {comparison:?}");
        }
        comparison.consumed(assembler.splitter());
        while let Some(event) = assembler.finish_watched(|piece| discarded.extend_from_slice(piece))
        {
            comparison.watched_event(event, &mut discarded);
        }
        comparison.finished(assembler.splitter(), &discarded);
    }

    fn buffer<S: Storage>(
        &self,
        storage: &'static str,
        mut buffer: FrameBuffer<S>,
        chunks: &[&[u8]],
        asked: Asked,
    ) {
        let mut comparison = self.compare(storage, chunks);
        let mut discarded = Vec::new();
        for mut unread in chunks.iter().copied() {
            while !unread.is_empty() {
                if matches!(asked, Asked::Once) && buffer.spare().is_empty() {
                    comparison.drain(&mut buffer, &mut discarded);
                }
                let spare = buffer.spare();
                assert!(!spare.is_empty(), "there is no room to read: {comparison:?}");
                let (read, rest) = unread.split_at(spare.len().min(unread.len()));
                spare[..read.len()].copy_from_slice(read);
                buffer.commit(read.len());
                unread = rest;
                match asked {
                    Asked::UntilEmpty => comparison.drain(&mut buffer, &mut discarded),
                    Asked::Once => {
                        comparison.ask_once(&mut buffer, &mut discarded);
                    }
                }
            }
        }
        if matches!(asked, Asked::UntilEmpty) {
            comparison.consumed(buffer.splitter());
        }
        while let Some(event) = buffer.finish_watched(|piece| discarded.extend_from_slice(piece)) {
            comparison.watched_event(event, &mut discarded);
        }
        comparison.finished(buffer.splitter(), &discarded);
    }

    /// The splitter alone, its pieces kept in a `Vec`.
    fn by_hand(&self, chunks: &[&[u8]], observe: &mut dyn FnMut(&Found<'_>)) {
        let mut comparison = self.compare("Splitter", chunks);
        let mut splitter = Splitter::new(self.limit);
        let mut kept = Vec::new();
        let mut discarded = Vec::new();
        for mut input in chunks.iter().copied() {
            // A step that consumes nothing says something of bytes that it was shown before; if there
            // could be many of those in a row, the work would not be linear.
            let mut idle = 0;
            let chunk_start = splitter.position();
            loop {
                let step = splitter.step(input);
                observe(&step.found);
                match step.found {
                    Found::Frame(frame) => {
                        let here = input.as_ptr_range();
                        let there = frame.bytes().as_ptr_range();
                        assert!(
                            here.start <= there.start && there.end <= here.end,
                            "a frame that is not in the input: {comparison:?}"
                        );
                    }
                    // Nothing of a frame that lies whole in a chunk needs to be copied.
                    Found::Carried { ended, .. } => assert!(
                        ended.offset < chunk_start,
                        "a frame is carried from nowhere: {comparison:?}"
                    ),
                    _ => {}
                }
                input = &input[step.consumed..];
                comparison.found(step.found, &mut kept, &mut discarded);
                if step.found == Found::NeedMore {
                    break;
                }
                idle = if step.consumed == 0 { idle + 1 } else { 0 };
                assert!(idle <= 2, "the splitter does not get on: {comparison:?}");
            }
            assert!(input.is_empty(), "not all of a chunk was consumed: {comparison:?}");
        }
        comparison.consumed(&splitter);
        loop {
            let found = splitter.finish();
            observe(&found);
            comparison.found(found, &mut kept, &mut discarded);
            if found == Found::NeedMore {
                break;
            }
        }
        assert!(kept.is_empty(), "kept bytes were lost: {comparison:?}");
        comparison.finished(&splitter, &discarded);
    }

    /// The stream door against its twin over the whole slice.
    fn messages(&self, chunks: &[&[u8]]) {
        let comparison = self.compare("MessageStream", chunks);
        let mut storage = vec![STALE; self.limit as usize];
        let mut stream = MessageStream::new(&mut storage[..], &Rules::JSON_RPC);
        let mut messages = Messages::new(self.stream, self.limit, &Rules::JSON_RPC);
        for mut rest in chunks.iter().copied() {
            while let Some(received) = stream.next(&mut rest) {
                assert_eq!(Some(received), messages.next(), "{comparison:?}");
            }
            assert!(rest.is_empty(), "not all of a chunk was consumed: {comparison:?}");
        }
        comparison.consumed(stream.splitter());
        while let Some(received) = stream.finish() {
            assert_eq!(Some(received), messages.next(), "{comparison:?}");
        }
        assert_eq!(messages.next(), None, "{comparison:?}");
    }

    #[cfg(any(feature = "std", fuzzing))]
    fn reader<S: Storage>(&self, storage: S, chunks: &[&[u8]]) {
        let buffer = FrameBuffer::with_limit(storage, self.limit);
        let rules = &Rules::JSON_RPC;
        let mut reader = tautline::io::MessageReader::with_buffer(Wire::new(chunks), buffer, rules);
        let mut comparison = self.compare("io::MessageReader", chunks);
        while let Some(received) = reader.next().unwrap() {
            comparison.received(&received);
        }
        comparison.finished(reader.splitter(), &[]);
    }

    #[cfg(any(feature = "embedded-io-v0_7", fuzzing))]
    fn embedded_reader<S: Storage>(&self, storage: S, chunks: &[&[u8]]) {
        use tautline::io::embedded::MessageReader;

        let buffer = FrameBuffer::with_limit(storage, self.limit);
        let mut reader = MessageReader::new(Wire::new(chunks), buffer, &Rules::JSON_RPC);
        let mut comparison = self.compare("embedded::MessageReader", chunks);
        while let Some(received) = reader.next().unwrap() {
            comparison.received(&received);
        }
        comparison.finished(reader.splitter(), &[]);
    }

    /// The wire is always ready, and so the reader is.
    #[cfg(any(feature = "embedded-io-async-v0_7", fuzzing))]
    fn async_reader<S: Storage>(&self, storage: S, chunks: &[&[u8]]) {
        use std::task::{Context, Poll, Waker};
        use tautline::io::embedded_async::MessageReader;

        let buffer = FrameBuffer::with_limit(storage, self.limit);
        let reader = MessageReader::new(Wire::new(chunks), buffer, &Rules::JSON_RPC);
        let mut reader = reader.skimming();
        let mut comparison = self.compare("embedded_async::MessageReader", chunks);
        let mut context = Context::from_waker(Waker::noop());
        while let Poll::Ready(Ok(Some(received))) = std::pin::pin!(reader.next()).poll(&mut context)
        {
            comparison.received(&received);
        }
        comparison.finished(reader.splitter(), &[]);
    }

    /// The codec, fed as a `Framed` feeds it.
    #[cfg(any(feature = "tokio-util-v0_7", fuzzing))]
    fn codec(&self, chunks: &[&[u8]]) {
        use tokio_util::codec::Decoder;

        let mut codec = tautline::codec::MessageCodec::with_limit(self.limit, &Rules::JSON_RPC);
        let mut comparison = self.compare("MessageCodec", chunks);
        let mut buffer = bytes::BytesMut::new();
        for chunk in chunks {
            buffer.reserve(1);
            buffer.extend_from_slice(chunk);
            while let Some(item) = codec.decode(&mut buffer).unwrap() {
                comparison.received(&item.received());
            }
        }
        comparison.consumed(codec.splitter());
        while let Some(item) = codec.decode_eof(&mut buffer).unwrap() {
            comparison.received(&item.received());
        }
        comparison.finished(codec.splitter(), &buffer);
    }

    fn compare<'a>(&'a self, driver: &'static str, chunks: &'a [&'a [u8]]) -> Comparison<'a> {
        Comparison { driver, case: self, chunks, left: self.expected.lines.iter(), end: 0 }
    }
}

/// The lines that one driver has still to say.
struct Comparison<'a> {
    driver: &'static str,
    case: &'a Case<'a>,
    chunks: &'a [&'a [u8]],
    left: std::slice::Iter<'a, Line<'a>>,
    /// Where the last line ended.
    end: u64,
}

impl Comparison<'_> {
    fn line(&mut self, line: Line<'_>) {
        assert_eq!(Some(&line), self.left.next(), "{self:?}");
        // With the bytes equal to those of the stream, this keeps every byte of a rejected line out of
        // the frames, even if the twin were wrong.
        assert!(self.end <= line.offset, "lines overlap: {self:?}");
        self.end = line.offset + line.bytes.len() as u64;
    }

    fn frame(&mut self, ended: Ended, bytes: &[u8]) {
        assert_eq!(ended.length, bytes.len() as u64, "{self:?}");
        self.line(Line {
            kind: Kind::Frame,
            number: ended.line,
            offset: ended.offset,
            bytes,
            terminated: ended.terminated,
        });
    }

    fn event(&mut self, event: FrameEvent<'_>) {
        match event {
            FrameEvent::Frame(frame) => {
                let ended = Ended {
                    offset: frame.offset(),
                    length: frame.bytes().len() as u64,
                    line: frame.line(),
                    terminated: frame.is_terminated(),
                };
                self.frame(ended, frame.bytes());
            }
            FrameEvent::Oversized(oversized) => {
                assert_eq!(oversized.limit(), self.case.limit, "{self:?}");
                let start = oversized.offset() as usize;
                let end = start + oversized.length() as usize;
                self.line(Line {
                    kind: Kind::Oversized,
                    number: oversized.line(),
                    offset: oversized.offset(),
                    bytes: &self.case.stream[start..end],
                    terminated: oversized.is_terminated(),
                });
            }
            other => panic!("an event that is not known here: {other:?}"),
        }
    }

    /// A message or a faulty line is a frame, whatever is in it.
    #[allow(dead_code, reason = "a build without features has no reader")]
    fn received(&mut self, received: &Received<'_>) {
        self.event(match *received {
            Received::Message { frame, .. } | Received::Fault { frame, .. } => {
                FrameEvent::Frame(frame)
            }
            Received::Oversized { oversized, .. } => FrameEvent::Oversized(oversized),
            ref other => panic!("a line that is not known here: {other:?}"),
        });
    }

    /// An event, before which exactly the bytes were shown that are not in it.
    fn watched_event(&mut self, event: FrameEvent<'_>, discarded: &mut Vec<u8>) {
        let rejected: &[u8] = match event {
            FrameEvent::Oversized(_) => self.left.as_slice().first().map_or(b"", |line| line.bytes),
            _ => b"",
        };
        assert_eq!(discarded, rejected, "what was discarded: {self:?}");
        discarded.clear();
        self.event(event);
    }

    fn ask_once<S: Storage>(
        &mut self,
        buffer: &mut FrameBuffer<S>,
        discarded: &mut Vec<u8>,
    ) -> bool {
        match buffer.next_watched(|piece| discarded.extend_from_slice(piece)) {
            Some(event) => {
                self.watched_event(event, discarded);
                true
            }
            None => false,
        }
    }

    fn drain<S: Storage>(&mut self, buffer: &mut FrameBuffer<S>, discarded: &mut Vec<u8>) {
        while self.ask_once(buffer, discarded) {}
    }

    /// Does what the splitter says.
    fn found(&mut self, found: Found<'_>, kept: &mut Vec<u8>, discarded: &mut Vec<u8>) {
        match found {
            Found::Frame(frame) => {
                assert!(kept.is_empty(), "a frame with bytes before it: {self:?}");
                self.watched_event(FrameEvent::Frame(frame), discarded);
            }
            Found::Keep(piece) => kept.extend_from_slice(piece),
            Found::Carried { tail, ended } => {
                kept.extend_from_slice(tail);
                self.frame(ended, kept);
                kept.clear();
            }
            Found::Blank => kept.clear(),
            // What is dropped here belongs to the rejected line like the pieces that follow.
            Found::Overflow => discarded.append(kept),
            Found::Discard(piece) => discarded.extend_from_slice(piece),
            Found::Oversized(oversized) => {
                self.watched_event(FrameEvent::Oversized(oversized), discarded);
            }
            Found::ByteOrderMark | Found::NeedMore => {}
            other => panic!("a finding that is not known here: {other:?}"),
        }
    }

    /// All of the stream was pushed.
    fn consumed(&self, splitter: &Splitter) {
        let length = self.case.stream.len() as u64;
        assert_eq!(splitter.position(), length, "{self:?}");
    }

    /// The end of the stream was said.
    fn finished(self, splitter: &Splitter, discarded: &[u8]) {
        self.consumed(splitter);
        assert!(discarded.is_empty(), "of no line: {self:?}");
        let Split { blank, count, .. } = self.case.expected;
        assert_eq!(splitter.blank_lines(), blank, "{self:?}");
        assert_eq!(splitter.line(), count + 1, "{self:?}");
        self.no_more_lines();
    }

    fn no_more_lines(self) {
        assert_eq!(self.left.as_slice(), [], "{self:?}");
    }
}

/// A wire that gives one chunk at a time, or as much of it as there is room for.
struct Wire<'a> {
    chunks: std::slice::Iter<'a, &'a [u8]>,
    rest: &'a [u8],
}

impl<'a> Wire<'a> {
    fn new(chunks: &'a [&'a [u8]]) -> Self {
        Self { chunks: chunks.iter(), rest: b"" }
    }

    fn give(&mut self, room: &mut [u8]) -> usize {
        // To read nothing would be the end.
        while self.rest.is_empty() {
            let Some(chunk) = self.chunks.next() else { return 0 };
            self.rest = chunk;
        }
        let (given, rest) = self.rest.split_at(room.len().min(self.rest.len()));
        room[..given.len()].copy_from_slice(given);
        self.rest = rest;
        given.len()
    }
}

impl std::io::Read for Wire<'_> {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        Ok(self.give(room))
    }
}

#[cfg(any(feature = "embedded-io-v0_7", feature = "embedded-io-async-v0_7", fuzzing))]
impl embedded_io::ErrorType for Wire<'_> {
    type Error = std::convert::Infallible;
}

#[cfg(any(feature = "embedded-io-v0_7", fuzzing))]
impl embedded_io::Read for Wire<'_> {
    fn read(&mut self, room: &mut [u8]) -> Result<usize, Self::Error> {
        Ok(self.give(room))
    }
}

#[cfg(any(feature = "embedded-io-async-v0_7", fuzzing))]
impl embedded_io_async::Read for Wire<'_> {
    async fn read(&mut self, room: &mut [u8]) -> Result<usize, Self::Error> {
        Ok(self.give(room))
    }
}

/// All that is needed to run into the same failure again.
impl std::fmt::Debug for Comparison<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { driver, case, .. } = self;
        write!(f, "{driver}, limit {}, stream {:?}", case.limit, escaped(case.stream))?;
        if case.stream.len() > LEGIBLE {
            let sizes: Vec<_> = self.chunks.iter().map(|chunk| chunk.len()).collect();
            return write!(f, ", chunks of {sizes:?} bytes");
        }
        let chunks: Vec<_> = self.chunks.iter().map(|chunk| escaped(chunk)).collect();
        write!(f, ", chunks {chunks:?}")
    }
}

/// Nobody reads a longer stream than this, in bytes.
const LEGIBLE: usize = 10_000;

fn escaped(bytes: &[u8]) -> String {
    match bytes.get(..LEGIBLE) {
        Some(start) => format!("{}... {} bytes", start[..100].escape_ascii(), bytes.len()),
        None => bytes.escape_ascii().to_string(),
    }
}
