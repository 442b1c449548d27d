//! The sessions of the second header against those of the Rust crate: the same meanings, findings, phases, declared
//! capabilities, requests in flight and refusals, for random conversations of both eras, in order and out of it, with
//! faults, oversized frames and batches.
#![allow(unsafe_code, reason = "it calls the functions of the header")]

mod both;
#[path = "../../../tests/support/dice.rs"]
#[allow(dead_code, reason = "another test breaks frames with it")]
mod dice;
mod in_c;
mod meaning;
mod messages;
mod numbers;
mod reference;
#[path = "../../../tests/support/volume.rs"]
mod volume;

use std::collections::BTreeMap;

use tautline::Id;
use tautline::stream::MessageStream;
use tautline_c::export::profiles::{
    tl_mcp_2025_03_26, tl_mcp_2025_11_25, tl_mcp_2025_11_25_strict, tl_mcp_2026_07_28,
};
use tautline_c::export::sessions::tl_session_reset;
use tautline_mcp::session::{Early, Session, Slot};
use tautline_mcp::{Revision, Role};

use crate::both::{Both, IDS_IN_USE, stream};
use crate::dice::Dice;
use crate::in_c::InC;
use crate::messages::{OPENINGS, cancellation, frame, line, response};
use crate::reference::Reference;
use crate::volume::volume;

/// The number of sessions, of 20 messages or so.
const SESSIONS: u32 = 8_000;

/// The longest frame.
const ROOM: usize = 700;

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
    for _ in 0..volume(SESSIONS) {
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
        if let Some(opening) = OPENINGS.get(dice.roll(3)) {
            for (from, frame) in *opening {
                both.push(dice, *from, frame);
                shown += 1;
            }
        }
        for _ in 0..dice.roll(40) {
            let from = if dice.roll(5) < 3 { Role::Client } else { Role::Server };
            let mut requests = both.reference.session.in_flight();
            let answer = requests.next().filter(|_| dice.roll(4) == 0);
            let answer = answer.map(|request| {
                let id = match request.id() {
                    Id::String(text) => {
                        format!("\"{}\"", String::from_utf8_lossy(text.escaped_bytes()))
                    }
                    id => id.to_string(),
                };
                (request.from(), id)
            });
            drop(requests);
            let (from, frame) = match answer {
                Some((from, id)) if dice.roll(8) == 0 => (from, cancellation(&id)),
                Some((from, id)) => (from.other(), response(dice, &id)),
                None => (from, frame(dice)),
            };
            match dice.roll(60) {
                0 => {
                    // SAFETY: the session is initialised.
                    assert_eq!(unsafe { tl_session_reset(both.in_c.at()) }, 0);
                    both.reference.session = new();
                }
                1..=6 => {
                    let lines = format!("{frame}\n{}\n", line(dice));
                    both.send(dice, from, lines.as_bytes());
                }
                _ => both.push(dice, from, &frame),
            }
            shown += 1;
        }
    }
    assert!(shown > 100_000 || volume(SESSIONS) < SESSIONS, "{shown}");
    // Every meaning occurs, and every outcome.
    for kind in 0..=9 {
        assert!(count.get(&kind).is_some_and(|&times| times > 300), "{kind}: {count:?}");
    }
    for completion in 11..=17 {
        assert!(count.get(&completion).is_some_and(|&times| times > 3), "{completion}: {count:?}");
    }
    assert!(count.get(&IDS_IN_USE).is_some_and(|&times| times > 300), "{count:?}");
    println!("{shown} frames: {count:?}");
}
