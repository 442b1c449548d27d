//! The content coding of a body (RFC 9110, section 8.4.1).

use std::io::Write;

use flate2::write::{GzDecoder, ZlibDecoder};

use super::part::{Field, value_of};

/// The number of bytes that are decoded at once, of which each may stand for a thousand.
const PIECE: usize = 4096;

/// The most bytes that any body may decode to, and the most for each byte of a longer one.
const FREE: u64 = 64 * 1024 * 1024;
const RATIO: u64 = 100;

/// A decoder of a body.
#[derive(Debug)]
pub(super) struct Coding {
    decoder: Decoder,
    read: u64,
    written: u64,
}

#[derive(Debug)]
enum Decoder {
    Plain,
    Gzip(Box<GzDecoder<Vec<u8>>>),
    Zlib(Box<ZlibDecoder<Vec<u8>>>),
    /// The coding is not known, or the body is broken.
    Unreadable,
}

impl Coding {
    /// Returns the decoder for a message with these headers.
    pub fn of(headers: &[Field]) -> Self {
        let coding = value_of(headers, "content-encoding").unwrap_or_default();
        let is = |name: &[u8]| coding.eq_ignore_ascii_case(name);
        let decoder = if is(b"") || is(b"identity") {
            Decoder::Plain
        } else if is(b"gzip") || is(b"x-gzip") {
            Decoder::Gzip(Box::new(GzDecoder::new(Vec::new())))
        } else if is(b"deflate") {
            Decoder::Zlib(Box::new(ZlibDecoder::new(Vec::new())))
        } else {
            Decoder::Unreadable
        };
        Self { decoder, read: 0, written: 0 }
    }

    /// Returns whether the body can be read so far.
    pub const fn is_readable(&self) -> bool {
        !matches!(self.decoder, Decoder::Unreadable)
    }

    /// Gives up the body, because bytes of it are missing.
    pub fn skip(&mut self) {
        if !matches!(self.decoder, Decoder::Plain) {
            self.decoder = Decoder::Unreadable;
        }
    }

    /// Passes the decoded bytes to a function.
    ///
    /// # Errors
    ///
    /// Returns the error of the function.
    pub fn decode<E>(
        &mut self,
        bytes: &[u8],
        mut receive: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        if matches!(self.decoder, Decoder::Plain) {
            return receive(bytes);
        }
        for piece in bytes.chunks(PIECE) {
            let Some(decoded) = self.piece(piece) else {
                self.decoder = Decoder::Unreadable;
                return Ok(());
            };
            self.read += piece.len() as u64;
            self.written += decoded.len() as u64;
            if self.written > FREE && self.written / RATIO > self.read {
                self.decoder = Decoder::Unreadable;
                return Ok(());
            }
            if !decoded.is_empty() {
                receive(&decoded)?;
            }
        }
        Ok(())
    }

    fn piece(&mut self, piece: &[u8]) -> Option<Vec<u8>> {
        fn all(decoder: &mut impl Write, piece: &[u8]) -> Option<()> {
            decoder.write_all(piece).and_then(|()| decoder.flush()).ok()
        }
        let out = match &mut self.decoder {
            Decoder::Plain | Decoder::Unreadable => return None,
            Decoder::Gzip(decoder) => {
                all(decoder, piece)?;
                decoder.get_mut()
            }
            Decoder::Zlib(decoder) => {
                all(decoder, piece)?;
                decoder.get_mut()
            }
        };
        Some(std::mem::take(out))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};

    use super::Coding;

    fn decoded(coding: &str, bytes: &[u8], chunk: usize) -> Option<Vec<u8>> {
        let headers = [(b"Content-Encoding".to_vec(), coding.as_bytes().to_vec())];
        let mut coding = Coding::of(&headers);
        let mut all = Vec::new();
        for bytes in bytes.chunks(chunk) {
            let add = |bytes: &[u8]| -> Result<(), ()> {
                all.extend_from_slice(bytes);
                Ok(())
            };
            coding.decode(bytes, add).unwrap();
        }
        coding.is_readable().then_some(all)
    }

    #[test]
    fn bodies_are_decoded_piece_by_piece() {
        let text = b"data: {}\n\n".repeat(5000);
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(&text).unwrap();
        zlib.write_all(&text).unwrap();
        let (gzip, zlib) = (gzip.finish().unwrap(), zlib.finish().unwrap());
        for chunk in [1, 7, 100_000] {
            assert_eq!(decoded("GZIP", &gzip, chunk).as_ref(), Some(&text));
            assert_eq!(decoded("deflate", &zlib, chunk).as_ref(), Some(&text));
            assert_eq!(decoded("identity", &text, chunk).as_ref(), Some(&text));
        }
        for coding in ["br", "zstd", "gzip, br", "gzip"] {
            assert_eq!(decoded(coding, &text, 10), None, "{coding}");
        }
    }

    #[test]
    fn an_event_is_decoded_when_it_was_flushed() {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(b"data: 1\n\n").unwrap();
        gzip.flush().unwrap();
        let begun = gzip.get_ref().clone();
        assert_eq!(decoded("gzip", &begun, 3).as_deref(), Some(&b"data: 1\n\n"[..]));
    }

    #[test]
    fn a_bomb_is_not_decoded_to_its_end() {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        (0..200).for_each(|_| gzip.write_all(&[b' '; 1 << 20]).unwrap());
        assert_eq!(decoded("gzip", &gzip.finish().unwrap(), 1 << 16), None);
    }
}
