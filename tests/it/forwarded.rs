//! The requests that a gateway has forwarded, checked against a plain list.

use std::collections::HashSet;

use proptest::prelude::*;
#[cfg(feature = "alloc")]
use tautline::client::HeapSlots;
use tautline::client::{
    Answer, BeginError, Forwarded, ForwardedRequests, ForwardedSlots, IdMatching, PendingSlot,
};
use tautline::frame::{Frame, FrameEvent};
use tautline::stream::Received;
use tautline::{Id, Message, Profile};

use crate::support::allocator::measure;
use crate::support::volume::volume;

fn id(text: &str) -> Id<'_> {
    Id::parse(text.as_bytes()).unwrap()
}

fn received(line: &str) -> Received<'_> {
    let frame = FrameEvent::Frame(Frame::from_line(line.as_bytes()));
    Received::from_event(frame, &Profile::JSON_RPC)
}

fn lent<const N: usize>() -> [PendingSlot<Forwarded<u8, usize>>; N] {
    [const { PendingSlot::EMPTY }; N]
}

/// Returns the longest id that is kept, and one that is longer by a byte.
fn longest() -> (String, String) {
    let most = ForwardedRequests::<u8, (), [PendingSlot<Forwarded<u8, ()>>; 0]>::LONGEST_ID;
    (format!("\"{}\"", "x".repeat(most - 2)), "7".repeat(most + 1))
}

fn each_request_goes_back_to_its_client(slots: impl ForwardedSlots<u8, usize>) {
    let mut forwarded = ForwardedRequests::new(slots);
    let (longest, longer) = longest();
    let ids = ["1", "\"1\"", "1.0", "10e-1", "\"\\u0031\\n\"", "null", &longest];
    for client in [0, 1] {
        for (value, text) in ids.iter().enumerate() {
            let own = (usize::from(client) * ids.len() + value + 1) as u64;
            assert_eq!(forwarded.begin(client, &id(text), value), Ok(own), "{text}");
            assert_eq!(forwarded.find(&client, &id(text)), Some(own));
        }
        let same = id("\"\\u0031\\u000a\"");
        assert_eq!(forwarded.begin(client, &same, 9), Err(BeginError::IdInUse));
        assert_eq!(forwarded.find(&client, &same), forwarded.find(&client, &id(ids[4])));
        assert_eq!(forwarded.begin(client, &id(&longer), 9), Err(BeginError::IdTooLong));
        assert_eq!(forwarded.find(&client, &id(&longer)), None);
    }
    assert_eq!(forwarded.find(&2, &id("1")), None);
    // Responses come in any order.
    for own in (1..=2 * ids.len()).rev() {
        let (client, value) = ((own - 1) / ids.len(), (own - 1) % ids.len());
        let text = own.to_string();
        assert_eq!(forwarded.get(&id(&text)).unwrap().id().to_string(), ids[value]);
        let line = format!(r#"{{"jsonrpc":"2.0","id":{own},"result":{{}}}}"#);
        let Some(Answer::Response { request, .. }) = forwarded.receive(&received(&line)) else {
            panic!("{line}")
        };
        assert_eq!((usize::from(request.client), request.value), (client, value));
        assert_eq!(request.id().to_string(), ids[value]);
        assert_eq!(forwarded.get(&id(&text)), None);
        assert_eq!(forwarded.find(&request.client, &request.id()), None);
        assert!(matches!(forwarded.receive(&received(&line)), Some(Answer::Stale(_))));
    }
    assert!(forwarded.is_empty());
}

#[test]
fn each_request_goes_back_to_its_client_with_its_id() {
    each_request_goes_back_to_its_client(lent::<20>());
    each_request_goes_back_to_its_client(&mut lent::<14>()[..]);
    #[cfg(feature = "alloc")]
    each_request_goes_back_to_its_client(HeapSlots::new(14));
}

fn ids_that_are_alike_may_answer(slots: impl ForwardedSlots<u8, usize>) {
    let mut forwarded = ForwardedRequests::new(slots).with_first_id(1 << 40);
    assert_eq!(forwarded.begin(0, &id("7"), 0), Ok(1 << 40));
    assert_eq!(forwarded.begin(0, &id("\"a\""), 1), Ok((1 << 40) + 1));
    assert_eq!(forwarded.begin(1, &id("8.0"), 2), Ok((1 << 40) + 2));
    let (longest, longer) = longest();
    for (client, text, may) in [
        (0, "7", true),
        (0, "7.0", true),
        (0, "70e-1", true),
        (0, "\"7\"", true),
        (0, "\"\\u0061\"", true),
        (0, "\"A\"", false),
        (0, "8", false),
        (1, "8", true),
        (1, "7", false),
        (2, "7", false),
        (0, "null", false),
        (0, &longest, false),
        (0, &longer, false),
    ] {
        assert_eq!(forwarded.may_answer(&client, &id(text)), may, "{client} {text}");
    }
    forwarded.cancel(1 << 40).unwrap();
    assert!(!forwarded.may_answer(&0, &id("7")));
}

#[test]
fn an_error_of_the_gateway_may_answer_a_forwarded_request() {
    ids_that_are_alike_may_answer(lent::<5>());
    #[cfg(feature = "alloc")]
    ids_that_are_alike_may_answer(HeapSlots::new(5));
}

/// A gateway asks a client for something, under an id that the client uses as well.
#[test]
fn a_request_with_a_misspelled_method_ends_nothing_in_the_other_direction() {
    let mut asked = ForwardedRequests::new(lent::<4>());
    assert_eq!(asked.begin(0, &id("\"s\""), 0), Ok(1));
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"Method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"metod":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"params":{}}"#,
    ] {
        assert_eq!(asked.receive(&received(line)), None, "{line}");
        assert_eq!(asked.fault(received(line).fault().unwrap()), None, "{line}");
    }
    assert!(asked.receive(&received(r#"{"jsonrpc":"2.0","id":1}"#)).is_some());
}

fn broken_responses_end_requests(slots: impl ForwardedSlots<u8, usize>) {
    let mut forwarded = ForwardedRequests::new(slots);
    for value in 0..4 {
        forwarded.begin(7, &id(&format!("\"{value}\"")), value).unwrap();
    }
    let broken = received(r#"{"jsonrpc":"2.0","id":2,"result":1,"error":{}}"#);
    let Some(Answer::Broken { id: 2, request, .. }) = forwarded.receive(&broken) else { panic!() };
    assert_eq!(request.id().to_string(), "\"1\"");
    // A request of the server is no answer, whatever its id is.
    assert_eq!(forwarded.receive(&received(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)), None);
    let batch = received(
        r#"[{"jsonrpc":"2.0","id":1,"result":0},{"jsonrpc":"2.0","id":3,"error":0},{"jsonrpc":"2.0","id":9,"result":0}]"#,
    );
    let Received::Message { message: Message::Batch(batch), .. } = batch else { panic!() };
    let elements: Vec<_> = batch.iter().collect();
    let Ok(Message::Response(response)) = elements[0].message() else { panic!() };
    let Answer::Response { request, .. } = forwarded.response(&response) else { panic!() };
    assert_eq!(request.value, 0);
    let (own, request) = forwarded.fault(&elements[1].message().unwrap_err()).unwrap();
    assert_eq!((own, request.value), (3, 2));
    let Ok(Message::Response(response)) = elements[2].message() else { panic!() };
    assert!(matches!(forwarded.response(&response), Answer::Unknown(_)));
    // The ids of those that have ended can be used again.
    for value in 0..3 {
        assert_eq!(forwarded.find(&7, &id(&format!("\"{value}\""))), None);
        assert!(forwarded.begin(7, &id(&format!("\"{value}\"")), value).is_ok());
    }
}

#[test]
fn broken_responses_and_elements_of_batches_end_requests_too() {
    broken_responses_end_requests(lent::<5>());
    #[cfg(feature = "alloc")]
    broken_responses_end_requests(HeapSlots::new(5));
}

#[test]
fn ids_of_the_server_are_compared_as_told() {
    for (matching, is_found) in [(IdMatching::Exact, false), (IdMatching::Lenient, true)] {
        let mut forwarded = ForwardedRequests::new(lent::<2>()).with_id_matching(matching);
        assert_eq!(forwarded.begin(0, &id("\"a\""), 0), Ok(1));
        assert!(forwarded.get(&id("1")).is_some() && forwarded.get(&id("2")).is_none());
        assert_eq!(forwarded.get(&id("\"1\"")).is_some(), is_found);
        assert_eq!(forwarded.get(&id("1.0")).is_some(), is_found);
    }
}

/// A client that sends requests without end is refused at its limit, and the slots of the others stay free.
fn a_hostile_client_is_refused(slots: impl ForwardedSlots<u8, usize>) {
    let mut forwarded = ForwardedRequests::new(slots).with_client_limit(3);
    for value in 0..1000 {
        let begun = forwarded.begin(0, &id(&value.to_string()), value);
        assert_eq!(begun.err(), (value >= 3).then_some(BeginError::ClientFull), "{value}");
    }
    for value in 0..3 {
        assert!(forwarded.begin(1, &id(&value.to_string()), value).is_ok());
    }
    assert!(forwarded.begin(2, &id("0"), 0).is_ok());
    assert_eq!(forwarded.len(), 7);
    assert_eq!(forwarded.begin(2, &id("1"), 0), Err(BeginError::Full));
    // A request that ends makes room for one.
    assert_eq!(forwarded.cancel(1).unwrap().value, 0);
    assert_eq!(forwarded.cancel(1), None);
    assert!(forwarded.begin(0, &id("5"), 5).is_ok());
    assert_eq!(forwarded.begin(0, &id("6"), 6), Err(BeginError::ClientFull));
}

#[test]
fn a_hostile_client_is_refused_at_its_limit_and_others_are_not() {
    a_hostile_client_is_refused(lent::<7>());
    #[cfg(feature = "alloc")]
    a_hostile_client_is_refused(HeapSlots::new(7));
    let mut none = ForwardedRequests::new(lent::<0>());
    assert_eq!(none.begin(0, &id("1"), 0), Err(BeginError::Full));
    for error in
        [BeginError::Full, BeginError::ClientFull, BeginError::IdTooLong, BeginError::IdInUse]
    {
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn lent_slots_need_no_heap() {
    let (ended, heap) = measure(|| {
        let mut forwarded = ForwardedRequests::new(lent::<8>()).with_client_limit(4);
        for text in ["1", "\"1\"", "1.0", "7", "8"] {
            let _ = forwarded.begin(0, &id(text), 0);
        }
        let _ = forwarded.begin(1, &id("1"), 0);
        let _ = forwarded.receive(&received(r#"{"jsonrpc":"2.0","id":2,"result":0}"#));
        forwarded.find(&1, &id("1")).and_then(|own| forwarded.cancel(own));
        forwarded.drain_client(&0).count()
    });
    assert_eq!((ended, heap.calls), (3, 0));
}

/// A gateway that runs for long, with clients that come and go, keeps nothing of them.
#[cfg(feature = "alloc")]
#[test]
fn a_table_on_the_heap_keeps_nothing_of_clients_that_have_gone() {
    let mut forwarded = ForwardedRequests::new(HeapSlots::new(1000)).with_client_limit(8);
    let mut rounds = |clients: std::ops::Range<u64>| {
        for client in clients {
            for text in ["1", "2", "3"] {
                forwarded.begin(client, &id(text), ()).unwrap();
            }
            let own = forwarded.find(&client, &id("2")).unwrap();
            forwarded.cancel(own).unwrap();
            assert_eq!(forwarded.drain_client(&client).count(), 2);
        }
        assert!(forwarded.is_empty());
    };
    rounds(0..10);
    let ((), heap) = measure(|| rounds(10..2000));
    assert_eq!(heap.held, 0);
}

#[derive(Clone, Debug)]
enum Step {
    Begin(u8, usize),
    Answer(usize),
    CancelByClient(u8, usize),
    Cancel(usize),
    /// Ends a client, or only this many of its requests.
    Leave(u8, usize),
    Restart(usize),
}

/// Texts of ids, some of which mean the same, or are too long.
const IDS: &[&str] = &[
    "1",
    "1.0",
    "\"1\"",
    "\"\\u0031\"",
    "\"a\"",
    "\"\\u0061\"",
    "null",
    "-0",
    "0",
    "18446744073709551616",
    "11111111111111111111111111111111111111111111111111111111111111111111111",
    "\"\"",
];

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let client = 0..4_u8;
    let step = prop_oneof![
        8 => (client.clone(), 0..IDS.len()).prop_map(|(client, id)| Step::Begin(client, id)),
        2 => any::<usize>().prop_map(Step::Answer),
        2 => (client.clone(), 0..IDS.len()).prop_map(|(client, id)| Step::CancelByClient(client, id)),
        1 => any::<usize>().prop_map(Step::Cancel),
        1 => (client, prop_oneof![Just(usize::MAX), 0..3_usize])
            .prop_map(|(client, most)| Step::Leave(client, most)),
        1 => prop_oneof![4 => 0..2_usize, 1 => Just(usize::MAX)].prop_map(Step::Restart),
    ];
    prop::collection::vec(step, 0..200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(volume(256)))]

    #[test]
    fn the_table_agrees_with_a_plain_list(
        steps in steps(),
        slots in 0..20_usize,
        most in 1..10_usize,
        grows in any::<bool>(),
    ) {
        #[cfg(feature = "alloc")]
        if grows {
            return run(HeapSlots::new(slots), &steps, slots, most);
        }
        let _ = grows;
        let mut lent: Vec<_> = (0..slots).map(|_| PendingSlot::EMPTY).collect();
        run(&mut lent[..], &steps, slots, most)?;
    }
}

/// A pending request of the model.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    own: u64,
    client: u8,
    text: &'static str,
    value: usize,
}

impl Entry {
    fn is(&self, client: u8, text: &str) -> bool {
        // The texts with an escape mean the same as those before them.
        let meaning = |text: &str| text.replace("\\u0031", "1").replace("\\u0061", "a");
        self.client == client && meaning(self.text) == meaning(text)
    }

    fn check(&self, own: u64, request: &Forwarded<u8, usize>) -> Result<(), TestCaseError> {
        prop_assert_eq!((self.own, self.client, self.value), (own, request.client, request.value));
        prop_assert_eq!(self.text, request.id().to_string());
        Ok(())
    }
}

/// Follows the steps in parallel with a list of the pending requests.
fn run(
    slots: impl ForwardedSlots<u8, usize>,
    steps: &[Step],
    most: usize,
    most_of_client: usize,
) -> Result<(), TestCaseError> {
    let mut forwarded = ForwardedRequests::new(slots).with_client_limit(most_of_client);
    let (mut model, mut begun) = (Vec::<Entry>::new(), Vec::<u64>::new());
    for (value, step) in steps.iter().enumerate() {
        let any = |n: usize| begun.get(n.checked_rem(begun.len())?).copied();
        match *step {
            Step::Begin(client, at) => {
                let text = IDS[at];
                let expected = if text.len() > 64 {
                    Some(BeginError::IdTooLong)
                } else if model.iter().any(|entry| entry.is(client, text)) {
                    Some(BeginError::IdInUse)
                } else if model.iter().filter(|entry| entry.client == client).count()
                    >= most_of_client
                {
                    Some(BeginError::ClientFull)
                } else {
                    (model.len() >= most).then_some(BeginError::Full)
                };
                match forwarded.begin(client, &id(text), value) {
                    Ok(own) => {
                        prop_assert!(begun.last().is_none_or(|last| *last < own));
                        begun.push(own);
                        prop_assert_eq!(expected, None);
                        model.push(Entry { own, client, text, value });
                    }
                    Err(error) => prop_assert_eq!(Some(error), expected),
                }
            }
            Step::Answer(n) => {
                let Some(own) = any(n) else { continue };
                let line = format!(r#"{{"jsonrpc":"2.0","id":{own},"result":1}}"#);
                let at = model.iter().position(|entry| entry.own == own);
                match (forwarded.receive(&received(&line)), at) {
                    (Some(Answer::Response { id, request, .. }), Some(at)) => {
                        model.swap_remove(at).check(id, &request)?;
                    }
                    (Some(Answer::Stale(_)), None) => {}
                    (other, at) => prop_assert!(false, "{other:?} {at:?}"),
                }
            }
            Step::CancelByClient(client, at) => {
                let entry = model.iter().position(|entry| entry.is(client, IDS[at]));
                let own = forwarded.find(&client, &id(IDS[at]));
                prop_assert_eq!(own, entry.map(|at| model[at].own));
                if let (Some(own), Some(at)) = (own, entry) {
                    model.swap_remove(at).check(own, &forwarded.cancel(own).unwrap())?;
                }
            }
            Step::Cancel(n) => {
                let Some(own) = any(n) else { continue };
                let at = model.iter().position(|entry| entry.own == own);
                let ended = forwarded.cancel(own);
                prop_assert_eq!(ended.is_some(), at.is_some());
                if let (Some(ended), Some(at)) = (ended, at) {
                    model.swap_remove(at).check(own, &ended)?;
                }
            }
            Step::Leave(client, most) => {
                let has = model.iter().filter(|entry| entry.client == client).count();
                let ended: Vec<_> = forwarded.drain_client(&client).take(most).collect();
                prop_assert_eq!(ended.len(), has.min(most));
                remove(&mut model, &ended, Some(client))?;
            }
            Step::Restart(most) => {
                let ended: Vec<_> = forwarded.drain().take(most).collect();
                prop_assert_eq!(ended.len(), model.len().min(most));
                remove(&mut model, &ended, None)?;
            }
        }
        prop_assert_eq!(forwarded.len(), model.len());
        prop_assert_eq!(forwarded.is_empty(), model.is_empty());
    }
    let left: HashSet<u64> = forwarded.iter().map(|(own, _)| own).collect();
    prop_assert_eq!(left.len(), model.len());
    for entry in &model {
        entry.check(entry.own, forwarded.get(&id(&entry.own.to_string())).unwrap())?;
        prop_assert_eq!(forwarded.find(&entry.client, &id(entry.text)), Some(entry.own));
        prop_assert!(left.contains(&entry.own));
    }
    for own in begun.iter().filter(|own| !left.contains(own)) {
        prop_assert_eq!(forwarded.get(&id(&own.to_string())), None);
    }
    Ok(())
}

/// Removes requests that have ended from the model, which must have them.
fn remove(
    model: &mut Vec<Entry>,
    ended: &[(u64, Forwarded<u8, usize>)],
    client: Option<u8>,
) -> Result<(), TestCaseError> {
    for (own, request) in ended {
        let at = model.iter().position(|entry| entry.own == *own).unwrap();
        model.swap_remove(at).check(*own, request)?;
        prop_assert!(client.is_none_or(|client| request.client == client));
    }
    Ok(())
}
