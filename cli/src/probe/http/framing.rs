//! The length of the body of a response: how many of the bytes on the connection belong to it.

/// How a body ends (RFC 9112, section 6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// After this many bytes.
    Length(u64),
    /// After a chunk without data and the trailers.
    Chunked(Chunk),
    /// With the connection.
    Connection,
}

/// The place in a chunked body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunk {
    /// Before the size of a chunk.
    Size,
    /// In a chunk, with this many bytes left.
    Data(u64),
    /// After the data of a chunk.
    DataEnd,
    /// In the trailers.
    Trailers,
    /// After the body.
    End,
}

/// The maximum length of the line with the size of a chunk, or of a trailer.
const LONGEST_LINE: usize = 16 * 1024;

/// A step through a body.
#[derive(Debug, PartialEq, Eq)]
pub enum Step<'b> {
    /// These bytes belong to the body. This many bytes are consumed.
    Data(&'b [u8], usize),
    /// This many bytes are consumed, and have no data.
    Skip(usize),
    /// More bytes are needed.
    More,
    /// The body has ended.
    End,
    /// The bytes break the framing.
    Broken(&'static str),
}

impl Framing {
    /// Determines how the body of a response ends.
    pub fn of(status: u16, headers: &[httparse::Header<'_>]) -> Result<Self, &'static str> {
        if matches!(status, 204 | 304) {
            return Ok(Self::Length(0));
        }
        let values = |name: &'static str| {
            let named = headers.iter().filter(move |line| line.name.eq_ignore_ascii_case(name));
            named.map(|line| line.value.trim_ascii())
        };
        let codings = values("transfer-encoding").flat_map(|line| line.split(|&byte| byte == b','));
        if let Some(last) = codings.reduce(|_, last| last) {
            let is_chunked = last.trim_ascii().eq_ignore_ascii_case(b"chunked");
            return Ok(if is_chunked { Self::Chunked(Chunk::Size) } else { Self::Connection });
        }
        let mut lengths = values("content-length");
        let Some(length) = lengths.next() else { return Ok(Self::Connection) };
        if lengths.any(|other| other != length) {
            return Err("the response has two lengths");
        }
        let digits = str::from_utf8(length).ok().filter(|text| !text.starts_with('+'));
        let length = digits.and_then(|text| text.parse().ok());
        length.map(Self::Length).ok_or("the length of the response is no number")
    }

    /// Returns whether the body has ended, whatever follows.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Length(0) | Self::Chunked(Chunk::End))
    }

    /// Takes a step through the bytes of the connection.
    pub fn step<'b>(&mut self, bytes: &'b [u8]) -> Step<'b> {
        if self.is_over() {
            return Step::End;
        }
        if bytes.is_empty() {
            return Step::More;
        }
        match self {
            Self::Connection => Step::Data(bytes, bytes.len()),
            Self::Length(left) | Self::Chunked(Chunk::Data(left)) => {
                let length =
                    usize::try_from(*left).map_or(bytes.len(), |left| left.min(bytes.len()));
                *left -= length as u64;
                if let Self::Chunked(chunk @ Chunk::Data(0)) = self {
                    *chunk = Chunk::DataEnd;
                }
                Step::Data(&bytes[..length], length)
            }
            Self::Chunked(chunk) => chunk.step(bytes),
        }
    }
}

impl Chunk {
    fn step(&mut self, bytes: &[u8]) -> Step<'static> {
        if *self == Self::DataEnd {
            return match bytes {
                [b'\r', b'\n', ..] => {
                    *self = Self::Size;
                    Step::Skip(2)
                }
                [b'\r'] => Step::More,
                _ => Step::Broken("a chunk of the response does not end where it must"),
            };
        }
        let Some(end) = bytes.iter().position(|&byte| byte == b'\n') else {
            let is_long = bytes.len() > LONGEST_LINE;
            return if is_long {
                Step::Broken("a line of the body is too long")
            } else {
                Step::More
            };
        };
        let line = &bytes[..=end];
        match self {
            Self::Trailers if line == b"\r\n" => *self = Self::End,
            Self::Trailers => {}
            _ => match httparse::parse_chunk_size(line) {
                Ok(httparse::Status::Complete((_, 0))) => *self = Self::Trailers,
                Ok(httparse::Status::Complete((_, size))) => *self = Self::Data(size),
                _ => return Step::Broken("the size of a chunk of the response is no number"),
            },
        }
        Step::Skip(end + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::{Chunk, Framing, Step};

    /// Returns the body, and whether it has ended; or what is broken.
    fn read(mut framing: Framing, bytes: &[u8], at_once: usize) -> Result<(Vec<u8>, bool), &str> {
        let (mut body, mut kept) = (Vec::new(), Vec::new());
        for piece in bytes.chunks(at_once) {
            kept.extend_from_slice(piece);
            loop {
                let consumed = match framing.step(&kept) {
                    Step::Data(data, consumed) => {
                        body.extend_from_slice(data);
                        consumed
                    }
                    Step::Skip(consumed) => consumed,
                    Step::More | Step::End => break,
                    Step::Broken(why) => return Err(why),
                };
                kept.drain(..consumed);
            }
        }
        Ok((body, framing.is_over()))
    }

    #[test]
    fn bodies_end_where_they_say() {
        let chunked = Framing::Chunked(Chunk::Size);
        for (framing, bytes, body, ends) in [
            (Framing::Length(3), &b"abcdef"[..], &b"abc"[..], true),
            (Framing::Length(9), b"abc", b"abc", false),
            (Framing::Connection, b"abc", b"abc", false),
            (chunked, b"3;a=b\r\nabc\r\n1\r\nd\r\n0\r\nX: y\r\n\r\nHTTP", b"abcd", true),
            (chunked, b"3\r\nabc\r\n", b"abc", false),
        ] {
            for at_once in 1..bytes.len() {
                assert_eq!(read(framing, bytes, at_once), Ok((body.to_vec(), ends)), "{bytes:?}");
            }
        }
        for broken in [&b"x\r\na\r\n"[..], b"1\r\nab\r\n", b"fffffffffffffffff\r\na"] {
            assert!(read(chunked, broken, 1).is_err(), "{broken:?}");
        }
    }

    #[test]
    fn headers_say_how_a_body_ends() {
        let of = |status, lines: &[(&'static str, &'static str)]| {
            let lines = lines
                .iter()
                .map(|&(name, value)| httparse::Header { name, value: value.as_bytes() });
            Framing::of(status, &lines.collect::<Vec<_>>())
        };
        assert_eq!(of(200, &[("Content-Length", " 7 ")]), Ok(Framing::Length(7)));
        assert_eq!(of(204, &[("Content-Length", "7")]), Ok(Framing::Length(0)));
        assert_eq!(of(200, &[]), Ok(Framing::Connection));
        let both = [("content-length", "7"), ("TRANSFER-ENCODING", "gzip, Chunked")];
        assert_eq!(of(200, &both), Ok(Framing::Chunked(Chunk::Size)));
        assert!(of(200, &[("content-length", "7"), ("content-length", "8")]).is_err());
        assert!(of(200, &[("content-length", "+7")]).is_err());
    }
}
