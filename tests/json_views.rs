//! The views of strings, numbers, values and ids, in detail.

#[path = "support/reference/json.rs"]
#[expect(dead_code, reason = "what is needed of it here is the arithmetic")]
mod json;

use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use json::Decimal;
use tautline::json::{DecodeError, Kind};
use tautline::scan::Syntax;
use tautline::{Id, Message, RawJson, RawNumber, RawStr, Rules};

fn value(text: &str) -> RawJson<'_> {
    RawJson::parse(text.as_bytes()).expect(text)
}

fn string(text: &str) -> RawStr<'_> {
    value(text).string().expect(text)
}

fn number(text: &str) -> RawNumber<'_> {
    value(text).number().expect(text)
}

fn hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

mod strings {
    use super::*;

    /// A piece of a string, as it is written and as what it stands for.
    struct Piece(&'static str, &'static [u16]);

    /// What a surrogate may have before or behind it.
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

    /// What the string is to be taken for, by the standard library's decoder of UTF-16.
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
                let escape = &string.as_bytes()[lone.offset()..][..6];
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
            // Of three, the first two are a pair if they can be.
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
            assert_eq!(string(&text).as_str(), None);
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
        assert!(needed <= text.as_bytes().len());
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
        // Half a character has no length, so room does not matter.
        let half = string(r#""\ud800""#);
        let lone = half.lone_surrogate().unwrap();
        for size in [0, 64] {
            let error = half.decode_into(&mut vec![0; size]).unwrap_err();
            assert_eq!(error, DecodeError::LoneSurrogate(lone));
            assert_eq!(error, DecodeError::from(lone));
        }
    }

    #[cfg(feature = "std")]
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

    /// Strings in groups: those of one group are equal, those of two are not.
    const GROUPS: &[&[&str]] = &[
        &[r#""""#],
        &[r#""id""#, r#""\u0069d""#, r#""i\u0064""#, r#""\u0069\u0064""#],
        &[r#""ID""#, r#""\u0049D""#],
        &[r#""id ""#, r#""id\u0020""#],
        &[r#""id\u0000""#],
        &[r#""a/b""#, r#""a\/b""#, r#""a\u002fb""#, r#""a\u002Fb""#],
        &["\"\u{e9}\"", r#""\u00e9""#, r#""\u00E9""#],
        // Another way to write the same letter is another text: nothing is normalised.
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
        assert_eq!(format!("{text:?}"), r#"RawStr("a\\u0062\\ud800")"#);
        assert_eq!(format!("{:?}", string("\"\u{e9}\"")), r#"RawStr("\xc3\xa9")"#);
    }
}

mod numbers {
    use super::*;

    const I64_MAX: i64 = i64::MAX;
    const U64_MAX: u64 = u64::MAX;

    /// A number, its value as `i64` and as `u64` where it is one, and whether it is an integer at all.
    #[rustfmt::skip]
    const TABLE: &[(&str, Option<i64>, Option<u64>, bool)] = &[
        ("0", Some(0), Some(0), true),
        ("-0", Some(0), Some(0), true),
        ("0.0", Some(0), Some(0), true),
        ("-0.0", Some(0), Some(0), true),
        ("0e0", Some(0), Some(0), true),
        ("-0e5", Some(0), Some(0), true),
        ("0.000e-7", Some(0), Some(0), true),
        ("0e999999999999", Some(0), Some(0), true),
        ("0e-999999999999", Some(0), Some(0), true),
        ("0e99999999999999999999999999999999999999999", Some(0), Some(0), true),
        ("1", Some(1), Some(1), true),
        ("-1", Some(-1), None, true),
        ("1.0", Some(1), Some(1), true),
        ("1.000000000000000000000000000", Some(1), Some(1), true),
        ("1e0", Some(1), Some(1), true),
        ("1e2", Some(100), Some(100), true),
        ("1E2", Some(100), Some(100), true),
        ("1e+2", Some(100), Some(100), true),
        ("1e002", Some(100), Some(100), true),
        ("100.0", Some(100), Some(100), true),
        ("100e-2", Some(1), Some(1), true),
        ("1000e-2", Some(10), Some(10), true),
        ("10e-2", None, None, false),
        ("0.1e1", Some(1), Some(1), true),
        ("0.01e1", None, None, false),
        ("0.00001e5", Some(1), Some(1), true),
        ("12.50e1", Some(125), Some(125), true),
        ("12.50e0", None, None, false),
        ("-12.5e1", Some(-125), None, true),
        ("0.5", None, None, false),
        ("1.5", None, None, false),
        ("-1.5", None, None, false),
        ("1e-1", None, None, false),
        ("1e-400", None, None, false),
        ("1e-999999999999999999999", None, None, false),
        // 2^53, and the first integer that a double does not have.
        ("9007199254740992", Some(1 << 53), Some(1 << 53), true),
        ("9007199254740993", Some((1 << 53) + 1), Some((1 << 53) + 1), true),
        ("9007199254740993.0", Some((1 << 53) + 1), Some((1 << 53) + 1), true),
        ("9007199254740993.5", None, None, false),
        // The ends of i64.
        ("9223372036854775807", Some(I64_MAX), Some(1 << 63 ^ U64_MAX), true),
        ("9223372036854775808", None, Some(1 << 63), true),
        ("-9223372036854775808", Some(i64::MIN), None, true),
        ("-9223372036854775809", None, None, true),
        ("-9223372036854775808.0", Some(i64::MIN), None, true),
        ("-922337203685477580.8e1", Some(i64::MIN), None, true),
        ("-92233720368547758080e-1", Some(i64::MIN), None, true),
        // The ends of u64.
        ("18446744073709551615", None, Some(U64_MAX), true),
        ("18446744073709551616", None, None, true),
        ("18446744073709551615.0", None, Some(U64_MAX), true),
        ("184467440737095516150e-1", None, Some(U64_MAX), true),
        ("1844674407370955161.5e1", None, Some(U64_MAX), true),
        ("1844674407370955161.6e1", None, None, true),
        ("-18446744073709551615", None, None, true),
        ("10000000000000000000", None, Some(10_000_000_000_000_000_000), true),
        ("1e18", Some(1_000_000_000_000_000_000), Some(1_000_000_000_000_000_000), true),
        ("1e19", None, Some(10_000_000_000_000_000_000), true),
        ("1e20", None, None, true),
        // Far beyond.
        ("1e400", None, None, true),
        ("-1e400", None, None, true),
        ("1.5e400", None, None, true),
        ("1e999999999999999999999", None, None, true),
        ("123456789012345678901234567890", None, None, true),
        ("123456789012345678901234567890.5", None, None, false),
    ];

    #[test]
    fn values() {
        for &(text, as_i64, as_u64, is_integer) in TABLE {
            let number = number(text);
            assert_eq!(number.as_i64(), as_i64, "{text}");
            assert_eq!(number.as_u64(), as_u64, "{text}");
            assert_eq!(number.is_integer(), is_integer, "{text}");
            let plain = text.bytes().all(|byte| b"-0123456789".contains(&byte));
            assert_eq!(number.is_plain_integer(), plain, "{text}");
            assert_eq!(number.as_bytes(), text.as_bytes());
            assert_eq!(number.as_str(), Some(text));
            assert_eq!(number.to_string(), text);
            let exact = Decimal::of(text.as_bytes());
            assert_eq!(exact.is_integer(), is_integer, "{text}");
        }
    }

    #[test]
    fn four_hundred_digits() {
        let zeros = "0".repeat(400);
        let nines = "9".repeat(400);
        for (text, as_u64, is_integer) in [
            (nines.clone(), None, true),
            (format!("{nines}.5"), None, false),
            (format!("{nines}.{zeros}"), None, true),
            (format!("1{zeros}"), None, true),
            (format!("1{zeros}e-400"), Some(1), true),
            (format!("1{zeros}e-401"), None, false),
            (format!("0.{zeros}"), Some(0), true),
            (format!("0.{zeros}1"), None, false),
            (format!("0.{zeros}1e400"), None, false),
            (format!("0.{zeros}1e401"), Some(1), true),
            (format!("0.{zeros}12e402"), Some(12), true),
            (format!("12.{zeros}"), Some(12), true),
            (format!("7e{zeros}1"), Some(70), true),
            (format!("7e-{zeros}1"), None, false),
            (format!("7e{nines}"), None, true),
            (format!("7e-{nines}"), None, false),
            (format!("0e{nines}"), Some(0), true),
        ] {
            let number = number(&text);
            assert_eq!(number.as_u64(), as_u64, "{text}");
            let as_i64 = as_u64.map(|value| i64::try_from(value).unwrap());
            assert_eq!(number.as_i64(), as_i64, "{text}");
            assert_eq!(number.is_integer(), is_integer, "{text}");
        }
    }

    /// Every mantissa of a list with every exponent of another, against exact arithmetic.
    #[test]
    fn against_exact_arithmetic() {
        let whole = [
            "0",
            "1",
            "5",
            "9",
            "10",
            "100",
            "120",
            "184467440737095516",
            "922337203685477580",
            "1844674407370955161",
            "9223372036854775807",
            "9223372036854775808",
            "18446744073709551615",
            "18446744073709551616",
            "99999999999999999999",
        ];
        let fraction =
            ["", ".0", ".5", ".50", ".00", ".05", ".7", ".8", ".15", ".16", ".000000001"];
        let far = [19, 20, 21, 38, 308, 400, 100_000, i128::from(i64::MAX), i128::from(u64::MAX)];
        let near = -18..=18;
        let mut checked = 0;
        for sign in ["", "-"] {
            for (whole, fraction) in whole.iter().flat_map(|w| fraction.map(|f| (w, f))) {
                let exponents = near.clone().chain(far).chain(far.map(|far| -far));
                for exponent in exponents {
                    let text = match exponent {
                        0 => format!("{sign}{whole}{fraction}"),
                        _ => format!("{sign}{whole}{fraction}e{exponent}"),
                    };
                    let exact = Decimal::of(text.as_bytes());
                    let number = number(&text);
                    assert_eq!(number.is_integer(), exact.is_integer(), "{text}");
                    let value = exact.integer();
                    let as_i64 = value.and_then(|value| value.try_into().ok());
                    assert_eq!(number.as_i64(), as_i64, "{text}");
                    let as_u64 = value.and_then(|value| value.try_into().ok());
                    assert_eq!(number.as_u64(), as_u64, "{text}");
                    checked += 1;
                }
            }
        }
        println!("{checked} numbers");
        assert_eq!(checked, 2 * 15 * 11 * (37 + 18));
    }

    #[test]
    fn equality_is_that_of_the_spelling() {
        let spellings = ["1", "1.0", "1e0", "1E0", "10e-1", "-0", "0", "1.00"];
        for a in spellings {
            for b in spellings {
                assert_eq!(number(a) == number(b), a == b);
            }
        }
        let all: HashSet<_> = spellings.into_iter().map(number).collect();
        assert_eq!(all.len(), spellings.len());
        assert_eq!(format!("{:?}", number("1.0")), "RawNumber(1.0)");
    }
}

mod values {
    use super::*;

    #[test]
    fn a_view_has_no_whitespace_around_it() {
        let value = value(" \t\r\n{ \"a\" : [ 1 , { } ] } \t\r\n");
        assert_eq!(value.as_bytes(), b"{ \"a\" : [ 1 , { } ] }");
        let a = value.member("a").unwrap();
        assert_eq!(a.as_bytes(), b"[ 1 , { } ]");
        let elements: Vec<_> = a.elements().unwrap().map(|e| e.as_bytes()).collect();
        assert_eq!(elements, [&b"1"[..], b"{ }"]);
    }

    #[test]
    fn kinds() {
        for (text, kind, bool) in [
            ("null", Kind::Null, None),
            ("true", Kind::Bool, Some(true)),
            ("false", Kind::Bool, Some(false)),
            ("-1.5e3", Kind::Number, None),
            ("\"null\"", Kind::String, None),
            ("[]", Kind::Array, None),
            ("{}", Kind::Object, None),
        ] {
            let value = value(text);
            assert_eq!(value.kind(), kind);
            assert_eq!(value.bool(), bool);
            assert_eq!(value.is_null(), kind == Kind::Null);
            assert_eq!(value.number().is_some(), kind == Kind::Number);
            assert_eq!(value.string().is_some(), kind == Kind::String);
            assert_eq!(value.elements().is_some(), kind == Kind::Array);
            assert_eq!(value.members().is_some(), kind == Kind::Object);
            assert_eq!(value.member("a"), None);
            assert_eq!(value.as_str(), Some(text));
            assert_eq!(value.to_string(), text);
        }
    }

    #[test]
    fn members_come_in_their_order_duplicates_and_all() {
        let object = value(r#"{"b":1,"a":{"b":2},"\u0062":[3],"":"}","b":null}"#);
        let members: Vec<_> = object
            .members()
            .unwrap()
            .map(|member| (member.name.to_string(), member.value.to_string()))
            .collect();
        let expected = [("b", "1"), ("a", "{\"b\":2}"), ("b", "[3]"), ("", "\"}\""), ("b", "null")];
        assert!(members.iter().map(|(n, v)| (&**n, &**v)).eq(expected));
        // By name, the first one, of the object itself.
        assert_eq!(object.member("b").unwrap().as_bytes(), b"1");
        assert_eq!(object.member("").unwrap().as_bytes(), b"\"}\"");
        assert_eq!(object.member("B"), None);
        assert_eq!(object.member("b "), None);
    }

    #[test]
    fn text_that_looks_like_structure_is_none() {
        let array = value(r#"["]","}","[{\"","\\",",",":","\\\"]",{"]":"["},"\\\\"]"#);
        let elements: Vec<_> = array.elements().unwrap().map(|e| e.to_string()).collect();
        let expected = [
            r#""]""#,
            r#""}""#,
            r#""[{\"""#,
            r#""\\""#,
            r#"",""#,
            r#"":""#,
            r#""\\\"]""#,
            r#"{"]":"["}"#,
            r#""\\\\""#,
        ];
        assert_eq!(elements, expected);
    }

    #[test]
    fn iterators_stay_at_their_end() {
        for text in ["[]", "[ ]", "[1]", "[[],[]]"] {
            let mut elements = value(text).elements().unwrap();
            while elements.next().is_some() {}
            assert!((0..3).all(|_| elements.next().is_none()), "{text}");
        }
        for text in ["{}", "{ }", "{\"a\":1}", "{\"a\":{}}"] {
            let mut members = value(text).members().unwrap();
            while members.next().is_some() {}
            assert!((0..3).all(|_| members.next().is_none()), "{text}");
        }
        let mut chars = string(r#""a\ud800""#).chars();
        while chars.next().is_some() {}
        assert!((0..3).all(|_| chars.next().is_none()));
    }

    #[test]
    fn parsing_is_held_to_the_default_depth() {
        let nested = |levels| "[".repeat(levels) + &"]".repeat(levels);
        assert!(RawJson::parse(nested(127).as_bytes()).is_ok());
        let text = nested(128);
        let error = RawJson::parse(text.as_bytes()).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (Syntax::TooDeep, 127));
        assert_eq!(RawJson::parse(b"[1,]").unwrap_err().offset(), 3);

        let text = nested(127);
        let mut inside = value(&text);
        for levels in (0..127).rev() {
            let Some(next) = inside.elements().unwrap().next() else {
                assert_eq!(levels, 0);
                break;
            };
            inside = next;
            assert_eq!(inside.as_bytes().len(), 2 * levels);
        }
    }

    #[test]
    fn equality_is_that_of_the_bytes() {
        assert_eq!(value(" [1] "), value("[1]"));
        assert_ne!(value("[1]"), value("[ 1]"));
        assert_ne!(value("\"a\""), value("\"\\u0061\""));
        assert_eq!(hash(value(" 1")), hash(value("1")));
        assert_eq!(format!("{:?}", value("\"\u{e9}\"")), r#"RawJson(\"\xc3\xa9\")"#);
    }

    /// A view outlives the value that it was taken from, and borrows the text alone.
    #[test]
    fn views_borrow_the_text() {
        fn second(text: &str) -> RawStr<'_> {
            let value = value(text);
            let mut elements = value.elements().unwrap();
            elements.nth(1).unwrap().string().unwrap()
        }
        let text = String::from(r#"["a","b"]"#);
        let b = second(&text);
        assert_eq!(b.as_str().unwrap().as_ptr(), text[6..].as_ptr());
    }
}

mod ids {
    use super::*;

    /// The id of a request, as it is parsed.
    fn with_id<T>(id: &str, look: impl FnOnce(Id<'_>) -> T) -> T {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
        match Message::parse(frame.as_bytes(), &Rules::JSON_RPC) {
            Ok(Message::Request(request)) => look(request.id()),
            other => panic!("{id}: {other:?}"),
        }
    }

    /// Ids in groups of groups: those of an inner group are equal, those of an outer one are alike.
    const GROUPS: &[&[&[&str]]] = &[
        &[&["null"]],
        &[&["\"null\""]],
        &[&["0"], &["-0"], &["0.0"], &["0e5"], &["\"0\""], &["\"-0\""], &["\"0.0\""]],
        &[&["1"], &["1.0"], &["10e-1"], &["1E0"], &["\"1\""], &["\"1.0\""]],
        &[&["-1"], &["-1.0"], &["\"-1\""]],
        &[&["\"+1\""]],
        &[&["\"01\""]],
        &[&["\" 1\""]],
        &[&["\"1 \""]],
        &[&["\"1,\""]],
        &[&["100"], &["1e2"], &["\"1e2\""]],
        &[&["\"\""]],
        &[&["\"a\"", "\"\\u0061\""]],
        &[&["\"A\"", "\"\\u0041\""]],
        &[&["\"a/b\"", "\"a\\/b\""]],
        &[&["\"true\""]],
        // What has no integer value, or one that fits nowhere, is alike only if it is spelled alike.
        &[&["1.5"], &["\"1.5\""]],
        &[&["1.50"]],
        &[&["1e30"], &["\"1e30\""]],
        &[&["10e29"]],
        // No two of these are the same as a double.
        &[&["9007199254740992"], &["\"9007199254740992\""]],
        &[&["9007199254740993"], &["9007199254740993.0"]],
        &[&["18446744073709551615"], &["\"18446744073709551615\""]],
        &[&["18446744073709551616"], &["\"18446744073709551616\""]],
        &[&["-9223372036854775808"]],
        &[&["-9223372036854775809"]],
    ];

    fn flat() -> impl Iterator<Item = (usize, (usize, usize), &'static str)> {
        GROUPS.iter().enumerate().flat_map(|(outer, group)| {
            group.iter().enumerate().flat_map(move |(inner, ids)| {
                ids.iter().map(move |id| (outer, (outer, inner), *id))
            })
        })
    }

    #[test]
    fn equal_and_alike() {
        for (outer_a, inner_a, a) in flat() {
            for (outer_b, inner_b, b) in flat() {
                with_id(a, |id_a| {
                    with_id(b, |id_b| {
                        let equal = inner_a == inner_b;
                        assert_eq!(id_a == id_b, equal, "{a} {b}");
                        assert_eq!(hash(id_a) == hash(id_b), equal, "{a} {b}");
                        assert_eq!(id_a.is_like(&id_b), outer_a == outer_b, "{a} {b}");
                    });
                });
            }
        }
        assert!(flat().count() > 40);
    }

    /// Two ids that are equal are alike to the same others.
    #[test]
    fn an_escape_makes_no_difference_to_what_an_id_is_like() {
        with_id("\"1\"", |plain| {
            with_id("\"\\u0031\"", |escaped| {
                with_id("1", |number| {
                    assert_eq!(plain, escaped);
                    assert!(plain.is_like(&number) && number.is_like(&plain));
                    assert!(escaped.is_like(&number) && number.is_like(&escaped));
                });
            });
        });
    }

    #[test]
    fn display_is_the_spelling() {
        for id in
            ["1", "1.0", "-0", "null", "\"\"", "\"1\"", "\"\\u0031\"", "\"\\\"\"", "\"\u{e9}\""]
        {
            with_id(id, |parsed| assert_eq!(parsed.to_string(), id));
        }
    }
}
