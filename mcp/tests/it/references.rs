//! References to requests, and what is forwarded with other ids.

use tautline::encode::{Encoder, Forward, NewId};
use tautline::{Id, Message, Profile};
use tautline_mcp::{ReferenceKind, Revision, Role, references};

use crate::support::dice::Dice;

const PROFILE: Profile = Revision::V2025_11_25.profile();

fn message(frame: &str) -> Message<'_> {
    Message::parse(frame.as_bytes(), &PROFILE).unwrap()
}

fn forwarded(forward: &Forward<'_>) -> String {
    let mut out = Vec::new();
    Encoder::new(&mut out).forward(forward).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn request_ids_and_progress_tokens_are_replaced_with_the_id() {
    let call = |token: &str, id: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"tools/call","params":{{"name":"x","arguments":{{"progressToken":1,"requestId":2}},"_meta":{{"a":[],"progressToken":{token}}}}},"id":{id}}}"#
        )
    };
    let frame = call(r#""t""#, "1");
    let message_of_call = message(&frame);
    let forward = Forward::new(&message_of_call).unwrap();
    assert_eq!(kinds(&frame), [(ReferenceKind::ProgressToken, r#""t""#.to_owned())]);
    let token = references(&message_of_call).next().unwrap().value();
    for both in [
        forward.with_id(70).unwrap().with_reference(token, "new").unwrap(),
        forward.with_reference(token, "new").unwrap().with_id(70).unwrap(),
        forward.with_id(1).unwrap().with_reference(token, "new").unwrap().with_id(70).unwrap(),
    ] {
        assert_eq!(forwarded(&both).trim_end(), call(r#""new""#, "70"));
    }
    let first = r#"{"id":1,"method":"m","jsonrpc":"2.0","params":{"_meta":{"progressToken":2}}}"#;
    assert_eq!(
        forwarded(&all_replaced(first, 20).with_id(10).unwrap()).trim_end(),
        first.replace(":1,", ":10,").replace(":2}", ":20}")
    );

    let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"r\u0031","reason":"x"}}"#;
    let found = references(&message(cancelled)).next().unwrap();
    assert_eq!(found.id(), Id::parse(br#""r1""#).unwrap());
    assert_eq!(found.kind(), ReferenceKind::CancelledRequest);
    let forward = all_replaced(cancelled, -12);
    assert_eq!(forwarded(&forward).trim_end(), cancelled.replace(r#""r\u0031""#, "-12"));
    assert!(forward.with_id(1).is_none());

    let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":3}}"#;
    assert_eq!(kinds(progress), [(ReferenceKind::ProgressToken, "3".to_owned())]);
    let line = forwarded(&all_replaced(progress, "p"));
    assert_eq!(line.trim_end(), progress.replace(":3}", r#":"p"}"#));
}

/// Subscriptions of 2026-07-28 are named by the id of the request that opened them.
#[test]
fn every_reference_to_a_subscription_is_found_and_replaced() {
    let meta = r#"{"io.modelcontextprotocol/subscriptionId":7}"#;
    for frame in [
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{{"_meta":{meta}}}}}"#
        ),
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"complete","_meta":{meta}}}}}"#
        ),
    ] {
        assert_eq!(kinds(&frame), [(ReferenceKind::Subscription, "7".to_owned())]);
        let line = forwarded(&all_replaced(&frame, "s"));
        assert_eq!(line.trim_end(), frame.replace(":7}", r#":"s"}"#));
    }
    let both = format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":3,"_meta":{meta}}}}}"#
    );
    let line = forwarded(&all_replaced(&both, 80));
    assert_eq!(line.trim_end(), both.replace(":3,", ":80,").replace(":7}", ":80}"));
}

/// Each reference, with the owners of the requests that it means from a client and from a server: up to 2025-11-25, and in
/// 2026-07-28.
#[test]
fn the_owner_depends_on_the_sender_the_member_and_the_era() {
    use Role::{Client, Server};
    let cases = [
        (
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#,
            [[Client, Server], [Client, Client]],
        ),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":2}}"#,
            [[Server, Client], [Server, Client]],
        ),
        (
            r#"{"jsonrpc":"2.0","id":"q","method":"m","params":{"_meta":{"progressToken":"p"}}}"#,
            [[Client, Server], [Client, Server]],
        ),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}"#,
            [[Client, Client], [Client, Client]],
        ),
        (
            r#"{"jsonrpc":"2.0","id":"s","result":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}"#,
            [[Client, Client], [Client, Client]],
        ),
    ];
    for (frame, [legacy, modern]) in cases {
        let message = message(frame);
        let [reference] = references(&message).collect::<Vec<_>>()[..] else { panic!("{frame}") };
        for &revision in Revision::ALL {
            let expected = if revision < Revision::V2026_07_28 { legacy } else { modern };
            let owners = [Client, Server].map(|sender| reference.owner(sender, revision));
            assert_eq!(owners, expected, "{frame} in {revision}");
        }
    }
}

/// Returns the references of a frame, with their ids as text.
fn kinds(frame: &str) -> Vec<(ReferenceKind, String)> {
    references(&message(frame)).map(|found| (found.kind(), found.id().to_string())).collect()
}

/// Replaces all references of a frame.
fn all_replaced<'a>(frame: &'a str, id: impl Into<NewId<'a>> + Copy) -> Forward<'a> {
    let message = message(frame);
    references(&message).fold(Forward::new(&message).unwrap(), |forward, reference| {
        forward.with_reference(reference.value(), id).unwrap()
    })
}

/// If a member appears twice, peers differ in which one they use, so it is no reference.
#[test]
fn what_is_not_there_exactly_once_is_no_reference() {
    for frame in [
        r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"progressToken":1,"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":1,"progressToken":2}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":{}}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"requestId":2}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/other","params":{"requestId":1,"progressToken":1}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"_meta":{"progressToken":1}}}"#,
    ] {
        assert_eq!(kinds(frame), [], "{frame}");
    }
    let batch =
        br#"[{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":1}}}]"#;
    let batch = Message::parse(batch, &Profile::JSON_RPC).unwrap();
    assert_eq!(references(&batch).count(), 0);
}

/// Messages that differ from one of these in a few bytes keep everything but the values of their references.
#[test]
fn only_the_references_change() {
    const SEEDS: &[&str] = &[
        r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"_meta":{"progressToken":"t"},"x":[1,"\u00e9"]}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"r\u0031","reason":"x"}}"#,
        r#"{ "method":"notifications/progress" , "jsonrpc":"2.0","params":{"progressToken":7 , "progress":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/x","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":3}}}"#,
    ];
    let mut dice = Dice(0x0123_4567_89AB_CDEF);
    let (mut frame, mut replaced) = (Vec::new(), 0);
    for _ in 0..20_000 {
        dice.break_one(SEEDS, &mut frame);
        let Ok(message) = Message::parse(&frame, &Profile::JSON_RPC) else { continue };
        let found: Vec<_> = references(&message).collect();
        let mut forward = Forward::new(&message).unwrap();
        for reference in &found {
            forward = forward.with_reference(reference.value(), 99).unwrap();
        }
        let line = forwarded(&forward);
        let new = Message::parse(line.trim_end(), &Profile::JSON_RPC).unwrap();
        let ids: Vec<_> = references(&new).map(|reference| reference.id().to_string()).collect();
        assert_eq!(ids, vec!["99"; found.len()], "{line}");
        // Everything before the first reference and after the last one is as it was, but for line breaks.
        if let (Some(first), Some(last)) = (found.first(), found.last()) {
            let places = [first, last].map(|one| {
                let at = message.offset_of(one.value().as_bytes()).unwrap();
                usize::try_from(at).unwrap()
            });
            let end = places[1] + last.value().as_bytes().len();
            let kept = |bytes: &[u8]| -> Vec<u8> {
                bytes.iter().copied().filter(|byte| !matches!(byte, b'\n' | b'\r')).collect()
            };
            assert!(line.as_bytes().starts_with(kept(&frame[..places[0]]).trim_ascii_start()));
            let tail = kept(&frame[end..]);
            assert!(line.trim_end().as_bytes().ends_with(tail.trim_ascii_end()), "{line}");
            replaced += 1;
        }
    }
    assert!(replaced > 2000, "{replaced}");
}
