//! Compares this crate with its peers on input that they treat differently, and gives the reasons.
//!
//! The peers are the official SDKs of the Model Context Protocol: for TypeScript (TS, versions 1 and 2), Python (PY 1
//! and 2), Rust (RS) and Go (GO), as of November 2026. The first table lists the behaviour of their servers on stdio,
//! and the second the behaviour of the clients of TS and PY. "Silent" means no reply on a connection that stays open.
//! Each row is tested by the rows with the same heading in this file's tables.
//!
//! # As a server
//!
//! | input | peers | here | why |
//! |---|---|---|---|
//! | malformed or truncated JSON | silent; PY 1 answers with a log message; GO ends the connection | `not-json`: silence on MCP's pipes, -32700 elsewhere | two peers that answer each other's logs never stop; over HTTP a caller is waiting |
//! | blank line | skipped; PY 1 answers with a log message | skipped and counted | it has no content |
//! | CRLF | ok | one CR before LF is not part of the frame | Windows writes it, and MCP does not define the newline |
//! | two CRs before LF | ok; PY treats the first as a line end | `raw-carriage-return`, -32600 with the id | only one can belong to the line end; a peer with universal newlines splits the message at any other |
//! | spaces around the object | ok; GO ends the connection at trailing ones | ok | RFC 8259, section 2 |
//! | byte order mark | lost with the whole message; RS skips it on every line; GO ends the connection | skipped at the start of the stream, `not-json` elsewhere | RFC 8259, section 8.1, allows ignoring it; in the middle of a stream it is not a mark |
//! | invalid UTF-8 in a string | accepted as U+FFFD; RS drops it silently | `invalid-utf8`: as bytes that are not JSON | text that can't be forwarded unchanged must not be accepted |
//! | invalid UTF-8 in the id | echoed with U+FFFD in it; RS drops it | `invalid-utf8`: as bytes that are not JSON | the reply would answer another id |
//! | lone surrogate in the id | echoed by TS; dropped by PY and RS | `lone-surrogate`, -32600 without that id | no UTF-8 text can hold it, so most peers can't compare it |
//! | lone surrogate in params | not looked into | accepted | RFC 8259 allows it, and payload is opaque here |
//! | control character in a string | silent; GO ends the connection | `not-json` | RFC 8259, section 7 |
//! | message over several lines | each line is lost; RS answers some of them; GO accepts it | each line is `not-json`, with a note on newlines | a frame is a line; MCP forbids newlines in messages |
//! | lone CR between tokens | ok; PY treats it as a line end, and runs what follows as another message | `raw-carriage-return`, -32600 with the id, on a line; ok in a body | only LF ends a frame, and one message here must not be two elsewhere |
//! | two objects on a line | silent; GO ends the connection | `not-json` at the second | one frame is one message, and it is unknown which one is meant |
//! | U+2028 or U+0085 in a string | ok | ok, with a note on a line | only LF ends a frame |
//! | response to nothing | reported or dropped | a response | a single frame does not show the requests in flight |
//! | member twice | the last wins; RS answers -32600 without an id | `duplicate-member`, -32600 with the id if it is not the member | two peers would see two messages |
//! | `Method` alone | silent; RS answers -32600 without an id | `no-shape`, -32600 with the id | names are case-sensitive |
//! | `METHOD` beside `method` | TS drops the message; others serve it | served, with a warning | unknown members are not forbidden; a gateway that folds case would see another method |
//! | escaped name | served | served | names are compared after unescaping: RFC 8259, section 8.3 |
//! | batch | silent; RS answers -32600 without an id; GO accepts it up to 2025-03-26 | a batch in revisions that have them; else one `batch-not-allowed` | only 2025-03-26 has them |
//! | empty batch | silent; RS answers -32600 without an id; GO ends the connection | one -32600 | JSON-RPC 2.0, section 6 |
//! | null id | PY and GO treat it as a notification; TS silent; RS answers -32600 without an id | `id-null`: a warning in JSON-RPC, elsewhere -32600 without it | an object with an `id` is not a notification: its sender waits |
//! | fractional id | PY treats it as a notification; TS silent; RS answers -32600 without an id; GO cuts it to 1 | `id-fraction`: a warning in JSON-RPC, elsewhere -32600 without it | the schemas say integer |
//! | id of a wrong type | PY treats it as a notification; GO ends the connection | `id-type`, -32600 without it | an object with an `id` is not a notification |
//! | id with a point or an exponent | TS, RS and GO echo 1 and 100; PY treats it as a notification | legal, with a warning; echoed unchanged | it is an integer, and the sender may compare text |
//! | id minus zero | echoed as 0 | legal, with a warning; echoed unchanged | the same |
//! | id beyond 2^53 | TS silent; GO answers another id | legal, with a warning; echoed unchanged | ids are text here, and never pass through a float |
//! | id beyond 2^63 | TS silent; RS answers -32600 without an id; GO overflows | legal, with a warning; echoed unchanged | the same |
//! | empty string as id, negative id | ok | ok | neither is forbidden |
//! | unknown member | TS drops the message; others serve it | served, with a note | no schema forbids it |
//! | method beside result | PY and GO serve it; RS answers -32600 | `method-in-response`: silence | it may be a response, and responses are not answered |
//! | result beside error | PY raises the error; TS drops it; RS answers -32600 without an id; GO keeps both | `result-and-error`: silence | the same |
//! | neither method nor result nor error | silent; RS answers -32600 without an id; GO treats it as a response | `no-shape`, -32600 with the id | JSON-RPC 2.0, section 7, has this example |
//! | version absent or wrong | silent; RS answers -32600 without an id; GO ends the connection | `missing-jsonrpc` or `wrong-version`, -32600 with the id | the sender waits for an answer |
//! | params of a wrong type | silent; RS answers -32600 without an id; GO hands them on | `params-type`, -32600 with the id | the sender waits for an answer |
//! | params as an array | silent; RS answers -32600 without an id | `params-type` in MCP; legal in JSON-RPC and LSP | MCP allows only objects |
//! | null params | TS silent; others serve it | `params-type`; legal in LSP | null is not structured: JSON-RPC 2.0, section 4.2; LSP's clients send it |
//! | method empty or unknown | -32601 | a request | the envelope does not define which methods exist |
//! | notification's method with an id | an error reply, of three different codes | a request | the presence of `id` decides, and not the name |
//! | required params absent | -32600 in GO | a request | -32602 is for the layer that knows the method |
//! | request's method without an id | silent | a notification | the presence of `id` decides, and not the name |
//! | error with a null id | TS and PY 1 refuse it; PY 2 and RS accept it; GO ends the connection | legal in JSON-RPC and LSP; `id-null` in MCP: silence | JSON-RPC 2.0, section 5, demands what MCP's schema forbids |
//! | error without an id | TS, RS accept it; PY refuses it; GO ends the connection | legal from 2025-11-25; else `response-without-id`: silence | that revision made the member optional |
//! | result that is no object | silent; GO accepts it | legal in JSON-RPC and LSP; `result-type` in MCP: silence | MCP, basic |
//! | id used twice | both are answered; RS answers one; GO drops the second | two requests | a single frame does not show what is in flight |
//! | 200 levels, 200 000 levels | TS takes both; PY and RS fail silently; GO has a limit of 10 000 | `too-deep`, -32600 with the id if it came before | bounded memory, and an answer for a waiting caller |
//! | line of 11 MiB | TS closes the connection; others ok | ok | the default limit is 16 MiB |
//! | line of 17 MiB | TS closes the connection; RS drops it; others ok | one `frame-too-long`, and the next line is read | memory is bounded, and one line does not cost a session |
//! | no newline at the end | lost, except by PY and GO | delivered, and reported as unterminated | bytes are never lost silently |
//!
//! # As a client
//!
//! | input | peers | here | why |
//! |---|---|---|---|
//! | banner before the first message | skipped | `not-json` with a note that it looks like a log; then the message | the stream continues after every fault |
//! | invalid UTF-8, then a message | PY crashes; TS continues | `invalid-utf8`; then the message | the same |
//! | byte order mark before the first message | all time out | skipped | the same as on a server |
//! | string id for a number | accepted | a response with the id `"1"`, which is not equal to 1, but alike | the same id is demanded; a gateway may choose to be lenient |
//! | float id for an integer | TS accepts it; PY times out | a response with the id `1.0`, which is not equal to 1, but alike | the same |
//! | error with a null id, then a message | skipped | as on a server; then the message | the stream continues after every fault |
//! | result beside a null error | TS times out; PY takes the result | `result-and-error`: silence | the member must be absent |
//! | result and an unknown member | TS times out; PY takes the result | a response, with a note | no schema forbids it |
//! | response without a version | all time out | `missing-jsonrpc`: silence | JSON-RPC 2.0, section 5 |
//! | batch of responses | all time out | as on a server | the same |
//! | response over several lines | all time out | as on a server | the same |
//! | null result | all time out | legal in JSON-RPC and LSP; `result-type` in MCP: silence | the same |
//! | character cut between two writes | ok | ok | a frame is the text between newlines, however it is cut |
//! | response without a newline at the end | the connection is closed | delivered, and reported as unterminated | the same as on a server |

mod tables;

use std::collections::BTreeSet;

use crate::support::presets::Revision;
use tables::Expect::{Same, ToNobody};
use tables::{FRAMES, WIRES, protocols};
use tautline::frame::{DEFAULT_LIMIT, FrameEvent, Frames};
use tautline::rule;
use tautline::stream::{MessageStream, Messages, Received};
use tautline::{Envelope, Fault, Id, Message, Outcome, Profile};

/// Describes the verdict on a frame, or on an element of a batch.
fn verdict(envelope: &Envelope<'_>) -> String {
    let mut said = match envelope.message() {
        Ok(Message::Request(request)) => format!("request {}", request.id()),
        Ok(Message::Notification(_)) => "notification".into(),
        Ok(Message::Response(response)) => {
            let outcome = match response.outcome() {
                Outcome::Result(_) => "result",
                Outcome::Error(_) => "error",
            };
            match response.id() {
                Some(id) => format!("{outcome} {id}"),
                None => format!("{outcome} without id"),
            }
        }
        Ok(Message::Batch(batch)) => {
            let elements: Vec<_> = batch.iter().map(|element| verdict(&element)).collect();
            format!("batch of {}", elements.join(", "))
        }
        Err(fault) => return words(&fault),
    };
    // A legal frame may have warnings and notes.
    envelope.findings(|finding| said.push_str(&format!(" ({})", rule::name(finding.rule()))));
    said
}

/// Describes a fault and the reply due.
fn words(fault: &Fault<'_>) -> String {
    let reply = match fault.reply() {
        None => "silence".into(),
        Some(reply) => {
            let id = reply.raw_id().map(|id| id.as_bytes()).map(String::from_utf8_lossy);
            format!("{} {}", reply.code(), id.unwrap_or("without id".into()))
        }
    };
    format!("{}: {reply}", rule::name(fault.rule()))
}

#[test]
fn frames() {
    let protocols = protocols();
    let mut rows = 0;
    for (heading, frame, expect) in FRAMES {
        for (who, profile) in &protocols {
            assert_eq!(
                verdict(&Envelope::read(*frame, profile)),
                expect.under(*who),
                "{heading}: {} under {profile:?}",
                frame.escape_ascii()
            );
            rows += 1;
        }
    }
    println!("{} frames under {} protocols", FRAMES.len(), protocols.len());
    assert_eq!(rows, FRAMES.len() * (2 + 2 * Revision::ALL.len()));
}

/// Describes what was received.
fn received(received: &Received<'_>, profile: &Profile) -> String {
    let (line, terminated, said) = match received {
        Received::Message { frame, message, .. } => {
            assert_eq!(Message::parse(frame.bytes(), profile), Ok(*message));
            let said = verdict(&Envelope::read(frame.bytes(), profile));
            (frame.line(), frame.is_terminated(), said)
        }
        Received::Fault { frame, fault, .. } => (frame.line(), frame.is_terminated(), words(fault)),
        Received::Oversized { oversized, fault, .. } => {
            (oversized.line(), oversized.is_terminated(), words(fault))
        }
        _ => panic!("{received:?}"),
    };
    let unterminated = if terminated { "" } else { ", unterminated" };
    format!("line {line}{unterminated}: {said}")
}

#[test]
fn wires() {
    let profile = Revision::V2025_11_25.profile();
    for (heading, wire, expected) in WIRES {
        let whole = Messages::new(wire, 1024, &profile).map(|event| received(&event, &profile));
        assert_eq!(whole.collect::<Vec<_>>(), *expected, "{heading}");

        let mut pushed = Vec::new();
        let mut stream = MessageStream::new([0; 1024], &profile);
        for mut byte in wire.chunks(1) {
            while let Some(event) = stream.next(&mut byte) {
                pushed.push(received(&event, &profile));
            }
        }
        pushed.extend(stream.finish().map(|event| received(&event, &profile)));
        assert_eq!(pushed, *expected, "{heading}");
    }
}

const DEEP: &str = "200 levels, 200 000 levels";
const LONG: &str = "line of 11 MiB";
const TOO_LONG: &str = "line of 17 MiB";

/// Returns a request with this many levels in its params, and the id before or after them.
fn nested(levels: usize, id_first: bool) -> String {
    let params = "[".repeat(levels) + &"]".repeat(levels);
    match id_first {
        true => format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"a":{params}}}}}"#),
        false => format!(r#"{{"jsonrpc":"2.0","method":"m","params":{{"a":{params}}},"id":1}}"#),
    }
}

#[test]
fn deep_frames() {
    for (who, profile) in protocols() {
        for (levels, id_first, expect) in [
            (125, true, Same("request 1")),
            (125, false, Same("request 1")),
            (126, true, Same("too-deep: -32600 1")),
            (126, false, ToNobody("too-deep")),
            (200, true, Same("too-deep: -32600 1")),
            (200, false, ToNobody("too-deep")),
            (200_000, true, Same("too-deep: -32600 1")),
            (200_000, false, ToNobody("too-deep")),
        ] {
            let frame = nested(levels, id_first);
            let said = verdict(&Envelope::read(frame.as_bytes(), &profile));
            assert_eq!(said, expect.under(who), "{levels} levels, {profile:?}");
        }
    }
}

/// Returns a request of exactly this length.
fn long(length: usize) -> Vec<u8> {
    let mut frame = br#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":""#.to_vec();
    frame.resize(length - 3, b'x');
    frame.extend_from_slice(b"\"}}");
    frame
}

#[test]
fn long_lines() {
    const MIB: usize = 1024 * 1024;
    let limit = usize::try_from(DEFAULT_LIMIT).unwrap();
    let profile = Revision::V2025_11_25.profile();
    let next = br#"{"jsonrpc":"2.0","id":2,"method":"m"}"#;
    for (length, expected) in [
        (11 * MIB, "line 1: request 1"),
        (limit, "line 1: request 1"),
        (limit + 1, "line 1: frame-too-long: -32600 without id"),
        (17 * MIB, "line 1: frame-too-long: -32600 without id"),
    ] {
        let wire = [&long(length)[..], b"\r\n", next, b"\n"].concat();
        let mut messages = Messages::new(&wire, DEFAULT_LIMIT, &profile);
        assert_eq!(received(&messages.next().unwrap(), &profile), expected);
        assert_eq!(received(&messages.next().unwrap(), &profile), "line 2: request 2");
        assert!(messages.next().is_none());
    }
    // The length of the discarded line is reported, and the CR is not part of it.
    let wire = [&long(17 * MIB)[..], b"\r\n"].concat();
    let Some(FrameEvent::Oversized(oversized)) = Frames::new(&wire, DEFAULT_LIMIT).next() else {
        panic!()
    };
    assert_eq!(oversized.length(), 17 * 1024 * 1024);
    assert_eq!(oversized.limit(), DEFAULT_LIMIT);
}

/// An id that comes back in another spelling is not equal to the one sent, but alike.
#[test]
fn ids_that_come_back_changed() {
    let id = |text: &'static str| match Message::parse(text.as_bytes(), &Profile::JSON_RPC) {
        Ok(Message::Request(request)) => request.id(),
        Ok(Message::Response(response)) => response.id().unwrap(),
        other => panic!("{other:?}"),
    };
    let sent = id(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert!(matches!(sent, Id::Number(_)));
    for (response, equal, alike) in [
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, true, true),
        (r#"{"jsonrpc":"2.0","id":"1","result":{}}"#, false, true),
        (r#"{"jsonrpc":"2.0","id":1.0,"result":{}}"#, false, true),
        (r#"{"jsonrpc":"2.0","id":2,"result":{}}"#, false, false),
        (r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, false, false),
    ] {
        let back = id(response);
        assert_eq!((sent == back, sent.is_like(&back)), (equal, alike), "{response}");
    }
}

/// Every row of the documentation has a test, and every test is in the documentation.
#[test]
fn the_documentation_has_the_same_rows() {
    let documented: Vec<_> = include_str!("mod.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("//! | ")?.split(" | ").next())
        .filter(|heading| *heading != "input")
        .collect();
    let shown: BTreeSet<_> = FRAMES
        .iter()
        .map(|(heading, ..)| *heading)
        .chain(WIRES.iter().map(|(heading, ..)| *heading))
        .chain([DEEP, LONG, TOO_LONG])
        .collect();
    let unique: BTreeSet<_> = documented.iter().copied().collect();
    assert_eq!(unique, shown);
    assert_eq!(unique.len(), documented.len(), "no row is there twice");
}
