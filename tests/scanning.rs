//! The scanner takes RFC 8259 to the letter, and says where a text stops being JSON.
//!
//! It differs from `serde_json::from_slice::<serde_json::Value>` in what this table shows as different,
//! and in nothing else. A test holds the table to what both of them do.
//!
//! | text | limit | `serde_json` | here | why |
//! |---|---|---|---|---|
//! | `"\ud800"` | 127 | refused | accepted | half a character is grammar, and the text is kept |
//! | `{"\udfff": 1}` | 127 | refused | accepted | the same in a name |
//! | `"\udc00\ud800"` | 127 | refused | accepted | two halves in the wrong order are two lone ones |
//! | `"\ud83d\ude00"` | 127 | accepted | accepted | two halves in the right order are a character |
//! | `1e400` | 127 | refused | accepted | no `f64` is near to it, and its text is kept |
//! | `[-1.8e308]` | 127 | refused | accepted | the same below zero |
//! | a 1 and 309 zeros | 127 | refused | accepted | the same without an exponent |
//! | `1.7976931348623157e308` | 127 | accepted | accepted | the largest `f64` |
//! | `1e-400` | 127 | accepted | accepted | an `f64` is near to it: zero |
//! | `0e999999999999` | 127 | accepted | accepted | zero, however it is spelled |
//! | 127 levels of `[]` | 127 | accepted | accepted | the default limit is that of `serde_json` |
//! | 128 levels of `[]` | 127 | refused | refused | and so is what is beyond it |
//! | 127 levels of `[]` | 126 | accepted | refused | another limit was asked for |
//! | 128 levels of `[]` | 128 | refused | accepted | the same |
//! | 255 levels of `{"":}` | 255 | refused | accepted | the highest limit there is |
//! | `0` | 0 | accepted | accepted | no container is needed for a number |
//! | `[]` | 0 | accepted | refused | and one is for this |
//! | `{"a": 1, "a": 2}` | 127 | accepted | accepted | duplicates are grammar; the envelope looks for them |
//! | `"\u0000"` | 127 | accepted | accepted | NUL is a character if it is escaped |

#[path = "support/checks/scan_vs_serde_json.rs"]
mod scan_vs_serde_json;

use std::cell::Cell;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use scan_vs_serde_json::check;
use tautline::scan::{self, DEFAULT_MAX_DEPTH, Syntax};
use tautline::{Message, Rule, Rules};

fn text_of(cell: &str) -> String {
    if let Some(literal) = cell.strip_prefix('`').and_then(|c| c.strip_suffix('`')) {
        return literal.into();
    }
    let nested = |levels: &str, open: &str, inside: &str, close: &str| {
        let levels = levels.parse().unwrap();
        open.repeat(levels) + inside + &close.repeat(levels)
    };
    match cell.split(' ').collect::<Vec<_>>()[..] {
        [levels, "levels", "of", "`[]`"] => nested(levels, "[", "", "]"),
        [levels, "levels", "of", "`{\"\":}`"] => nested(levels, "{\"\":", "0", "}"),
        ["a", "1", "and", zeros, "zeros"] => format!("1{}", nested(zeros, "0", "", "")),
        _ => panic!("{cell}"),
    }
}

#[test]
fn differs_from_serde_json_as_the_table_says() {
    let verdict = |accepted| if accepted { "accepted" } else { "refused" };
    let mut rows = 0;
    let mut different = 0;
    let this_file = include_str!("scanning.rs");
    for row in this_file.lines().filter_map(|l| l.strip_prefix("//! | ")) {
        let cells: Vec<_> = row.split(" | ").map(str::trim).collect();
        let [text, limit, serde, here, _why] = cells[..] else { panic!("{row}") };
        if text == "text" {
            continue;
        }
        let text = text_of(text);
        let found = serde_json::from_str::<serde_json::Value>(&text).is_ok();
        assert_eq!(verdict(found), serde, "{row}");
        let found = scan::validate(text.as_bytes(), limit.parse().unwrap()).is_ok();
        assert_eq!(verdict(found), here, "{row}");
        check(text.as_bytes());
        rows += 1;
        different += usize::from(serde != here);
    }
    assert_eq!((rows, different), (19, 10));
}

/// Texts that are JSON.
const VALID: &[&[u8]] = &[
    // Section 2: any value, with whitespace around it and around the structural characters.
    b"null",
    b"true",
    b"false",
    b"0",
    b"\"\"",
    b"[]",
    b"{}",
    b" \t\n\r{ \t\n\r\"a\" \t\n\r: \t\n\r[ \t\n\r1 \t\n\r, \t\n\r2 \t\n\r] \t\n\r, \"b\" : 3 } \t\n\r",
    // Section 4: objects.
    br#"{"a":1}"#,
    br#"{"a":1,"b":{"c":{}},"d":[]}"#,
    br#"{"":0}"#,
    br#"{"a":1,"a":1}"#,
    br#"{"\u0061":1}"#,
    // Section 5: arrays.
    b"[1]",
    b"[[],[[]],{}]",
    b"[null,true,false,0,\"\",[],{}]",
    b"[-0,-0.0,-0e0]",
    // Section 6: numbers, every branch of the grammar.
    b"-0",
    b"0.0",
    b"0e0",
    b"0E0",
    b"0e+0",
    b"0e-0",
    b"1",
    b"-1",
    b"10",
    b"1234567890",
    b"1.5",
    b"1.50",
    b"0.001",
    b"1e5",
    b"1E5",
    b"1e+5",
    b"1e-5",
    b"1e005",
    b"-1.25E+10",
    b"1.0e0",
    b"123456789012345678901234567890",
    b"0.123456789012345678901234567890",
    b"1e999999999999999999999999999999",
    b"1e-999999999999999999999999999999",
    // Section 7: strings, every escape.
    br#""\"\\\/\b\f\n\r\t""#,
    br#""\u0000\u001F\u007f\u0080\uabcd\uABCD\uFFFF""#,
    br#""\ud83d\ude00""#,
    br#""\uD834\uDD1E""#,
    br#""\\u0000""#,
    br#""\\\"""#,
    b"\" !#[]^~\x7F\"",
    b"\"/*not a comment*/\"",
    "\"\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}\"".as_bytes(),
    "\"\u{D7FF}\u{E000}\u{FFFE}\u{FDD0}\"".as_bytes(),
    "\"\u{2028}\u{2029}\u{85}\u{A0}\u{FEFF}\"".as_bytes(),
    "{\"\u{e9}\":\"\u{e9}\"}".as_bytes(),
    // Section 8.2: lone surrogates of all classes.
    br#""\ud800""#,
    br#""\udbff""#,
    br#""\udc00""#,
    br#""\udfff""#,
    br#""\ud800\ud800""#,
    br#""\ud800\ud800\udc00""#,
    br#""\udc00\udc00""#,
    br#""\udc00\ud800""#,
    br#""\ud800x""#,
    br#""\ud800\n""#,
    br#""\ud800\u0041""#,
    br#""\ud800\\udc00""#,
    br#""\ud800 \udc00""#,
    br#"{"\ud800":0}"#,
];

/// Texts that are not, with what is wrong, and the offset of the first byte that can't be there.
#[rustfmt::skip]
const INVALID: &[(&[u8], Syntax, usize)] = &[
    // No value.
    (b"", Syntax::ExpectedValue, 0),
    (b" \t\r\n", Syntax::ExpectedValue, 4),
    (b"}", Syntax::ExpectedValue, 0),
    (b"]", Syntax::ExpectedValue, 0),
    (b",", Syntax::ExpectedValue, 0),
    (b":", Syntax::ExpectedValue, 0),
    (b"'a'", Syntax::ExpectedValue, 0),
    (b"`a`", Syntax::ExpectedValue, 0),
    (b"NaN", Syntax::ExpectedValue, 0),
    (b"Infinity", Syntax::ExpectedValue, 0),
    (b"undefined", Syntax::ExpectedValue, 0),
    (b"True", Syntax::ExpectedValue, 0),
    (b"/**/1", Syntax::ExpectedValue, 0),
    (b"//\n1", Syntax::ExpectedValue, 0),
    (b"#\n1", Syntax::ExpectedValue, 0),
    (b"\x0B1", Syntax::ExpectedValue, 0),
    (b"\x0C1", Syntax::ExpectedValue, 0),
    (b"\x001", Syntax::ExpectedValue, 0),
    (b"\x7F", Syntax::ExpectedValue, 0),
    (b"[\x00]", Syntax::ExpectedValue, 1),
    ("\u{FEFF}{}".as_bytes(), Syntax::ExpectedValue, 0),
    ("\u{A0}{}".as_bytes(), Syntax::ExpectedValue, 0),
    ("[\u{2028}]".as_bytes(), Syntax::ExpectedValue, 1),
    ("\u{e9}".as_bytes(), Syntax::ExpectedValue, 0),
    // Words.
    (b"nul", Syntax::InvalidLiteral, 3),
    (b"nulL", Syntax::InvalidLiteral, 3),
    (b"nxll", Syntax::InvalidLiteral, 1),
    (b"t", Syntax::InvalidLiteral, 1),
    (b"tRUE", Syntax::InvalidLiteral, 1),
    (b"fals", Syntax::InvalidLiteral, 4),
    (b"[fals]", Syntax::InvalidLiteral, 5),
    (b"tru\x00e", Syntax::InvalidLiteral, 3),
    (b"tr\\u0075e", Syntax::InvalidLiteral, 2),
    ("nul\u{142}".as_bytes(), Syntax::InvalidLiteral, 3),
    // Behind the value.
    (b"nulll", Syntax::TrailingBytes, 4),
    (b"{}{}", Syntax::TrailingBytes, 2),
    (b"{} {}", Syntax::TrailingBytes, 3),
    (b"[] ]", Syntax::TrailingBytes, 3),
    (b"[]}", Syntax::TrailingBytes, 2),
    (b"1 2", Syntax::TrailingBytes, 2),
    (b"\"\"x", Syntax::TrailingBytes, 2),
    (b"{},", Syntax::TrailingBytes, 2),
    (b"{}//", Syntax::TrailingBytes, 2),
    (b"{}\x00", Syntax::TrailingBytes, 2),
    (b"{}\x0C", Syntax::TrailingBytes, 2),
    ("{}\u{FEFF}".as_bytes(), Syntax::TrailingBytes, 2),
    ("1\u{2028}".as_bytes(), Syntax::TrailingBytes, 1),
    // Numbers.
    (b"-", Syntax::ExpectedDigit, 1),
    (b"--1", Syntax::ExpectedDigit, 1),
    (b"-a", Syntax::ExpectedDigit, 1),
    (b"- 1", Syntax::ExpectedDigit, 1),
    (b"-.5", Syntax::ExpectedDigit, 1),
    (b"-Infinity", Syntax::ExpectedDigit, 1),
    (b"1.", Syntax::ExpectedDigit, 2),
    (b"1.e5", Syntax::ExpectedDigit, 2),
    (b"1..5", Syntax::ExpectedDigit, 2),
    (b"1.-5", Syntax::ExpectedDigit, 2),
    (b"0.", Syntax::ExpectedDigit, 2),
    (b"1e", Syntax::ExpectedDigit, 2),
    (b"1e+", Syntax::ExpectedDigit, 3),
    (b"1e-", Syntax::ExpectedDigit, 3),
    (b"1e+-1", Syntax::ExpectedDigit, 3),
    (b"1ee1", Syntax::ExpectedDigit, 2),
    (b"1e.5", Syntax::ExpectedDigit, 2),
    (b"[1.]", Syntax::ExpectedDigit, 3),
    ("-\u{661}".as_bytes(), Syntax::ExpectedDigit, 1),
    (b"01", Syntax::TrailingBytes, 1),
    (b"-01", Syntax::TrailingBytes, 2),
    (b"00", Syntax::TrailingBytes, 1),
    (b"0x1F", Syntax::TrailingBytes, 1),
    (b"1_000", Syntax::TrailingBytes, 1),
    (b"1.5.5", Syntax::TrailingBytes, 3),
    (b"1e5.5", Syntax::TrailingBytes, 3),
    (b"1e5e5", Syntax::TrailingBytes, 3),
    (b"1+1", Syntax::TrailingBytes, 1),
    (b"1f", Syntax::TrailingBytes, 1),
    (b"[01]", Syntax::ExpectedCommaOrEnd, 2),
    (b"[-012]", Syntax::ExpectedCommaOrEnd, 3),
    (b"+1", Syntax::ExpectedValue, 0),
    (b".5", Syntax::ExpectedValue, 0),
    // Arrays.
    (b"[", Syntax::ExpectedValue, 1),
    (b"[ ", Syntax::ExpectedValue, 2),
    (b"[,", Syntax::ExpectedValue, 1),
    (b"[1,", Syntax::ExpectedValue, 3),
    (b"[1,]", Syntax::ExpectedValue, 3),
    (b"[1,,2]", Syntax::ExpectedValue, 3),
    (b"[}", Syntax::ExpectedValue, 1),
    (b"[1", Syntax::ExpectedCommaOrEnd, 2),
    (b"[1 ", Syntax::ExpectedCommaOrEnd, 3),
    (b"[1 2]", Syntax::ExpectedCommaOrEnd, 3),
    (b"[1}", Syntax::ExpectedCommaOrEnd, 2),
    (b"[1:2]", Syntax::ExpectedCommaOrEnd, 2),
    (b"[[]", Syntax::ExpectedCommaOrEnd, 3),
    (b"[\"\":1]", Syntax::ExpectedCommaOrEnd, 3),
    // Objects.
    (b"{", Syntax::ExpectedName, 1),
    (b"{,", Syntax::ExpectedName, 1),
    (b"{a:1}", Syntax::ExpectedName, 1),
    (b"{'a':1}", Syntax::ExpectedName, 1),
    (b"{1:1}", Syntax::ExpectedName, 1),
    (b"{null:1}", Syntax::ExpectedName, 1),
    (b"{[]:1}", Syntax::ExpectedName, 1),
    (b"{]", Syntax::ExpectedName, 1),
    (b"{\"a\":1,", Syntax::ExpectedName, 7),
    (b"{\"a\":1,}", Syntax::ExpectedName, 7),
    (b"{\"a\":1,,", Syntax::ExpectedName, 7),
    ("{\u{FEFF}\"a\":1}".as_bytes(), Syntax::ExpectedName, 1),
    (b"{\"a\"", Syntax::ExpectedColon, 4),
    (b"{\"a\"}", Syntax::ExpectedColon, 4),
    (b"{\"a\" 1}", Syntax::ExpectedColon, 5),
    (b"{\"a\",1}", Syntax::ExpectedColon, 4),
    (b"{\"a\"=1}", Syntax::ExpectedColon, 4),
    (b"{\"a\":", Syntax::ExpectedValue, 5),
    (b"{\"a\":}", Syntax::ExpectedValue, 5),
    (b"{\"a\"::1}", Syntax::ExpectedValue, 5),
    (b"{\"a\":,", Syntax::ExpectedValue, 5),
    (b"{\"a\":1", Syntax::ExpectedCommaOrEnd, 6),
    (b"{\"a\":1]", Syntax::ExpectedCommaOrEnd, 6),
    (b"{\"a\":1:2}", Syntax::ExpectedCommaOrEnd, 6),
    (b"{\"a\":1 \"b\":2}", Syntax::ExpectedCommaOrEnd, 7),
    (b"{\"a\":{}", Syntax::ExpectedCommaOrEnd, 7),
    // Strings.
    (b"\"", Syntax::UnterminatedString, 1),
    (b"\"abc", Syntax::UnterminatedString, 4),
    (b"\"\\\"", Syntax::UnterminatedString, 3),
    (b"\"\\", Syntax::UnterminatedString, 2),
    (b"\"\\u", Syntax::UnterminatedString, 3),
    (b"\"\\u12", Syntax::UnterminatedString, 5),
    (b"\"\\ud83d", Syntax::UnterminatedString, 7),
    (b"{\"a", Syntax::UnterminatedString, 3),
    (b"\"\n\"", Syntax::ControlCharacter, 1),
    (b"\"\t\"", Syntax::ControlCharacter, 1),
    (b"\"\r\"", Syntax::ControlCharacter, 1),
    (b"\"a\x00\"", Syntax::ControlCharacter, 2),
    (b"\"\x1F\"", Syntax::ControlCharacter, 1),
    (b"{\"\x0C\":1}", Syntax::ControlCharacter, 2),
    (b"\"\\\n\"", Syntax::InvalidEscape, 2),
    (b"\"\\\x00\"", Syntax::InvalidEscape, 2),
    (b"\"\\a\"", Syntax::InvalidEscape, 2),
    (b"\"\\'\"", Syntax::InvalidEscape, 2),
    (b"\"\\0\"", Syntax::InvalidEscape, 2),
    (b"\"\\v\"", Syntax::InvalidEscape, 2),
    (b"\"\\x41\"", Syntax::InvalidEscape, 2),
    (b"\"\\U0041\"", Syntax::InvalidEscape, 2),
    (b"\"\\N\"", Syntax::InvalidEscape, 2),
    (b"\"\\u\"", Syntax::InvalidEscape, 3),
    (b"\"\\u004\"", Syntax::InvalidEscape, 6),
    (b"\"\\u00g1\"", Syntax::InvalidEscape, 5),
    (b"\"\\u-041\"", Syntax::InvalidEscape, 3),
    (b"\"\\u{41}\"", Syntax::InvalidEscape, 3),
    (b"\"\\u 041\"", Syntax::InvalidEscape, 3),
    ("\"\\\u{e9}\"".as_bytes(), Syntax::InvalidEscape, 2),
    ("\"\\u00\u{e9}\"".as_bytes(), Syntax::InvalidEscape, 5),
    // UTF-8: the offset is that of the sequence's first byte.
    (b"\"\xFF\"", Syntax::InvalidUtf8, 1),
    (b"\"\xFE\"", Syntax::InvalidUtf8, 1),
    (b"\"\x80\"", Syntax::InvalidUtf8, 1),
    (b"\"\xBF\"", Syntax::InvalidUtf8, 1),
    (b"\"\xE9\"", Syntax::InvalidUtf8, 1),
    (b"\"\xC3\xC3\xA9\"", Syntax::InvalidUtf8, 1),
    (b"\"\xC3\xA9\xA9\"", Syntax::InvalidUtf8, 3),
    (b"\"\xC0\xAF\"", Syntax::InvalidUtf8, 1),
    (b"\"\xC1\xBF\"", Syntax::InvalidUtf8, 1),
    (b"\"\xE0\x9F\xBF\"", Syntax::InvalidUtf8, 1),
    (b"\"\xED\xA0\x80\"", Syntax::InvalidUtf8, 1),
    (b"\"\xED\xBF\xBF\"", Syntax::InvalidUtf8, 1),
    (b"\"\xF0\x8F\xBF\xBF\"", Syntax::InvalidUtf8, 1),
    (b"\"\xF4\x90\x80\x80\"", Syntax::InvalidUtf8, 1),
    (b"\"\xF5\x80\x80\x80\"", Syntax::InvalidUtf8, 1),
    (b"\"\xF0\x9F\x98\"", Syntax::InvalidUtf8, 1),
    (b"\"\xF0\x9F\x98", Syntax::InvalidUtf8, 1),
    (b"\"ab\xC3", Syntax::InvalidUtf8, 3),
    (b"{\"\xFF\":1}", Syntax::InvalidUtf8, 2),
    (b"\"\\\xFF\"", Syntax::InvalidUtf8, 2),
    (b"\"\\u00\xFF\"", Syntax::InvalidUtf8, 5),
    (b"\xFF", Syntax::InvalidUtf8, 0),
    (b"\xFF\xFE{\x00}\x00", Syntax::InvalidUtf8, 0),
    (b"\xEF\xBB{}", Syntax::InvalidUtf8, 0),
    (b"[\xFF]", Syntax::InvalidUtf8, 1),
    (b"[1\xFF]", Syntax::InvalidUtf8, 2),
    (b"-\xFF", Syntax::InvalidUtf8, 1),
    (b"nul\xFF", Syntax::InvalidUtf8, 3),
    (b"{\xFF", Syntax::InvalidUtf8, 1),
    (b"{\"a\"\xFF", Syntax::InvalidUtf8, 4),
    (b"{}\xFF", Syntax::InvalidUtf8, 2),
    // Of two faults, the first.
    (b"[x,\"\xFF\"]", Syntax::ExpectedValue, 1),
    (b"[\"\xFF\",x]", Syntax::InvalidUtf8, 2),
    // What Windows calls Unicode.
    (b"{\x00}\x00", Syntax::ExpectedName, 1),
];

#[test]
fn takes_what_the_grammar_has() {
    for &text in VALID {
        assert_eq!(scan::validate(text, 127), Ok(()), "{}", text.escape_ascii());
        check(text);
        for end in 0..text.len() {
            check(&text[..end]);
        }
    }
}

#[test]
fn refuses_what_it_does_not_have() {
    for &(text, kind, offset) in INVALID {
        let error = scan::validate(text, 127).expect_err(&text.escape_ascii().to_string());
        let found = (error.kind(), usize::try_from(error.offset()).unwrap());
        assert_eq!(found, (kind, offset), "{}", text.escape_ascii());
        check(text);
    }
}

/// Each byte there is, in each place there is.
#[test]
fn every_byte_in_every_place() {
    let places: [(&[u8], &[u8]); 22] = [
        (b"", b""),
        (b"", b"{}"),
        (b"{}", b""),
        (b"[", b"]"),
        (b"[1", b"2]"),
        (b"[1,", b"]"),
        (b"{", b"}"),
        (b"{", b"\"a\":1}"),
        (b"{\"a\"", b"1}"),
        (b"{\"a\":", b"1}"),
        (b"{\"a\":1", b"\"b\":2}"),
        (b"\"", b"\""),
        (b"\"", b""),
        (b"\"\\", b"\""),
        (b"\"\\u", b"000\""),
        (b"\"\\u000", b"\""),
        (b"-", b""),
        (b"0", b""),
        (b"1.", b"5"),
        (b"1e", b"5"),
        (b"nul", b""),
        (b"\"\xE2", b"\x80\""),
    ];
    for (before, behind) in places {
        for byte in 0..=u8::MAX {
            check(&[before, &[byte], behind].concat());
        }
    }
}

fn nested(levels: usize, open: &str, inside: &str, close: &str) -> Vec<u8> {
    (open.repeat(levels) + inside + &close.repeat(levels)).into()
}

#[test]
fn takes_as_many_levels_as_the_limit_says() {
    for (open, close, brackets) in [
        ("[", "]", &[0][..]),
        ("{\"a\":", "}", &[0]),
        ("[{\"a\":", "}]", &[0, 1]),
        (" [ \"[\" , ", " , {} , 1 ] ", &[1]),
    ] {
        for times in 0..=129 {
            // The last of these patterns has one level more, beside the one that is nested on.
            let levels = times * brackets.len() + usize::from(close.contains("{}") && times > 0);
            let text = nested(times, open, "0", close);
            for limit in [0, 1, 2, 31, 32, 33, 63, 64, 65, 126, 127, 128, 129, 254, 255] {
                let limit_levels = usize::from(limit);
                let expected = if levels <= limit_levels {
                    Ok(())
                } else {
                    let (time, bracket) =
                        (limit_levels / brackets.len(), limit_levels % brackets.len());
                    Err(if time < times {
                        time * open.len() + brackets[bracket]
                    } else {
                        times * open.len() + "0 , ".len()
                    })
                };
                let found = scan::validate(&text, limit).map_err(|error| {
                    assert_eq!(error.kind(), Syntax::TooDeep);
                    usize::try_from(error.offset()).unwrap()
                });
                assert_eq!(found, expected, "{levels} levels of {open}, limit {limit}");
            }
        }
    }
}

#[test]
fn depth_at_the_default_limit_and_far_beyond() {
    assert_eq!(DEFAULT_MAX_DEPTH, 127);
    for levels in [1, 126, 127, 128, 129, 1000, 100_000] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let inside = if open == "[" { "" } else { "0" };
            let text = nested(levels, open, inside, close);
            assert_eq!(scan::validate(&text, 127).is_ok(), levels <= 127);
            check(&text);
            // Without the brackets that close them, it is too early for an end only up to the limit.
            let cut = &text[..levels * open.len()];
            let error = scan::validate(cut, 127).unwrap_err();
            assert_eq!(error.kind() == Syntax::TooDeep, levels > 127);
            check(cut);
        }
    }
}

/// What is taken down of a frame that is too deep: which reply it is owed, if at most two containers
/// may be inside each other.
#[test]
fn behind_a_depth_fault_presence_counts_and_ids_do_not() {
    const ECHO: Option<&str> = Some("1");
    const NULL: Option<&str> = Some("null");
    const SILENCE: Option<&str> = None;
    let rules = Rules::JSON_RPC.with_max_depth(2);
    let table: &[(&str, Option<&str>)] = &[
        // An id before it is echoed, one behind it is not.
        (r#"{"id":1,"method":"m","params":[[]]}"#, ECHO),
        (r#"{"method":"m","id":1,"params":[[]]}"#, ECHO),
        (r#"{"method":"m","params":[[]],"id":1}"#, NULL),
        (r#"{"params":[[]],"id":1,"method":"m"}"#, NULL),
        (r#"{"id":1,"params":[[]],"method":"m"}"#, ECHO),
        (r#"{"id":1,"params":[[]]}"#, ECHO),
        (r#"{"params":[[]]}"#, NULL),
        (r#"{"params":[[]],"id":1}"#, NULL),
        // The id itself is too deep, or not one that can be echoed.
        (r#"{"id":[[]],"method":"m"}"#, NULL),
        (r#"{"id":{"a":[]},"method":"m"}"#, NULL),
        (r#"{"id":true,"method":"m","params":[[]]}"#, NULL),
        (r#"{"id":"\ud800","method":"m","params":[[]]}"#, NULL),
        // An id that is not the only one is none, wherever the other one is.
        (r#"{"id":1,"id":1,"method":"m","params":[[]]}"#, NULL),
        (r#"{"id":1,"method":"m","params":[[]],"id":1}"#, NULL),
        (r#"{"method":"m","params":[[]],"id":1,"id":1}"#, NULL),
        // What may be a notification gets silence, with the method before it or behind it.
        (r#"{"method":"m","params":[[]]}"#, SILENCE),
        (r#"{"params":[[]],"method":"m"}"#, SILENCE),
        (r#"{"params":[[]],"method":1}"#, NULL),
        (r#"{"method":null,"params":[[]]}"#, NULL),
        // What may be a response gets silence, whatever else it has.
        (r#"{"id":1,"result":[[]]}"#, SILENCE),
        (r#"{"result":[[]],"id":1}"#, SILENCE),
        (r#"{"id":1,"error":{"code":0,"message":"","data":[]}}"#, SILENCE),
        (r#"{"error":{"data":[]},"id":1}"#, SILENCE),
        (r#"{"id":1,"method":"m","params":[[]],"result":1}"#, SILENCE),
        (r#"{"id":1,"method":"m","params":[[]],"error":1}"#, SILENCE),
        (r#"{"id":1,"method":"m","params":[[]],"\u0065rror":1}"#, SILENCE),
        (r#"{"id":1,"method":"m","params":[[]],"error2":1}"#, ECHO),
        // Only the members of the message itself count, and not what stands in strings.
        (r#"{"id":1,"params":[["result"]]}"#, ECHO),
        (r#"{"id":1,"params":[[{"result":1}]]}"#, ECHO),
        (r#"{"id":1,"params":[["]],\"result\":1"]]}"#, ECHO),
        (r#"{"id":1,"params":[["\\"]],"result":1}"#, SILENCE),
        (r#"{"id":1,"params":[["["]],"result":1}"#, SILENCE),
        (r#"{"id":1,"params":[["]"]],"result":1}"#, SILENCE),
        (r#"{"id":1,"params":[["\"["]],"result":1}"#, SILENCE),
        (r#"{"id":1,"params":[[{"}":0}]],"result":1}"#, SILENCE),
        (r#"{"params":[["{"]],"method":"m"}"#, SILENCE),
        (r#"{"id":1,"params":{"a":{"b":{}},"c":{"result":1}}}"#, ECHO),
        (r#"{"id":1,"params":{"a":{"b":{}},"result":1}}"#, ECHO),
        // The second part that is too deep changes nothing.
        (r#"{"id":1,"a":[[]],"b":[[]],"method":"m"}"#, ECHO),
        (r#"{"a":[[]],"id":1,"b":[[]],"method":"m"}"#, NULL),
        // No members are looked for in the elements of an array.
        (r#"[[[]]]"#, NULL),
        (r#"[{"id":1,"method":"m","params":[]}]"#, NULL),
        (r#"[{"method":"m","params":[]}]"#, NULL),
        // The depth fault comes first, so it decides, whatever comes behind it.
        (r#"{"id":1,"method":"m","params":[["#, ECHO),
        (r#"{"id":1,"method":"m","params":[[}"#, ECHO),
        (r#"{"id":1,"method":"m","params":[[]] nonsense"#, ECHO),
        (r#"{"id":1,"method":"m","params":[[]]} nonsense"#, ECHO),
        (r#"{"method":"m","params":[["unterminated"#, SILENCE),
    ];
    for &(frame, id) in table {
        let fault = Message::parse(frame.as_bytes(), &rules).expect_err(frame);
        assert_eq!(fault.rule(), Rule::TooDeep, "{frame}");
        let offset = usize::try_from(fault.offset()).unwrap();
        let depth = |text: &str| {
            let count = |c| text.matches(c).count();
            count('[') + count('{') - count(']') - count('}')
        };
        assert_eq!(depth(&frame[..offset]), 2, "{frame}");
        assert_eq!(depth(&frame[..=offset]), 3, "{frame}");

        let reply = fault.reply();
        assert!(reply.is_none_or(|reply| reply.code().value() == -32600));
        let found = reply.and_then(|reply| reply.id_in(frame.as_bytes()));
        assert_eq!(found, id.map(str::as_bytes), "{frame}");

        let mut findings = Vec::new();
        let _ = Message::parse_with(frame.as_bytes(), &rules, |found| findings.push(found.rule()));
        assert_eq!(findings, [Rule::TooDeep], "{frame}");
    }
}

/// JSON texts with anything in them that the grammar knows.
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

/// What may happen to a text on its way.
#[derive(Clone, Debug)]
enum Mutation {
    Flip(Index, u8),
    Insert(Index, u8),
    /// Something that means something to a scanner.
    InsertToken(Index, &'static [u8]),
    Delete(Index, usize),
    /// A stretch of the text, once more in another place.
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

/// How many documents are mutated, each [`MUTANTS`] times; `PROPTEST_CASES` says otherwise.
const DOCUMENTS: u32 = 1000;
const MUTANTS: usize = 100;

#[test]
fn mutated_documents() {
    let config = Config {
        cases: match std::env::var_os("PROPTEST_CASES") {
            Some(_) => Config::default().cases,
            None => DOCUMENTS,
        },
        failure_persistence: None,
        ..Config::default()
    };
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
    // Both verdicts are met often enough to mean something.
    assert!(valid * 20 > checked && valid * 2 < checked, "{valid} of {checked}");
}
