//! Outputs: each gets whole messages, or nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};

#[cfg(feature = "std")]
use tautline::encode::Writer;
use tautline::encode::{
    EncodeError, Encoder, Formatted, NO_PARAMS, NewError, Payload, Slice, array, object,
};
use tautline::{ErrorCode, Message, Profile};

use super::line;
use crate::support::room::needed_and_free;

#[cfg(feature = "std")]
#[test]
fn a_writer_gets_whole_messages_or_nothing() {
    /// Counts the calls, and fails the third one.
    #[derive(Default)]
    struct Wire(Vec<Vec<u8>>);
    impl std::io::Write for Wire {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if self.0.len() == 2 {
                return Err(std::io::ErrorKind::BrokenPipe.into());
            }
            self.0.push(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut encoder = Encoder::new(Writer::new(Wire::default()));
    encoder.notification("a", NO_PARAMS).unwrap();
    assert_eq!(encoder.result(1, f64::NAN), Err(EncodeError::NotFinite));
    encoder.notification("b", NO_PARAMS).unwrap();
    assert_eq!(encoder.notification("c", NO_PARAMS), Err(EncodeError::Output));
    let error = encoder.output_mut().take_error().unwrap();
    assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
    let wire = encoder.into_output().into_inner().0;
    assert_eq!(wire.len(), 2);
    assert!(wire.iter().all(|message| message.ends_with(b"}\n")));
}

#[cfg(feature = "std")]
#[test]
fn a_message_behind_a_torn_one_begins_a_line() {
    /// Takes this many bytes, then fails once, and then takes everything.
    struct Wire(Vec<u8>, usize);
    impl std::io::Write for Wire {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if self.1 == 0 {
                self.1 = usize::MAX;
                return Err(std::io::ErrorKind::TimedOut.into());
            }
            let taken = bytes.len().min(self.1);
            self.1 -= taken;
            self.0.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let message = line(|to| to.notification("a", NO_PARAMS));
    for taken in 0..message.len() {
        let mut encoder = Encoder::new(Writer::new(Wire(Vec::new(), taken)));
        assert_eq!(encoder.notification("a", NO_PARAMS), Err(EncodeError::Output));
        assert!(encoder.output_mut().take_error().is_some());
        for _ in 0..2 {
            assert_eq!(encoder.notification("a", NO_PARAMS), Ok(message.len()));
        }
        assert!(encoder.output_mut().take_error().is_none());
        let wire = String::from_utf8(encoder.into_output().into_inner().0).unwrap();
        assert_eq!(wire, format!("{}\n{message}{message}", &message[..taken]));
    }
}

/// Text with this much room, which takes a piece or refuses it.
struct Room(String, usize);

impl std::fmt::Write for Room {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        if text.len() > self.1 {
            return Err(std::fmt::Error);
        }
        self.1 -= text.len();
        self.0.push_str(text);
        Ok(())
    }
}

#[test]
fn text_that_has_not_the_room_for_a_message_has_no_message() {
    type Write = fn(&mut Encoder<Formatted<Room>>) -> Result<usize, EncodeError>;
    let shapes: [Write; 5] = [
        |to| to.request(1, "m", NO_PARAMS),
        |to| to.notification("m", Some(object(|_| {}))),
        |to| to.result(1, true),
        |to| to.error(1, NewError::new(ErrorCode::INTERNAL_ERROR, "x")),
        |to| to.batch(|batch| batch.result(1, 1)),
    ];
    for write in shapes {
        let mut encoder = Encoder::new(Formatted::new(Room(String::new(), usize::MAX)));
        let full = write(&mut encoder).unwrap();
        for length in 0..full {
            let mut encoder = Encoder::new(Formatted::new(Room(String::new(), length)));
            assert_eq!(needed_and_free(write(&mut encoder)), Some((full, None)));
            let text = encoder.into_output().into_inner().0;
            assert!(Message::parse(text.as_bytes(), &Profile::JSON_RPC).is_err(), "{text}");
        }
    }
}

#[test]
fn text_that_was_torn_and_has_room_again_goes_on_with_a_line() {
    /// Counts the pieces, and refuses the second and the third.
    struct Moody(String, u32);
    impl std::fmt::Write for Moody {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.1 += 1;
            if matches!(self.1, 2 | 3) {
                return Err(std::fmt::Error);
            }
            self.0.push_str(text);
            Ok(())
        }
    }
    // They are the second piece of the message, and the newline at its end.
    let mut encoder = Encoder::new(Formatted::new(Moody(String::new(), 0)));
    encoder.notification("a", NO_PARAMS).unwrap_err();
    encoder.notification("b", NO_PARAMS).unwrap();
    let text = encoder.into_output().into_inner().0;
    let (torn, whole) = text.split_once('\n').unwrap();
    assert!(Message::parse(torn.as_bytes(), &Profile::JSON_RPC).is_err());
    assert_eq!(whole, line(|to| to.notification("b", NO_PARAMS)));
}

/// A payload that panics.
fn panicking() -> impl Payload {
    object(|object| {
        object.member("a", 1);
        panic!("in the middle of a payload")
    })
}

#[test]
fn a_payload_that_panics_leaves_nothing() {
    let mut out = b"before\n".to_vec();
    catch_unwind(AssertUnwindSafe(|| Encoder::new(&mut out).result(1, panicking()))).unwrap_err();
    catch_unwind(AssertUnwindSafe(|| {
        Encoder::new(&mut out).batch(|batch| {
            batch.result(1, 1);
            batch.result(2, panicking());
        })
    }))
    .unwrap_err();
    assert_eq!(out, b"before\n");
}

#[cfg(feature = "std")]
#[test]
fn a_writer_gets_nothing_of_a_payload_that_panics() {
    let mut encoder = Encoder::new(Writer::new(Vec::new()));
    catch_unwind(AssertUnwindSafe(|| encoder.result(1, panicking()))).unwrap_err();
    encoder.notification("n", NO_PARAMS).unwrap();
    assert_eq!(
        encoder.into_output().into_inner(),
        line(|to| to.notification("n", NO_PARAMS)).as_bytes()
    );
}

/// A caller that catches the panic inside the message can't complete it.
#[test]
fn a_payload_that_panics_within_another_fails_the_message() {
    fn broken(element: impl Payload) -> impl Payload {
        array(|array| {
            catch_unwind(AssertUnwindSafe(|| array.element(element))).unwrap_err();
            array.element(1);
        })
    }
    fn never() -> impl Payload {
        array(|_| panic!("before anything was written"))
    }
    let mut encoder = Encoder::new(Vec::new());
    for failed in [
        encoder.result(1, broken(panicking())),
        encoder.result(1, broken(never())),
        encoder.notification("n", Some(broken(never()))),
        encoder.batch(|batch| {
            let result = AssertUnwindSafe(|| batch.result(1, panicking()));
            catch_unwind(result).unwrap_err();
            batch.result(2, 2);
        }),
    ] {
        assert_eq!(failed, Err(EncodeError::Payload));
    }
    assert!(encoder.output().is_empty());
    encoder.result(1, array(|array| array.element(array_of_one()))).unwrap();
}

fn array_of_one() -> impl Payload {
    array(|array| array.element(1))
}

#[test]
fn several_messages_share_a_slice_and_a_failed_one_leaves_no_trace() {
    let mut room = [0; 80];
    let mut encoder = Encoder::new(Slice::new(&mut room));
    let first = encoder.notification("a", NO_PARAMS).unwrap();
    let too_long = "x".repeat(60);
    let refused = encoder.notification(&too_long, NO_PARAMS);
    assert_eq!(needed_and_free(refused), Some((first + 59, Some(80 - first))));
    let second = encoder.notification("b", NO_PARAMS).unwrap();
    let written = encoder.into_output().into_written();
    assert_eq!(written.len(), first + second);
    let messages = tautline::stream::Messages::new(written, 80, &Profile::JSON_RPC);
    assert_eq!(messages.count(), 2);
}

#[cfg(feature = "heapless-v0_9")]
#[test]
fn a_heapless_vector_is_an_output() {
    let mut encoder = Encoder::new(heapless::Vec::<u8, 48>::new());
    encoder.notification("a", NO_PARAMS).unwrap();
    let refused = encoder.notification("b", NO_PARAMS);
    assert_eq!(needed_and_free(refused), Some((31, None)));
    assert_eq!(encoder.into_output(), *b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n");
}

#[cfg(feature = "embedded-io-v0_7")]
#[test]
fn an_embedded_writer_gets_whole_messages() {
    use tautline::encode::Embedded;

    let mut wire = [0; 40];
    let mut room = [0; 40];
    let mut encoder = Encoder::new(Embedded::new(&mut wire[..], &mut room));
    encoder.notification("a", NO_PARAMS).unwrap();
    assert_eq!(encoder.result(1, f64::INFINITY), Err(EncodeError::NotFinite));
    // The room is free again, but the wire is not.
    assert_eq!(encoder.notification("b", NO_PARAMS), Err(EncodeError::Output));
    let error = encoder.output_mut().take_error().unwrap();
    assert_eq!(error, embedded_io::SliceWriteError::Full);
    let too_long = "x".repeat(40);
    let refused = encoder.notification(&too_long, NO_PARAMS);
    assert_eq!(needed_and_free(refused), Some((70, None)));
    assert_eq!(&wire[..31], b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n");
}

#[cfg(feature = "embedded-io-v0_7")]
#[test]
fn an_embedded_message_behind_a_torn_one_begins_a_line() {
    use tautline::encode::Embedded;

    /// Takes this many bytes, then nothing once, and then everything.
    struct Wire(Vec<u8>, usize);
    impl embedded_io::ErrorType for Wire {
        type Error = core::convert::Infallible;
    }
    impl embedded_io::Write for Wire {
        fn write(&mut self, bytes: &[u8]) -> Result<usize, Self::Error> {
            let taken = bytes.len().min(self.1);
            self.1 = if self.1 == 0 { usize::MAX } else { self.1 - taken };
            self.0.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> Result<(), Self::Error> {
            Ok(())
        }
    }
    let mut room = [0; 40];
    let mut encoder = Encoder::new(Embedded::new(Wire(Vec::new(), 10), &mut room));
    assert_eq!(encoder.notification("a", NO_PARAMS), Err(EncodeError::Output));
    encoder.notification("b", NO_PARAMS).unwrap();
    let wire = encoder.into_output().into_inner().0;
    assert_eq!(wire, b"{\"jsonrpc\"\n{\"jsonrpc\":\"2.0\",\"method\":\"b\"}\n".as_slice());
}
