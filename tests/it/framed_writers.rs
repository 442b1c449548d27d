//! Writers and the codec's encoder in every framing: a reader of the same framing gets back what they
//! write, and a message that fails leaves no bytes in the output.

use std::fmt::Debug;
use std::io::ErrorKind;

use proptest::prelude::*;
use tautline::encode::{EncodeError, NO_PARAMS};
use tautline::frame::{
    AnyFraming, Assembler, Concatenated, ContentLength, DEFAULT_LIMIT, FrameEvent, Framing,
    FramingKind, HeapBuffer, ServerSentEvents, Splitter,
};
use tautline::io::MessageWriter;

use crate::support::faulty::{Act, PROFILE, Wire, encode_three, scripts, three};
use crate::support::room::needed_and_free;
use crate::support::volume::volume;

const LIMIT: u32 = 4096;

/// Returns the frames on the wire, according to the reference for readers.
fn frames<F: Framing>(wire: &[u8], framing: F) -> Vec<Vec<u8>> {
    let mut assembler = Assembler::with_framing(HeapBuffer::new(LIMIT), framing);
    let (mut rest, mut frames) = (wire, Vec::new());
    while let Some(event) = assembler.next(&mut rest) {
        let FrameEvent::Frame(frame) = event else { panic!("{event:?}") };
        frames.push(frame.bytes().to_vec());
    }
    assert!(assembler.finish().is_none(), "the last frame has no end");
    frames
}

fn lines(lines: &[u8]) -> Vec<Vec<u8>> {
    let lines = lines.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines.map(<[u8]>::to_vec).collect()
}

/// The encoding in each framing of a frame whose body is `{}`.
const FORMS: [(FramingKind, &[u8]); 4] = [
    (FramingKind::Ndjson, b"{}\n"),
    (FramingKind::ContentLength, b"Content-Length: 2\r\n\r\n{}"),
    (FramingKind::Sse, b"data: {}\n\n"),
    (FramingKind::Concatenated, b"{}\n"),
];

/// Runs a check in every framing, and in every framing chosen at run time, with its [form](FORMS).
macro_rules! in_every_framing {
    ($check:ident($($argument:expr),*)) => {
        let [lines, bodies, events, values] = FORMS.map(|(_, form)| form);
        $check(Splitter::new(LIMIT), lines, $($argument),*);
        $check(ContentLength::new(LIMIT), bodies, $($argument),*);
        $check(ServerSentEvents::new(LIMIT), events, $($argument),*);
        $check(Concatenated::new(LIMIT), values, $($argument),*);
        for (kind, form) in FORMS {
            $check(AnyFraming::new(kind, LIMIT), form, $($argument),*);
        }
    };
}

fn writes_the_frame<F: Framing + Clone>(framing: F, expected: &[u8]) {
    let mut writer = MessageWriter::with_framing(Vec::new(), &framing, &PROFILE);
    // Blank lines are not messages: readers of lines skip them.
    for lines in [&b""[..], b"{}\n"] {
        writer.put_lines(lines).unwrap();
    }
    assert_eq!(writer.put_lines(b"{}"), Err(EncodeError::Payload));
    writer.flush().unwrap();
    assert_eq!(writer.writer().escape_ascii().to_string(), expected.escape_ascii().to_string());
}

#[test]
fn each_framing_has_its_form() {
    in_every_framing!(writes_the_frame());
}

#[test]
fn a_frame_knows_whether_it_is_a_line() {
    for (kind, form) in FORMS {
        let framing = AnyFraming::new(kind, LIMIT);
        let mut assembler = Assembler::with_framing(HeapBuffer::new(LIMIT), framing);
        let mut rest = form;
        let Some(FrameEvent::Frame(frame)) = assembler.next(&mut rest) else { panic!("{kind}") };
        assert_eq!(frame.is_line(), kind == FramingKind::Ndjson, "{kind}");
    }
}

#[test]
fn a_number_of_any_length_is_written_in_decimal() {
    for length in [2, 9, 10, 99, 100, 999, 1000, 4000] {
        let line = [&vec![b'1'; length][..], b"\n"].concat();
        let framing = ContentLength::new(LIMIT);
        let mut writer = MessageWriter::with_framing(Vec::new(), &framing, &PROFILE);
        writer.put_lines(&line).unwrap();
        writer.flush().unwrap();
        let expected = format!("Content-Length: {length}\r\n\r\n");
        assert!(writer.writer().starts_with(expected.as_bytes()));
        assert_eq!(writer.writer().len(), expected.len() + length);
    }
}

/// The message fits, but not together with its head.
#[test]
fn a_frame_that_does_not_fit_leaves_nothing_behind() {
    let mut writer = MessageWriter::with_framing(Vec::new(), &ContentLength::new(4), &PROFILE)
        .with_output_limit(40);
    writer.put_lines(b"[]\n").unwrap();
    writer.flush().unwrap();
    let refused = writer.encoder().notification("exit", NO_PARAMS);
    assert_eq!(needed_and_free(refused), Some((34, Some(40))));
    assert_eq!(writer.pending(), 0);
    writer.put_lines(b"{}\n").unwrap();
    writer.flush().unwrap();
    let expected = b"Content-Length: 2\r\n\r\n[]Content-Length: 2\r\n\r\n{}";
    assert_eq!(writer.writer().as_slice(), expected);
}

/// A server reads messages of one length and writes others of any, several before it sends them.
fn writes_more_than_its_reader_reads<F: Framing + Clone>(framing: F, _form: &[u8]) {
    let text = "x".repeat(3 * LIMIT as usize);
    let mut writer = MessageWriter::with_framing(Vec::new(), &framing, &PROFILE);
    for _ in 0..3 {
        writer.encoder().result(1, text.as_str()).unwrap();
    }
    writer.put_lines(format!("[\"{text}\"]\n").as_bytes()).unwrap();
    assert!(writer.pending() > 12 * LIMIT as usize);
    writer.flush().unwrap();
}

#[test]
fn the_limit_of_the_reader_is_not_one_for_the_writer() {
    in_every_framing!(writes_more_than_its_reader_reads());
    let mut writer = MessageWriter::new(Vec::new(), &PROFILE);
    let text = "x".repeat(DEFAULT_LIMIT as usize);
    writer.encoder().result(1, text.as_str()).unwrap();
    writer.encoder().result(2, text.as_str()).unwrap();
}

/// The limit is one on all messages in the queue, with what their framing adds.
#[test]
fn an_output_limit_is_one_on_the_queue() {
    let framing = ContentLength::new(LIMIT);
    let mut writer =
        MessageWriter::with_framing(Vec::new(), &framing, &PROFILE).with_output_limit(120);
    for free in [120, 65] {
        assert!(writer.pending() + free == 120);
        writer.encoder().notification("exit", NO_PARAMS).unwrap();
    }
    let refused = writer.encoder().notification("exit", NO_PARAMS);
    assert_eq!(needed_and_free(refused), Some((34, Some(10))));
    let refused = writer.encoder().notification("exit", NO_PARAMS).unwrap_err();
    let text = "the output has no room for the message of 34 bytes: 10 are free";
    assert_eq!(refused.to_string(), text);
    assert_eq!(needed_and_free(writer.put_lines(b"{\"a\":10}\n{}\n")), Some((12, Some(10))));
    writer.flush().unwrap();
    writer.encoder().notification("exit", NO_PARAMS).unwrap();
}

/// Messages are queued while the writer sends, and each is sent once and completely.
fn sends_once<F: Framing + Clone + Debug>(framing: F, _form: &[u8], acts: &[Act]) {
    let wire = Wire::new(b"", acts.to_vec());
    let mut writer = MessageWriter::with_framing(wire, &framing, &PROFILE);
    for n in 0..3 {
        encode_three(n, writer.encoder()).unwrap();
        // Nothing of it is kept, and pending bytes are unchanged.
        let refused = writer.encoder().result(1, f64::NAN);
        assert!(refused.is_err());
        if let Err(error) = writer.flush() {
            assert_ne!(error.kind(), ErrorKind::Interrupted);
        }
    }
    while writer.flush().is_err() {}
    assert_eq!(frames(&writer.writer().written, framing), lines(&three()), "{acts:?}");
}

#[test]
fn nothing_is_sent_twice_or_torn_whatever_the_writer_does() {
    for acts in scripts(40) {
        in_every_framing!(sends_once(&acts));
    }
}

#[cfg(feature = "embedded-io-async-v0_7")]
mod embedded {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;
    use tautline::io::embedded;

    fn sends_once<F: Framing + Clone + Debug>(framing: F, _form: &[u8], acts: &[Act]) {
        let wire = Wire::new(b"", acts.to_vec());
        let profile = &PROFILE;
        let mut writer =
            embedded::MessageWriter::with_framing(wire.clone(), [0; 256], &framing, profile);
        let mut dropped = embedded::MessageWriter::with_framing(wire, [0; 256], &framing, profile);
        let mut context = Context::from_waker(Waker::noop());
        for n in 0..3 {
            encode_three(n, writer.encoder()).unwrap();
            encode_three(n, dropped.encoder()).unwrap();
            let _ = writer.flush();
            let _ = pin!(dropped.flush_async()).poll(&mut context);
        }
        while writer.flush().is_err() {}
        while !matches!(pin!(dropped.flush_async()).poll(&mut context), Poll::Ready(Ok(()))) {}
        assert_eq!(frames(&writer.writer().written, framing.clone()), lines(&three()), "{acts:?}");
        assert_eq!(frames(&dropped.writer().written, framing), lines(&three()), "{acts:?}");
    }

    #[test]
    fn nothing_is_sent_twice_or_torn_whatever_the_writer_does() {
        for acts in scripts(40) {
            in_every_framing!(sends_once(&acts));
        }
    }
}

/// Adds several lines of these lengths at once, and sends this many bytes after each. Lines that do not fit
/// are refused, and the queue is unchanged.
fn queue<F: Framing + Clone>(framing: F, _form: &[u8], steps: &[(usize, usize, usize)]) {
    let mut acts = Vec::new();
    for &(.., taken) in steps {
        acts.extend((taken > 0).then_some(Act::Take(taken)));
        acts.push(Act::Fail(ErrorKind::WouldBlock));
    }
    let wire = Wire::new(b"", acts);
    let mut writer = MessageWriter::with_framing(wire, &framing, &PROFILE).with_output_limit(LIMIT);
    let mut accepted = Vec::new();
    for &(count, length, _) in steps {
        let line = [b"\"", &vec![b'x'; length][..], b"\"\n"].concat().repeat(count);
        let before = writer.pending();
        match writer.put_lines(&line) {
            Ok(()) => accepted.extend(lines(&line)),
            Err(error) => {
                let free = LIMIT as usize - before;
                assert_eq!(needed_and_free::<()>(Err(error)), Some((line.len(), Some(free))));
                assert_eq!(writer.pending(), before);
                assert!(before + line.len() + count * 36 > LIMIT as usize);
            }
        }
        let _ = writer.flush();
    }
    while writer.flush().is_err() {}
    assert_eq!(frames(&writer.writer().written, framing), accepted);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(volume(256)))]

    #[test]
    fn a_queue_is_used_round_and_round(
        steps in prop::collection::vec((0..4_usize, 0..600_usize, 0..1500_usize), 0..60),
    ) {
        in_every_framing!(queue(&steps));
    }
}

#[cfg(feature = "tokio-util-v0_7")]
mod codec {
    use super::*;
    use bytes::BytesMut;
    use tautline::codec::{EncodedLines, MessageCodec, Outgoing};
    use tautline::owned;
    use tokio_util::codec::{Decoder, Encoder};

    fn encodes<F: Framing + Clone>(framing: F, form: &[u8]) {
        let mut codec = MessageCodec::with_framing(framing.clone(), &tautline::Profile::JSON_RPC);
        let mut out = BytesMut::new();
        codec.encode(EncodedLines(b"{}\n"), &mut out).unwrap();
        assert_eq!(out, form);
        let refused = codec.encode(Outgoing(|encoder| encoder.result(1, f64::NAN)), &mut out);
        assert!(refused.is_err());
        assert!(codec.encode(EncodedLines(b"{}"), &mut out).is_err());
        assert_eq!(out, form, "a refused message leaves nothing in the output");
        out.clear();
        let ping = owned::Message::Request(owned::Request::new(1, "ping", None));
        codec.encode(&ping, &mut out).unwrap();
        codec.encode(EncodedLines(&three()), &mut out).unwrap();
        codec
            .encode(Outgoing(|encoder| encoder.notification("last", NO_PARAMS)), &mut out)
            .unwrap();
        let expected = [
            &b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"[..],
            &three(),
            b"{\"jsonrpc\":\"2.0\",\"method\":\"last\"}\n",
        ];
        assert_eq!(frames(&out, framing), lines(&expected.concat()));
        let mut count = 0;
        while let Some(item) = codec.decode(&mut out).unwrap() {
            assert!(item.message().is_ok());
            count += 1;
        }
        assert_eq!((count, out.len()), (5, 0));
    }

    #[test]
    fn the_encoder_writes_what_the_decoder_reads() {
        in_every_framing!(encodes());
    }
}
