//! Pending requests, checked against a plain map.

use std::collections::HashMap;

use proptest::prelude::*;
use tautline::client::{Answer, Full, IdMatching, PendingRequests, PendingSlot};
use tautline::rule;
use tautline::stream::{MessageStream, Messages, Received};
use tautline::{Fault, Message, Profile};

use crate::support::presets::Revision;
use crate::support::volume::volume;

const LIMIT: u32 = 4096;

fn mcp() -> Profile {
    Revision::V2025_11_25.profile()
}

fn pending<T>(slots: usize) -> PendingRequests<T, Vec<PendingSlot<T>>> {
    PendingRequests::new((0..slots).map(|_| PendingSlot::EMPTY).collect())
}

/// Returns the id that the line answers, among requests 1 and 2, and the violated rule, if any.
fn answer(line: &str, profile: &Profile, matching: IdMatching) -> String {
    let mut pending = pending(2).with_id_matching(matching);
    assert_eq!((pending.begin("a"), pending.begin("b")), (Ok(1), Ok(2)));
    let wire = format!("{line}\n");
    let received = Messages::new(wire.as_bytes(), LIMIT, profile).next().unwrap();
    let answer = match pending.receive(&received) {
        Some(Answer::Response { id, request, .. }) => format!("{id} {request}"),
        Some(Answer::Broken { id, request, fault, .. }) => {
            format!("{id} {request} {}", rule::name(fault.rule()))
        }
        Some(Answer::Stale(_)) => "stale".into(),
        Some(Answer::Unknown(_)) => "unknown".into(),
        Some(other) => panic!("{other:?}"),
        None => "none".into(),
    };
    let ended = usize::from(answer.starts_with(['1', '2']));
    assert_eq!(pending.len(), 2 - ended, "{line}");
    assert_eq!(pending.iter().count(), pending.len());
    answer
}

#[test]
fn a_response_ends_its_request_and_so_does_a_broken_one() {
    for (line, expected) in [
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "1 a"),
        (r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":""}}"#, "2 b"),
        (r#"{"jsonrpc":"2.0","id":3,"result":{}}"#, "unknown"),
        (r#"{"jsonrpc":"2.0","id":-1,"result":{}}"#, "unknown"),
        (r#"{"jsonrpc":"2.0","id":0,"result":{}}"#, "unknown"),
        (r#"{"jsonrpc":"2.0","id":18446744073709551617,"result":{}}"#, "unknown"),
        (r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":""}}"#, "unknown"),
        (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, "1 a result-type"),
        (r#"{"jsonrpc":"2.0","id":1,"result":[]}"#, "1 a result-type"),
        (r#"{"jsonrpc":"2.0","id":2,"result":{},"error":null}"#, "2 b result-and-error"),
        (r#"{"id":1,"result":{}}"#, "1 a missing-jsonrpc"),
        (r#"{"jsonrpc":"1.0","id":1,"result":{}}"#, "1 a wrong-version"),
        (r#"{"jsonrpc":2.0,"id":1,"result":{}}"#, "1 a wrong-version"),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#, "1 a duplicate-member"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","result":{}}"#, "1 a method-in-response"),
        (r#"{"jsonrpc":"2.0","id":2,"error":"x"}"#, "2 b error-type"),
        (r#"{"jsonrpc":"2.0","id":2,"error":{}}"#, "2 b error-code-missing"),
        (r#"{"jsonrpc":"2.0","id":2,"error":{"code":"1","message":""}}"#, "2 b error-code-type"),
        (r#"{"jsonrpc":"2.0","id":2,"error":{"code":1}}"#, "2 b error-message-missing"),
        (r#"{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":1}}"#, "2 b error-message-type"),
        (r#"{"jsonrpc":"2.0","id":2}"#, "2 b no-shape"),
        // An earlier fault hides that these have no shape.
        (r#"{"id":2}"#, "2 b missing-jsonrpc"),
        (r#"{"jsonrpc":"1.0","id":2}"#, "2 b wrong-version"),
        (r#"{"jsonrpc":"2.0","id":2,"jsonrpc":"2.0"}"#, "2 b duplicate-member"),
        (r#"{"id":2,"Result":{}}"#, "2 b missing-jsonrpc"),
        // It is unknown which request was meant.
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"result":{}}"#, "none"),
        (r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, "none"),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}"#, "none"),
        (r#"{"jsonrpc":"2.0","id":3,"result":null}"#, "none"),
        // The peer has its own ids.
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "none"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, "none"),
        (r#"{"jsonrpc":"2.0","id":1,"method":1}"#, "none"),
        (r#"{"jsonrpc":"2.0","method":"ping","params":[]}"#, "none"),
        (r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#, "none"),
        // Requests of the peer whose `method` is misspelled, or left out.
        (r#"{"jsonrpc":"2.0","id":1,"Method":"ping"}"#, "none"),
        (r#"{"jsonrpc":"2.0","id":1,"m\u0065thod ":"ping"}"#, "none"),
        (r#"{"jsonrpc":"2.0","id":1,"metod":"ping"}"#, "none"),
        (r#"{"jsonrpc":"2.0","id":1,"mehtod":"ping"}"#, "none"),
        (r#"{"id":1,"METHODS":"ping"}"#, "none"),
        (r#"{"jsonrpc":"2.0","id":1,"nethod":"ping"}"#, "none"),
        (r#"{"jsonrpc":"2.0","id":1,"params":{}}"#, "none"),
        (r#"{"jsonrpc":"2.0","id":1,"Params":{}}"#, "none"),
        // Responses with other members are broken responses.
        (r#"{"jsonrpc":"2.0","id":1,"reslut":{}}"#, "1 a no-shape"),
        (r#"{"jsonrpc":"2.0","id":1,"data":{},"meta":1}"#, "1 a no-shape"),
        (r#"{"jsonrpc":"2.0","id":1,"metd":1}"#, "1 a no-shape"),
        (
            r#"{"jsonrpc":"2.0","id":1,"Method":"ping","result":{},"error":{}}"#,
            "1 a result-and-error",
        ),
    ] {
        for matching in [IdMatching::Exact, IdMatching::Lenient] {
            assert_eq!(answer(line, &mcp(), matching), expected, "{line}");
        }
    }
}

/// Two tables for the two directions of one connection need not give out the same ids.
#[test]
fn ids_begin_where_they_are_told_to() {
    for matching in [IdMatching::Exact, IdMatching::Lenient] {
        let mut pending = pending(3).with_first_id(1_000_000).with_id_matching(matching);
        assert_eq!((pending.begin("a"), pending.begin("b")), (Ok(1_000_000), Ok(1_000_001)));
        let mut answer = |id: u64| {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
            let Ok(Message::Response(response)) = Message::parse(&text, &mcp()) else { panic!() };
            format!("{:?}", pending.response(&response))
                .split(['(', ' '])
                .next()
                .unwrap()
                .to_string()
        };
        let answers = [1, 999_999, 1_000_001, 1_000_001, 1_000_002].map(&mut answer);
        assert_eq!(answers, ["Unknown", "Unknown", "Response", "Stale", "Unknown"]);
    }
    assert_eq!(pending(1).with_first_id(0).begin(()), Ok(1));
    let mut last = pending(4).with_first_id(u64::MAX);
    assert_eq!((last.begin(()), last.begin(())), (Ok(u64::MAX), Ok(1)));
}

/// An error with an id that a careless peer confuses with a pending one answers that one.
#[test]
fn an_id_may_answer_what_it_is_like() {
    let mut pending = pending(2);
    pending.begin("a").unwrap();
    for (id, may) in [
        ("1", true),
        ("1.0", true),
        ("10e-1", true),
        (r#""1""#, true),
        ("2", false),
        ("-1", false),
        ("null", false),
    ] {
        let id = tautline::Id::parse(id.as_bytes()).unwrap();
        assert_eq!(pending.may_answer(&id), may, "{id}");
    }
    pending.cancel(1);
    assert!(!pending.may_answer(&tautline::Id::parse(b"1").unwrap()));
}

#[test]
fn ids_are_compared_as_told() {
    for (id, lenient) in [
        (r#""1""#, "1 a"),
        (r#""\u0032""#, "2 b"),
        ("1.0", "1 a"),
        ("2e0", "2 b"),
        ("20e-1", "2 b"),
        (r#""1.0""#, "1 a"),
        (r#"" 1""#, "unknown"),
        (r#""-1""#, "unknown"),
        (r#""one""#, "unknown"),
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        assert_eq!(answer(&line, &mcp(), IdMatching::Exact), "unknown", "{line}");
        assert_eq!(answer(&line, &mcp(), IdMatching::Lenient), lenient, "{line}");
    }
}

#[test]
fn an_oversized_response_ends_its_request() {
    for line in [
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"a":"{}"}}}}"#, "x".repeat(5000)),
        format!(r#"{{"jsonrpc":"2.0","result":{{"a":"{}"}},"id":1}}"#, "x".repeat(5000)),
        format!(r#"{{"jsonrpc":"2.0","id":1,"Result":{{"a":"{}"}}}}"#, "x".repeat(5000)),
    ] {
        let wire = format!("{line}\n");
        let mut pending = pending(1);
        assert_eq!(pending.begin(()), Ok(1));
        let mut stream = MessageStream::new([0; 64], &mcp());
        let mut rest = wire.as_bytes();
        let received = stream.next(&mut rest).unwrap();
        assert!(matches!(received, Received::Oversized { .. }));
        let Some(Answer::Broken { id: 1, fault, .. }) = pending.receive(&received) else {
            panic!("{line}")
        };
        assert_eq!(rule::name(fault.rule()), "frame-too-long");
        // An oversized request of the peer completes nothing, even if it is broken.
        assert_eq!(pending.begin(()), Ok(2));
        for members in
            ["\"method\":\"x\",\"params\"", "\"method\":7,\"params\"", "\"params\"", "\"method\""]
        {
            let request = line.replace("\"result\"", members).replace("\"Result\"", members) + "\n";
            let request = request.replace("\"id\":1", "\"id\":2");
            let mut rest = request.as_bytes();
            assert_eq!(pending.receive(&stream.next(&mut rest).unwrap()), None, "{members}");
        }
    }
}

#[test]
fn lent_slots_are_full_and_a_vector_grows() {
    let mut lent = PendingRequests::new([const { PendingSlot::EMPTY }; 2]);
    assert_eq!((lent.begin('a'), lent.begin('b'), lent.begin('c')), (Ok(1), Ok(2), Err(Full('c'))));
    assert_eq!(lent.cancel(1), Some('a'));
    assert_eq!((lent.cancel(1), lent.begin('c')), (None, Ok(3)));
    assert_eq!(lent.drain().collect::<HashMap<_, _>>(), HashMap::from([(2, 'b'), (3, 'c')]));
    assert!(lent.is_empty());

    let mut slots: [PendingSlot<char>; 0] = [];
    assert_eq!(PendingRequests::new(&mut slots[..]).begin('a'), Err(Full('a')));

    let mut grown = PendingRequests::default();
    for n in 1..=1000 {
        assert_eq!(grown.begin(n), Ok(n));
    }
    assert_eq!(grown.cancel(500), Some(500));
}

#[test]
fn the_value_of_a_pending_request_can_be_read() {
    let mut pending = PendingRequests::new([const { PendingSlot::EMPTY }; 3]);
    assert_eq!(pending.get(1), None);
    for (id, request) in [(1, "a"), (2, "b"), (3, "c")] {
        assert_eq!(pending.begin(request), Ok(id));
    }
    assert_eq!(pending.get(2), Some(&"b"));
    pending.cancel(2);
    assert_eq!(pending.begin("d"), Ok(5));
    // Ids 2 and 5 have the same slot, and 0 and 6 the slot of 3.
    let found = [0, 2, 3, 5, 6, u64::MAX].map(|id| pending.get(id).copied());
    assert_eq!(found, [None, None, Some("c"), Some("d"), None, None]);
    let none: PendingRequests<(), &mut [PendingSlot<()>]> = PendingRequests::new(&mut []);
    assert_eq!(none.get(1), None);
}

#[test]
fn a_table_that_is_drained_in_part_keeps_the_rest() {
    let mut pending = pending(0);
    for n in 0..6 {
        pending.begin(n).unwrap();
    }
    let (id, _) = pending.drain().next().unwrap();
    assert_eq!((pending.len(), pending.iter().count()), (5, 5));
    assert_eq!(pending.cancel(id), None);
    for n in 0..20 {
        pending.begin(n).unwrap();
    }
    drop(pending.drain());
    assert_eq!(pending.drain().count(), 25);
    assert!(pending.is_empty());
}

#[test]
fn slots_of_an_earlier_table_are_empty_in_the_next() {
    let mut slots = [const { PendingSlot::EMPTY }; 2];
    let mut earlier = PendingRequests::new(&mut slots[..]);
    assert_eq!((earlier.begin("a"), earlier.begin("b")), (Ok(1), Ok(2)));
    let mut next = PendingRequests::new(&mut slots[..]);
    assert_eq!((next.iter().count(), next.cancel(1)), (0, None));
    assert_eq!((next.begin("c"), next.begin("d")), (Ok(1), Ok(2)));
    assert_eq!(next.begin("e"), Err(Full("e")));
}

#[test]
fn a_late_response_is_stale_and_so_is_a_second_one() {
    let mut pending = pending(4);
    let line = |id| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
    for _ in 0..3 {
        pending.begin(()).unwrap();
    }
    pending.cancel(1).unwrap();
    let mut answer = |id: u64| {
        let line = line(id);
        let Ok(Message::Response(response)) = Message::parse(line.as_bytes(), &mcp()) else {
            panic!()
        };
        match pending.response(&response) {
            Answer::Response { .. } => "response",
            Answer::Stale(_) => "stale",
            _ => "unknown",
        }
    };
    assert_eq!(
        [1, 2, 2, 3, 4, 5].map(&mut answer),
        ["stale", "response", "stale", "response", "unknown", "unknown"]
    );
}

#[test]
fn a_fault_of_another_table_is_no_answer() {
    let mut pending = pending::<()>(0);
    let frame = br#"{"jsonrpc":"2.0","id":1,"result":null}"#;
    let fault: Fault<'_> = Message::parse(frame, &mcp()).unwrap_err();
    assert_eq!(pending.fault(&fault), None);
}

#[derive(Clone, Debug)]
enum Step {
    Begin,
    Cancel(usize),
    Answer(usize),
    Break(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => Just(Step::Begin),
        1 => any::<usize>().prop_map(Step::Cancel),
        1 => any::<usize>().prop_map(Step::Answer),
        1 => any::<usize>().prop_map(Step::Break),
    ];
    prop::collection::vec(step, 0..300)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(volume(256)))]

    #[test]
    fn each_request_ends_once(steps in steps(), slots in 0..10_usize, grows in any::<bool>()) {
        let mut lent: Vec<PendingSlot<u64>> = (0..slots).map(|_| PendingSlot::EMPTY).collect();
        if grows {
            run(PendingRequests::new(lent), &steps, usize::MAX)?;
        } else {
            run(PendingRequests::new(&mut lent[..]), &steps, slots)?;
        }
    }
}

/// Follows the steps in parallel with a map of the pending requests, whose ids are also the values.
fn run<S: tautline::client::Slots<u64>>(
    mut pending: PendingRequests<u64, S>,
    steps: &[Step],
    most: usize,
) -> Result<(), TestCaseError> {
    let (mut waiting, mut begun) = (HashMap::new(), Vec::new());
    for (tag, step) in (0..).zip(steps) {
        let any = |n: usize| begun.get(n.checked_rem(begun.len())?).copied();
        match *step {
            Step::Begin => match pending.begin(tag) {
                Ok(id) => {
                    prop_assert!(
                        waiting.len() < most && begun.last().is_none_or(|&last| last < id)
                    );
                    waiting.insert(id, tag);
                    begun.push(id);
                }
                Err(full) => prop_assert_eq!((full, waiting.len()), (Full(tag), most)),
            },
            Step::Cancel(n) => {
                let Some(id) = any(n) else { continue };
                prop_assert_eq!(pending.cancel(id), waiting.remove(&id));
            }
            Step::Answer(n) => {
                let Some(id) = any(n) else { continue };
                let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":1}}"#);
                let message = Message::parse(frame.as_bytes(), &Profile::JSON_RPC).unwrap();
                let Message::Response(response) = message else { panic!() };
                let answered = match pending.response(&response) {
                    Answer::Response { id: own, request, response: same, .. } => {
                        prop_assert_eq!((own, same), (id, response));
                        Some(request)
                    }
                    answer => {
                        prop_assert_eq!(answer, Answer::Stale(response));
                        None
                    }
                };
                prop_assert_eq!(answered, waiting.remove(&id));
            }
            Step::Break(n) => {
                let Some(id) = any(n) else { continue };
                let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":1}}"#);
                let fault = Message::parse(frame.as_bytes(), &Profile::JSON_RPC).unwrap_err();
                let expected = waiting.remove(&id).map(|tag| (id, tag));
                prop_assert_eq!(pending.fault(&fault), expected);
            }
        }
        prop_assert_eq!(pending.len(), waiting.len());
    }
    let left: HashMap<_, _> = pending.iter().map(|(id, &tag)| (id, tag)).collect();
    prop_assert_eq!(&left, &waiting);
    prop_assert_eq!(pending.drain().collect::<HashMap<_, _>>(), waiting);
    Ok(())
}
