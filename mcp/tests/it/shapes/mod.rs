//! The shapes of payloads: their tables, and their validation compared with a naive walker.

mod constraints;
mod examples;
mod rust;

use std::path::Path;

use tautline_mcp::Revision;

use crate::support::checks::shapes_vs_naive::Subject;
use crate::support::dice::Dice;
use crate::support::shapes::document::{Document, REVISIONS};
use crate::support::shapes::{generate, naive};
use crate::support::volume::volume;

/// With `TAUTLINE_BLESS` set, the tables are rewritten.
#[test]
fn the_tables_are_those_of_the_text() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/shape/tables.rs");
    let tables = rust::tables();
    if std::env::var_os("TAUTLINE_BLESS").is_some() {
        std::fs::write(&path, &tables).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap();
    assert!(
        committed == tables,
        "TAUTLINE_BLESS=1 cargo test -p tautline-mcp --test it shapes writes the tables anew"
    );
}

/// Generated messages and mutations of them get the same answer from the validator and from the naive walker.
#[test]
fn the_validator_agrees_with_a_naive_walker() {
    let rounds = u64::from(volume(40));
    let (mut legal, mut illegal) = (0_u64, 0_u64);
    for name in REVISIONS {
        let revision: Revision = name.parse().unwrap();
        let document = Document::of(name);
        let subjects = Subject::all(&document);
        let mut dice = Dice(0x5eed ^ rounds);
        for _ in 0..rounds {
            for subject in &subjects {
                let mut payload = generate::value(&document, &subject.of, &mut dice, 0);
                assert!(naive::admits(&document, &subject.of, &payload), "{payload}");
                for _ in 0..dice.roll(4) {
                    generate::mutate(&mut payload, &mut dice);
                }
                let frame = subject.frame(&payload, &mut dice);
                match subject.compare(revision, &document, frame.as_bytes()) {
                    Some(true) => legal += 1,
                    Some(false) => illegal += 1,
                    // A fault of the envelope, or a result of an extension.
                    None => {}
                }
            }
        }
    }
    assert!(legal > 10 * rounds && illegal > 10 * rounds, "{legal} legal, {illegal} illegal");
}
