//! Strings: compared and decoded by their meaning.

use std::collections::HashSet;

use tautline::RawStr;
use tautline::json::DecodeError;

use super::{hash, string};

/// A piece of a string: its spelling and its UTF-16 code units.
struct Piece(&'static str, &'static [u16]);

/// Pieces to put before or after a surrogate.
const NEIGHBOURS: &[Piece] = &[
    Piece("", &[]),
    Piece("x", &[0x78]),
    Piece("u", &[0x75]),
    Piece(r"\n", &[0x0A]),
    Piece(r"\u0041", &[0x41]),
    Piece(r"\uD800", &[0xD800]),
    Piece(r"\udbff", &[0xDBFF]),
    Piece(r"\uDC00", &[0xDC00]),
    Piece(r"\udfff", &[0xDFFF]),
    Piece(r"\ud83d\ude00", &[0xD83D, 0xDE00]),
    Piece("\u{1F600}", &[0xD83D, 0xDE00]),
    Piece(r"\\", &[0x5C]),
    // Not a low surrogate, but a backslash and five letters.
    Piece(r"\\udc00", &[0x5C, 0x75, 0x64, 0x63, 0x30, 0x30]),
];

/// Checks a string against the standard library's decoder of UTF-16.
fn check(text: &str, units: &[u16]) {
    let string = string(text);
    let expected = || char::decode_utf16(units.iter().copied());
    let decoded = string.chars().map(|c| c.map_err(|lone| lone.unit()));
    let same = expected().map(|c| c.map_err(|lone| lone.unpaired_surrogate()));
    assert!(decoded.eq(same), "{text}");

    let lossy: String = expected().map(|c| c.unwrap_or('\u{FFFD}')).collect();
    let mut buffer = [0; 64];
    let decoded = string.decode_into(&mut buffer);
    match string.lone_surrogate() {
        None => {
            assert_eq!(decoded, Ok(&*lossy));
            assert_eq!(string.decoded_len(), Ok(lossy.len()));
            assert_eq!(string, *lossy);
        }
        Some(lone) => {
            assert_eq!(decoded, Err(DecodeError::LoneSurrogate(lone)));
            assert_eq!(string.decoded_len(), Err(lone));
            assert_ne!(string, *lossy);
            let escape = &string.escaped_bytes()[lone.offset()..][..6];
            let spelled = format!("\\u{:04x}", lone.unit());
            assert!(escape.eq_ignore_ascii_case(spelled.as_bytes()), "{text}");
            let first = expected().find_map(Result::err).unwrap();
            assert_eq!(lone.unit(), first.unpaired_surrogate());
        }
    }
    assert_eq!(decoded.is_err(), expected().any(|c| c.is_err()), "{text}");
}

/// Every unit alone, and every surrogate between any two neighbours.
#[test]
fn every_escape_of_a_unit() {
    let mut checked = 0;
    for unit in 0..=u16::MAX {
        for text in [
            format!("\"\\u{unit:04x}\""),
            format!("\"\\u{unit:04X}\""),
            format!("\"a\\u{unit:04x}b\""),
        ] {
            let units = [0x61, unit, 0x62];
            let plain = text.starts_with("\"\\");
            check(&text, if plain { &units[1..2] } else { &units });
            checked += 1;
        }
        if !(0xD7FF..=0xE000).contains(&unit) && unit % 0x100 != 0 {
            continue;
        }
        for Piece(before, units_before) in NEIGHBOURS {
            for Piece(behind, units_behind) in NEIGHBOURS {
                let text = format!("\"{before}\\u{unit:04x}{behind}\"");
                check(&text, &[units_before, &[unit][..], units_behind].concat());
                checked += 1;
            }
        }
    }
    println!("{checked} strings");
    assert_eq!(checked, 3 * 65_536 + 169 * (2050 + 247));
}

#[test]
fn lone_surrogates_have_a_place() {
    for (text, found) in [
        (r#""""#, None),
        (r#""abc""#, None),
        (r#""\ud83d\ude00""#, None),
        (r#""\\ud800""#, None),
        (r#""\ud800""#, Some((0xD800, 0))),
        (r#""a\ud800""#, Some((0xD800, 1))),
        (r#""\n\udfff""#, Some((0xDFFF, 2))),
        (r#""\\\ud800""#, Some((0xD800, 2))),
        ("\"\u{e9}\\uDBFF\"", Some((0xDBFF, 2))),
        // Of three surrogates, the first two are a pair if they can be.
        (r#""\ud83d\ude00\ude00""#, Some((0xDE00, 12))),
        (r#""\ud83d\ud83d\ude00""#, Some((0xD83D, 0))),
        (r#""\ude00\ud83d\ude00""#, Some((0xDE00, 0))),
    ] {
        let lone = string(text).lone_surrogate();
        let lone = lone.map(|lone| (lone.unit(), lone.offset()));
        assert_eq!(lone, found, "{text}");
    }
}

#[test]
fn every_escape_that_has_a_letter() {
    for (escape, character) in [
        ("\\\"", '"'),
        ("\\\\", '\\'),
        ("\\/", '/'),
        ("\\b", '\u{8}'),
        ("\\f", '\u{c}'),
        ("\\n", '\n'),
        ("\\r", '\r'),
        ("\\t", '\t'),
    ] {
        let text = format!("\"{escape}\"");
        assert_eq!(string(&text), *character.to_string());
        assert!(string(&text).has_escapes());
        assert_eq!(string(&text).unescaped(), None);
        let text = format!("\"a{escape}{escape}b\"");
        assert_eq!(string(&text), *format!("a{character}{character}b"));
    }
}

#[test]
fn every_character_written_as_itself() {
    let mut buffer = [0; 8];
    for character in (' '..=char::MAX).filter(|c| !matches!(c, '"' | '\\')) {
        let quoted = format!("\"{character}\"");
        let string = string(&quoted);
        assert_eq!(string.chars().next(), Some(Ok(character)));
        assert_eq!(string.decode_into(&mut buffer), Ok(&quoted[1..quoted.len() - 1]));
    }
}

#[test]
fn decoding_needs_no_more_room_than_the_text() {
    let text = string(r#""caf\u00e9 \ud83d\ude00!""#);
    let expected = "caf\u{e9} \u{1F600}!";
    let needed = expected.len();
    assert!(needed <= text.escaped_bytes().len());
    for size in 0..needed {
        let mut buffer = vec![0x55; size];
        let error = text.decode_into(&mut buffer);
        assert_eq!(error, Err(DecodeError::BufferTooSmall { needed }));
        assert!(buffer.iter().all(|&byte| byte == 0x55), "nothing is written");
    }
    for size in needed..needed + 3 {
        let mut buffer = vec![0x55; size];
        assert_eq!(text.decode_into(&mut buffer), Ok(expected));
        assert!(buffer[needed..].iter().all(|&byte| byte == 0x55));
    }
    // An unpaired surrogate has no length, so room does not matter.
    let half = string(r#""\ud800""#);
    let lone = half.lone_surrogate().unwrap();
    for size in [0, 64] {
        let error = half.decode_into(&mut vec![0; size]).unwrap_err();
        assert_eq!(error, DecodeError::LoneSurrogate(lone));
        assert_eq!(error, DecodeError::from(lone));
    }
}

#[cfg(feature = "alloc")]
#[test]
fn what_has_no_escapes_is_borrowed() {
    use std::borrow::Cow;
    let text = string("\"caf\u{e9}\"");
    assert!(matches!(text.decode(), Ok(Cow::Borrowed("caf\u{e9}"))));
    let text = string(r#""caf\u00e9""#);
    assert!(matches!(text.decode(), Ok(Cow::Owned(text)) if text == "caf\u{e9}"));
    let text = string(r#""\ud800""#);
    assert_eq!(text.decode().unwrap_err(), text.lone_surrogate().unwrap());
}

/// Strings in groups: strings of the same group are equal, strings of different groups are not.
const GROUPS: &[&[&str]] = &[
    &[r#""""#],
    &[r#""id""#, r#""\u0069d""#, r#""i\u0064""#, r#""\u0069\u0064""#],
    &[r#""ID""#, r#""\u0049D""#],
    &[r#""id ""#, r#""id\u0020""#],
    &[r#""id\u0000""#],
    &[r#""a/b""#, r#""a\/b""#, r#""a\u002fb""#, r#""a\u002Fb""#],
    &["\"\u{e9}\"", r#""\u00e9""#, r#""\u00E9""#],
    // Another encoding of the same letter is different text: nothing is normalised.
    &["\"e\u{301}\"", r#""e\u0301""#],
    &["\"\u{1F600}\"", r#""\ud83d\ude00""#, r#""\uD83D\uDE00""#],
    &[r#""\ud83d""#, r#""\uD83D""#],
    &[r#""\ude00""#],
    &[r#""\ude00\ud83d""#],
    &["\"\u{FFFD}\"", r#""\ufffd""#],
    &[r#""\n""#, r#""\u000a""#, r#""\u000A""#],
    &[r#""\\n""#, r#""\u005cn""#],
    &[r#""\"""#, r#""\u0022""#],
];

#[test]
fn equality_is_that_of_the_decoded_text() {
    for (i, group) in GROUPS.iter().enumerate() {
        for (j, other) in GROUPS.iter().enumerate() {
            for a in group.iter().map(|text| string(text)) {
                for b in other.iter().map(|text| string(text)) {
                    assert_eq!(a == b, i == j, "{a:?} {b:?}");
                    assert_eq!(hash(a) == hash(b), i == j, "{a:?} {b:?}");
                    if b.lone_surrogate().is_none() {
                        let text = b.to_string();
                        let text: &str = &text;
                        assert_eq!(a == *text, i == j, "{a:?} {b:?}");
                        assert_eq!(a == text, i == j);
                        assert_eq!(*text == a, i == j);
                        assert_eq!(text == a, i == j);
                    }
                }
            }
        }
    }
    let all = GROUPS.iter().copied().flatten();
    let distinct: HashSet<_> = all.map(|text| string(text)).collect();
    assert_eq!(distinct.len(), GROUPS.len());
}

#[test]
fn a_prefix_is_not_the_same() {
    for text in ["\"abc\"", r#""\u0061bc""#, r#""ab\u0063""#] {
        for other in ["", "ab", "abcd", "abc\0"] {
            assert_ne!(string(text), *other);
        }
    }
}

#[test]
fn display_shows_the_text_and_debug_the_spelling() {
    let text = string(r#""a\u0062\ud800""#);
    assert_eq!(text.to_string(), "ab\u{FFFD}");
    assert_eq!(format!("{text:?}"), r#"RawStr("a\u0062\ud800")"#);
    assert_eq!(format!("{:?}", string("\"\u{e9}\"")), r#"RawStr("é")"#);
}

#[cfg(feature = "alloc")]
#[test]
fn strings_are_compared_with_owned_ones() {
    let text = RawStr::parse(br#""tools\/call""#).unwrap();
    assert_eq!(text, String::from("tools/call"));
    assert_eq!(String::from("tools/call"), text);
    assert_ne!(text, String::from(r"tools\/call"));
}

#[test]
fn a_string_is_parsed_with_its_quotes() {
    assert_eq!(RawStr::parse(br#" "tools\/call" "#).unwrap(), "tools/call");
    for other in [&b"7"[..], b"", b"\"a", b"\"a\" \"b\"", b"\"\xFF\""] {
        assert_eq!(RawStr::parse(other), None);
    }
}
