//! A hostile client of a server that keeps a session sends endless frames that break the text, the message or the
//! session. The harmless requests among them must each be answered with a result.

use std::collections::BTreeMap;
use std::io::Write;

use tautline::encode::{array, object};
use tautline::endpoint::{Endpoint, Failure, Method, Responded, Responder, Traffic};
use tautline::stream::{MessageStream, Received};
use tautline::{Call, ErrorCode, Fault, Id, Message, Profile, Rule};
use tautline_mcp::session::{Phase, Session, Slot};
use tautline_mcp::{Era, ParamsView, Revision, Role, rule};

use crate::support::allocator::measure;
use crate::support::dice::Dice;
use crate::support::mutate;
use crate::support::volume::volume;

/// The longest frame that the server accepts.
const LIMIT: usize = 768;

/// So few that a leaked request soon shows.
const SLOTS: usize = 3;

/// Frames of both eras that target the session, in addition to the [realistic](mutate::SEEDS) ones.
const AIMED: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1999-01-01","capabilities":{}}}"#,
    r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2026-07-28","capabilities":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#,
    r#"{"jsonrpc":"2.0","method":"initialize","params":{}}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"fresh-0"}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#,
    r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}"#,
    r#"{"jsonrpc":"2.0","id":"fresh-1","method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":"an id that is far longer than what any of the slots of a session has room for","method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":"an id that is far longer than what any of the slots of a session has room for","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":"and so is this token, which is not that id, and has no room in it either"}}}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"fail","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"fail"}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"large","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"large"}"#,
    r#"{"jsonrpc":"2.0","id":4,"method":"server/discover"}"#,
    r#"{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    r#"{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"fail"},{"jsonrpc":"2.0","id":3,"method":"tools/list"},{"jsonrpc":"2.0","id":4,"method":"initialize","params":{}}]"#,
    r#"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"notifications/initialized"},7]"#,
];

const METHODS: &[Method<Server>] = &[
    Method::new("initialize", initialize),
    Method::new("server/discover", |_, _, responder| {
        Ok(responder.result(object(|result| {
            result.member("supportedVersions", array(|a| a.element(Revision::LATEST.name())));
            result.member("capabilities", object(|_| {}));
            result.member("resultType", "complete");
        })))
    }),
    Method::new("ping", |_, _, responder| Ok(responder.result(object(|_| {})))),
    Method::new("tools/list", |_, call, responder| {
        Ok(responder.result(object(|result| result.member("asked", call.params()))))
    }),
    Method::new("fail", |_, _, _| Err(Failure::INTERNAL)),
    Method::new("large", |_, _, responder| Ok(responder.result(object(|r| r.member("x", LARGE))))),
];

/// More than fits into an answer.
const LARGE: &str = match str::from_utf8(&[b'x'; 5000]) {
    Ok(text) => text,
    Err(_) => "",
};

struct Server {
    session: Session<[Slot; SLOTS]>,
    profile: Profile,
    /// How often each rule was violated by the client, and by the server.
    found: BTreeMap<(Rule, bool), u32>,
}

fn initialize(
    server: &mut Server,
    call: &Call<'_>,
    responder: Responder<'_, '_>,
) -> Result<Responded, Failure> {
    // It serves one era on a wire, as any server may choose to.
    if server.session.phase() == Phase::Modern {
        return Err(Failure::new(ErrorCode::INVALID_REQUEST, "The session is a modern one"));
    }
    let requested = call.params().and_then(ParamsView::of).and_then(|p| p.protocol_version());
    let revision = server.session.negotiate(requested).ok_or(Failure::INTERNAL)?;
    Ok(responder.result(object(|result| {
        result.member("protocolVersion", revision.name());
        result.member("capabilities", object(|_| {}));
    })))
}

fn guard<'a, 'out>(
    server: &mut Server,
    received: Result<&Message<'_>, &Fault<'_>>,
    responder: Responder<'a, 'out>,
) -> Result<Responder<'a, 'out>, Responded> {
    let Server { session, found, .. } = server;
    session.guard(Role::Client, received, responder, |finding| count(found, finding.rule(), false))
}

fn observe(server: &mut Server, traffic: Traffic<'_>) {
    let Server { session, profile, found } = server;
    if let Traffic::Out(line) = traffic {
        let message = Message::parse(line, profile).expect("an answer is a message");
        session.observe(Role::Server, &message, |finding| count(found, finding.rule(), true));
    }
}

/// All rules are there from the beginning, so that counting needs no memory.
fn count(found: &mut BTreeMap<(Rule, bool), u32>, rule: Rule, by_server: bool) {
    *found.get_mut(&(rule, by_server)).unwrap() += 1;
}

/// The opening of the session, before the first hostile frame.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Opening {
    Handshake,
    Discover,
    /// Nothing: the hostile frames open it, and after a few of them a new session begins.
    None,
}

const HANDSHAKE: &str = r#"{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
"#;
const MODERN: &str = r#""method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
const DISCOVERED: &str =
    r#""result":{"supportedVersions":["2026-07-28"],"capabilities":{},"resultType":"complete"}}"#;

/// Writes a harmless request, and its answer.
fn harmless(era: Option<Era>, number: usize, wire: &mut Vec<u8>, expected: &mut Vec<u8>) {
    let (request, result) = match era {
        Some(Era::Modern) => (MODERN, DISCOVERED),
        _ => (r#""method":"ping"}"#, r#""result":{}}"#),
    };
    writeln!(wire, r#"{{"jsonrpc":"2.0","id":"fresh-{number}",{request}"#).unwrap();
    expected.clear();
    writeln!(expected, r#"{{"jsonrpc":"2.0","id":"fresh-{number}",{result}"#).unwrap();
}

/// Writes a frame whose bytes or members are broken, or which targets the session.
fn hostile(dice: &mut Dice, number: usize, text: &mut String, frame: &mut Vec<u8>) {
    frame.clear();
    match dice.roll(8) {
        0 => frame.extend_from_slice(dice.pick(AIMED).as_bytes()),
        1 => dice.break_one(AIMED, frame),
        2 => dice.break_one(mutate::SEEDS, frame),
        3 => {
            mutate::mutated(dice, text);
            frame.extend_from_slice(text.as_bytes());
            dice.break_bytes(AIMED, frame);
        }
        // With the id of the following harmless request, and a cancellation in advance.
        4 => {
            let text = dice.pick(AIMED).replace("\"id\":1", &format!("\"id\":\"fresh-{number}\""));
            let text =
                text.replace("\"requestId\":1", &format!("\"requestId\":\"fresh-{number}\""));
            frame.extend_from_slice(text.as_bytes());
        }
        _ => {
            mutate::mutated(dice, text);
            frame.extend_from_slice(text.as_bytes());
        }
    }
}

/// Returns how many answers a frame gets: one for a request, none for another message, and at most one for a batch or
/// an invalid frame.
fn owed(frame: &[u8], profile: &Profile) -> std::ops::RangeInclusive<usize> {
    let frame = frame.strip_suffix(b"\r").unwrap_or(frame);
    match Message::parse(frame, profile) {
        _ if frame.len() > LIMIT => 0..=1,
        Ok(Message::Request(_)) => 1..=1,
        Ok(Message::Notification(_) | Message::Response(_)) => 0..=0,
        _ => 0..=1,
    }
}

/// The server, and the wire to it.
struct Host<'a> {
    endpoint: Endpoint<Server, &'a [Method<Server>]>,
    stream: MessageStream<[u8; LIMIT]>,
    server: Server,
}

/// The replies of the server.
#[derive(Default)]
struct Replies {
    count: usize,
    as_expected: usize,
}

impl Host<'_> {
    /// Sends the contents of the wire, in two pieces.
    fn send(&mut self, wire: &[u8], cut: usize, expected: &[u8]) -> Replies {
        let mut replies = Replies::default();
        for mut chunk in [&wire[..cut], &wire[cut..]] {
            while let Some(received) = self.stream.next(&mut chunk) {
                let mut room = [0; 4096];
                let reply =
                    self.endpoint.answer(&received, &mut self.server, &mut room).unwrap().bytes();
                assert!(reply.iter().filter(|&&byte| byte == b'\n').count() <= 1);
                replies.count += usize::from(!reply.is_empty());
                replies.as_expected += usize::from(reply == expected);
                if let Received::Message { message: Message::Request(request), .. } = received {
                    assert_eq!(answered_id(reply, self.endpoint.profile()), Some(request.id()));
                }
                // All requests were answered at once, one way or another.
                assert_eq!(self.server.session.in_flight().count(), 0, "{received:?}");
            }
        }
        replies
    }
}

fn answered_id<'a>(reply: &'a [u8], profile: &Profile) -> Option<Id<'a>> {
    match Message::parse(reply, profile) {
        Ok(Message::Response(response)) => response.id(),
        _ => None,
    }
}

fn run(revision: Revision, opening: Opening, frames: usize) {
    let profile = revision.profile();
    let none = rule::all().flat_map(|rule| [((rule, false), 0), ((rule, true), 0)]);
    let session = || Session::new([Slot::EMPTY; SLOTS]);
    let mut host = Host {
        endpoint: Endpoint::new(METHODS, &profile).guarded_by(guard).observed_by(observe),
        stream: MessageStream::new([0; LIMIT], &profile),
        server: Server { session: session(), profile, found: none.collect() },
    };
    let (open, opened) = match opening {
        Opening::Handshake => (HANDSHAKE.to_owned(), Phase::Operating),
        Opening::Discover => {
            (format!("{{\"jsonrpc\":\"2.0\",\"id\":\"open\",{MODERN}\n"), Phase::Modern)
        }
        Opening::None => (String::new(), Phase::Opening),
    };
    host.send(open.as_bytes(), 0, b"");
    assert_eq!(host.server.session.phase(), opened);

    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let (mut frame, mut wire, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    let (mut text, mut eras) = (String::new(), [0; 3]);
    for number in 0..frames {
        if opening == Opening::None && dice.roll(6) == 0 {
            host.server.session = session();
        }
        hostile(&mut dice, number, &mut text, &mut frame);
        wire.clear();
        wire.extend_from_slice(&frame);
        wire.push(b'\n');
        let cut = dice.roll(wire.len());
        let (replies, heap) = measure(|| host.send(&wire, cut, b""));
        let shown = frame.escape_ascii();
        assert_eq!(heap.calls, 0, "allocations for {shown}");
        assert!(owed(&frame, &profile).contains(&replies.count), "{} to {shown}", replies.count);
        if opening != Opening::None {
            assert_eq!(host.server.session.phase(), opened, "after {shown}");
        }

        let era = host.server.session.era();
        eras[era.map_or(0, |era| if era == Era::Legacy { 1 } else { 2 })] += 1;
        wire.clear();
        harmless(era, number, &mut wire, &mut expected);
        let (replies, heap) = measure(|| host.send(&wire, 0, &expected));
        assert_eq!(heap.calls, 0, "allocations for the request after {shown}");
        assert_eq!((replies.count, replies.as_expected), (1, 1), "the request behind {shown}");
    }

    // Nor does the session wait for requests that exceeded the slots.
    let nobody = br#"{"jsonrpc":"2.0","id":"asked by nobody","result":{}}"#;
    let message = Message::parse(nobody, &profile).unwrap();
    let mut found = Vec::new();
    host.server.session.observe(Role::Server, &message, |finding| found.push(finding.rule()));
    assert!(found.contains(&rule::RESPONSE_UNEXPECTED), "{found:?}");

    println!("{frames} hostile frames, {opening:?}; then no era, legacy, modern: {eras:?}");
    for ((rule, by_server), count) in host.server.found.iter().filter(|(_, count)| **count > 0) {
        println!("{rule:?}{}: {count}", if *by_server { " by the server" } else { "" });
    }
    for rule in [rule::METHOD_KIND, rule::ERA_MIXED, rule::UNTRACKED_REQUEST, rule::CANCEL_UNKNOWN]
    {
        assert!(host.server.found[&(rule, false)] > 0, "{rule:?} was not broken");
    }
}

fn frames() -> usize {
    volume(10_000) as usize
}

#[test]
fn every_harmless_request_is_answered_after_a_handshake() {
    run(Revision::V2025_11_25, Opening::Handshake, frames());
}

/// The revision that has batches.
#[test]
fn every_harmless_request_is_answered_between_batches() {
    run(Revision::V2025_03_26, Opening::Handshake, frames());
}

#[test]
fn every_harmless_request_is_answered_in_the_modern_era() {
    run(Revision::LATEST, Opening::Discover, frames());
}

#[test]
fn every_harmless_request_is_answered_wherever_the_session_stands() {
    run(Revision::LATEST, Opening::None, frames());
}

/// Basic/lifecycle, initialization, of the revision that has batches.
#[test]
fn initialize_in_a_batch_is_refused() {
    let profile = Revision::V2025_03_26.profile();
    let endpoint = Endpoint::new(METHODS, &profile).guarded_by(guard).observed_by(observe);
    let none = rule::all().flat_map(|rule| [((rule, false), 0), ((rule, true), 0)]);
    let session = Session::new([Slot::EMPTY; SLOTS]);
    let mut server = Server { session, profile, found: none.collect() };
    let frame = br#"[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}]"#;
    let mut room = [0; 512];
    let reply = endpoint.answer(frame, &mut server, &mut room).unwrap().bytes();
    let refused = br#"[{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"#;
    assert!(reply.starts_with(refused), "{}", reply.escape_ascii());
    assert_eq!(server.session.phase(), Phase::Opening);
}
