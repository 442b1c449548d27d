//! The requests of a client on a connection, read as they arrive.

use std::io;

use super::framing::{Framing, Step};

/// The maximum length of a head and of a body, in bytes.
const LONGEST_HEAD: usize = 64 * 1024;
const LONGEST_BODY: usize = 16 << 20;

/// A request.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    pub method: String,
    pub body: Vec<u8>,
    /// True if the client asks to close the connection after the answer.
    pub closes: bool,
}

/// The requests on a connection.
#[derive(Default)]
pub struct Requests {
    bytes: Vec<u8>,
    /// The request whose body is being read.
    current: Option<(Request, Framing)>,
}

impl Requests {
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next request that is complete.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not HTTP, or too many.
    pub fn next(&mut self) -> io::Result<Option<Request>> {
        let broken = |why| Err(io::Error::new(io::ErrorKind::InvalidData, why));
        let Some((mut request, mut framing)) =
            self.current.take().map_or_else(|| self.head(), |one| Ok(Some(one)))?
        else {
            return Ok(None);
        };
        loop {
            let consumed = match framing.step(&self.bytes) {
                Step::Data(data, _) if request.body.len() + data.len() > LONGEST_BODY => {
                    return broken("a body is too long");
                }
                Step::Data(data, consumed) => {
                    request.body.extend_from_slice(data);
                    consumed
                }
                Step::Skip(consumed) => consumed,
                Step::Broken(why) => return broken(why),
                Step::End => return Ok(Some(request)),
                Step::More => {
                    self.current = Some((request, framing));
                    return Ok(None);
                }
            };
            self.bytes.drain(..consumed);
        }
    }

    fn head(&mut self) -> io::Result<Option<(Request, Framing)>> {
        let broken = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why.to_owned());
        let mut lines = [httparse::EMPTY_HEADER; 256];
        let mut head = httparse::Request::new(&mut lines);
        let length = match head.parse(&self.bytes).map_err(|error| broken(&error.to_string()))? {
            httparse::Status::Complete(length) => length,
            httparse::Status::Partial if self.bytes.len() > LONGEST_HEAD => {
                return Err(broken("a head is too long"));
            }
            httparse::Status::Partial => return Ok(None),
        };
        // A request without a length has no body (RFC 9112, section 6.3).
        let framing = match Framing::of(0, head.headers).map_err(broken)? {
            Framing::Connection => Framing::Length(0),
            framing => framing,
        };
        let closes = head.headers.iter().any(|line| {
            line.name.eq_ignore_ascii_case("connection")
                && line.value.eq_ignore_ascii_case(b"close")
        });
        let method = head.method.unwrap_or_default().to_owned();
        self.bytes.drain(..length);
        Ok(Some((Request { method, body: Vec::new(), closes }, framing)))
    }
}
