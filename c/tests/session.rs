//! The sessions of the second header against those of the Rust crate: the same meanings, findings, phases, declared
//! capabilities, requests in flight and refusals, for random conversations of both eras, in order and out of it, with
//! faults, oversized frames and batches.
#![allow(unsafe_code, reason = "it calls the functions of the header")]

#[path = "../../tests/support/dice.rs"]
#[allow(dead_code, reason = "another test breaks frames with it")]
mod dice;
#[path = "../../tests/support/volume.rs"]
mod volume;

use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::ptr;

use dice::Dice;
use tautline::encode::{Encoder, Slice};
use tautline::frame::Frame;
use tautline::stream::{MessageStream, Received};
use tautline::{Fault, Id, Message, RawJson};
use tautline_c::abi::{TL_ABI, tl_batch, tl_event, tl_out, tl_skimming_stream, tl_view};
use tautline_c::export::batches::{tl_batch_init, tl_batch_next};
use tautline_c::export::framings::tl_framing_lines_skimming;
use tautline_c::export::profiles::{
    tl_mcp_2025_03_26, tl_mcp_2025_11_25, tl_mcp_2025_11_25_strict, tl_mcp_2026_07_28, tl_profile,
};
use tautline_c::export::session_names::*;
use tautline_c::export::sessions::*;
use tautline_c::export::streams::{tl_push, tl_stream_init};
use tautline_c::session::abi::*;
use tautline_c::session::numbers::{of_capability, of_method, of_revision};
use tautline_c::session::reports;
use tautline_mcp::session::{Capability, Completion, Early, Event, Phase, Session, Slot};
use tautline_mcp::{Era, Finding, KnownMethod, MetaView, ParamsView, Revision, Role, meta, rule};
use volume::volume;

/// The longest frame.
const ROOM: usize = 700;

/// What a message means, in the terms of the header.
#[derive(Clone, Debug, Default, PartialEq)]
struct Meaning {
    kind: i32,
    method: i32,
    completion: i32,
    late: bool,
    rule: u16,
    place: u32,
    code: i64,
    /// Rule, severity and place.
    findings: Vec<(u16, u8, u32)>,
    /// Of the name, the arguments, the URI, the version, the capabilities, the token and the request.
    views: [Option<String>; 7],
    modern: Option<bool>,
}

fn text(view: tl_view) -> Option<String> {
    // SAFETY: views of events are readable, as long as the test looks at them.
    (!view.ptr.is_null()).then(|| {
        let bytes = unsafe { std::slice::from_raw_parts(view.ptr.cast(), view.len) };
        String::from_utf8(bytes.to_vec()).unwrap()
    })
}

fn number(role: Role) -> i32 {
    if role == Role::Client { 1 } else { 2 }
}

fn method_number(method: Option<KnownMethod>) -> i32 {
    method.map_or(0, |method| {
        KnownMethod::ALL.iter().position(|one| *one == method).unwrap() as i32 + 1
    })
}

fn finding(finding: Finding) -> (u16, u8, u32) {
    let severity = match finding.severity().name() {
        "note" => 1,
        "warning" => 2,
        "error" => 3,
        other => panic!("{other}"),
    };
    assert!(finding.rule().number() < 256 || reports(finding.rule()), "{finding}");
    (finding.rule().number(), severity, finding.offset().unwrap())
}

/// The session of the Rust crate.
struct Reference {
    session: Session<Vec<Slot>>,
    supported: &'static [Revision],
}

impl Reference {
    fn fault(&mut self, from: Role, fault: &Fault<'_>) -> Meaning {
        self.session.observe_fault(from, fault);
        Meaning::default()
    }

    fn message(&mut self, from: Role, message: &Message<'_>) -> (Meaning, Vec<u8>) {
        let mut seen = Meaning::default();
        let mut refused = Vec::new();
        let mut requested = None;
        if let Message::Batch(_) = message {
            return (Meaning { kind: 9, ..seen }, refused);
        }
        let event = self.session.observe(from, message, |one| seen.findings.push(finding(one)));
        let call = match message {
            Message::Request(request) => Some(request.call()),
            Message::Notification(notification) => Some(notification.call()),
            _ => None,
        };
        let method = call.and_then(|call| KnownMethod::named(call.method()));
        seen.method = method_number(method);
        match event {
            Event::Request => seen.kind = 1,
            Event::Refused(refusal) => {
                seen.kind = 2;
                seen.rule = refusal.rule().number();
                seen.place = refusal.offset();
                seen.code = refusal.code().value();
                let quoted = |text: &[u8]| format!("\"{}\"", String::from_utf8_lossy(text));
                requested = refusal.requested().map(|text| quoted(text.escaped_bytes()));
                let mut room = vec![0; 2000];
                let mut encoder = Encoder::new(Slice::new(&mut room));
                let id = call.unwrap().id().unwrap();
                encoder.error(id, refusal.error(self.supported)).unwrap();
                refused = encoder.output().written().to_vec();
            }
            Event::Notification => seen.kind = 3,
            Event::Ignored(rule) => {
                seen.kind = 4;
                seen.rule = rule.number();
            }
            Event::Cancelled { method, .. } => {
                seen.kind = 5;
                seen.method = method_number(method);
            }
            Event::Response { method, completion, late, .. } => {
                seen.kind = 6;
                seen.method = method_number(method);
                seen.late = late;
                seen.completion = match completion {
                    Completion::Done => 1,
                    Completion::ToolFailed => 2,
                    Completion::InputRequired => 3,
                    Completion::TaskCreated => 4,
                    Completion::Extended => 5,
                    Completion::Invalid => 6,
                    Completion::Failed(code) => {
                        seen.code = code.map_or(0, |code| code.value());
                        7
                    }
                    other => panic!("{other:?}"),
                };
            }
            Event::Untracked => seen.kind = 7,
            Event::Unmatched => seen.kind = 8,
            other => panic!("{other:?}"),
        }
        if let Some(call) = call {
            let params = call.params();
            seen.views = views(method, params);
            let [.., version, _, _, _] = &mut seen.views;
            *version = requested.or(version.take());
            // What makes a request one of the modern era, if the server serves that.
            let serves = self.supported.iter().any(|one| one.era() == Era::Modern);
            let meta = params.and_then(|params| params.member("_meta"));
            let names = [
                meta::PROTOCOL_VERSION,
                meta::CLIENT_CAPABILITIES,
                meta::CLIENT_INFO,
                meta::LOG_LEVEL,
            ];
            let has = |meta: RawJson<'_>| names.iter().any(|name| meta.member(name).is_some());
            let is_of_era = matches!(
                method,
                Some(KnownMethod::ServerDiscover | KnownMethod::SubscriptionsListen)
            );
            let modern = serves && (is_of_era || meta.is_some_and(has));
            seen.modern = (seen.kind == 1 && from == Role::Client).then_some(modern);
        }
        (seen, refused)
    }
}

/// The members of the parameters that a server needs, as they are written.
fn views(method: Option<KnownMethod>, params: Option<RawJson<'_>>) -> [Option<String>; 7] {
    let Some(params) = params.and_then(ParamsView::of) else { return Default::default() };
    let meta = params.meta();
    let meta = meta.as_ref();
    let written = |value: &dyn Fn(&str) -> Option<String>, name: &str| value(name);
    let member = |name: &str| params.object().member(name).map(|value| value.to_string());
    let in_meta = |name: &str| meta?.object().member(name).map(|value| value.to_string());
    let initializes = method == Some(KnownMethod::Initialize);
    let progresses = method == Some(KnownMethod::Progress);
    [
        params.name().and_then(|_| written(&member, "name")),
        params.arguments().and_then(|_| written(&member, "arguments")),
        params.uri().and_then(|_| written(&member, "uri")),
        match initializes {
            true => params.protocol_version().and_then(|_| member("protocolVersion")),
            false => meta
                .and_then(MetaView::protocol_version)
                .and_then(|_| in_meta(meta::PROTOCOL_VERSION)),
        },
        match initializes {
            true => params.capabilities().and_then(|_| member("capabilities")),
            false => meta
                .and_then(MetaView::client_capabilities)
                .and_then(|_| in_meta(meta::CLIENT_CAPABILITIES)),
        },
        match progresses {
            true => params.progress_token().and_then(|_| member("progressToken")),
            false => {
                meta.and_then(MetaView::progress_token).and_then(|_| in_meta(meta::PROGRESS_TOKEN))
            }
        },
        params.request_id().and_then(|_| member("requestId")),
    ]
}

/// The session of the header, with its slots.
struct InC {
    session: Box<MaybeUninit<tl_session>>,
    /// The memory that the session uses.
    _slots: Vec<MaybeUninit<tl_slot>>,
}

impl InC {
    fn new(profile: &tl_profile, count: usize, set: i32, early: [i32; 2]) -> Self {
        let mut session = Box::new(MaybeUninit::<tl_session>::uninit());
        let mut slots: Vec<MaybeUninit<tl_slot>> =
            (0..count).map(|_| MaybeUninit::uninit()).collect();
        let at = session.as_mut_ptr();
        // SAFETY: all pointers are of this test, and the slots live as long as the session.
        unsafe {
            let slots = slots.as_mut_ptr().cast();
            assert_eq!(
                tl_session_init(TL_ABI, at, size_of::<tl_session>(), profile, slots, count),
                0
            );
            assert_eq!(tl_session_supported(at), 31);
            assert_eq!(tl_session_support(at, set), 0);
            assert_eq!(tl_session_set_early(at, early[0], early[1]), 0);
            assert_eq!(tl_session_supported(at), set);
        }
        Self { session, _slots: slots }
    }

    fn at(&mut self) -> *mut tl_session {
        self.session.as_mut_ptr()
    }

    fn observe(
        &mut self,
        from: Role,
        event: &tl_event,
        room: usize,
    ) -> (Meaning, tl_session_event) {
        let mut found = vec![MaybeUninit::<tl_finding>::uninit(); room];
        let mut findings = tl_findings { ptr: found.as_mut_ptr().cast(), room, count: 77 };
        let mut seen = MaybeUninit::<tl_session_event>::uninit();
        let to = &raw mut findings;
        // SAFETY: all pointers are of this test.
        let kind =
            unsafe { tl_session_observe(self.at(), number(from), event, seen.as_mut_ptr(), to) };
        assert!(kind >= 0, "{kind} for {event:?}");
        // SAFETY: the function has set it.
        let seen = unsafe { seen.assume_init() };
        assert_eq!(kind, seen.kind);
        assert!(findings.count <= room);
        // SAFETY: the function has written this many.
        let found = found[..findings.count].iter().map(|one| unsafe { one.assume_init() });
        let views = [
            seen.name,
            seen.arguments,
            seen.uri,
            seen.version,
            seen.capabilities,
            seen.progress_token,
            seen.request_id,
        ];
        let is_of_client = from == Role::Client && kind == 1;
        let meaning = Meaning {
            kind,
            method: seen.method,
            completion: seen.completion,
            late: seen.late == 1,
            rule: seen.rule,
            place: seen.place,
            code: seen.code,
            findings: found.map(|one| (one.rule, one.severity, one.place)).collect(),
            views: views.map(text),
            modern: is_of_client.then_some(seen.modern == 1),
        };
        (meaning, seen)
    }

    fn refuse(&mut self, event: &tl_event, seen: &tl_session_event) -> Vec<u8> {
        let mut out = tl_out { ptr: ptr::null_mut(), capacity: 0, used: 0, needed: 0 };
        // SAFETY: all pointers are of this test.
        let status = unsafe { tl_session_refuse(self.at(), &mut out, event, seen) };
        if status == 0 {
            return Vec::new();
        }
        assert_eq!(status, -7);
        let mut room = vec![0_u8; out.needed];
        out = tl_out { ptr: room.as_mut_ptr().cast(), capacity: room.len(), used: 0, needed: 0 };
        // SAFETY: the same.
        assert_eq!(unsafe { tl_session_refuse(self.at(), &mut out, event, seen) }, 0);
        assert_eq!(out.used, room.len());
        room
    }

    /// Shows lines as sent, and returns the findings, whose places are in the lines.
    fn take(&mut self, from: Role, lines: &[u8]) -> Vec<(u16, u8, u32)> {
        let mut copy = lines.to_vec();
        let mut found = [MaybeUninit::<tl_finding>::uninit(); 64];
        let mut findings = tl_findings { ptr: found.as_mut_ptr().cast(), room: 64, count: 0 };
        let (ptr, used) = (copy.as_mut_ptr().cast(), copy.len());
        let mut out = tl_out { ptr, capacity: used, used, needed: 0 };
        let mut sent = tl_view::NONE;
        let to = &raw mut findings;
        // SAFETY: all pointers are of this test.
        let status = unsafe { tl_session_take(self.at(), number(from), &mut out, &mut sent, to) };
        assert_eq!((status, out.used), (0, 0));
        assert_eq!(text(sent).unwrap().as_bytes(), lines);
        // SAFETY: the function has written this many.
        let found = found[..findings.count].iter().map(|one| unsafe { one.assume_init() });
        found.map(|one| (one.rule, one.severity, one.place)).collect()
    }

    fn compare(&mut self, reference: &Reference) {
        let at = self.at();
        let session = &reference.session;
        let phase = Phase::ALL.iter().position(|one| *one == session.phase()).unwrap() as i32 + 1;
        // SAFETY: all pointers are of this test.
        unsafe {
            assert_eq!(tl_session_phase(at), phase);
            assert_eq!(text(tl_phase_name(phase)).unwrap(), session.phase().name());
            let revision = tl_session_revision(at);
            let name = text(tl_revision_name(revision));
            assert_eq!(name.as_deref(), session.revision().map(Revision::name));
            for role in [Role::Client, Role::Server] {
                let mut set = 77;
                let is_declared = tl_session_declared(at, number(role), &mut set);
                let expected = session.declared(role);
                assert_eq!(is_declared, i32::from(expected.is_some()));
                for (bit, one) in Capability::ALL.iter().enumerate() {
                    let has = expected.is_some_and(|declared| declared.has(*one));
                    assert_eq!(set & (1 << bit) != 0, has, "{one}");
                }
            }
            let mut index = 0;
            for expected in session.in_flight() {
                let mut request = MaybeUninit::<tl_in_flight>::uninit();
                assert_eq!(tl_session_in_flight(at, index, request.as_mut_ptr()), 1);
                let request = request.assume_init();
                let id = text(request.id).unwrap();
                assert_eq!(Id::parse(id.as_bytes()), Some(expected.id()));
                assert_eq!(request.from, number(expected.from()));
                assert_eq!(request.method, method_number(expected.method()));
                assert_eq!(request.cancelled == 1, expected.is_cancelled());
                index += 1;
            }
            let mut waiting = 0;
            session.end(|_, _| waiting += 1);
            let mut request = MaybeUninit::<tl_in_flight>::uninit();
            let mut waits = 0;
            for at_index in 0..index {
                tl_session_in_flight(at, at_index, request.as_mut_ptr());
                waits += request.assume_init().waits;
            }
            assert_eq!(waits, waiting);
            assert_eq!(tl_session_in_flight(at, index, request.as_mut_ptr()), 0);
        }
    }
}

/// A text of a message, valid or not, of either side.
fn line(dice: &mut Dice) -> String {
    const IDS: &[&str] = &[
        "1",
        "2",
        "3",
        "1.0",
        "\"1\"",
        "\"a\"",
        "\"\\u0061\"",
        "\"b\\\"c\"",
        "7e0",
        "null",
        "\"a very long id that does not fit into the text of a slot, which has 64 bytes of it\"",
    ];
    const CAPABILITIES: &[&str] = &[
        "{}",
        r#"{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{},"tasks":{"requests":{"tools":{"call":{}}}}}"#,
        r#"{"roots":{"listChanged":true},"sampling":{},"elicitation":{"url":{}}}"#,
        r#"{"extensions":{"io.modelcontextprotocol/tasks":{}},"prompts":{}}"#,
        r#"{"extensions":{"com.example/x":{}}}"#,
        "5",
    ];
    const VERSIONS: &[&str] = &[
        "\"2024-11-05\"",
        "\"2025-03-26\"",
        "\"2025-06-18\"",
        "\"2025-11-25\"",
        "\"2026-07-28\"",
        "\"1900-01-01\"",
        "\"2025\\u002d11-25\"",
        "5",
    ];
    let id = dice.pick(IDS).to_owned();
    let version = match dice.roll(2) {
        0 => dice.pick(&["\"2025-11-25\"", "\"2025-06-18\""]),
        _ => dice.pick(VERSIONS),
    }
    .to_owned();
    let capabilities = dice.pick(CAPABILITIES).to_owned();
    let token = match dice.roll(3) {
        0 => format!(r#""progressToken":{},"#, dice.pick(IDS)),
        _ => String::new(),
    };
    let modern_version = match dice.roll(4) {
        0 => version.clone(),
        _ => "\"2026-07-28\"".to_owned(),
    };
    let modern = format!(
        r#""io.modelcontextprotocol/protocolVersion":{modern_version},"io.modelcontextprotocol/clientCapabilities":{capabilities}"#
    );
    let own_meta = match dice.roll(8) {
        0 | 1 => format!(r#""_meta":{{{token}"x":1}}"#),
        2..=4 => format!(r#""_meta":{{{token}{modern}}}"#),
        5 => format!(r#""_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}"#),
        6 => r#""_meta":{"io.modelcontextprotocol/logLevel":"info"}"#.to_owned(),
        _ => r#""y":1"#.to_owned(),
    };
    let of_method = match dice.roll(9) {
        0 => r#""name":"t\u00e4st","arguments":{"a":{"b":[1]}},"#.to_owned(),
        1 => r#""name":"a","name":"b","arguments":{},"#.to_owned(),
        2 => r#""uri":"file:///a","arguments":[1],"#.to_owned(),
        3 => format!(r#""requestId":{},"#, dice.pick(IDS)),
        4 => format!(r#""progressToken":{},"progress":1,"#, dice.pick(IDS)),
        5 => r#""task":{"ttl":1},"name":"a","#.to_owned(),
        _ => String::new(),
    };
    let declares = format!(r#""protocolVersion":{version},"capabilities":{capabilities},"#);
    let declares = if dice.roll(8) == 0 { String::new() } else { declares };
    let params = match dice.roll(10) {
        0 => String::new(),
        1 => r#","params":{}"#.to_owned(),
        _ => format!(r#","params":{{{of_method}{own_meta}}}"#),
    };
    let rest = match dice.roll(12) {
        0 => r#","z":1"#,
        _ => "",
    };
    let object = match dice.roll(40) {
        0..=4 => format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{{declares}"clientInfo":{{}}{}}}{rest}}}"#,
            if dice.roll(6) == 0 { format!(",{own_meta}") } else { String::new() },
        ),
        5 => format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"server/discover","params":{{{own_meta}}}}}"#
        ),
        6 | 7 => r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
        8..=17 => {
            let name = KnownMethod::ALL[dice.roll(KnownMethod::ALL.len())].name();
            let name = match dice.roll(8) {
                0 => "no/such".to_owned(),
                1 => name.replacen('/', r"\/", 1),
                _ => name.to_owned(),
            };
            let id = match dice.roll(12) {
                0 => String::new(),
                _ if name.starts_with("notif") && dice.roll(8) != 0 => String::new(),
                _ => format!(r#""id":{id},"#),
            };
            format!(r#"{{"jsonrpc":"2.0",{id}"method":"{name}"{params}{rest}}}"#)
        }
        18..=21 => format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{}"{params}}}"#,
            dice.pick(&["tools/call", "tools/list", "ping", "subscriptions/listen"])
        ),
        22 | 23 => format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        ),
        24..=28 => {
            let kind = dice.pick(&[
                "",
                "",
                r#","resultType":"complete""#,
                r#","resultType":"input_required""#,
                r#","resultType":"task""#,
                r#","resultType":"x""#,
                r#","resultType":5"#,
                r#","task":{}"#,
                r#","isError":true"#,
            ]);
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{{declares}"a":1{kind}}}{rest}}}"#)
        }
        29..=31 => {
            let code = dice.pick(&[
                "-32601",
                "-32022",
                "-32021",
                "1",
                "1e2",
                "123456789012345678901234567890",
            ]);
            let id = if dice.roll(5) == 0 { String::new() } else { format!(r#""id":{id},"#) };
            format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":{code},"message":"m","data":[1]}}}}"#)
        }
        32 => format!(r#"{{"jsonrpc":"2.0","id":{id},"method":5}}"#),
        33 => format!(r#"{{"jsonrpc":"1.0","id":{id},"method":"a"}}"#),
        34 => "not json".to_owned(),
        35 => format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"a":"{}"}}}}"#,
            "x".repeat(ROOM)
        ),
        _ => {
            let name = if dice.roll(2) == 0 { "tools/list" } else { "tools/call" };
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"{name}","params":{{{of_method}{own_meta}}}}}"#
            )
        }
    };
    object
}

/// A line, or a batch of lines.
fn frame(dice: &mut Dice) -> String {
    if dice.roll(12) != 0 {
        return line(dice);
    }
    let elements: Vec<String> =
        (0..=dice.roll(3)).map(|_| line(dice)).filter(|line| line.len() < 300).collect();
    format!(" [{}]", elements.join(", "))
}

/// A session and its reference, with one stream for each side.
struct Both<'a> {
    reference: Reference,
    in_c: InC,
    profile: &'static tl_profile,
    streams: [(tl_skimming_stream, Box<[u8; ROOM]>); 2],
    references: [MessageStream<[u8; ROOM]>; 2],
    count: &'a mut BTreeMap<i32, u32>,
}

impl Both<'_> {
    /// Shows both a frame of one side, through a stream.
    fn push(&mut self, dice: &mut Dice, from: Role, frame: &str) {
        let line = format!("{frame}\n");
        let side = number(from) as usize - 1;
        let mut event = tl_event::NONE;
        let mut input = tl_view::of(line.as_bytes());
        // SAFETY: all pointers are of this test.
        let kind = unsafe { tl_push(&mut self.streams[side].0.stream, &mut input, &mut event) };
        assert!(kind > 0);
        let room = if dice.roll(4) == 0 { 32 } else { 64 };
        let (seen, flat) = self.in_c.observe(from, &event, room);
        let mut rest = line.as_bytes();
        let received = self.references[side].next(&mut rest).unwrap();
        let (expected, owed) = match received {
            Received::Message { message, .. } => self.reference.message(from, &message),
            Received::Fault { fault, .. } | Received::Oversized { fault, .. } => {
                let mut room = vec![0; 2000];
                let mut encoder = Encoder::new(Slice::new(&mut room));
                encoder.fault(&fault).unwrap();
                let owed = encoder.output().written().to_vec();
                (self.reference.fault(from, &fault), owed)
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(seen, expected, "{from} {frame}");
        *self.count.entry(seen.kind).or_default() += 1;
        let written = self.in_c.refuse(&event, &flat);
        let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(show(&written), show(&owed), "{frame}");
        if seen.kind == 9 {
            self.batch(from, frame);
        } else if !written.is_empty() && dice.roll(4) != 0 {
            self.send(from.other(), &written);
        }
        self.in_c.compare(&self.reference);
    }

    /// Shows both the elements of a batch.
    fn batch(&mut self, from: Role, frame: &str) {
        let parsed = Message::parse(Frame::from_line(frame.as_bytes()), self.profile.profile());
        let Ok(Message::Batch(batch)) = parsed else { panic!("{frame}") };
        let mut state = MaybeUninit::<tl_batch>::uninit();
        let mut event = tl_event::NONE;
        let view = tl_view::of(frame.as_bytes());
        // SAFETY: all pointers are of this test.
        assert_eq!(unsafe { tl_batch_init(state.as_mut_ptr(), self.profile, view) }, 0);
        for element in &batch {
            // SAFETY: the state is initialised.
            assert!(unsafe { tl_batch_next(state.as_mut_ptr(), &mut event) } > 0);
            let (seen, flat) = self.in_c.observe(from, &event, 64);
            let expected = match element.message() {
                Ok(message) => {
                    let (expected, owed) = self.reference.message(from, &message);
                    assert_eq!(self.in_c.refuse(&event, &flat), owed);
                    expected
                }
                Err(fault) => self.reference.fault(from, &fault),
            };
            assert_eq!(seen, expected, "{from} {frame}");
            *self.count.entry(seen.kind).or_default() += 1;
        }
    }

    /// Shows both lines as sent.
    fn send(&mut self, from: Role, lines: &[u8]) {
        let found = self.in_c.take(from, lines);
        let mut expected = Vec::new();
        let mut start = 0;
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            let mut report = |one: Finding| {
                let (rule, severity, place) = finding(one);
                expected.push((rule, severity, place + start));
            };
            match Message::parse(Frame::from_line(text), self.profile.profile()) {
                Ok(Message::Batch(_)) => {}
                Ok(message) => drop(self.reference.session.observe(from, &message, &mut report)),
                Err(fault) => report(fault.finding().into()),
            }
            start += line.len() as u32;
        }
        assert_eq!(found, expected, "{}", String::from_utf8_lossy(lines));
        self.in_c.compare(&self.reference);
    }
}

fn stream(profile: &tl_profile) -> (tl_skimming_stream, Box<[u8; ROOM]>) {
    let mut room = Box::new([0; ROOM]);
    let mut state = MaybeUninit::<tl_skimming_stream>::uninit();
    // SAFETY: all pointers are of this test, and the room lives as long as the stream.
    unsafe {
        let (to, framing) = (state.as_mut_ptr().cast(), &tl_framing_lines_skimming);
        let (size, at) = (size_of::<tl_skimming_stream>(), room.as_mut_ptr().cast());
        assert_eq!(tl_stream_init(TL_ABI, to, size, framing, profile, at, ROOM), 0);
        (state.assume_init(), room)
    }
}

fn sets() -> Vec<&'static [Revision]> {
    let of = |set: usize| {
        let has = |index: &usize| set & 1 << index != 0;
        let revisions = (0..Revision::ALL.len()).filter(has).map(|index| Revision::ALL[index]);
        &*Vec::leak(revisions.collect())
    };
    (0..32).map(of).collect()
}

#[test]
fn sessions_are_the_same() {
    let profiles =
        [&tl_mcp_2025_03_26, &tl_mcp_2025_11_25, &tl_mcp_2025_11_25_strict, &tl_mcp_2026_07_28];
    let sets = sets();
    let mut count = BTreeMap::new();
    let dice = &mut Dice(0x5DEE_CE66);
    let mut shown = 0;
    for _ in 0..volume(6_000) {
        let profile = profiles[dice.roll(profiles.len())];
        let set = if dice.roll(2) == 0 { 31 } else { dice.roll(31) + 1 };
        let slots = dice.roll(8) + 1;
        let early = [Early::Serve, Early::Refuse];
        let (first, second) = (dice.roll(2), dice.roll(2));
        let new = || {
            Session::new(vec![Slot::EMPTY; slots])
                .supporting(sets[set])
                .before_initialize(early[first])
                .before_initialized(early[second])
        };
        let reference = || MessageStream::new([0; ROOM], profile.profile());
        let mut both = Both {
            reference: Reference { session: new(), supported: sets[set] },
            in_c: InC::new(profile, slots, set as i32, [first as i32 + 1, second as i32 + 1]),
            profile,
            streams: [stream(profile), stream(profile)],
            references: [reference(), reference()],
            count: &mut count,
        };
        for _ in 0..dice.roll(40) {
            let from = if dice.roll(5) < 3 { Role::Client } else { Role::Server };
            let frame = frame(dice);
            match dice.roll(60) {
                0 => {
                    // SAFETY: the session is initialised.
                    assert_eq!(unsafe { tl_session_reset(both.in_c.at()) }, 0);
                    both.reference.session = new();
                }
                1..=6 => both.send(from, format!("{frame}\n{}\n", line(dice)).as_bytes()),
                _ => both.push(dice, from, &frame),
            }
            shown += 1;
        }
    }
    assert!(shown > 100_000 || volume(6_000) < 6_000, "{shown}");
    // Every meaning occurs.
    for kind in 0..=9 {
        assert!(count.get(&kind).is_some_and(|&times| times > 300), "{kind}: {count:?}");
    }
    println!("{shown} frames: {count:?}");
}

#[test]
fn numbers_never_change() {
    let methods = [
        "initialize",
        "server/discover",
        "ping",
        "tools/list",
        "tools/call",
        "prompts/list",
        "prompts/get",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "resources/subscribe",
        "resources/unsubscribe",
        "subscriptions/listen",
        "completion/complete",
        "logging/setLevel",
        "tasks/get",
        "tasks/result",
        "tasks/list",
        "tasks/cancel",
        "tasks/update",
        "sampling/createMessage",
        "roots/list",
        "elicitation/create",
        "notifications/initialized",
        "notifications/cancelled",
        "notifications/progress",
        "notifications/message",
        "notifications/tools/list_changed",
        "notifications/prompts/list_changed",
        "notifications/resources/list_changed",
        "notifications/resources/updated",
        "notifications/roots/list_changed",
        "notifications/elicitation/complete",
        "notifications/tasks/status",
        "notifications/tasks",
        "notifications/subscriptions/acknowledged",
    ];
    for (index, name) in methods.into_iter().enumerate() {
        let method: KnownMethod = name.parse().unwrap();
        assert_eq!(of_method(method), index as i32 + 1);
        assert_eq!(text(tl_method_name(index as i32 + 1)).unwrap(), name);
    }
    assert_eq!(KnownMethod::ALL.len(), methods.len());
    assert!(tl_method_name(0).ptr.is_null() && tl_method_name(37).ptr.is_null());
    let revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
    for (index, name) in revisions.into_iter().enumerate() {
        assert_eq!(of_revision(name.parse().unwrap()), 1 << index);
        assert_eq!(text(tl_revision_name(1 << index)).unwrap(), name);
    }
    let capabilities = [
        "tools",
        "tools.listChanged",
        "prompts",
        "prompts.listChanged",
        "resources",
        "resources.listChanged",
        "resources.subscribe",
        "completions",
        "logging",
        "roots",
        "roots.listChanged",
        "sampling",
        "elicitation",
        "elicitation.url",
        "tasks",
        "tasks.list",
        "tasks.cancel",
        "tasks.requests.tools.call",
        "tasks.requests.sampling.createMessage",
        "tasks.requests.elicitation.create",
    ];
    for (index, name) in capabilities.into_iter().enumerate() {
        assert_eq!(of_capability(name.parse().unwrap()), 1 << index);
    }
    assert_eq!(Capability::ALL.len(), capabilities.len());
    let missing = rule::MISSING_META;
    assert_eq!(text(tl_mcp_rule_name(missing.number())).unwrap(), "missing-meta");
    assert_eq!(text(tl_mcp_rule_summary(missing.number())).unwrap(), rule::summary(missing));
    assert_eq!(text(tl_mcp_rule_help(missing.number())).unwrap(), rule::help(missing));
    assert_eq!(text(tl_mcp_rule_name(1)).unwrap(), "not-json");
    assert!(tl_mcp_rule_name(0).ptr.is_null());
    let declared = tl_view::of(br#"{"tools":{"listChanged":true},"tasks":{"list":{}}}"#);
    // SAFETY: the view is readable.
    assert_eq!(unsafe { tl_capabilities_of(declared) }, 1 | 2 | 1 << 14 | 1 << 15);
}
