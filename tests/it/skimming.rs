//! The known facts of oversized frames: their id and their method, at any position.

use proptest::collection::vec;
use proptest::prelude::*;
use tautline::endpoint::Endpoint;
use tautline::envelope::{Outline, Skimmer};
use tautline::frame::{
    Assembler, Concatenated, ContentLength, FrameEvent, Frames, Framing, ServerSentEvents,
};
use tautline::stream::{MessageStream, Received};
use tautline::{Fault, Profile};

use crate::support::allocator::measure;
use crate::support::checks::skim_vs_plain;
use crate::support::dice::Dice;
use crate::support::presets::Revision;
use crate::support::volume::volume;

/// The facts of a frame: its kind, its id, its method, and the id of the reply under JSON-RPC and under MCP, with a
/// dash for silence.
type Row<'a> = (&'a str, Outline, &'a str, &'a str, &'a str, &'a str);

const NULL: &str = "-32600 null";
const ABSENT: &str = "-32600";
const SILENCE: &str = "-";

const TABLE: &[Row<'_>] = &[
    // The position of the id.
    (r#"{"id":1,"method":"a","params":[0]}"#, Outline::Request, "1", "a", "-32600 1", "-32600 1"),
    (r#"{"method":"a","id":1,"params":[0]}"#, Outline::Request, "1", "a", "-32600 1", "-32600 1"),
    (r#"{"method":"a","params":[0],"id":1}"#, Outline::Request, "1", "a", "-32600 1", "-32600 1"),
    (r#" { "id" : -7 , "method" : "a" } "#, Outline::Request, "-7", "a", "-32600 -7", "-32600 -7"),
    // The kind.
    (r#"{"id":"x","method":"a"}"#, Outline::Request, "\"x\"", "a", "-32600 \"x\"", "-32600 \"x\""),
    (r#"{"id":"","method":""}"#, Outline::Request, "\"\"", "", "-32600 \"\"", "-32600 \"\""),
    (r#"{"id":null,"method":"a"}"#, Outline::Request, "null", "a", NULL, ABSENT),
    (r#"{"id":1.5,"method":"a"}"#, Outline::Request, "1.5", "a", "-32600 1.5", ABSENT),
    (r#"{"id":1.0,"method":"a"}"#, Outline::Request, "1.0", "a", "-32600 1.0", "-32600 1.0"),
    (r#"{"id":{},"method":"a"}"#, Outline::Request, "{}", "a", NULL, ABSENT),
    (r#"{"id":[1, 2],"method":"a"}"#, Outline::Request, "[1, 2]", "a", NULL, ABSENT),
    (r#"{"id":true,"method":"a"}"#, Outline::Request, "true", "a", NULL, ABSENT),
    (r#"{"id":"\ud800","method":"a"}"#, Outline::Request, r#""\ud800""#, "a", NULL, ABSENT),
    // Escapes, in names and in values.
    (
        r#"{"\u0069d":"\u0061\"","m\u0065th\u006Fd":"\u0062"}"#,
        Outline::Request,
        r#""\u0061\"""#,
        r"\u0062",
        r#"-32600 "\u0061\"""#,
        r#"-32600 "\u0061\"""#,
    ),
    (r#"{"id\u0000":1,"method":"a"}"#, Outline::Notification, "", "a", SILENCE, SILENCE),
    (r#"{"i\u0164":1,"method":"a"}"#, Outline::Notification, "", "a", SILENCE, SILENCE),
    (r#"{"ID":1,"Method":"a"}"#, Outline::Other, "", "", NULL, ABSENT),
    (r#"{"":1,"identity":2,"i":3}"#, Outline::Other, "", "", NULL, ABSENT),
    // Duplicates.
    (r#"{"id":1,"method":"a","id":1}"#, Outline::Request, "", "a", NULL, ABSENT),
    (r#"{"id":1,"method":"a","\u0069d":2}"#, Outline::Request, "", "a", NULL, ABSENT),
    (r#"{"id":1,"method":"a","method":7}"#, Outline::Request, "1", "", "-32600 1", "-32600 1"),
    (r#"{"method":7,"method":"a"}"#, Outline::Notification, "", "", SILENCE, SILENCE),
    // In its payload.
    (r#"{"method":"a","params":{"id":1}}"#, Outline::Notification, "", "a", SILENCE, SILENCE),
    (r#"{"a":[{"id":1,"result":2}]}"#, Outline::Other, "", "", NULL, ABSENT),
    (r#"{"a":"\",\"id\":1","method":"a"}"#, Outline::Notification, "", "a", SILENCE, SILENCE),
    // Responses are not answered, whatever else they contain.
    (r#"{"id":1,"result":{"id":2}}"#, Outline::Response, "1", "", SILENCE, SILENCE),
    (r#"{"error":{},"id":1}"#, Outline::Response, "1", "", SILENCE, SILENCE),
    (r#"{"id":1,"method":"a","resul\u0074":0}"#, Outline::Response, "1", "a", SILENCE, SILENCE),
    // No message, or more than one.
    (r#"{"id":1,"method":7}"#, Outline::Other, "1", "", "-32600 1", "-32600 1"),
    (r#"[{"id":1,"method":"a"}]"#, Outline::Batch, "", "", NULL, ABSENT),
    ("[]", Outline::Batch, "", "", NULL, ABSENT),
    ("\"id\"", Outline::Other, "", "", NULL, ABSENT),
    ("-0.5E+7", Outline::Other, "", "", NULL, ABSENT),
    // Not JSON: nothing is known, whatever it looked like up to the fault.
    (r#"{"id":1,"method":"a","params":["#, Outline::NotJson, "", "", "-32700 null", SILENCE),
    (r#"{"id":1,"method":"a"}}"#, Outline::NotJson, "", "", "-32700 null", SILENCE),
    (r#"{"id":1,"method":"a",}"#, Outline::NotJson, "", "", "-32700 null", SILENCE),
    (r#"{"id":01,"method":"a"}"#, Outline::NotJson, "", "", "-32700 null", SILENCE),
    (r#"{"id":1,"method":"a" "b":2}"#, Outline::NotJson, "", "", "-32700 null", SILENCE),
    (r#"{"id":1,"method":"\x"}"#, Outline::NotJson, "", "", "-32700 null", SILENCE),
    (r#"{"id":nul,"method":"a"}"#, Outline::NotJson, "", "", "-32700 null", SILENCE),
    ("Server listening, id:1", Outline::NotJson, "", "", "-32700 null", SILENCE),
    ("-e", Outline::NotJson, "", "", "-32700 null", SILENCE),
];

/// Returns the reply to a frame, as in the table.
fn reply(fault: Fault<'_>) -> String {
    match fault.reply() {
        None => SILENCE.to_owned(),
        Some(reply) => match reply.raw_id().map(|id| id.as_bytes()) {
            None => reply.code().value().to_string(),
            Some(id) => format!("{} {}", reply.code().value(), id.escape_ascii()).replace('\\', ""),
        },
    }
}

#[test]
fn what_is_known_of_a_frame_is_known_however_it_is_cut() {
    for &(frame, outline, id, method, under_json_rpc, under_mcp) in TABLE {
        for size in [1, 2, 3, 5, 8, 4096] {
            for (profile, owed) in
                [(Profile::JSON_RPC, under_json_rpc), (Revision::V2025_11_25.profile(), under_mcp)]
            {
                let line = format!("{frame}\n");
                let mut stream = MessageStream::new([0; 1], &profile);
                let mut seen = 0;
                for mut chunk in line.as_bytes().chunks(size) {
                    while let Some(received) = stream.next(&mut chunk) {
                        seen += 1;
                        let Received::Oversized { oversized, fault, skimmed, .. } = received else {
                            panic!("{frame}")
                        };
                        let skimmed = skimmed.unwrap();
                        assert_eq!(oversized.length(), frame.len() as u64);
                        assert_eq!(skimmed.outline(), outline, "{frame}");
                        let found = skimmed.id().map_or(&b""[..], |id| id.as_bytes());
                        assert_eq!(found, id.as_bytes(), "{frame}");
                        let found =
                            skimmed.method().map_or(&b""[..], |method| method.escaped_bytes());
                        assert_eq!(found, method.as_bytes(), "{frame}");
                        let owed = owed.replace('\\', "");
                        assert_eq!(reply(fault), owed, "{frame} {profile:?}");
                    }
                }
                assert_eq!(seen, 1, "{frame}");
            }
        }
    }
}

#[test]
fn an_id_and_a_method_are_kept_up_to_their_longest() {
    for length in 60..70 {
        let text = format!("\"{}\"", "x".repeat(length - 2));
        let frame = format!("{{\"method\":{text},\"id\":{text}}}");
        let mut skimmer = Skimmer::new(&Profile::JSON_RPC);
        skimmer.push(frame.as_bytes());
        let skimmed = skimmer.finish();
        assert_eq!(skimmed.outline(), Outline::Request);
        assert_eq!(skimmed.id().is_some(), length <= Skimmer::LONGEST_ID);
        assert_eq!(skimmed.method().is_some(), length <= Skimmer::LONGEST_METHOD);
    }
}

#[test]
fn what_stands_before_a_part_too_deep_counts() {
    let profile = Profile::JSON_RPC.with_max_depth(3);
    let deep = "[".repeat(100_000);
    let end = "]".repeat(100_000);
    for (frame, outline, id) in [
        (format!(r#"{{"id":1,"method":"a","b":{deep}{end}}}"#), Outline::Request, Some("1")),
        (format!(r#"{{"b":{deep}{end},"id":1,"method":"a"}}"#), Outline::Request, None),
        (format!(r#"{{"id":1,"b":{deep}{end},"method":"a"}}"#), Outline::Request, Some("1")),
        (format!(r#"{{"id":1,"b":{deep}{end},"method":"a","id":1}}"#), Outline::Request, None),
        (format!(r#"{{"b":{deep}"]"{end},"method":"a"}}"#), Outline::Notification, None),
        (format!(r#"{{"id":1,"b":{deep}{end},"result":0}}"#), Outline::Response, Some("1")),
        (format!(r#"{{"id":{deep}{end},"method":"a"}}"#), Outline::Request, None),
        // Excessive depth hides a later syntax error, as in a frame within the limit.
        (format!(r#"{{"id":1,"b":{deep}"#), Outline::Other, Some("1")),
    ] {
        let mut skimmer = Skimmer::new(&profile);
        frame.as_bytes().chunks(7).for_each(|piece| skimmer.push(piece));
        let skimmed = skimmer.finish();
        let found = skimmed.id().map(|id| id.as_bytes());
        assert_eq!((skimmed.outline(), found), (outline, id.map(str::as_bytes)));
    }
}

#[test]
fn a_skimmer_that_has_not_seen_all_of_a_frame_says_nothing_of_its_reply() {
    let line: &[u8] = br#"{"a":"{\"b\":{"id":5,"method":"a"}"#;
    let line = [line, b"\n"].concat();
    let Some(FrameEvent::Oversized(oversized)) = Frames::new(&line, 4).next() else { panic!() };
    // The first bytes are not observed, up to a point where the rest looks like a request.
    let at = line.iter().rposition(|&byte| byte == b'{').unwrap();
    let mut skimmer = Skimmer::new(&Profile::JSON_RPC);
    skimmer.push(line[at..].trim_ascii_end());
    let skimmed = skimmer.finish();
    assert_eq!(skimmed.outline(), Outline::Request);
    let fault = Fault::of_skimmed(&oversized, &skimmed, &Profile::JSON_RPC);
    assert_eq!(fault, Fault::of_oversized(&oversized, &Profile::JSON_RPC));
}

/// Returns the reports of a stream in another framing on an oversized frame.
fn skimmed_in<F: Framing>(framing: F, wire: &[u8], size: usize) -> Vec<String> {
    let assembler = Assembler::with_framing([0; 16], framing);
    let mut stream = MessageStream::with_assembler(assembler, &Profile::JSON_RPC);
    let mut seen = Vec::new();
    for mut chunk in wire.chunks(size) {
        while let Some(received) = stream.next(&mut chunk) {
            seen.push(match received {
                Received::Oversized { fault, .. } => reply(fault),
                other => format!("{other:?}"),
            });
        }
    }
    seen
}

#[test]
fn frames_of_other_framings_are_skimmed_too() {
    let frame = "{\"jsonrpc\":\"2.0\",\n\"method\":\"add\",\n\"id\":7}";
    let body = format!("Content-Length: {}\r\n\r\n{frame}", frame.len());
    let event = format!("data: {}\n\n", frame.replace('\n', "\ndata: "));
    for size in 1..80 {
        let seen = [
            skimmed_in(ContentLength::new(16), body.as_bytes(), size),
            skimmed_in(ServerSentEvents::new(16), event.as_bytes(), size),
            skimmed_in(Concatenated::new(16), frame.as_bytes(), size),
        ];
        assert_eq!(seen, [["-32600 7"]; 3], "in chunks of {size}");
    }
}

#[cfg(feature = "std")]
#[test]
fn what_was_read_into_a_buffer_is_skimmed_whole() {
    use std::io::Read;
    use tautline::frame::FrameBuffer;
    use tautline::io::MessageReader;

    /// Reads as much at once.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
            let most = room.len().min(self.1);
            self.0.read(&mut room[..most])
        }
    }

    let frame: &[u8] = b"{\"id\":7,\"method\":\"add\",\"params\":[1,2,3,4]}\r\n";
    for storage in 3..40 {
        for size in 1..40 {
            let mut room = vec![0; storage];
            let buffer = FrameBuffer::new(&mut room[..]);
            let wire = Pieces(frame, size);
            let mut reader = MessageReader::with_buffer(wire, buffer, &Profile::JSON_RPC);
            let Some(Received::Oversized { skimmed, .. }) = reader.next().unwrap() else {
                panic!()
            };
            assert_eq!(skimmed.unwrap().id().unwrap().as_bytes(), b"7");
            assert!(reader.next().unwrap().is_none());
        }
    }
}

#[test]
fn a_giant_request_is_answered_with_its_id_in_constant_memory() {
    const GIANT: usize = 64 * 1024 * 1024;
    const PIECE: &[u8] = &[b'x'; 60 * 1024];
    let (id, method) = ("\"id\":\"req-7\"", "\"method\":\"tools/call\"");
    let profile = Revision::V2025_11_25.profile();
    let endpoint = Endpoint::new((), &profile);
    let mut stream = MessageStream::new([0; 1024], &profile);
    let expected = concat!(
        r#"{"jsonrpc":"2.0","id":"req-7","error":"#,
        r#"{"code":-32600,"message":"Invalid Request"}}"#,
        "\n"
    );
    for (head, tail) in [
        (format!("{{{id},{method},\"params\":{{\"data\":\""), "\"}}\n".to_owned()),
        (format!("{{{method},{id},\"params\":{{\"data\":\""), "\"}}\n".to_owned()),
        (format!("{{{method},\"a\":\""), format!("\",{id},\"b\":[{{}}]}}\n")),
        (format!("{{{method},\"params\":{{\"data\":\""), format!("\"}},{id}}}\n")),
    ] {
        let ((), heap) = measure(|| {
            let mut room = [0; 256];
            let mut length = 0;
            let mut seen = 0;
            let mut left = GIANT - head.len() - tail.len();
            let mut next = Some(head.as_bytes());
            while let Some(piece) = next {
                length += piece.len();
                let mut rest = piece;
                while let Some(received) = stream.next(&mut rest) {
                    seen += 1;
                    let Received::Oversized { oversized, skimmed, .. } = &received else {
                        panic!()
                    };
                    let skimmed = skimmed.unwrap();
                    assert_eq!(oversized.length(), GIANT as u64 - 1);
                    assert_eq!(skimmed.id().unwrap().as_bytes(), b"\"req-7\"");
                    assert_eq!(skimmed.method().unwrap(), "tools/call");
                    let reply = endpoint.answer(&received, &mut (), &mut room).unwrap().bytes();
                    assert_eq!(reply, expected.as_bytes());
                }
                next = match left {
                    0 if length == GIANT => None,
                    0 => Some(tail.as_bytes()),
                    _ => {
                        let size = left.min(PIECE.len());
                        left -= size;
                        Some(&PIECE[..size])
                    }
                };
            }
            assert_eq!((length, seen), (GIANT, 1));
        });
        assert_eq!(heap.calls, 0);
    }
    assert!(size_of::<Skimmer>() <= 200 + Skimmer::LONGEST_ID + Skimmer::LONGEST_METHOD);
}

#[test]
fn broken_frames_are_skimmed_as_they_are_scanned() {
    let seeds: Vec<&str> = TABLE.iter().map(|row| row.0).collect();
    let profile =
        [Profile::JSON_RPC, Revision::V2025_11_25.profile(), Profile::JSON_RPC.with_max_depth(3)];
    let mut dice = Dice(0x2545_F491_4F6C_DD1D);
    let mut frame = Vec::new();
    for _ in 0..30_000 {
        dice.break_one(&seeds, &mut frame);
        let sizes = [0; 3].map(|_: u8| u8::try_from(dice.roll(9)).unwrap());
        skim_vs_plain::check_frame(&frame, &profile[dice.roll(3)], &sizes);
    }
}

/// Generates any JSON value.
fn value() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        any::<f64>()
            .prop_filter("finite", |value| value.is_finite())
            .prop_map(|value| format!("{value:e}")),
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ];
    scalar.prop_recursive(6, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|elements| format!("[{}]", elements.join(","))),
            vec((name(), inner), 0..4).prop_map(|members| object(&members)),
        ]
    })
}

/// Generates a name, often a standard one.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "\"id\"",
            "\"\\u0069d\"",
            "\"method\"",
            "\"metho\\u0064\"",
            "\"jsonrpc\"",
            "\"params\"",
            "\"result\"",
            "\"error\"",
            "\"Id\"",
            "\"\"",
        ])
        .prop_map(str::to_owned),
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ]
}

fn object(members: &[(String, String)]) -> String {
    let members: Vec<_> = members.iter().map(|(name, value)| format!("{name} : {value}")).collect();
    format!("{{{}}}", members.join(" ,"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(volume(256)))]

    #[test]
    fn any_bytes_are_skimmed(input in vec(any::<u8>(), 0..64)) {
        skim_vs_plain::check(&input);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(volume(400)))]

    #[test]
    fn what_the_scanner_finds_in_a_frame_the_skimmer_finds(
        members in vec((name(), value()), 0..7),
        sizes in vec(0..40u8, 0..6),
        max_depth in prop_oneof![Just(127), 0..5u8],
    ) {
        for profile in [Profile::JSON_RPC, Revision::V2025_11_25.profile()] {
            let profile = profile.with_max_depth(max_depth);
            skim_vs_plain::check_frame(object(&members).as_bytes(), &profile, &sizes);
        }
    }
}
