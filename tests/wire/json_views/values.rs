//! Values: their members, their elements and their kinds.

use tautline::json::Kind;
use tautline::scan::Syntax;
use tautline::{RawJson, RawStr};

use super::{hash, string, value};

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
    // By name, the only one, of the object itself.
    assert_eq!(object.member("b"), None);
    assert_eq!(object.member("a").unwrap().as_bytes(), b"{\"b\":2}");
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
    assert_eq!(format!("{:?}", value("\"\u{e9}\"")), r#"RawJson("é")"#);
}

/// A view outlives the value that it was taken from, and borrows only the text.
#[test]
fn views_borrow_the_text() {
    fn second(text: &str) -> RawStr<'_> {
        let value = value(text);
        let mut elements = value.elements().unwrap();
        elements.nth(1).unwrap().string().unwrap()
    }
    let text = String::from(r#"["a","b"]"#);
    let b = second(&text);
    assert_eq!(b.unescaped().unwrap().as_ptr(), text[6..].as_ptr());
}
