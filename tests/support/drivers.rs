//! All drivers of framing, each compared with the naive reference.

use tautline::Profile;
use tautline::envelope::Skimmer;
#[cfg(feature = "alloc")]
use tautline::frame::HeapBuffer;
use tautline::frame::{
    AnyFraming, Assembler, Ended, Found, FrameBuffer, FrameEvent, Frames, Framing, FramingKind,
    Splitter, Storage,
};
use tautline::stream::{MessageStream, Messages, Received};

use super::framings::{self, Behind, Seen};
use super::reference::splitter::{self, Kind, Line, Split};

/// The highest limit that is tested with storage in an array.
pub const HIGHEST_LIMIT: u32 = 256;

const ARRAY: usize = HIGHEST_LIMIT as usize;

/// The initial contents of the storage. If a driver lent a byte it had not written, it would be a newline, which no
/// frame contains.
const STALE: u8 = b'\n';

/// A stream and a limit, with the result of the naive reference.
pub struct Case<'stream> {
    stream: &'stream [u8],
    limit: u32,
    expected: Split<'stream>,
}

/// The times at which a buffer is asked for its lines.
#[derive(Clone, Copy)]
enum Asked {
    /// After every read, until there are no more.
    UntilEmpty,
    /// After every read for one line, and until there are no more if there is no room to read. At the end of the
    /// stream, lines may be left that were not asked for.
    Once,
}

/// Runs every reader that the features provide, each with its own storage.
macro_rules! every_reader {
    ($case:ident, $storage:expr, $chunks:expr) => {
        #[cfg(feature = "std")]
        $case.reader($storage, $chunks);
        #[cfg(feature = "embedded-io-v0_7")]
        $case.embedded_reader($storage, $chunks);
        #[cfg(feature = "embedded-io-async-v0_7")]
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
            let mut storage = vec![STALE; self.min_reply_len()];
            let buffer = FrameBuffer::with_limit(&mut storage[..], self.limit);
            self.buffer("least room", buffer, chunks, Asked::UntilEmpty);
        }
    }

    /// Checks the other drivers on this cut, whose chunks make up the stream, and reports what the splitter found.
    pub fn check_cut(&self, chunks: &[&[u8]], observe: &mut dyn FnMut(Found, Ended)) {
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

        let mut storage = vec![STALE; self.min_reply_len()];
        let slice = FrameBuffer::with_limit(&mut storage[..], self.limit);
        self.buffer("slice", slice, chunks, Asked::UntilEmpty);
        let mut storage = vec![STALE; 2 * self.min_reply_len() + 1];
        let slice = FrameBuffer::with_limit(&mut storage[..], self.limit);
        self.buffer("slice asked once", slice, chunks, Asked::Once);
    }

    /// Checks the readers, the other drivers with storage that grows, and all drivers of lines that were chosen at run
    /// time. This is slow without optimisation, so it is a separate check.
    pub fn check_readers(&self, chunks: &[&[u8]]) {
        self.chosen(chunks);
        every_reader!(self, &mut vec![STALE; self.min_reply_len()][..], chunks);
        if self.limit <= HIGHEST_LIMIT {
            every_reader!(self, [STALE; ARRAY + 2], chunks);
        }
        #[cfg(feature = "alloc")]
        self.check_growing(chunks);
        #[cfg(feature = "tokio-util-v0_7")]
        self.codec(chunks);
    }

    fn chosen(&self, chunks: &[&[u8]]) {
        let seen = |line: &Line<'_>| {
            let &Line { kind, number: line, offset, bytes, terminated } = line;
            let (bytes, length, about) = (bytes.to_vec(), bytes.len() as u64, String::new());
            match kind {
                Kind::Frame => Seen::Frame { offset, line, bytes, terminated, about },
                Kind::Oversized => {
                    Seen::Oversized { offset, line, length, terminated, dropped: bytes, about }
                }
            }
        };
        let case = framings::Case {
            framing: AnyFraming::new(FramingKind::Ndjson, self.limit),
            stream: self.stream,
            behind: Behind::Stop,
            expected: self.expected.lines.iter().map(seen).collect(),
        };
        case.check_drivers(chunks);
    }

    #[cfg(feature = "alloc")]
    fn check_growing(&self, chunks: &[&[u8]]) {
        let growing = Assembler::new(HeapBuffer::new(self.limit));
        self.assembler("growing", growing, chunks);
        let growing = FrameBuffer::new(HeapBuffer::new(self.limit));
        self.buffer("growing", growing, chunks, Asked::UntilEmpty);
        let growing = FrameBuffer::with_limit(HeapBuffer::default(), self.limit);
        self.buffer("growing asked once", growing, chunks, Asked::Once);
        every_reader!(self, HeapBuffer::new(self.limit), chunks);
    }

    /// Returns the least storage that a buffer needs for frames of up to the limit: two bytes more, unless it never
    /// has to hold a byte.
    fn min_reply_len(&self) -> usize {
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
        for mut rest in chunks.iter().copied() {
            while let Some(event) = assembler.next(&mut rest) {
                comparison.event(event);
            }
            assert!(rest.is_empty(), "not all of a chunk was consumed: {comparison:?}");
        }
        comparison.consumed(assembler.framing());
        while let Some(event) = assembler.finish() {
            comparison.event(event);
        }
        comparison.finished(assembler.framing(), &[]);
    }

    fn buffer<S: Storage>(
        &self,
        storage: &'static str,
        mut buffer: FrameBuffer<S>,
        chunks: &[&[u8]],
        asked: Asked,
    ) {
        let mut comparison = self.compare(storage, chunks);
        for mut unread in chunks.iter().copied() {
            while !unread.is_empty() {
                if matches!(asked, Asked::Once) && buffer.spare().is_empty() {
                    comparison.drain(&mut buffer);
                }
                let spare = buffer.spare();
                assert!(!spare.is_empty(), "there is no room to read: {comparison:?}");
                let (read, rest) = unread.split_at(spare.len().min(unread.len()));
                spare[..read.len()].copy_from_slice(read);
                buffer.commit(read.len());
                unread = rest;
                match asked {
                    Asked::UntilEmpty => comparison.drain(&mut buffer),
                    Asked::Once => {
                        comparison.ask_once(&mut buffer);
                    }
                }
            }
        }
        if matches!(asked, Asked::UntilEmpty) {
            comparison.consumed(buffer.framing());
        }
        while let Some(event) = buffer.finish() {
            comparison.event(event);
        }
        comparison.finished(buffer.framing(), &[]);
    }

    /// Drives the splitter alone, keeping its pieces in a `Vec`.
    fn by_hand(&self, chunks: &[&[u8]], observe: &mut dyn FnMut(Found, Ended)) {
        let mut comparison = self.compare("Splitter", chunks);
        let mut splitter = Splitter::new(self.limit);
        let mut kept = Vec::new();
        let mut discarded = Vec::new();
        for mut input in chunks.iter().copied() {
            // A step that consumes nothing reports on earlier bytes. If many of those could follow each other, the
            // work would not be linear.
            let mut idle = 0;
            let chunk_start = splitter.position();
            loop {
                let step = splitter.step(input);
                observe(step.found, splitter.ended());
                let starts_here = splitter.ended().offset >= chunk_start;
                if matches!(step.found, Found::Frame(_)) && starts_here {
                    // A frame that lies whole in a chunk need not be copied.
                    assert!(kept.is_empty(), "a frame is kept for nothing: {comparison:?}");
                }
                comparison.found(step.found, &splitter, input, &mut kept, &mut discarded);
                input = &input[step.consumed..];
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
            observe(found, splitter.ended());
            comparison.found(found, &splitter, b"", &mut kept, &mut discarded);
            if found == Found::NeedMore {
                break;
            }
        }
        assert!(kept.is_empty(), "kept bytes were lost: {comparison:?}");
        comparison.finished(&splitter, &discarded);
    }

    /// Checks the message stream in chunks against the one over the whole slice.
    fn messages(&self, chunks: &[&[u8]]) {
        let comparison = self.compare("MessageStream", chunks);
        let mut storage = vec![STALE; self.limit as usize];
        let assembler = Assembler::new(&mut storage[..]);
        let mut stream = MessageStream::without_skimmer(assembler, &Profile::JSON_RPC);
        let mut messages = Messages::new(self.stream, self.limit, &Profile::JSON_RPC);
        for mut rest in chunks.iter().copied() {
            while let Some(received) = stream.next(&mut rest) {
                assert_eq!(Some(received), messages.next(), "{comparison:?}");
            }
            assert!(rest.is_empty(), "not all of a chunk was consumed: {comparison:?}");
        }
        comparison.consumed(stream.framing());
        while let Some(received) = stream.finish() {
            assert_eq!(Some(received), messages.next(), "{comparison:?}");
        }
        assert_eq!(messages.next(), None, "{comparison:?}");
    }

    #[cfg(feature = "std")]
    fn reader<S: Storage>(&self, storage: S, chunks: &[&[u8]]) {
        let buffer = FrameBuffer::with_limit(storage, self.limit);
        let profile = &Profile::JSON_RPC;
        let mut reader =
            tautline::io::MessageReader::with_buffer(Wire::new(chunks), buffer, profile);
        let mut comparison = self.compare("io::MessageReader", chunks);
        while let Some(received) = reader.next().unwrap() {
            comparison.received(&received);
        }
        comparison.finished(reader.framing(), &[]);
    }

    #[cfg(feature = "embedded-io-v0_7")]
    fn embedded_reader<S: Storage>(&self, storage: S, chunks: &[&[u8]]) {
        use tautline::io::embedded::MessageReader;

        let buffer = FrameBuffer::with_limit(storage, self.limit);
        let mut reader = MessageReader::new(Wire::new(chunks), buffer, &Profile::JSON_RPC);
        let mut comparison = self.compare("embedded::MessageReader", chunks);
        while let Some(received) = reader.next().unwrap() {
            comparison.received(&received);
        }
        comparison.finished(reader.framing(), &[]);
    }

    /// The wire is always ready, and so is the reader.
    #[cfg(feature = "embedded-io-async-v0_7")]
    fn async_reader<S: Storage>(&self, storage: S, chunks: &[&[u8]]) {
        use std::task::{Context, Poll, Waker};
        use tautline::io::embedded::MessageReader;

        let buffer = FrameBuffer::with_limit(storage, self.limit);
        let reader = MessageReader::new(Wire::new(chunks), buffer, &Profile::JSON_RPC);
        let mut reader = reader;
        let mut comparison = self.compare("embedded::MessageReader, awaiting", chunks);
        let mut context = Context::from_waker(Waker::noop());
        while let Poll::Ready(Ok(Some(received))) =
            std::pin::pin!(reader.next_async()).poll(&mut context)
        {
            comparison.received(&received);
        }
        comparison.finished(reader.framing(), &[]);
    }

    /// Drives the codec as a `Framed` does.
    #[cfg(feature = "tokio-util-v0_7")]
    fn codec(&self, chunks: &[&[u8]]) {
        use tokio_util::codec::Decoder;

        let mut codec = tautline::codec::MessageCodec::with_limit(self.limit, &Profile::JSON_RPC);
        let mut comparison = self.compare("MessageCodec", chunks);
        let mut buffer = bytes::BytesMut::new();
        for chunk in chunks {
            buffer.reserve(1);
            buffer.extend_from_slice(chunk);
            while let Some(item) = codec.decode(&mut buffer).unwrap() {
                comparison.received(&item.received());
            }
        }
        comparison.consumed(codec.framing());
        while let Some(item) = codec.decode_eof(&mut buffer).unwrap() {
            comparison.received(&item.received());
        }
        comparison.finished(codec.framing(), &buffer);
    }

    fn compare<'a>(&'a self, driver: &'static str, chunks: &'a [&'a [u8]]) -> Comparison<'a> {
        Comparison { driver, case: self, chunks, left: self.expected.lines.iter(), end: 0 }
    }
}

/// The lines that one driver has yet to report.
struct Comparison<'a> {
    driver: &'static str,
    case: &'a Case<'a>,
    chunks: &'a [&'a [u8]],
    left: std::slice::Iter<'a, Line<'a>>,
    /// The end of the last line.
    end: u64,
}

impl Comparison<'_> {
    fn line(&mut self, line: Line<'_>) {
        assert_eq!(Some(&line), self.left.next(), "{self:?}");
        // Together with the comparison of the bytes, this keeps every byte of a rejected line out of the frames, even
        // if the reference were wrong.
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
                self.oversized(Ended {
                    offset: oversized.offset(),
                    length: oversized.length(),
                    line: oversized.line(),
                    terminated: oversized.is_terminated(),
                });
            }
            other => panic!("an event that is not known here: {other:?}"),
        }
    }

    /// Checks a message or a faulty line as a frame, whatever it contains. The skimmer has observed exactly the bytes of
    /// an oversized line.
    #[allow(dead_code, reason = "a build without features has no reader")]
    fn received(&mut self, received: &Received<'_>) {
        if let Received::Oversized { skimmed, .. } = received {
            let mut skimmer = Skimmer::new(&Profile::JSON_RPC);
            skimmer.push(self.left.as_slice().first().map_or(b"", |line| line.bytes));
            assert_eq!(*skimmed, Some(skimmer.finish()), "not all was shown: {self:?}");
        }
        self.event(match *received {
            Received::Message { frame, .. } | Received::Fault { frame, .. } => {
                FrameEvent::Frame(frame)
            }
            Received::Oversized { oversized, .. } => FrameEvent::Oversized(oversized),
            ref other => panic!("a line that is not known here: {other:?}"),
        });
    }

    fn ask_once<S: Storage>(&mut self, buffer: &mut FrameBuffer<S>) -> bool {
        match buffer.next() {
            Some(event) => {
                self.event(event);
                true
            }
            None => false,
        }
    }

    fn drain<S: Storage>(&mut self, buffer: &mut FrameBuffer<S>) {
        while self.ask_once(buffer) {}
    }

    /// Acts on what the splitter found in this input.
    fn found(
        &mut self,
        found: Found,
        splitter: &Splitter,
        input: &[u8],
        kept: &mut Vec<u8>,
        discarded: &mut Vec<u8>,
    ) {
        match found {
            Found::Keep(piece) => kept.extend_from_slice(piece.bytes(input)),
            Found::KeepHeld(held) => kept.extend_from_slice(held),
            Found::Frame(piece) => {
                kept.extend_from_slice(piece.bytes(input));
                self.frame(splitter.ended(), kept);
                kept.clear();
            }
            Found::Blank => kept.clear(),
            // The bytes dropped here belong to the rejected line, as do the pieces that follow.
            Found::Overflow => discarded.append(kept),
            Found::Discard(piece) => discarded.extend_from_slice(piece.bytes(input)),
            Found::DiscardHeld(held) => discarded.extend_from_slice(held),
            Found::Oversized => {
                self.oversized(splitter.ended());
                let rejected = std::mem::take(discarded);
                assert!(rejected.len() as u64 == splitter.ended().length, "{self:?}");
            }
            Found::ByteOrderMark | Found::NeedMore => {}
            other => panic!("a finding that is not known here: {other:?}"),
        }
    }

    fn oversized(&mut self, ended: Ended) {
        let start = ended.offset as usize;
        self.line(Line {
            kind: Kind::Oversized,
            number: ended.line,
            offset: ended.offset,
            bytes: &self.case.stream[start..start + ended.length as usize],
            terminated: ended.terminated,
        });
    }

    /// Checks the state after the whole stream was pushed.
    fn consumed(&self, splitter: &Splitter) {
        let length = self.case.stream.len() as u64;
        assert_eq!(splitter.position(), length, "{self:?}");
    }

    /// Checks the state after the end of the stream.
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

/// A wire that returns one chunk at a time, or as much of it as fits.
struct Wire<'a> {
    chunks: std::slice::Iter<'a, &'a [u8]>,
    rest: &'a [u8],
}

impl<'a> Wire<'a> {
    fn new(chunks: &'a [&'a [u8]]) -> Self {
        Self { chunks: chunks.iter(), rest: b"" }
    }

    fn give(&mut self, room: &mut [u8]) -> usize {
        // An empty read would signal the end.
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

#[cfg(feature = "embedded-io-v0_7")]
impl embedded_io::ErrorType for Wire<'_> {
    type Error = std::convert::Infallible;
}

#[cfg(feature = "embedded-io-v0_7")]
impl embedded_io::Read for Wire<'_> {
    fn read(&mut self, room: &mut [u8]) -> Result<usize, Self::Error> {
        Ok(self.give(room))
    }
}

#[cfg(feature = "embedded-io-async-v0_7")]
impl embedded_io_async::Read for Wire<'_> {
    async fn read(&mut self, room: &mut [u8]) -> Result<usize, Self::Error> {
        Ok(self.give(room))
    }
}

/// Prints all that is needed to reproduce the failure.
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

/// The longest stream that is printed, in bytes.
const LEGIBLE: usize = 10_000;

fn escaped(bytes: &[u8]) -> String {
    match bytes.get(..LEGIBLE) {
        Some(start) => format!("{}... {} bytes", start[..100].escape_ascii(), bytes.len()),
        None => bytes.escape_ascii().to_string(),
    }
}
