//! A hostile peer sends endless broken frames. The harmless requests among them must each be answered with their id,
//! and oversized requests must be refused with theirs.

use std::fmt;
use std::io::Write;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use tautline::Profile;
use tautline::endpoint::{Endpoint, Failure, Method};
use tautline::stream::MessageStream;

use crate::support::allocator::measure;
use crate::support::dice::Dice;
use crate::support::presets::Revision;
use crate::support::volume::volume;

/// The longest frame that the endpoint accepts.
const LIMIT: usize = 512;

const METHODS: &[Method<u64>] = &[
    Method::new("ping", |pings, call, responder| {
        *pings += 1;
        Ok(responder.result(call.params().filter(|params| params.members().is_some())))
    }),
    Method::new("fail", |_, _, _| Err(Failure::INTERNAL)),
    Method::new("later", |_, _, responder| Ok(responder.result("now, after all"))),
];

const SEEDS: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[1,2.5e-3,"\ud83d\ude00"]}}"#,
    r#"{"jsonrpc":"2.0","id":"x\u0041","method":"fail"}"#,
    r#"{"method":"later","jsonrpc":"2.0","id":-7}"#,
    r#"{"jsonrpc":"2.0","method":"ping","params":[true,false,null]}"#,
    r#"{"result":{"content":[{"type":"text","text":"é日"}]},"jsonrpc":"2.0","id":3}"#,
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no","data":{}}}"#,
    r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"b"},3]"#,
    r#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":9,"result":1}]"#,
    r#"{"jsonrpc":"2.0","id":{},"method":"ping","id":2}"#,
    r#"{"jsonrpc":"1.0","Method":"ping","id":4}"#,
    "[]",
    "Server listening on port 3000",
];

/// The members of an object, duplicates included.
struct Members(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(All)
    }
}

/// Returns the number of replies due for the frame, by the table of the design, or `None` if `serde_json` can't tell.
fn owed(frame: &[u8], profile: &Profile) -> Option<usize> {
    if frame.iter().all(u8::is_ascii_whitespace) && !frame.contains(&0x0C) {
        return Some(0);
    }
    let frame = frame.strip_suffix(b"\r").unwrap_or(frame);
    // An oversized frame gets the same reply as an invalid one.
    let too_long = frame.len() > LIMIT;
    let is_mcp = *profile != Profile::JSON_RPC;
    let Ok(value) = serde_json::from_slice::<Value>(frame) else {
        // An unpaired surrogate, a number out of range, and too deep nesting are not syntax errors.
        let mut pairs = frame.windows(2);
        let doubtful = pairs.any(|pair| pair == b"\\u" || is_exponent(pair));
        let deep = frame.iter().filter(|byte| matches!(byte, b'[' | b'{')).count() > 127;
        return (!doubtful && !deep).then_some(usize::from(!is_mcp));
    };
    Some(match value {
        Value::Array(_) if is_mcp || too_long => 1,
        Value::Array(elements) if elements.is_empty() => 1,
        Value::Array(_) => {
            let elements: Vec<&serde_json::value::RawValue> = serde_json::from_slice(frame).ok()?;
            let answered = elements.iter().map(|element| is_answered(element.get().as_bytes()));
            usize::from(answered.collect::<Option<Vec<_>>>()?.contains(&true))
        }
        _ => usize::from(is_answered(frame)?),
    })
}

/// Returns whether the pair is a digit and an exponent, which can make the number arbitrarily large.
fn is_exponent(pair: &[u8]) -> bool {
    matches!(pair, [b'0'..=b'9', b'e' | b'E'])
}

/// Returns whether a message is answered, by a result or by an error.
fn is_answered(message: &[u8]) -> Option<bool> {
    if message.trim_ascii().first() != Some(&b'{') {
        return Some(true);
    }
    let Members(members) = serde_json::from_slice(message).ok()?;
    let has = |name: &str| members.iter().any(|(member, _)| member == name);
    let mut methods = members.iter().filter(|(name, _)| name == "method");
    let method = methods.next().is_some_and(|(_, method)| method.is_string());
    Some(!(has("result") || has("error") || (method && !has("id"))))
}

/// Returns an oversized request and its id.
fn giant(dice: &mut Dice, number: usize) -> (String, String) {
    let id = format!("\"giant-{number}\"");
    let mut members = [
        format!("\"\\u0069d\":{id}"),
        "\"method\":\"ping\"".to_owned(),
        format!("\"params\":{{\"id\":0,\"result\":\"{}\"}}", "\\\"}".repeat(LIMIT)),
    ];
    members.swap(0, dice.roll(3));
    (id, format!("{{{}}}", members.join(",")))
}

fn run(profile: &Profile, frames: usize) {
    let endpoint = Endpoint::new(METHODS, profile);
    let mut stream = MessageStream::new([0; LIMIT], profile);
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let (mut frame, mut wire, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    let mut pings = 0;
    let mut judged = 0;
    // No frame may need more than the stated room.
    let mut room = vec![0; endpoint.min_reply_len(u32::try_from(LIMIT).unwrap())];
    for number in 0..frames {
        dice.break_one(SEEDS, &mut frame);
        wire.clear();
        wire.extend_from_slice(&frame);
        // Now and then an oversized request, whose caller still waits.
        let giant = (number % 16 == 0).then(|| {
            wire.push(b'\n');
            let (id, rest) = giant(&mut dice, number);
            wire.extend_from_slice(rest.as_bytes());
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":-32600,\"message\":\"Invalid Request\"}}}}\n")
        });
        write!(wire, "\n{{\"jsonrpc\":\"2.0\",\"id\":\"fresh-{number}\",\"method\":\"ping\",\"params\":{{}}}}\n").unwrap();
        expected.clear();
        writeln!(expected, "{{\"jsonrpc\":\"2.0\",\"id\":\"fresh-{number}\",\"result\":{{}}}}")
            .unwrap();

        let mut replies = 0;
        let mut answered = 0;
        let mut giants = 0;
        let cut = dice.roll(wire.len());
        let (first, second) = wire.split_at(cut);
        let ((), heap) = measure(|| {
            for mut chunk in [first, second] {
                while let Some(received) = stream.next(&mut chunk) {
                    let reply = endpoint.answer(&received, &mut pings, &mut room).unwrap().bytes();
                    if reply == expected {
                        answered += 1;
                    } else if giant.as_ref().is_some_and(|giant| giant.as_bytes() == reply) {
                        giants += 1;
                    } else if !reply.is_empty() {
                        assert_eq!(reply.iter().filter(|&&byte| byte == b'\n').count(), 1);
                        replies += 1;
                    }
                }
            }
        });
        let shown = frame.escape_ascii();
        assert_eq!(heap.calls, 0, "allocations for {shown}");
        assert_eq!(answered, 1, "the harmless request after {shown}");
        assert_eq!(giants, i32::from(giant.is_some()), "the oversized request after {shown}");
        assert!(replies <= 1, "{replies} replies to {shown}");
        if let Some(owed) = owed(&frame, profile) {
            assert_eq!(replies, owed, "{shown}");
            judged += 1;
        }
    }
    assert!(pings >= frames as u64);
    // The oracle must decide most of the frames.
    assert!(judged * 2 > frames, "{judged} of {frames}");
    println!(
        "{frames} broken frames, {judged} of them judged; every harmless request was answered"
    );
}

fn frames() -> usize {
    volume(10_000) as usize
}

#[test]
fn every_harmless_request_is_answered_under_json_rpc() {
    run(&Profile::JSON_RPC, frames());
}

#[test]
fn every_harmless_request_is_answered_under_mcp() {
    run(&Revision::V2025_11_25.profile(), frames());
}
