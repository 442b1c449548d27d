//! Readers and the codec in any framing, over a wire that is interrupted and would block before each chunk.

use super::{Case, Choice};

#[cfg(not(feature = "std"))]
impl<F: Choice> Case<'_, F> {
    pub(super) fn readers(&self, _chunks: &[&[u8]]) {}
}

#[cfg(feature = "std")]
mod over_a_wire {
    use std::io::{self, ErrorKind};

    use tautline::Profile;
    use tautline::frame::{FrameBuffer, HeapBuffer, Storage};
    use tautline::io::MessageReader;
    use tautline::stream::Received;

    use super::super::{Behind, Comparison, STALE};
    use super::{Case, Choice};

    const PROFILE: &Profile = &Profile::JSON_RPC;

    impl<F: Choice> Case<'_, F> {
        pub(in super::super) fn readers(&self, chunks: &[&[u8]]) {
            self.reader(HeapBuffer::new(self.framing.limit()), chunks);
            self.reader(&mut vec![STALE; self.least_room()][..], chunks);
            #[cfg(feature = "embedded-io-v0_7")]
            self.embedded_reader(chunks);
            #[cfg(feature = "embedded-io-async-v0_7")]
            self.async_reader(chunks);
            #[cfg(feature = "tokio-util-v0_7")]
            self.codec(chunks);
        }

        /// Compares what is received, and returns whether to resynchronise.
        fn compare(&self, comparison: &mut Comparison<'_>, received: Received<'_>) -> bool {
            comparison.next(received);
            matches!(received, Received::Desynchronised(_)) && self.behind == Behind::Resync
        }

        fn comparison(&self, driver: &'static str) -> Comparison<'_> {
            Comparison { driver, left: self.expected.iter() }
        }

        fn reader<S: Storage>(&self, storage: S, chunks: &[&[u8]]) {
            let buffer = FrameBuffer::with_framing(storage, self.framing.clone());
            let mut reader = MessageReader::with_buffer(Wire::new(chunks), buffer, PROFILE);
            let mut comparison = self.comparison("io::MessageReader");
            loop {
                match reader.next() {
                    Ok(Some(received)) => {
                        if self.compare(&mut comparison, received) {
                            reader.resync();
                        }
                    }
                    Ok(None) => break,
                    Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
                }
            }
            assert!(matches!(reader.next(), Ok(None)), "the end is the end");
            comparison.finish();
        }

        #[cfg(feature = "embedded-io-v0_7")]
        fn embedded_reader(&self, chunks: &[&[u8]]) {
            use tautline::io::{ReadError, embedded};

            let mut storage = vec![STALE; self.least_room()];
            let buffer = FrameBuffer::with_framing(&mut storage[..], self.framing.clone());
            let mut reader = embedded::MessageReader::new(Wire::new(chunks), buffer, PROFILE);
            let mut comparison = self.comparison("embedded::MessageReader");
            loop {
                match reader.next() {
                    Ok(Some(received)) => {
                        if self.compare(&mut comparison, received) {
                            reader.resync();
                        }
                    }
                    Ok(None) => break,
                    Err(error) => {
                        assert_eq!(error, ReadError::Reader(Failure(ErrorKind::WouldBlock)));
                    }
                }
            }
            comparison.finish();
        }

        /// Drops every future at its first pending await point.
        #[cfg(feature = "embedded-io-async-v0_7")]
        fn async_reader(&self, chunks: &[&[u8]]) {
            use std::task::{Context, Poll, Waker};
            use tautline::io::embedded;

            let mut storage = vec![STALE; self.least_room()];
            let buffer = FrameBuffer::with_framing(&mut storage[..], self.framing.clone());
            let reader = embedded::MessageReader::new(Wire::new(chunks), buffer, PROFILE);
            let mut reader = reader;
            let mut comparison = self.comparison("embedded::MessageReader, awaiting");
            let mut context = Context::from_waker(Waker::noop());
            loop {
                let is_lost = match std::pin::pin!(reader.next_async()).poll(&mut context) {
                    Poll::Ready(Ok(Some(received))) => self.compare(&mut comparison, received),
                    Poll::Ready(Ok(None)) => break,
                    Poll::Ready(Err(_)) | Poll::Pending => false,
                };
                if is_lost {
                    reader.resync();
                }
            }
            comparison.finish();
        }

        /// Drives the codec as a `Framed` does.
        #[cfg(feature = "tokio-util-v0_7")]
        fn codec(&self, chunks: &[&[u8]]) {
            use tautline::codec::{MessageCodec, ReceivedBuf};
            use tokio_util::codec::Decoder;

            let mut codec = MessageCodec::with_framing(self.framing.clone(), PROFILE);
            let mut comparison = self.comparison("MessageCodec");
            let mut compare = |codec: &mut MessageCodec<F>, item: ReceivedBuf| {
                if self.compare(&mut comparison, item.received()) {
                    codec.resync();
                }
            };
            let mut buffer = bytes::BytesMut::new();
            let mut is_lost = false;
            for chunk in chunks {
                buffer.reserve(1);
                buffer.extend_from_slice(chunk);
                while let Ok(Some(item)) = codec.decode(&mut buffer) {
                    compare(&mut codec, item);
                }
                let most = chunk.len() + self.framing.limit() as usize + 2;
                is_lost |= codec.decode(&mut buffer).is_err();
                assert!(is_lost || buffer.len() <= most, "the buffer is not bounded");
            }
            while let Ok(Some(item)) = codec.decode_eof(&mut buffer) {
                compare(&mut codec, item);
            }
            assert_eq!(codec.decode_eof(&mut buffer).is_err(), is_lost);
            comparison.finish();
        }
    }

    /// A wire that is interrupted, then would block, and then returns one chunk, or as much of it as fits.
    struct Wire<'a> {
        chunks: std::slice::Iter<'a, &'a [u8]>,
        rest: &'a [u8],
        failures: u8,
    }

    impl<'a> Wire<'a> {
        fn new(chunks: &'a [&'a [u8]]) -> Self {
            Self { chunks: chunks.iter(), rest: b"", failures: 0 }
        }

        fn give(&mut self, room: &mut [u8]) -> Result<usize, ErrorKind> {
            self.failures = (self.failures + 1) % 3;
            match self.failures {
                1 => return Err(ErrorKind::Interrupted),
                2 => return Err(ErrorKind::WouldBlock),
                _ => {}
            }
            // An empty read would signal the end.
            while self.rest.is_empty() {
                let Some(chunk) = self.chunks.next() else { return Ok(0) };
                self.rest = chunk;
            }
            let (given, rest) = self.rest.split_at(room.len().min(self.rest.len()));
            room[..given.len()].copy_from_slice(given);
            self.rest = rest;
            Ok(given.len())
        }
    }

    impl io::Read for Wire<'_> {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            Ok(self.give(room)?)
        }
    }

    #[cfg(feature = "embedded-io-v0_7")]
    mod embedded {
        use super::{ErrorKind, Wire};

        /// An error as `embedded_io` knows it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Failure(pub ErrorKind);

        impl std::fmt::Display for Failure {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}", self.0)
            }
        }

        impl std::error::Error for Failure {}

        impl embedded_io::Error for Failure {
            fn kind(&self) -> embedded_io::ErrorKind {
                match self.0 {
                    ErrorKind::Interrupted => embedded_io::ErrorKind::Interrupted,
                    _ => embedded_io::ErrorKind::Other,
                }
            }
        }

        impl embedded_io::ErrorType for Wire<'_> {
            type Error = Failure;
        }

        #[cfg(feature = "embedded-io-v0_7")]
        impl embedded_io::Read for Wire<'_> {
            fn read(&mut self, room: &mut [u8]) -> Result<usize, Failure> {
                self.give(room).map_err(Failure)
            }
        }

        #[cfg(feature = "embedded-io-async-v0_7")]
        impl embedded_io_async::Read for Wire<'_> {
            async fn read(&mut self, room: &mut [u8]) -> Result<usize, Failure> {
                let given = self.give(room);
                if given == Err(ErrorKind::WouldBlock) {
                    std::future::pending::<()>().await;
                }
                given.map_err(Failure)
            }
        }
    }
    #[cfg(feature = "embedded-io-v0_7")]
    use embedded::Failure;
}
