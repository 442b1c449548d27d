//! Some receivers end a line at a raw CR, so a line must not contain one. It is an error or a warning in every driver
//! of lines, and ignored in other framings.

use tautline::envelope::CarriageReturns;
use tautline::frame::{
    Assembler, Concatenated, ContentLength, Frame, FrameBuffer, FrameEvent, Frames,
    ServerSentEvents,
};
use tautline::stream::{MessageStream, Messages, Received};
use tautline::{Envelope, Message, Profile, Rule, Severity, rule};

use crate::support::dice;
use crate::support::presets::Revision;

/// A call in the payload of another one, on its own lines for a receiver that ends lines at a CR.
const SMUGGLED: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"_meta\":{\"x\":[\r\
{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"format_disk\",\"arguments\":{}}}\r\
]}}}\n";

fn mcp() -> Profile {
    Revision::V2025_11_25.profile()
}

/// Returns the frame of the first line.
fn frame(wire: &[u8]) -> Frame<'_> {
    match Frames::new(wire, 1024).next() {
        Some(FrameEvent::Frame(frame)) => frame,
        other => panic!("{other:?}: {}", wire.escape_ascii()),
    }
}

/// Checks that it was refused for its first CR, and that the sender gets an error with its id.
fn assert_refused(received: &Received<'_>, driver: &str) {
    let Received::Fault { frame, fault, .. } = received else { panic!("{driver}: {received:?}") };
    let first = frame.bytes().iter().position(|&byte| byte == b'\r').unwrap();
    assert_eq!(fault.rule(), Rule::RAW_CARRIAGE_RETURN, "{driver}");
    assert_eq!(fault.offset() as usize, first, "{driver}");
    let reply = fault.reply().unwrap();
    assert_eq!(reply.code().value(), -32600, "{driver}");
    assert_eq!(reply.raw_id().map(|id| id.as_bytes()), Some(&b"1"[..]), "{driver}");
}

/// A driver: receives a stream, and passes its only message or fault to the check.
type Driver = fn(&[u8], &Profile, &mut dyn FnMut(&Received<'_>));

const DRIVERS: &[(&str, Driver)] = &[
    ("Frames", |wire, profile, check| {
        for event in Frames::new(wire, 1024) {
            check(&Received::from_event(event, profile));
        }
    }),
    ("Messages", |wire, profile, check| {
        for received in Messages::new(wire, 1024, profile) {
            check(&received);
        }
    }),
    ("MessageStream, every cut", |wire, profile, check| {
        for cut in 0..=wire.len() {
            let mut stream = MessageStream::new([0; 1024], profile);
            for mut chunk in [&wire[..cut], &wire[cut..]] {
                while let Some(received) = stream.next(&mut chunk) {
                    check(&received);
                }
            }
            if let Some(received) = stream.finish() {
                check(&received);
            }
        }
    }),
    ("FrameBuffer, byte by byte", |wire, profile, check| {
        let mut buffer = FrameBuffer::new([0; 1024]);
        for &byte in wire {
            buffer.spare()[0] = byte;
            buffer.commit(1);
            while let Some(event) = buffer.next() {
                check(&Received::from_event(event, profile));
            }
        }
        while let Some(event) = buffer.finish() {
            check(&Received::from_event(event, profile));
        }
    }),
    #[cfg(feature = "std")]
    ("MessageReader", |wire, profile, check| {
        let mut reader = tautline::io::MessageReader::new(wire, profile);
        while let Some(received) = reader.next().unwrap() {
            check(&received);
        }
    }),
    #[cfg(feature = "tokio-util-v0_7")]
    ("MessageCodec", |wire, profile, check| {
        use tokio_util::codec::Decoder;
        let mut codec = tautline::codec::MessageCodec::new(profile);
        let mut buffer = bytes::BytesMut::from(wire);
        while let Some(line) = codec.decode_eof(&mut buffer).unwrap() {
            check(&line.received());
        }
    }),
];

#[test]
fn a_raw_carriage_return_is_refused_by_every_driver_of_lines() {
    for (name, driver) in DRIVERS {
        for revision in Revision::ALL {
            let mut count = 0;
            driver(SMUGGLED, &revision.profile(), &mut |received| {
                assert_refused(received, name);
                count += 1;
            });
            assert!(count > 0, "{name}");
        }
    }
}

#[test]
fn under_json_rpc_it_is_a_warning() {
    for (name, driver) in DRIVERS {
        driver(SMUGGLED, &Profile::JSON_RPC, &mut |received| {
            let Received::Message { frame, message: Message::Request(request), .. } = received
            else {
                panic!("{name}: {received:?}")
            };
            assert_eq!(request.method(), "ping", "{name}");
            let mut found = Vec::new();
            let report =
                |finding: tautline::Finding| found.push((finding.rule(), finding.severity()));
            let envelope = Envelope::read(frame, &Profile::JSON_RPC);
            envelope.findings(report);
            assert!(envelope.message().is_ok(), "{name}");
            assert_eq!(found, [(Rule::RAW_CARRIAGE_RETURN, Severity::Warning)], "{name}");
        });
    }
    let strict = Profile::JSON_RPC.with_carriage_returns(CarriageReturns::Forbidden);
    let frame = frame(SMUGGLED);
    assert_eq!(Message::parse(frame, &strict).unwrap_err().rule(), Rule::RAW_CARRIAGE_RETURN);
}

/// Which CRs are part of a line end, and the replies to the others.
#[test]
fn only_the_cr_directly_before_the_newline_is_exempt() {
    let clean = r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#;
    for (line, expected) in [
        (format!("{clean}\r\n"), None),
        (format!(" {clean}\t\r\n"), None),
        (format!("{clean}\r\r\n"), Some((42, Some("\"a\"")))),
        (format!("\r{clean}\n"), Some((0, Some("\"a\"")))),
        (clean.replace(':', "\r:") + "\r\n", Some((10, Some("\"a\"")))),
        (clean.replace(",\"", ",\r        \"") + "\n", Some((17, Some("\"a\"")))),
        // At the end of the stream, a CR counts as half of a line end.
        (format!("{clean}\r"), None),
        (format!("{clean}\r\r"), Some((42, Some("\"a\"")))),
        // A notification and a response get no reply; an illegal id is not echoed.
        ("{\r\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n".into(), Some((1, None))),
        ("{\r\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n".into(), Some((1, None))),
        ("{\r\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"a\"}\n".into(), Some((1, Some("")))),
        ("[\r]\n".into(), Some((1, Some("")))),
        ("1\r\r\n".into(), Some((1, Some("")))),
    ] {
        let frame = frame(line.as_bytes());
        let fault = Message::parse(frame, &mcp()).err();
        let found = fault.map(|fault| {
            assert_eq!(fault.rule(), Rule::RAW_CARRIAGE_RETURN, "{line:?}");
            let id =
                fault.reply().map(|reply| reply.raw_id().map(|id| id.as_bytes()).unwrap_or(b""));
            (fault.offset(), id.map(|id| std::str::from_utf8(id).unwrap()))
        });
        assert_eq!(found, expected, "{line:?}");
    }
}

/// Text that is not JSON is reported as that first, and blank lines stay blank.
#[test]
fn text_that_is_not_json_is_reported_as_such() {
    for line in [&b"{\"a\":\"\r\"}\n"[..], b"{\r\n", b"log\rline\n"] {
        let frame = frame(line);
        let fault = Message::parse(frame, &mcp()).unwrap_err();
        assert_eq!(fault.rule(), Rule::NOT_JSON, "{}", line.escape_ascii());
        let mut found = Vec::new();
        let report = |finding: tautline::Finding| found.push(finding.rule());
        Envelope::read(frame, &mcp()).findings(report);
        assert!(!found.contains(&Rule::RAW_CARRIAGE_RETURN), "{}", line.escape_ascii());
    }
    assert!(Frames::new(b"\r\r\n \r \r\n", 1024).next().is_none());
}

#[test]
fn other_framings_and_bodies_may_hold_carriage_returns() {
    let body = &SMUGGLED[..SMUGGLED.len() - 1];
    assert!(Message::parse(body, &mcp()).is_ok());
    let header = [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat();
    let mut frames: Vec<FrameEvent<'_>> = Vec::new();
    frames.extend(Frames::with_framing(&header, ContentLength::new(1024)));
    frames.extend(Frames::with_framing(body, Concatenated::new(1024)));
    assert_eq!(frames.len(), 2);
    for event in frames {
        assert!(matches!(Received::from_event(event, &mcp()), Received::Message { .. }));
    }
    // In an event, a CR ends a line of data, and the lines are joined by LF.
    let text = std::str::from_utf8(body).unwrap();
    let event = format!("data: {}\n\n", text.replace('\r', "\ndata: "));
    let assembler = Assembler::with_framing([0; 1024], ServerSentEvents::new(1024));
    let mut stream = MessageStream::with_assembler(assembler, &mcp());
    let received = stream.next(&mut event.as_bytes()).map(|received| format!("{received:?}"));
    assert!(received.is_some_and(|received| received.starts_with("Message")), "{event}");
}

/// A line separator in a string draws a note, with the position of the first one.
#[test]
fn raw_line_separators_in_strings_are_noted() {
    for (text, at) in [
        ("a\u{2028}b\u{2029}", Some(49)),
        ("ab\u{2029}", Some(50)),
        ("\u{85}", Some(48)),
        ("\u{2027}\u{202A}\u{84}\u{86}\\u2028\\u0085", None),
        ("\u{10028}\u{A0}\u{E0A8}", None),
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":["{text}"]}}"#);
        let frame = frame(line.as_bytes());
        let mut found = Vec::new();
        let report = |finding: tautline::Finding| {
            assert_eq!(finding.severity(), Severity::Note);
            found.push((finding.rule(), finding.offset()));
        };
        let envelope = Envelope::read(frame, &Profile::JSON_RPC);
        envelope.findings(report);
        assert!(envelope.message().is_ok(), "{line}");
        let expected = at.map(|at| (Rule::LINE_SEPARATOR, at));
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{line}");
        let mut found = 0;
        let envelope = Envelope::read(line.as_bytes(), &Profile::JSON_RPC);
        envelope.findings(|_| found += 1);
        assert!(envelope.message().is_ok(), "{line}");
        assert_eq!(found, 0, "{line}");
    }
}

/// A line with CRs has the same verdict as with spaces instead, except for the rule that the CRs violate.
#[test]
fn random_lines_against_the_same_with_spaces() {
    let words = |text: &'static str| text.split(' ').collect::<Vec<_>>();
    let tokens = words(r#"{ } [ ] : , "jsonrpc" "2.0" "id" 1 "a" "method" "params" "result" null"#);
    let messages = [
        words(r#"{ "jsonrpc" : "2.0" , "id" : 1 , "method" : "a" }"#),
        words(r#"{ "jsonrpc" : "2.0" , "method" : "a" , "params" : [ 1 ] }"#),
        words(r#"{ "jsonrpc" : "2.0" , "id" : 1 , "result" : { } }"#),
    ];
    let mut dice = dice::Dice(1);
    let (mut refused, mut other) = (0, 0);
    for _ in 0..20_000 {
        let mut text = Vec::new();
        let message = &messages[dice.roll(messages.len())];
        for &token in message {
            for _ in 0..dice.roll(3) {
                text.push(*[b'\r', b' ', b'\t'].get(dice.roll(3)).unwrap());
            }
            // Now and then a token in the wrong place.
            let token = if dice.roll(60) == 0 { tokens[dice.roll(tokens.len())] } else { token };
            text.extend_from_slice(token.as_bytes());
        }
        let line = [&text[..], b"\n"].concat();
        let spaced: Vec<u8> =
            line.iter().map(|&byte| if byte == b'\r' { b' ' } else { byte }).collect();
        let (line, spaced) = (frame(&line), frame(&spaced));
        let first = line.bytes().iter().position(|&byte| byte == b'\r');
        let verdict = Message::parse(line, &mcp());
        let expected = Message::parse(spaced, &mcp());
        match (first, expected) {
            (Some(at), Ok(_)) => {
                let fault = verdict.unwrap_err();
                assert_eq!(
                    (fault.rule(), fault.offset() as usize),
                    (Rule::RAW_CARRIAGE_RETURN, at)
                );
                refused += 1;
            }
            (Some(at), Err(fault)) if !matches!(fault.rule(), Rule::NOT_JSON) => {
                let found = verdict.unwrap_err();
                assert_eq!(
                    (found.rule(), found.offset() as usize),
                    (Rule::RAW_CARRIAGE_RETURN, at)
                );
                assert_eq!(found.reply().map(|r| r.code()), fault.reply().map(|r| r.code()));
                refused += 1;
            }
            (_, expected) => {
                assert_eq!(verdict, expected, "{}", text.escape_ascii());
                other += 1;
            }
        }
    }
    assert!(refused > 1000 && other > 100, "{refused} {other}");
}

/// A forwarded message is one line for any receiver.
#[cfg(feature = "std")]
#[test]
fn what_is_passed_on_has_no_carriage_return() {
    use tautline::encode::Forward;

    let frame = frame(SMUGGLED);
    assert!(Forward::of_envelope(&Envelope::read(frame, &mcp())).is_err());
    let profile = Profile::JSON_RPC;
    let forward = Forward::of_envelope(&Envelope::read(frame, &profile)).unwrap();
    let forwarded = forward.parts().collect::<Vec<_>>().concat();
    let body = &SMUGGLED[..SMUGGLED.len() - 1];
    let spaced: Vec<u8> =
        SMUGGLED.iter().map(|&byte| if byte == b'\r' { b' ' } else { byte }).collect();
    let Ok(Message::Request(request)) = Message::parse(body, &profile) else { panic!() };

    let mut writer = tautline::io::MessageWriter::new(Vec::new(), &profile);
    writer.put_lines(SMUGGLED).unwrap();
    writer.encoder().request(1, "ping", request.params()).unwrap();
    writer.put_lines(b"{\"a\":\r\r1}\r\n\r\n").unwrap();
    writer.flush().unwrap();
    let written = writer.into_inner();
    let without: Vec<u8> = SMUGGLED.iter().copied().filter(|&byte| byte != b'\r').collect();
    assert_eq!(forwarded, without);
    assert!(written.starts_with(&spaced));
    assert!(written.ends_with(b"{\"a\":  1} \n \n"));
    assert!(!written.contains(&b'\r') && !forwarded.contains(&b'\r'));

    // A message that does not fit leaves the queue unchanged.
    let mut writer = tautline::io::MessageWriter::with_storage(Vec::new(), [0; 8], &profile);
    writer.put_lines(b"{}\n").unwrap();
    let refused = writer.put_lines(b"{\r\r\r}\n");
    assert_eq!(crate::support::room::needed_and_free(refused), Some((6, Some(5))));
    assert_eq!(writer.pending(), 3);

    #[cfg(feature = "tokio-util-v0_7")]
    {
        use tautline::codec::{EncodedLines, MessageCodec};
        use tokio_util::codec::{Decoder, Encoder};
        let mut codec = MessageCodec::new(&profile);
        let item = codec.decode(&mut bytes::BytesMut::from(SMUGGLED)).unwrap().unwrap();
        let line = [item.bytes(), &b"\n"[..]].concat();
        let mut out = bytes::BytesMut::new();
        codec.encode(EncodedLines(&line), &mut out).unwrap();
        assert_eq!(out, spaced);
    }
}

/// A server answers the outer call with an error, and never sees the inner one.
#[cfg(feature = "std")]
#[test]
fn an_endpoint_runs_neither_call() {
    use tautline::endpoint::{Endpoint, Method};

    let methods: &[Method<u32>] = &[
        Method::new("ping", |calls, _, responder| {
            *calls += 1;
            Ok(responder.result(1))
        }),
        Method::new("tools/call", |_, _, _| panic!("the smuggled call was run")),
    ];
    let endpoint = Endpoint::new(methods, &mcp());
    let (mut calls, mut room) = (0, vec![0; 4096]);
    let received = Messages::new(SMUGGLED, 1024, endpoint.profile()).next().unwrap();
    let reply = endpoint.answer(&received, &mut calls, &mut room).unwrap().bytes();
    let expected = br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"#;
    assert!(reply.starts_with(expected), "{}", reply.escape_ascii());
    assert_eq!(calls, 0);
    let line = &SMUGGLED[..SMUGGLED.len() - 1];
    let reply = endpoint.answer(Frame::from_line(line), &mut calls, &mut room).unwrap().bytes();
    assert!(reply.starts_with(expected), "{}", reply.escape_ascii());
    assert_eq!(calls, 0);
}

/// Two messages with a CR between them are not JSON here, but two messages to others.
#[test]
fn a_raw_cr_between_two_messages_is_found() {
    let wire =
        b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"} \r {\"jsonrpc\":\"2.0\",\"method\":\"b\"}\n";
    let frame = frame(wire);
    let found = |envelope: Envelope<'_>| {
        let mut found = Vec::new();
        envelope.findings(|finding| {
            found.push((rule::name(finding.rule()), finding.severity(), finding.offset()));
        });
        found
    };
    for (profile, severity) in [(mcp(), Severity::Error), (Profile::JSON_RPC, Severity::Warning)] {
        let fault = Message::parse(frame, &profile).unwrap_err();
        assert_eq!((fault.rule(), fault.offset()), (Rule::NOT_JSON, 33));
        assert_eq!(
            found(Envelope::read(frame, &profile)),
            [("not-json", Severity::Error, 33), ("raw-carriage-return", severity, 31)]
        );
        // Elsewhere a CR is whitespace like any other.
        let body = Envelope::read(frame.bytes(), &profile);
        assert_eq!(found(body), [("not-json", Severity::Error, 33)]);
    }
    // Within a value that is faulty for another reason, it does not show how others split the line.
    let frame = self::frame(b"{\"a\":\r x}\n");
    assert_eq!(found(Envelope::read(frame, &mcp())).len(), 1);
}
