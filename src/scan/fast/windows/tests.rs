//! Windows against the plain scanner: all texts of a few tokens or bytes, at all places of a block.

use std::string::String;
use std::vec::Vec;

use super::super::bits::one_by_one::Random;
use super::super::kernels::{Open, Unclear};
use super::super::one_by_one::OneByOne;
use super::{rest, text};
use crate::scan::validate;

/// A machine that compares brackets by their positions.
const MACHINE: OneByOne = OneByOne { gathers: false };

/// The beginning of a container, up to its rest: in an array, and in an object.
const IN_ARRAY: (&str, u64) = ("[[2],", 0b11);
const IN_OBJECT: (&str, u64) = ("{   ", 0b10);

/// Scans the rest of a container, as a text and as a line, and compares the verdicts with the plain scanner.
fn check((begin, arrays): (&str, u64), contents: &str) -> bool {
    let mut container = String::from(begin);
    container.push_str(contents);
    let is_valid = validate(container.as_bytes(), 100).is_ok();
    let open = Open { arrays, levels: 100 };
    let whole = is_valid.then_some(container.trim_end().len()).ok_or(Unclear::Fault);
    let as_text = rest::<false>(MACHINE, container.as_bytes(), begin.len(), open);
    let in_groups =
        rest::<false>(OneByOne { gathers: true }, container.as_bytes(), begin.len(), open);
    assert_eq!(in_groups, as_text, "{container:?}");
    // The bytes after the container do not matter.
    let is_same = |end: Result<usize, Unclear>| match end {
        Ok(end) => validate(&container.as_bytes()[..end], 100).is_ok(),
        Err(_) => !is_valid,
    };
    assert!(is_same(as_text), "{container:?}: {as_text:?}, not {whole:?}");
    assert!(!is_valid || as_text == whole, "{container:?}: {as_text:?}");
    let mut line = container.clone();
    line.push_str("\n]}\"");
    let as_line = rest::<true>(MACHINE, line.as_bytes(), begin.len(), open);
    if !container.contains(['\n', '\r']) {
        assert_eq!(as_line, as_text, "{line:?}");
    }
    is_valid
}

/// Visits all sequences of `length` pieces.
fn sequences(pieces: &[&str], length: usize, each: &mut impl FnMut(&str)) {
    let mut numbers = Vec::from_iter((0..length).map(|_| 0));
    let mut sequence = String::new();
    loop {
        sequence.clear();
        numbers.iter().for_each(|&number: &usize| sequence.push_str(pieces[number]));
        each(&sequence);
        let Some(place) = numbers.iter().position(|&number| number + 1 < pieces.len()) else {
            return;
        };
        numbers[..place].fill(0);
        numbers[place] += 1;
    }
}

#[test]
fn every_sequence_of_a_few_tokens() {
    let tokens = ["{", "}", "[", "]", ":", ",", "\"a\"", "1"];
    let mut valid = 0;
    for length in 0..=6 {
        sequences(&tokens, length, &mut |sequence| {
            valid += u32::from(check(IN_ARRAY, sequence));
            if sequence.starts_with('"') {
                valid += u32::from(check(IN_OBJECT, sequence));
            }
        });
    }
    assert!(valid > 50, "{valid}");
}

/// Longer sequences are random, and valid until one token is changed. They cross words of tokens and groups of
/// brackets.
#[test]
fn long_sequences_of_tokens() {
    fn write(random: &mut Random, depth: usize, tokens: &mut Vec<&'static str>) {
        let kind = random.next() % 5;
        if depth == 0 || kind < 2 {
            tokens.push(["1", "\"s\"", "true", "{}", "[]"][random.next() % 5]);
            return;
        }
        let (open, close) = if kind == 2 { ("[", "]") } else { ("{", "}") };
        tokens.push(open);
        for number in 0..=random.next() % 5 {
            tokens.extend((number > 0).then_some(","));
            tokens.extend(if kind == 2 { &[][..] } else { &["\"k\"", ":"][..] });
            write(random, depth - 1, tokens);
        }
        tokens.push(close);
    }
    let all = ["{", "}", "[", "]", ":", ",", "\"a\"", "1", "[[", "}}", ""];
    let mut random = Random(7);
    let mut valid = 0;
    for _ in 0..10_000 {
        let mut tokens = Vec::new();
        write(&mut random, 6, &mut tokens);
        tokens.push("]");
        valid += u32::from(check(IN_ARRAY, &tokens.concat()));
        let place = random.next() % tokens.len();
        tokens[place] = all[random.next() % all.len()];
        check(IN_ARRAY, &tokens.concat());
    }
    assert_eq!(valid, 10_000);
}

/// Returns enough spaces that the first window continues with the next block.
fn within_window() -> String {
    " ".repeat(80)
}

/// Checks values with the block boundary at each of their bytes, within a window and at its end.
fn check_at_boundaries(values: &[&str], length: usize) {
    let mut valid = 0;
    sequences(values, length, &mut |value| {
        for before in 0..=value.len() {
            // The rest begins after the first bytes, and the first block with it.
            let spaces = " ".repeat(64 - before);
            valid += u32::from(check(IN_ARRAY, &[&spaces, value, "]"].concat()));
            check(IN_ARRAY, &[&spaces, value, "]", &within_window()].concat());
            check(IN_ARRAY, &[&spaces, value, &within_window(), "]"].concat());
        }
    });
    assert!(valid > 1, "{valid}");
}

#[test]
fn every_number_of_a_few_bytes() {
    for length in 1..=5 {
        check_at_boundaries(&["0", "7", "-", "+", ".", "e"], length);
    }
    check_at_boundaries(&["10", "-", ".5", "E", "e+", ",", "x"], 3);
}

#[test]
fn every_word_with_one_byte_changed() {
    for word in ["true", "false", "null"] {
        for at in 0..word.len() {
            for byte in 0..0x80 {
                let mut changed = word.as_bytes().to_vec();
                changed[at] = byte;
                let changed = String::from_utf8(changed).unwrap();
                check_at_boundaries(
                    &[
                        word, &changed, "true", "null", "false", "1", " ", ",", "\"\"", "0", "-1",
                        "[]", "2",
                    ],
                    1,
                );
            }
        }
    }
    check_at_boundaries(&["true", "null", "1", ",", " ", "\"\""], 3);
}

#[test]
fn strings_with_everything_uncommon() {
    let pieces = [
        "a", "\\n", "\\", "\\\"", "\\u00e9", "\\uD", "\\x00e9", "é", "€", "🚀", "\u{1f}", "\t",
        "u", "0",
    ];
    for length in 1..=3 {
        sequences(&pieces, length, &mut |contents| {
            for before in 0..=contents.len() {
                let string = [&"x".repeat(63 - before), contents, "\"]"].concat();
                check(IN_ARRAY, &["\"", &string].concat());
                check(IN_ARRAY, &["\"", &string, &within_window()].concat());
                check(IN_ARRAY, &[" \t\r\n\"", &string].concat());
            }
        });
    }
}

#[test]
fn bytes_that_are_no_characters() {
    let mut random = Random(11);
    let bytes = [
        0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xE0, 0xED, 0xEF, 0xF0, 0xF4,
        0xF5,
    ];
    for _ in 0..100_000 {
        let mut container = Vec::from(&b"[[2],\""[..]);
        container.extend([b'x'].repeat(50 + random.next() % 20));
        for _ in 0..=random.next() % 4 {
            container.push(bytes[random.next() % bytes.len()]);
        }
        container.extend(["", "xx", "é"][random.next() % 3].bytes());
        container.extend(b"\"]");
        container.extend(["", &within_window()][random.next() % 2].bytes());
        let end = rest::<true>(MACHINE, &container, 5, Open { arrays: 0b11, levels: 100 });
        assert_eq!(end.is_ok(), validate(&container, 100).is_ok(), "{container:x?}");
    }
}

/// The first windows end 256, 1280 and 5376 bytes after the beginning. The other boundaries are block boundaries.
#[test]
fn a_cr_before_the_lf_at_the_end_of_a_block_or_a_window() {
    let (begin, arrays) = IN_ARRAY;
    for boundary in [64, 128, 192, 256, 512, 1280, 2048, 5376] {
        for length in boundary - 4..boundary + 4 {
            let container = [begin, &" ".repeat(length - 2), "1]"].concat();
            for after in [1, 200] {
                let line = [&container, "\r\n", &"]".repeat(after)].concat();
                let open = Open { arrays, levels: 100 };
                let end = rest::<true>(MACHINE, line.as_bytes(), begin.len(), open);
                assert_eq!(end, Ok(container.len()), "{length} {after}");
            }
        }
    }
}

/// The next window has no whitespace of its own.
#[test]
fn whitespace_up_to_the_end_of_a_window() {
    for spaces in 250..260 {
        let spaces = " ".repeat(spaces);
        assert!(check(IN_ARRAY, &[&spaces, "1", &",1".repeat(600), "]"].concat()));
        check(IN_ARRAY, &["1", &spaces, &",1".repeat(600), "]"].concat());
        check(IN_ARRAY, &["{\"a\"", &spaces, ":1}", &",1".repeat(600), "]"].concat());
        check(IN_ARRAY, &["1", &spaces, "1", &",1".repeat(600), "]"].concat());
    }
}

/// An LF in the next block leaves the next window without blocks, and the last bytes continue from this window.
#[test]
fn a_character_that_the_end_of_a_window_cuts_off() {
    let (begin, arrays) = IN_ARRAY;
    let open = Open { arrays, levels: 100 };
    for boundary in [256, 1280, 5376] {
        for whole in ["\u{e9}", "\u{20ac}", "\u{1f680}"] {
            for (length, after) in (1..=whole.len())
                .flat_map(|length| [0, 1, 5, 62, 63, 64, 65].map(|after| (length, after)))
            {
                let mut line = begin.as_bytes().to_vec();
                line.extend([b' '].repeat(boundary - length - 1));
                line.push(b'"');
                line.extend(&whole.as_bytes()[..length]);
                line.extend([b'y'].repeat(after));
                line.extend(b"\"]");
                let end = line.len();
                line.extend(b"\n");
                line.extend([b'z'].repeat(200));
                let scanned = rest::<true>(MACHINE, &line, begin.len(), open);
                let is_whole = length == whole.len();
                assert_eq!(scanned.is_ok(), is_whole, "{}", line[..end].escape_ascii());
            }
        }
    }
}

#[test]
fn control_characters_are_faults_everywhere() {
    for control in (0..0x20).map(char::from) {
        for around in [["", "1]"], ["1", "]"], ["1", ",2]"], ["\"a", "\"]"], ["[", "]]"]] {
            check(IN_ARRAY, &[around[0], &String::from(control), around[1]].concat());
        }
    }
}

#[test]
fn containers_up_to_the_limit_and_beyond() {
    // Brackets are compared in groups only if the container ends in a later window.
    let more = ",0".repeat(600);
    for (gathers, after) in [(false, ""), (true, ""), (false, &*more), (true, &*more)] {
        for depth in 1..80 {
            let container = ["[0,", &"[".repeat(depth), &"]".repeat(depth), after, "]"].concat();
            for levels in [depth, depth + 1, 127] {
                let open = Open { arrays: 0b11, levels: levels as u8 };
                let end = rest::<true>(OneByOne { gathers }, container.as_bytes(), 3, open);
                // Pairs are counted as deep as they can be.
                let is_clear = depth < levels.min(62);
                let is_close = depth + 1 == levels.min(62);
                match end {
                    Ok(end) => assert!(is_clear && end == container.len(), "{depth} {levels}"),
                    Err(why) => {
                        assert_eq!(why, Unclear::Other);
                        assert!(!is_clear || is_close, "{depth} {levels}");
                    }
                }
            }
        }
    }
}

/// After half a window of string contents, the code for long strings takes over. It may stop anywhere.
#[test]
fn containers_with_long_strings() {
    let pieces = [
        "abcdefgh", "\\n", "\\\"", "\\\\", "\\u00e9", "é", "€", "🚀", "u1f", "\\ud", "\\x00e9",
        "\\x", "\t", "\",\"",
    ];
    let mut random = Random(17);
    let mut valid = 0;
    for round in 0..3000 {
        let kinds = [1, 5, 8, 9, pieces.len()][round % 5];
        let mut contents = String::from("\"");
        let length = 1000 + random.next() % 6000;
        while contents.len() < length {
            contents.push_str(pieces[random.next() % kinds]);
        }
        contents.push_str("\",{}]");
        valid += u32::from(check(IN_ARRAY, &contents));
    }
    assert!(valid > 2000, "{valid}");
}

#[test]
fn long_strings_go_as_far_as_they_are_valid() {
    let pieces = [
        "abcdefgh", "\\n", "\\\"", "\\\\", "\\u00e9", "é", "€", "🚀", "u1f", "\\ud", "\\x00e9",
        "\\x", "\t", "\"",
    ];
    let mut random = Random(13);
    let mut far = 0;
    for round in 0..20_000 {
        // Faults are rare, so that some strings have many blocks.
        let kinds = [9, 9, 9, pieces.len()][round % 4];
        let length = [100, 500, 5000][round % 3];
        let mut contents = String::from("...");
        while contents.len() < length {
            contents.push_str(pieces[random.next() % kinds]);
        }
        let mut bytes = contents.into_bytes();
        if round % 5 == 0 {
            let at = 3 + random.next() % (bytes.len() - 3);
            bytes[at] = random.next() as u8;
        }
        let end = text(MACHINE, &bytes, 3);
        // It may stop between the digits of an escape that it has checked.
        let digits =
            bytes[end..].iter().take(4).take_while(|byte| byte.is_ascii_hexdigit()).count();
        let are_valid = (0..=digits).any(|digits| {
            let valid = [b"\"", &bytes[..end + digits], b"\""].concat();
            validate(&valid, 0).is_ok()
        });
        assert!(are_valid, "{}", bytes[..end].escape_ascii());
        far += usize::from(kinds == 9 && end + 128 > bytes.len());
    }
    assert!(far > 10_000, "{far}");
}

#[test]
fn characters_that_are_cut_off_at_the_end_of_a_block() {
    for block in 1..70 {
        for cut in ["\u{e9}", "\u{20ac}", "\u{1f680}"] {
            let cut = &cut.as_bytes()[..cut.len() - 1];
            let mut bytes = [b'a'; 5000];
            let at = 3 + 64 * block - cut.len();
            bytes[at..][..cut.len()].copy_from_slice(cut);
            assert!(text(MACHINE, &bytes, 3) <= at, "{block} {cut:?}");
        }
    }
}
