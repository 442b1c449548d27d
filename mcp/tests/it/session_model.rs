//! Differential test of a session against its naive model, with any messages in any order.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use tautline_mcp::Role::{self, Client, Server};
use tautline_mcp::session::Phase;

use crate::support::reference::session::{
    IDS, Memory, Model, Name, Outcome, TOKENS, WHATS, What, token_of,
};
use crate::support::talk::{Watched, see, session};
use crate::support::volume::volume;

#[derive(Clone, Copy, Debug)]
enum Step {
    Request(Role, What, Name),
    /// A response that may answer nothing.
    Answer(Role, Name, Outcome),
    /// The response to one of the requests in flight.
    AnswerOne(usize, Outcome),
    Cancel(Role, Name),
    Progress(Role, Name),
    Initialized(Role),
}

/// Shows a step to the session and to the model.
fn step(model: &mut Model, session: &mut Watched, step: Step) {
    let step = match step {
        Step::AnswerOne(index, outcome) if !model.sent.is_empty() => {
            let sent = model.sent[index % model.sent.len()];
            Step::Answer(sent.from.other(), sent.id(), outcome)
        }
        Step::AnswerOne(_, outcome) => Step::Answer(Server, IDS[0], outcome),
        step => step,
    };
    let seen = see(session, &notation(step));
    match step {
        Step::Request(from, what, id) => {
            model.request(from, what, id, &seen);
            model.forget(session);
        }
        Step::Answer(from, id, outcome) => {
            model.answer(from, id, outcome, &seen, session);
        }
        Step::Cancel(from, id) => model.cancel(from, id, &seen),
        Step::Progress(from, token) => model.progress(from, token, &seen),
        Step::Initialized(Client) if model.phase == Phase::AwaitingInitialized => {
            model.phase = Phase::Operating;
        }
        Step::AnswerOne(..) | Step::Initialized(_) => {}
    }
    model.check(session);
}

fn notation(step: Step) -> String {
    let side = |from| if from == Client { '>' } else { '<' };
    match step {
        Step::Request(from, what, id) => {
            let token = token_of(id).map(|token| format!(r#""progressToken":{}"#, token.0));
            let modern = what.is_modern().then(|| "$modern".to_owned());
            let meta: Vec<_> = token.into_iter().chain(modern).collect();
            let more = match what {
                What::Initialize => r#""protocolVersion":"2025-06-18","capabilities":$client,"#,
                _ => "",
            };
            let method = what.method(from);
            format!(r#"{} {} {method} {{{more}"_meta":{{{}}}}}"#, side(from), id.0, meta.join(","))
        }
        // The members that every method has in its result.
        Step::Answer(from, id, Outcome::Result) => format!(
            r#"{} {} = {{"resultType":"complete","protocolVersion":"2025-06-18","capabilities":$server}}"#,
            side(from),
            id.0
        ),
        Step::Answer(from, id, Outcome::Error) => format!("{} {} ! -32603", side(from), id.0),
        Step::Cancel(from, id) => {
            format!(r#"{} notifications/cancelled {{"requestId":{}}}"#, side(from), id.0)
        }
        Step::Progress(from, token) => {
            format!(r#"{} notifications/progress {{"progressToken":{}}}"#, side(from), token.0)
        }
        Step::Initialized(from) => format!("{} notifications/initialized", side(from)),
        Step::AnswerOne(..) => panic!("{step:?}"),
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let peer = || select(&[Client, Client, Server][..]);
    let outcome = || select(&[Outcome::Result, Outcome::Result, Outcome::Error][..]);
    let step = prop_oneof![
        8 => (peer(), select(WHATS), select(IDS)).prop_map(|(p, what, id)| Step::Request(p, what, id)),
        3 => (peer(), select(IDS), outcome()).prop_map(|(p, id, how)| Step::Answer(p, id, how)),
        5 => (any::<usize>(), outcome()).prop_map(|(index, how)| Step::AnswerOne(index, how)),
        3 => (peer(), select(IDS)).prop_map(|(p, id)| Step::Cancel(p, id)),
        3 => (peer(), select(TOKENS)).prop_map(|(p, token)| Step::Progress(p, token)),
        2 => peer().prop_map(Step::Initialized),
    ];
    let legacy = vec![
        Step::Request(Client, What::Initialize, IDS[7]),
        Step::Answer(Server, IDS[7], Outcome::Result),
        Step::Initialized(Client),
    ];
    let modern = vec![
        Step::Request(Client, What::Discover, IDS[7]),
        Step::Answer(Server, IDS[7], Outcome::Result),
    ];
    let opening = prop_oneof![Just(vec![]), Just(legacy), Just(modern)];
    (opening, proptest::collection::vec(step, 0..STEPS))
        .prop_map(|(opening, rest)| [opening, rest].concat())
}

/// The number of steps after the opening.
const STEPS: usize = 30;

/// The same conversations in every run of the same volume.
fn config() -> Config {
    let rng_seed = RngSeed::Fixed(1);
    Config { cases: volume(1_000), rng_seed, failure_persistence: None, ..Config::default() }
}

#[test]
fn with_slots_for_all_requests_nothing_is_forgotten() {
    let run = |steps: Vec<Step>| {
        let mut session = session(STEPS + 1);
        let mut model = Model::new(Memory::Exact);
        steps.into_iter().for_each(|one| step(&mut model, &mut session, one));
        Ok(())
    };
    TestRunner::new(config()).run(&steps(), run).unwrap();
}

/// Plays the conversation with this many slots, ends it, and begins another.
fn with_few_slots(slots: usize, steps: Vec<Step>) {
    let mut session = session(slots);
    let mut model = Model::new(Memory::Short);
    for one in steps {
        step(&mut model, &mut session, one);
        assert!(session.in_flight().count() <= slots);
    }
    while !model.sent.is_empty() {
        step(&mut model, &mut session, Step::AnswerOne(0, Outcome::Result));
    }
    assert_eq!(session.in_flight().count(), 0);
    let mut show = |line: &str| {
        let seen = see(&mut session, line);
        assert!(!seen.event.starts_with("refused"), "{line}: {seen:?}");
        assert!(!seen.rules().contains(&"untracked-request"), "{line}: {seen:?}");
        session.phase()
    };
    if show("> notifications/vendor") == Phase::Modern {
        show("> 50 tools/list {$meta}");
        assert_eq!(show("< 50 = $complete"), Phase::Modern);
    } else {
        show("> 50 initialize $initialize");
        show("< 50 = $initialized");
        assert_eq!(show("> notifications/initialized"), Phase::Operating);
        show("> 51 tools/list");
        show("< 51 = {}");
    }
}

#[test]
fn with_few_slots_what_is_in_flight_is_known_and_no_phase_is_a_dead_end() {
    let run = |(slots, steps)| {
        with_few_slots(slots, steps);
        Ok(())
    };
    TestRunner::new(config()).run(&(1_usize..4, steps()), run).unwrap();
}

/// It can't be seen which of them a step is about.
#[test]
fn requests_that_look_alike() {
    let [a, b] = [IDS[5], IDS[7]];
    let modern =
        || vec![Step::Request(Client, What::Discover, b), Step::AnswerOne(0, Outcome::Result)];
    let listen = |by| [Step::Request(Client, What::Listen, a), Step::Cancel(by, a)];
    let ping = |id| Step::Request(Client, What::Ping, id);
    // One is kept, and the other is not.
    with_few_slots(
        2,
        vec![
            ping(b),
            ping(IDS[0]),
            ping(a),
            Step::Cancel(Client, a),
            Step::Answer(Server, IDS[0], Outcome::Result),
            ping(a),
            Step::Cancel(Client, a),
            Step::Answer(Server, b, Outcome::Result),
            ping(IDS[1]),
        ],
    );
    // One is forgotten.
    for sides in [[Client, Server], [Server, Client]] {
        let both = sides.into_iter().flat_map(listen);
        let others = [ping(IDS[0]), ping(IDS[1])];
        with_few_slots(3, modern().into_iter().chain(both).chain(others).collect());
    }
    // One is cancelled twice.
    for sides in [[Client, Server], [Server, Client]] {
        let both = sides.into_iter().flat_map(listen);
        let again = [Step::Cancel(Server, a)];
        with_few_slots(3, modern().into_iter().chain(both).chain(again).collect());
    }
}
