//! Streams of long and short lines, valid and faulty, cut at every position.
//!
//! Windows scan the bytes of one read, and take over only after hundreds of bytes. So the streams have long lines, with
//! cuts in every block of them and in the lines before and after.

use std::format;
use std::io::Read;
use std::string::String;
use std::vec::Vec;

use super::tests::{Random, seeds};
use super::volume::volume;
use super::{Line, line, plain_lines, shown};
use crate::cast::index;
use crate::envelope::Profile;
use crate::frame::{Assembler, FrameBuffer};
use crate::io::MessageReader;
use crate::stream::{MessageStream, Messages};

/// The number of streams to cut: one of each kind at least.
const STREAMS: u32 = 4;

/// The number of ways to cut each stream into many pieces.
const WAYS: usize = 24;

/// The minimum length in bytes of a long line. Its container is scanned in windows of 4 and of 16 blocks.
const LONG: usize = 1100;

/// Pieces of strings: plain ASCII, escapes, and characters of two, three and four bytes.
const TEXT: [&str; 12] = [
    "plain text, and more of it. ",
    "and so on and on and on, without anything special in it, for more than a block of 64 bytes. ",
    "a",
    r"\n",
    r#"\""#,
    r"\\",
    r"\u00e9",
    r"\ud83d\ude80",
    "é",
    "数据",
    "€",
    "🚀",
];

/// Elements, and replacements for a byte of a line. Most replacements make the line faulty.
const ELEMENTS: [&str; 10] = [
    "1",
    "-2.5e-3",
    "true",
    "null",
    "[]",
    "{}",
    r#""""#,
    r#"[1,[2,{"a":[false]}],3]"#,
    r#"{"name":"a","value":0.25,"more":{"b":[" "]}}"#,
    " [ { \"a\" : 1 } , \"b\"\t]",
];
const REPLACEMENTS: [&[u8]; 18] = [
    b"\"", b"\\", b",", b":", b"[", b"]", b"{", b"}", b"0", b"-", b"x", b" ", b"", b"\t", b"\r",
    b"\n", b"\xC3", b"\xFF",
];

/// Counts of lines, to prove that the test tests something.
#[derive(Debug, Default)]
struct Met {
    healthy: usize,
    faulty: usize,
    /// The same for long lines. The faults are after the place where windows take over.
    long_healthy: usize,
    long_faulty: usize,
    oversized: usize,
    /// Lines that only the validator rejects.
    invalid: usize,
}

impl Met {
    fn note(&mut self, line: &Line<'_>) {
        match line {
            Line::Frame(frame, Ok(_)) if frame.bytes().len() >= LONG => self.long_healthy += 1,
            Line::Frame(_, Ok(_)) => self.healthy += 1,
            Line::Frame(frame, Err(fault)) if frame.bytes().len() >= LONG => {
                self.long_faulty += usize::from(fault.offset() > 400);
            }
            Line::Frame(_, Err(fault)) => {
                self.faulty += 1;
                self.invalid += usize::from(fault.syntax().is_none());
            }
            Line::Oversized(_) => self.oversized += 1,
            Line::Other => panic!("lines have no other events"),
        }
    }
}

#[test]
fn streams_of_long_and_faulty_lines_are_the_same_however_they_are_cut() {
    let streams = volume(STREAMS).max(STREAMS) as usize;
    let mut random = Random(4);
    let mut met = Met::default();
    let mut storage = Vec::new();
    let mut cuts = 0;
    for number in 0..streams {
        // A raw CR is no error in JSON-RPC.
        let (profile, line_break) = match number / 2 % 2 {
            0 => (Profile::JSON_RPC, &b"\n"[..]),
            _ => (super::OBJECTS, &b"\r"[..]),
        };
        let (most, place) = [(8, Place::Anywhere), (40, Place::LastComma)][number % 2];
        let (wire, limit) = stream(&mut random, most, place, line_break);
        let case = Case::new(&wire, limit, &profile);
        // Room for a line and its end, or more. The bytes of lines that came before stay there.
        let room = index(limit) + 2;
        storage.resize(room + random.below(room), b'\n');
        case.expected.iter().for_each(|line| met.note(line));
        for at in 0..=wire.len() {
            let (first, second) = wire.split_at(at);
            case.check(&[first, second], &mut storage);
        }
        for _ in 0..WAYS {
            case.check(&pieces(&mut random, &wire), &mut storage);
        }
        cuts += wire.len() + 1 + WAYS;
    }
    std::println!("{streams} streams, {cuts} cuts, {met:?}");
    let Met { healthy, faulty, long_healthy, long_faulty, oversized, invalid } = met;
    for (count, least) in [
        (healthy, streams),
        (faulty, streams),
        (long_healthy, streams / 2),
        (long_faulty, streams / 2),
        (oversized, streams / 4),
        (invalid, streams / 4),
    ] {
        assert!(count >= least, "{count} of at least {least}");
    }
}

/// The comma in a long container after which the line is broken.
#[derive(Clone, Copy)]
enum Place {
    /// Any comma in a window. A line that ends sooner is not scanned in windows.
    Anywhere,
    /// The last one, in a window of a few bytes.
    LastComma,
}

/// Returns a stream of 3 to `most` lines, and a limit that another line may exceed. One line has a line break between
/// two tokens. Other texts may have whitespace there, so windows must know where a line ends.
fn stream(random: &mut Random, most: usize, place: Place, line_break: &[u8]) -> (Vec<u8>, u32) {
    let seeds = seeds();
    let count = 1 + random.below(most - 2);
    let mut lines: Vec<_> = (0..count).map(|_| short_line(random, &seeds[..6])).collect();
    for number in 0..2 {
        // The strings of the broken line are plain, so the line break is its only fault.
        let mut line = long_line(random, if number == 1 { &TEXT[..3] } else { &TEXT });
        if number == 1 {
            break_at_comma(random, &mut line, place, line_break);
        } else if random.below(3) > 0 {
            damage(random, &mut line, 400);
        }
        lines.insert(random.below(lines.len() + 1), line);
    }
    let limit = lines.iter().map(Vec::len).max().unwrap_or(0);
    if random.below(3) > 0 {
        let mut oversized = b" ".repeat(limit - 1000 + random.below(3));
        oversized.extend(b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"a\"}");
        oversized.resize(limit + 1 + random.below(2), b' ');
        let at = random.below(lines.len());
        lines.insert(at, oversized);
    }
    let mut wire = if random.below(4) == 0 { b"\xEF\xBB\xBF".to_vec() } else { Vec::new() };
    for line in &lines {
        wire.extend(line);
        wire.extend([&b"\n"[..], b"\n", b"\r\n", b"\n \t\r\n"][random.below(4)]);
    }
    if random.below(2) == 0 {
        wire.truncate(wire.trim_ascii_end().len());
    }
    (wire, u32::try_from(limit).unwrap())
}

fn short_line(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut line = match random.below(12) {
        0 => b"Server listening on port 3000".to_vec(),
        1 => b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"a\"}".to_vec(),
        2 => Vec::new(),
        _ => seeds[random.below(seeds.len())].clone(),
    };
    if random.below(4) == 0 {
        damage(random, &mut line, 0);
    }
    line
}

/// Returns a message with a long container, and with strings of these pieces.
fn long_line(random: &mut Random, texts: &[&str]) -> Vec<u8> {
    let (begin, end) = [
        (r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"a":["#, "]}}"),
        (r#"{"jsonrpc":"2.0","id":"é","result":{"a":["#, "]}}"),
        (r#"{"id":1,"result":{"a":{"b":[1],"c":"#, r#"}},"jsonrpc":"2.0"}"#),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","data":["#, "]}}"),
    ][random.below(4)];
    let in_object = end.starts_with('}');
    let length = LONG + [random.below(200), random.below(1400)][random.below(2)];
    let mut text = String::from(begin) + &element(random, texts);
    while text.len() < length {
        text += if in_object { ",\"k\":" } else { "," };
        text += &element(random, texts);
    }
    (text + end).into_bytes()
}

fn break_at_comma(random: &mut Random, line: &mut Vec<u8>, place: Place, line_break: &[u8]) {
    // A comma between elements. In strings, a space follows each comma.
    let is_comma = |at: &usize| line[*at] == b',' && line.get(*at + 1) != Some(&b' ');
    let first = match place {
        Place::Anywhere => 850 + random.below(line.len() - 850),
        Place::LastComma => line.len(),
    };
    let comma = (first..line.len()).find(is_comma).or_else(|| (0..first).rfind(is_comma));
    let at = comma.map_or(0, |comma| comma + 1);
    line.splice(at..at, line_break.iter().copied());
}

fn element(random: &mut Random, texts: &[&str]) -> String {
    match random.below(6) {
        0 => {
            let pieces = random.below(30);
            // Only a few kinds of pieces, so that some strings are plain ASCII, and some consist of escapes alone.
            let (first, kinds) = (random.below(texts.len()), 1 + random.below(4));
            let text: String =
                (0..pieces).map(|_| texts[(first + random.below(kinds)) % texts.len()]).collect();
            format!("\"{text}\"")
        }
        1 => {
            let numbers: Vec<_> =
                (0..random.below(40)).map(|_| format!("{}", random.below(100_000))).collect();
            format!("[{}]", numbers.join(","))
        }
        _ => ELEMENTS[random.below(ELEMENTS.len())].into(),
    }
}

/// Replaces a byte at or after index `first`, which often causes a fault.
fn damage(random: &mut Random, line: &mut Vec<u8>, first: usize) {
    let at = first + random.below((line.len() - first).max(1));
    let replacement = REPLACEMENTS[random.below(REPLACEMENTS.len())];
    line.splice(at..(at + 1).min(line.len()), replacement.iter().copied());
}

/// Cuts a stream into pieces, most of them small.
fn pieces<'wire>(random: &mut Random, wire: &'wire [u8]) -> Vec<&'wire [u8]> {
    let largest = [3, 40, 400, 3000][random.below(4)];
    let mut pieces = Vec::new();
    let mut rest = wire;
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(random.below(largest + 1).min(rest.len()));
        pieces.push(piece);
        rest = behind;
    }
    pieces
}

/// A stream, and what it consists of.
struct Case<'wire> {
    wire: &'wire [u8],
    limit: u32,
    profile: &'wire Profile,
    expected: Vec<Line<'wire>>,
}

impl<'wire> Case<'wire> {
    /// Compares the whole stream with the plain path.
    fn new(wire: &'wire [u8], limit: u32, profile: &'wire Profile) -> Self {
        let expected = plain_lines(wire, limit, profile).collect();
        let case = Self { wire, limit, profile, expected };
        let whole = [wire];
        let mut left = case.left("Messages", &whole);
        for received in Messages::new(wire, limit, profile) {
            left.take(&line(&received));
        }
        left.end();
        case
    }

    fn left<'case>(&'case self, driver: &'static str, pieces: &'case [&'wire [u8]]) -> Left<'case> {
        Left { driver, case: self, pieces, lines: self.expected.iter() }
    }

    /// Compares every driver of lines that takes a stream in pieces.
    fn check(&self, pieces: &[&'wire [u8]], storage: &mut [u8]) {
        self.pushed(pieces, storage);
        self.read(pieces, storage);
        #[cfg(feature = "tokio-util-v0_7")]
        self.decoded(pieces);
    }

    fn pushed(&self, pieces: &[&'wire [u8]], storage: &mut [u8]) {
        let assembler = Assembler::with_limit(storage, self.limit);
        let mut stream = MessageStream::with_assembler(assembler, self.profile);
        let mut left = self.left("MessageStream", pieces);
        for mut piece in pieces.iter().copied() {
            while let Some(received) = stream.next(&mut piece) {
                left.take(&line(&received));
            }
        }
        while let Some(received) = stream.finish() {
            left.take(&line(&received));
        }
        left.end();
    }

    fn read(&self, pieces: &[&'wire [u8]], storage: &mut [u8]) {
        let buffer = FrameBuffer::with_limit(storage, self.limit);
        let reads = Reads { left: pieces.iter(), piece: b"" };
        let mut reader = MessageReader::with_buffer(reads, buffer, self.profile);
        let mut left = self.left("MessageReader", pieces);
        while let Some(received) = reader.next().unwrap() {
            left.take(&line(&received));
        }
        left.end();
    }

    #[cfg(feature = "tokio-util-v0_7")]
    fn decoded(&self, pieces: &[&'wire [u8]]) {
        use tokio_util::codec::Decoder;

        let mut codec = crate::codec::MessageCodec::with_limit(self.limit, self.profile);
        let mut buffer = bytes::BytesMut::new();
        let mut left = self.left("MessageCodec", pieces);
        for piece in pieces {
            buffer.extend_from_slice(piece);
            while let Some(item) = codec.decode(&mut buffer).unwrap() {
                left.take(&line(&item.received()));
            }
        }
        while let Some(item) = codec.decode_eof(&mut buffer).unwrap() {
            left.take(&line(&item.received()));
        }
        left.end();
    }
}

/// The lines that a driver has yet to yield.
struct Left<'case> {
    driver: &'static str,
    case: &'case Case<'case>,
    pieces: &'case [&'case [u8]],
    lines: core::slice::Iter<'case, Line<'case>>,
}

impl Left<'_> {
    fn take(&mut self, line: &Line<'_>) {
        let expected = self.lines.next();
        assert!(expected == Some(line), "{line:?}, not {expected:?}: {}", self.shown());
    }

    fn end(&mut self) {
        let expected = self.lines.next();
        assert!(expected.is_none(), "the end, not {expected:?}: {}", self.shown());
    }

    fn shown(&self) -> String {
        let Self { driver, case: Case { wire, limit, .. }, pieces, .. } = self;
        let lengths: Vec<_> = pieces.iter().map(|piece| piece.len()).collect();
        format!("{driver}, limit {limit}, pieces of {lengths:?} bytes: {}", shown(wire))
    }
}

/// A reader that returns one piece at a time, or as much of it as fits.
struct Reads<'a, 'wire> {
    left: core::slice::Iter<'a, &'wire [u8]>,
    piece: &'wire [u8],
}

impl Read for Reads<'_, '_> {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        // An empty read would mean the end of the stream.
        while self.piece.is_empty() {
            let Some(piece) = self.left.next() else { return Ok(0) };
            self.piece = piece;
        }
        self.piece.read(room)
    }
}
