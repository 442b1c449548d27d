//! Inputs that are compressed: gzip and Zstandard are recognised by their first bytes, and decompressed piece by piece.
//!
//! Memory is bounded by the window of the format: 32 KiB in gzip, and up to [`LARGEST_WINDOW`] in Zstandard.

use std::error::Error as _;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

use flate2::bufread::GzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// The largest window of a Zstandard frame, in bytes. The program `zstd` has the same limit, unless it is raised.
const LARGEST_WINDOW: u64 = 128 * 1024 * 1024;

/// The first bytes of a gzip member that is compressed by DEFLATE (RFC 1952, section 2.3.1).
const GZIP: [u8; 3] = [0x1F, 0x8B, 8];

/// The first bytes of a Zstandard frame (RFC 8878, section 3.1.1), and the last ones of those of a frame that is skipped,
/// which differ in the first byte (section 3.1.2).
const ZSTD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
const SKIPPED: [u8; 3] = [0x2A, 0x4D, 0x18];

/// An input whose first bytes were read and are read again.
type Whole<R> = Chain<Cursor<Vec<u8>>, R>;
/// An input that is compressed.
type Packed<R> = Counted<BufReader<Whole<R>>>;

/// A reader of what another reader has, without its compression.
pub enum Unpacked<R> {
    /// Nothing was read yet.
    Unread(Option<R>),
    Plain(Whole<R>),
    Gzip(Box<Gzip<Packed<R>>>),
    Zstd(Box<Zstd<Packed<R>>>),
}

impl<R: Read> Unpacked<R> {
    pub const fn new(reader: R) -> Self {
        Self::Unread(Some(reader))
    }

    /// Reads as few bytes as show the compression: a pipe may have no more for now.
    fn begin(mut reader: R) -> io::Result<Self> {
        let mut start = Vec::new();
        loop {
            let is_gzip = start.starts_with(&GZIP);
            let is_zstd = start == ZSTD || is_skipped(&start);
            if is_gzip || is_zstd || !may_begin_packed(&start) {
                let whole = Cursor::new(start).chain(reader);
                let packed = |whole| Counted { reader: BufReader::new(whole), count: 0 };
                return Ok(match (is_gzip, is_zstd) {
                    (true, _) => Self::Gzip(Box::new(Gzip::new(packed(whole)))),
                    (_, true) => Self::Zstd(Box::new(Zstd::new(packed(whole)))),
                    _ => Self::Plain(whole),
                });
            }
            let mut byte = [0];
            match reader.read(&mut byte) {
                Ok(0) => return Ok(Self::Plain(Cursor::new(start).chain(reader))),
                Ok(_) => start.extend(byte),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if let Self::Unread(reader) = self
            && let Some(reader) = reader.take()
        {
            *self = Self::begin(reader)?;
        }
        match self {
            // The first read has failed.
            Self::Unread(_) => Ok(0),
            Self::Plain(reader) => reader.read(room),
            Self::Gzip(reader) => {
                reader.read(room).map_err(|error| explained("gzip", &error, reader.count()))
            }
            Self::Zstd(reader) => {
                reader.read(room).map_err(|error| explained("zstd", &error, reader.source.count))
            }
        }
    }
}

/// Returns whether a file that begins with these bytes may be compressed.
fn may_begin_packed(start: &[u8]) -> bool {
    let is_skipped = match start {
        [] => true,
        [first, others @ ..] => is_first_of_skipped(*first) && SKIPPED.starts_with(others),
    };
    GZIP.starts_with(start) || ZSTD.starts_with(start) || is_skipped
}

fn is_skipped(start: &[u8]) -> bool {
    matches!(start, [first, others @ ..] if is_first_of_skipped(*first) && others == SKIPPED)
}

const fn is_first_of_skipped(byte: u8) -> bool {
    matches!(byte, 0x50..=0x5F)
}

/// Why a file is not decompressed although its bytes are as they were written, as the inner error of an [`io::Error`].
#[derive(Debug)]
enum Refused {
    /// Bytes that are not compressed follow after this many that are.
    Follows(u64),
    /// The window is too large.
    Window(u64),
    Dictionary,
}

impl std::error::Error for Refused {}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Follows(count) => write!(f, "what follows after byte {count} is not compressed"),
            Self::Window(window) => {
                let [window, most] = [*window, LARGEST_WINDOW].map(|bytes| bytes >> 20);
                write!(f, "its window is {window} MiB, and the largest is {most} MiB")
            }
            Self::Dictionary => f.write_str("it needs a dictionary"),
        }
    }
}

impl From<Refused> for io::Error {
    fn from(refused: Refused) -> Self {
        Self::new(io::ErrorKind::InvalidData, refused)
    }
}

/// Returns an error in words, after this many compressed bytes were read.
fn explained(format: &str, error: &io::Error, count: u64) -> io::Error {
    let refused = error.get_ref().and_then(|inner| inner.downcast_ref());
    let words = match (error.kind(), refused) {
        (io::ErrorKind::Interrupted, _) => return error.kind().into(),
        (io::ErrorKind::UnexpectedEof, _) => {
            format!("the file is compressed ({format}), and its end is missing")
        }
        (_, Some(Refused::Follows(count))) => {
            format!("the file is compressed ({format}) up to byte {count}, and what follows is not")
        }
        (_, Some(refused)) => {
            format!("the file is compressed ({format}), and cannot be decompressed: {refused}")
        }
        _ => format!(
            "the file is compressed ({format}), and cannot be decompressed: it is damaged before byte {count} ({error})"
        ),
    };
    io::Error::new(error.kind(), words)
}

/// A reader that counts the bytes that were read.
pub struct Counted<R> {
    reader: R,
    count: u64,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(room)?;
        self.count += read as u64;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.reader.consume(count);
        self.count += count as u64;
    }
}

/// A reader of all gzip members in a file.
pub struct Gzip<R> {
    /// It is absent only while the next one is begun.
    member: Option<GzDecoder<R>>,
    /// The number of bytes in the members before it.
    before: u64,
}

impl<R: BufRead> Gzip<Counted<R>> {
    fn new(source: Counted<R>) -> Self {
        Self { member: Some(GzDecoder::new(source)), before: 0 }
    }

    fn count(&self) -> u64 {
        self.member.as_ref().map_or(0, |member| member.get_ref().count)
    }
}

impl<R: BufRead> Read for Gzip<Counted<R>> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = self.member.as_mut().filter(|_| !room.is_empty()) {
            match member.read(room) {
                Ok(0) => {}
                Err(error)
                    if self.before > 0
                        && member.header().is_none()
                        && error.kind() == io::ErrorKind::InvalidInput =>
                {
                    return Err(Refused::Follows(self.before).into());
                }
                read => return read,
            }
            self.before = member.get_ref().count;
            match member.get_mut().fill_buf()?.first() {
                None => break,
                Some(first) if *first != GZIP[0] => {
                    return Err(Refused::Follows(self.before).into());
                }
                Some(_) => {}
            }
            let source = self.member.take().map(GzDecoder::into_inner);
            self.member = source.map(GzDecoder::new);
        }
        Ok(0)
    }
}

/// A reader of all Zstandard frames in a file.
pub struct Zstd<R> {
    source: R,
    frame: FrameDecoder,
    /// True if a frame has begun and was not read to its end.
    is_open: bool,
}

impl<R: BufRead> Zstd<Counted<R>> {
    fn new(source: Counted<R>) -> Self {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(LARGEST_WINDOW);
        Self { source, frame, is_open: false }
    }

    /// Begins the next frame, or skips one that has no content. Returns false at the end of the file.
    fn next_frame(&mut self) -> io::Result<bool> {
        let before = self.source.count;
        match self.source.fill_buf()?.first() {
            None => return Ok(false),
            Some(&first) if first != ZSTD[0] && !is_first_of_skipped(first) => {
                return Err(Refused::Follows(before).into());
            }
            Some(_) => {}
        }
        match self.frame.reset(&mut self.source) {
            Ok(()) => self.is_open = true,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                let length = u64::from(length);
                let skipped = io::copy(&mut (&mut self.source).take(length), &mut io::sink())?;
                if skipped < length {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::BadMagicNumber(
                _,
            ))) => return Err(Refused::Follows(before).into()),
            Err(error) => return Err(failure(&error)),
        }
        Ok(true)
    }
}

/// Returns the error of a frame. One that could not read on lacks its end.
fn failure(error: &FrameDecoderError) -> io::Error {
    match error {
        FrameDecoderError::WindowSizeTooBig { requested, .. } => {
            return Refused::Window(*requested).into();
        }
        FrameDecoderError::DictNotProvided { .. } => return Refused::Dictionary.into(),
        _ => {}
    }
    let mut causes = std::iter::successors(error.source(), |&error| error.source());
    let cause = causes.find_map(|error| error.downcast_ref::<io::Error>());
    match cause.map(io::Error::kind) {
        Some(io::ErrorKind::UnexpectedEof) => io::ErrorKind::UnexpectedEof.into(),
        _ => io::Error::new(io::ErrorKind::InvalidData, error.to_string()),
    }
}

impl<R: BufRead> Read for Zstd<Counted<R>> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        while !room.is_empty() {
            if !self.is_open && !self.next_frame()? {
                break;
            }
            let read = self.frame.read(room)?;
            if read > 0 {
                return Ok(read);
            }
            if self.is_open && !self.frame.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                if let Err(error) = self.frame.decode_blocks(&mut self.source, one) {
                    return Err(failure(&error));
                }
            } else if std::mem::take(&mut self.is_open)
                && let Some(expected) = self.frame.get_checksum_from_data()
                && self.frame.get_calculated_checksum() != Some(expected)
            {
                let words = "the checksum differs";
                return Err(io::Error::new(io::ErrorKind::InvalidData, words));
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read, Write};

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::Unpacked;

    const SKIPPABLE: &[u8] = b"\x53\x2A\x4D\x18\x03\0\0\0abc";

    /// Hands out this many bytes at once.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
            let length = self.1.min(room.len());
            let read = self.0.read(&mut room[..length])?;
            Ok(read)
        }
    }

    fn text() -> Vec<u8> {
        (0..20_000).flat_map(|line| format!("{{\"line\":{line}}}\n").into_bytes()).collect()
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        compress_to_vec(text, CompressionLevel::Fastest)
    }

    fn read(bytes: &[u8], at_once: usize) -> std::io::Result<Vec<u8>> {
        let mut read = Vec::new();
        Unpacked::new(Pieces(bytes, at_once)).read_to_end(&mut read)?;
        Ok(read)
    }

    #[test]
    fn members_and_frames_are_joined() {
        let text = text();
        let (start, end) = text.split_at(100_000);
        for packed in [
            text.clone(),
            gzip(&text),
            [gzip(start), gzip(end)].concat(),
            zstd(&text),
            [&zstd(start), SKIPPABLE, &zstd(b""), &zstd(end)].concat(),
            [SKIPPABLE, &zstd(&text)].concat(),
        ] {
            for at_once in [1, 7, 1 << 20] {
                assert!(read(&packed, at_once).unwrap() == text, "{at_once}");
            }
        }
    }

    #[test]
    fn what_only_begins_like_a_compressed_file_is_plain() {
        for text in [
            &b""[..],
            b"\x1F",
            b"\x1F\x8B",
            b"\x1F\x8B\x07abc",
            b"(",
            b"\x28\xB5\x2F",
            b"P*M",
            b"PS",
        ] {
            assert_eq!(read(text, 1).unwrap(), text);
        }
    }

    #[test]
    fn a_file_that_was_cut_off_is_an_error_after_its_content() {
        let text = text();
        for packed in [gzip(&text), zstd(&text)] {
            let ends = (packed.len() - 300..packed.len()).chain(5..300);
            for length in ends.chain([packed.len() / 2]) {
                let mut read = Vec::new();
                let result = Unpacked::new(&packed[..length]).read_to_end(&mut read);
                let error = result.expect_err("the end is missing");
                assert_eq!(error.kind(), ErrorKind::UnexpectedEof, "{length}: {error}");
                assert!(error.to_string().ends_with("its end is missing"), "{error}");
                assert!(text.starts_with(&read), "a part of the content, and nothing else");
            }
        }
    }

    #[test]
    fn damage_is_an_error() {
        let text = text();
        let mut sum = zstd(&text);
        *sum.last_mut().unwrap() ^= 1;
        let mut crc = gzip(&text);
        let at = crc.len() - 6;
        crc[at] ^= 1;
        let mut body = gzip(&text);
        body[5_000..5_100].fill(0xFF);
        // The type of its block does not exist.
        let block = b"\x28\xB5\x2F\xFD\x00\x58\x07\0\0abc".to_vec();
        // Its window is 2 TiB.
        let window = b"\x28\xB5\x2F\xFD\x00\xF8\x01\0\0".to_vec();
        // Its dictionary has the number 7.
        let dictionary = b"\x28\xB5\x2F\xFD\x01\x58\x07\x01\0\0".to_vec();
        for (packed, words) in [
            (&sum, format!("it is damaged before byte {} (the checksum differs)", sum.len())),
            (&crc, format!("it is damaged before byte {} (", crc.len())),
            (&body, "it is damaged before byte ".to_owned()),
            (&block, "it is damaged before byte ".to_owned()),
            (&window, "its window is 2097152 MiB, and the largest is 128 MiB".to_owned()),
            (&dictionary, "it needs a dictionary".to_owned()),
        ] {
            let error = read(packed, 1 << 20).expect_err(&words).to_string();
            assert!(
                error.contains("cannot be decompressed: ") && error.contains(&words),
                "{error}"
            );
        }
    }

    #[test]
    fn bytes_after_the_end_are_called_that() {
        let text = text();
        for (packed, format) in [(gzip(&text), "gzip"), (zstd(&text), "zstd")] {
            let end = packed.len();
            for behind in
                ["\n", "{}\n{}\n{}\n{}\n", "\0", "\u{1F}{}\n{}\n{}\n{}\n", "(PART", "PART("]
            {
                for at_once in [1, 1 << 20] {
                    let whole = [&packed, behind.as_bytes()].concat();
                    let error = read(&whole, at_once).expect_err(behind).to_string();
                    let words = format!("is compressed ({format}) up to byte ");
                    assert!(error.contains(&words), "{behind:?}: {error}");
                    assert!(error.ends_with(", and what follows is not"), "{behind:?}: {error}");
                    let at = error.strip_prefix(&format!("the file {words}"));
                    let at = at.and_then(|at| at.split(',').next()).unwrap();
                    assert_eq!(at, end.to_string(), "{behind:?}");
                }
            }
        }
    }
}
