//! The sequence of events, offsets included, does not depend on how the stream is cut.

use std::cell::RefCell;
use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tautline::frame::{Ended, Found};

use crate::support::checks::split_chunks;
use crate::support::drivers::{Case, HIGHEST_LIMIT};
use crate::support::volume::volume;

/// The cases that a test has covered, to prove that it tests something.
#[derive(Default)]
struct Met(BTreeSet<&'static str>);

impl Met {
    /// Every variant of [`Found`], twice if the line may be the last one, without a newline.
    const ALL: [&str; 12] = [
        "a frame",
        "a frame, unterminated",
        "a piece to keep",
        "held bytes to keep",
        "a blank line",
        "an overflow",
        "a piece to discard",
        "held bytes to discard",
        "an oversized line",
        "an oversized line, unterminated",
        "a byte order mark",
        "the need of more",
    ];

    fn note(&mut self, found: Found, ended: Ended) {
        self.0.insert(match found {
            Found::Frame(_) if ended.terminated => "a frame",
            Found::Frame(_) => "a frame, unterminated",
            Found::Keep(_) => "a piece to keep",
            Found::KeepHeld(_) => "held bytes to keep",
            Found::Blank => "a blank line",
            Found::Overflow => "an overflow",
            Found::Discard(_) => "a piece to discard",
            Found::DiscardHeld(_) => "held bytes to discard",
            Found::Oversized if ended.terminated => "an oversized line",
            Found::Oversized => "an oversized line, unterminated",
            Found::ByteOrderMark => "a byte order mark",
            Found::NeedMore => "the need of more",
            other => panic!("a finding that is not known here: {other:?}"),
        });
    }

    fn assert_everything(&self) {
        assert_eq!(self.0, BTreeSet::from(Self::ALL), "not all was met");
    }
}

/// Checks every way to cut the stream into non-empty chunks: 2^(n-1) of them.
fn check_every_cut(stream: &[u8], limit: u32, met: &mut Met) {
    let case = Case::new(stream, limit);
    case.check_whole();
    let mut chunks = Vec::new();
    for cuts in 0_u32..1 << stream.len().saturating_sub(1) {
        chunks.clear();
        let mut start = 0;
        for end in 1..=stream.len() {
            // The highest bit, which is never set, stands for the end of the stream.
            if end == stream.len() || cuts & 1 << (end - 1) != 0 {
                chunks.push(&stream[start..end]);
                start = end;
            }
        }
        case.check_cut(&chunks, &mut |found, ended| met.note(found, ended));
        // The slow driver runs on a few cuts only: it keeps bytes in the same way as the others.
        if cuts % 61 == 60 {
            case.check_readers(&chunks);
        }
    }
}

/// The bytes that the splitter treats specially, and one that it does not.
const ALPHABET: &[u8] = b"\n\r a\xEF\xBB\xBF";

/// Returns every stream of this length over the alphabet.
fn every_stream(length: u32) -> impl Iterator<Item = Vec<u8>> {
    (0..ALPHABET.len().pow(length)).map(move |number| {
        let digits = std::iter::successors(Some(number), |left| Some(left / ALPHABET.len()));
        digits.take(length as usize).map(|left| ALPHABET[left % ALPHABET.len()]).collect()
    })
}

#[test]
fn every_cut_of_every_stream_of_up_to_4_bytes_under_every_limit() {
    let mut met = Met::default();
    for length in 0..=4 {
        for stream in every_stream(length) {
            (0..=length).for_each(|limit| check_every_cut(&stream, limit, &mut met));
        }
    }
    met.assert_everything();
}

#[test]
fn every_cut_of_every_stream_of_5_bytes_under_a_limit_of_2() {
    let mut met = Met::default();
    for stream in every_stream(5) {
        check_every_cut(&stream, 2, &mut met);
    }
    met.assert_everything();
}

#[test]
fn every_cut_of_random_streams_of_14_bytes() {
    let streams = prop::collection::vec(prop::sample::select(ALPHABET), 14);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(volume(8)));
    let result = runner.run(&(streams, 0..6_u32), |(stream, limit)| {
        check_every_cut(&stream, limit, &mut Met::default());
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn every_cut_of_chosen_streams_of_14_bytes() {
    let cases: &[(u32, &[u8; 14])] = &[
        // A byte order mark, a frame, a blank line, an oversized line; each with CR and LF.
        (2, b"\xEF\xBB\xBFa\r\n \r\naaa\r\n"),
        // The beginning of a byte order mark, and CRs that end nothing.
        (4, b"\xEF\xBB\ra\r\rb\r\r\n\r\r\na"),
        // Two byte order marks: the second one is content, and fills the limit.
        (3, b"\xEF\xBB\xBF\xEF\xBB\xBF\r\n\xEF\xBB\xBFa\n\r"),
        // A line over the limit by one CR, and one within it.
        (2, b"aa\r\r\naa\r\naaa\ra"),
        // Only whitespace, within the limit and over it.
        (3, b" \t\r\n\r\n    \n\n  "),
        // A line oversized from the first byte to the last, with every special byte in it.
        (1, b"\xEF\xBB\xBF\xEF\xBBa\r\r a\r\xBF\xEF\r"),
        // Blank at first, then not; over the limit until its end.
        (5, b"    a\n     a\ra"),
        // A limit that is never reached, and a limit of zero.
        (100, b"{}\r\n\n{\"a\":1}\r\n"),
        (0, b"\n\r\na\n\r\r\n\r\n \n\na"),
        // Characters of two, three and four bytes, and a newline of Unicode that JSON lacks.
        (9, "é€😀\u{85}\r\n\0".as_bytes().first_chunk().unwrap()),
    ];
    let mut met = Met::default();
    for (limit, stream) in cases {
        check_every_cut(*stream, *limit, &mut met);
    }
    met.assert_everything();
}

/// Generates one of these texts.
fn one_of(texts: &'static [&'static [u8]]) -> impl Strategy<Value = Vec<u8>> + Clone {
    prop::sample::select(texts).prop_map(<[u8]>::to_vec)
}

/// Generates a stretch of a stream: a line, part of one, or several.
fn stretch() -> impl Strategy<Value = Vec<u8>> {
    let message = (".{0,12}", any::<u32>()).prop_map(|(method, id)| {
        let message = serde_json::json!({"jsonrpc": "2.0", "method": method, "id": id});
        message.to_string().into_bytes()
    });
    let line_end = one_of(&[b"\n", b"\r\n"]);
    let character =
        prop::sample::select(vec!['é', '€', '😀', '\0', '\u{85}', '\u{2028}', '\u{FEFF}'])
            .prop_map(|character| character.to_string().into_bytes());
    prop_oneof![
        3 => (message.clone(), line_end.clone()).prop_map(|(message, end)| [message, end].concat()),
        1 => message.clone(),
        4 => line_end.clone(),
        2 => one_of(&[b"\r", b"\xEF", b"\xEF\xBB", b"\xBF"]),
        1 => "[ \t\r]{1,9}".prop_map(String::into_bytes),
        1 => character,
        2 => prop::collection::vec(any::<u8>(), 0..40),
        // Over any limit, with a tail that would be a message if the line began there.
        1 => (HIGHEST_LIMIT..600, message, line_end).prop_map(|(length, message, end)| {
            [vec![b'x'; length as usize + 1], message, end].concat()
        }),
    ]
}

/// Generates a long stream, which begins with a byte order mark more often than by chance.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let start = one_of(&[b"", b"", b"", b"\xEF\xBB\xBF", b"\xEF\xBB"]);
    (start, prop::collection::vec(stretch(), 0..24))
        .prop_map(|(start, stretches)| [start, stretches.concat()].concat())
}

/// Cuts a stream, most often next to a special byte, or inside a character.
fn cut<'stream>(stream: &'stream [u8], dice: &[u8]) -> Vec<&'stream [u8]> {
    let is_mark = |byte: u8| byte >= 0x80 || b"\n\r ".contains(&byte);
    let mut chunks = Vec::new();
    let mut start = 0;
    for (at, die) in (1..stream.len()).zip(dice.iter().cycle()) {
        let chance = match is_mark(stream[at - 1]) || is_mark(stream[at]) {
            true => 160,
            false => 12,
        };
        if *die < chance {
            chunks.push(&stream[start..at]);
            start = at;
        }
        // An empty push must be harmless.
        if *die == 0 {
            chunks.push(b"");
        }
    }
    chunks.push(&stream[start..]);
    chunks
}

#[test]
fn random_cuts_of_long_streams() {
    let limit = prop_oneof![0..9_u32, 9..100_u32, 100..=HIGHEST_LIMIT];
    let dice = prop::collection::vec(any::<u8>(), 1..200);
    let met = RefCell::new(Met::default());
    let mut runner = TestRunner::new(ProptestConfig::with_cases(volume(500)));
    let result = runner.run(&(stream(), limit, dice), |(stream, limit, dice)| {
        let case = Case::new(&stream, limit);
        case.check_whole();
        let chunks = cut(&stream, &dice);
        case.check_cut(&chunks, &mut |found, ended| met.borrow_mut().note(found, ended));
        case.check_readers(&chunks);
        Ok(())
    });
    // The error message shows the smallest failing case.
    result.unwrap_or_else(|error| panic!("{error}"));
    met.borrow().assert_everything();
}

/// Storage grows in steps, and the last step must reach the limit and the line end after it.
#[test]
fn lines_about_a_limit_that_storage_grows_to() {
    const KIB: u32 = 1024;
    let around = |limit: u32| (limit - 1..=limit + 1).collect::<Vec<_>>();
    let mut limits = [4 * KIB, 64 * KIB, 128 * KIB].map(around).concat();
    limits.extend([100_000, 256 * KIB + 1]);
    if volume(1) > 1 {
        limits.extend([1_000_001, 1024 * KIB + 1]);
    }
    for limit in limits {
        for length in [limit - 1, limit, limit + 1] {
            let cr_is_content = [&vec![b'x'; length as usize - 1][..], b"\r"].concat();
            for line in [vec![b'x'; length as usize], cr_is_content] {
                for end in [&b"\n"[..], b"\r\n"] {
                    let stream = [&line[..], end, b"{}\n"].concat();
                    let case = Case::new(&stream, limit);
                    let mut cuts = vec![vec![&stream[..]], stream.chunks(64 * 1024).collect()];
                    // A first read that leaves this much, and two that end at odd positions.
                    for left in [1, 4, 5, 6] {
                        let (first, second) = stream.split_at(stream.len() - left);
                        cuts.push(vec![first, second]);
                    }
                    let (first, rest) = stream.split_at(stream.len() * 4 / 5);
                    let (second, third) = rest.split_at(rest.len() * 5 / 8);
                    cuts.push(vec![first, second, third]);
                    for chunks in cuts {
                        case.check_readers(&chunks);
                        if limit < 64 * KIB {
                            case.check_cut(&chunks, &mut |_, _| {});
                        }
                    }
                }
            }
        }
    }
}

/// The fuzzer's entry point decodes any input, even the shortest.
#[test]
fn random_inputs_as_the_fuzzer_makes_them() {
    let input =
        prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(ALPHABET)], 0..99);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(volume(500)));
    let result = runner.run(&input, |input| {
        split_chunks::check(&input);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}
