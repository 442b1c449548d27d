//! A wire that does everything a wire may do: it returns one byte or many, is interrupted, would block, fails, and
//! ends. The outcome is recorded as text.

use std::io::{self, ErrorKind};

use tautline::stream::{MessageStream, Received};
use tautline::{Message, Profile};

/// The action of a reader or a writer on a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// It takes this many bytes, or as many as there are.
    Take(usize),
    /// It fails with this error and takes nothing.
    Fail(ErrorKind),
    /// It is not ready. A future is pending; a blocking call would block.
    Wait,
}

/// Bytes, and the acts on their way. After the last act, everything is taken at once.
#[derive(Clone, Debug)]
pub struct Wire {
    pub bytes: Vec<u8>,
    pub at: usize,
    acts: std::vec::IntoIter<Act>,
    pub written: Vec<u8>,
    pub flushes: usize,
}

impl Wire {
    pub fn new(bytes: &[u8], acts: Vec<Act>) -> Self {
        Self {
            bytes: bytes.to_vec(),
            at: 0,
            acts: acts.into_iter(),
            written: Vec::new(),
            flushes: 0,
        }
    }

    /// Returns how much to take now, or the failure.
    fn act(&mut self) -> Result<usize, ErrorKind> {
        match self.acts.next() {
            None => Ok(usize::MAX),
            Some(Act::Take(count)) => Ok(count.max(1)),
            Some(Act::Fail(kind)) => Err(kind),
            Some(Act::Wait) => Err(ErrorKind::WouldBlock),
        }
    }

    fn give(&mut self, room: &mut [u8]) -> Result<usize, ErrorKind> {
        let count = self.act()?.min(room.len()).min(self.bytes.len() - self.at);
        room[..count].copy_from_slice(&self.bytes[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }

    fn take(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        let count = self.act()?.min(bytes.len());
        self.written.extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn flushed(&mut self) -> Result<(), ErrorKind> {
        self.act()?;
        self.flushes += 1;
        Ok(())
    }
}

impl io::Read for Wire {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        Ok(self.give(room)?)
    }
}

impl io::Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(self.take(bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(self.flushed()?)
    }
}

#[cfg(feature = "embedded-io-v0_7")]
mod embedded {
    use super::{ErrorKind, Wire};

    /// An error as these traits know it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct WireError(pub ErrorKind);

    impl std::fmt::Display for WireError {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "{}", self.0)
        }
    }

    impl std::error::Error for WireError {}

    impl embedded_io::Error for WireError {
        fn kind(&self) -> embedded_io::ErrorKind {
            match self.0 {
                ErrorKind::Interrupted => embedded_io::ErrorKind::Interrupted,
                _ => embedded_io::ErrorKind::Other,
            }
        }
    }

    impl embedded_io::ErrorType for Wire {
        type Error = WireError;
    }

    impl embedded_io::Read for Wire {
        fn read(&mut self, room: &mut [u8]) -> Result<usize, WireError> {
            self.give(room).map_err(WireError)
        }
    }

    impl embedded_io::Write for Wire {
        fn write(&mut self, bytes: &[u8]) -> Result<usize, WireError> {
            self.take(bytes).map_err(WireError)
        }

        fn flush(&mut self) -> Result<(), WireError> {
            self.flushed().map_err(WireError)
        }
    }

    #[cfg(feature = "embedded-io-async-v0_7")]
    mod asynchronous {
        use std::future::poll_fn;
        use std::task::Poll;

        use super::super::{Act, Wire};
        use super::WireError;

        impl Wire {
            /// Pending once for every [`Act::Wait`]; nothing is taken before.
            async fn ready(&mut self) {
                poll_fn(|_| {
                    if matches!(self.acts.as_slice().first(), Some(Act::Wait)) {
                        self.acts.next();
                        return Poll::Pending;
                    }
                    Poll::Ready(())
                })
                .await;
            }
        }

        impl embedded_io_async::Read for Wire {
            async fn read(&mut self, room: &mut [u8]) -> Result<usize, WireError> {
                self.ready().await;
                self.give(room).map_err(WireError)
            }
        }

        impl embedded_io_async::Write for Wire {
            async fn write(&mut self, bytes: &[u8]) -> Result<usize, WireError> {
                self.ready().await;
                self.take(bytes).map_err(WireError)
            }

            async fn flush(&mut self) -> Result<(), WireError> {
                self.ready().await;
                self.flushed().map_err(WireError)
            }
        }
    }
}

#[cfg(feature = "embedded-io-v0_7")]
#[allow(unused_imports, reason = "not every test has to do with it")]
pub use embedded::WireError;

/// Describes what was received, so that it can be compared when the bytes are gone.
pub fn describe(received: &Received<'_>) -> String {
    match received {
        Received::Message { frame, message, .. } => {
            let text = String::from_utf8_lossy(frame.bytes());
            // A message must equal the contents of its frame.
            assert_eq!(Message::parse(frame.bytes(), &PROFILE), Ok(*message));
            format!(
                "{}@{} {} {message:?} {text}",
                frame.line(),
                frame.offset(),
                frame.is_terminated()
            )
        }
        Received::Fault { frame, fault, .. } => format!(
            "{}@{} {} {fault:?} {:?}",
            frame.line(),
            frame.offset(),
            frame.is_terminated(),
            frame.bytes()
        ),
        other => format!("{other:?}"),
    }
}

pub const PROFILE: Profile = Profile::JSON_RPC;

/// Returns what must be received for these bytes.
pub fn expected(bytes: &[u8], limit: u32) -> Vec<String> {
    let mut storage = vec![0; limit as usize];
    let mut stream = MessageStream::new(&mut storage[..], &PROFILE);
    let (mut rest, mut seen) = (bytes, Vec::new());
    while let Some(received) = stream.next(&mut rest) {
        seen.push(describe(&received));
    }
    seen.extend(stream.finish().map(|received| describe(&received)));
    seen
}

/// Messages of every kind, faulty lines, blank ones, a line over the [`LIMIT`], and an unterminated rest.
pub const STREAM: &[u8] = b"\xEF\xBB\xBF\
{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1}\n\
not json\r\n\
{\"jsonrpc\":\"2.0\",\"method\":\"b\",\"params\":[1,{\"c\":\"\xC3\xA9\"}]}\r\n\
\n \t\n\
[{\"jsonrpc\":\"2.0\",\"id\":\"\\u0031\",\"result\":{}},7]\n\
{\"jsonrpc\":\"2.0\",\"method\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}\r\n\
{\"jsonrpc\":\"2.0\",\"id\":1.0,\"error\":{\"code\":-32000,\"message\":\"\"}}\n\
\xFF\r\r\n\
{\"jsonrpc\":\"2.0\",\"id\":18446744073709551616,\"method\":\"the rest\"}";

/// In bytes; one line of the [`STREAM`] is longer.
pub const LIMIT: u32 = 80;

/// Everything that may happen besides bytes.
pub const FAILURES: [Act; 4] = [
    Act::Fail(ErrorKind::Interrupted),
    Act::Fail(ErrorKind::WouldBlock),
    Act::Fail(ErrorKind::ConnectionReset),
    Act::Wait,
];

/// Returns every tested way to deliver the bytes: in pieces of each size, with each failure at each call.
pub fn scripts(calls: usize) -> impl Iterator<Item = Vec<Act>> {
    let pieces = [1, 2, 3, 7, 64, 1000].into_iter().map(|size| vec![Act::Take(size); 2000 / size]);
    let failing = (0..calls).flat_map(|at| {
        FAILURES.into_iter().map(move |failure| {
            let mut acts = vec![Act::Take(1); at];
            acts.extend([failure; 3]);
            acts.extend(vec![Act::Take(5); 3]);
            acts
        })
    });
    // A failure before every byte.
    let each = FAILURES.into_iter().map(|failure| {
        (0..2000).map(|n| if n % 2 == 0 { failure } else { Act::Take(1) }).collect()
    });
    pieces.chain(failing).chain(each)
}

/// Returns the number of complete lines among the first `at` bytes of the [`STREAM`].
pub fn complete(at: usize) -> usize {
    let lines = tautline::frame::Frames::new(&STREAM[..at], LIMIT);
    lines
        .filter(|event| match event {
            tautline::frame::FrameEvent::Frame(frame) => frame.is_terminated(),
            tautline::frame::FrameEvent::Oversized(line) => line.is_terminated(),
            _ => false,
        })
        .count()
}

/// Encodes message `n` of the three that a writer sends.
pub fn encode_three<O: tautline::encode::Output>(
    n: usize,
    encoder: &mut tautline::encode::Encoder<O>,
) -> Result<usize, tautline::encode::EncodeError> {
    use tautline::encode::NO_PARAMS;
    match n {
        0 => encoder.request("a", "first", NO_PARAMS),
        1 => encoder.result(2, "the second"),
        _ => encoder.notification("third", NO_PARAMS),
    }
}

pub fn three() -> Vec<u8> {
    let mut room = [0; 256];
    let mut encoder = tautline::encode::Encoder::new(tautline::encode::Slice::new(&mut room));
    for n in 0..3 {
        encode_three(n, &mut encoder).unwrap();
    }
    encoder.output().written().to_vec()
}
