//! The findings of a frame are the same through every entry point that yields messages.

use tautline::frame::{Assembler, FrameEvent, Frames};
use tautline::stream::{MessageStream, Messages, Received};
use tautline::{Envelope, Finding, Message, Profile, Rule, Severity};

use crate::support::presets::{GUARDED_NAMES, Revision};

const LIMIT: u32 = 120;

/// Messages with warnings and notes, faults, a batch, a frame over the limit, and a last line without a newline.
const WIRE: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}\n\
{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"rpc.a\",\"extra\":true,\"Id\":2}\r\n\
{\"jsonrpc\":\"2.0\",\"id\":9007199254740992,\r\"result\":{}}\n\
not json\n\
{\"jsonrpc\":\"1.0\",\"id\":[],\"method\":7}\n\
[{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"x\":1},3]\n\
{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"over the limit\",\"params\":{\"text\":\"\
0123456789012345678901234567890123456789012345678901234567890123456789\"}}\n\
{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"Name\":\"b\"}}\n\
{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":404,\"message\":\"\xE2\x80\xA8\"}}";

fn every_profile() -> [Profile; 4] {
    let lenient = Profile::JSON_RPC.with_severity(Rule::WRONG_VERSION, Severity::Note).unwrap();
    [
        Profile::JSON_RPC,
        Revision::V2025_11_25.profile(),
        Profile::JSON_RPC.strict(&GUARDED_NAMES),
        lenient,
    ]
}

/// The findings of each event, collected as the events come.
#[derive(Default)]
struct Found(Vec<Vec<Finding>>);

impl Found {
    /// Adds the findings of one event.
    fn add(&mut self, received: &Received<'_>, profile: &Profile) {
        let mut found = Vec::new();
        received.findings(profile, |finding| found.push(finding));
        let error = found.iter().find(|finding| finding.severity() == Severity::Error);
        assert_eq!(received.fault().map(tautline::Fault::finding), error.copied());
        self.0.push(found);
    }
}

/// Returns the findings of each frame, parsed by itself, without the readers.
fn expected(profile: &Profile) -> Vec<Vec<Finding>> {
    let findings = |event| {
        let mut found = Vec::new();
        match event {
            FrameEvent::Frame(frame) => {
                Envelope::read(frame, profile).findings(|finding| found.push(finding));
            }
            FrameEvent::Oversized(oversized) => {
                found.push(tautline::Fault::of_oversized(&oversized, profile).finding());
            }
            other => panic!("{other:?}"),
        }
        found
    };
    Frames::new(WIRE, LIMIT).map(findings).collect()
}

#[test]
fn the_wire_has_findings_of_every_severity() {
    let all: Vec<_> = expected(&Profile::JSON_RPC).concat();
    for severity in [Severity::Note, Severity::Warning, Severity::Error] {
        assert!(all.iter().any(|finding| finding.severity() == severity));
    }
    assert_eq!(expected(&Profile::JSON_RPC)[1].len(), 4);
    assert_eq!(expected(&Profile::JSON_RPC)[0], []);
}

#[test]
fn slices_and_streams() {
    for profile in every_profile() {
        let mut found = Found::default();
        let messages = Messages::new(WIRE, LIMIT, &profile);
        for received in messages {
            found.add(&received, &profile);
        }
        assert_eq!(found.0, expected(&profile));
        for size in [1, 7, WIRE.len()] {
            let mut found = Found::default();
            let assembler = Assembler::with_limit([0; LIMIT as usize], LIMIT);
            let mut stream = MessageStream::with_assembler(assembler, &profile);
            for mut chunk in WIRE.chunks(size) {
                while let Some(received) = stream.next(&mut chunk) {
                    found.add(&received, &profile);
                }
            }
            while let Some(received) = stream.finish() {
                found.add(&received, &profile);
            }
            assert_eq!(found.0, expected(&profile), "{size}");
        }
    }
}

#[test]
fn elements_of_a_batch_have_findings_of_their_own() {
    let Some(Received::Message { message: Message::Batch(batch), .. }) =
        Messages::new(WIRE, LIMIT, &Profile::JSON_RPC).nth(5)
    else {
        panic!()
    };
    let mut found = Vec::new();
    for element in batch.iter() {
        element.findings(|finding| found.push((finding.rule(), finding.offset())));
    }
    assert_eq!(found, [(Rule::UNKNOWN_MEMBER, 31), (Rule::NOT_AN_OBJECT, 38)]);
}

#[cfg(feature = "std")]
#[test]
fn readers_over_std() {
    use tautline::frame::Splitter;
    use tautline::io::MessageReader;

    for profile in every_profile() {
        let mut found = Found::default();
        let mut reader = MessageReader::with_framing(WIRE, Splitter::new(LIMIT), &profile);
        while let Some(received) = reader.next().unwrap() {
            found.add(&received, &profile);
        }
        assert_eq!(found.0, expected(&profile));
    }
}

#[cfg(feature = "embedded-io-v0_7")]
#[test]
fn readers_over_embedded_io() {
    use tautline::frame::FrameBuffer;
    use tautline::io::embedded::MessageReader;

    for profile in every_profile() {
        let mut found = Found::default();
        let buffer = FrameBuffer::with_limit([0; 256], LIMIT);
        let mut reader = MessageReader::new(WIRE, buffer, &profile);
        while let Some(received) = reader.next().unwrap() {
            found.add(&received, &profile);
        }
        assert_eq!(found.0, expected(&profile));
    }
}

#[cfg(feature = "embedded-io-async-v0_7")]
#[test]
fn readers_over_embedded_io_async() {
    use std::task::{Context, Poll, Waker};

    use tautline::frame::FrameBuffer;
    use tautline::io::embedded::MessageReader;

    let mut context = Context::from_waker(Waker::noop());
    for profile in every_profile() {
        let mut found = Found::default();
        let buffer = FrameBuffer::with_limit([0; 256], LIMIT);
        let mut reader = MessageReader::without_skimmer(WIRE, buffer, &profile);
        loop {
            // The slice is always ready.
            let polled = {
                let next = reader.next_async();
                std::pin::pin!(next).poll(&mut context)
            };
            let Poll::Ready(Ok(Some(received))) = polled else { break };
            found.add(&received, &profile);
        }
        assert_eq!(found.0, expected(&profile));
    }
}

#[cfg(feature = "tokio-util-v0_7")]
#[test]
fn items_of_the_codec() {
    use bytes::BytesMut;
    use tautline::codec::MessageCodec;
    use tokio_util::codec::Decoder;

    for profile in every_profile() {
        let mut found = Found::default();
        let mut codec = MessageCodec::with_limit(LIMIT, &profile);
        let mut buffer = BytesMut::from(WIRE);
        while let Some(item) = codec.decode_eof(&mut buffer).unwrap() {
            let mut reported = Vec::new();
            item.findings(codec.profile(), |finding| reported.push(finding));
            found.add(&item.received(), &profile);
            assert_eq!(found.0.last(), Some(&reported));
        }
        assert_eq!(found.0, expected(&profile));
    }
}
