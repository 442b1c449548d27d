//! Documents with every element of the grammar, and their mutations.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use tautline::scan;

use crate::support::checks::scan_vs_serde_json::check;
use crate::support::volume::volume;

/// The number of documents to mutate, each [`MUTANTS`] times.
const DOCUMENTS: u32 = 250;

const MUTANTS: usize = 100;

#[test]
fn mutated_documents() {
    let config =
        Config { cases: volume(DOCUMENTS), failure_persistence: None, ..Config::default() };
    let cases = config.cases;
    let mutants = proptest::collection::vec(proptest::collection::vec(mutation(), 1..4), MUTANTS);
    let [checked, valid] = [Cell::new(0_u64), Cell::new(0_u64)];
    let result = TestRunner::new(config).run(&(document(), mutants), |(text, mutants)| {
        check(text.as_bytes());
        assert_eq!(scan::validate(text.as_bytes(), 127), Ok(()));
        for mutations in mutants {
            let mut text = text.clone().into_bytes();
            for mutation in mutations {
                mutation.apply(&mut text);
            }
            check(&text);
            checked.set(checked.get() + 1);
            valid.set(valid.get() + u64::from(scan::validate(&text, 127).is_ok()));
        }
        Ok(())
    });
    result.unwrap();
    let (checked, valid) = (checked.get(), valid.get());
    println!("{checked} mutated documents, of which {valid} were valid");
    assert!(checked >= u64::from(cases) * 100);
    // Both verdicts are frequent enough to be meaningful.
    assert!(valid * 20 > checked && valid * 2 < checked, "{valid} of {checked}");
}

/// Generates JSON texts with every element of the grammar.
fn document() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(|n| format!("{n:e}")),
        "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,9})?([eE][-+]?[0-9]{1,4})?",
    ];
    let string = proptest::collection::vec(
        prop_oneof![
            4 => "[ -!#-\\[\\]-~]{1,8}",
            2 => any::<char>().prop_filter("whole", |&c| c >= '\u{80}').prop_map(String::from),
            1 => any::<u16>().prop_map(|unit| format!("\\u{unit:04x}")),
            1 => (0xD800_u16..0xE000).prop_map(|unit| format!("\\u{unit:04X}")),
            1 => any::<char>().prop_map(|c| {
                let mut units = [0; 2];
                c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
            }),
            1 => proptest::sample::select(&["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"][..])
                .prop_map(String::from),
        ],
        0..6,
    )
    .prop_map(|pieces| format!("\"{}\"", pieces.concat()));
    let name = prop_oneof![string.clone(), "\"[a-c]\""];
    let scalar = prop_oneof![
        proptest::sample::select(&["null", "true", "false"][..]).prop_map(String::from),
        number,
        string,
    ];
    let space = || proptest::sample::select(&["", "", "", " ", "\t", "\r\n", "  "][..]);
    scalar.prop_recursive(5, 24, 4, move |inner| {
        let inner = (space(), inner, space()).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
        let member = (name.clone(), space(), inner.clone())
            .prop_map(|(name, space, value)| format!("{space}{name}{space}:{value}"));
        prop_oneof![
            proptest::collection::vec(inner, 0..4).prop_map(|all| format!("[{}]", all.join(","))),
            proptest::collection::vec(member, 0..4)
                .prop_map(|all| format!("{{{}}}", all.join(","))),
        ]
    })
}

/// A mutation of a text.
#[derive(Clone, Debug)]
enum Mutation {
    Flip(Index, u8),
    Insert(Index, u8),
    /// A token that is special to a scanner.
    InsertToken(Index, &'static [u8]),
    Delete(Index, usize),
    /// A stretch of the text, repeated in another place.
    Splice(Index, usize, Index),
    Truncate(Index),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    const TOKENS: &[&[u8]] = &[
        b"\"",
        b"\\",
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"-",
        b".",
        b"e",
        b"0",
        b"9",
        b"\\u",
        b"\\ud83d",
        b"\\ude00",
        b"\xC3",
        b"\xA9",
        b"\xE2\x80\xA8",
        b"\xED\xA0\x80",
        b"\xEF\xBB\xBF",
        b"\x00",
        b"\x0C",
        b"\r",
        b"\n",
        b" ",
        b"1e400",
        b"null",
        b"[[[[[[",
        b"{\"a\":",
    ];
    prop_oneof![
        (any::<Index>(), 0_u8..8).prop_map(|(at, bit)| Mutation::Flip(at, 1 << bit)),
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Mutation::Insert(at, byte)),
        (any::<Index>(), proptest::sample::select(TOKENS))
            .prop_map(|(at, token)| Mutation::InsertToken(at, token)),
        (any::<Index>(), 1_usize..4).prop_map(|(at, length)| Mutation::Delete(at, length)),
        (any::<Index>(), 1_usize..9, any::<Index>())
            .prop_map(|(from, length, to)| Mutation::Splice(from, length, to)),
        any::<Index>().prop_map(Mutation::Truncate),
    ]
}

impl Mutation {
    fn apply(&self, text: &mut Vec<u8>) {
        let place = |at: &Index, text: &[u8]| at.index(text.len() + 1);
        match self {
            Self::Flip(at, bits) => {
                let at = place(at, text);
                if let Some(byte) = text.get_mut(at) {
                    *byte ^= bits;
                }
            }
            Self::Insert(at, byte) => text.insert(place(at, text), *byte),
            Self::InsertToken(at, token) => {
                let at = place(at, text);
                text.splice(at..at, token.iter().copied());
            }
            Self::Delete(at, length) => {
                let at = place(at, text);
                text.drain(at..(at + length).min(text.len()));
            }
            Self::Splice(from, length, to) => {
                let from = place(from, text);
                let piece = text[from..(from + length).min(text.len())].to_vec();
                let to = place(to, text);
                text.splice(to..to, piece);
            }
            Self::Truncate(at) => text.truncate(place(at, text)),
        }
    }
}
