//! A stream looks ahead in its input, but remembers nothing about bytes that it has not consumed: the caller may show
//! other bytes the next time.

use std::fmt::Debug;

use tautline::Profile;
use tautline::stream::{MessageStream, Messages};

/// A line of about this many bytes.
fn line(id: usize, length: usize) -> String {
    let text = "x".repeat(length);
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"a\",\"params\":[\"{text}\"]}}\n")
}

fn shown(event: &impl Debug) -> String {
    format!("{event:?}")
}

/// Shows each line to a stream, with another decoy after it each time. The first half of every third line is shown
/// alone before the rest.
fn events(lines: &[String], decoys: &[&[u8]]) -> Vec<String> {
    let mut stream = MessageStream::new([0; 8192], &Profile::JSON_RPC);
    let mut events = Vec::new();
    for (turn, line) in lines.iter().enumerate() {
        let decoy = decoys[turn % decoys.len()];
        let (half, rest) = line.as_bytes().split_at(if turn % 3 == 2 { line.len() / 2 } else { 0 });
        let mut half = half;
        assert!(stream.next(&mut half).is_none() && half.is_empty());
        let input = [rest, decoy].concat();
        let mut rest = &input[..];
        events.extend(stream.next(&mut rest).as_ref().map(shown));
        assert_eq!(rest, decoy, "only the line is consumed");
    }
    events.extend(stream.finish().as_ref().map(shown));
    events
}

/// Streams treat lines of more than 2 KiB with care, and search ahead for the last line end that they were shown.
#[test]
fn what_is_shown_after_a_line_may_change() {
    let lengths = [3000, 10, 3000, 3000, 2100, 40, 5000];
    let lines: Vec<_> = lengths.iter().enumerate().map(|(id, &length)| line(id, length)).collect();
    let all = lines.concat();
    let expected: Vec<_> = Messages::new(all.as_bytes(), 8192, &Profile::JSON_RPC)
        .map(|event| shown(&event))
        .collect();
    assert_eq!(expected.len(), lines.len());

    let (long, cut) = (line(9, 4000), line(9, 4000).replace('\n', ""));
    let many = line(9, 10).repeat(50);
    let decoys: [&[u8]; 6] =
        [b"", many.as_bytes(), b"\n\n", cut.as_bytes(), long.as_bytes(), b"\"\\\xFF\r\n{"];
    for first in 0..decoys.len() {
        let mut decoys = decoys;
        decoys.rotate_left(first);
        assert_eq!(events(&lines, &decoys), expected, "beginning with {first}");
    }
}

#[cfg(feature = "std")]
mod in_pieces {
    use std::io::{self, Read};

    use tautline::Profile;
    use tautline::frame::{FrameBuffer, HeapBuffer, Storage};
    use tautline::io::MessageReader;
    use tautline::stream::MessageStream;

    use super::{line, shown};

    const LIMIT: usize = 8192;
    const PIECES: [usize; 7] = [1, 7, 100, 1000, 2049, 4096, 9000];

    /// Lines of every kind, most of them after a long one.
    fn stream() -> Vec<u8> {
        // A line without text has this many bytes, without its newline.
        let rest = line(1, 0).len() - 1;
        let lines = [
            line(1, 3000),
            line(2, 10),
            line(3, 3000),
            line(4, 3000).replace('\n', "\r\n"),
            " \r\n".to_owned(),
            line(5, 3000),
            " ".repeat(5000) + "\n",
            line(6, 2100),
            line(7, LIMIT - rest),
            line(8, LIMIT - rest).replace('\n', "\r\n"),
            line(9, LIMIT - rest + 1),
            line(1, 3000),
            line(2, 70_000),
            line(3, 3000),
            line(4, 5000).replace('x', "\\"),
            line(5, 3000).replace('x', "\r"),
            "{}\n".to_owned(),
            line(6, 3000),
            line(7, 4000).replace('\n', "\r"),
        ];
        lines.concat().into_bytes()
    }

    /// Returns the events of a stream that is shown everything at once.
    fn expected(bytes: &[u8]) -> Vec<String> {
        let storage = HeapBuffer::new(LIMIT.try_into().unwrap());
        let mut stream = MessageStream::new(storage, &Profile::JSON_RPC);
        let (mut input, mut events) = (bytes, Vec::new());
        while let Some(event) = stream.next(&mut input) {
            events.push(shown(&event));
        }
        events.extend(stream.finish().as_ref().map(shown));
        events
    }

    /// Yields at most this many bytes at a time, and fails once before each read.
    struct Pieces<'a> {
        rest: &'a [u8],
        most: usize,
        fails: bool,
    }

    impl Read for Pieces<'_> {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            self.fails = !self.fails;
            if self.fails {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            let length = room.len().min(self.most);
            self.rest.read(&mut room[..length])
        }
    }

    fn read(bytes: &[u8], most: usize, storage: impl Storage) -> Vec<String> {
        let pieces = Pieces { rest: bytes, most, fails: false };
        let buffer = FrameBuffer::new(storage);
        let mut reader = MessageReader::with_buffer(pieces, buffer, &Profile::JSON_RPC);
        let mut events = Vec::new();
        loop {
            match reader.next() {
                Ok(Some(event)) => events.push(shown(&event)),
                Ok(None) => break,
                Err(error) => assert_eq!(error.kind(), io::ErrorKind::WouldBlock),
            }
        }
        assert_eq!(reader.framing().position(), bytes.len() as u64);
        events
    }

    /// A reader waits for the end of a long line before it scans any of it.
    #[test]
    fn a_long_line_may_come_in_pieces() {
        let bytes = stream();
        let expected = expected(&bytes);
        assert_eq!(expected.len(), 17);
        for most in PIECES {
            let storage = HeapBuffer::new(LIMIT.try_into().unwrap());
            assert_eq!(read(&bytes, most, storage), expected, "{most}");
            assert_eq!(read(&bytes, most, [0; LIMIT + 2]), expected, "{most}");
        }
    }

    #[cfg(feature = "tokio-util-v0_7")]
    #[test]
    fn a_long_line_may_come_in_pieces_to_a_codec() {
        use bytes::BytesMut;
        use tautline::codec::MessageCodec;
        use tokio_util::codec::Decoder;

        let bytes = stream();
        let expected = expected(&bytes);
        for most in PIECES {
            let mut codec = MessageCodec::with_limit(LIMIT.try_into().unwrap(), &Profile::JSON_RPC);
            let (mut buffer, mut events) = (BytesMut::new(), Vec::new());
            for piece in bytes.chunks(most) {
                buffer.extend_from_slice(piece);
                while let Some(item) = codec.decode(&mut buffer).unwrap() {
                    events.push(shown(&item.received()));
                }
                assert!(buffer.len() <= LIMIT + 1, "no more is kept than a line and its CR");
            }
            while let Some(item) = codec.decode_eof(&mut buffer).unwrap() {
                events.push(shown(&item.received()));
            }
            assert_eq!(events, expected, "{most}");
            assert_eq!(codec.framing().position(), bytes.len() as u64);
        }
    }
}
