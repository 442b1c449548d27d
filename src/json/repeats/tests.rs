//! Names and values compared with a search one by one, and what is expected of hostile texts.

use alloc::vec::Vec;
use std::format;
use std::string::String;

use super::{NameSlot, RawJson, RawStr, TooManyNames};

/// Checks a text alone, and with so much whitespace after it that it is not short.
#[track_caller]
fn check(text: &str, expected: &[(u32, u32)]) {
    check_one(text, expected);
    check_one(&format!("[{text}{}]", " ".repeat(super::SHORT)), &moved(expected));
}

/// Returns the places in a text that begins one byte later.
fn moved(places: &[(u32, u32)]) -> Vec<(u32, u32)> {
    places.iter().map(|(before, again)| (before + 1, again + 1)).collect()
}

#[track_caller]
fn check_one(text: &str, expected: &[(u32, u32)]) {
    let value = RawJson::parse(text.as_bytes()).unwrap();
    let names: Vec<_> = value.repeated_names();
    let found: Vec<_> = names.iter().map(|name| (name.offset_before(), name.offset())).collect();
    assert_eq!(found, expected, "{text}");
    let mut scratch = [NameSlot::EMPTY; 1100];
    let mut lent = Vec::new();
    value.repeated_names_in(&mut scratch, |name| lent.push(name)).unwrap();
    lent.sort_unstable();
    assert_eq!(lent, names, "{text}");
}

/// Returns a generator of numbers below a limit (xorshift). They are the same in every run.
fn random() -> impl FnMut(usize) -> usize {
    let mut random = 0x5EED_u64;
    move |most| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 33) as usize % most
    }
}

#[test]
fn both_sorts_agree() {
    let mut next = random();
    for length in (0..40).chain([255, 256, 1000]) {
        let mut names = Vec::new();
        for at in 0..length {
            names.push(NameSlot { hash: next(16) as u32, at });
        }
        let mut others = names.clone();
        let compare = |a: &NameSlot, b: &NameSlot| (a.hash, a.at).cmp(&(b.hash, b.at));
        super::heap_sort(&mut names, compare);
        others.sort_unstable_by(compare);
        assert_eq!(names, others, "{length}");
    }
}

#[test]
fn names_are_compared_within_their_object() {
    check(r#"{}"#, &[]);
    check(r#"[{"a":1},{"a":1}]"#, &[]);
    check(r#"{"a":{"a":{"a":[]}}}"#, &[]);
    check(r#"{"a":1,"a":2}"#, &[(1, 7)]);
    check(r#"{"a":1,"a":2,"a":3}"#, &[(1, 7), (7, 13)]);
    check(r#"{"a":{"b":1},"c":"a","a":[{"x":0,"x":1}]}"#, &[(1, 21), (27, 33)]);
    check(r#"{"a":["b","b",{"c":"c","d":"c"}],"e":"a"}"#, &[]);
    check(r#"{"a":1,"\u0061":2,"\u00e4":3,"ä":4}"#, &[(1, 7), (18, 29)]);
    check(r#"{"\ud800":1,"\uD800":2,"\ud801":3,"":4,"":5}"#, &[(1, 12), (34, 39)]);
    check(r#"7"#, &[]);
    check(r#""a""#, &[]);
}

/// Returns all names that repeat another one, by a comparison of each with all others of its object.
fn repeated_one_by_one(value: RawJson<'_>, start: usize, found: &mut Vec<(u32, u32)>) {
    let place = |part: &[u8]| start + crate::scan::offset_of(part, value.as_bytes()).unwrap();
    let members: Vec<_> = value.members().into_iter().flatten().collect();
    for (index, member) in members.iter().enumerate() {
        let before = members[..index].iter().rfind(|before| before.name == member.name);
        if let Some(before) = before {
            let at = |name: RawStr<'_>| place(name.escaped_bytes()) as u32 - 1;
            found.push((at(before.name), at(member.name)));
        }
    }
    let values = members.iter().map(|member| member.value);
    for inner in values.chain(value.elements().into_iter().flatten()) {
        repeated_one_by_one(inner, place(inner.as_bytes()), found);
    }
}

/// Checks a text against the slow search.
#[track_caller]
fn check_again(text: &str) {
    let mut expected = Vec::new();
    repeated_one_by_one(RawJson::parse(text.as_bytes()).unwrap(), 0, &mut expected);
    expected.sort_by_key(|&(before, again)| (again, before));
    check(text, &expected);
}

/// Returns the first unpaired surrogate and the first number beyond doubles, by a look at each value.
fn ambiguities_one_by_one(value: RawJson<'_>, start: usize, found: &mut [Vec<u32>; 2]) {
    let place = |part: &[u8]| start + crate::scan::offset_of(part, value.as_bytes()).unwrap();
    let [surrogates, numbers] = found;
    let mut note = |string: RawStr<'_>| {
        let at = place(string.escaped_bytes());
        surrogates.extend(string.lone_surrogate().map(|lone| (at + lone.offset()) as u32));
    };
    let members: Vec<_> = value.members().into_iter().flatten().collect();
    members.iter().for_each(|member| note(member.name));
    value.string().into_iter().for_each(note);
    let number = value.number().and_then(|number| number.as_str());
    let is_infinite = |text: &str| text.parse::<f64>().unwrap().is_infinite();
    numbers.extend(number.filter(|text| is_infinite(text)).map(|_| start as u32));
    let values = members.iter().map(|member| member.value);
    for inner in values.chain(value.elements().into_iter().flatten()) {
        ambiguities_one_by_one(inner, place(inner.as_bytes()), found);
    }
}

/// Writes a random value.
fn write_value(next: &mut impl FnMut(usize) -> usize, depth: usize, text: &mut String) {
    const STRINGS: [&str; 9] = [
        r#""""#,
        r#""a""#,
        r#""\n\"{1e400""#,
        r#""\ud83d\ude00""#,
        r#""\ude00""#,
        r#""a\ud83d\n""#,
        r#""\\ud800""#,
        r#""longer than a word\uD800\ud800\udc00""#,
        r#""\\\udc00""#,
    ];
    const NUMBERS: [&str; 12] = [
        "0",
        "-1",
        "12.5",
        "1e308",
        "1e309",
        "-1E+400",
        "0e400",
        "0.1e309",
        "0.1e310",
        "1e-400",
        "17976931348623157e292",
        "true",
    ];
    match next(if depth == 0 { 3 } else { 5 }) {
        0 => text.push_str(STRINGS[next(STRINGS.len())]),
        1 => {
            let digits = if next(9) == 0 { 290 + next(30) } else { 1 };
            text.extend(core::iter::repeat_n('9', digits));
        }
        2 => text.push_str(NUMBERS[next(NUMBERS.len())]),
        kind => {
            text.push(if kind == 3 { '[' } else { '{' });
            for at in 0..next(6) {
                text.push_str(if at > 0 { ", " } else { "" });
                if kind == 4 {
                    text.push_str(STRINGS[next(STRINGS.len())]);
                    text.push_str([":", " : "][next(2)]);
                }
                write_value(next, depth - 1, text);
            }
            text.push(if kind == 3 { ']' } else { '}' });
        }
    }
}

/// With a vector unit and without one, the walk passes every string and every number.
#[test]
fn values_that_parsers_refuse_are_found_wherever_they_are() {
    let mut next = random();
    let mut seen = [0; 2];
    for _ in 0..3000 {
        let mut text = String::new();
        write_value(&mut next, 5, &mut text);
        for text in [text.clone(), format!("[{text}{}]", " ".repeat(super::SHORT))] {
            let value = RawJson::parse(text.as_bytes()).unwrap();
            let mut expected = [Vec::new(), Vec::new()];
            ambiguities_one_by_one(value, 0, &mut expected);
            let first = expected.each_ref().map(|places| places.iter().min().copied());
            seen[0] += usize::from(first[0].is_some());
            seen[1] += usize::from(first[1].is_some());
            let found = value.first_ambiguities();
            assert_eq!([found.lone_surrogate, found.out_of_range], first, "{text}");
        }
    }
    assert!(seen.iter().all(|count| *count > 300), "{seen:?}");
}

/// Names end in every place of a word, and escapes are in every place of a name.
#[test]
fn a_name_is_the_same_however_it_is_written() {
    const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";
    for length in 0..=LETTERS.len() {
        let (name, _) = LETTERS.split_at(length);
        check(&format!(r#"{{"{name}":1,"{name}":2}}"#), &[(1, length as u32 + 6)]);
        check(&format!(r#"{{"{name}":1,"{name}_":2,"{name}-":"{name}"}}"#), &[]);
        check(&format!(r#"{{"{name}":1, "{name}" : 2}}"#), &[(1, length as u32 + 7)]);
        for place in 0..length {
            let (before, after) = name.split_at(place);
            let (letter, after) = after.split_at(1);
            let code = u32::from(letter.as_bytes()[0]);
            let escaped = format!("{before}\\u{code:04x}{after}");
            let again = length as u32 + 6;
            check(&format!(r#"{{"{name}":1,"{escaped}":2}}"#), &[(1, again)]);
        }
    }
}

/// Writes an object with names of any form. Some repeat, and others have the same hash.
fn write_object(next: &mut impl FnMut(usize) -> usize, depth: usize, text: &mut String) {
    const NAMES: [&str; 18] = [
        "",
        "a",
        "\\u0061",
        "b",
        "aa",
        "a\\u0000b",
        "a\\u0000c",
        "\\u00e4",
        "ä",
        "\\\"",
        "\\\\",
        "{:}",
        "abcdef",
        "abcdefg",
        "abcdefgh",
        "abcdefgi",
        "abcdefg\\u0068",
        "abcdefg and more",
    ];
    text.push('{');
    let count = if next(20) == 0 { next(60) } else { next(5) };
    for at in 0..count {
        text.push_str(if at > 0 { "," } else { "" });
        text.push_str([" ", "", "", "\n  "][next(4)]);
        let name = NAMES[next(NAMES.len())];
        match next(3) {
            0 => text.push_str(&format!("\"{name}{at}\"")),
            1 => text.push_str(&format!("\"{at}{name}\"")),
            _ => text.push_str(&format!("\"{name}\"")),
        }
        text.push_str([":", ":", " : ", "\t\n:"][next(4)]);
        match next(4) {
            0 if depth > 0 => write_object(next, depth - 1, text),
            1 if depth > 0 => {
                text.push('[');
                write_object(next, depth - 1, text);
                text.push(']');
            }
            2 => text.push_str(&format!("\"{name}\"")),
            _ => text.push('1'),
        }
    }
    text.push('}');
}

#[test]
fn random_objects_are_compared_like_one_by_one() {
    let mut next = random();
    for round in 0..2000 {
        let mut text = String::new();
        write_object(&mut next, 6, &mut text);
        // The innermost objects are then nested deeper than those whose names are compared as they come.
        let around = [0, 9, 12, 15, 20][round % 5];
        check_again(&format!("{}{text}{}", "{\"a\":".repeat(around), "}".repeat(around)));
    }
}

/// Objects are compared at once while they are small, and sorted once they are large.
#[test]
fn objects_of_any_size_are_compared() {
    for count in (1..=80).chain([127, 128, 129, 1000]) {
        let names: Vec<String> = (0..count).map(|i| format!("\"k{i}\":{{}}")).collect();
        let names = names.join(",");
        check_again(&format!("{{{names}}}"));
        for again in [0, count / 2, count - 1] {
            check_again(&format!("{{{names},\"k{again}\":0}}"));
            check_again(&format!("{{\"k{again}\":0,{names},\"k{again}\":0}}"));
        }
    }
}

/// The same names in different objects, and other names with the same bit, do not count as repeated.
#[test]
fn short_texts_with_any_number_of_names_are_compared() {
    for count in 1..40 {
        let names: Vec<String> = (0..count).map(|i| format!("\"{i}\":0")).collect();
        let names = names.join(",");
        check_again(&format!("{{{names}}}"));
        for again in 0..count {
            check_again(&format!("{{{names},\"\\u{:04x}\":0}}", 0x30 + again % 10));
            check_again(&format!("{{{names} ,\"{again}\" :0}}"));
            check_again(&format!("[{{{names}}},{{\"{again}\":0}}]"));
        }
    }
}

/// Only the first bytes and the length are hashed.
#[test]
fn names_of_the_same_hash_are_told_apart() {
    for count in [2, 3, 30, 40, 100] {
        let names: Vec<String> =
            (0..count).map(|i| format!("\"the same start {i:03}\":[]")).collect();
        let names = names.join(",");
        check_again(&format!("{{{names}}}"));
        check_again(&format!("{{{names},\"the same start 001\":0}}"));
    }
}

/// Objects that are nested deep are remembered in another way.
#[test]
fn objects_at_any_depth_are_compared() {
    for depth in 1..100 {
        for names in [("a", "a"), ("a", "b"), ("b", "a"), ("the long name", "the long name")] {
            let (open, close) = (format!(r#"{{"{}":"#, names.0), format!(r#","{}":0}}"#, names.1));
            check_again(&format!("{}{{}}{}", open.repeat(depth), close.repeat(depth)));
        }
    }
}

#[test]
fn too_little_scratch_is_an_error_with_the_number() {
    let value = RawJson::parse(br#"{"a":{"b":1,"c":2},"d":{"e":3,"e":4}}"#).unwrap();
    let mut found = 0;
    let error = value.repeated_names_in(&mut [NameSlot::EMPTY; 2], |_| found += 1);
    assert_eq!((error, found), (Err(TooManyNames { needed: 4 }), 0));
    assert_eq!(value.repeated_names_in(&mut [NameSlot::EMPTY; 4], |_| found += 1), Ok(()));
    assert_eq!(found, 1);
    assert_eq!(RawJson::parse(b"[]").unwrap().repeated_names_in(&mut [], |_| ()), Ok(()));
}

#[test]
fn the_space_is_for_objects_open_at_the_same_time() {
    let value = RawJson::parse(br#"[{"a":{"b":1}},{"c":{"d":3}},{"e":1,"e":2}]"#).unwrap();
    let mut names = Vec::new();
    let done = value.repeated_names_in(&mut [NameSlot::EMPTY; 2], |name| names.push(name));
    assert_eq!((done, names.len()), (Ok(()), 1));
}

/// One object with 100,000 names and one more.
#[test]
fn many_names_take_no_quadratic_time() {
    let names: Vec<String> = (0..100_000).map(|i| format!("\"k{i}\":{i}")).collect();
    let text = format!("{{{},\"k7\":0}}", names.join(","));
    let found = RawJson::parse(text.as_bytes()).unwrap().repeated_names();
    assert_eq!(found.len(), 1);
}
